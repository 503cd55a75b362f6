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

# run OPTION...: of the rows that are not asked for, none is measured. Output in $scratch/out and
# $scratch/err, exit status in $status.
run() {
	status=0
	timeout 600 "$verdicts" --same 0 --tries 0 --short 0 --tool 0 --linked 0 --gate 0 \
		--google 0 "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
}
# section: the part of bench/README.md on this program.
section() { sed -n '/^## Verdicts$/,/^## Noise$/p' "$readme"; }
# rows: the names of the printed rows, without the heads.
rows() {
	grep -v -e '^$' -e '^the same code ' -e '^different code ' -e '^    ' "$scratch/out" |
		sed 's/  .*//'
}
# drawn: the pairs that were compared, without the answers.
drawn() { sed 's/: .*//' "$scratch/err"; }

# A row each. A row that cannot be measured here has its name, too.
run --same 4 --tries 1 --short 1 --tool 1 --linked 1 --gate 1 --google 1
is "it measures" "$status" 0
is "bench/README.md explains every row" \
	"$(section | sed -n 's/^| `\(.*\)` | .*/\1/p')" "$(rows)"
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

# The functions.
if command -v nm >/dev/null && [ -e "$top_builddir/bench/alike.so" ]; then
	nm -S "$top_builddir/bench/alike.so" >"$scratch/names"
	for kind in chain walk crc search; do
		is "four copies of $kind, of one size" \
			"$(awk -v name="^${kind}_[0-3]$" '$4 ~ name { print $2 }' "$scratch/names" |
				uniq -c | awk '{ print $1 }')" 4
	done
else
	skip "the copies' sizes" "nm is missing, or bench/alike.so is not built"
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
