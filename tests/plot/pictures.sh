#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Each kind of picture from made data: complete, with title, axes and units, and drawn from the
# data.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/plot/common.sh"
need_gnuplot
need_python

look() { $picture_check "$@"; }
texts() { look texts "$scratch/out.svg" >"$scratch/texts"; }
# has COUNT TEXT: so many lines of the texts have this.
has() { is "$3" "$(grep -c -e "$2" "$scratch/texts")" "$1"; }

# tells NAME TEXT: the description has it.
tells() {
	ok "$1" sh -c "$picture_check desc '$scratch/out.svg' | grep -q -F -e \"\$1\"" sh "$2"
}

# picture KIND COUNT [busy]: draws made data.
picture() {
	made "$1" "$2" 1 ${3:+"$3"} >"$scratch/in.tsv"
	# shellcheck disable=SC2046 # an option or nothing
	draws "$1 of $2" "$1" $(input_of "$1") "$scratch/in.tsv" -o "$scratch/out.svg"
	ok "$1 of $2: a document of XML" texts
	is "$1 of $2: ids are unique, and none is missing" "$(look ids "$scratch/out.svg")" ""
	is "$1 of $2: one title, or browsers show gnuplot's own" \
		"$(grep -c '<title' "$scratch/out.svg")" 1
}

# by_hand KIND ROW...: the same from rows with spaces.
by_hand() {
	by_hand_kind=$1
	shift
	made "$by_hand_kind" 1 | sed '/^[^#]/,$d' >"$scratch/in.tsv"
	printf '%s\n' "$@" | tr ' ' '\t' >>"$scratch/in.tsv"
	draws "$by_hand_kind by hand" "$by_hand_kind" -i "$scratch/in.tsv" -o "$scratch/out.svg"
	texts
}

# changes KIND COUNT: other data gives another picture, the same data the same.
changes() {
	for changes_seed in 1 1 2; do
		made "$1" "$2" "$changes_seed" >"$scratch/in.tsv"
		[ ! -e "$scratch/now.svg" ] || mv "$scratch/now.svg" "$scratch/before.svg"
		# shellcheck disable=SC2046 # an option or nothing
		run "$1" $(input_of "$1") "$scratch/in.tsv" -o "$scratch/now.svg"
		[ "$changes_seed" = 1 ] || break
		[ ! -e "$scratch/before.svg" ] ||
			ok "$1: the same data gives the same picture" \
				same "$scratch/before.svg" "$scratch/now.svg"
	done
	ok "$1: other data gives another picture" not same "$scratch/before.svg" "$scratch/now.svg"
	rm -f "$scratch/before.svg" "$scratch/now.svg"
}

for counters in 1 10; do
	picture noise $counters
	has $counters '^made-counter.*precision [0-9]*$' "noise: a panel for each counter"
	has $counters '^difference (\(cycles\|ticks\)[,)]' "noise: each panel names the unit"
	has $counters '^occurrences$' "noise: each panel says what is counted"
done
is "noise: the title" "$(look title "$scratch/out.svg")" \
	"Noise: differences of adjacent counts on Made CPU (R) 7 @ 2.10GHz"
ok "noise: the description has each counter" \
	sh -c "$picture_check desc '$scratch/out.svg' |
		grep -q 'made-counter10: usually 720 cycles, prec'"
columns='counter class precision_cycles difference_cycles occurrences'
by_hand noise "$columns" 'a on-core 26 24 5' 'a on-core 26 26 900' 'a on-core 26 28 7'
is "noise: a bar for each difference" "$(look count "$scratch/out.svg" polygon)" 3
# The line of the precision has the dashes.
is "noise: a bar stands around its difference, half as wide as from one to the next" "$(awk '
	/<polygon/ { sub(/.*points=./, ""); split($0, p, /[ ,]/); from[++n] = p[1]; to[n] = p[3] }
	/stroke-dasharray=.8\.0,4\.0/ { sub(/.* d=.M/, ""); split($0, p, ","); line = p[1] }
	END {
		for (i = 1; i <= n; i++) {
			bars = ((from[i] + to[i]) / 2 - line) / (to[i] - from[i])
			printf "%d ", int(10 * bars + 100.5) - 100
		}
	}' "$scratch/out.svg")" "-20 0 20 "
