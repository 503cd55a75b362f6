#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=mips64el-linux-gnuabi64
emulator=qemu-mips64el
counters_run="mips64-cc default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="mips64-cc"
. "$top_srcdir/tests/cross/common.sh"
