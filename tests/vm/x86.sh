#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Whole x86-64 machines in emulation, with 64-bit and 32-bit programs. speeds.sh explains the
# machines whose speed is known. Their TSC has 10^9 ticks per second at every speed of the core, and
# they have one CPU, because with -icount two hang. Other machines have a TSC that the kernel
# takes to be as fast as it is not, or that it does not use; and one has no clock but the timer
# interrupt.

target=x86_64-linux-gnu
architecture=amd64
kernel='linux-image-[0-9].*-cloud-amd64-unsigned'
qemu="qemu-system-x86_64 -M q35 -accel tcg -m 512 -nographic -nic none -no-reboot"
console=ttyS0
. "$top_srcdir/tests/vm/common.sh"
. "$top_srcdir/tests/vm/speeds.sh"

speeds_run="x86-shift-0 x86-shift-3 x86-shift-4 x86-shift-6 x86-two-cpus x86-hpet x86-acpi_pm
	x86-next-boot x86-wrong-tsc x86-unstable-tsc x86-jiffies"

TSC_COUNTERS="amd64-tsc amd64-tscasm"
BLIND_HZ=2399987654 # where nobody knows more

# In the short tier, one known speed and two boots of one machine are tried, and no 32-bit program.
shifts="0 3 4 6"
target32=i686-linux-gnu
if [ -n "${TESTS_SHORT-}" ]; then
	shifts=3
	target32=
else
	command -v $target32-gcc >/dev/null || skip_all "$target32-gcc is not there"
fi

build_32() {
	build_static build32 $target32 && mkdir -p "$scratch/files/bin32" || return
	for program in calibrated/cpucycles-calibrated utils/cpucycles-info tests/lib/show; do
		cp "$scratch/build32/$program" "$scratch/files/bin32" || return
	done
}

# true_tsc SECTION: the TSC's rate by the clock of the boot.
true_tsc() {
	section_field "$1" rate
}

# tsc_holds CACHE TRUTH: the rates of the TSC in this cache are right, or not told.
tsc_holds() {
	ok "$machine, $2: the TSC was measured" between "$(true_tsc "$2")" 100000000 20000000000
	for counter in $TSC_COUNTERS; do
		# shellcheck disable=SC2046 # a figure and its bound
		set -- "$1" "$2" $(of_rate "$1" "$counter")
		[ "${3:-0}" -eq 0 ] || ok "$machine, $1: $counter has $3 Hz within $4 ppm" \
			inside "$(true_tsc "$2")" "$3" $(($4 + 1))
	done
}

# no_steady_rate SECTION: the rate of a TSC that may change is not told as if it were fixed.
no_steady_rate() {
	case $(section_field "$1-cache" 'fact tsc') in variable | unstable) ;; *) return ;; esac
	is "$machine, $1: no rate is promised for a TSC that may change its own" \
		"$(section "$1-show" | sed -n 's/^hz 0*//p')" ""
	ok "$machine, $1: and the reason is shown" test -n \
		"$(section "$1-info" | grep -e 'not invariant' -e 'unstable$' |
			grep -v '^cpucycles cache fact')"
}

# tsc_row NAME CACHE TRUTH
tsc_row() {
	# shellcheck disable=SC2046 # a figure and its bound
	set -- "$1" "$(true_tsc "$3")" $(of_rate "$2" amd64-tsc)
	row "$1" "rate of amd64-tsc" "${2:-1}" "${3:-0}" measured "${4:--}"
}

# persecond_row NAME CACHE TRUTH [TOLD]
persecond_row() {
	# shellcheck disable=SC2046 # a figure and its source
	set -- "$1" "$(true_tsc "$3")" "${4:-}" $(of_persecond "$2")
	row "$1" "persecond, of the TSC" "${2:-1}" "${4:-0}" "${5:--}" - - "$3"
}

# of_fine_clock CLOCK: a filter for rates_off. Beside a clock with steps of 4 ms, rates of other
# clocks with such steps may be unknown.
of_fine_clock() {
	if [ "$1" = jiffies ]; then awk '$2 != 0'; else cat; fi
}

# of_a_clock NAME SECTION CLOCK: tests of init's said.
of_a_clock() {
	is "$machine, $2: the clock is $3" "$(section_field "$2-cache" 'fact clocksource')" "$3"
	is "$machine, $2: the calibrator succeeds" "$(section_field "$2" exit)" 0
	is "$machine, $2: the rates of the clocks are within their bounds" \
		"$(rates_off "$2-cache" | of_fine_clock "$3")" ""
	tsc_holds "$2-cache" "$2-truth"
	no_steady_rate "$2"
	tsc_row "$1" "$2-cache" "$2-truth"
}

