#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# doc/reliability.md: every row names a test that is there, and says what was tried.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

# Case, promise, test, tried, failed, reference: a line each, cells parted by tabs.
rows=$(sed -n 's/^| *//p' doc/reliability.md | sed -e 's/ *|$//' -e 's/ *| */	/g' |
	grep -vE '^(case	|-)')
ok "there are rows" has_lines "$rows"

column() { printf '%s\n' "$rows" | cut -f "$1"; }
is "every row has six cells, none empty" \
	"$(printf '%s\n' "$rows" | awk -F '\t' 'NF != 6 || /\t\t/ || /\t$/')" ""
is "every row says how many were tried" "$(column 4 | grep -vE '^[1-9][0-9,]*( |$)')" ""
is "none failed" "$(column 5 | grep -vx 0)" ""

# Each test's name stands in `...`, and behind it, in "...", what to look for in it.
is "every row names a test" "$(column 3 | grep -v '^`tests/')" ""
is "every test is there" \
	"$(column 3 | grep -o '`[^`]*`' | tr -d '\`' | sort -u | while read -r test; do
		[ -f "$test" ] || echo "$test"
	done)" ""
is "and has what the row says" \
	"$(column 3 | grep -oE '`[^`]*`( "[^"]*")+' | while IFS= read -r pair; do
		test=$(expr "$pair" : '`\([^`]*\)`')
		printf '%s\n' "$pair" | grep -o '"[^"]*"' | tr -d '"' | while IFS= read -r name; do
			grep -qF -e "$name" "$test" || echo "$test: $name"
		done
	done)" ""
