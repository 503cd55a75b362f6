#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The limits of cpucycles-info --noise are the same in the code and in cpucycles-info(1).
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "the limits of cpucycles-info --noise stand in the manual as in the code"

# limit NAME: the value of the constant. percent NAME [LESS]: as a part of 100, above LESS.
limit() { sed -n "s/^#define $1 \([0-9.]*\)$/\1/p" noise/*.[ch]; }
percent() { limit "$1" | awk -v less="${2:-0}" '{ print 100 * ($1 - less) }'; }
# ms NAME: a time in ns as ms.
ms() { limit "$1" | awk '{ print $1 / 1e6 }'; }

manual=$(tr '\n' ' ' <doc/cpucycles-info.1)
says() { case $manual in *"$1"*) ;; *) return 1 ;; esac }
is "frequency and a neighbour have one limit" "$(percent FREQUENCY_LEAST)" \
	"$(percent NEIGHBOUR_LEAST)"
for said in "Too little is less than $(percent BLAME_SHARE) %, but for throttling \
$(percent THROTTLED_LEAST) %, for frequency and a neighbour $(percent FREQUENCY_LEAST) %, for \
shared memory $(percent MEMORY_LEAST) %, and for idle states a difference of \
$(percent IDLE_LEAST 1) %." \
	"gaps of over $(ms GAPS_SOFTIRQ_MAX) ms in which this thread" \
	"as long as a gap of up to $(ms GAPS_INTERRUPT_MAX) ms, on average" \
	"Gaps of up to $(ms GAPS_SOFTIRQ_MAX) ms belong here"; do
	ok "cpucycles-info(1) says: $said" says "$said"
done
end_lint
