#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# generate.sh FOLDER: make the runs of this folder that are not recorded. The seed is
# fixed, so that the same awk makes the same files.
#
# A run: "# what", "step COUNTS ns NS" (what counter and clock move by at once),
# "expect HZ PPM" (the true rate and the widest bound that is good enough) or "expect
# unknown", then the pairs: counter before, clock, counter after.

folder=${1:?usage: generate.sh FOLDER}

# make_run NAME HZ STEP CLOCK_STEP EXPECT PAIRS PROGRAM WHAT
# PROGRAM changes, for pair i at true time t (ns): gap (ns since the last pair), wide (ns
# that an interruption takes in the bracket), clock and counter (offsets).
make_run() {
	awk -v hz="$2" -v step="$3" -v clock_step="$4" -v expect="$5" -v pairs="$6" -v what="$8" '
	function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
	function down(x, by) { return int(x / by) * by }
	BEGIN {
		print "# SPDX-FileCopyrightText: The cpucycles developers"
		print "# SPDX-License-Identifier: 0BSD"
		print "# Made by generate.sh: " what
		print "step " step " ns " clock_step
		print "expect " expect
		seed = 20261121
		t = 0; clock = 5e12; counter = 7e12
		for (i = 0; i < pairs; i++) {
			gap = 400000 + random() * 20000; wide = 0
			'"$7"'
			t += gap
			first = 20 + random() * 15; second = 20 + random() * 15
			if (wide) { if (random() < 0.5) first += wide; else second += wide }
			printf "%.0f\t%.0f\t%.0f\n", down(counter + t * hz / 1e9, step),
				down(clock + t + first, clock_step),
				down(counter + (t + first + second) * hz / 1e9, step)
			t += first + second
		}
	}' >"$folder/$1.tsv"
}

make_run steady 2500000000 1 1 "2500000000 5" 250 "" \
	"nothing but the time that a read takes"
make_run jitter 2500000000 1 1 "2500000000 10" 250 \
	'if (random() < 0.4) wide = random() * 3000' \
	"two reads of five take up to 3 us longer"
make_run preempted 2500000000 1 1 "2500000000 5" 250 \
	'if (random() < 0.1) wide = 4e6 * random(); if (random() < 0.05) gap += 2e7 * random()' \
	"a tenth of the reads is interrupted for up to 4 ms, pauses last up to 20 ms"
make_run clock-ahead 2500000000 1 1 "2500000000 10" 250 'if (i == 100) clock += 1e9' \
	"the clock jumps ahead by a second"
make_run clock-back 2500000000 1 1 "2500000000 10" 250 'if (i == 160) clock -= 3e6' \
	"the clock jumps back by 3 ms"
make_run clock-steps 2500000000 1 1 "2500000000 40" 250 'if (i % 60 == 59) clock += 5000' \
	"the clock is set ahead by 5 us now and then"
make_run counter-reset 2500000000 1 1 "2500000000 10" 250 'if (i == 90) counter -= 6.9e12' \
	"the counter starts anew"
make_run counter-ahead 2500000000 1 1 "2500000000 10" 250 'if (i == 130) counter += 4e7' \
	"the counter goes on after a pause of the clock, as in a migrated guest"
make_run slow-counter 19200000 1 1 "19200000 50" 250 "" \
	"a time base of 19.2 MHz"
make_run coarse-clock 2500000000 1 279 "2500000000 20" 250 "" \
	"a clock of 3.58 MHz, as acpi_pm"
make_run microseconds 2500000000 2500 1 "2500000000 90" 250 "" \
	"a counter that moves by a microsecond"
make_run coarsest-clock 1000000000 1 4000000 "1000000000 200000" 250 "" \
	"a clock that moves with the timer interrupt, every 4 ms"
make_run frozen 0 1 1 "unknown" 250 "" "a counter that stands still"
make_run few 2500000000 1 1 "unknown" 7 "" "too few pairs"
make_run noise 2500000000 1 1 "unknown" 250 'counter = 7e12 * random(); clock = 5e12 * random()' \
	"no line at all"
