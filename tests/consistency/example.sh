#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The example in cpucycles-cache(5) is a cache that the library takes, checksum and all.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

section doc/cpucycles-cache.5 EXAMPLES |
	sed -n '/^\.Bd -literal/,/^\.Ed/p' | grep -v '^\.' >"$scratch/cache"

mine=$(sed -n 's/^COUNTER(\(.*\))$/\1/p' "$top_builddir/lib/counters.inc" | tr _ - | sort)
named=$(sed -n 's/^u[a-z]* \([a-z0-9-]*\) .*/\1/p' "$scratch/cache" | sort)
[ "$mine" = "$named" ] || skip_all "the example is of a machine with other counters"

is "the first wrong line of the example is none" \
	"$("$top_builddir/tests/consistency/parse-cache" <"$scratch/cache")" 0
# What is well formed but changed is found by the checksum, which is the last line.
is "the example with one digit changed is wrong in the last line" \
	"$(sed 's/^persecond 2/persecond 3/' "$scratch/cache" | "$top_builddir/tests/consistency/parse-cache")" \
	"$(wc -l <"$scratch/cache" | tr -d ' ')"
