#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Without a counter of its own: it lives on the portable ones.

target=m68k-linux-gnu
emulator=qemu-m68k
optimize=-Os # gcc 12 makes code that writes to a constant with -O1 and -O2
counters_run="default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="default-monotonic default-syscall"
. "$top_srcdir/tests/cross/suite.sh"
