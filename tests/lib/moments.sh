#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The first call at odd moments: before main, at the end, in threads and children of all kinds.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

# moment NAME CASE [VARIABLE=VALUE...]: a first call at this moment.
moment() {
	name=$1 case=$2
	shift 2
	MOMENT=$name timeout "$limit" env "$@" "$programs/moments" >"$scratch/out" 2>&1 </dev/null
	case $? in
	0) is "$name, $case" 0 0 ;;
	77) skip "$name, $case" "$(cat "$scratch/out")" ;;
	*) is "$name, $case" "status $? $(cat "$scratch/out")" 0 ;;
	esac
}

moments=$("$programs/moments")
# In these moments a sanitizer has not started yet, or has ended, or does not know the thread
# (ThreadSanitizer does not know C11's threads).
! sanitized || moments=$(echo "$moments" | grep -vE 'structor|atexit|c11|clone|first-thread|tsc')

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
for name in $moments; do
	moment "$name" "no cache"
done
# A program that is linked to a library in the build folder may need one of them to start.
# shellcheck disable=SC2046 # a list
moment spawned "among a thousand variables" MANY=1000 $(seq 1000 | sed 's/.*/MANY_&=&/')
if "$programs/make-cache" "$cache"; then
	CPUCYCLES_CACHE=$cache
	for name in $moments; do
		moment "$name" "from a cache"
	done
else
	skip "the same with a cache" "no cache can be made here"
fi
