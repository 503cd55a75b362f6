#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Whole ARM64 machines in emulation. Nothing in the OS tells their frequency, so the calibrator
# measures it and the library starts from its cache. A virtual PMU counts the cycles of each thread,
# while the thread is moved and interrupted and the register is opened and closed.
#
# With -icount shift=0, the machine's clocks advance by 1 ns with each instruction. So its core
# executes 10^9 instructions in each of its seconds, and its PMU counts 10^9 cycles, on any host and
# under any load. Without -icount, the rate is that of the host's translation, which nobody knows;
# the tests then check only that the rate is a possible frequency.

target=aarch64-linux-gnu
architecture=arm64
kernel='linux-image-[0-9].*-cloud-arm64-unsigned'
qemu="qemu-system-aarch64 -M virt -accel tcg -smp 2 -m 1024 -nographic -nic none -no-reboot"
console=ttyAMA0
. "$top_srcdir/tests/vm/common.sh"

counters_run="arm64-perfpmc arm64-pmc arm64-vct default-gettimeofday default-monotonic
	default-perfevent default-syscall"

prepare_machines

ok "a machine of one instruction per ns runs to its end" \
	boot exact calibrated,portable,pmu,cached,clock -cpu cortex-a72 -icount shift=0,sleep=off
calibrated_machine
near_true_hz
ppm=$(section_field cache core | sed 's/.* ppm //')
ok "exact: the true rate is within the stated bound, $ppm ppm" between "$TRUE_HZ" \
	$((hz - hz / 1000 * ppm / 1000)) $((hz + hz / 1000 * ppm / 1000))
ok "exact: the PMU's cycles are compared with the chain's" test -n \
	"$(section_field calibrate 'cpucycles-calibrated: core: default-perfevent counts')"
portable_counters 2
chosen <<END
0 3 root arm64-vct
0 3 nobody arm64-vct
0 2 root arm64-vct
0 2 nobody arm64-vct
1 3 root arm64-perfpmc
1 3 nobody arm64-vct
1 2 root arm64-perfpmc
1 2 nobody arm64-perfpmc
END
tried_per_thread arm64-perfpmc 2
all_the_while arm64-perfpmc-taken arm64-perfpmc
is "exact: a register that is closed is not chosen by its name either" \
	"$(section_field arm64-pmc-closed implementation)" arm64-perfpmc
went_on arm64-pmc-stop arm64-pmc
went_on arm64-pmc-shut arm64-pmc
tried arm64-vct 2
# CNTFRQ_EL0 says 62.5 MHz; a tick is 16 cycles.
is "exact: the rate of arm64-vct is the architecture's" \
	"$(section_field arm64-vct-rate hz) $(section_field arm64-vct-rate clock)" "$TRUE_HZ good"
cached_machine arm64-perfpmc arm64-vct
wall_clock_set arm64-perfpmc arm64-vct default-perfevent default-monotonic default-syscall

ok "a machine without a PMU runs to its end" \
	boot no-pmu calibrated,time -cpu cortex-a72,pmu=off -icount shift=0,sleep=off
calibrated_machine
near_true_hz
rate_of_rank rate
tried arm64-vct 2

ok "a machine as fast as the host can runs to its end" boot fast calibrated,many -cpu cortex-a72
calibrated_machine
many arm64-perfpmc 10000
many default-perfevent 500

is "the counters that were run" "$(counters_seen)" \
	"$(printf %s "$counters_run" | tr -s '\n\t' ' ')"
