#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# --probe prints a fresh ranking beside the cached one.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/utils/common.sh"
need_cache

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
# Before the probe's lines comes one more, if a counter of core cycles works but is not the best.
lines() { sed '/^cpucycles core cycles: /d' "$scratch/out"; }
names() {
	awk '$2 == "probe" && $3 == "rank" { print $5 }
		$2 == "probe" && $3 == "unusable" { print $4 }' "$scratch/out"
}

run --probe
is "without a cache: status 0" "$status" 0
is "every counter is there once" "$(names | sort)" "$(echo "$compiled" | sort)"
first=$(lines | sed -n '1{ /^cpucycles probe persecond [0-9]* source [a-z-]*$/p; }')
ok "the frequency of the scalings comes first" test -n "$first"
is "each is not cached" "$(grep -c '; not cached$' "$scratch/out")" \
	"$(echo "$compiled" | wc -l | tr -d ' ')"
ok "nothing to compare" has 'cpucycles probe differences unknown: no cached ranking'

CPUCYCLES_CACHE=$cache
run --probe
is "with a cache: status 0" "$status" 0
is "every counter is there once" "$(names | sort)" "$(echo "$compiled" | sort)"
rank='rank [0-9]+ [a-z0-9-]+ class [a-z-]+ precision [0-9]+ hz [0-9]+ scaling [0-9]+\.[0-9]{6}'
# Behind some reasons there is a hint.
unusable='unusable [a-z0-9-]+ reason [a-z-]+: [^;]+(; [^;]+)?'
cached='rank [0-9]+ precision [0-9]+ measured (unknown|[0-9]+ ppm [0-9]+)|unusable [a-z-]+'
differs='; differs:( rank| precision| reason| newly-usable| newly-unusable)+'
form="cpucycles probe ($rank|$unusable); cached ($cached)($differs)?"
is "each line has the form" "$(lines | sed '1d; $d' | grep -v -x -E "$form")" ""
is "the last line counts the differences" \
	"$(sed -n '$s/^cpucycles probe differences //p' "$scratch/out")" \
	"$(grep -c '; differs:' "$scratch/out")"

# A cache that is changed in the line of its last usable counter.
edit() { sed -i.bak "$1" "$cache" && rm "$cache.bak" && "$resum" "$cache"; }
# as_made: the first cache again. Another run of the calibrator may measure another frequency, to
# which the rate of another counter does not scale.
cp "$cache" "$scratch/made"
as_made() { cp "$scratch/made" "$cache"; }
last=$(sed -n 's/^usable \([^ ]*\) .*/\1/p' "$cache" | tail -n 1)
edit "s/^usable $last .*/unusable $last still 0/"
run --probe
ok "newly usable" has \
	"cpucycles probe rank [0-9]+ $last .*; cached unusable still; differs: newly-usable"
as_made
edit "s/^\(usable $last .* precision \)[0-9]*/\1999999999/"
run --probe
cached='rank [0-9]+ precision 999999999 measured (unknown|[0-9]+ ppm [0-9]+)'
ok "another precision" has \
	"cpucycles probe rank [0-9]+ $last .*; cached $cached; differs:.* precision"
as_made
edit 's/^unusable default-zero .*/unusable default-zero signal 4/'
run --probe
zero='cpucycles probe unusable default-zero'
ok "another reason" has \
	"$zero reason last-resort: .*; cached unusable signal; differs: reason"
is "a cache that is damaged in what it says is status 0" "$status" 0

# default-zero is unusable in every probe.
as_made
class=$(sed -n 's/^unusable default-zero.*/last-resort/p' "$cache")
line=$(sed -n 's/^usable //p' "$cache" | tail -n 1)
edit "/^unusable default-zero/d"
edit "s|^usable $line\$|&\\
usable default-zero $class precision 999999999 hz 0 scaling 1/1 measured 0 ppm 0|"
run --probe
cached='rank [0-9]+ precision 999999999 measured unknown'
ok "newly unusable" has "$zero .*; cached $cached; differs: newly-unusable"

as_made
run --cache --probe
is "--cache --probe: status of --cache" "$status" 0
ok "--cache --probe: the one" has 'cpucycles cache in use status used'
ok "--cache --probe: and the other" has 'cpucycles probe differences [0-9]+'
CPUCYCLES_CACHE=none run --cache --probe
is "--cache --probe without a cache: status 1" "$status" 1
ok "and the probe all the same" has 'cpucycles probe rank 1 .*'
