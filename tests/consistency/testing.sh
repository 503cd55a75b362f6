#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# doc/testing.md names every suite of runtests and every folder of tests, and each command that it
# names exists.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

page=doc/testing.md

# list_of VARIABLE: the words of this variable of runtests.
list_of() {
	sed -n "s/^$1=\"\(.*\)\"\$/\1/p" runtests | tr ' ' '\n' | grep -v '^\$' | sort
}
every=$(list_of EVERY_SUITE)
ok "runtests has suites" has_lines "$every"
is "the table has every suite, once" "$(sed -n 's/^| `\([a-z]*\)` |.*/\1/p' "$page" | sort)" \
	"$every"
is "every suite's line has its measured seconds" \
	"$(sed -n '/^| `[a-z]*` |/p' "$page" | grep -vE '\| [0-9]+ \| [0-9]+ \|$')" ""
for suite in $(list_of PEOPLES_SUITES); do
	ok "it names $suite, which people run" grep -q "\`$suite\`" "$page"
done
for folder in tests/*/; do
	ok "it says what is in $folder" grep -q "^|.*\`$folder\`.*|" "$page"
done

# The targets of make that the page names, without files and those of every Automake project.
targets=$(grep -oE '(`|^    )[^`]*make [a-z/-]+' "$page" | sed 's/.*make //' |
	grep -vxE 'check|distcheck|install|.*/.*' | sort -u)
for target in $targets; do
	ok "make $target is there" grep -q "^$target:" bench/Makefile.inc tests/Makefile.inc \
		tests/*/Makefile.inc
done
is "every target that runs tests is named there" \
	"$(sed -n 's/^\(check-[a-z]*\):.*/\1/p' tests/Makefile.inc tests/*/Makefile.inc |
	while read -r target; do
		grep -q "make $target\`" "$page" || echo "$target"
	done)" ""
ok "README links to it" grep -q "$page" README
is "README names no suite that is not there" \
	"$(sed -n 's/^ *\.\/runtests \([a-z-]*\).*/\1/p' README | grep -vx -e all -e "$every")" ""
