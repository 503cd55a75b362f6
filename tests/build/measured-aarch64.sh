#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A machine whose OS does not tell its frequency: ARM64 under qemu-user. Its programs see this
# machine's /sys and, unless another file is mounted there, its /proc/cpuinfo.

target=aarch64-linux-gnu
. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/lines.sh"
cache=$scratch/cache/counters

command -v "$target-gcc" >/dev/null || skip_all "$target-gcc is not there"
command -v qemu-aarch64 >/dev/null || skip_all "qemu-aarch64 is not there"

ok "configure for $target" configure_in build --build="$host" --host="$target" \
	$no_pkg_config --disable-shared
ok "make a static calibrator" make_in build "$without_libtool" CFLAGS="-O2 -Werror" \
	LDFLAGS=-all-static calibrated/cpucycles-calibrated
calibrated=$scratch/build/calibrated/cpucycles-calibrated
[ -x "$calibrated" ] || { skip "the rest" "nothing to run"; exit 0; }

# The /proc/cpuinfo of a Raspberry Pi 4: BogoMIPS is the timer's rate, and no line has the core's.
cat >"$scratch/cpuinfo" <<'END'
processor	: 0
BogoMIPS	: 108.00
Features	: fp asimd evtstrm crc32 cpuid
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x0
CPU part	: 0xd08
CPU revision	: 3

END
silent() {
	unshare -m sh -c 'mount --bind "$0/cpuinfo" /proc/cpuinfo && shift && exec "$@"' \
		"$scratch" "$@"
}
if ! silent -- true 2>/dev/null; then
	silent() { shift; "$@"; }
	echo "# this machine's own /proc/cpuinfo: no mounts here"
fi

# calibrate ARGUMENT...: run the calibrator with files of this test.
calibrate() {
	silent -- qemu-aarch64 "$calibrated" -c "$cache" -p "$scratch/persecond" "$@" \
		>"$scratch/out" 2>"$scratch/log"
}
logged() { grep -q -e "$1" "$scratch/log" || { sed 's/^/# log: /' "$scratch/log"; return 1; }; }
# within HZ OTHER PERCENT: the frequencies differ by this much at most.
within() {
	awk -v a="$1" -v b="$2" -v percent="$3" \
		'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= b * percent / 100) }'
}

ok "it calibrates" calibrate
case $(cache_field persecond) in
*" measured" | *" default") ;;
*)
	skip "persecond is measured" "here the OS answers: $(cache_field persecond)"
	exit 0
	;;
esac
is "persecond is measured, not the default" "$(cache_field persecond | cut -d' ' -f2)" measured
persecond=$(cache_field persecond | cut -d' ' -f1)
is "it is the core's frequency" "$persecond" "$(cache_field core | cut -d' ' -f1)"
is "and the persecond file's" "$(head -n 1 "$scratch/persecond")" "$persecond"

# The emulator translates each instruction of the chain into one of this machine's core, so both
# must measure the same frequency. The core of a shared machine changes its pace from second to
# second, so both are measured in turn, and one pair within 15 % is enough. A chain of the wrong
# length would be wrong by a quarter.
native() {
	"$top_builddir/calibrated/cpucycles-calibrated" -n -c "$scratch/none/counters" 2>/dev/null |
		sed -n 's/^core \([0-9]*\) .*/\1/p'
}
near_native() {
	for turn in 1 2 3 4 5; do
		here=$(native)
		echo "# emulated: $persecond Hz;" \
			"this machine's core, without the emulator: $here Hz"
		within "$persecond" "$here" 15 && return
		calibrate --force || return
		persecond=$(cache_field persecond | cut -d' ' -f1)
	done
	return 1
}
if [ "$(uname -m)" = x86_64 ]; then
	ok "it is within 15 % of this machine's core" near_native
else
	skip "it is within 15 % of this machine's core" \
		"the emulator's translation is known for x86-64 only"
fi

# The core is measured again in each run.
ok "a second run succeeds" calibrate
ok "it measures the core" logged ': core: '
is "it publishes what it measured" "$(cache_field persecond | sed 's/.* //')" measured