has 1 '^1k$' "noise: counts that differ much have a log scale"
has 0 'log scale' "noise: differences that are close have none"
by_hand noise "$columns" 'a on-core unknown 24 5' 'a on-core unknown 100000 9'
has 1 'precision unknown' "noise: an unknown precision"
has 1 'log scale' "noise: differences that are far apart have a log scale"
# numbers TEXT: the numbers at the axes, in the order of the picture.
numbers() {
	is "$1" "$(grep -x -e '-*[0-9.]*[kMGTPm]*' "$scratch/texts" | tr '\n' ' ')" "$2"
}
by_hand noise "$columns" 'a on-core 24 24 4096'
numbers "noise: the numbers at the axes are few, and differ" "0 2k 4k 23 24 25 "
by_hand noise "$columns" 'a on-core 24 24 4'
numbers "noise: there are no halves of an occurrence" "0 2 4 23 24 25 "
by_hand noise "$columns" 'a on-core 100 -1200 9' 'a on-core 100 10 9' 'a on-core 100 30000 9'
numbers "noise: a wide range has room for its numbers" "0 5 -100 0 100 10k "
by_hand noise "$columns" 'a on-core 24 24 9' 'a on-core 24 4e14 9'
numbers "noise: large differences have numbers" "0 5 1k 1M 1G 1T 1P "
by_hand noise "$columns" 'a on-core unknown 1000000 9' 'a on-core unknown 1000050 9'
numbers "noise: long numbers are few, and whole" "0 5 1000000 1000020 1000040 "
long=abcdefghijabcdefghijabcdefghijabcdefghij
by_hand noise "$columns" "$long $long unknown 24 9"
ok "noise: a long name is shortened" sh -c \
	"grep 'precision unknown' '$scratch/texts' | awk '{ exit length > 56 }'"

picture skew 1
has 1 'one CPU' "skew: one CPU is a sentence"
for cpus in 2 16; do
	picture skew $cpus
	is "skew of $cpus: two maps, later CPUs are ahead" \
		"$(look cells "$scratch/out.svg" | sed -n 1p)" \
		"$cpus $cpus warm white white cold cold"
done
has 2 '^CPU$' "skew: the axes"
has 1 '^bound of the offset (ns)$' "skew: the unit"
ok "skew: the title has the largest skew" grep -q '^at most .* ns, CPU [0-9]* to CPU' \
	"$scratch/texts"
picture skew 512
is "skew of 512: cells cover several CPUs" "$(look cells "$scratch/out.svg" | cut -d' ' -f1-3,6)" \
	"128 128 warm cold
128 128 dark dark"
ok "skew of 512: the file is small" test "$(wc -c <"$scratch/out.svg")" -lt 150000
columns='cpu other_cpu offset_ns bound_ns rounds'
by_hand skew "$columns" '3 40 5e6 100 9' '3 7 -10 5 9'
has 2 '^+5000$\|^-5000$' "skew: few cells have numbers, in a unit that fits"
has 1 'at most 5000 us, CPU 3 to CPU 40' "skew: the worst pair"
is "skew: a pair that was not measured is grey" "$(look cells "$scratch/out.svg" | sed -n 1p)" \
	"3 3 warm white white cold white"

picture skew 3 busy
is "skew: pairs that were not measured are grey" \
	"$(look cells "$scratch/out.svg" | cut -d' ' -f1-6)" "3 3 grey white white grey
3 3 grey white white grey"
tells "skew: how many pairs were not measured" 'Not measured: 2 of 3 pairs.'
tells "skew: another counter than the one in use" 'Compared: made-clock; in use: made-counter1.'
has 1 '^compared: made-clock; in use: made-counter1;' "skew: the picture says that, too"
by_hand skew "$columns" '0 1 unknown unknown 0' '0 2 unknown unknown 0' '1 2 unknown unknown 0'
has 1 '^Not measured: 3 of 3 pairs' "skew: no pair was measured: a sentence"
by_hand skew "$columns" '0 1 0.2 290 9' '0 2 -0.2 290 9' '1 2 0.1 200 9'
is "skew: an offset far below its bound has no colour" \
	"$(look cells "$scratch/out.svg" | sed -n 1p)" "3 3 white white white white white"

