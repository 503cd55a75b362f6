#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Sandboxes: what cpucycles-sandbox(7) lists is enough, and what a sandbox refuses
# costs a counter, not the process. (Every call, every libc: tests/reliability/seccomp.sh.)

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

sanitized && skip_all "sanitizers make calls of their own"
cached="$(listed "First call with a cache")"
probing="$cached
$(listed "First call without a cache")"
waiting=$(listed "First call while another")

# in_sandbox CASE ANSWER NAMES: status and what was said, in $said.
in_sandbox() {
	# shellcheck disable=SC2046 # a list
	said=$(timeout "$limit" "$programs/sandboxed" "$1" "$2" $(echo "$3" | all_names) \
		2>"$scratch/err"; echo "status $?")
}
in_sandbox first allow "$probing"
case $said in *"status 77") skip_all "$(echo "$said" | head -n 1)" ;; esac

"$programs/make-cache" "$cache" || skip_all "no cache can be made here"
ok "the manual lists calls" \
	test "$(echo "$cached" | wc -l)" -gt 5 -a "$(echo "$probing" | wc -l)" -gt 15
# Where events of cycles are to be had, the cache ranks them first, and its list is the longer one.
case $(sed -n '/^usable/{s/^usable \([^ ]*\) .*/\1/p;q;}' "$cache") in
*perf* | *pmc*) over_events="$probing" ;;
*) over_events= ;;
esac

# enough CASE NAMES: with these alone it counts.
enough() {
	in_sandbox "$1" allow "$3"
	is "$1, $2: what the manual lists is enough" \
		"$(echo "$said" | sed "s/^[a-z0-9-]* $4$/it counts/; s/^default-zero.*/&!/")" \
		"it counts
status 0"
}
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
for case in first threads; do
	enough $case "probing" "$probing
$waiting" "probe disabled"
done
CPUCYCLES_CACHE=$cache
enough first "cached" "${over_events:-$cached}" "cache used"
enough threads "cached" "${over_events:-$cached}
$waiting" "cache used"
enough sent "cached" "${over_events:-$cached}
$(listed "First call while somebody")" "cache used"

if [ -n "$over_events" ]; then
	skip "a cache without events: perf_event_open is not called" "events rank first here"
else
	in_sandbox first kill perf_event_open
	is "a cache without events: perf_event_open is not called" "${said#* }" "cache used
status 0"
fi

# Whatever is refused, it counts. Those around the guard end the process if they are a trap.
around=$(printf '%s\n' rt_sigaction rt_sigprocmask gettid)
for CPUCYCLES_CACHE in "$cache" none; do
	for answer in eperm enosys trap; do
		for call in $probing; do
			in_sandbox first "$answer" "$call"
			case $said in
			default-zero*) echo "$call: $said" ;;
			*"status 0" | *"status 77") ;;
			*)
				[ $answer = trap ] && echo "$around" | grep -qx "$call" ||
					echo "$call: $said"
				;;
			esac
		done >"$scratch/bad"
		is "${CPUCYCLES_CACHE##*/}: any one call answered with $answer" \
			"$(cat "$scratch/bad")" ""
	done
done
# Without a handler in place the six signals must stay blocked.
for call in rt_sigaction rt_sigprocmask; do
	in_sandbox sent eperm $call
	is "$call is refused: no guard, no selection, and nothing is let through" "$said" \
		"default-syscall probe disabled
status 0"
done
