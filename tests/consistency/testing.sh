#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# doc/testing.md names every suite of runtests and every folder of tests, and each command that it
# names exists. So does each unit test that tests/cross/suite.sh names. A unit test that is skipped
# says why.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "doc/testing.md and the lists of tests name what is there"

page=doc/testing.md

# list_of VARIABLE: the words of this variable of dev/suites.sh, which may be on several lines.
list_of() {
	awk -v beginning="$1=\"" '
		index($0, beginning) == 1 { inside = 1; $0 = substr($0, length(beginning) + 1) }
		inside { print }
		inside && /"$/ { exit }' dev/suites.sh | tr -s '"\t ' '\n' | sed '/^$/d' | sort
}
every=$(list_of EVERY_SUITE)
ok "dev/suites.sh has suites" has_lines "$every"
is "every suite of the short tier in dev/suites.sh is a suite" \
	"$(list_of CI_SUITES | grep -vx -e "$every")" ""
# In the short tier, clang makes the tree of sanitize.
is "every suite has its parts in the short tier, but for those that only run by night" \
	"$(echo "$every" |
		grep -vx -e clang -e distcheck -e reliability -e "$(list_of CI_SUITES)")" ""
is "the Makefile has a list for each suite of the short tier but gcc, which is whole" \
	"$(for suite in $(list_of CI_SUITES); do
		grep -q "^${suite}_ci_tests = " tests/Makefile.inc tests/*/Makefile.inc ||
			echo "$suite"
	done)" gcc
is "$page has every suite in its table, once" \
	"$(sed -n 's/^| `\([a-z]*\)` |.*/\1/p' "$page" | sort)" "$every"
is "every suite's line has its measured seconds" \
	"$(grep -n '^| `[a-z]*` |' "$page" /dev/null | grep -vE '\| [0-9]+ \| [0-9]+ \|$')" ""
for suite in $(list_of PEOPLES_SUITES); do
	ok "$page names $suite, which people run" grep -q "\`$suite\`" "$page"
done
for folder in tests/*/; do
	ok "$page says what is in $folder" grep -q "^|.*\`$folder\`.*|" "$page"
done

# The targets of make that the page names, without files and those of every Automake project.
targets=$(grep -oE '(`|^    )[^`]*make [a-z/-]+' "$page" | sed 's/.*make //' |
	grep -vxE 'check|distcheck|install|.*/.*' | sort -u)
for target in $targets; do
	ok "$page: make $target is there" grep -q "^$target:" bench/Makefile.inc \
		tests/Makefile.inc tests/*/Makefile.inc
done
is "every target that runs tests is named there" \
	"$(grep -no '^check-[a-z]*:' tests/Makefile.inc tests/*/Makefile.inc |
	while IFS=: read -r file line target rest; do
		grep -q "make $target\`" "$page" || echo "$file:$line: $target"
	done)" ""
ok "README.md links to $page" grep -q "$page" README.md
ci_command=$(sed -n 's/^\(\.\/runtests [a-z]*\) .*/\1/p' .ci/run)
ok "README.md has the command that CI calls" grep -qF "\`${ci_command:-none}\`" README.md
is "README.md names no suite that is not there" \
	"$(grep -o '\./runtests [a-z-]*' README.md | sed 's/.* //' |
		grep -vx -e all -e ci -e near -e "$every" | placed README.md)" ""

# words_added VARIABLE: the words that += adds to it in the folders of tests.
words_added() {
	awk -v variable="$1" '
		$1 == variable && $2 == "+=" { inside = 1; $1 = $2 = "" }
		inside { last = !sub(/\\$/, ""); print }
		last { inside = last = 0 }' tests/*/Makefile.inc | tr -s ' \t' '\n' | sed '/^$/d'
}
suite=tests/cross/suite.sh
alike=$(sed -n '/^[a-z]*="[$a-z/]*test/,/"$/p; /^alike="/,/"$/p' $suite | tr -s '"\t ' '\n' |
	grep -v -e '=$' -e '^$' -e '^[$]bytes$' | sort -u)
ok "$suite has unit tests that are alike" has_lines "$alike"
is "all that are alike in $suite are unit tests" \
	"$(echo "$alike" | grep -vxF "$(words_added unit_tests)" | placed $suite)" ""

packaged=$(sed -n '/^package_tests = /,/[^\\]$/p' tests/Makefile.inc | tr -s '\\\t ' '\n' |
	grep '^tests/')
ok "tests/Makefile.inc has tests for builds of packages" has_lines "$packaged"
is "all of them are there" "$(for test in $packaged; do
	[ -e "$test" ] || [ -e "$test.c" ] || echo "tests/Makefile.inc: $test"
done)" ""

# Only unit.h may call what gives no reason.
header=tests/lib/unit.h
units=$(find tests -name 'test-*.c' -o -name '*.h' ! -path "$header" | sort)
ok "there are unit tests" has_lines "$units"
# shellcheck disable=SC2086 # a list of files
is "unit tests skip by unit_skip" "$(grep -nE '(^|[^_[:alnum:]])_?skip\(' $units)" ""
# shellcheck disable=SC2086
is "the children of unit tests skip by unit_skip_child" \
	"$(grep -nE 'exit\(77\)|77 *<< *8|== *77' $units)" ""
ok "$header has unit_skip" grep ' unit_skip(const' $header
ok "$header has unit_skip_child" grep ' unit_skip_child(const' $header
end_lint