for counters in 1 10; do
	picture drift $counters
	has $counters '^made-counter.*:' "drift: a panel for each counter"
	has $counters 'last .* ppm' "drift: and its residual"
	has $counters '^time (s)$' "drift: the time's unit"
	has $counters '^residual (ppm)$' "drift: the residual's unit"
done
columns='counter seconds residual_ppm bound_ppm'
by_hand drift "$columns" 'a 0.1 2 3' 'a 0.2 1 3' 'a 0.3 1.25 3'
has 1 '^a: last +1.25 ppm, bound 3$' "drift: the last residual, and the bound"
# The points, and one that gnuplot defines the filled circle by.
is "drift: a point for each row" "$(grep -c "<use .*gpPt6' transform" "$scratch/out.svg")" 3
# heights: of the band's borders and of the points, in percent of the reach.
heights() {
	awk '
	/<polygon/ { sub(/.*points=./, ""); split($0, p, /[ ,]/); y[++n] = p[2]; y[++n] = p[6] }
	/<path.* d=.M[0-9.]*,[0-9.]* L[0-9.]*,[0-9.]* L[0-9.]*,[0-9.]* M/ {
		frame = $0
		sub(/.* d=.M/, "", frame)
		split(frame, p, /[ ,]/)
		top = p[2]
		bottom = p[4]
	}
	/scale\(2.25\)/ { sub(/.*translate\(/, ""); split($0, p, /[,)]/); y[++n] = p[2] }
	END {
		for (i = 1; i <= n; i++)
			printf "%.0f ", 100 * (bottom + top - 2 * y[i]) / (bottom - top)
	}' "$scratch/out.svg"
}
by_hand drift "$columns" 'a 1 2 4' 'a 2 -4 4' 'a 3 4 4'
is "drift: the band and the points lie at their heights" "$(heights)" "-80 80 40 -80 80 "
by_hand drift "$columns" 'a 0.1 unknown unknown' 'b 1 unknown 2'
has 2 'no stated rate' "drift: unknown residuals"
picture drift 3 busy
for counter in core kernel; do
	tells "drift: a counter without a rate: $counter" "made-counter-of-$counter"
done
has 1 '^made-counter1 (in use):$' "drift: the counter in use"
has 1 '^last .* ppm from its first rate$' "drift: it has no stated rate"
tells "drift: a counter that was lost" 'the kernel took from the process: made-counter1.'
has 1 'no bound is stated' "drift: without a bound there is no band"
for count in 5 10 20; do
	i=0
	set --
	while [ $((i += 1)) -le $count ]; do
		# The last tenth, or the last one.
		[ $((10 * i)) -gt $((9 * count)) ] && ppm=900 || ppm=1
		set -- "$@" "a $i $ppm 5"
	done
	by_hand drift 'counter seconds residual_ppm bound_ppm' "$@"
	has 0 'out of view' "drift: the last tenth of $count readings is in view"
	has 1 '^1000$' "drift: so is the last of $count"
done

for kinds in 1 8; do
	picture frequency $kinds
	has $kinds '^core: .*GHz$' "frequency: each kind is in the legend"
	has 1 '^frequency (GHz)$' "frequency: the unit"
	has 1 '^persecond, 2.1 GHz$' "frequency: persecond"
	has 1 '^stated rate of the counter, 2.096 GHz$' "frequency: the stated rate"
	has 1 '^rate of made-counter1' "frequency: the counter's rate"
done
by_hand frequency 'kind cpu seconds core_hz counter_hz' 'any 0 0.01 3e9 unknown' \
	'any 0 0.02 3e9 unknown'
has 1 '^core: CPU 0, mean 3 GHz$' "frequency: one kind"
has 0 '^rate of' "frequency: what is unknown is not in the legend"
picture frequency 3 busy
has 1 '^core: capacity 1024, no fixed CPU' "frequency: a core that is not known"
tells "frequency: a witness that was lost" \
	'Core: counted by made-witness, then by the time of instructions.'
tells "frequency: a kind that was not measured" 'Not measured: capacity 341'

