#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Data from anywhere: it is refused with its line, or drawn as text. It is never code.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/plot/common.sh"
need_gnuplot
need_python
cd "$scratch" || exit 99
out=$scratch/out.svg

# rows KIND ROW...: a file with these rows, \t between the columns.
rows() {
	rows_kind=$1
	shift
	made "$rows_kind" 2 | sed '/^[a-z]/q' >in.tsv
	printf "%b\n" "$@" >>in.tsv
}
# refused LINE SENTENCE KIND ROW...
refused() {
	refused_line=$1 refused_sentence=$2 refused_kind=$3
	shift 3
	rows "$refused_kind" "$@"
	refuses "$refused_kind: $*" 1 "$scratch/in.tsv: line $refused_line: $refused_sentence" \
		"$refused_kind" -i "$scratch/in.tsv" -o "$out"
}

name='expected a name of letters, digits and -._ as counter'
for bad in "a'b" 'a"b' 'a\\\\b' 'a@b' 'a{b}' '`touch marker`' '$(touch marker)' '' '-a' \
	"'; system 'touch marker'; '" 'a b' \
	'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
do
	refused 9 "$name" noise "$bad\ton-core\t30\t24\t5"
done
number='expected a number of at most 1e15 as'
for bad in 1e300 -1e16 nan NaN inf 0x10 '1 ' '' 'unknown' '`date`' 1e999999 5,5; do
	refused 9 "$number difference" noise "a\ton-core\t30\t$bad\t5"
done
refused 9 "$number precision" noise 'a\ton-core\tnan\t24\t5'
refused 9 'expected a whole number as occurrences' noise 'a\ton-core\t30\t24\t-5'
refused 10 'expected 5 columns, but there are 4' noise 'a\ton-core\t30\t24\t5' 'a\ton-core\t30\t24'
refused 10 'expected "# key<tab>value"' noise 'a\ton-core\t30\t24\t5' '# late comment'
refused 11 'expected cpu less than other_cpu' skew '3\t3\t1\t1\t1'
refused 11 'expected a number below 1048576 as other_cpu' skew '3\t4294967295\t1\t1\t1'
refused 12 'expected each pair of CPUs once' skew '0\t1\t1\t1\t1' '0\t1\t1\t1\t1'
refused 11 'expected a bound of at least 0' skew '0\t1\t1\t-1\t1'
refused 11 'expected offset and bound, or both unknown' skew '0\t1\tunknown\t1\t1'
refused 11 "$number bound" skew '0\t1\t1\tmany\t1'
refused 11 'expected a whole number of CPUs, or unknown, behind "# cpus"' skew '# cpus\tmany'
refused 9 'expected a bound of at least 0' drift 'a\t1\t1\t-1'
refused 12 'expected a name of letters, digits, spaces and -._ as kind' frequency \
	"a'\t0\t1\t1\t1"
refused 12 'expected a whole number as cpu' frequency 'any\tmany\t1\t1\t1'
refused 9 'expected a number above 0 as gap_ns' gaps '0\t1\t0'
refused 9 'expected a CPU and seconds behind "# looked"' gaps '# looked\t0 none' '0\t1\t5'
made frequency 9 >in.tsv
refuses "nine kinds of core" 1 "$scratch/in.tsv: line 812: expected at most 8 kinds of core" \
	frequency -i "$scratch/in.tsv" -o "$out"

for kind in noise skew drift frequency gaps; do
	made $kind 1 >"$kind.tsv"
done
refuses "samples of another kind" 1 \
	"skew.tsv: line 10: expected samples of noise, but these are samples of skew" \
	noise -i skew.tsv -o "$out"
: >empty
by='such a file is written by cpucycles-info --samples noise >FILE'
refuses "an empty file" 1 \
	"empty: line 1: expected a line of column names, but the file ends; $by" \
	noise -i empty -o "$out"
