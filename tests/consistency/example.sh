#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The examples in manual pages: the program of cpucycles(3) compiles, and the library accepts the
# cache of cpucycles-cache(5).
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

# literal PAGE HEADING: the literal text of the section, as a reader sees it.
literal() {
	section "$1" "$2" | sed -n '/^\.Bd -literal/,/^\.Ed/p' | grep -v '^\.' | sed 's/\\e/\\/g'
}

literal doc/cpucycles.3 Example >"$scratch/example.c"
ok "cpucycles(3) has an example" has_lines "$(cat "$scratch/example.c")"
# shellcheck disable=SC2086 # CC is a list
ok "the example compiles" ${CC:-cc} -std=c11 -Wall -Wextra -Werror -I include \
	-c "$scratch/example.c" -o "$scratch/example.o"

literal doc/cpucycles-cache.5 EXAMPLES >"$scratch/cache"

mine=$(sed -n 's/^COUNTER(\(.*\))$/\1/p' "$top_builddir/lib/counters.inc" | tr _ - | sort)
named=$(sed -n 's/^u[a-z]* \([a-z0-9-]*\) .*/\1/p' "$scratch/cache" | sort)
case $mine in
*amd64-perfpmc*) ;;
*)
	skip "the cache of the example is accepted" "it is of a machine with other counters"
	exit 0
	;;
esac
is "the example has all counters" "$named" "$mine"
is "the first wrong line of the example is none" \
	"$("$top_builddir/tests/consistency/parse-cache" <"$scratch/cache")" 0
# The checksum, which is the last line, finds a change that is well formed.
is "the example with one digit changed is wrong in the last line" \
	"$(sed 's/^persecond 2/persecond 3/' "$scratch/cache" |
		"$top_builddir/tests/consistency/parse-cache")" \
	"$(wc -l <"$scratch/cache" | tr -d ' ')"
