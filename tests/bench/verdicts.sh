#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# bench/verdicts runs, its counts agree with one another, and bench/README.md has its rows and its
# options. How often a verdict is right depends on the machine, and is not tested here.

. "$top_srcdir/tests/harness/tap.sh"

verdicts=$top_builddir/bench/verdicts
readme=$top_srcdir/bench/README.md
json_get=$top_builddir/tests/utils/json-get

[ -x "$verdicts" ] || skip_all "bench/verdicts is not built for this machine"

# run OPTION...: measure only the rows that the options name.
run() {
	capture timeout 600 "$verdicts" --same 0 --tries 0 --short 0 --tool 0 --linked 0 --gate 0 \
		--google 0 "$@"
}
# section: the part of bench/README.md on this program.
section() { sed -n '/^## Verdicts$/,/^## Leaks$/p' "$readme"; }
# rows: the names of the printed rows, without the heads.
rows() {
	grep -v -e '^$' -e ' tries .* goal$' -e '^    ' "$scratch/out" |
		sed 's/  .*//'
}
# drawn: the pairs that were compared, without the answers.
drawn() { sed 's/: .*//' "$scratch/err"; }

# asked_for: those of these rows that are measured. The short tier leaves out most of the long ones.
asked_for() {
	if [ -z "${TESTS_SHORT-}" ]; then
		cat
	else
		grep -v -e rebuilt -e '404, linked' -e CRC -e elements -e within -e advice
	fi
}

# A row each. A row that cannot be measured here has its name, too.
short="--seconds 1 --straight 1 --within 1 --advice 1 --rebuilds 1"
if [ -n "${TESTS_SHORT-}" ]; then
	short="--seconds 1"
fi
# shellcheck disable=SC2086 # words
run --same 4 --tries 1 --short 1 --tool 1 --linked 1 --gate 1 --google 1 --real 1 $short
is "it measures" "$status" 0
is "bench/README.md explains every row" \
	"$(section | sed -n 's/^| `\(.*\)` | .*/\1/p' | asked_for)" "$(rows)"
# not_measured: the rows that the tool cannot measure after linking.
not_measured() {
	sed -n '/not measured: /{/google/d;s/  .*//;p;}' "$scratch/out"
}
if not_measured | grep -q '^by the tool, linked anew'; then
	skip "the object files have the functions" \
		"$(grep 'not measured' "$scratch/out" | head -n 1)"
else
	is "the object files have the functions" "$(not_measured)" ""
fi
"$verdicts" --help >"$scratch/help"
is "bench/README.md has no other options" \
	"$(section | grep -o -e '--[a-z][a-z]*' | sort -u |
		while IFS= read -r option; do
			grep -q -e "^  $option " "$scratch/help" || echo "$option"
		done)" ""
is "it says of each option whether it is there" \
	"$(sed -n 's/^  \(--[a-z]*\) .*/\1/p' "$scratch/help" |
		while IFS= read -r option; do
			section | grep -q -w -e "$option" || echo "$option"
		done)" "--help"

# What is drawn.
run --same 16 --verbose
is "both orders are equally often" "$(drawn | sort)" \
	"$(drawn | sed 's/^\(.*\), then \(.*\)$/\2, then \1/' | sort)"
is "each kind of function has a quarter" "$(drawn | sed 's/_.*//' | uniq -c | tr -s ' \n' ' ')" \
	" 4 chain 4 walk 4 crc 4 search "
is "no function is compared with itself" "$(drawn | grep '^\(.*\), then \1$')" ""
drawn >"$scratch/first"
run --same 16 --tries 2 --verbose
is "the same seed draws the same, whichever rows there are" "$(drawn | head -n 16)" \
	"$(cat "$scratch/first")"
is "400 and 401 in both orders" "$(drawn | tail -n 2 | sort)" \
	"multiply_400, then multiply_401
multiply_401, then multiply_400"
run --same 16 --verbose --seed 2
ok "another seed draws others" [ "$(drawn)" != "$(cat "$scratch/first")" ]

