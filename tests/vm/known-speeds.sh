#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# known-speeds.sh FOLDER: prints doc/evidence/known-speeds.md from the rows that the scripts of this
# folder wrote into FOLDER. `make known-speeds` puts the output into the sources, after
# `make check-vm`.

folder=${1:?usage: known-speeds.sh FOLDER}
cd "$(dirname "$0")/../.." || exit 1

for script in $(grep -l '^speeds_run="' tests/vm/*.sh); do
	name=$(basename "$script" .sh)
	[ -s "$folder/$name.rows" ] && continue
	echo "$folder/$name.rows is not there: $script writes it" >&2
	exit 1
done

cat <<'MD'
<!-- SPDX-FileCopyrightText: The cpucycles developers -->
<!-- SPDX-License-Identifier: 0BSD -->
<!-- Written by `make check-vm` and `make known-speeds`. -->

# What the tools say of machines whose speed is known

The tests in `tests/vm/` boot whole machines in emulation, and compare what the tools say there with
the truth. A machine `shift-N` takes 2^N ns of its own time for each instruction, so its core's
frequency is exactly 10^9 Hz divided by 2^N. The other truths were measured by a program of the
test, for seconds, with the clock of the same boot.

*Truth* and *said* are in Hz, *bound* and *error* in millionths (ppm). *Inside* says whether the
truth lies within the bound that the tools state. *Full run* is the time in ms that a full run of
the calibrator takes in the machine, with the start of the program; the shorter one of two. The goal
is 250 ms from 15 MHz on. A 32-bit program misses it at 15.6 MHz, where the reads that the rule of
selection asks for take 90 ms. A bound of 1000000 says nothing: the rate is not fixed, or two
witnesses contradict one another. The tools say which.

The figures:

- *core*: the core's frequency, which the calibrator measures with its chain of instructions;
- *core, 32-bit*: the same, by a 32-bit program on the 64-bit kernel;
- *core, with the cache of* another machine: the calibrator finds a cache and a persecond file that
  were made at another speed;
- *persecond, with a PMU*: what the counter in use counts in a second. QEMU's PMU counts 10^9 at any
  speed, so that on `arm64-pmu` it contradicts the chain;
- *rate of amd64-tsc*: 10^9 on a machine `shift-N`, else the rate of the host's TSC;
- *persecond, of the TSC*: what the system says of it, without a bound. On `x86-jiffies` it says
  nothing.

The x86 machines without a shift have two CPUs, with the TSC, the HPET or the ACPI timer as clock;
or they start with the cache of the boot before; or their kernel is told a wrong rate of the TSC, or
does not use it; or they have no clock but the timer interrupt.

| machine | figure | truth | said | source | bound | error | inside | full run |
|---|---|---|---|---|---|---|---|---|
MD
for script in $(grep -l '^speeds_run="' tests/vm/*.sh); do
	cat "$folder/$(basename "$script" .sh).rows"
done
