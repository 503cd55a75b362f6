#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# In a sandbox that refuses what the guard needs, the calibrator tries no counter: one that faults
# would end it. It says so, and the old files stay.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/calibrated/faults.sh"

boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) || skip_all "no boot id on this system"
injects || skip_all "$why"
old_files
says="no counter is tried, because a sandbox refuses rt_sigaction or rt_sigprocmask (see\
 cpucycles-sandbox(7))"

for call in rt_sigaction rt_sigprocmask; do
	before "$scratch/$call" both
	failed "$scratch/$call" $call error=EPERM 1+
	is "$call is refused: the status" $? 1
	is "$call is refused: the last line" "$(tail -n 1 "$scratch/$call/log")" \
		"cpucycles-calibrated: $says: Operation not permitted"
	is "$call is refused: the cache" "$(cache_is "$scratch/$call")" old
	is "$call is refused: the file of the frequency" "$(persecond_is "$scratch/$call")" old
	is "$call is refused: nothing is left behind" "$(left_in "$scratch/$call")" ""
done
