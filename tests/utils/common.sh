#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# For the scripts of this folder, which source it after tap.sh: the tool, and a cache of this
# machine in a private folder.

own_etc
info=$top_builddir/utils/cpucycles-info
calibrated=$top_builddir/calibrated/cpucycles-calibrated
resum=$top_builddir/tests/harness/resum
json_get=$top_builddir/tests/utils/json-get
cache=$scratch/cache/counters

# The names of the counters in the library, as the tool prints them.
compiled=$(sed -n 's/^COUNTER(\(.*\))$/\1/p' "$top_builddir/lib/counters.inc" | tr _ -)

# Makes the cache, also in place of a damaged one.
calibrate() {
	rm -rf "$cache"
	"$calibrated" --cache "$cache" --persecond "$scratch/cpucyclespersecond" 2>"$scratch/log" ||
		sed 's/^/# /' "$scratch/log"
}

need_cache() {
	[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"
	calibrate
}

run() { capture "$info" "$@"; }

# has PATTERN: the extended regular expression matches a whole line of the output.
has() {
	grep -q -x -E -e "$1" "$scratch/out" || { sed 's/^/# out: /' "$scratch/out"; return 1; }
}

not() { ! "$@"; }
said() { cat "$scratch/err"; }
