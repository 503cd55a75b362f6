#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Whole RISC-V machines in emulation. A virtual PMU counts the cycles of each thread, while the
# thread is moved and interrupted and the register is opened and closed. One machine has the
# extension Sscofpmf, which lets the PMU leave out the kernel's cycles, and one has not. arm64.sh
# explains -icount; a machine with -icount has one CPU here, because this firmware does not start
# two.

target=riscv64-linux-gnu
architecture=riscv64
kernel='linux-image-[0-9.]*[+]deb13-riscv64'
suite=trixie # the first that has this architecture
qemu="qemu-system-riscv64 -M virt -accel tcg -m 1024 -nographic -nic none -no-reboot"
console=ttyS0
. "$top_srcdir/tests/vm/common.sh"
. "$top_srcdir/tests/vm/speeds.sh"

speeds_run="riscv64-shift-0 riscv64-shift-3 riscv64-shift-4"
counters_run="default-gettimeofday default-monotonic default-perfevent default-syscall
	riscv64-perfrdcycle riscv64-rdcycle riscv64-rdtime"

# event SECTION TEXT: per call, how often; nothing if there is no number.
event() {
	section "events-$1" | awk -v text="$2" '$1 == "event" && index($0, text) { print $2; exit }'
}
# refused SECTION TEXT: how many events are not counted, for this reason.
refused() {
	section "events-$1" | grep -c "^not counted .*$2"
}

# counted_by_events: this PMU counts cycles and instructions in all modes, whatever it is asked for.
events_run="hardware=exact software=exact cache=counts refused=exact"
counted_by_events() {
	is "events: without letters, instructions are those of both modes" \
		"$(section events-instructions,page-faults |
			grep -c 'instructions per call, in user mode and kernel')" 1
	is "events: no page fault" "$(event instructions,page-faults page-faults)" 0.000
	for letter in u k; do
		is "events: instructions ignore $letter, and are refused" \
			"$(refused instructions:$letter 'ignores u and k') \
$(event instructions:$letter instructions)" "1 "
		for tlb in dTLB iTLB; do
			is "events: misses of the $tlb heed $letter" \
				"$(section_field events-$tlb-load-misses:$letter exit)" 0
		done
	done
	is "events: raw codes never run" "$(refused r01,r02 'does not count it')" 2
	is "events: a name that this PMU lacks" "$(refused branch-misses 'does not have it')" 1
}

prepare_machines build_measure

ok "a machine of one instruction per ns runs to its end" \
	boot exact calibrated,portable,pmu,cached -cpu rv64,sscofpmf=true -smp 1 \
	-icount shift=0,sleep=off
calibrated_machine
near_true_hz
portable_counters 1
chosen <<END
0 3 root riscv64-rdtime
0 3 nobody riscv64-rdtime
0 2 root riscv64-rdtime
0 2 nobody riscv64-rdtime
1 3 root riscv64-perfrdcycle
1 3 nobody riscv64-rdtime
1 2 root riscv64-perfrdcycle
1 2 nobody riscv64-perfrdcycle
2 3 root riscv64-rdtime
2 3 nobody riscv64-rdtime
2 2 root riscv64-rdtime
2 2 nobody riscv64-rdtime
END
# A register that is open, but that nothing makes count; and one that is closed.
is "exact: a register that stands still is not chosen by its name either" \
	"$(section_field riscv64-rdcycle-still implementation)" riscv64-rdtime
is "exact: nor is one that is closed" "$(section_field riscv64-rdcycle-closed implementation)" \
	riscv64-rdtime
tried_per_thread riscv64-perfrdcycle 1
all_the_while riscv64-perfrdcycle-taken riscv64-perfrdcycle
# The device tree says 10 MHz; a tick is 100 cycles.
is "exact: the rate of riscv64-rdtime is the device tree's" \
	"$(section_field riscv64-rdtime-rate hz) $(section_field riscv64-rdtime-rate clock)" \
	"$TRUE_HZ good"
tried riscv64-rdtime 1
cached_machine riscv64-perfrdcycle riscv64-rdtime

ok "a machine for events runs to its end" \
	boot events events -cpu rv64,sscofpmf=true -smp 1 -icount shift=0,sleep=off
counted_by_events

speed_machines 0 3 4 -- -cpu rv64,sscofpmf=true

# Without Sscofpmf, the cycles of a thread include the kernel's. A user who may not count the
# kernel's cycles cannot open this event.
ok "a machine whose PMU counts the kernel too runs to its end" \
	boot plain pmu,both_modes -cpu rv64 -smp 1 -icount shift=0,sleep=off
is "plain: events of one mode are refused" \
	"$(refused instructions:u 'cannot count user mode (u) only')" 1
is "plain: without letters, they are those of both modes" \
	"$(section events-instructions |
		grep -c 'instructions per call, in user mode and kernel')" 1
chosen <<END
0 3 root riscv64-rdtime
0 3 nobody riscv64-rdtime
0 2 root riscv64-rdtime
0 2 nobody riscv64-rdtime
1 3 root riscv64-perfrdcycle
1 3 nobody riscv64-rdtime
1 2 root riscv64-perfrdcycle
1 2 nobody riscv64-rdtime
2 3 root riscv64-rdtime
2 3 nobody riscv64-rdtime
2 2 root riscv64-rdtime
2 2 nobody riscv64-rdtime
END
threads_apart riscv64-perfrdcycle-threads riscv64-perfrdcycle 500
same_work riscv64-perfrdcycle-threads
is "plain: an event that counts the kernel is not for everybody" \
	"$(section_field riscv64-perfrdcycle-nobody counter)" riscv64-rdtime
went_on_shared riscv64-perfrdcycle-crowd riscv64-perfrdcycle
all_the_while riscv64-perfrdcycle-taken riscv64-perfrdcycle
went_on riscv64-rdcycle-stop riscv64-rdcycle
went_on riscv64-rdcycle-shut riscv64-rdcycle

ok "a machine as fast as the host can runs to its end" \
	boot fast calibrated,many,time -cpu rv64,sscofpmf=true -smp 2
calibrated_machine
many riscv64-perfrdcycle 1000
many default-perfevent 500
tried riscv64-rdtime 2

speeds_written riscv64
is "the counters that were run" "$(counters_seen)" \
	"$(printf %s "$counters_run" | tr -s '\n\t' ' ')"
