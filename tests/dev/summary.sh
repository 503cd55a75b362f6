#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The sentences that quickstart ends in say what the tools' output says.
. "$top_srcdir/tests/harness/tap.sh"

info=$scratch/info open=$scratch/open

# summary: of $info and $open.
summary() {
	sh "$top_srcdir/dev/summary.sh" "$info" "$open"
}

# says NAME SENTENCE: the summary has it as a whole line.
says() {
	summary >"$scratch/out" 2>&1
	is "$1" "$(grep -F "${2%%:*}:" "$scratch/out")" "$2"
}

# write_info NAME CLASS HZ [LINE...]: as cpucycles-info prints it, on a machine whose best counter
# is NAME.
write_info() {
	cat >"$info" <<-END
		cpucycles cache in use status used
		cpucycles implementation $1 selection cache
		cpucycles persecond 3000000000 source cpuinfo-mhz ppm unknown
		cpucycles hz $3 source measured ppm 3
		cpucycles cache rank 1 default-monotonic class os-clock precision 271 hz 0
		cpucycles probe persecond 3000000000 source cpuinfo-mhz
		cpucycles probe rank 1 $1 class $2 precision 24 hz 0 scaling 1.000000; not cached
		cpucycles probe unusable default-zero reason last-resort: it counts nothing
	END
	shift 3
	for info_line; do
		echo "cpucycles $info_line" >>"$info"
	done
}

# write_open STATE: as cpucycles-open prints it.
write_open() {
	cat >"$open" <<-END
		/proc/sys/kernel/perf_event_paranoid: 3: $1
		    gain: users may count the cycles that their own programs take in user space
		/proc/sys/kernel/perf_user_access: not there
	END
}

write_open open
write_info amd64-pmc on-core 0
says "a counter of the core" \
	"Counter: amd64-pmc. It counts the cycles of the core that the program runs on."
says "it has no rate of its own" "Rate: the core's, which changes."
says "the frequency" \
	"Frequency: programs get 3000000000 cycles per second (source: cpuinfo-mhz)."
says "the cache is in use" \
	"Cache: in use. Programs take the counter from the calibration and measure nothing."
says "no counter is better" "Better counters: none. This one counts the core's own cycles."

write_info default-perfevent kernel-count 0
says "a counter of the kernel" \
	"Counter: default-perfevent. It counts the core's cycles, but each read is a system call."
says "no register that is better" \
	"Better counters: none. No register that counts cycles can be read directly here."
write_info amd64-tsc off-core 2445428015 "cache core measured 3243914492 ppm 3381"
says "a counter beside the core" \
	"Counter: amd64-tsc. It counts ticks at a constant rate, not the core's own cycles."
says "its rate and the core's" \
	"Rate: 2445428015 ticks per second. The core itself ran at 3243914492 cycles per second."
for why in "the kernel marked the time-stamp counter unstable" ""; do
	write_info amd64-tsc off-core 0 ${why:+"hz unknown: $why"}
	says "why it has no rate: $why" \
		"Rate: unknown: ${why:-the calibration could not measure it}."
done
write_info default-clock os-clock 1000000000 "cache core measured unknown"
says "a clock" \
	"Counter: default-clock. It counts a clock of the operating system, converted to cycles."
says "the rate alone" "Rate: 1000000000 ticks per second."
says "a machine that offers no more" \
	"Better counters: none. Neither this CPU nor this kernel offers others to programs."
write_info amd64-tsc off-core 1 "cache fact hypervisor none"
says "a machine that is not virtual" \
	"Better counters: none. Neither this CPU nor this kernel offers others to programs."
write_info amd64-tsc off-core 1 "cache fact hypervisor kvm"
says "a virtual machine" \
	"Better counters: none. This virtual machine (kvm) hides the CPU's own counters."
write_info amd64-tsc off-core 1 \
	"probe unusable amd64-pmc reason errno: a call failed: Operation not permitted; not cached"
says "a sandbox" "Better counters: a container or another sandbox forbids them to this process."
write_info amd64-tsc off-core 0
write_open closed
says "a closed knob" \
	"Better counters: cpucycles-open, run as root, opens some to users until the next boot."

write_info amd64-rdpru on-core 0
says "a counter of the core beside a closed knob" \
	"Better counters: none. This one counts the core's own cycles."
write_info amd64-tsc off-core 0

sed 's/cache in use .*/cache not in use status stale-boot/' "$info" >"$info.new"
mv "$info.new" "$info"
printf 'cpucycles cache problem: %s\ncpucycles cache remedy: %s\n' "it is old" "run: x" >>"$info"
says "a cache that is not in use" \
	"Cache: not in use (stale-boot). Each program measures for itself at its first call."
says "its rate" "Rate: unknown: only a calibration that is in use tells it."
says "its problem" "    Problem: it is old"
says "its remedy" "    Remedy: run: x"
: >"$info"
summary >"$scratch/out" 2>&1
is "no output of cpucycles-info is an error" "$? $(sed 's/.*: //' "$scratch/out")" \
	"1 names no counter"

# The real tools print what the summary reads.
CPUCYCLES_CACHE=none "$top_builddir/utils/cpucycles-info" --cache --probe >"$info"
"$top_builddir/utils/cpucycles-open" --check >"$open"
# Another run may choose another counter, because two readers of one register tie.
counter=$(sed -n 's/^cpucycles implementation \([^ ]*\) .*/\1/p' "$info")
summary >"$scratch/out"
is "the tools built here: every kind of line, once" \
	"$(sed -n 's/^\([A-Z][a-z ]*\): .*/\1/p' "$scratch/out" | tr '\n' ' ')" \
	"Counter Rate Frequency Cache Better counters "
ok "their counter" grep -q "^Counter: $counter\. It counts [a-z].*\.$" "$scratch/out"
ok "their cache" grep -qF "Cache: not in use (disabled)." "$scratch/out"
ok "the remedy" grep -qxF "    Remedy: run: unset CPUCYCLES_CACHE" "$scratch/out"
