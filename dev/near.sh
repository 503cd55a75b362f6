#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The tests that a change asks for. Run by `make check-near`, in the folder of the sources.
#     near.sh changed                     prints what has changed
#     near.sh tests EVERYDAY OTHER        prints the tests of what has changed
#     near.sh of EVERYDAY OTHER PATH...   prints the tests of these paths
#     near.sh programs PROGRAMS TEST...   prints those of the programs that these tests need
# EVERYDAY are the tests of make check, OTHER those of the suites that make check does not run, and
# PROGRAMS all programs of the tests, each as one argument of several words.
#
# tests/near.map says which tests belong to which sources. A change is what is not committed, and
# what has been committed since the branch that this one follows, or since the main branch. If there
# is neither, the last commit is the change. NEAR_SINCE=COMMIT names another beginning.

set -eu
usage="usage: near.sh changed | tests EVERYDAY OTHER | of EVERYDAY OTHER PATH... |
	programs PROGRAMS TEST..."

fail() {
	echo "near.sh: $*" >&2
	exit 1
}

# since: the commit in which the change begins. If nothing would have changed, the last commit is
# the change. A branch that follows no other one began at the main branch.
since() {
	[ -z "${NEAR_SINCE-}" ] || { echo "$NEAR_SINCE"; return; }
	head=$(git rev-parse HEAD)
	from=$head
	for base in '@{upstream}' origin/HEAD main master; do
		from=$(git merge-base HEAD "$base" 2>/dev/null) && break
	done
	[ -n "$from" ] || from=$head
	[ "$from" != "$head" ] || [ -n "$(git status --porcelain)" ] || from=$head~1
	echo "$from"
}

# changed: the files that were changed, added or removed.
changed() {
	command -v git >/dev/null || fail "git is not there, so nobody knows what has changed"
	[ -e .git ] || fail "this is no clone, so nobody knows what has changed"
	git rev-parse -q --verify HEAD >/dev/null || fail "git cannot read this clone"
	from=$(since)
	git rev-parse -q --verify "$from^{commit}" >/dev/null ||
		fail "$from: no such commit here; expected one in NEAR_SINCE"
	files=$(git -c core.quotePath=false diff --name-only --no-renames "$from" -- &&
		git -c core.quotePath=false ls-files --others --exclude-standard)
	[ -n "$files" ] ||
		fail "nothing has changed since $from; NEAR_SINCE=COMMIT names an earlier beginning"
	echo "near.sh: what has changed since $(git log -1 --format='%h %s' "$from")" >&2
	echo "$files"
}

# tests_of EVERYDAY OTHER: from paths on standard input to tests.
tests_of() {
	awk -v everyday="$1" -v other="$2" '
		# folder_of TEST: its folder, with the last slash.
		function folder_of(name) { sub(/[^\/]*$/, "", name); return name }

		# take WORD: the tests that a word of the map names.
		function take(word, i, taken) {
			sub(/\/$/, "", word)
			taken = 0
			for (i = 1; i <= everyday_count; i++)
				if (folder_of(all[i]) == "tests/" word "/")
					taken = want[all[i]] = 1
			gsub(/\./, "\\.", word)
			gsub(/\*/, ".*", word)
			for (i = 1; i <= count; i++)
				if (all[i] ~ "^tests/" word "$")
					taken = want[all[i]] = 1
			return taken
		}

		# take_folder FOLDER: the everyday tests of a folder of tests, or all if none is.
		function take_folder(folder, i) {
			if (take(substr(folder, 7)))
				return
			for (i = 1; i <= count; i++)
				if (folder_of(all[i]) == folder)
					want[all[i]] = 1
		}

		BEGIN {
			everyday_count = split(everyday, all)
			count = everyday_count + split(other, more)
			for (i = everyday_count + 1; i <= count; i++)
				all[i] = more[i - everyday_count]
			for (i = 1; i <= count; i++)
				known[all[i]] = 1
		}
		FILENAME == "tests/near.map" {
			if (!/^#/ && NF) {
				beginnings[++lines] = $1
				words[lines] = substr($0, length($1) + 1)
			}
			next
		}
		NF {
			any = 1
			test = $0
			sub(/\.c$/, "", test)
			if (test in known) {
				want[test] = 1
				next
			}
			# A list of tests asks for those that look at lists.
			if (/^tests\/.*Makefile\.inc$/)
				take("dev/near.sh")
			else if (/^tests\/.*\//)
				take_folder(folder_of($0))
			for (i = 1; i <= lines; i++)
				if (index($0, beginnings[i]) == 1) {
					n = split(words[i], named)
					for (j = 1; j <= n; j++)
						take(named[j])
				}
		}
		END {
			if (any)
				take("consistency")
			for (i = 1; i <= count; i++)
				if (all[i] in want)
					print all[i]
		}' tests/near.map -
}

# sourced SCRIPT...: what these scripts source.
sourced() {
	sed -n 's,^[[:blank:]]*\. "$top_srcdir/\(tests/[^"$]*\)"$,\1,p' /dev/null "$@"
}

# programs PROGRAMS TEST...: the tests themselves that are programs, and the programs that the
# scripts, or what they source, name. $programs is a variable of tests/lib/library.sh.
programs() {
	all=$1
	shift
	{
		printf '%s\n' "$@"
		scripts=$(printf '%s\n' "$@" | grep '\.sh$') || :
		for _ in 1 2 3; do # a script sources a file, which sources another one
			scripts=$(printf '%s\n' $scripts "$(sourced $scripts)" | sort -u)
		done
		grep -ohE '(tests/[a-z]+|\$programs)/[a-z-]+' /dev/null $scripts |
			sed 's,^\$programs,tests/lib,' || :
	} | sort -u >"$named"
	for program in $all; do
		! grep -qxF "$program" "$named" || echo "$program"
	done
}

command=${1-}
[ $# -ge 2 ] || [ "$command" = changed ] || { echo "$usage" >&2; exit 2; }
shift
case $command in
changed) changed ;;
tests)
	paths=$(changed)
	echo "$paths" | tests_of "$1" "$2"
	;;
of)
	everyday=$1 other=$2
	shift 2
	printf '%s\n' "$@" | tests_of "$everyday" "$other"
	;;
programs)
	named=$(mktemp)
	trap 'rm -f "$named"' EXIT
	programs "$@"
	;;
*) echo "$usage" >&2; exit 2 ;;
esac
