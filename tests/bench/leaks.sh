#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# bench/leaks runs, its functions compute what they should, and bench/README.md has its rows and its
# options. How often it finds a leak depends on the machine, and is not tested here.

. "$top_srcdir/tests/harness/tap.sh"

leaks=$top_builddir/bench/leaks
readme=$top_srcdir/bench/README.md

[ -x "$leaks" ] || skip_all "bench/leaks is not built for this machine"

run() { capture timeout 600 "$leaks" "$@"; }
# section: the part of bench/README.md on this program.
section() { sed -n '/^## Leaks$/,/^## Noise$/p' "$readme"; }
# counted: the rows, as name, tests and the counts of all four verdicts.
counted() {
	sed -n -e 's/ *[<>]= *[0-9.]* %//g' \
		-e 's/^\(.*[^ ]\)\(\( *[0-9][0-9]*\)\{5\}\) |.*/\1:\2/p' "$scratch/out"
}

run --alarms 2 --power 1 --known 1 --seconds 0.01
is "it measures" "$status $(cat "$scratch/err")" "0 "
is "bench/README.md explains every row" \
	"$(section | sed -n 's/^| `\(.*\)` | .*/\1/p')" "$(counted | sed 's/:.*//')"
is "each test has one of four verdicts" \
	"$(counted | sed 's/.*://' | awk '$1 != $2 + $3 + $4 + $5 || $1 < 1')" ""
ok "it says which counter measures" grep -q '^counter: [a-z0-9-]*, in steps of ' "$scratch/out"
ok "and the seed" grep -q '^seed 1, 0.01 s each$' "$scratch/out"
"$leaks" --help >"$scratch/help"
is "bench/README.md has its options" \
	"$(section | grep -o -e '--[a-z][a-z]*' | sort -u)" \
	"$(sed -n 's/^  \(--[a-z]*\) .*/\1/p' "$scratch/help" | grep -v -e --help | sort)"

# drawn: what is tested, without what came of it.
drawn() { sed -n 's/^    [a-z ]*: \(.*, seed [0-9]*\), t .*/\1/p' "$scratch/out"; }
run --alarms 3 --power 0 --known 0 --seconds 0.001 --verbose
drawn >"$scratch/first"
is "the same inputs, and functions in turn" "$(sed 's/, seed.*//' "$scratch/first")" \
	"two cycles in 1,000, the same fixed
200 cycles, 1 call in 100, the same fixed
compare, early exit, the same fixed
two cycles in 1,000, the same drawn
200 cycles, 1 call in 100, the same drawn
compare, early exit, the same drawn"
run --alarms 3 --power 0 --known 0 --seconds 0.001 --verbose
is "the same seed draws the same" "$(drawn)" "$(cat "$scratch/first")"
run --alarms 3 --power 0 --known 0 --seconds 0.001 --verbose --seed 2
ok "another seed draws others" [ "$(drawn)" != "$(cat "$scratch/first")" ]

# A child that gives no answer.
run --one 99 0 1 1 0
is "a function that is not there" "$status" 2

# Usage.
run --power x
is "no number" "$status $(cat "$scratch/err")" "2 leaks: x: expected a number from 0 to 1e+06"
run --seed 0
is "no seed" "$status" 2
run --seconds 0
is "no time" "$status" 2
run argument
is "an argument" "$status $(cat "$scratch/err")" "2 leaks: argument: no argument is expected"
run --none
is "an unknown option" "$status" 2
