#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=powerpc64le-linux-gnu
emulator=qemu-ppc64le
counters_run="ppc64-mftb default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="ppc64-mftb"
. "$top_srcdir/tests/cross/suite.sh"
