#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=aarch64-linux-gnu
counters="default-perfevent default-monotonic default-gettimeofday default-syscall default-zero"
run=qemu-aarch64
. "$top_srcdir/tests/harness/cross.sh"

# Under an emulator of user programs /proc and /sys are the host's: its frequency is not
# that of the machine which is emulated.
ok "a program that asks for the frequency" make_in build LDFLAGS=-all-static tests/lib/frequency-replay
name="the host's /proc/cpuinfo is not taken for this machine's"
if ! $run "$scratch/build/tests/lib/frequency-replay" / none >/dev/null 2>&1; then
	skip "$name" "this machine runs no program for $target"
elif [ -e /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq ]; then
	skip "$name" "the host's cpufreq answers"
else
	is "$name" "$($run "$scratch/build/tests/lib/frequency-replay" --system)" \
		"$(printf '2399987654\tdefault')"
fi
