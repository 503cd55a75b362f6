#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The counter over RDPRU. Natively where this CPU has the instruction. On any other x86-64, on a
# made AMD processor (made-amd.c): there the register and the time of a read are made, and all else
# is real.
# MADE_AMD: the program that makes it, for a build of 32 bits, whose own cannot. HOPS, READS: how
# often the thread changes its CPU, and how often two threads read, natively.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

counters_made="amd64-rdpru"

sanitized && skip_all "a sanitizer's own handlers get the faults of the made processor"
counter=$("$programs/show" | sed -n "s/^implementation \\(x86\\|amd64\\)-.*/\\1-rdpru/p")
case $(uname -m) in
x86_64 | i?86) counter=${counter:-$counters_made} ;;
*) skip_all "RDPRU is an instruction of x86" ;;
esac

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
: "${READS:=100000000}" "${HOPS:=10000}"
limit=1200 # for ten times as many reads on a busy machine

# promised NAME WHAT COMMAND...: the program keeps its promises, with this counter. WHAT may have
# several words.
promised() {
	promised_name=$1 promised_what=$2
	shift 2
	promised_status=0
	# shellcheck disable=SC2086 # words
	CPUCYCLES_COUNTER=${asked:-$counter} \
		timeout "$limit" "$@" "$programs/amd" $promised_what \
		>"$scratch/out" 2>&1 </dev/null || promised_status=$?
	[ "$promised_status" -ne 77 ] || {
		skip "$promised_name" "$(cat "$scratch/out")"
		return
	}
	is "$promised_name" \
		"$promised_status $(sed 's/^[0-9.]* //; s/ [0-9]*$//' "$scratch/out")" "0 $counter"
}

# Natively. native COMMAND NAME ARGUMENT...: a test of that name, if the instruction works here.
works=$(CPUCYCLES_COUNTER=$counter "$programs/amd" nanoseconds | grep "^$counter ")
native() {
	native_command=$1
	shift
	if [ -n "$works" ]; then
		"$native_command" "$@"
	else
		skip "$1" "this CPU, or its host, has no RDPRU"
	fi
}
native promised "natively: counts of threads and a child" "count 250" env
native promised "natively: two threads read $READS times each under load" "reads $READS" env
native promised "natively: $HOPS moves to another CPU" "hops $HOPS" env
if [ -n "${RDPRU_STANDS_IN-}" ]; then
	skip "natively: work there is as many cycles as it should be, within 1 %" \
		"what stands in for RDPRU counts ticks: tests/build/rdpru.sh"
else
	native ok "natively: work there is as many cycles as it should be, within 1 %" \
		awk '{ exit !($1 > 0.99 && $1 < 1.01) }' "$scratch/out"
fi
native promised "natively: the kernel forbids the time-stamp counter in mid-life" forbidden env
native is "natively: a program without a shared library has the counter" \
	"$(CPUCYCLES_COUNTER=$counter "$programs/show-alone" |
		sed -n 's/^implementation //p')" "$counter"

# emulated NAME COMMAND...: there the instruction is unusable, and another counter is selected.
emulated() {
	emulated_name=$1
	shift
	if [ "$counter" != amd64-rdpru ] || ! command -v "$1" >/dev/null; then
		skip "$emulated_name: unusable" "there is no $1 for these programs"
		return
	fi
	"$@" "$programs/show-alone" >"$scratch/out" 2>"$scratch/err" </dev/null
	is "$emulated_name: unusable" "$? $(sed -n "s/^implementation $counter$/selected/p" \
		"$scratch/out") $(grep -c '^implementation ' "$scratch/out")" "0  1"
}
emulated "QEMU, as an AMD processor" qemu-x86_64 -cpu EPYC
emulated "QEMU, as one that hides SSE4A" qemu-x86_64 -cpu qemu64
emulated valgrind valgrind -q

[ -z "$works" ] || {
	skip "on a made AMD processor" "this one has the instruction, so no tracer can answer it"
	exit
}
made_amd=${MADE_AMD:-$programs/made-amd}
"$made_amd" true >"$scratch/out" 2>&1
[ $? -ne 77 ] || {
	skip "on a made AMD processor" "$(cat "$scratch/out")"
	exit
}

# Two reads are 45 cycles apart, so the precision is 45 + 50. The time-stamp counter has more than
# 100. Counters over perf events or of a PMU come before both, where this process has them.
"$made_amd" "$programs/show" trace >"$scratch/out" 2>"$scratch/err"
traced() {
	sed -n "s/^cpucycles tracesetup [0-9]* $1 precision \([1-9][0-9]*\) .*/\1/p" "$scratch/out"
}
is "the rule knows how precise it is" "$(traced "$counter")" 95
ok "the time-stamp counter is less precise" [ "$(traced "${counter%-*}-tsc")" -gt 95 ]
better=$(traced '[^ ]*\(perf\|pmc\)[^ ]*')
# chosen COMMAND NAME ARGUMENT...: a test of that name, if no such counter comes first.
chosen() {
	chosen_command=$1
	shift
	if [ -z "$better" ]; then
		"$chosen_command" "$@"
	else
		skip "$1" "a counter of this thread's cycles comes first here"
	fi
}
chosen is "the rule selects it before the time-stamp counter" "$(show_field implementation)" \
	"$counter"

