#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=sparc64-linux-gnu
emulator=qemu-sparc64
counters_run="sparc64-rdtick default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="sparc64-rdtick"
. "$top_srcdir/tests/cross/suite.sh"
