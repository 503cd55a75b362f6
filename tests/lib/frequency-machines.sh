#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Each recorded machine has the frequency and the source that the table expects.

. "$top_srcdir/tests/harness/tap.sh"
replay=$top_builddir/tests/lib/frequency-replay
data=$top_srcdir/tests/data/frequency
tab=$(printf '\t')

grep -v '^#' "$data/machines.tsv" >"$scratch/machines"
while IFS=$tab read -r machine architecture persecond source cpu origin; do
	is "$machine: $cpu" "$("$replay" "$data/$machine" "$architecture")" "$persecond$tab$source"
	ok "$machine has an origin" test -n "$origin"
done <"$scratch/machines"

ok "at least 20 machines" test "$(grep -c . "$scratch/machines")" -ge 20
is "no folder without a row" \
	"$(for folder in "$data"/*/; do
		grep -q "^$(basename "$folder")$tab" "$scratch/machines" || basename "$folder"
	done)" ""
for source in cpufreq-setspeed cpufreq-max clock-tick tsc-freq-khz cpuinfo-mhz cpuinfo-mhz-static \
	cpuinfo-mhz-dynamic cpuinfo-clock cpuinfo-bogomips device-tree nobody; do
	ok "some machine is told by $source" grep -q "$tab$source$tab" "$scratch/machines"
done
