#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Whole ARM64 machines in emulation. Nothing in the OS tells their frequency, so the calibrator
# measures it and the library starts from its cache. A virtual PMU counts the cycles of each thread,
# while the thread is moved and interrupted and the register is opened and closed.
#
# With -icount shift=0, the machine's clocks advance by 1 ns with each instruction. So its core
# executes 10^9 instructions in each of its seconds, and its PMU counts 10^9 cycles, on any host and
# under any load. Without -icount, the rate is that of the host's translation, which nobody knows;
# the tests then check only that the rate is a possible frequency.

target=aarch64-linux-gnu
architecture=arm64
kernel='linux-image-[0-9].*-cloud-arm64-unsigned'
qemu="qemu-system-aarch64 -M virt -accel tcg -smp 2 -m 1024 -nographic -nic none -no-reboot"
console=ttyAMA0
more_programs=beside
. "$top_srcdir/tests/vm/common.sh"
. "$top_srcdir/tests/vm/speeds.sh"

speeds_run="arm64-exact arm64-shift-0 arm64-shift-3 arm64-shift-4 arm64-shift-6 arm64-shift-7
	arm64-pmu"
counters_run="arm64-perfpmc arm64-pmc arm64-vct default-gettimeofday default-monotonic
	default-perfevent default-syscall"

# taken_counters: while other events hold all counters of the PMU, a counter over perf events counts
# nothing. So neither the cache nor a name nor a class gives that counter to a program.
taken_counters() {
	is "exact: a cache ranks default-perfevent first" \
		"$(section_field taken-cache usable | sed 's/ .*//')" default-perfevent
	is "exact: which counts" \
		"$(section_values taken-not-yet status implementation exit)" \
		"used default-perfevent 0"
	next=$(section taken-cache | sed -n 's/^usable \([^ ]*\).*/\1/p' | sed -n 2p)
	for section in taken-cached taken-named-cached taken-class-cached; do
		is "exact, $section: it stands still, and the cache's next counter is in use" \
			"$(section_values $section taken source implementation exit)" \
			"14 cache $next 0"
	done
	for section in taken-named taken-register taken-class; do
		is "exact, $section: it stands still, and a counter without an event is in use" \
			"$(section_values $section taken source exit) \
$(section_field $section implementation | grep -c '^arm64-[pv][mc][ct]$')" "14 probe 0 1"
	done
	is "exact: with the counters given back, the name has an effect again" \
		"$(section_values taken-given-back implementation exit)" "arm64-perfpmc 0"
}

# counted_all FIELD: each number in that field of the lines on standard input is at least the work
# in field 2, all of which was counted, and not much more.
counted_all() {
	awk -v field="$1" '{
		n++
		if ($field < $2 || ($1 != "over-thread" && $field > $2 * 1.1)) {
			print "# " $0
			wrong = 1
		}
	} END { exit !n || wrong }'
}

# beside_counted SECTION COUNTER: the counter in use stayed, and lost none of the work.
beside_counted() {
	is "exact, $1: what cpucycles() uses stays, and its reader" \
		"$(section_values "$1" counter exit)" "$2 same 0"
	ok "exact, $1: no cycle of it is lost" eval "section $1 | sed '/^counter/,\$d' |
		grep ^over- | counted_all 3"
}

# beside_kept SECTION: the counter that was made ready worked, and lost nothing either, also over
# selections.
beside_kept() {
	is "exact, $1: the counter beside works" \
		"$(section_fields "$1" look)$(section_field "$1" ready)" "0 works "
	ok "exact, $1: it loses no cycle either" eval "section $1 |
		awk '/^over-/ && NF == 4' | counted_all 4"
	is "exact, $1: nor is it lost over a selection of a clock" \
		"$(section "$1" | grep -c '^over-clock') $(section_field "$1" lost)" "1 0"
}

# instrument SECTION: the counter, its unit and resolution, and the exit status of
# cpucycles-measure.
instrument() {
	for word in counter unit resolution exit; do
		section_field "$1" "$word" | awk '{ sub(/[.,].*/, "", $1); print $1 }'
	done | paste -s -d ' ' -
}

