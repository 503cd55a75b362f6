#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Whole ARM64 machines in emulation, of which no OS mechanism tells the frequency: the
# calibrator ends in "measured", the library starts from its cache, and perf events are
# counted per thread by a (virtual) PMU.
#
# What the true rate is: with -icount shift=0 the machine's clocks advance by 1 ns with each
# instruction, so its core makes exactly 10^9 instructions of its seconds, on any host and
# under any load, and its PMU counts 10^9 cycles. Without it the rate is whatever the host's
# translation makes of it: nobody can tell, and the value is only looked at for being one.

target=aarch64-linux-gnu
architecture=arm64
qemu="qemu-system-aarch64 -M virt -accel tcg -smp 2 -m 1024 -nographic -nic none -no-reboot"
console=ttyAMA0
. "$top_srcdir/tests/vm/common.sh"

TRUE_HZ=1000000000

if ! fetch >"$scratch/fetch.log" 2>&1 </dev/null; then
	sed 's/^/# /' "$scratch/fetch.log" | tail -n 10
	skip_all "no $architecture kernel and busybox can be fetched here"
fi
ok "build for $architecture" build_for_target
ok "make its file system" make_initrd

# share COUNT OF: within a tenth of the other.
share() {
	between "$1" "$((${2:-0} * 9 / 10))" "$((${2:-0} * 11 / 10))"
}

# calibrated_machine: what holds on every machine whose OS says nothing.
calibrated_machine() {
	is "$machine: before calibration nobody knows" \
		"$(field before status) $(field before persecond-source) $(field before persecond)" \
		"missing default 2399987654"
	is "$machine: the calibrator succeeds" "$(field calibrate exit)" 0
	is "$machine: it measured" "$(field cache persecond | sed 's/.* //')" measured
	hz=$(field after persecond)
	# From a slow emulation of a slow board to what no board is.
	ok "$machine: something that is a frequency" between "$hz" 10000000 20000000000
	is "$machine: the library starts from the cache, with that value" \
		"$(field after source) $(field after status) $(field after persecond-source) $hz measured" \
		"cache used measured $(field cache persecond)"
	is "$machine: with the counter that the cache ranks first" "$(field after implementation)" \
		"$(field cache usable | sed 's/ .*//')"
	is "$machine: cpucycles-info says so, and how far it may be off" "$(field info 'cpucycles persecond')" \
		"$hz source measured ppm $(field cache core | sed 's/.* ppm //')"
	is "$machine: and has no complaint" "$(field info exit) $(field info 'cpucycles cache problem:')" "0 "
	is "$machine: an ordinary user starts from the cache too" \
		"$(field nobody source) $(field nobody status) $(field nobody persecond) $(field nobody persecond-source)" \
		"cache used $hz measured"
	is "$machine: he may open no event, and gets the clock at exactly that rate" \
		"$(field nobody-rate implementation) $(field nobody-rate hz) $(field nobody-rate ppm) $(field nobody-rate clock)" \
		"default-monotonic $hz 0 good"
	is "$machine: the persecond file of this boot says the same without the cache" \
		"$(field away status) $(field away persecond-source) $(field away persecond)" \
		"missing measured $hz"
	is "$machine: a second calibration stays with it" \
		"$(field again exit) $(field again-show persecond) $(field again-show persecond-source) $(field again-show status)" \
		"0 $hz measured used"
}

# threads_apart SECTION: each thread counts its own work and no other's.
threads_apart() {
	main=$(field "$1" main)
	is "$machine, $1: the counter" "$(field "$1" counter)" default-perfevent
	ok "$machine, $1: the main thread counts" between "$main" 1000000 1000000000000
	is "$machine, $1: a child ends well" "$(field "$1" child-status) $(field "$1" exit)" "0 0"
	is "$machine, $1: 500 threads leave no descriptor open" \
		"$(field "$1" descriptors | awk '{ print $2 - $1 }')" 0
}

# Where an instruction is a cycle, the same work is the same count.
same_work() {
	for which in threads child child-threads main-again; do
		for count in $(field "$1" $which); do
			ok "$machine, $1: the same work in $which" share "$count" "$main"
		done
	done
}

ok "a machine of one instruction per ns runs to its end" \
	boot exact -cpu cortex-a72 -icount shift=0,sleep=off
calibrated_machine
ok "exact: within 2 percent of the true rate" between "$hz" \
	$((TRUE_HZ - TRUE_HZ / 50)) $((TRUE_HZ + TRUE_HZ / 50))
ppm=$(field cache core | sed 's/.* ppm //')
ok "exact: the true rate is within the stated bound, $ppm ppm" between "$TRUE_HZ" \
	$((hz - hz / 1000 * ppm / 1000)) $((hz + hz / 1000 * ppm / 1000))
ok "exact: the PMU's cycles are compared with the chain's" test -n \
	"$(field calibrate 'cpucycles-calibrated: core: default-perfevent counts')"
for section in perthread nobody-perthread; do
	threads_apart $section
	same_work $section
done

ok "a machine without a PMU runs to its end" boot no-pmu -cpu cortex-a72,pmu=off -icount shift=0,sleep=off
calibrated_machine
ok "no-pmu: within 2 percent of the true rate" between "$hz" \
	$((TRUE_HZ - TRUE_HZ / 50)) $((TRUE_HZ + TRUE_HZ / 50))
is "no-pmu: root gets the clock too, at exactly that rate" \
	"$(field rate implementation) $(field rate hz) $(field rate ppm) $(field rate clock)" \
	"default-monotonic $hz 0 good"
is "no-pmu: a counter that does not work here is no reason to fail" \
	"$(field perthread counter) $(field perthread exit)" "default-monotonic 0"

ok "a machine as fast as the host can runs to its end" boot fast -cpu cortex-a72
calibrated_machine
threads_apart perthread
