#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A whole x86-64 machine in emulation, with PMUs that a kernel module makes: two kinds of core, and
# four counters for each CPU. made-pmu.c says what they count. What the kernel does with groups of
# events there is the real thing. So this shows what the library has to expect of a hybrid machine
# and of a PMU that others use, too.

target=x86_64-linux-gnu
architecture=amd64
kernel='linux-image-6\.1\.0-.*-cloud-amd64-unsigned' # for which made-pmu.c is written
suite=bookworm
qemu="qemu-system-x86_64 -M q35 -cpu max -accel tcg -smp 4 -m 512 -nographic -nic none -no-reboot"
console=ttyS0
events_run="kinds=exact hardware=exact raw=exact word=exact refused=exact"
more_programs="event-groups"
MACHINE_SECONDS=${MACHINE_SECONDS:-300}
. "$top_srcdir/tests/vm/common.sh"

# Kernel modules are built with the compiler of the kernel.
[ "$(gcc-12 -dumpmachine 2>/dev/null)" = $target ] || skip_all "gcc-12 for $target is not there"

# The kernel of x86.sh may be of another day than these headers.
fetched=$fetched-headers
headers=$fetched/headers

TICKS=5000000 # of the functions that are measured
EINVAL=22
ENOENT=2
EOPNOTSUPP=95