promised "made: counts of threads and a child" "count 250" "$made_amd"
promised "made: the same, slower than the time-stamp counter" "count 250" "$made_amd" -r 400
promised "made: the same, and they move between CPUs" "count 50" "$made_amd" -m 7
promised "made: the same, and they move at each read" "count 0" "$made_amd" -m 1
promised "made: it goes to other CPUs" "hops 20" "$made_amd" -m 7
promised "made: two threads read under load" "reads 300" "$made_amd" -m 7
promised "made: the instruction faults in mid-life" stopped "$made_amd" -s 400
promised "made: the kernel forbids the time-stamp counter in mid-life" forbidden "$made_amd"
promised "made: the same, in a handler that interrupts a read" "handled 192" "$made_amd" -i

# The moments of moments.sh, on CPUs between which the program moves. In two of them SIGILL is
# blocked, in one by musl. When an instruction faults then, the kernel unblocks the signal before
# the tracer hears of it.
for name in $("$programs/moments" | grep -vx -e spawned -e c11-thread); do
	status=0
	MOMENT=$name CPUCYCLES_COUNTER=$counter timeout "$limit" "$made_amd" -m 50 \
		"$programs/moments" >"$scratch/out" 2>&1 </dev/null || status=$?
	case $status in
	77) skip "made: $name" "$(cat "$scratch/out")" ;;
	*) is "made: $name" "$status $(cat "$scratch/out")" "0 " ;;
	esac
done

CPUCYCLES_COUNTER=$counter "$made_amd" "$top_builddir/utils/cpucycles-info" --probe \
	>"$scratch/out" 2>"$scratch/err"
ok "made: cpucycles-info says whose cycles it counts" grep -q -x \
	"cpucycles core cycles: $counter counts those of the CPU, whichever program runs there; \
cpucycles_nanoseconds() takes about [1-9][0-9]* of them for a second" \
	"$scratch/out"

measure=$top_builddir/utils/cpucycles-measure
if [ -x "$measure" ]; then
	status=0
	"$made_amd" "$measure" --check -r thread >"$scratch/out" 2>&1 || status=$?
	chosen is "made: its cycles are not those of a thread alone" "$status" 5
else
	skip "made: its cycles are not those of a thread alone" "cpucycles-measure is not built"
fi

# A cache that was made there.
"$made_amd" "$top_builddir/calibrated/cpucycles-calibrated" -c "$cache" \
	-p "$scratch/persecond" >"$scratch/out" 2>&1
chosen is "made: the calibrator ranks it first" \
	"$? $(sed -n 's/^usable \([^ ]*\) \([^ ]*\) precision \([0-9]*\) .*/\1 \2 \3/p' "$cache" |
		head -n 1)" "0 $counter on-core 95"
# A rate that varies by nature is not measured, so no later run compares it.
chosen ok "made: the calibrator measures no rate of it" \
	grep -q "^usable $counter .* measured 0 ppm 0$" "$cache"
CPUCYCLES_CACHE=$cache
"$made_amd" "$programs/show" >"$scratch/out" 2>"$scratch/err"
chosen is "made: programs take it from the cache" \
	"$(show_field implementation) $(show_field source)" "$counter cache"
core=$(sed -n 's/^core \([0-9]*\) .*/\1/p' "$cache")
hz=$(CPUCYCLES_COUNTER=on-core "$made_amd" "$programs/amd" nanoseconds)
chosen is "made: its counts become time by the core's frequency, $core Hz" \
	"${hz% *} $(((${hz#* } - core) * 100000 / core))" "$counter 0"

# What the core counts is compared with a chain of instructions, each of one cycle. Here, the core
# seems to run at 2.8 times its time-stamp counter. On a busy machine the tracer disturbs so many
# batches that no three of them agree.
facts="none none" tries=0
while [ "$facts" = "none none" ] && [ $tries -lt 8 ]; do
	"$made_amd" -t -r 2800 "$top_builddir/calibrated/cpucycles-calibrated" --force \
		-c "$scratch/doubted" -p "$scratch/doubted-persecond" >"$scratch/out" 2>&1
	facts=$(sed -n 's/^fact \(witness\|check\) //p' "$scratch/doubted" | paste -s -d ' ' -)
	tries=$((tries + 1))
done
if [ "$facts" = "none none" ]; then
	skip "made: it is the witness of the core's frequency" "this machine is too busy"
	skip "made: the calibrator says how far apart the two are" "this machine is too busy"
else
	chosen is "made: it is the witness of the core's frequency" "$facts" "$counter contradicts"
	chosen ok "made: the calibrator says how far apart the two are" \
		grep -q "the chain and $counter are [0-9]* ppm apart, more than 2000" "$scratch/out"
fi

asked=on-core
chosen promised "made: not in a thread that has lost the counter" stopped "$made_amd" -s 400

# The CPUID signature is that of this CPU, and the name of its maker is not in a cache.
"$programs/show" >"$scratch/out" 2>"$scratch/err"
chosen ok "here, a counter that works is selected" \
	grep -q "^implementation ${counter%-*}-tsc" "$scratch/out"
"$top_builddir/utils/cpucycles-info" --metrics >"$scratch/out" 2>"$scratch/err"
# On CPUs of other makers, these bytes may be another instruction.
reason=absent
grep -q -E '^vendor_id.*: (AuthenticAMD|HygonGenuine)$' /proc/cpuinfo && reason='signal 4'
chosen ok "here, cpucycles-info knows why it is not $counter" \
	grep -q "^cpucycles_usable{counter=\"$counter\",.*,reason=\"$reason\"} 0" "$scratch/out"