refuses "a file of samples without its lines of #" 1 \
	"rest: line 1: expected a line \"# samples<tab>noise\" before; $by" \
	noise -i rest -o "$out" <<END
$(grep -v '^#' noise.tsv >rest)
END
sed '$!d;s/.*/counter\tclass\tother/' noise.tsv | cat - >columns
sed '/^[^#]/,$d' noise.tsv | cat - columns >wrong.tsv
refuses "other columns" 1 "wrong.tsv: line 8: expected the columns counter class \
precision_cycles difference_cycles occurrences" noise -i wrong.tsv -o "$out"
printf '# samples noise\n' >wrong.tsv
refuses "a comment without a tab" 1 \
	"wrong.tsv: line 1: expected \"# key<tab>value\"; $by" noise -i wrong.tsv -o "$out"
head -c 5000 "$(command -v gnuplot)" >binary
run noise -i binary -o "$out"
is "a binary file is refused" "$status$(said | sed 's/line [0-9]*: .*/line N/')" \
	"1cpucycles-plot: binary: line N"
printf 'round\tfunction\tcycles_per_call\n0\tf\t1\n' >wrong.tsv
refuses "samples of another tool" 1 "wrong.tsv: line 1: expected the columns process round \
function UNIT_per_call; such a file is written by cpucycles-measure --raw=FILE FUNCTION..." \
	samples wrong.tsv -o "$out"
# What has to be measured first
for first in '#include <stdio.h>' '/* a source */' ''; do
	printf '%s\nint f(void);\n' "$first" >f.c
	while read -r kind by; do
		# shellcheck disable=SC2046 # an option or nothing
		run $kind $(input_of $kind) f.c -o "$out"
		is "$kind: a source that begins with '$first'" "$status$(said |
			sed 's/: expected .*; such/: such/')" \
			"1cpucycles-plot: f.c: line 1: such a file is written by $by"
	done <<'END'
samples cpucycles-measure --raw=FILE FUNCTION...
sizes cpucycles-measure --csv --sizes=SIZE,... FUNCTION... >FILE
layouts cpucycles-measure --layouts=FILE FILE:FUNCTION...
leak cpucycles-measure --leak --raw=FILE FILE:FUNCTION
skew cpucycles-info --samples skew >FILE
END
done
# layouts LINE SENTENCE TEXT...: lines of a file of layouts, after "# samples".
layouts() {
	layouts_line=$1 layouts_sentence=$2
	shift 2
	printf '# samples\tlayouts\n' >in.tsv
	printf '%b\n' "$@" >>in.tsv
	refuses "layouts: $*" 1 "in.tsv: line $layouts_line: $layouts_sentence" \
		layouts in.tsv -o "$out"
}
unit='# unit_processes\t4'
header='unit\tprocess\tfunction\tplace_bytes\tns_per_call\tlonger_percent'
layouts 2 'expected a line "# unit_processes<tab>number" before, 1000 at most' "$header"
for bad in 0 -1 1001 x 1e3 ''; do
	layouts 3 'expected a line "# unit_processes<tab>number" before, 1000 at most' \
		"# unit_processes\t$bad" "$header"
done
layouts 3 "expected the columns unit process function place_bytes UNIT_per_call \
longer_percent of cpucycles-measure --layouts" "$unit" 'unit\tprocess\tfunction'
layouts 4 'expected 6 columns, but there are 5' "$unit" "$header" '0\t0\tf\t0\t1'
layouts 4 'expected a whole number as unit' "$unit" "$header" '-1\t0\tf\t0\t1\t'
layouts 4 'expected a whole number as process' "$unit" "$header" '0\t$(id)\tf\t0\t1\t'
layouts 4 'expected the name of a function' "$unit" "$header" '0\t0\t\t0\t1\t'
layouts 4 'expected a whole number as place_bytes' "$unit" "$header" '0\t0\tf\t1.5\t1\t'
layouts 4 "$number time" "$unit" "$header" '0\t0\tf\t0\tnan\t'
layouts 4 "$number longer_percent" "$unit" "$header" '0\t0\tf\t0\t1\t`date`'
layouts 4 'expected a number above -100 as longer_percent' "$unit" "$header" \
	'0\t0\tf\t0\t1\t-100'
