#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# tests/harness/lint.sh: a script of lint is one point, and no script passes that checks nothing,
# ends early or is wrong in one place.
. "$top_srcdir/tests/harness/tap.sh"

# lint_of: what a script of lint prints that has standard input as its lines.
lint_of() {
	{ echo '. "$top_srcdir/tests/harness/lint.sh"'; cat; } >"$scratch/made.sh"
	(cd "$scratch" && sh made.sh 2>/dev/null)
}
printf 'one\ntwo two\nthree\n' >"$scratch/list"

is "three checks that hold are one point" "$(lint_of <<'END'
begin_lint "all holds"
ok "true is true" true
is "one is one" 1 1
is "no place is wrong" "" ""
end_lint
END
)" "ok 1 - all holds
1..1"

is "no check fails" "$(lint_of <<'END'
begin_lint "nothing"
end_lint
END
)" "not ok 1 - nothing
# made.sh: the script made no check
1..1"

is "no sentence fails" "$(lint_of <<'END'
ok "true is true" true
end_lint
END
)" "not ok 1 - made.sh
# made.sh: the script does not say what it holds together
1..1"

is "one failure of three fails, and has its place" "$(lint_of <<'END'
begin_lint "three"
is "list has these lines" "$(cat list)" "$(printf 'one\ntwo\nthree\n')"
ok "true is true" true
is "one is one" 1 1
end_lint
END
)" "not ok 1 - three
# list:2: got \"two two\", which is not expected: list has these lines
# list: expected \"two\", which is not there: list has these lines
1..1"

is "each failure is shown" "$(lint_of <<'END'
begin_lint "all ways to fail"
is "no a\b is there" "$(printf 'x.c:1: a\\b\ny.c:2: a\\b')" ""
is "list begins with two" one two
is "the words have an order" "$(printf 'a\nb')" "$(printf 'b\na')"
ok "said is nothing" sh -c 'echo "# what it said"; exit 3'
(is "a subshell counts" 1 2)
end_lint
END
)" "not ok 1 - all ways to fail
# x.c:1: a\\b; expected: no a\\b is there
# y.c:2: a\\b; expected: no a\\b is there
# list: got \"one\", expected \"two\": list begins with two
# another order: the words have an order
#   got:      a
#   got:      b
#   expected: b
#   expected: a
# status 3 from: sh -c echo \"# what it said\"; exit 3; expected: said is nothing
#   what it said
# got \"1\", expected \"2\": a subshell counts
1..1"

# ends_early WHAT LINE: a script fails if this line ends it, whatever its status.
echo 'if' >"$scratch/broken.sh"
ends_early() {
	ended=$(printf 'begin_lint "early"\nok "true is true" true\n%s\nend_lint\n' "$2" | lint_of)
	is "$1 fails" "$(echo "$ended" | sed 's/status [1-9][0-9]*/status N/')" \
		"not ok 1 - early
# made.sh: the script ended early, with status $3
1..1"
}
ends_early "exit without an error" "exit" 0
ends_early "exit with an error" "false || exit 1" N
ends_early "a variable that is not set" 'echo "$nothing"' N
ends_early "a syntax error in a sourced part" ". ./broken.sh" N
ends_early "a part that is not there" ". ./none.sh" N
ends_early "a syntax error" ")" N

is "one failure fails, even if its place cannot be written" "$(lint_of <<'END'
begin_lint "full"
ok "true is true" true
lint_wrong=$scratch/no-such-folder/wrong
is "one is one" 1 2
end_lint
END
)" "not ok 1 - full
1..1"

is "what is skipped is said below the point" "$(lint_of <<'END'
begin_lint "some"
ok "true is true" true
skip "the form" "no formatter is installed"
end_lint
END
)" "ok 1 - some
# skipped: the form: no formatter is installed
1..1"
is "if all is skipped, so is the point" "$(lint_of <<'END'
begin_lint "all"
skip "the form" "no formatter is installed"
skip_all "nm is not there"
END
)" "ok 1 - all # SKIP the form: no formatter is installed; the rest: nm is not there
# skipped: the form: no formatter is installed
# skipped: the rest: nm is not there
1..1"
is "what was wrong before skip_all fails" "$(lint_of <<'END'
begin_lint "some"
ok "false" false
skip_all "nm is not there"
END
)" "not ok 1 - some
# status 1 from: false; expected: false
# skipped: the rest: nm is not there
1..1"
