#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The work to find the frequency is limited: at most 4 KiB of /proc/cpuinfo and a dozen small files,
# with 1 CPU and with 1024, and no other program is started. A first call without a cache asks
# nothing twice.

. "$top_srcdir/tests/harness/tap.sh"
command -v strace >/dev/null || skip_all "no strace"
may_trace || skip_all "$refused"
replay=$top_builddir/tests/lib/frequency-replay
show=$top_builddir/tests/lib/show
# LeakSanitizer does not work under a tracer.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

calls="open,openat,?openat2,close,read,pread64,readv,mmap,perf_event_open"
traced() {
	"$top_builddir/libtool" --mode=execute strace -f -y -o "$scratch/trace" \
		-e trace=$calls,execve,fork,vfork,clone,clone3 "$@" >"$scratch/out" 2>&1
}

# files FOLDER...: the number of calls that open something below these folders, without the files of
# /proc that sanitizers read.
files() {
	count=0
	for folder; do
		count=$((count + $(grep -vE '"/proc/self/(cmdline|environ|maps)"' "$scratch/trace" |
			grep -cE "open(at)?\(.*\"$folder|openat2\([0-9]+<$folder>")))
	done
	echo "$count"
}

# bytes PATH: the number of bytes that were read from it.
bytes() {
	grep -E "^[0-9 ]*(read|pread64|readv)\([0-9]+<[^>]*$1>" "$scratch/trace" |
		sed -n 's/.* = \([0-9][0-9]*\)$/\1/p' | awk '{ sum += $1 } END { print sum + 0 }'
}
at_most() {
	[ "$1" -le "$2" ] && return
	echo "# got $1, expected at most $2"
	sed 's/^/# /' "$scratch/trace" | head -n 60
	return 1
}
no_program() {
	is "$1: no other program" "$(grep -cE '(execve|fork|vfork|clone3?)\(' "$scratch/trace")" 1
}

# A tree with that many CPUs and without an answer, so that every source is asked.
tree() {
	root=$scratch/root$1
	mkdir -p "$root/proc"
	(cd "$root" && awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) {
			printf "processor\t: %d\nvendor_id\t: GenuineIntel\nflags\t\t:", i
			for (j = 0; j < 200; j++) printf " flag%d", j
			printf "\nbogomips\t: 5000.00\n\n" >"/dev/stdout"
		}
	}' >proc/cpuinfo
	i=0
	while [ "$i" -lt "$1" ]; do
		echo "sys/devices/system/cpu/cpu$i/cpufreq"
		i=$((i + 1))
	done | xargs mkdir -p
	for folder in sys/devices/system/cpu/cpu*/cpufreq; do
		echo '<unsupported>' >"$folder/scaling_setspeed"
	done)
}

for cpus in 1 1024; do
	tree "$cpus"
	ok "$cpus CPUs: traced" traced "$replay" "$root" x86_64
	is "$cpus CPUs: nobody" "$(cat "$scratch/out")" "$(printf -- '-\tnobody')"
	ok "$cpus CPUs: a dozen files" at_most "$(files "$root")" 12
	opened=$(files "$root")
	ok "$cpus CPUs: they were counted" test "$opened" -ge 7
	ok "$cpus CPUs: 4 KiB of /proc/cpuinfo" at_most "$(bytes /proc/cpuinfo)" 4096
	ok "$cpus CPUs: they were counted too" test "$(bytes /proc/cpuinfo)" -gt 0
	no_program "$cpus CPUs"
	echo "# $cpus CPUs: $opened files, $(bytes /proc/cpuinfo) bytes of $(wc \
		-c <"$root/proc/cpuinfo")"
done

# A real first call, without a cache.
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
ok "a first call: traced" traced "$show"
if [ "$(bytes /proc/cpuinfo)" -gt 0 ]; then
	ok "a first call: 4 KiB of /proc/cpuinfo" at_most "$(bytes /proc/cpuinfo)" 4096
else
	skip "a first call: 4 KiB of /proc/cpuinfo" "another source answers here"
fi
ok "a first call: a dozen files" at_most "$(files /proc /sys "$sysconfdir/cpucycles")" 12
no_program "a first call"

# The folders in which it opens files, and the questions that the kernel has refused.
for folder in /proc /sys; do
	opened=$(grep -cE "open(at)?\(.*\"$folder\",.* = [0-9]" "$scratch/trace")
	ok "a first call: $folder is opened once" at_most "$opened" 1
	is "a first call: $folder is closed" \
		"$(grep -cE "close\([0-9]+<$folder>\)" "$scratch/trace")" "$opened"
done
sed -n 's/^.*\(perf_event_open(.*) *= -1 E\(NOENT\|ACCES\|PERM\)\) .*/\1/p' "$scratch/trace" \
	>"$scratch/refused"
is "a first call: perf_event_open(2) is asked nothing twice" \
	"$(sort "$scratch/refused" | uniq -d)" ""
