#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# make check-near: tests/near.map has every test and every folder of sources, and dev/near.sh finds
# what has changed.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/make.sh"
unset NEAR_SINCE

cd "$top_srcdir" || exit 99
map=tests/near.map

everyday=$(words_of TESTS)
other=$(words_of suites_tests)
# The map names tests that a build without cmocka, or without the second library, does not have.
case " $everyday " in
*" tests/measure/test-meter "*) ;;
*) skip_all "this build does not have all tests" ;;
esac
near() { sh dev/near.sh "$@"; }
# asked PATH...: the tests that a change of these paths asks for, without those of every change.
asked() { near of "$everyday" "$other" "$@" | grep -v '^tests/consistency/'; }

# The map
lines() { grep -v '^#' $map | grep .; }
ok "there are tests" test "$(echo "$everyday $other" | wc -w)" -gt 100
ok "there are lines" test "$(lines | wc -l)" -gt 40
# A word that names no test would be a test that nobody runs.
set -f
lines | while read -r beginning words; do
	for word in $words; do
		echo "$beginning $word"
	done
done >"$scratch/words"
set +f
is "every beginning is one of a file that is there" "$(lines | while read -r beginning words; do
	for file in "$beginning"*; do
		[ -e "$file" ] || echo "$map: $beginning: no such file"
	done
done)" ""
all=$(printf '%s\n' $everyday $other)
is "every word names a test" "$(while read -r beginning word; do
	pattern=$(echo "$word" | sed 's/\./\\./g; s/\*/.*/g')
	echo "$all" | grep -q -x -e "tests/$pattern" -e "tests/$pattern/[^/]*" ||
		echo "$map: $beginning: no test is called $word"
done <"$scratch/words")" ""
# every_test: the tests that some line names, and those of every change.
every_test() {
	near of "$everyday" "$other" $(lines | sed 's/[[:blank:]].*//')
}
every_test >"$scratch/named"
is "every test belongs to some sources" "$(echo "$all" | grep -v -x -F -f "$scratch/named")" ""
if [ -e .git ] && files=$(git ls-files 2>/dev/null); then
	lines | awk '{ gsub(/\./, "\\."); print "^" $1 }' >"$scratch/beginnings"
	is "every source has a line, or is a test or a text" "$(echo "$files" |
		grep -v -e '^tests/' -e '^\.' -e '^doc/' -e '^packaging/' \
			-e '^[A-Z]*\(\.md\)*$' -e '^LICENSES/' |
		grep -v -f "$scratch/beginnings")" ""
else
	skip "every source has a line, or is a test or a text" "this is no clone"
fi

# What a change asks for
has() { echo "$2" | grep -q -x -F "$1" || { echo "$2" | sed 's/^/# /'; return 1; }; }
lacks() { ! has "$@" >/dev/null; }
got=$(asked lib/os/perfevent.c)
ok "a file asks for the tests of its folder" has tests/lib/threads.sh "$got"
ok "and for what is run by night only" has tests/vm/arm64.sh "$got"
ok "and for nothing else" lacks tests/vm/x86.sh "$got"
is "a test asks for itself" "$(asked tests/vm/x86.sh tests/fuzz/replay.sh)" "tests/fuzz/replay.sh
tests/vm/x86.sh"
ok "what the tests of a folder share asks for all of them" has tests/lib/abi.sh \
	"$(asked tests/lib/library.sh)"
is "and where no test is an everyday one, too" "$(asked tests/vm/common.sh)" \
	"$(printf '%s\n' $(words_of vm_tests))"
is "a list asks for the tests of lists only" "$(asked tests/vm/Makefile.inc)" tests/dev/near.sh
ok "every change asks for those" has tests/consistency/layers.sh \
	"$(near of "$everyday" "$other" COPYING)"
is "no change, no tests" "$(near of "$everyday" "$other" </dev/null)" ""
programs=$(words_of check_PROGRAMS)
got=$(near programs "$programs" tests/lib/threads.sh)
ok "a script's programs" has tests/lib/race "$got"
ok "and no others" lacks tests/lib/test-cache "$got"
ok "those of a file that it sources" has tests/lib/make-cache \
	"$(near programs "$programs" tests/calibrated/rivals.sh)"
is "a program that is a test" "$(near programs "$programs" tests/lib/test-cache)" \
	tests/lib/test-cache

# What has changed
command -v git >/dev/null || { skip "what has changed" "no git"; exit 0; }
git_in() { git -c user.name=n -c user.email=e -C "$scratch/clone" "$@" >/dev/null 2>&1; }
mkdir -p "$scratch/origin/dev" "$scratch/origin/tests"
cp dev/near.sh "$scratch/origin/dev"
echo 'lib/ lib' >"$scratch/origin/tests/near.map"
# changed: the tests in the clone, for a list of three.
changed() {
	(cd "$scratch/clone" && sh dev/near.sh tests "tests/lib/a tests/dev/b" tests/vm/c.sh) \
		2>"$scratch/why" | paste -s -d ' ' -
}
mv "$scratch/origin" "$scratch/clone"
git_in init -q -b main && git_in add -A && git_in commit -q -m first
mkdir "$scratch/clone/lib"
echo >"$scratch/clone/lib/x.c"
is "a file that is new" "$(changed)" tests/lib/a
ok "the beginning is told" grep -q ' first$' "$scratch/why"
git_in add -A && git_in commit -q -m second
is "nothing uncommitted: the last commit" "$(changed)" tests/lib/a
mkdir -p "$scratch/clone/tests/vm"
echo >"$scratch/clone/tests/vm/c.sh"
is "something uncommitted: only that" "$(changed)" tests/vm/c.sh
git_in add -A && git_in commit -q -m third
is "an earlier beginning" "$(NEAR_SINCE=HEAD~2 changed)" "tests/lib/a tests/vm/c.sh"
mv "$scratch/clone" "$scratch/upstream"
git clone -q "$scratch/upstream" "$scratch/clone"
git_in rm -q lib/x.c && git_in commit -q -m fourth
echo >>"$scratch/clone/tests/vm/c.sh"
is "a branch: what it has added, a file that was removed, and what is uncommitted" "$(changed)" \
	"tests/lib/a tests/vm/c.sh"
rm -rf "$scratch/clone/.git"
is "without a clone nobody knows" "$(changed)$(cat "$scratch/why")" \
	"near.sh: this is no clone, so nobody knows what has changed"
