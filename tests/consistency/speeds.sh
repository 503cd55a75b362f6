#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# doc/evidence/known-speeds.md has every machine of known speed that a test boots, and what was said
# there lies within its bound.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "doc/evidence/known-speeds.md has every machine of known speed, and its figures agree"

page=doc/evidence/known-speeds.md
ok "the page is there" test -s $page

# claimed: the machines of the scripts. rows: the page's rows, with "|" between their cells and
# behind them, with its place.
claimed() {
	cat tests/vm/*.sh |
		awk '/^speeds_run="/ { inside = 1 } inside { print } /"$/ { inside = 0 }' |
		sed 's/^speeds_run=//' | tr -s '" \t' '\n' | sed '/^$/d'
}
rows() {
	grep -n '^| [a-z0-9]*-' "$page" |
		sed -e "s,^\([0-9]*\):| \(.*\) |\$,\2|$page:\1:," -e 's/ | /|/g'
}

ok "tests boot machines of known speed" has_lines "$(claimed)"
is "$page has each of them (else: make check-vm known-speeds)" \
	"$(rows | sed 's/|.*//' | sort -u)" "$(claimed | sort -u)"
is "each row has nine cells, and none is empty" \
	"$(rows | awk -F '|' 'NF != 10 || /\|\|/ { print $NF, $0 }')" ""
is "each error is that of the row's figures" "$(rows | awk -F '|' '
	$4 > 0 { off = ($4 - $3) / $3 * 1e6 - $7; if (off < -1.5 || off > 1.5) print $10, $0 }
	$4 == 0 && $7 != "-" { print $10, $0 }')" ""
is "each figure that has a bound is within it" "$(rows | awk -F '|' '
	$4 > 0 && $6 != "-" {
		off = $4 > $3 ? $4 - $3 : $3 - $4
		inside = off <= $4 * $6 / 1e6 + 1 ? "yes" : "no"
		if (inside != "yes" || $8 != inside) print $10, $0
	}')" ""
is "a figure without a bound is not called right" \
	"$(rows | awk -F '|' '$6 == "-" && $8 == "yes" { print $10, $0 }')" ""
ok "doc/testing.md links to it" grep -qF '(evidence/known-speeds.md)' doc/testing.md
end_lint
