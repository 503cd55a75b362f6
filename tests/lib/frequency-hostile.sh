#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Files of Linux that are empty, contain nonsense or are no files. Such a file is no answer, nobody
# waits for it, and the next source is asked.

. "$top_srcdir/tests/harness/tap.sh"
replay=$top_builddir/tests/lib/frequency-replay
tab=$(printf '\t')
nobody="-${tab}nobody"
root=$scratch/root
cpu0=$root/sys/devices/system/cpu/cpu0
numbers="cpufreq/scaling_setspeed cpufreq/scaling_max_freq clock_tick tsc_freq_khz"
# The last source of all answers, unless another source stops the search.
last="20000000${tab}device-tree"

fresh() {
	rm -rf "$root"
	mkdir -p "$cpu0/cpufreq" "$cpu0/of_node" "$root/proc/device-tree/cpus/cpu@0"
}
with_last() {
	fresh
	printf '\001\061\055\000' >"$root/proc/device-tree/cpus/cpu@0/clock-frequency"
}
# A limit, so that a wait without end makes the test fail.
asked() {
	timeout 120 "$replay" "$root" "${1:-x86_64}" || echo "status $?"
}

# Texts that are no valid number, with escapes of printf.
for bad in '' '\n' '0\n' '-1600000\n' '+1600000\n' 'nan\n' 'inf\n' 'Infinity\n' '1e400\n' \
	'1e-400\n' '1e\n' \
	'0x186a00\n' '1600000 kHz\n' '1,600,000\n' '99999999999999999999999999\n' '999999999999\n' \
	'0.000999\n' \
	'1600000\0000\n' '\0001600000' '<unsupported>\n' '1600000\n1600000\n' '.\n' \
	'                                                                1600000\n' \
	'1600000                                                                 kHz\n'; do
	with_last
	for file in $numbers; do
		printf -- "$bad" >"$cpu0/$file"
	done
	shown=$(printf '%s' "$bad" | tr '\\' _)
	is "every file says \"$shown\"" "$(asked)" "$last"
	with_last
	printf "processor : 0\ncpu MHz : $bad\n" >"$root/proc/cpuinfo"
	is "/proc/cpuinfo says \"$shown\"" "$(asked)" "$last"
done

# If the first source is invalid, the next valid one answers.
with_last
echo nan >"$cpu0/cpufreq/scaling_setspeed"
echo 3100000 >"$cpu0/cpufreq/scaling_max_freq"
is "the next file answers" "$(asked)" "3100000000${tab}cpufreq-max"
printf 'cpu MHz : nan\ncpu MHz : 800\n' >"$root/proc/cpuinfo"
echo 0 >"$cpu0/cpufreq/scaling_max_freq"
is "the next line answers" "$(asked)" "800000000${tab}cpuinfo-mhz"

# Binary values of the device tree.
for bytes in '' '\001' '\001\061\055' '\000\001\061\055\000' '\001\061\055\000\000\000' \
	'\000\000\000\000\001\061\055\000\000' '\000\000\000\000' \
	'\000\000\000\000\000\000\000\000' \
	'\377\377\377\377\377\377\377\377' '20000000\n' '\000\000\003\347' \
	'\001\061\055\000\001\061\055\000\001\061\055\000\001\061\055\000'; do
	fresh
	printf "$bytes" >"$cpu0/of_node/clock-frequency"
	is "clock-frequency of the bytes $(printf '%s' "$bytes" | tr '\\' _)" "$(asked)" "$nobody"
done
fresh
printf '\000\000\000\001\052\005\362\000' >"$cpu0/of_node/clock-frequency"
is "two cells" "$(asked)" "5000000000${tab}device-tree"

# A folder, a device or another thing in the place of a file.
all="sys/devices/system/cpu/cpu0/cpufreq/scaling_setspeed
	sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq
	sys/devices/system/cpu/cpu0/clock_tick sys/devices/system/cpu/cpu0/tsc_freq_khz proc/cpuinfo
	sys/devices/system/cpu/cpu0/of_node/clock-frequency
	proc/device-tree/cpus/cpu@0/clock-frequency"
