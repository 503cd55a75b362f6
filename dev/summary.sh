#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# summary.sh INFO OPEN: says in plain sentences what programs get on this machine.
#   INFO   a file with the output of `cpucycles-info --cache --probe`
#   OPEN   a file with the output of `cpucycles-open --check`

set -eu
info=$1 open=$2

# line NAME: the rest of INFO's first line "cpucycles NAME ...".
line() {
	sed -n "s/^cpucycles $1 //p" "$info" | head -n 1
}

# counted CLASS: what counters of that class count.
counted() {
	case $1 in
	on-core) echo "the cycles of the core that the program runs on" ;;
	off-core) echo "ticks at a constant rate, not the core's own cycles" ;;
	kernel-count) echo "the core's cycles, but each read is a system call" ;;
	os-clock) echo "a clock of the operating system, converted to cycles" ;;
	*) echo "nothing, because no counter works here" ;;
	esac
}

# own_rate CLASS HZ CACHE: the counter's own rate, or why there is no number.
own_rate() {
	why=$(line 'hz unknown:')
	case $2:$1:$3 in
	[1-9]*) echo "$2 ticks per second" ;;
	*:on-core:* | *:kernel-count:*) echo "the core's, which changes" ;;
	*::*) echo "none" ;;
	*:"in use "*) echo "unknown: ${why:-the calibration could not measure it}" ;;
	*) echo "unknown: ${why:-only a calibration that is in use tells it}" ;;
	esac
}

# rate CLASS HZ CACHE: that, and the core's rate if the calibrator measured it.
rate() {
	core=$(line 'cache core measured' | sed -n 's,^\([0-9]*\) .*,\1,p')
	echo "Rate: $(own_rate "$@").${core:+ The core itself ran at $core cycles per second.}"
}

# cache STATE: whether programs start from the cache; else why not, and the remedy.
cache() {
	case $1 in
	"in use "*)
		echo "in use. Programs take the counter from the calibration and measure nothing."
		;;
	*)
		echo "not in use (${1##* }). Each program measures for itself at its first call."
		echo "    Problem: $(line 'cache problem:')"
		echo "    Remedy: $(line 'cache remedy:')"
		;;
	esac
}

# better CLASS: what would give users better counters than this.
better() {
	hypervisor=$(line 'cache fact hypervisor')
	forbidden='\(Operation not permitted\|Permission denied\)'
	if [ "$1" = on-core ]; then
		echo "none. This one counts the core's own cycles."
	elif grep -q ': closed' "$open"; then
		echo "cpucycles-open, run as root, opens some to users until the next boot."
		echo "    First see what it would change: cpucycles-open --dry-run"
	elif [ "$1" = kernel-count ]; then
		echo "none. No register that counts cycles can be read directly here."
	elif grep -q "^cpucycles probe unusable .*: $forbidden" "$info"; then
		echo "a container or another sandbox forbids them to this process."
	elif [ "${hypervisor:-none}" != none ] && [ "$hypervisor" != unknown ]; then
		echo "none. This virtual machine ($hypervisor) hides the CPU's own counters."
	else
		echo "none. Neither this CPU nor this kernel offers others to programs."
	fi
}

implementation=$(line implementation)
counter=${implementation%% *}
[ -n "$counter" ] || { echo "summary.sh: $info: names no counter" >&2; exit 1; }
class=$(sed -n "s/^cpucycles probe rank [0-9]* $counter class \([a-z-]*\) .*/\1/p" "$info")
hz=$(line hz)
persecond=$(line persecond)
source=${persecond#* source }

echo "Counter: $counter. It counts $(counted "$class")."
rate "$class" "${hz%% *}" "$(line cache)"
echo "Frequency: programs get ${persecond%% *} cycles per second (source: ${source%% *})."
echo "Cache: $(cache "$(line cache)")"
echo "Better counters: $(better "$class")"
