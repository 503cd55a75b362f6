#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# doc/evidence/reliability.md: every row names a test that is there, and says what was tried.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "every row of doc/evidence/reliability.md names a test that is there"

# Place, case, promise, test, tried, failed, reference: a line each, cells parted by tabs.
page=doc/evidence/reliability.md
rows=$(grep -n '^|' $page |
	sed -e "s,^\([0-9]*\):| *,$page:\1:	," -e 's/ *|$//' -e 's/ *| */	/g' |
	grep -vE '^[^	]*	(case	|-)')
ok "there are rows" has_lines "$rows"

# column N: of every row, behind its place.
column() { printf '%s\n' "$rows" | cut -f "1,$1"; }
is "every row has six cells, none empty" \
	"$(printf '%s\n' "$rows" | awk -F '\t' 'NF != 7 || /\t\t/ || /\t$/')" ""
is "every row says how many were tried" "$(column 5 | grep -vE '	[1-9][0-9,]*( |$)')" ""
is "none failed" "$(column 6 | grep -v '	0$')" ""

# Each test's name stands in `...`, and behind it, in "...", what to look for in it.
is "every row names a test" "$(column 4 | grep -v '	`tests/')" ""
is "every test is there, and has what the row says" \
	"$(column 4 | while IFS='	' read -r place cell; do
		printf '%s\n' "$cell" | grep -oE '`[^`]*`( "[^"]*")*' | while IFS= read -r pair; do
			test=$(expr "$pair" : '`\([^`]*\)`')
			[ -f "$test" ] || { echo "$place $test"; continue; }
			printf '%s\n' "$pair" | grep -o '"[^"]*"' | tr -d '"' |
				while IFS= read -r name; do
					grep -qF -e "$name" "$test" || echo "$place $test: $name"
				done
		done
	done)" ""
end_lint
