#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# This machine runs the 32-bit programs itself, without an emulator.

target=i686-linux-gnu
emulator=
counters_run="x86-tsc x86-tscasm default-monotonic default-gettimeofday default-syscall"
counters_out="x86-rdpru default-perfevent default-zero"
chosen="x86-tsc x86-tscasm"
counters_made="x86-rdpru"
thorough=yes
. "$top_srcdir/tests/cross/suite.sh"

without="the program that measures runs on a CPU without SSE2, which has another fence"
if command -v qemu-i386 >/dev/null; then
	is "$without" "$(measuring qemu-i386 -cpu pentium3)" "median of samples"
else
	skip "$without" "qemu-i386 is not there"
fi
ok "$counters_made is in the list of rdpru.sh's build" \
	grep -q "^COUNTER($(echo "$counters_made" | tr - _))" "$build/lib/counters.inc"