# median SECTION FUNCTION, batch SECTION FUNCTION: of what cpucycles-measure printed. No decimals.
of_function() {
	section "$1" | awk -v function_name="$2" -v word="$3" -v column="$4" '
		$1 == "function" { inside = $2 == function_name }
		inside && $1 == word { print $column }' | sed 's/\..*//'
}
median() { of_function "$1" "$2" median 2; }
batch() { of_function "$1" "$2" samples 5; }

# measured_cycles: the PMU counts the cycles of known work.
measured_cycles() {
	is "exact: cycles are measured by the PMU" "$(instrument measured)" \
		"arm64-perfpmc cycles 1 0"
	ok "exact: a chain of 2,000 instructions more takes 2,000 cycles more" \
		between "$(median measured chain_3000)" \
		$(($(median measured chain_1000) + 1999)) $(($(median measured chain_1000) + 2001))
	ok "exact: the shorter one takes its cycles, and those of a call" \
		between "$(median measured chain_1000)" 1000 1020
	is "exact: single calls are samples" "$(batch measured chain_1000)" 1
	is "exact: the sentence" \
		"$(section measured | grep -c 'chain_3000 takes .* times as long as ')" 1
	is "exact: 10 cycles of 1,000 are told" \
		"$(section measured-near | grep -c 'chain_1010 is .* slower than ')" 1
	is "exact: an empty function takes its cycles, too" "$(instrument measured-empty)" \
		"arm64-perfpmc cycles 1 0"
	is "exact: where nobody may open events, cycles are refused" \
		"$(section_values measured-refused exit | grep -vx 0 | wc -l)" 1
	is "exact: with the command that mends it" \
		"$(section measured-refused | grep -c 'cpucycles-open')" 1
	is "exact: the next best measures on request" "$(instrument measured-next)" \
		"arm64-vct ticks 16 0"
}

# measured_ticks: without a PMU, the ticks of 16 ns are 16 cycles each.
measured_ticks() {
	is "no-pmu: ticks are measured" "$(instrument measured)" "arm64-vct ticks 16 0"
	ok "no-pmu: a chain of 2,000 instructions more takes 2,000 cycles more, and a step" \
		between "$(median measured chain_3000)" \
		$(($(median measured chain_1000) + 1983)) $(($(median measured chain_1000) + 2017))
	is "no-pmu: the sentence" \
		"$(section measured | grep -c 'chain_3000 takes .* times as long as ')" 1
	is "no-pmu: cycles are refused" \
		"$(section_values measured-root exit | grep -vx 0 | wc -l)" 1
	is "no-pmu: because the machine shows no PMU" \
		"$(section measured-root | grep -c 'shows no PMU')" 1
	ok "no-pmu: an empty function is measured in loops of $(batch measured-empty empty) calls" \
		test "$(batch measured-empty empty)" -gt 20
}

# leaks_by_cycles: the test for leaks finds two cycles of 1,000, and says that there are two.
leaks_by_cycles() {
	is "leaks: by the PMU" "$(section leaks-two_more | sed -n \
		's/.*; \(arm64-perfpmc, in cycles, with a resolution of 1\)[.0]* cycles*$/\1/p')" \
		"arm64-perfpmc, in cycles, with a resolution of 1"
	is "leaks: two cycles of 1,000 are found" "$(section leaks-two_more |
		grep -c '^two_more leaks: ') $(section_field leaks-two_more exit)" "1 11"
	is "leaks: by how much the medians differ" "$(section leaks-two_more |
		awk '$1 == "50" { printf "%.1f", $5 }')" 2.0
	is "leaks: where there are none, no difference is found" "$(section leaks-as_long |
		grep -c '^No difference above ') $(section_field leaks-as_long exit)" "1 0"
}

# event SECTION FUNCTION TEXT: per call, how often the event of this text happens; nothing if there
# is no number.
event() {
	section "$1" | awk -v function_name="$2" -v text="$3" '
		$1 == "function" { inside = $2 == function_name }
		inside && $1 == "event" && index($0, text) { print $2; exit }'
}

