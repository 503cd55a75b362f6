#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Without options the tool prints the lines that scripts read.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/utils/common.sh"

n=$(echo "$compiled" | wc -l)
run
is "it succeeds" "$status" 0
is "nothing on standard error" "$(said)" ""

# line NAME FIRST LAST PATTERN: all lines from FIRST to LAST have this form.
lines() {
	is "$1" "$(sed -n "$2,$3p" "$scratch/out" | grep -v -x -E -e "$4")" ""
}
lines "version" 1 1 'cpucycles version [0-9][^ ]*'
scaling='[0-9]+\.[0-9]{6}'
lines "tracesetup" 2 $((n + 1)) \
	"cpucycles tracesetup [0-9]+ [a-z0-9-]+ precision [0-9]+ scaling $scaling only32 [01]"
lines "persecond" $((n + 2)) $((n + 2)) 'cpucycles persecond [1-9][0-9]*'
lines "implementation" $((n + 3)) $((n + 3)) 'cpucycles implementation [a-z0-9-]+'
lines "iqm and 63 differences with a sign" $((n + 4)) $((n + 4)) \
	'cpucycles iqm -?[0-9]+ ([+-][0-9]+){63}'
lines "observed" $((n + 5)) $((n + 15)) \
	'cpucycles observed persecond [0-9]+\.\.\.[0-9]+ with [0-9]+ loops [0-9]+ microseconds'
lines "frequency" $((n + 16)) $((n + 16)) 'cpucycles frequency source [a-z0-9-]+'
lines "cache" $((n + 17)) $((n + 17)) 'cpucycles cache (in use|not in use) status [a-z-]+'
is "and no more lines" "$(wc -l <"$scratch/out" | tr -d ' ')" $((n + 17))
is "the source is the library's" \
	"$(sed -n 's/^cpucycles frequency source //p' "$scratch/out")" \
	"$("$top_builddir/tests/lib/show" | sed -n 's/^persecond-source //p')"
is "in this order" "$(awk '{ print $2 }' "$scratch/out" | uniq | tr '\n' ' ')" \
	"version tracesetup persecond implementation iqm observed frequency cache "
is "tracesetup numbers the counters of the list" \
	"$(sed -n 's/^cpucycles tracesetup \([0-9]*\) \([^ ]*\) .*/\1 \2/p' "$scratch/out")" \
	"$(echo "$compiled" | awk '{ print NR - 1, $1 }')"
is "eleven loops" "$(sed -n 's/.* with \([0-9]*\) loops .*/\1/p' "$scratch/out" | tr '\n' ' ')" \
	"1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 "
is "no lower bound is above the upper one" \
	"$(sed -n 's/^cpucycles observed persecond \([0-9]*\)\.\.\.\([0-9]*\) .*/\1 \2/p' \
		"$scratch/out" | awk '$1 + 0 > $2 + 0')" ""

# Into a pipe go the same lines as into a file, in the same order.
is "the lines come in order through a pipe" \
	"$("$info" | awk '{ print $2 }' | uniq | tr '\n' ' ')" \
	"version tracesetup persecond implementation iqm observed frequency cache "

# The tool has the library once: the public functions are in the program, and the shared library,
# which would bring a second guard and a second selection, is not loaded.
program=$top_builddir/utils/cpucycles-info
symbols=$(nm "$program" 2>/dev/null | awk '$2 == "T" || $2 == "t" { print $3 }')
if command -v objdump >/dev/null && [ -n "$symbols" ]; then
	is "it needs no libcpucycles.so" "$(objdump -p "$program" | grep 'NEEDED.*libcpucycles')" ""
	is "it has each public function once" \
		"$(echo "$symbols" |
			grep -x -E 'cpucycles_(version|implementation|cache_status)' | sort)" \
		"$(printf 'cpucycles_%s\n' cache_status implementation version)"
else
	skip "it has the library once" "no nm or objdump that reads this program"
fi

# The last line, with and without a cache.
CPUCYCLES_CACHE=none "$info" >"$scratch/out"
is "no cache" "$(sed -n '$p' "$scratch/out")" "cpucycles cache not in use status disabled"
if [ -r /proc/sys/kernel/random/boot_id ]; then
	calibrate
	is "the cache in use" "$(CPUCYCLES_CACHE=$cache "$info" | sed -n '$p')" \
		"cpucycles cache in use status used"
else
	skip "the cache in use" "no cache can be made here"
fi