# Equal rates are seen beside one another: the first is wide, the last thin and dashed.
made frequency 1 | sed -e '/^any/d' -e 's/^\(# [a-z]*_hz\t\).*/\12000000000/' >"$scratch/in.tsv"
printf 'any\t0\t0.0%d\t3000000000\t2000000000\n' 1 2 3 >>"$scratch/in.tsv"
draws "equal rates" frequency -i "$scratch/in.tsv" -o "$scratch/out.svg"
is "frequency: equal rates are seen beside one another" "$(awk '
	/stroke-width="/ { split($0, part, /stroke-width="|" stroke-linecap/); width = part[2] }
	/<text>/ { name = $1; gsub(/.*>|,$/, "", name) }
	/^<path/ && name ~ /^(rate|stated|persecond)$/ {
		printf "%s %s%s;", name, width, /dasharray/ ? " dashed" : ""
		name = ""
	}' "$scratch/out.svg")" "rate 7.00;stated 3.50;persecond 1.50 dashed;"

for cpus in 1 8; do
	picture gaps $cpus
	has $cpus '^CPU [0-7]: 100 gaps, 20.4 % of the time, longest 4 ms$' "gaps: each CPU"
	has $cpus '^gap (us, log scale)$' "gaps: the unit"
	has 0 'not drawn' "gaps: all CPUs are there"
done
picture gaps 9
has 1 'the other 1 CPUs are not drawn' "gaps: no more than eight CPUs"
by_hand gaps 'cpu seconds gap_ns' '3 1 5000'
has 1 '^CPU 3: 1 gap, longest 5 us$' "gaps: no time is known of which they are a part"

for functions in 1 8; do
	picture samples $functions
	has $functions '([0-9.]* to [0-9.]*)$' "samples: each function has a median and an interval"
	has $((functions - 1)) '^+[0-9]* % (+[0-9]* to +[0-9]* %), slower$' \
		"samples: each comparison has its verdict"
	# Two axes for each panel, of at most 7 functions.
	has $((functions > 7 ? 4 : 2)) '^cycles per call$' "samples: the unit"
done
# Of 9 samples the 2nd and the 8th enclose the median in 96 of 100 runs.
{
	printf 'process\tround\tfunction\tns_per_call\n'
	for i in 7 3 9 1 5 8 2 6 4; do printf "0\t$i\tf\t$i\n"; done
	for i in 1 2 3 4 5; do printf "1\t$i\tg\t$i\n"; done
} >"$scratch/in.tsv"
draws "samples by hand" samples "$scratch/in.tsv" -o "$scratch/out.svg"
texts
has 1 '^f: 5 (2 to 8)$' "samples: the interval of a median"
has 1 '^g: 3 (no interval)$' "samples: too few samples for an interval"
{
	printf 'process\tround\tfunction\tcycles_per_call\n'
	for i in 1 2 3 4 5 6 7 8; do
		printf "0\t$i\tlib/made/libc.so.6:getppid (2)\t120$i.5\n"
		printf "0\t$i\tlibc.so.6:sched_yield\t4000$i\n"
	done
} >"$scratch/in.tsv"
draws "samples that differ much" samples "$scratch/in.tsv" -o "$scratch/out.svg"
texts
has 2 '^2k$' "samples: a log scale has numbers between the powers of ten"
has 2 '^20k$' "samples: and so has its end"
has 1 '^lib/made/libc.so.6:getppid (2):$' "samples: a long name is whole"
has 1 '^1205 (1201.5 to 1208.5)$' "samples: its figures are below it"
for pair in '100000000.1 100000000.2' '999999999999998 999999999999999'; do
	{
		printf 'process\tround\tfunction\tcycles_per_call\n'
		# shellcheck disable=SC2086 # two numbers
		printf '0\t1\tf\t%s\n' $pair
	} >"$scratch/in.tsv"
	draws "samples: $pair" samples "$scratch/in.tsv" -o "$scratch/out.svg"
	texts
	has 1 "^f: ${pair% *}.*5 (no interval)$" "samples: $pair: the median"
	# shellcheck disable=SC2086 # two numbers
	{ made noise 1 | sed '/^[a-z]/q'; printf 'a\ton-core\tunknown\t%s\t5\n' $pair; } \
		>"$scratch/in.tsv"
	draws "noise: $pair" noise -i "$scratch/in.tsv" -o "$scratch/out.svg"
