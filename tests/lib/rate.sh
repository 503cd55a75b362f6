#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The rate of the counter in use, and time computed with it: without a cache, from a cache with a
# measured rate, and with a cache that must not be trusted.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE

# rated COUNTER ARGUMENT...: run show-rate with this counter, or with "any". Its output is
# $scratch/out, its status $rated.
rated() {
	counter=$1
	shift
	[ "$counter" != any ] || counter=
	timeout "$limit" env CPUCYCLES_COUNTER="$counter" "$programs/show-rate" "$@" \
		>"$scratch/out" 2>"$scratch/err"
	rated=$?
	[ "$rated" -eq 0 ] || sed 's/^/# /' "$scratch/out" "$scratch/err"
}
rate() {
	echo "$rated $(show_field hz) $(show_field ppm)"
}

# same_rate RATE RATE: the rates agree within their stated errors.
same_rate() {
	echo "$1 $2" | awk '{ off = $2 - $5; if (off < 0) off = -off
		exit !($1 == $4 && $3 == $6 && off * 1e6 <= ($3 + $6) * $2) }' && return
	echo "# got: $1, expected: $2"
	return 1
}

# The rate of a clock of the OS is exact by definition.
for name in default-monotonic default-syscall; do
	rated $name max min 0
	if [ "$(show_field implementation)" != "$name" ]; then
		skip "$name" "it does not work here"
		continue
	fi
	is "$name: exactly persecond counts per second" "$(rate)" "0 $(show_field persecond) 0"
	is "$name: time between counts is the clock's" "$(show_field clock)" good
	is "$name: no counts are no time" "$(show_field 'ns 0')" 0
done

# default-zero counts nothing: it has no rate, and time is computed with persecond.
rated default-zero
is "default-zero has no rate" "$(rate)" "0 0 0"
persecond=$(show_field persecond)
rated default-zero "$persecond" "-$persecond"
is "without a rate, time is by persecond" \
	"$(show_field "ns $persecond") $(show_field "ns -$persecond")" "1000000000 -1000000000"
rated default-perfevent
if [ "$(show_field implementation)" = default-perfevent ]; then
	is "cycles of a core have no rate" "$(rate)" "0 0 0"
else
	skip "cycles of a core have no rate" "no perf event can be opened here"
fi

rated any signal
is "the first call in a signal handler" "$rated $(show_field handler)" "0 same"

# With a cache.
CPUCYCLES_CACHE=$cache
"$programs/make-cache" "$cache" 2>"$scratch/err" ||
	{ skip "with a cache" "$(cat "$scratch/err")"; exit 0; }
edit() { sed -i.bak "$1" "$cache" && rm "$cache.bak" && "$programs/make-cache" --seal "$cache"; }
rated any
is "a cache without measured rates is no reason to fail" "$rated" 0
best=$(sed -n 's/^usable \([^ ]*\) off-core .*/\1/p' "$cache" | head -n 1)
if [ -n "$best" ]; then
	# The counter is ranked first and has a measured rate; the other values are those of the
	# probe.
	line=$(grep "^usable $best " "$cache" |
		sed 's/precision [0-9]*/precision 1/; s/measured .*/measured 1999999123 ppm 7/')
	awk -v best="$best" -v line="$line" '
		$1 == "usable" && !done { print line; done = 1 }
		$1 != "usable" || $2 != best' "$cache" >"$scratch/ranked"
	cp "$scratch/ranked" "$cache"
	"$programs/make-cache" --seal "$cache"
	rated any signal 1999999123 -1999999123
	is "the measured rate of a cache, with its error" "$(rate)" "0 1999999123 7"
	is "time by that rate" "$(show_field 'ns 1999999123') $(show_field 'ns -1999999123')" \
		"1000000000 -1000000000"
	is "and in a handler before the selection" "$(show_field handler)" same
	rated "$best"
	looked=$(rate)
	ok "where the environment names the counter, no cache is looked at" \
		same_rate "$looked" "$(CPUCYCLES_CACHE=none; rated "$best"; rate)"
	chmod 666 "$cache"
	rated any
	ok "not from a cache that anyone may write" test "$(show_field hz)" != 1999999123
else
	skip "the measured rate of a cache" "no off-core counter works here"
fi

# The rates that the calibrator measures.
rm -f "$cache"
"$top_builddir/calibrated/cpucycles-calibrated" --cache "$cache" --persecond "$scratch/persecond" \
	2>"$scratch/log" || sed 's/^/# /' "$scratch/log"
rated any
counter=$(show_field implementation)
case $(show_field hz) in
"" | 0)
	skip "time by a measured rate" "$counter runs at no fixed rate"
	;;
*)
	is "the rate of $counter" "$(show_field hz) $(show_field ppm)" \
		"$(awk -v name="$counter" -v hz="$(show_field persecond)" '
			$1 == "usable" && $2 == name {
				print $3 == "os-clock" ? hz " 0" : $11 " " $13
			}' "$cache")"
	is "time by a measured rate is the clock's, within its error" "$(for i in 1 2 3 4 5; do
		rated any
		show_field clock
	done | sort | uniq -c | tr -s ' ')" " 5 good"
	;;
esac

rm "$cache"
"$programs/make-cache" "$cache" only=default-monotonic persecond=1234567890
edit 's/measured .*/measured 1234000000 ppm 500/'
rated any 1234567890
is "a clock is exact whatever the cache measured" "$(rate) $(show_field 'ns 1234567890')" \
	"0 1234567890 0 1000000000"
is "and its time is the clock's" "$(show_field clock)" good

rm "$cache"
"$programs/make-cache" "$cache" only=default-monotonic persecond=1000
rated any max min 1 -1 9223372036854 -9223372036854
is "at 1 kHz: what does not fit becomes the largest" \
	"$(rate) $(show_field 'ns max') $(show_field 'ns min')" \
	"0 1000 0 9223372036854775807 -9223372036854775808"
is "at 1 kHz: a count is a millisecond" \
	"$(show_field 'ns 1') $(show_field 'ns -1')" "1000000 -1000000"
is "at 1 kHz: 292 years fit" "$(show_field 'ns 9223372036854') $(show_field 'ns -9223372036854')" \
	"9223372036854000000 -9223372036854000000"
