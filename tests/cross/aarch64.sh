#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=aarch64-linux-gnu
emulator=qemu-aarch64
counters_run="arm64-vct default-monotonic default-gettimeofday default-syscall"
counters_out="arm64-perfpmc arm64-pmc default-perfevent default-zero"
chosen="default-monotonic default-syscall" # the emulator's CNTVCT_EL0 moves by microseconds
thorough=yes
. "$top_srcdir/tests/cross/suite.sh"
