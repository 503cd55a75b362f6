#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Recorded machines get their recorded counter, recorded rates give their recorded scaling, and a
# bad table is refused with the number of its line.

. "$top_srcdir/tests/harness/tap.sh"
replay=$top_builddir/tests/lib/replay
machines=$top_srcdir/tests/data/machines.tsv
scalings=$top_srcdir/tests/data/scaling.tsv
tab=$(printf '\t')

"$replay" "$machines" >"$scratch/chosen" || echo "status $?" >>"$scratch/chosen"
is "as many machines as recorded" "$(grep -c . "$scratch/chosen")" \
	"$(grep -v '^#' "$machines" | cut -f1 | uniq | grep -c .)"
for machine in $(grep -v '^#' "$machines" | cut -f1 | uniq); do
	is "$machine" "$(grep "^$machine$tab" "$scratch/chosen" | cut -f2)" \
		"$(grep "^$machine$tab" "$machines" | head -n 1 | cut -f4)"
done

"$replay" --scaling "$scalings" >"$scratch/scaled" || echo "status $?" >>"$scratch/scaled"
grep -v '^#' "$scalings" | cut -f1-3 >"$scratch/expected"
while read -r hz persecond scaling; do
	is "$hz in $persecond" \
		"$(grep "^$hz$tab$persecond$tab" "$scratch/scaled" | cut -f3)" "$scaling"
done <"$scratch/expected"

# rows FORMAT...: write a table with printf.
rows() {
	printf "$@" >"$scratch/table"
}
scaled() {
	rows "$1\t$2\n"
	"$replay" --scaling "$scratch/table" 2>&1
}
is "a scaling in sixteenths" "$(scaled 16000000 53000000)" "16000000${tab}53000000${tab}3.3125"
is "a scaling in 1,024ths" "$(scaled 1024000000 3413000000)" \
	"1024000000${tab}3413000000${tab}3.3330078125"
is "a counter of 1 GHz at 2.66 GHz" "$(scaled 1000000000 2660000000)" \
	"1000000000${tab}2660000000${tab}2.65625"
is "two thirds at 1 GHz are out" "$(scaled 1000000000 2666666667)" \
	"1000000000${tab}2666666667${tab}out"
is "a third is out" "$(scaled 3000000 10000000)" "3000000${tab}10000000${tab}out"
is "scaled to nothing is out" "$(scaled 100000000 1000000)" "100000000${tab}1000000${tab}out"
is "hundreds keep their zeros" "$(scaled 1000000 400000000)" "1000000${tab}400000000${tab}400"

row='m\tc\t1000\tx\t%s\t%s\t1\t0\n'
rows "$row$row$row" first 150 second 120 third 120
is "the earlier on a tie" "$("$replay" "$scratch/table")" "m${tab}second"
rows "$row$row" first 0 default-zero 0
is "nothing works" "$("$replay" "$scratch/table")" "m${tab}default-zero"
rows "$row$row" default-zero 1 last 3000
is "default-zero only when nothing else works" "$("$replay" "$scratch/table")" "m${tab}last"
rows '# only\n\n# comments\n'
is "an empty table" "$("$replay" "$scratch/table"; echo $?)" 0
rows "$row" only 150
printf 'n\tc\t1\tx\tlast\t9\t1\t0' >>"$scratch/table"
is "a last line without its end" "$("$replay" "$scratch/table")" "m${tab}only
n${tab}last"

# bad NAME "STATUS MESSAGE" ARGUMENTS...: replay refuses these arguments.
bad() {
	bad_name=$1 bad_form=$2
	shift 2
	"$replay" "$@" >"$scratch/out" 2>"$scratch/err"
	is "$bad_name" "$? $(sed "s|$scratch/||" "$scratch/err")" "$bad_form"
}
fields='8 fields: machine cpu persecond chosen counter precision scaling only32'
rows "# comment\n$row" only many
bad "precision is no number" "1 replay: table:2: expected a whole number as precision" \
	"$scratch/table"
rows "$row" only -1
bad "precision is negative" "1 replay: table:1: expected a whole number as precision" \
	"$scratch/table"
rows "$row" only 99999999999999999999
bad "precision is too large" "1 replay: table:1: expected a whole number as precision" \
	"$scratch/table"
rows "$row" only 1.5
bad "precision is a fraction" "1 replay: table:1: expected a whole number as precision" \
	"$scratch/table"
rows 'm\tc\t1000\n'
bad "too few fields" "1 replay: table:1: expected $fields" "$scratch/table"
rows 'm\tc\t1000\tx\ty\t1\t1\t0\tmore\n'
bad "too many fields" "1 replay: table:1: expected $fields" "$scratch/table"
rows '\tc\t1000\tx\ty\t1\t1\t0\n'
bad "no machine" "1 replay: table:1: expected a machine's name of 1 to 127 bytes" "$scratch/table"
rows 'fast\t1000000\n'
bad "hz is no number" "1 replay: table:1: expected hz from 1000 to 100000000000" --scaling \
	"$scratch/table"
rows '0\t1000000\n'
bad "hz is zero" "1 replay: table:1: expected hz from 1000 to 100000000000" --scaling \
	"$scratch/table"
rows '1000000\tinf\n'
bad "persecond is inf" "1 replay: table:1: expected persecond from 1000 to 100000000000" \
	--scaling "$scratch/table"
rows '1000000\n'
bad "no persecond" "1 replay: table:1: expected hz and persecond, separated by a tab" \
	--scaling "$scratch/table"
rows '%02000d\n' 0
bad "an endless line" "1 replay: table:1: expected a line of less than 1023 bytes" "$scratch/table"
bad "no such file" "1 replay: nothing: No such file or directory" "$scratch/nothing"
bad "no arguments" "2 usage: replay [--scaling] FILE"
bad "an unknown option" "2 usage: replay [--scaling] FILE" --what "$scratch/table"
bad "no file" "2 usage: replay [--scaling] FILE" --scaling
