# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# How the two sizes of the races are run. Sourced, after library.sh.

# The program that races: race, or race-events, in which a task clock stands in for the event of
# cycles.
race=race

# raced NAME RACE N [THREADS]
raced() {
	raced_name=$1
	shift
	timeout 300 "$programs/$race" "$@" >"$scratch/out" 2>&1
	sed 's/^/# /' "$scratch/out"
	is "$raced_name" "$(tail -n 1 "$scratch/out")" "0 of $2 processes failed"
}

# The same, where a process with threads has children: ThreadSanitizer does not support them, and
# hung in one of some hundreds.
raced_forked() {
	case " $CFLAGS $CC " in
	*-fsanitize=*thread*) skip "$1" \
		"a child of a process with threads may hang in ThreadSanitizer" ;;
	*) raced "$@" ;;
	esac
}

# The same, where the program leaves code by a jump or a cancellation that a sanitizer's own code
# does not expect to be left.
raced_untied() {
	if sanitized; then
		skip "$1" "sanitizers do not bear cancellation anywhere and jumps out of handlers"
	else
		raced "$@"
	fi
}

# without_tsc NAME N: threads that fault meanwhile, where RDTSC faults.
without_tsc() {
	if sanitized; then
		raced_untied "$1" # ThreadSanitizer reads the clock itself
	elif timeout "$limit" "$programs/show" tsc >"$scratch/out" 2>&1; then
		raced_untied "$1" faults-tsc "$2"
	else
		skip "$1" "RDTSC can't be made fault here"
	fi
}
