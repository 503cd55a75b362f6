#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# CPUCYCLES_COUNTER, tracesetup, and first calls under difficult conditions.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
shown
as_expected "without anything set" disabled probe
probed=$(show_field implementation)

for name in default-monotonic default-gettimeofday default-zero; do
	[ "$name" = default-zero ] && continue # its counts do not rise, and show expects that
	CPUCYCLES_COUNTER=$name
	export CPUCYCLES_COUNTER
	shown
	as_expected "CPUCYCLES_COUNTER=$name" disabled probe
	is "$name is in use" "$(show_field implementation)" "$name"
done

"$programs/make-cache" "$cache" only=default-monotonic && CPUCYCLES_CACHE=$cache
CPUCYCLES_COUNTER=default-gettimeofday
shown
as_expected "a counter that works comes before the cache" disabled probe
is "it is in use" "$(show_field implementation)" default-gettimeofday
for class in kernel-count off-core on-core last-resort; do
	CPUCYCLES_COUNTER=$class
	shown eperm
	if [ "$shown" = 77 ]; then
		skip "class $class, which the cache does not rank, is as unset" \
			"$(cat "$scratch/err")"
	else
		as_expected "class $class, which the cache does not rank, is as unset" used cache
	fi
done
CPUCYCLES_COUNTER=os-clock
shown
as_expected "a class comes from the cache" used cache
is "the cache's counter of the class is in use" "$(show_field implementation)" default-monotonic
# class_of NAME: the class of this counter, by the sources.
class_of() {
	sed -n 's/.*\.class = COUNTER_\(.*\),/\1/p' "$top_srcdir"/lib/os/"$1".c \
		"$top_srcdir"/lib/arch/*/"$1".c 2>/dev/null | tr 'A-Z_' 'a-z-'
}
for class in off-core os-clock kernel-count on-core; do
	CPUCYCLES_COUNTER=$class CPUCYCLES_CACHE=none
	shown
	as_expected "class $class without a cache" disabled probe
	got=$(class_of "$(show_field implementation)")
	CPUCYCLES_COUNTER=
	shown trace
	usable=
	for name in $(awk '/^cpucycles tracesetup / && $6 > 0 { print $4 }' "$scratch/out"); do
		[ "$(class_of "$name")" != $class ] || usable=$class
	done
	usual=$(class_of "$(show_field implementation)")
	is "class $class: a counter of it, or else the usual one" "$got" "${usable:-$usual}"
done
CPUCYCLES_CACHE=$cache
for name in nosuch-counter '' amd64-tsc-and-more; do
	CPUCYCLES_COUNTER=$name
	shown
	as_expected "CPUCYCLES_COUNTER='$name' is as unset" used cache
done
CPUCYCLES_COUNTER=default-perfevent
shown eperm
if [ "$shown" = 77 ]; then
	skip "a counter that does not work here is as unset" "$(cat "$scratch/err")"
else
	as_expected "a counter that does not work here is as unset" used cache
fi
unset CPUCYCLES_COUNTER

# tracesetup prints a line for each counter in list order, and probes all even with a cache.
shown trace
is "tracesetup ends well" "$shown $(cat "$scratch/err")" "0 "
is "tracesetup makes a full probe" "$(show_field source) $(show_field status)" "probe disabled"
grep '^cpucycles tracesetup ' "$scratch/out" >"$scratch/trace"
sed -n 's/^COUNTER(\(.*\))$/\1/p' "$top_builddir/lib/counters.inc" | tr _ - >"$scratch/list"
is "its lines are the list's counters in order" "$(cut -d' ' -f3,4 "$scratch/trace")" \
	"$(awk '{ print NR - 1, $1 }' "$scratch/list")"
values='precision [0-9]+ scaling [0-9]+\.[0-9]{6} only32 [01]'
is "its lines have the form that scripts read" \
	"$(grep -Evc "^cpucycles tracesetup [0-9]+ [a-z0-9-]+ $values\$" "$scratch/trace")" 0
is "none is pruned: every clock has a precision" \
	"$(grep -Ec ' default-(monotonic|gettimeofday) precision [1-9]' "$scratch/trace")" 2
is "default-zero has none" "$(grep ' default-zero ' "$scratch/trace" | cut -d' ' -f5-8)" \
	"precision 0 scaling 0.000000"
is "the trace is all that is printed before the program's own" \
	"$(head -n 1 "$scratch/out" | cut -d' ' -f1,2)" "cpucycles tracesetup"
shown comma trace
if [ "$shown" = 77 ]; then
	skip "the form in a locale with a decimal comma" "$(cat "$scratch/err")"
else
	is "its lines have that form in a locale with a decimal comma, too" \
		"$(grep -Ec "^cpucycles tracesetup [0-9]+ [a-z0-9-]+ $values\$" "$scratch/out")" \
		"$(grep -c '' "$scratch/list")"
fi
CPUCYCLES_CACHE=none

# Difficult conditions. show itself checks counts, the signal mask and errno.
# hard CONDITION...: a first call under these conditions of show.
hard() {
	shown "$@"
	if [ "$shown" = 77 ]; then
		skip "$*" "$(cat "$scratch/err")"
		return 1
	fi
	as_expected "$*" disabled probe
}
hard block || :
for answer in eperm enosys sigsys; do
	if hard "$answer"; then
		is "$answer: no counter over perf_event" \
			"$(show_field implementation | grep -Ec 'pmc|perf')" 0
	fi
	hard block "$answer" || :
done
if sanitized; then
	skip "descriptors and memory" "a sanitizer opens files at the end, and needs memory"
	skip "RDTSC faults" "a sanitizer's own code reads the clock"
else
	for condition in closed full many bare memory; do
		hard $condition || :
	done
	case $(uname -m)-$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource \
		2>/dev/null) in
	x86_64-tsc | x86_64-kvm-clock | i?86-tsc)
		if hard tsc eperm; then
			is "RDTSC faults, and the vDSO with it: a clock by system call" \
				"$(show_field implementation)" default-syscall
		fi
		hard block tsc eperm || :
		hard block tsc sigsys || :
		;;
	*) skip "RDTSC faults" "the clock here is not made of it" ;;
	esac
fi
