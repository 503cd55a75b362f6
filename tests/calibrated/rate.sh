#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Compares what the calibrator measures of this machine's TSC and core, idle and busy, with the
# kernel's own figure.
#
# The rate of the TSC is known in every run, however busy the machine is: the TSC counts on while
# others run, so a reading that comes late is as good as any. The core's frequency may be unknown on
# a busy machine: programs that share its execution units, or change its frequency, lengthen the
# chain's batches until no three of them agree.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/calibrated/faults.sh"

runs=20
[ -z "${TESTS_SHORT-}" ] || runs=5 # in the short tier
goal=50 # ppm

# Which counter is the TSC here.
tsc=$("$calibrated" -n -B 20 -c "$scratch/none/counters" 2>/dev/null |
	sed -n 's/^usable \([a-z0-9]*-tsc\) .*/\1/p')
[ -n "$tsc" ] || skip_all "no TSC that works here"
steady=$("$calibrated" -n -B 20 -c "$scratch/none/counters" 2>/dev/null |
	sed -n 's/^fact tsc //p')
[ "$steady" = invariant ] || skip_all "the TSC is $steady, so its rate is not published"

# The kernel's figure in Hz, and where it is from.
truth=$("$top_builddir/tests/calibrated/kernel-rate" 2>/dev/null)
origin="the page of a software event"
if [ -z "$truth" ] && grep -q '^flags.* tsc_known_freq' /proc/cpuinfo; then
	truth=$(awk '/^cpu MHz/ { printf "%.0f", $NF * 1000000; exit }' /proc/cpuinfo)
	origin="/proc/cpuinfo, tsc_known_freq"
fi
clocksource=$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null)
case $clocksource in
tsc | kvm-clock) ;;
*) truth= origin="the clock does not run by the TSC but by $clocksource" ;;
esac
echo "# the kernel's figure for $tsc: ${truth:-none} Hz ($origin)"

# rates: from a cache's text, on one line: rate and bound of the core, rate and bound of the TSC.
rates() {
	awk -v tsc="$tsc" '
		$1 == "core" { core = $2 " " $4 }
		$1 == "usable" && $2 == tsc { rate = $(NF - 2) " " $NF }
		END { print core, rate }'
}

# measure FILE RUNS COMMAND...: so many runs under that command, a line of rates for each. Their
# logs are in FILE.N.
measure() {
	file=$1 count=$2
	shift 2
	: >"$file"
	i=0
	while [ $i -lt "$count" ]; do
		i=$((i + 1))
		"$@" "$calibrated" -n -f -v -c "$scratch/none/counters" 2>"$file.$i" |
			rates >>"$file"
	done
}

# far FILE: runs whose TSC is off by more than the goal, or by more than its bound.
# The kernel's own figure is cut to kHz.
far() {
	awk -v truth="$truth" -v goal=$goal '{
		off = ($3 - truth) / truth * 1e6
		if (off < 0) off = -off
		if (NF != 4 || off > goal || off > $4 + 1e9 / truth)
			print "run " NR ": " $0 ": " off " ppm off"
	}' "$1"
}

# unlogged FILE: runs that do not know the core or the TSC and do not say so.
unlogged() {
	awk '$1 == 0 { print NR, "core: kind .*: unknown: " }
		$3 == 0 { print NR, "rate: '"$tsc"': unknown: " }' "$1" |
		while read -r run line; do
			grep -q "$line" "$1.$run" || echo "run $run: no line '$line'"
		done
}

# tell WHAT FILE: prints the worst bound, and how far the runs are apart.
tell() {
	awk -v truth="${truth:-0}" -v what="$1" '
		{ off = truth ? ($3 - truth) / truth * 1e6 : 0; if (off < 0) off = -off
		  if (off > worst) worst = off
		  if ($4 > bound) bound = $4
		  if (NR == 1 || $1 < low) low = $1
		  if ($1 > high) high = $1
		  if ($2 > core) core = $2 }
		END {
			apart = low ? (high - low) / low * 1e6 : 0
			printf "# %s: TSC at worst %.3f ppm off, ", what, worst
			printf "widest bound %d ppm; ", bound
			printf "core %.0f to %.0f Hz ", low, high
			printf "(%.0f ppm apart, widest bound %d)\n", apart, core
		}' "$2"
}