# counted_by_events: while each instruction takes 1 ns and one cycle, counts of known work are
# exact. That machine has one CPU: while the emulator executes one CPU, the counters of another one
# run too.
events_run="hardware=exact software=exact raw=exact pages=exact sysfs=counts refused=exact"
counted_by_events() {
	for access in 1 0; do
		counts=events-access-$access
		for times in 1000 3000; do
			is "events, $counts: instructions, cycles and page faults of chain_$times" \
				"$(event $counts chain_$times 'instructions per call') \
$(event $counts chain_$times 'cpu-cycles per call') $(event $counts chain_$times 'page-faults')" \
				"$times.0 $times.0 0.000"
			is "events, $counts: instructions per cycle of chain_$times" \
				"$(event $counts chain_$times 'instructions per cycle')" 1.000
		done
		is "events, $counts: status" "$(section_field $counts exit)" 0
	done
	is "events: with perf_user_access, the meter's own counter has the cycles" \
		"$(section events-access-1 | grep -c 'cpu-cycles per call, by the counter')" 2
	is "events: user mode alone" "$(event events-modes chain_1000 instructions:u)" 1000.0
	ok "events: the kernel's instructions, and both" sh -c "
		k=\$(echo '$(event events-modes chain_1000 instructions:k)' | cut -d. -f1)
		uk=\$(echo '$(event events-modes chain_1000 instructions:uk)' | cut -d. -f1)
		[ \$((uk - k)) -ge 999 ] && [ \$((uk - k)) -le 1001 ]"
	is "events: a code that the PMU has" "$(event events-raw chain_1000 r08)" 1000.0
	is "events: one that it has not is refused, and has no number" \
		"$(section events-raw | grep -c 'not counted rff counts nothing') \
$(event events-raw chain_1000 rff) $(section_field events-raw exit)" "1  10"
	is "events: a stall of the front end is no number either" \
		"$(event events-raw chain_1000 stalled)" ""
	is "events: parts that this PMU has no fields for" \
		"$(section events-parts | grep -c 'not counted.* called \(cmask\|umask\)')" 2
	is "events: of ten codes, the PMU has two" \
		"$(section events-many | grep -c '^event .* r[0-9]* per call') \
$(section events-many | grep -c '^not counted r.*counts nothing')" "2 8"
	is "events: names that this PMU lacks" \
		"$(section events-missing | grep -c "^not counted.*PMU does not have it")" 2
	is "events: --force insists" "$(event events-force chain_1000 rff)" 0.000
	is "events: the list says what counts" \
		"$(section events-list | grep -A1 '^  instructions ' | tail -n 1)" \
		"    counts here, in user mode, as expected in known work"
	is "events: and groups by PMU" \
		"$(section events-list | grep -c '^armv8_pmuv3, on CPUs 0')" 1
	is "events: a code may be tried, too" \
		"$(section events-list-raw | grep -c '^    counts here, in user mode')" 1
	is "events: the kernel is not for everybody, and how to mend it" \
		"$(section events-kernel |
			grep -c -e 'may not be counted' -e perf_event_paranoid=1)" 2
	is "events: user mode is" "$(event events-user chain_1000 'instructions per call')" 1000.0
}

# of_command SECTION COLUMN: of the second command in a table in CSV. No decimals.
of_command() {
	section "$1" | awk -F , -v name="$2" '
		!column { while (++column < NF && $column != name); next }
		++row == 2 { print $column }' | sed 's/\..*//'
}

# counted_commands: cycles of programs. An instruction takes a cycle and 1 ns. The two programs
# start alike, so the second one takes a little less than twice as much.
counted_commands() {
	cycles=$(of_command commands core_cycles)
	is "commands: cycles are judged" "$(of_command commands unit) \
$(of_command commands verdict) $(section commands | sed -n 3p | cut -d , -f 15 | cut -c 1-3)" \
		"cycles slower 1.9"
	ok "commands: as many as instructions, in user mode and kernel" \
		share "$cycles" "$(of_command commands instructions:uk)"
	ok "commands: as many as nanoseconds" share "$cycles" "$(of_command commands cpu_ns)"
	is "commands: without the kernel, the time is judged" \
		"$(of_command commands-user unit)" ns
	ok "commands: cycles in user mode are fewer" between \
		"$(of_command commands-user cycles:u)" $((cycles / 2)) $((cycles - 1))
	ok "commands: as many as instructions there" share \
		"$(of_command commands-user cycles:u)" "$(of_command commands-user instructions:u)"
}

prepare_machines build_measure

ok "a machine of one instruction per ns runs to its end" \
	boot exact calibrated,portable,pmu,beside,cached,clock,witness,measured -cpu cortex-a72 \
	-icount shift=0,sleep=off