fetch_or_skip
ok "build for $architecture" build_for_target
[ -z "$target32" ] || ok "build 32-bit programs" build_32
ok "make its file system" make_initrd

for shift in $shifts; do
	# shellcheck disable=SC2046 # options
	ok "x86-shift-$shift: it runs to its end" boot x86-shift-$shift \
		settled,speed,${target32:+speed32,}truth -cpu max -smp 1 $(icount $shift)
	speed x86-shift-$shift $shift
	tsc_holds speed-cache truth
	tsc_holds speed-again-cache truth
	no_steady_rate speed
	tsc_row x86-shift-$shift speed-cache truth
	persecond_row x86-shift-$shift speed-cache truth
	[ -n "$target32" ] || continue
	# At 15.6 MHz, the reads that the rule asks for take a 32-bit program 90 ms.
	full_run_hz=60000000
	speed x86-shift-$shift $shift speed32 ", 32-bit"
	full_run_hz=$FULL_RUN_HZ
done

# The kernel measures its clock anew at each boot, so a rate of the boot before may be wrong. A
# kernel that is not told to rely on the TSC would not use one that is not invariant with two CPUs.
parameters=tsc=reliable
ok "two CPUs run to their end" boot two-cpus settled,said,clocks -cpu max -smp 2
of_a_clock x86-two-cpus said tsc
of_a_clock x86-hpet hpet hpet
of_a_clock x86-acpi_pm acpi_pm acpi_pm
carry x86-two-cpus said
ok "the next boot runs to its end" boot next-boot settled,carried,truth -cpu max -smp 2
is "the next boot: the calibrator succeeds" "$(section_field carried exit)" 0
tsc_holds carried-cache truth
is "the next boot: the rates of the clocks are within their bounds" "$(rates_off carried-cache)" ""
tsc_row x86-next-boot carried-cache truth
initrd=
[ -z "${TESTS_SHORT-}" ] || exit 0

# The kernel is told a wrong rate of the TSC. It finds out by the HPET, and no longer uses the TSC.
parameters=tsc_early_khz=364000
ok "a machine with a wrong rate of the TSC runs to its end" \
	boot wrong-tsc distrusted,said -cpu max -smp 1
of_a_clock x86-wrong-tsc said hpet
is "the wrong rate is the system's" "$(of_persecond said-cache)" "364000000 cpuinfo-mhz"
sentence=$(section_field said-info 'cpucycles disagreement:')
echo "# $sentence"
is "it is told that persecond differs from the counter" \
	"$(echo "$sentence" | grep -o "persecond is not the counter's rate")" \
	"persecond is not the counter's rate"
is "and no hypervisor is blamed for that" "$(echo "$sentence" | grep -i -e virtual -e hyper)" ""
persecond_row x86-wrong-tsc said-cache said-truth "$(echo "$sentence" | grep '^persecond is not')"

parameters=tsc=unstable
ok "a machine with a TSC that the kernel does not trust runs to its end" \
	boot unstable-tsc distrusted,said -cpu max -smp 1
of_a_clock x86-unstable-tsc said hpet
ok "the cache says so" sh -c \
	"case '$(section_field said-cache 'fact tsc')' in variable | unstable) ;; *) exit 1 ;; esac"

# Without the TSC's bit in CPUID, nobody knows a frequency, but RDTSC works.
parameters="clocksource=jiffies hpet=disable pmtmr=0"
ok "a machine with no clock but jiffies runs to its end" boot jiffies said -cpu max,-tsc -smp 1
of_a_clock x86-jiffies said jiffies
ok "a measured figure is better than the default" sh -c \
	"case '$(of_persecond said-cache)' in $BLIND_HZ' '* | *default | '') exit 1 ;; esac"
# A clock with steps of 4 ms tells the rate within a fifth.
# shellcheck disable=SC2046 # a figure and its source; a figure and its bound
set -- $(of_persecond said-cache) $(of_rate said-cache amd64-tsc)
ok "that figure is the TSC's" inside "$(true_tsc said-truth)" "${1:-0}" "${4:-}"
row x86-jiffies "persecond, of the TSC" "$(true_tsc said-truth)" "${1:-0}" "${2:-}" "${4:-}"

speeds_written x86
