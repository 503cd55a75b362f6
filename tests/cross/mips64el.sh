#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The emulator lets programs read RDHWR 2, which stands still there: the counter is out for that.

target=mips64el-linux-gnuabi64
emulator=qemu-mips64el
counters_run="default-monotonic default-gettimeofday default-syscall"
counters_out="mips64-cc default-perfevent default-zero"
chosen="default-monotonic default-syscall"
. "$top_srcdir/tests/cross/suite.sh"
