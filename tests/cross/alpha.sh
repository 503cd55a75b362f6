#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Without a counter of its own: it lives on the portable ones.

target=alpha-linux-gnu
emulator=qemu-alpha
counters_run="default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="default-monotonic default-syscall"
. "$top_srcdir/tests/cross/common.sh"
