#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Without a counter of its own: it lives on the portable ones. Under QEMU 7.2 even an empty program
# with glibc 2.36 linked in dies of SIGSEGV before main; with the shared one it runs.

target=alpha-linux-gnu
emulator="qemu-alpha -L /usr/alpha-linux-gnu"
static=-static
counters_run="default-monotonic default-gettimeofday default-syscall"
counters_out="default-perfevent default-zero"
chosen="default-monotonic default-syscall"
. "$top_srcdir/tests/cross/common.sh"
