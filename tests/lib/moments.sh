#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The first call at odd moments: before main, at the end, in threads and children of all kinds.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

# moment NAME CACHE: a first call at this moment.
moment() {
	MOMENT=$1 timeout "$limit" "$programs/moments" >"$scratch/out" 2>&1 </dev/null
	case $? in
	0) is "$1, $2" 0 0 ;;
	77) skip "$1, $2" "$(cat "$scratch/out")" ;;
	*) is "$1, $2" "status $? $(cat "$scratch/out")" 0 ;;
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
if "$programs/make-cache" "$cache"; then
	CPUCYCLES_CACHE=$cache
	for name in $moments; do
		moment "$name" "from a cache"
	done
else
	skip "the same with a cache" "no cache can be made here"
fi
