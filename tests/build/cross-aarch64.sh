#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=aarch64-linux-gnu
counters="default-perfevent default-monotonic default-gettimeofday default-syscall default-zero"
run=qemu-aarch64
. "$top_srcdir/tests/harness/cross.sh"