# fetch_headers: fetch what modules for this kernel are built with, as $headers.
fetch_headers() {
	[ ! -e "$headers" ] || return 0
	release=$(grep -a -o '6\.1\.0-[0-9]*-cloud-amd64' "$fetched/kernel" | head -n 1)
	apt_folder "$fetched" deb "$suite" "$architecture" &&
		apt_in "$fetched" apt-get -q update &&
		apt_in "$fetched" apt-get -q download "linux-headers-$release" \
			"linux-headers-${release%-cloud-*}-common" linux-kbuild-6.1 || return
	for package in "$fetched"/*.deb; do
		dpkg -x "$package" "$fetched/files" || return
	done
	mv "$fetched/files/usr/src/linux-headers-$release" "$fetched/files/usr/src/cloud" &&
		find_common_headers "$fetched/files/usr/src/cloud/Makefile" &&
		mv "$fetched/files/usr" "$headers" &&
		rm -rf "$fetched/files" "$fetched"/*.deb && apt_done "$fetched"
}

# find_common_headers MAKEFILE: it includes another one from where that would be installed.
find_common_headers() {
	sed -i 's,^include /usr/src/,include ../,' "$1"
}

# fetch_headers_or_skip: the headers of an old kernel may be gone. Then the next run fetches both.
fetch_headers_or_skip() {
	fetch_headers >"$scratch/fetch.log" 2>&1 </dev/null && return
	sed 's/^/# /' "$scratch/fetch.log" | tail -n 10
	rm -rf "$fetched"
	skip_all "no headers of the kernel can be fetched here"
}

build_module() {
	mkdir -p "$scratch/module" "$scratch/files/lib" &&
		cp "$top_srcdir/tests/vm/made-pmu.c" "$scratch/module" &&
		echo 'obj-m := made-pmu.o' >"$scratch/module/Kbuild" &&
		quietly module timeout 300 make -C "$headers/src/cloud" M="$scratch/module" \
			W=1 KCFLAGS=-Werror modules &&
		"$target-strip" -g -o "$scratch/files/lib/made-pmu.ko" "$scratch/module/made-pmu.ko"
}

# build_tool: build the tool that measures, and functions to measure, for the root of the machine.
build_tool() {
	configure_in measure --build="$host" --host="$target" --disable-static --prefix=/usr \
		--sysconfdir=/etc --localstatedir=/var $no_pkg_config CFLAGS=-O2 &&
		make_in measure lib/libcpucycles.la utils/cpucycles-measure &&
		mkdir -p "$scratch/files/bin" "$scratch/files/lib" "$scratch/files/lib64" &&
		copy_libraries "$scratch/files/lib" libc.so.6 libm.so.6 &&
		copy_libraries "$scratch/files/lib64" ld-linux-x86-64.so.2 &&
		cp "$scratch/measure/lib/.libs/libcpucycles.so.1" "$scratch/files/lib" &&
		cp "$scratch/measure/utils/.libs/cpucycles-measure" "$scratch/files/bin" &&
		quietly moving "$target-gcc" -O2 -Wall -Wextra -Werror -shared -fPIC \
			-DTICKS=$TICKS \
			-o "$scratch/files/lib/moving.so" "$top_srcdir/tests/vm/moving-work.c"
}

# copy_libraries FOLDER NAME...: those that the compiler links with.
copy_libraries() {
	to=$1
	shift
	for library; do
		cp "$("$target-gcc" -print-file-name="$library")" "$to/$library" || return
	done
}

# multiples SECTION NAME FACTOR...: the group was read, it counted, and its other members counted
# these multiples of the first.
multiples() {
	multiples_of=$(section_field "$1" "$2-counts")
	first=${multiples_of%% *}
	ok "$1, $2: the first member counts" between "$first" 1000000 1000000000000
	expected=$first
	multiples_name="$1, $2: the others count as many times as much"
	shift 2
	for factor; do
		expected="$expected $((${first:-0} * factor))"
	done
	is "$multiples_name" "$multiples_of" "$expected"
}

# running SECTION NAME: percent of the time for which the group counted.
running() {
	section_field "$1" "$2-time" | awk '{ print $1 ? int(100 * $2 / $1) : "none" }'
}

# described PMU [CPUS]: sysfs has this PMU.
described() {
	is "$1: sysfs has its CPUs, fields and events" "$(section "$1")" "${2:+cpus $2
}format/event config:0-7
format/umask config:8-15
events/cpu-cycles event=0x3c
events/instructions event=0xc0
events/slots event=0xa4,umask=0x01
exit 0"
}

# kernel_groups: what the kernel does with groups.
kernel_groups() {
	described cpu_core 0-1
	described cpu_atom 2-3
	multiples ratio first 3
	multiples ratio second 3
	is "a pinned group counts all the time" "$(running ratio first) $(running ratio second)" \
		"100 100"
	is "a group that can never fit is refused at the fifth member" \
		"$(section_values too-large members error)" "4 $EINVAL"
	multiples taken first 3 4 1
	is "a pinned group that does not fit beside it is in error: nothing can be read" \
		"$(section_values taken second-bytes left-alone-bytes)" "0 0"
	multiples taken enabled-again 3
	is "six events on four counters: none counts all the time" \
		"$(section shared | awk '$1 == "shared-time" && $3 < $2' | grep -c .)" 6
	ok "they share it: two thirds on average" between "$(section shared | awk '
		$1 == "shared-time" { enabled += $2; running += $3 }
		END { print int(100 * running / enabled) }')" 60 72
	multiples moves core 3
	multiples moves atom 3
	core=$(running moves core)
	atom=$(running moves atom)
	ok "the first kind counts a part of the time" between "$core" 10 90
	ok "the second kind another" between "$atom" 10 90
	ok "together they count all of it" between $((core + atom)) 97 101
}

# refusals: the errno of each event that event-groups opens; 0: it is open.
refusals() {
	is "exclude $2: what is refused" "$(section_values "$1" generic generic-atom other-kind \
		branch-misses cache software unknown-code exclude samples)" \
		"0 0 $EINVAL $ENOENT $ENOENT 0 0 $3 $EOPNOTSUPP"
}

# per_call SECTION EVENT: the whole number of what the tool says.
per_call() {
	section "$1" | awk -v name="$2" '
		$1 == "event" && $3 == name { sub(/\..*/, "", $2); print $2; exit }'
}

# of_cycles SECTION EVENT FACTOR: the tool counted it as many times as it counted cycles.
of_cycles() {
	cycles=$(per_call "$1" cpu-cycles)
	ok "$1: $2 is $3 times the cycles" between "$(per_call "$1" "$2")" \
		$((${cycles:-1} * $3 - $3)) $((${cycles:-0} * $3 + $3))
}