done
made samples 7 >"$scratch/in.tsv"
draws "samples of 7" samples "$scratch/in.tsv" -o "$scratch/out.svg"
grep -o "stroke='rgb([^)]*)'[^>]*d='M8[.0-9]*,[^>]*" "$scratch/out.svg" |
	sed "s/ *d='M.*//" >"$scratch/pieces"
is "samples: a piece of line before each name" "$(lines "$scratch/pieces")" 7
is "samples: no two have the same colour and dashes" "$(sort "$scratch/pieces" | uniq -d)" ""
# The dashes of a line that is 2.5 wide.
ok "samples: an interval has the dashes of its histogram" \
	grep -q "stroke-dasharray='10.0,5.0'" "$scratch/out.svg"

for functions in 1 14; do
	picture sizes $functions
	has $functions '^libmade.so:copy[0-9]*: [0-9.]* at 64K$' "sizes: each function has a name"
	has 1 '^cycles per byte' "sizes: the unit"
	has 1 '^4K$' "sizes: powers of 2"
done
grep -o "stroke='rgb([^)]*)'[^>]*d='M8[.0-9]*,[^>]*" "$scratch/out.svg" |
	sed "s/ *d='M.*//" >"$scratch/pieces"
is "sizes: a piece of line before each name" "$(lines "$scratch/pieces")" 14
is "sizes: no two have the same colour and dashes" "$(sort "$scratch/pieces" | uniq -d)" ""

for functions in 1 14; do
	picture layouts $functions
	has $((functions - 1)) '^[^ ]*.*: +[0-9.]* % (+[0-9.]* to +[0-9.]* %), slower$' \
		"layouts: each comparison has its verdict"
	has $((functions - 1)) '^longer (%)$' "layouts: and its axis"
	has 1 '^of the median (%)$' "layouts: one panel of places"
	has 1 '^begin of the code in 64 bytes$' "layouts: it has its axis"
	has $functions ': [0-9.]* cycles$' "layouts: each function has a name"
done
tells "layouts: the description has the verdicts" \
	'How many percent longer than memcpy: libmade.so:copy2: +2 % (+1.5 to +2.5 %), slower'
# The circles, and one that gnuplot defines them by; squares from the 8th function on. The picture
# says how many dots are not in it.
outside=$(sed -n 's/.*\. \([0-9]*\) dots\{0,1\} lies\{0,1\} outside.*/\1/p' "$scratch/out.svg" |
	head -n 1)
circles=$(grep -c "<use .*gpPt6'" "$scratch/out.svg")
is "layouts: a dot for each whole unit and each layout, but those outside" \
	"$((circles + ${outside:-0})) $(grep -c "<use .*gpPt4'" "$scratch/out.svg")" \
	"$((13 * 10 + 7 * 42 + 7 + 1)) $((7 * 42 + 7))"
ok "layouts: few dots are outside" test "${outside:-0}" -le 5
# One pattern of dashes is that of 0; grids have dots.
is "layouts: each comparison has the band of its interval, and 0 as a dashed line" \
	"$(look count "$scratch/out.svg" polygon) $(grep -c "stroke-dasharray='6.0,3.0'" \
		"$scratch/out.svg")" "13 13"
{
	printf '# samples\tlayouts\n# unit_processes\t1\n'
	printf '# verdict\tcannot-tell 3 unknown unknown 2 g\n'
	printf 'unit\tprocess\tfunction\tplace_bytes\tns_per_call\tlonger_percent\n'
	for i in 0 1; do
		printf "$i\t$i\tf\t\t10\t\n$i\t$i\tg\t\t11\t$i.5\n"
	done
} >"$scratch/in.tsv"
draws "layouts of shared objects" layouts "$scratch/in.tsv" -o "$scratch/out.svg"
texts
has 1 '^process$' "layouts of shared objects: a dot is a process"
has 0 '64 bytes' "layouts of shared objects: there are no places"
has 1 '^g: +3 %, cannot tell$' "layouts of shared objects: no interval"
is "layouts of shared objects: without an interval there is no band" \
	"$(look count "$scratch/out.svg" polygon)" 0