run --same 16 --tries 2 --row "one process: straight code" --row "400 and 401 multiplications"
is "only these rows" "$(rows)" "one process: straight code
400 and 401 multiplications"
run --row "no such row"
is "a row that is not there" "$status $(cat "$scratch/err")" \
	"2 verdicts: --row no such row: there is no such row"

# How answers are counted. A tool that is not the real one has a verdict if it has $needs seconds,
# in which it makes $makes layouts, and otherwise gives $advice. Its time is $first seconds.
first=20
eighty="about 80 layouts would tell, in about 30 s (-t)."
more="it would take more than 364 layouts, which is the most."
mkdir "$scratch/bench" "$scratch/utils"
cp "$verdicts" "$scratch/bench/verdicts"
cat >"$scratch/utils/cpucycles-measure" <<'END'
#!/bin/sh
time=$first
for word; do
	case $word in
	--time=*) time=${word#--time=} ;;
	--gate=*) echo "{\"plan\":{\"gate\":\"$answer\"}}" && exit ;;
	esac
done
echo "$*" >>"$said"
end="$makes layouts, $needs s."
if [ "${time%.*}" -lt "$needs" ]; then
	answer="cannot tell"
	end="40 layouts. If they are equal, $advice"
fi
cat <<JSON
{"functions":[{},{"figures":{"verdict":{"word":"$answer",
"sentence":"g relative to f: $answer: $end"}}}]}
JSON
END
chmod +x "$scratch/utils/cpucycles-measure"
# counted ROW OPTION ANSWER NEEDS [MAKES ADVICE]: what the table says of the row, behind its name,
# and its notes.
counted() {
	: >"$scratch/said"
	said=$scratch/said answer=$3 needs=$4 makes=${5-} first=$first advice=${6-} \
		"$scratch/bench/verdicts" --same 0 \
		--tries 0 --short 0 --tool 0 --linked 0 --gate 0 --google 0 "$2" 4 \
		--json "$scratch/counted" 2>&1 |
		sed -n "/^$1 /,/^\$/{s/^$1 //;/seconds of/d;p;}" | tr -s ' \n' '  ' |
		sed 's/^ //;s/ $//'
}
# advised NEEDS MAKES [ADVICE]
advised() { counted "advice on real functions" --advice same "$1" "$2" "${3:-$eighty}"; }
notes() { echo "wrong: $1 too little, $2 too much; left out: $3"; }
if grep -q '^#define HAVE_JANSSON' "$top_builddir/config.h"; then
	all_wrong="4 0 4 100.00 % 0 wrong <= 1 %: missed"
	none_right="4 0 0.00 % 4 100.00 % 0 right >= 80 %: missed"
	all_right="4 4 47.28 % 0 52.72 % 0 right >= 80 %: not shown"
	rebuilt="a gate of 1 %, real functions rebuilt"
	branchy="branchy code, same within 5 %"
	is "the same code: a verdict is wrong" \
		"$(counted "real functions, linked anew" --real slower 1)" "$all_wrong"
	is "a gate without alarm" "$(counted "$rebuilt" --rebuilds passed 1)" \
		"4 0 0 52.72 % 4 wrong <= 1 %: not shown"
	is "a gate's alarm" "$(counted "$rebuilt" --rebuilds alarm 1)" "$all_wrong"
	is "one order is right, the other one wrong" \
		"$(counted "walks of 300 and 303 elements, linked anew" --straight slower 1)" \
		"4 2 9.76 % 2 90.24 % 0 right >= 99 %: missed"
	is "same within is right" "$(counted "$branchy" --within same 20)" "$all_right"
	is "its options" "$(grep -c -e '--within=5% --time=20.0$' "$scratch/said") \
$(grep -c -e '--within=1%$' "$scratch/said")" "4 4"
	is "faster is wrong then" "$(counted "$branchy" --within faster 1)" "$none_right"
	first=8
	is "advice: a verdict takes twice as long and as many" "$(advised 60 160)" \
		"$all_right $(notes 0 0 0)"
	is "advice: it takes half" "$(advised 15 40)" "$all_right $(notes 0 0 0)"
	is "the times" \
		"$(grep -o -e '--time=.*' "$scratch/said" | sort | uniq -c | tr -s ' \n' '  ')" \
		" 8 --time=120.0 "
	is "advice: it takes longer" "$(advised 61 80)" "$none_right $(notes 4 0 0)"
	is "advice: there is none" "$(advised 121 80)" "$none_right $(notes 4 0 0)"
	is "advice: it takes more layouts" "$(advised 30 161)" "$none_right $(notes 4 0 0)"
	is "advice: it takes less time" "$(advised 14 80)" "$none_right $(notes 0 4 0)"
	is "advice: it takes fewer layouts" "$(advised 30 39)" "$none_right $(notes 0 4 0)"
	is "advice of more than the most: it takes half of them" "$(advised 90 182 "$more")" \
		"$all_right $(notes 0 0 0)"
	is "it takes fewer" "$(advised 90 181 "$more")" "$none_right $(notes 0 4 0)"
	is "it takes more" "$(advised 101 364 "$more")" "$all_right $(notes 0 0 0)"
	is "so much time it has" "$(grep -c -e '--time=100.0$' "$scratch/said")" 8
	is "advice: it takes fewer layouts, for the JSON" "$(advised 30 39)" \
		"$none_right $(notes 0 4 0)"
	get() { "$json_get" verdicts 0 "$1" <"$scratch/counted"; }
	is "the same in JSON" \
		"$(for key in subject tries wrong too_much left_out; do get "$key"; done | xargs)" \
		"advice 4 4 4 0"
	ok "seconds in JSON" [ "$(get seconds_longest)" != null ]
	is "no advice is needed" "$(advised 8 40)" \
		"0 0 0.00 % 0 100.00 % 0 right >= 80 %: not shown $(notes 0 0 4)"
