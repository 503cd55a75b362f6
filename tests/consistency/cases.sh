#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# tests/harness/cases.sh runs the cases of a script that were asked for, and those that they need,
# which each script names.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "cases of a script run alone, with those that they need"

cat >"$scratch/made.sh" <<'END'
. "$top_srcdir/tests/harness/tap.sh"
first=$*
# Case one: needs what stands before it.
one=1
ok "one" [ "$first" = argument ]
# Case two, after one: needs another case.
ok "two" [ "$one" = 1 ]
# Case other: needs nothing.
ok "other" [ "${one-}" = "" ]
# Case three, after other, two: needs one that needs another.
ok "three" [ "$one" = 1 ]
END
# ran CASES: the points of the made script on one line, without what failed in them.
ran() {
	(cd "$scratch" && CASES=$1 sh made.sh argument 2>&1) | sed '/^# status/d' | xargs
}
is "without words, all cases run" "$(ran "")" \
	"ok 1 - one ok 2 - two not ok 3 - other ok 4 - three 1..4"
is "a case runs alone" "$(ran other)" "ok 1 - other 1..1"
is "a part of a name finds a case" "$(ran oth)" "ok 1 - other 1..1"
is "a case runs with what it needs" "$(ran two)" "ok 1 - one ok 2 - two 1..2"
is "and with what that needs" "$(ran three)" \
	"ok 1 - one ok 2 - two not ok 3 - other ok 4 - three 1..4"
is "several words find several cases" "$(ran "other one")" \
	"ok 1 - one not ok 2 - other 1..2"
is "a word that finds none is an error" "$(ran none)" \
	"expected in CASES some of: one two other three"
(cd "$scratch" && CASES=none sh made.sh 2>/dev/null)
is "whose status is that of a broken test" $? 99
sed '/^# Case/d' "$scratch/made.sh" >"$scratch/whole.sh"
is "a script without cases runs whole" \
	"$(cd "$scratch" && CASES=none sh whole.sh argument | tail -n 1)" 1..4

scripts=$(grep -l '^# Case ' tests/*/*.sh)
ok "there are scripts with cases" has_lines "$scripts"
# shellcheck disable=SC2086 # a list of files
is "each case has a name of its own, and needs earlier cases only" "$(awk '
	FNR == 1 { split("", known) }
	!/^# Case / { next }
	!/^# Case [a-z]+(, after [a-z]+(, [a-z]+)*)?: / {
		print FILENAME ":" FNR ": " $0
		next
	}
	{
		sub(/: .*/, "")
		sub(/, after /, ", ")
		for (i = split(substr($0, 8), names, ", "); i > 1; i--)
			if (!(names[i] in known))
				print FILENAME ":" FNR ": " names[i]
		if (names[1] in known)
			print FILENAME ":" FNR ": " names[1]
		known[names[1]] = 1
	}' $scripts)" ""
end_lint
