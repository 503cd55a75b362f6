#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=powerpc-linux-gnu
emulator=qemu-ppc
counters_run="ppc32-mftb default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="ppc32-mftb"
thorough=yes
. "$top_srcdir/tests/cross/suite.sh"
