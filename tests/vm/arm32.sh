#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# arm32-cortex reads PMCCNTR of an emulated machine that runs nothing else, because no kernel opens
# the register to programs. QEMU's machine has 10^9 cycles per second, so the register wraps within
# 5 s.
. "$top_srcdir/tests/harness/tap.sh"

counters_run="arm32-cortex"
target=arm-linux-gnueabi
MACHINE_SECONDS=300

for tool in $target-gcc qemu-system-arm timeout; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done

# build SET: compile the counter like the library does, in this instruction set.
build() {
	: >"$scratch/config.h"
	$target-gcc \
		-std=gnu11 -O2 -Wall -Wextra -Wconversion -Wshadow -Werror -march=armv7-a "-m$1" \
		-ffreestanding -fno-pic -fno-stack-protector -U_FORTIFY_SOURCE -nostdlib -static \
		-I"$scratch" -I"$top_srcdir/lib" -Wl,-T,"$top_srcdir/tests/vm/bare-arm32.ld" \
		-Wl,--build-id=none -Wl,--no-warn-rwx-segments -o "$scratch/$1" \
		"$top_srcdir/tests/vm/bare-arm32.c" \
		"$top_srcdir/lib/arch/arm32/arm32-cortex.c" "$top_srcdir/lib/os/extend.c" \
		"$top_srcdir/lib/os/ticks.c" "$top_srcdir/lib/rate.c" -lgcc
}

# within_percent CYCLES NS: the cycles are those of that time at 10^9 per second, within 1 percent.
within_percent() {
	[ -n "$1" ] && [ "$1" -ge $(($2 / 100 * 99)) ] && [ "$1" -le $(($2 / 100 * 101)) ]
}

for set in arm thumb; do
	ok "$set: it compiles and links by itself" build $set
	# An instruction takes 8 ns of the machine's own time. By the time of the host, the host
	# could run other programs between a look at the clock and one at the counter.
	timeout $MACHINE_SECONDS qemu-system-arm -M virt -cpu cortex-a15 -accel tcg \
		-icount shift=3 -nographic -nic none -semihosting -kernel "$scratch/$set" \
		>"$scratch/out" 2>&1 </dev/null
	is "$set: the machine ends by itself" $? 0
	name='' setup='' busy_ns='' busy='' pause_ns='' pause='' wall=''
	{
		read -r name
		read -r setup
		read -r busy_ns
		read -r busy
		read -r pause_ns
		read -r pause
		read -r wall
	} <"$scratch/out"
	echo "# $busy cycles in $busy_ns ns, then $pause in $pause_ns ns without a read"
	is "$set: the counter that was run" "$name" "$counters_run"
	is "$set: it is set up" "$setup" 0
	ok "$set: it counts the core's cycles" within_percent "$busy" "$busy_ns"
	ok "$set: a pause is longer than a wrap" test "${pause_ns:-0}" -gt 4294967296
	ok "$set: and none of it is lost, or added" within_percent "$pause" "$pause_ns"
	is "$set: by a clock that nobody sets" "$wall" 0
done