calibrated_machine
near_true_hz
ppm=$(section_field cache core | sed 's/.* ppm //')
ok "exact: the true rate is within the stated bound, $ppm ppm" between "$TRUE_HZ" \
	$((hz - hz / 1000 * ppm / 1000)) $((hz + hz / 1000 * ppm / 1000))
ok "exact: the chain agrees with the PMU's cycles" test "$(section calibrate |
	grep -c 'counted by default-perfevent .*: agrees')" -gt 0
portable_counters 2
chosen <<END
0 3 root arm64-vct
0 3 nobody arm64-vct
0 2 root arm64-vct
0 2 nobody arm64-vct
1 3 root arm64-perfpmc
1 3 nobody arm64-vct
1 2 root arm64-perfpmc
1 2 nobody arm64-perfpmc
END
tried_per_thread arm64-perfpmc 2
all_the_while arm64-perfpmc-taken arm64-perfpmc
is "exact: a register that is closed is not chosen by its name either" \
	"$(section_field arm64-pmc-closed implementation)" arm64-perfpmc
went_on arm64-pmc-stop arm64-pmc
went_on arm64-pmc-shut arm64-pmc
taken_counters
beside_counted beside-event default-perfevent
beside_kept beside-event
beside_counted beside-register arm64-perfpmc
beside_kept beside-register
beside_kept beside-clock
beside_counted beside-closed default-perfevent
is "exact, beside-closed: the counter beside is out" \
	"$(section_fields beside-closed look)$(section_fields beside-closed ready)" "0 closed -95 "
tried arm64-vct 2
# CNTFRQ_EL0 says 62.5 MHz; a tick is 16 cycles.
is "exact: the rate of arm64-vct is the architecture's" \
	"$(section_field arm64-vct-rate hz) $(section_field arm64-vct-rate clock)" "$TRUE_HZ good"
cached_machine arm64-perfpmc arm64-vct
wall_clock_set arm64-perfpmc arm64-vct default-perfevent default-monotonic default-syscall
witness arm64-perfpmc
agreed
witness_row arm64-exact
measured_cycles

ok "a machine of one CPU, for events, runs to its end" \
	boot events events,commands -cpu cortex-a72 -smp 1 -icount shift=0,sleep=off
counted_by_events
counted_commands

ok "a machine of one CPU, for leaks, runs to its end" \
	boot leaks leaks -cpu cortex-a72 -smp 1 -icount shift=0,sleep=off
leaks_by_cycles

# The PMU of this CPU has events of stalls, which never happen here.
ok "a machine with another CPU, for events, runs to its end" \
	boot events-max stalls -cpu max -smp 1 -icount shift=0,sleep=off
is "events, max: stalls are refused, because they stay 0" \
	"$(section events-stalls | grep -c '^not counted stalled.*counts nothing')" 2

speed_machines 0 3 4 6 7 -- -cpu cortex-a72

# The PMU counts a clock of 1 GHz whatever the instructions take, so here it contradicts the chain.
ok "a machine with a PMU of another speed runs to its end" \
	boot contradiction witness -cpu cortex-a72 -smp 1 -icount shift=3,sleep=off
witness arm64-perfpmc
contradicted
witness_row arm64-pmu

ok "a machine without a PMU runs to its end" \
	boot no-pmu calibrated,time,measured -cpu cortex-a72,pmu=off -icount shift=0,sleep=off
calibrated_machine
near_true_hz
rate_of_rank rate
tried arm64-vct 2
measured_ticks

ok "a machine as fast as the host can runs to its end" \
	boot fast calibrated,many,witness,uncounted -cpu cortex-a72
is "fast: this PMU has no instructions then, and page faults are counted" \
	"$(section events-uncounted |
		grep -c "^not counted instructions: this machine's PMU does not have it") \
$(event events-uncounted chain_1000 page-faults)" "1 0.000"
calibrated_machine
many arm64-perfpmc 10000
many default-perfevent 500
# On a busy host, the kernel's part of each ms is larger. A host may emulate instructions at about
# the 1 GHz of this PMU's clock.
witness arm64-perfpmc 25
near "$chain" "$witness_rate" 30 >/dev/null || contradicted

speeds_written arm64
is "the counters that were run" "$(counters_seen)" \
	"$(printf %s "$counters_run" | tr -s '\n\t' ' ')"
