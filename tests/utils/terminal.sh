#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# On a terminal, cpucycles-info --cache begins with three lines for people, and an empty one.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/utils/common.sh"

script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
	skip_all "no script(1) of util-linux that can make a terminal here"
need_cache

# on_terminal: run the tool. Its standard output is a terminal, whose lines are in $scratch/seen.
on_terminal() {
	TERM=dumb script -qec "'$info' --cache" /dev/null </dev/null | tr -d '\r' >"$scratch/seen"
}
first_sentence() {
	sed -n '1s/\. .*/./p' "$scratch/seen"
}
# same: what the lines for scripts say, except the time that goes by.
same() {
	sed 's/ age [0-9]* .*//' "$@"
}

CPUCYCLES_CACHE=$cache
export CPUCYCLES_CACHE
run --cache
counter=$(sed -n 's/^cpucycles implementation \([^ ]*\) .*/\1/p' "$scratch/out")
on_terminal
is "below the sentences stand the lines for scripts" "$(sed 1,4d "$scratch/seen" | same)" \
	"$(same "$scratch/out")"
is "the counter comes first" "$(first_sentence)" \
	"Programs get the counter $counter, chosen from the calibration cache."
is "then comes a better one, or that there is none" "$(sed -n 2p "$scratch/seen" |
	grep -v -E '^(Better would be [a-z0-9-]+, which|No better counter is known here)')" ""
is "then comes how to get it, and an empty line" \
	"$(sed -n '3s/^\(How to get it\): [a-z].*/\1/p; 4p' "$scratch/seen")" "How to get it"

CPUCYCLES_CACHE=$scratch/cache/none
on_terminal
is "no cache" "$(first_sentence | sed 's/counter [^,]*/counter X/')" \
	"Programs get the counter X, chosen by measuring in their first call."
ok "no cache: the reason" grep -q "^[NB].* is not in use: there is no such file" "$scratch/seen"
ok "no cache: the command" grep -q "^How to get it: .*; for the cache, .*run: .*" "$scratch/seen"

CPUCYCLES_COUNTER=default-monotonic
export CPUCYCLES_COUNTER
on_terminal
is "a counter by name" "$(first_sentence)" \
	"Programs get the counter default-monotonic, named by CPUCYCLES_COUNTER."