layouts 18 'expected at most 14 functions, each size of one counts' "$unit" "$header" \
	$(seq -f '0\t0\tf%g\t0\t1\t' 15)
of='expected a verdict on a function of this file'
layouts 3 'expected faster, slower, same or cannot-tell as the verdict' "$unit" \
	'# verdict\tsystem 1 1 1 1 f' "$header" '0\t0\tf\t0\t1\t'
layouts 3 "$of" "$unit" '# verdict\tsame 1 1 1 1 g' "$header" '0\t0\tf\t0\t1\t'
layouts 3 'expected numbers, or unknown, behind the word of the verdict' "$unit" \
	"# verdict\tsame 1 ';x 1 1 f" "$header" '0\t0\tf\t0\t1\t'
layouts 3 'expected whole numbers before the function of the verdict' "$unit" \
	'# verdict\tsame 1 1 1 f' "$header" '0\t0\tf\t0\t1\t'
layouts 4 'expected one verdict on each function' "$unit" '# verdict\tsame 1 1 1 1 f' \
	'# verdict\tsame 2 1 1 1 f' "$header" '0\t0\tf\t0\t1\t'
layouts 3 'expected a costly place of a function of this file' "$unit" '# costly\t16 g' "$header" \
	'0\t0\tf\t0\t1\t'
for bad in 64 -1 x "';x" ''; do
	layouts 3 'expected a place in 64 bytes and a function as costly' "$unit" \
		"# costly\t$bad f" "$header" '0\t0\tf\t0\t1\t'
done
# leak LINE SENTENCE COMMAND: what sed makes of a good file is refused.
made leak 3 >leak.tsv
leak() {
	sed -e "$3" leak.tsv >in.tsv
	refuses "leak: $3" 1 "in.tsv: line $1: expected $2" leak in.tsv -o "$out"
}
leak 1 "\"# cpucycles-measure-leak 1\"; such a file is written by cpucycles-measure --leak \
--raw=FILE FILE:FUNCTION" '1s/1$/2/'
for key in function:name unit:unit step:number verdict:text tail:numbers times:numbers; do
	leak 16 "one line \"# ${key%:*}<tab>${key#*:}\" before" "/^# ${key%:*}/d"
done
leak 18 'one line "# step<tab>number" before' '4{p;s/2/3/;}'
leak 2 'the name of a function' '2s/\t.*/\t/'
leak 3 'a word in small letters as unit' "3s/ticks/'.x/"
for bad in 0 -1 nan '' '`date`' 1e300; do
	leak 4 'a number above 0 as step' "4s/2/$bad/"
done
for bad in leak 'no difference above' 'no difference above x' 'no difference above -5' \
	'no difference above 0' 'leaks, by 2' "leaks'"; do
	leak 5 'leaks, no difference above a number, cannot tell or no verdict' \
		"5s/leaks/$bad/"
done
leak 16 'lines "# decile<tab>numbers" for 10, 20 and so on to 90 before' '/decile.40/d'
leak 18 'lines "# decile<tab>numbers" for 10, 20 and so on to 90 before' '6{p;s/10/100/;}'
leak 6 '10 and four numbers, or unknown' '6s/10/11/'
leak 7 '20 and four numbers, or unknown' '7s/ 3 / inf /'
leak 7 '20 and four numbers, or unknown' '7s/ 3 / 3 3 /'
leak 8 'a difference within its interval' '8s/ 3 / 1 /'
leak 15 '99 and four numbers, or unknown' '15s/99/90/'
leak 15 'parts of 1 as the shares of the tail' '15s/0.01/1.01/'
leak 17 'the columns group ticks' '17s/ticks/cycles/'
leak 19 '0 or 1 as group' '19s/^0/2/'
leak 19 '2 columns, but there are 1' '19s/\t.*//'
leak 19 'a number of at most 1e15 as time' '19s/\t.*/\tinf/'
for bad in '400' '400 -1' '400 4e2' '400 400 1'; do
	leak 16 'two whole numbers of times' "16s/400 400/$bad/"
