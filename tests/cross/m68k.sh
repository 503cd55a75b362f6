#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The library has no counter for the 68000: only the portable ones are there.

target=m68k-linux-gnu
emulator=qemu-m68k
optimize=-Os # gcc 12 makes code that writes to a constant with -O1 and -O2
counters_run="default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="default-monotonic default-syscall"
. "$top_srcdir/tests/cross/suite.sh"
