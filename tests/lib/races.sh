# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Functions for the races of tests/lib and of tests/reliability. Sourced, after library.sh.

# The program: race, or race-events, which opens a task clock in place of an event of cycles.
race=race

# raced NAME RACE N [THREADS]: run this race.
raced() {
	raced_name=$1
	shift
	timeout 1200 "$programs/$race" "$@" >"$scratch/out" 2>&1
	sed 's/^/# /' "$scratch/out"
	is "$raced_name" "$(tail -n 1 "$scratch/out")" "0 of $2 processes failed"
}

# The same for races in which a process with threads has children. ThreadSanitizer does not support
# such children: one in some hundreds hangs.
raced_forked() {
	case " $CFLAGS $CC " in
	*-fsanitize=*thread*) skip "$1" \
		"a child of a process with threads may hang in ThreadSanitizer" ;;
	*) raced "$@" ;;
	esac
}

# The same for races in which a jump or a cancellation leaves code of a sanitizer, which must not be
# left that way.
raced_untied() {
	if sanitized; then
		skip "$1" "sanitizers do not bear cancellation anywhere and jumps out of handlers"
	else
		raced "$@"
	fi
}

# in_namespaces NAME N: a child with the id of the selecting thread.
in_namespaces() {
	timeout "$limit" "$programs/race" namespace >"$scratch/out" 2>&1
	if [ $? = 77 ]; then
		skip "$1" "no PID namespaces here"
	else
		raced_forked "$1" namespace "$2"
	fi
}

# without_tsc NAME N: other threads fault, and RDTSC faults.
without_tsc() {
	if sanitized; then
		raced_untied "$1" # ThreadSanitizer reads the clock itself
	elif timeout "$limit" "$programs/show" tsc >"$scratch/out" 2>&1; then
		raced_untied "$1" faults-tsc "$2"
	else
		skip "$1" "RDTSC can't be made fault here"
	fi
}
