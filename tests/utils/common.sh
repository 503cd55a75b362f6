#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Sourced by the scripts of this folder, after tap.sh: the tool, and a cache of this machine
# in a private folder.

info=$top_builddir/utils/cpucycles-info
calibrated=$top_builddir/calibrated/cpucycles-calibrated
resum=$top_builddir/tests/harness/resum
json_get=$top_builddir/tests/utils/json-get
cache=$scratch/cache/counters

# The words of the list, as the tool writes them.
compiled=$(sed -n 's/^COUNTER(\(.*\))$/\1/p' "$top_builddir/lib/counters.inc" | tr _ -)

# Also makes a new one of a damaged one.
calibrate() {
	rm -rf "$cache"
	"$calibrated" --cache "$cache" --persecond "$scratch/cpucyclespersecond" 2>"$scratch/log" ||
		sed 's/^/# /' "$scratch/log"
}

# The library under test obeys the persecond file of the system, and so may find any cache stale.
need_cache() {
	[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"
	[ ! -e "$sysconfdir/cpucyclespersecond" ] || skip_all "$sysconfdir/cpucyclespersecond is there"
	calibrate
}

# run ARGUMENT...: its output in $scratch/out and $scratch/err, its status in $status.
run() {
	status=0
	"$info" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
}

# has PATTERN: a whole line of the output, extended regular expression.
has() {
	grep -q -x -E -e "$1" "$scratch/out" || { sed 's/^/# out: /' "$scratch/out"; return 1; }
}

not() { ! "$@"; }
said() { cat "$scratch/err"; }
