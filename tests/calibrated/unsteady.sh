#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Calibrator, library and info tool on a machine whose kernel has marked the time-stamp counter
# unstable, or has not measured its clock finally. What the kernel says is replaced by files that
# are mounted over its own. Only with paths in the build folder, as in machine.sh.

. "$top_srcdir/tests/harness/alone.sh"
. "$top_srcdir/tests/harness/lines.sh"

clocks=/sys/devices/system/clocksource/clocksource0
calibrated=$top_builddir/calibrated/cpucycles-calibrated
info=$top_builddir/utils/cpucycles-info
rate=$top_builddir/tests/lib/show-rate
resum=$top_builddir/tests/harness/resum
json_get=$top_builddir/tests/utils/json-get
cache=$localstatedir/cache/cpucycles/counters
persecond=$sysconfdir/cpucyclespersecond
mkdir "$localstatedir/cache"

# says FILE TEXT: from now on that file of the kernel says this.
says() {
	echo "$2" >"$scratch/$1"
	mount --bind "$scratch/$1" "$clocks/$1"
}
as_before() { umount "$clocks/$1"; }
# calibrate: a run that knows all rates, as not every run does on a busy machine.
calibrate_once() {
	"$calibrated" "$@" 2>"$scratch/log" || { sed 's/^/# /' "$scratch/log"; return 1; }
}
calibrate() { again_while "$unmeasured_words" calibrate_once "$@"; }
logged() { grep -qE "$1" "$scratch/log" || { sed 's/^/# /' "$scratch/log"; return 1; }; }
fact() { sed -n 's/^fact tsc //p' "$cache"; }
# measured NAME: its rate in the cache.
measured() { sed -n "s/^usable $1 .* measured //p" "$cache"; }
# library WORD ARGUMENT...: what show-rate says of it, with the counter of the TSC.
library() {
	word=$1
	shift
	CPUCYCLES_COUNTER=$counter "$rate" "$@" | sed -n "s/^$word //p"
}
info_line() { "$info" --cache | grep -E "^cpucycles hz $1"; }

calibrate || skip_all "the calibrator does not run here"
tsc=$(sed -n 's/^usable \([a-z0-9]*-tsc\) off-core .*/\1/p' "$cache")
[ -n "$tsc" ] || skip_all "no TSC that works here"
[ "$(fact)" = invariant ] || skip_all "this machine's TSC is $(fact)"
grep -qw tsc "$clocks/available_clocksource" || skip_all "the kernel does not list the TSC"
[ "$(measured "$tsc")" != "0 ppm 0" ] || skip_all "the rate of the TSC cannot be measured here"
may mount --bind "$clocks/available_clocksource" "$clocks/available_clocksource" &&
	as_before available_clocksource || skip_all "$refused"
ok "an invariant TSC has a rate" test "$(measured "$tsc" | cut -d ' ' -f 1)" -gt 1000
counter=

# With the TSC in the first rank, so that the library takes it from the cache.
first=$(sed -n 's/^usable \([^ ]*\) .*/\1/p' "$cache" | head -n 1)
why="the kernel marked the time-stamp counter unstable"
says available_clocksource "hpet acpi_pm "
ok "marked unstable: calibrated" calibrate
is "marked unstable: the fact" "$(fact)" unstable
ok "marked unstable: all is measured anew, and a line says why" \
	logged "the time-stamp counter was invariant and is unstable now"
is "marked unstable: a rate whose bound says nothing" \
	"$(measured "$tsc" | sed 's/^[1-9][0-9]* //')" "ppm 1000000"
ok "marked unstable: a line says why" logged "rate: $tsc: not fixed: $why"
ok "marked unstable: clocks have rates" test \
	"$(measured default-monotonic | cut -d ' ' -f 1)" -gt 1000
