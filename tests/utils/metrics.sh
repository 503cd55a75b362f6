#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-info --metrics says what the other options say. tests/fleet lets Prometheus read it.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/utils/common.sh"

# value METRIC: of the metric's one sample, or of the sample with these labels.
value() { awk -v m="cpucycles_$1" '$1 == m { print $2 }' "$scratch/metrics"; }
# label METRIC LABEL: of the metric's samples.
label() { sed -n "s/^cpucycles_$1{\(.*,\)*$2=\"\([^\"]*\)\".*/\2/p" "$scratch/metrics"; }
# field LINE: what follows these words in a line of cpucycles-info.
field() { sed -n "s/^cpucycles $1 \([^ ]*\).*/\1/p" "$scratch/other" | head -n 1; }
# both OPTION: the metrics, and beside them what the option prints.
both() {
	run --metrics
	cp "$scratch/out" "$scratch/metrics"
	"$info" "$1" >"$scratch/other" 2>/dev/null </dev/null
}

# Without a cache.

CPUCYCLES_CACHE=$cache
export CPUCYCLES_CACHE
both --probe
is "without a cache it succeeds" "$status" 0
is "no message" "$(said)" ""
is "the cache is not in use" "$(value cache_in_use)" 0
is "because it is missing" "$(label cache_status_info status)" missing
is "it has no age" "$(value cache_age_seconds)" ""
is "each compiled counter is there once" "$(label usable counter | sort)" \
	"$(echo "$compiled" | sort)"
is "the probe finds the same ones usable" \
	"$(sed -n 's/^cpucycles_usable{counter="\([^"]*\)".* 1$/\1/p' "$scratch/metrics" | sort)" \
	"$(sed -n 's/^cpucycles probe rank [0-9]* \([^ ]*\) .*/\1/p' "$scratch/other" | sort)"
is "each unusable one has a reason" \
	"$(grep -c '^cpucycles_usable{.*reason=""} 0$' "$scratch/metrics")" 0
is "the kernel is this one" "$(label build_info kernel)" "$(uname -r)"
is "persecond is that of the probe" "$(value persecond_hertz)" "$(field 'probe persecond')"

# A counter that the environment names.

CPUCYCLES_COUNTER=default-gettimeofday "$info" --metrics >"$scratch/metrics"
is "the environment chooses the counter" "$(label in_use_info counter)" default-gettimeofday
is "and no cache did" "$(label in_use_info selection)" probe

# With a cache.

need_cache
both --cache
is "with a cache it succeeds" "$status" 0
is "the cache is in use" "$(value cache_in_use)" 1
is "its status is the word of --cache" "$(label cache_status_info status)" \
	"$(field 'cache in use status')"
is "the counter in use is a usable one" \
	"$(label usable counter | grep -cx "$(label in_use_info counter)")" 1
is "the cache gives the reasons" "$(label usable reason | grep -c .)" \
	"$(grep -c '^cpucycles cache unusable' "$scratch/other")"
is "the core's frequency is the cache's" "$(value core_hertz)" \
	"$(field 'cache core measured' | grep -v unknown)"
for counter in $(label precision_cycles counter); do
	line=$(grep "^cpucycles cache rank [0-9]* $counter " "$scratch/other")
	is "the precision of $counter is the cache's" \
		"$(value "precision_cycles{counter=\"$counter\"}")" \
		"$(echo "$line" | sed 's/.* precision \([0-9]*\) .*/\1/')"
	is "the rate of $counter is the cache's" "$(value "rate_hertz{counter=\"$counter\"}")" \
		"$(echo "$line" | sed -n 's/.* measured \([0-9]*\) ppm.*/\1/p')"
done
is "it was written now" "$(value cache_timestamp_seconds)" "$(stat -c %Y "$cache")"
touch -d '1 hour ago' "$cache"
run --metrics
cp "$scratch/out" "$scratch/metrics"
ok "an hour later it has that age" test "$(value cache_age_seconds)" -ge 3600