# uncounted SECTION EXIT SENTENCE: the tool ended so, and said this once.
uncounted() {
	is "$1: $3" "$(section_field "$1" exit) $(section "$1" | grep -c -e "$3")" "$2 1"
}

# listed SECTION: the PMUs of cores, and their events.
listed() {
	section "$1" | sed -n '/^cpu_/,$p' |
		awk '/^exit / { next } /^[^ ]/ { print } /^  [^ ]/ { print $1 }'
}

# tool_lists: the kinds of core in lists of events.
tool_lists() {
	is "-l lists one kind by its name" "$(listed list-atom)" "cpu_atom, on CPUs 2-3
cpu_atom/cpu-cycles/
cpu_atom/instructions/
cpu_atom/slots/"
	is "-l tries an event on a core of its kind" \
		"$(section list-atom | sed -n '/slots/,$p' | grep -c '^    counts here')" 1
	is "-l lists the kinds of core apart" "$(listed list-instructions)" "cpu_atom, on CPUs 2-3
cpu_atom/instructions/
cpu_core, on CPUs 0-1
cpu_core/instructions/"
}

# tool_counts: what the tool counts of functions that stay and that move.
tool_counts() {
	of_cycles stays instructions 3
	of_cycles moves instructions 3
	for section in stays moves; do
		ok "$section: no tick of a call is left out" between \
			"$(per_call $section cpu-cycles)" $((TICKS * 9 / 10)) 1000000000000
	done
	is "moves: software events are counted beside them" "$(per_call moves page-faults)" 0
	of_cycles kind-stays cpu_core/instructions/ 3
	of_cycles kind-stays cpu_core/slots/ 4
	of_cycles both-modes instructions 3
}

# tool_refuses: what it does not count, and that it gives no number then.
tool_refuses() {
	uncounted kind-moves 10 'the events did not count all the time'
	uncounted kind-elsewhere 10 'not counted cpu_core/instructions/'
	uncounted held 10 'the PMU accepts this event, and does not count it, at least now'
	for section in kind-moves kind-elsewhere held; do
		is "$section: no number" "$(section $section | grep -c '^event.* instructions')" 0
	done
	is "held: software events are counted all the same" "$(per_call held page-faults)" 0
	uncounted five 10 'cpu_core/slots/: the PMU cannot count it at the same time'
	# Scaled counts would differ.
	is "five: the four that fit have the same number" "$(section five |
		awk '$1 == "event" && $3 == "cpu_core/instructions/" { print $2 }' | uniq -c |
		awk '{ print $1 }')" 4
	uncounted apart 10 'not counted instructions:u ignores u and k'
	uncounted nothing 10 'event=0x77/ counts nothing in any known work'
	uncounted no-modes 10 'instructions:u: the PMU cannot count user mode (u) only'
}

fetch_or_skip
fetch_headers_or_skip
ok "build for $architecture" build_for_target
ok "build the module" build_module
ok "build the tool" build_tool
ok "make its file system" make_initrd

ok "a machine with made PMUs runs to its end" boot made hybrid,uniform
is "the module is loaded" "$(section_field load exit)" 0
kernel_groups
refusals refused 1 0
refusals refused-exclude 0 $EINVAL
is "with two counters, the third member is refused" \
	"$(section_values few-counters members error)" "2 $EINVAL"
is "the module is unloaded, and loaded for one kind of core" \
	"$(section_field unload exit) $(section_field reload exit)" "0 0"
described cpu
multiples uniform first 3
is "one kind of core counts on all CPUs" "$(running uniform-moves alone)" 100

ok "a machine for the tool runs to its end" boot tool events,codes
tool_lists
tool_counts
tool_refuses
for event in r01a4 r00a4:um=01 0x4301a4; do
	of_cycles codes $event 4
done