ok "marked unstable: the skew of another counter" logged "skew of [a-z]*-"
is "marked unstable: no skew of the TSC" "$(grep -c "skew of [^ ]*tsc" "$scratch/log")" 0
case $first in
*tsc*)
	is "marked unstable: the library has no rate" "$(library hz) $(library ppm)" "0 0"
	count=$(library persecond)
	is "marked unstable: time is by persecond" "$(library "ns $count" "$count")" 1000000000
	is "marked unstable: cpucycles-info says why" "$(info_line unknown)" \
		"cpucycles hz unknown: $why"
	is "marked unstable: beside the 0" "$(info_line '[0-9]')" \
		"cpucycles hz 0 source unknown ppm 0"
	if "$info" --json >"$scratch/json" 2>/dev/null; then
		is "marked unstable: for programs too" \
			"$("$json_get" rate hz <"$scratch/json") $("$json_get" rate why \
				<"$scratch/json")" "null $why"
	else
		skip "marked unstable: for programs too" "built without jansson"
	fi
	;;
*) skip "marked unstable: the library has no rate" "$first is better than the TSC" ;;
esac
ok "marked unstable: calibrated again" calibrate
is "marked unstable: still no bound" "$(fact) $(measured "$tsc" | sed 's/^[1-9][0-9]* //')" \
	"unstable ppm 1000000"
is "marked unstable: nothing has changed" "$(grep -c 'time-stamp counter was' "$scratch/log")" 0

as_before available_clocksource
case $first in
*tsc*) is "listed again: cpucycles-info says why the cache has no rate" "$(info_line unknown)" \
	"cpucycles hz unknown: $why" ;;
esac
ok "steady again: calibrated" calibrate
ok "steady again: a rate" test "$(measured "$tsc" | cut -d ' ' -f 1)" -gt 1000
is "steady again: the fact" "$(fact)" invariant
case $first in
*tsc*) is "steady again: cpucycles-info has nothing to explain" \
	"$("$info" --cache | grep -c 'hz unknown:')" 0 ;;
esac

# Without a cache, the rate that somebody tells.
boot=$(cat /proc/sys/kernel/random/boot_id)
persecond_file 2345678000 "$boot" tsc-freq-khz >"$persecond"
CPUCYCLES_CACHE=none counter=$tsc
export CPUCYCLES_CACHE
is "no cache: the rate that is told" "$(library hz) $(library ppm)" "2345678000 500"
says available_clocksource "hpet acpi_pm "
is "no cache, marked unstable: no rate" "$(library hz) $(library ppm)" "0 0"
is "no cache, marked unstable: cpucycles-info says why" \
	"$(CPUCYCLES_COUNTER=$tsc info_line unknown)" "cpucycles hz unknown: $why"
as_before available_clocksource
says available_clocksource ""
is "no cache, an empty list: nothing is concluded" "$(library hz)" 2345678000
as_before available_clocksource
unset CPUCYCLES_CACHE
rm "$persecond"

# narrow: the rates with a bound below 10000 ppm.
narrow() {
	sed -n -e 's/^core \(.*\) ppm \(.*\)/core \1 \2/p' \
		-e 's/^usable \([^ ]*\) .* measured \(.*\) ppm \(.*\)/\1 \2 \3/p' "$cache" |
		awk '$2 && $3 < 10000'
}
says available_clocksource "tsc-early hpet acpi_pm "
says current_clocksource tsc-early
ok "tsc-early: calibrated" calibrate --force
is "tsc-early: the TSC has a rate" "$(fact) $(measured "$tsc" | cut -d ' ' -f 2-)" \
	"invariant ppm 10000"
is "tsc-early: no bound is narrow" "$(narrow)" ""
ok "tsc-early: a line says why" logged "clock: tsc-early, .*: every bound is 10000 ppm at least"
sed -i.bak -e '/^core /s/ppm .*/ppm 7/' -e 's/ppm 10000$/ppm 7/' "$cache" && "$resum" "$cache"
ok "tsc-early: bounds of an earlier run are narrow" test -n "$(narrow)"
ok "tsc-early: calibrated at a boot" calibrate
is "tsc-early: they are not published again" "$(narrow)" ""
as_before current_clocksource
as_before available_clocksource
ok "measured finally: calibrated" calibrate --force
ok "measured finally: bounds are narrow" test -n "$(narrow)"
