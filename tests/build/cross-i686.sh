#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=i686-linux-gnu
counters="x86-tsc x86-tscasm default-perfevent default-monotonic default-gettimeofday
	default-syscall default-zero"
run=
. "$top_srcdir/tests/harness/cross.sh"