# implausible FILE: runs whose core is not between 0.3 and 5 times the TSC. Some runs may not know
# the core, because the machine may be busy at any time, but not all of them.
implausible() {
	awk 'NF == 4 && $1 == 0 { n++; next }
		NF != 4 || $1 < 0.3 * $3 || $1 > 5 * $3 { print "run " NR ": " $0 }
		END { if (n == NR) print "no run knows it" }' "$1"
}

# check WHAT FILE
check() {
	tell "$1" "$2"
	if [ -n "$truth" ]; then
		is "$1: the TSC is within $goal ppm and its bound in $runs runs of $runs" \
			"$(far "$2")" ""
	else
		skip "$1: the TSC is within $goal ppm" "$origin"
	fi
	is "$1: the core's frequency is plausible" "$(implausible "$2")" ""
	is "$1: a run that does not know says so" "$(unlogged "$2")" ""
}

# With nothing started here. Other tests may run beside it.
cpus=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
measure "$scratch/idle" $runs env
check idle "$scratch/idle"

# Two busy loops on each CPU.
loops=
i=0
while [ $i -lt $((cpus * 2)) ]; do
	i=$((i + 1))
	while :; do :; done &
	loops="$loops $!"
done
measure "$scratch/busy" $runs env
measure "$scratch/last" 5 nice -n 19
# shellcheck disable=SC2086 # numbers
kill $loops
wait
check "all CPUs busy" "$scratch/busy"

# With the lowest priority. Even then enough batches are timed for some to agree.
tell "last in turn" "$scratch/last"
is "last in turn: the TSC is known" "$(awk 'NF != 4 || $3 == 0' "$scratch/last")" ""
is "last in turn: at least 16 batches of each length tell the core's frequency" \
	"$(sed -n 's/.*core: kind .*(\([0-9]*\) batches).*/\1/p' "$scratch"/last.* |
		awk '$1 < 16')" ""

# With pauses that end a tenth of a second late, as on a machine that is busy with more important
# work. After one or two of them the time is up.
if injects; then
	$strace -e trace=/nanosleep -e inject=/nanosleep:delay_enter=100000 \
		"$calibrated" -n -f -v -B 20 -c "$scratch/none/counters" 2>"$scratch/late.1" |
		rates >"$scratch/late"
	echo "# late pauses: $(sed -n "s/.*rate: $tsc: //p" "$scratch/late.1" | tr '\n' ' ')"
	ok "pauses that end late: the TSC is known" awk '{ exit !($3 > 0 && $4 > 0) }' \
		"$scratch/late"
	if [ -n "$truth" ]; then
		is "pauses that end late: it is within $goal ppm and its bound" \
			"$(far "$scratch/late")" ""
	else
		skip "pauses that end late: it is within $goal ppm" "$origin"
	fi
else
	skip "pauses that end late" "$why"
fi

# A longer budget takes longer and gives a narrower bound, in the median of three runs. On a busy
# machine a pause may end later than the shorter budget, so this is tried again.
TRIES=5
# spans BUDGET: for each run, how many us its readings span, and its bound.
spans() {
	for run in 1 2 3; do
		"$calibrated" -n -f -v -B "$1" -c "$scratch/none/counters" 2>&1 >"$scratch/out" |
			sed -n "s/.*rate: $tsc: .* pairs over \([0-9]*\) us.*/us \1/p"
		sed -n "s/^usable $tsc .* measured [1-9][0-9]* ppm /ppm /p" "$scratch/out"
	done >"$scratch/spans-$1"
	echo "# --budget $1: $(tr '\n' ' ' <"$scratch/spans-$1")"
}
# middle BUDGET WORD
middle() {
	sed -n "s/^$2 //p" "$scratch/spans-$1" | sort -n | sed -n 2p
}
all_known() {
	[ "$(cut -d' ' -f1 "$scratch/spans-$1" | tr '\n' ' ')" = "us ppm us ppm us ppm " ]
}
longer() { [ "$(middle 800 us)" -gt "$((2 * $(middle 20 us)))" ]; }
narrower() { [ "$(middle 800 ppm)" -le "$(middle 20 ppm)" ]; }
for try in $(seq $TRIES); do
	spans 20
	spans 800
	! all_known 20 || ! all_known 800 || ! longer || ! narrower || break
done
for budget in 20 800; do
	ok "--budget $budget: three runs of three know the TSC" all_known $budget
done
ok "--budget 800 reads for twice as long as --budget 20, and more" longer
ok "and its bound is not wider" narrower
