#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

target=riscv64-linux-gnu
emulator=qemu-riscv64
counters_run="riscv64-rdcycle riscv64-rdtime default-monotonic default-gettimeofday default-syscall"
counters_out="riscv64-perfrdcycle default-perfevent default-zero"
chosen="riscv64-rdcycle riscv64-rdtime" # both are the host's ticks there
. "$top_srcdir/tests/cross/suite.sh"