picture leak 9
has 1 '^./made.so:check: leaks$' "leak: the verdict is the title"
has 2 '^group [01]: 400 times' "leak: both groups have a name"
has 1 '^ticks per call$' "leak: the unit of the times"
has 1 '^difference (ticks)$' "leak: and of the differences"
has 1 '^decile (%)$' "leak: they have deciles"
has 1 '^above the quantile of 99 %: 1 % of the calls of$' "leak: slow calls"
has 1 '^group 0, difference +0.2 % (-0.1 to +0.5)$' "leak: and their difference"
tells "leak: the description has the differences" '+9 ticks (+8.5 to +9.1) at 10 %, +9 ticks'
# A dot for each decile, and one that gnuplot defines them by. One pattern of dashes is that of 0,
# and another that of group 1: its line and the piece of it before its name.
is "leak: group 1 in dashes, a dot for each decile, and 0 as a dashed line" \
	"$(grep -c "stroke-dasharray='8.0,4.0'" "$scratch/out.svg") \
$(grep -c "<use .*gpPt6'" "$scratch/out.svg") \
$(grep -c "stroke-dasharray='6.0,3.0'" "$scratch/out.svg")" "2 10 1"
picture leak 9 busy
has 1 '^check: no verdict$' "leak: no verdict, in the second line of the title"
# y_of TEXT: the place of the line that begins with this text.
y_of() {
	awk -v text="<text>$1" '
		/translate\(/ { y = $0; sub(/.*translate\([^,]*,/, "", y) }
		index($0, text) { print int(y); exit }' "$scratch/out.svg"
}
ok "leak: the line below keeps off a title of two lines" \
	test $(($(y_of 'equal inputs') - $(y_of 'check:'))) -ge 18
has 1 '^equal inputs differ' "leak: its reason"
is "leak: what is unknown has no dot" "$(grep -c "<use .*gpPt6'" "$scratch/out.svg")" 1

# Lines that end as on Windows
for kind in noise skew drift frequency gaps samples sizes layouts leak; do
	on=$(input_of $kind)
	made $kind 2 >"$scratch/in.tsv"
	awk '{ printf "%s\r\n", $0 }' "$scratch/in.tsv" >"$scratch/windows.tsv"
	draws "$kind" $kind $on "$scratch/in.tsv" -o "$scratch/out.svg"
	draws "$kind with CRLF" $kind $on "$scratch/windows.tsv" -o "$scratch/windows.svg"
	ok "$kind with CRLF: the same picture" same "$scratch/out.svg" "$scratch/windows.svg"
done

for kind in noise skew drift frequency gaps; do
	made $kind 2 | sed '/^[a-z]/q' >"$scratch/in.tsv"
	draws "$kind without rows" $kind -i "$scratch/in.tsv" -o "$scratch/out.svg"
	ok "$kind without rows: a document of XML" texts
	has 1 '^Th\|^No ' "$kind without rows: a sentence"
	changes $kind 4
done
changes samples 3
changes sizes 3
changes layouts 3
changes leak 3

made skew 16 >"$scratch/in.tsv"
draws "a PNG" skew -i "$scratch/in.tsv" -o "$scratch/out.png"
ok "a PNG: its size, and many colours" sh -c \
	"$picture_check png '$scratch/out.png' |
		awk '{ exit !(\$1 == 880 && \$2 > 1400 && \$3 > 40) }'"

# Without -o on a terminal
command -v script >/dev/null || { skip "a terminal" "script is not installed"; exit 0; }
# on_screen KIND COUNT COLUMNS: the picture of made data is in out, its lines are joined in words.
on_screen() {
	made "$1" "$2" >"$scratch/in.tsv"
	set -- "$1" "$3" "$(input_of "$1")"
	script -q -e -c "stty cols $2 rows 24; '$plot' $1 $3 '$scratch/in.tsv'" /dev/null \
		>"$scratch/raw" </dev/null
	screen_status=$?
	tr -d '\r' <"$scratch/raw" >"$scratch/out"
	tr -s '\n ' '  ' <"$scratch/out" >"$scratch/words"
}
# shown TEXT: it is there as a whole, or broken between words.
shown() { ok "$where: shows $1" grep -q -F -e "$1" "$scratch/words"; }

for columns in 80 40; do
	for kind in noise skew drift frequency gaps samples sizes layouts leak; do
		where="$kind on a terminal of $columns"
		on_screen $kind 2 $columns
		is "$where" "$screen_status" 0
		ok "$where: as wide as that" awk -v columns=$columns \
			'length > columns { wide = 1 } END { exit wide || NR < 20 }' "$scratch/out"
		# Axes are of + - | and numbers.
		ok "$where: several columns of the data are drawn" awk '
			/\|/ { sub(/^[^|]*\|/, ""); gsub(/[^*#$AB]/, ""); drawn += length }
			END { exit drawn < 10 }' "$scratch/out"
		not_said=$(grep -c 'cpucycles-plot' "$scratch/out")
		is "$where: says nothing else" "$not_said" 0
		case $kind in
		noise)
			shown "Noise: differences of adjacent counts on Made CPU (R) 7 @ 2.10GHz"
			shown "up: occurrences"
			shown "made-counter2 (off-core): precision 48"
			shown "difference (cycles, log scale)" ;;
		drift) shown "up: residual (ppm)" ;;
		frequency) shown "up: frequency (GHz)" ;;
		gaps) shown "CPU 1: 100 gaps, 20.4 % of the time" ;;
		samples)
			shown "up: samples (%)"
			shown "* memcpy: 105."
			shown "# libmade.so:copy2: 1"
			shown "; +6 % (+5 to +7 %), slower"
			shown "cycles per call" ;;
		sizes)
			shown "up: cycles per byte"
			shown "A libmade.so:copy1: "
			shown "size (bytes, log scale)" ;;
		layouts)
			shown "libmade.so:copy2: +2 % (+1.5 to +2.5 %), slower"
			shown "up: percent longer than memcpy"
			shown "A memcpy: "
			shown "up: percent of the median"
			shown "begin of the code in 64 bytes" ;;
		leak)
			shown "./made.so:check: leaks"
			shown "* group 0: 400 times"
			shown "# group 1: 400 times"
			shown "up: calls (%)"
			shown "ticks per call"
			shown "up: how many ticks more group 1 takes, with its interval"
			shown "decile (%)"
			shown "calls of group 0, difference +0.2 % (-0.1 to +0.5)" ;;
		esac
	done
