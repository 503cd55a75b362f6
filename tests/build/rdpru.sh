#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# As on an AMD processor, at full speed. In a copy of the sources, the instruction RDTSCP stands in
# for RDPRU. The number of the CPU is added far up to what it gives, so that it jumps when a thread
# moves, as APERF does. It counts ticks and not cycles, and it faults only where RDTSC does: for
# faults of its own there is tests/lib/made-amd.c. All else is real: the selection, the calibrator,
# threads, moves between real CPUs, meters.

. "$top_srcdir/tests/harness/build.sh"

grep -qw rdtscp /proc/cpuinfo 2>/dev/null || skip_all "this CPU has no RDTSCP to stand in for RDPRU"

# replaced OLD NEW: in the counter's source, this part of a line.
tree=$scratch/tree
replaced() {
	file=$tree/lib/arch/x86/rdpru.h
	cp "$file" "$scratch/before"
	sed "s/$1/$2/" "$scratch/before" >"$file"
	! cmp -s "$file" "$scratch/before"
}
ok "copy of the sources" copy_sources tree
instructions='rdtscp; andl $4095, %%ecx; shll $16, %%ecx; addl %%ecx, %%edx'
ok "another instruction" replaced 'FIXUP(".byte 0x0f, 0x01, 0xfd") : \(.*\) : "c"(1))' \
	"FIXUP(\"$instructions\") : \\1 : : \"ecx\", \"cc\")"
ok "on every processor" replaced 'rdpru_may_exist(x86_this_cpuid)' true
ok "configure" configure_from "$tree" build CFLAGS=-O2
ok "make" make_in build -j2

# passes TEST...: all of them pass in that build.
helpers="amd make-cache moments race sandboxed show show-alone show-rate"
passes() {
	programs="tests/harness/resum tests/consistency/print-words"
	for program in $helpers; do
		programs="$programs tests/lib/$program"
	done
	for test; do
		case $test in *.sh) ;; *) programs="$programs $test" ;; esac
	done
	make_in build check TESTS="$*" check_PROGRAMS="$programs" RDPRU_STANDS_IN=yes \
		HOPS=10000 READS=10000000 && return
	grep -E '^(FAIL|ERROR)' "$scratch/make-build.log" | sed 's/^/# /'
	return 1
}
CPUCYCLES_CACHE=none "$scratch/build/utils/cpucycles-info" >"$scratch/info"
ok "the counter works" grep -q '^cpucycles tracesetup.*-rdpru precision [1-9]' "$scratch/info"
ok "reads, moves between CPUs, work" passes tests/lib/rdpru.sh
ok "programs" passes tests/lib/abi.sh tests/lib/moments.sh tests/lib/threads.sh \
	tests/lib/sandbox.sh
ok "reselections, other counters, dispositions" passes tests/lib/test-reselect \
	tests/lib/test-other tests/lib/test-meanwhile tests/lib/test-meanwhile-random
ok "the calibrator" passes tests/calibrated/calibrate.sh
ok "meters" passes tests/measure/test-native
