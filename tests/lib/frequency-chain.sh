#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The sources of the frequency on this machine: which one answers, which one answers without it, and
# whether all sources of the same clock agree.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
replay=$top_builddir/tests/lib/frequency-replay
show=$top_builddir/tests/lib/show
tab=$(printf '\t')
system=$(uname -s)

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE

# All sources of this machine.
"$replay" --system >"$scratch/system"
echo "# here: $(cat "$scratch/system")"
"$replay" --cpu >"$scratch/cpu"
sed 's/^/# this CPU: /' "$scratch/cpu"
cpu=$(grep -v '^-' "$scratch/cpu" | head -n 1)

# The sources that answered, and the largest ratio of two of them, in thousandths.
answers=$(grep -c '^[0-9]' "$scratch/cpu")
if [ "$answers" -ge 2 ]; then
	ok "this CPU's sources agree within 1 %" awk '/^[0-9]/ {
			if (!low || $1 < low) low = $1
			if ($1 > high) high = $1
		} END { exit !(low && high / low <= 1.01) }' "$scratch/cpu"
else
	skip "this CPU's sources agree within 1 %" "$answers of them answer here"
fi

for emulator in qemu-x86_64 qemu-i386; do
	case $emulator:$(uname -m) in qemu-x86_64:x86_64 | qemu-i386:i?86) ;; *) continue ;; esac
	if ! command -v $emulator >/dev/null || ! $emulator /bin/true 2>/dev/null; then
		skip "under $emulator" "it does not run programs of this machine"
		continue
	fi
	# A sanitizer has too little memory under the emulator, and fails only after a while.
	if sanitized; then
		skip "under $emulator" "a sanitizer maps more memory than the emulator has"
		continue
	fi
	if ! timeout 120 $emulator "$replay" / none >/dev/null 2>&1; then
		skip "under $emulator" "it does not run this build"
		continue
	fi
	ok "under $emulator: the CPU's sources" sh \
		-c "$emulator '$replay' --cpu >'$scratch/emulated'"
	sed "s/^/# $emulator: /" "$scratch/emulated"
	is "under $emulator: none faults" "$(grep -c signal "$scratch/emulated")" 0
	ok "under $emulator: the chain" sh -c "$emulator '$replay' --system"
done

[ "$system" = Linux ] || { skip "one after the other" "not Linux"; exit 0; }
may_mount /sys/devices/system/cpu || { skip "one after the other" "$refused"; exit 0; }

# In a /sys and a /proc of this test, one source after the other is removed.
cat >"$scratch/script" <<'END'
set -e
cpus=/sys/devices/system/cpu
mount -t tmpfs none $cpus
mkdir -p $cpus/cpu0/cpufreq $cpus/cpu0/of_node
echo 1600000 >$cpus/cpu0/cpufreq/scaling_setspeed
echo 3100000 >$cpus/cpu0/cpufreq/scaling_max_freq
echo 1167000000 >$cpus/cpu0/clock_tick
echo 2000000 >$cpus/cpu0/tsc_freq_khz
printf '\001\061\055\000' >$cpus/cpu0/of_node/clock-frequency
printf 'processor : 0\ncpu MHz : 2345.678\nclock : 1000MHz\n\n' >"$scratch/cpuinfo"
mount --bind "$scratch/cpuinfo" /proc/cpuinfo
ask() {
	"$show" | sed -n 's/^persecond \(.*\)/\1/p; s/^persecond-source \(.*\)/\1/p' |
		paste -s -d ' ' -
}
ask
rm $cpus/cpu0/cpufreq/scaling_setspeed; ask
echo nan >$cpus/cpu0/cpufreq/scaling_max_freq; ask
rm $cpus/cpu0/clock_tick; ask
rm $cpus/cpu0/tsc_freq_khz; ask
printf 'processor : 0\nclock : 1000MHz\n\n' >"$scratch/cpuinfo"; ask
: >"$scratch/cpuinfo"; ask
rm $cpus/cpu0/of_node/clock-frequency; ask
export cpucyclespersecond=3e9; ask
END
# shellcheck disable=SC2097,SC2098 # the same value in both
scratch=$scratch show=$show sysconfdir=$sysconfdir $unshare sh -u "$scratch/script" \
	>"$scratch/out" 2>"$scratch/err" ||
	sed 's/^/# /' "$scratch/err"
line() { sed -n "$1p" "$scratch/out"; }
case $(uname -m) in
x86_64 | i?86) mhz="2345678000 cpuinfo-mhz" ;;
aarch64 | arm* | riscv* | ppc* | s390* | sparc*) mhz="1000000000 cpuinfo-clock" ;;
*) mhz=$(line 5) ;;
esac
is "all are there" "$(line 1)" "1600000000 cpufreq-setspeed"
is "without setspeed" "$(line 2)" "3100000000 cpufreq-max"
is "max says nan" "$(line 3)" "1167000000 clock-tick"
is "without clock_tick" "$(line 4)" "2000000000 tsc-freq-khz"
is "without tsc_freq_khz" "$(line 5)" "$mhz"
is "without a line of MHz" "$(line 6)" "1000000000 cpuinfo-clock"
is "an empty /proc/cpuinfo" "$(line 7)" "20000000 device-tree"
cpu=$(echo "$cpu" | tr '\t' ' ')
is "only the CPU" "$(line 8)" "${cpu:-2399987654 default}"
is "only the CPU and the environment" "$(line 9)" "${cpu:-3000000000 environment}"
