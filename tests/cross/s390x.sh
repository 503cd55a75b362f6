#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=s390x-linux-gnu
emulator=qemu-s390x
counters_run="s390x-stckf default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="s390x-stckf"
thorough=yes
. "$top_srcdir/tests/cross/suite.sh"