fi

# The functions.
if command -v nm >/dev/null && [ -e "$top_builddir/bench/alike.so" ] &&
	[ -e "$top_builddir/bench/real-sections.o" ]; then
	nm -S "$top_builddir/bench/alike.so" "$top_builddir/bench/real-sections.o" \
		>"$scratch/names" 2>&1
	for kind in $(sed -n 's/.* T \(.*\)_0$/\1/p' "$scratch/names"); do
		is "four copies of $kind, of one size" \
			"$(awk -v name="^${kind}_[0-3]$" '$4 ~ name { print $2 }' "$scratch/names" |
				uniq -c | awk '{ print $1 }')" 4
	done
	ok "there are 4 and 21 of these" [ "$(grep -c ' T .*_0$' "$scratch/names")" = 25 ]
else
	skip "the copies' sizes" "nm is missing, or what they are in is not built"
fi

# Usage.
run --tries x
is "no number" "$status $(cat "$scratch/err")" \
	"2 verdicts: x: expected a number, at least 0"
run --seed 0
is "no seed" "$status" 2
run argument
is "an argument" "$status $(cat "$scratch/err")" \
	"2 verdicts: argument: no argument is expected"
run --self 1
is "an unknown option" "$status" 2
run --json "$scratch/none/json"
is "JSON that cannot be written" "$status" 1

if ! grep -q '^#define HAVE_JANSSON' "$top_builddir/config.h"; then
	skip "the JSON" "built without jansson"
	exit 0
fi
run --same 8 --tries 2 --tool 2 --json "$scratch/json"
is "it measures, and writes" "$status $(cat "$scratch/err")" "0 "
get() { "$json_get" "$@" <"$scratch/json"; }
is "it has a row for each of the table" "$(get verdicts '#')" "$(rows | wc -l)"
i=0
while [ "$i" -lt "$(get verdicts '#')" ]; do
	row() { get verdicts "$i" "$1"; }
	name=$(row name)
	is "$name: all tries have an answer" "$(($(row right) + $(row wrong) + $(row unknown)))" \
		"$(row tries)"
	is "$name: a verdict is right or wrong" "$(($(row faster) + $(row slower)))" \
		"$(($(row right) + $(row wrong)))"
	ok "$name: it was tried" [ "$(row tries)" -gt 0 ]
	i=$((i + 1))
done
