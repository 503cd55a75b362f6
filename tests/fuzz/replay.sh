#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Each input of the corpus is given to its fuzz target, whose oracle aborts if an answer is wrong.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/fuzz/common.sh"

limit=600 # seconds, for what takes one
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) &&
	"$top_builddir/tests/lib/make-cache" "$scratch/own" source=cpuinfo-mhz ||
	echo "# no cache of this machine"

# replay TARGET FILE...: run the target on these files.
replay() {
	program=$top_builddir/tests/fuzz/$1
	shift
	timeout "$limit" "$program" "$@" 2>"$scratch/err" ||
		{ sed 's/^/# /' "$scratch/err"; return 1; }
}
for target in $targets; do
	seeds "$target" "$scratch/$target"
	ok "$target: every input" replay "$target" "$scratch/$target"/*
	is "$target: all of them" "$(figure "$scratch/err" inputs)" \
		"$(find "$scratch/$target" -type f | wc -l | tr -d ' ')"
	echo "# $target: $(figure "$scratch/err" inputs) inputs, $(figure "$scratch/err" \
		"taken as valid") times taken as valid"
	if [ -e "$scratch/own" ]; then
		ok "$target: not all is refused" test "$(figure "$scratch/err" "taken as valid")" \
			-gt 0
	else
		skip "$target: not all is refused" "no boot id on this system"
	fi
done

# Once unchanged, and once with a correct checksum.
if [ -e "$scratch/own" ]; then
	for target in cache trust; do
		ok "$target: this machine's own" replay "$target" "$scratch/$target/own"
		is "$target: it is taken" "$(figure "$scratch/err" "taken as valid")" 2
	done
else
	skip "this machine's own cache" "no boot id on this system"
fi

# The corpus was made for one list of counters, which other builds do not have.
listed() { sed -n 's/^\(un\)\{0,1\}usable \([^ ]*\) .*/\2/p' "$1" 2>/dev/null | sort; }
for seed in "$top_srcdir"/tests/fuzz/corpus/cache/x86_64-*; do
	if [ "$(listed "$seed")" = "$(listed "$scratch/own")" ]; then
		ok "cache: ${seed##*/}" replay cache "$seed"
		is "cache: ${seed##*/} is taken" "$(figure "$scratch/err" "taken as valid")" 2
	else
		skip "cache: ${seed##*/} is taken" "another list of counters"
	fi
done

# A target without a working oracle would pass all of the above.
printf '%%cache 0644 0 default\n' >"$scratch/empty"
ok "trust: an empty cache" replay trust "$scratch/empty"
is "trust: it is not taken" "$(figure "$scratch/err" "taken as valid")" ""