everywhere() {
	fresh
	for file in $all; do
		"$@" "$root/$file"
	done
}
everywhere mkfifo
is "a FIFO everywhere" "$(asked)" "$nobody"
sleep 300 3<>"$root/sys/devices/system/cpu/cpu0/clock_tick" &
holder=$!
echo 1167000000 >"$root/sys/devices/system/cpu/cpu0/clock_tick"
is "a FIFO that somebody fills" "$(asked)" "$nobody"
kill "$holder"
everywhere mkdir
is "a folder everywhere" "$(asked)" "$nobody"
everywhere ln -s loop
for file in $all; do
	ln -sf "$(basename "$file")" "$root/$file"
done
is "a link to itself everywhere" "$(asked)" "$nobody"
for target in /nothing /dev/null /dev/zero /dev/tty .; do
	everywhere ln -s "$target"
	is "a link to $target everywhere" "$(asked)" "$nobody"
done
fresh
rm -r "$root/sys"
echo 1 >"$root/sys"
is "a file where a folder should be" "$(asked)" "$nobody"
long=$scratch$(printf '/%0300d' 0)
is "a root too long" "$("$replay" "$long" x86_64)" "$nobody"

# Files without permission.
everywhere sh -c 'echo 1600000 >"$1"; chmod 000 "$1"' sh
if ! may_override; then
	is "not permitted" "$(asked)" "$nobody"
elif may_become; then
	install -m 755 "$replay" "$scratch/replay"
	is "not permitted" "$($as_nobody "$scratch/replay" "$root" x86_64)" "$nobody"
else
	skip "not permitted" "$refused"
fi

# A file of 100 MB.
fresh
printf 'processor : 0\ncpu MHz : 2400.000\n' >"$root/proc/cpuinfo"
truncate -s 100M "$root/proc/cpuinfo"
is "100 MB of nothing behind the answer" "$(asked)" "2400000000${tab}cpuinfo-mhz"
fresh
truncate -s 100M "$root/proc/cpuinfo"
printf 'processor : 0\ncpu MHz : 2400.000\n' >>"$root/proc/cpuinfo"
is "100 MB of nothing before the answer" "$(asked)" "$nobody"
fresh
yes 'flags : fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov' 2>/dev/null |
	head -c 100000000 >"$root/proc/cpuinfo"
printf 'cpu MHz : 2400.000\n' >>"$root/proc/cpuinfo"
is "100 MB in the first block, the answer at its end" "$(asked)" "$nobody"
for file in $numbers; do
	ln -f "$root/proc/cpuinfo" "$cpu0/$file"
done
is "100 MB in every file" "$(asked)" "$nobody"
fresh
tr '\0' 1 </dev/zero | head -c 1000000 >"$cpu0/clock_tick"
is "a million digits" "$(asked)" "$nobody"

# A line that tells the clock on one architecture is no answer on another one.
line() {
	fresh
	printf 'processor : 0\n%s\n' "$2" >"$root/proc/cpuinfo"
	is "$1: $2" "$(asked "$1")" "$3"
}
line x86_64 'BogoMIPS : 5192.28' "$nobody"
line x86_64 'bogomips : 5192.28' "$nobody"
line mips64 'BogoMIPS : 1000.00' "$nobody"
line x86_64 'CPU MHz : 2500.00' "$nobody"
line loongarch64 'CPU MHz : 2500.00' "2500000000${tab}cpuinfo-mhz"
line aarch64 'cpu MHz : 2500.00' "$nobody"
line riscv64 'cpu MHz : 2500.00' "$nobody"
line s390x 'cpu MHz : 2500' "$nobody"
line s390x 'cpu MHz static : 5000' "5000000000${tab}cpuinfo-mhz-static"
line x86_64 'cpu MHz static : 5000' "$nobody"
line x86_64 'cycle frequency [Hz] : 533333333' "$nobody"
line alphaev67 'cycle frequency [Hz] : 533333333' "533333333${tab}cpuinfo-clock"
line x86_64 'Clocking: 24.8MHz' "$nobody"
line nios2 'Clocking: 50.00 MHz' "50000000${tab}cpuinfo-clock"
