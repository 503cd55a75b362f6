#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=arm-linux-gnueabihf
emulator=qemu-arm
counters_run="default-monotonic default-gettimeofday default-syscall"
counters_out="arm32-cortex default-perfevent default-zero"
chosen="default-monotonic default-syscall"
. "$top_srcdir/tests/cross/suite.sh"