done
leak 16 '400 times of group 0, but there are 82' '100,$d'
leak 16 '400 times of group 1, but there are 399' '$d'
leak 16 '400 times of group 1, but there are 401' '$p'
# The same at the end of a file of samples
while read -r line verdict sentence; do
	printf 'process\tround\tfunction\tns_per_call\n0\t0\tf\t1\n' >in.tsv
	printf '# verdict\t%b\n' "$verdict" | tr '~' ' ' >>in.tsv
	refuses "samples: a verdict: $verdict" 1 "in.tsv: line $line: expected $sentence" \
		samples in.tsv -o "$out"
done <<'END'
3 system~1~1~1~1~f faster, slower, same or cannot-tell as the verdict
3 same~1~';x~1~1~f numbers, or unknown, behind the word of the verdict
3 same~1~1~1~f whole numbers before the function of the verdict
3 same~1~1~1~1~g a verdict on a function of this file
3 same~1~1~1~1~64~f a verdict on a function of this file
4 same~1~1~1~1~f\n#~verdict\tsame~2~1~1~1~f one verdict on each function
END
ok "nothing was drawn of all that" test ! -e "$out"

# Names of functions and of the machine are any text, and are drawn as they are.
for text in "a'b''c" 'a"b\n' 'a\b' '@x @GPVAL_TERM' '{/=40 big}_x^y' '`touch marker`' \
	'$(touch marker)' "'; system 'touch marker'; '" "' . system('touch marker') . '" \
	'</text></svg><script>x()</script>' '&amp;<b>' 'a]]>b' \
	'<![CDATA[x' '&#1;&#65;' '--><?x' '%s%n %d' '# no comment' '-' "' \\"; do
	{
		printf 'process\tround\tfunction\tcycles_per_call\n'
		for i in 1 2 3 4 5 6 7; do
			printf '0\t%d\t%s\t%d\n' $i "$text" $((i * 3))
		done
	} >in.tsv
	draws "a function of the name $text" samples in.tsv -o "$out"
	ok "is drawn as it is" sh -c \
		"$picture_check texts '$out' | tr -s ' ' | grep -q -F -x -e \"\$1\"" \
		sh "$text: 12 (3 to 21)"
	ok "and is in the description" sh -c "$picture_check desc '$out' | grep -q -F -e \"\$1\"" \
		sh "$text: 12"
	awk '{ gsub(/"/, "\"\""); print "function,size,unit,mean,mean_low,mean_high,bytes"
		printf "\"%s\",64,ns,64,32,128,64\n", $0 }' >in.csv <<END
$text
END
	draws "sizes of a function of that name" sizes in.csv -o "$out"
	ok "is drawn as it is" sh -c \
		"$picture_check texts '$out' | tr -s ' ' | grep -q -F -x -e \"\$1\"" \
		sh "$text: 1 at 64"
	awk -v OFS='\t' '{ print "# samples", "layouts"; print "# unit_processes", 1
		print "# verdict", "same 1 unknown unknown 1 " $0
		print "unit", "process", "function", "place_bytes", "ns_per_call", "longer_percent"
		print 0, 0, "first", 0, 8, ""
		print 0, 0, $0, 0, 9, 1 }' >in.tsv <<END