done
on_screen samples 8 80
where="samples of 8 on a terminal"
shown " of 3200 samples lie outside"
is "$where: each mark stands for one function of a panel" \
	"$(grep '^[^ ] .*: [0-9.]* (' "$scratch/out" | cut -c 1 | tr -d '\n')" '*#$%*#$%'

# The last label of the axis belongs to CPU 384 of 512: it stands right of the middle.
made skew 512 >"$scratch/in.tsv"
script -q -e -c "stty cols 70 rows 30; '$plot' skew -i '$scratch/in.tsv'" /dev/null \
	>"$scratch/out" </dev/null
ok "skew of 512 on a terminal: labels stand below their CPUs" \
	awk '/ 0 .* 128 .* 256 .* 384/ { good = index($0, "384") > 45 } END { exit !good }' \
	"$scratch/out"

# What takes over a second says what it does, where somebody looks: drawing much data, and taking
# samples.
made_info
on_terminal() {
	script -q -e -c "'$plot' $*" /dev/null >"$scratch/seen" </dev/null
}
made skew 512 >"$scratch/many.tsv"
on_terminal skew -i "'$scratch/many.tsv'" -o "'$scratch/many.svg'"
is "much data: a line says what it does" "$(tr -d '\r' <"$scratch/seen")" \
	"cpucycles-plot: drawing skew"
made skew 2 >"$scratch/few.tsv"
on_terminal skew -i "'$scratch/few.tsv'" -o "'$scratch/few.svg'"
is "little data: it says nothing" "$(cat "$scratch/seen")" ""
on_terminal skew -o "'$scratch/few.svg'"
is "samples: a line says what it does" "$(tr -d '\r' <"$scratch/seen")" \
	"cpucycles-plot: taking samples of skew"
