# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Readers of the project's output and files, whose lines are a name and a value. Sourced, after
# tap.sh; functions only.

# line_of FILE NAME: the values of all lines of that name. FILE may be -, standard input; NAME may
# be several words.
line_of() {
	sed -n "s/^$2 //p" "$1"
}

# cache_field NAME [FILE]: a value of the cache FILE, or of $cache if no file is given.
cache_field() {
	line_of "${2:-$cache}" "$1"
}

# show_field NAME: a value from the last output of tests/lib/show, or of a program like it (see
# tests/lib/library.sh).
show_field() {
	line_of "$scratch/out" "$1"
}

# twins: a filter that gives counters one name if chance decides which of them is first. Those of
# the TSC read the same register. Without a vDSO that reads the clock, as in an emulator or where
# the clock is a device, both clocks make the same system call.
case ${emulator:+emulator}$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource \
	2>/dev/null) in
emulator* | hpet | acpi_pm | jiffies | refined-jiffies | pit | xen)
	twins() { sed 's/-tscasm\>/-tsc/; s/default-syscall\>/default-monotonic/'; }
	;;
*) twins() { sed 's/-tscasm\>/-tsc/'; } ;;
esac

# unmeasured CACHE: what is not measured anew in each run of the calibrator.
# forget_core CACHE: as if the core had been unknown. A machine that others share changes its speed,
# and another speed of the core means a full run. $resum is the program of this name.
unmeasured() {
	sed -e '/^core /d; /^fact chain /d; /^fact counted /d; /^fact slowest /d; /^checksum /d' \
		-e 's/ measured .*//' "$1"
}
forget_core() {
	sed -i.bak 's/^core .*/core 0 ppm 0/' "$1" && rm "$1.bak" && "$resum" "$1"
}

# On a busy machine one run of the calibrator may not know a rate or the core's frequency, and the
# next one may. Where nobody else tells the frequency, a run then publishes none. A test that needs
# to know repeats the run:
#     again_while WORDS COMMAND...
# runs the command, whose log is $scratch/log. While it succeeds and its log has WORDS, $cache and
# $persecond are put back as they were, and it runs again, RUNS_MAX times in all. Where that was not
# enough once, the machine may never know, and later runs are repeated only a few times. The status
# is that of the last run.
# changed_words: of a run that found another figure than the run before, and so did not restamp. A
# machine that others share changes its speed, and a clock may be set meanwhile.
unmeasured_words=': unknown: '
changed_words=' Hz, in the cache\|no longer works as recorded\|ranks differently'
unknown_words='nobody knows the frequency'
RUNS_MAX=30
RUNS_MAX_LATER=3
again_while() {
	again_words=$1
	shift
	rm -rf "$scratch/before-run"
	mkdir "$scratch/before-run"
	copy_both "$cache" "$persecond" "$scratch/before-run/cache" \
		"$scratch/before-run/persecond"
	for again_run in $(seq "$RUNS_MAX"); do
		"$@" || return
		grep -q -e "$again_words" "$scratch/log" || return 0
		[ "$again_run" -lt "$RUNS_MAX" ] || break
		echo "# once more: $(grep -m 1 -e "$again_words" "$scratch/log")"
		rm -rf "$cache" "$persecond"
		copy_both "$scratch/before-run/cache" "$scratch/before-run/persecond" "$cache" \
			"$persecond"
	done
	RUNS_MAX=$RUNS_MAX_LATER
}
# copy_both CACHE PERSECOND TO TO: copy those that are there; the second may be a link.
copy_both() {
	[ ! -e "$1" ] || cp -p "$1" "$3"
	[ ! -e "$2" ] && [ ! -h "$2" ] || cp -RPp "$2" "$4"
}

# if_measured NAME COMMAND...: like ok, but a skip if the command fails and the last run in
# $scratch/log did not know a rate or the core's frequency.
if_measured() {
	measured_name=$1
	shift
	if grep -q -e "$unmeasured_words" "$scratch/log" && ! "$@" >/dev/null; then
		skip "$measured_name" "the machine was too busy to measure, in every run"
	else
		ok "$measured_name" "$@"
	fi
}

# persecond_file NUMBER BOOT SOURCE: the text that the calibrator writes for this number.
persecond_file() {
	echo "$1"
	echo "# written by cpucycles-calibrated, boot $2, source $3"
	echo "# To overrule $1, write another number on the first line."
}