$text
END
	draws "layouts of a function of that name" layouts in.tsv -o "$out"
	for shown in "$text: +1 %, same" "$text: 9 ns"; do
		ok "is drawn as it is" sh -c \
			"$picture_check texts '$out' | tr -s ' ' | grep -q -F -x -e \"\$1\"" \
			sh "$shown"
	done
	awk -v OFS='\t' -F '\t' 'NR == FNR { text = $0; next }
		$1 == "# function" { $2 = text } { print }' - leak.tsv <<END >in.tsv
$text
END
	draws "leaks of a function of that name" leak in.tsv -o "$out"
	ok "is in the title as it is" sh -c \
		"$picture_check title '$out' | tr -s ' ' | grep -q -F -x -e \"\$1\"" \
		sh "$text: leaks"
	awk -v OFS='\t' -F '\t' 'NR == FNR { text = $0; next }
		$1 == "# machine" { $2 = text } { print } END { print "# lost", text }' \
		- noise.tsv <<END >machine.tsv
$text
END
	draws "a machine and a lost counter of that name" noise -i machine.tsv -o out.html
	ok "has no elements of its own" not grep -q -e '<script' -e '<b>' out.html
done
# Random texts of these characters, in pictures and in pages
seed=${TEST_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
echo "# TEST_SEED=$seed"
awk -v seed="$seed" 'BEGIN {
	srand(seed)
	print "process\tround\tfunction\tcycles_per_call"
	for (f = 0; f < 24; f++) {
		text = f
		for (i = 0; i < 12; i++)
			text = text substr("]]]>>><&;#![-?/=a1 \"\047", int(rand() * 22) + 1, 1)
		print "0\t1\t" text "\t3"
	}
}' >in.tsv
draws "random names in a picture" samples in.tsv -o "$out"
# A line of text has one blank for several.
ok "are drawn as they are" sh -c "$picture_check texts '$out' | tr -s ' ' | grep ': 3 (' >drawn
	sed -n '2,\$s/.*\t\(.*\)\t3\$/\1: 3 (no interval)/p' in.tsv | tr -s ' ' | cmp - drawn"
draws "random names in a page" samples in.tsv -o out.html
awk -v seed="$seed" 'BEGIN { srand(seed)
	for (i = 0; i < 40; i++)
		text = text substr("]]]>>><&;#![-?/=a1 \"\047", int(rand() * 22) + 1, 1)
	print text }' >text
made_folder data 3 2
for file in data/*.tsv; do
	awk -F '\t' -v OFS='\t' 'NR == FNR { text = $0; next }
		/^# (machine|kernel|date|lost|seconds)/ { $2 = text }
		{ print }' text "$file" >new
	mv new "$file"
done
# Words that the page has of info.txt
awk 'NR == FNR { text = $0; next }
	/ (implementation|unusable|persecond|hz|disagreement|problem|remedy)/ {
		gsub(/[a-z]+-[a-z]+/, "&]]><\\&"); $0 = $0 text }
	{ print }' text data/info.txt >new
mv new data/info.txt
draws "a report of random texts" report -i data -o out.html
# A variable of gnuplot that has text of the file, and text that would make it code.
made frequency 1 | awk -v OFS='\t' -F '\t' '
	$1 == "# counter" { $2 = "\047;system\"id>../../m\"#" }
	$1 == "# machine" { $2 = "a\047 @counter_label" } { print }' >in.tsv
draws "a machine with the name of a variable" frequency -i in.tsv -o "$out"
ok "its text is no code" test ! -e "$TMPDIR/m"
rm -f "$TMPDIR/m"
printf 'process\tround\tfunction\tns_per_call\n0\t0\tf\303\251\033[1mx\t1\n' >in.tsv
draws "bytes that are no printable ASCII" samples in.tsv -o "$out"
is "are question marks" "$($picture_check texts "$out" | grep '^f')" "f???[1mx: 1 (no interval)"
ok "no data was run as a command" test ! -e marker
ok "the temporary folder is empty" rmdir "$TMPDIR"
