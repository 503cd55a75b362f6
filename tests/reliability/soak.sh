#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Thousands of short processes, and a few long ones, while the files that they read change: the
# cache, /etc/cpucyclespersecond, the kernel's knobs. It takes 15 s; make soak runs it for any time.
# The knobs are copies that only this test sees, because other programs use the kernel's own. With
# soak_knobs=kernel the kernel's own are changed, and perf events become available and unavailable.

case $sysconfdir:$localstatedir in
"$top_builddir"/*:"$top_builddir"/*) private=yes ;;
*) private=no ;;
esac

# The test uses the compiled-in paths, in folders that only this test sees.
if [ $private = yes ] && [ -z "${inside:-}" ]; then
	mkdir -p "$sysconfdir" "$localstatedir"
	unshare -m mount -t tmpfs none "$sysconfdir" 2>/dev/null &&
		inside=1 exec unshare -m sh "$top_srcdir/tests/harness/way.sh" sh "$0"
fi

. "$top_srcdir/tests/harness/tap.sh"

[ $private = yes ] || skip_all "configured for $sysconfdir, which is not this test's to change"
[ -n "${inside:-}" ] || skip_all "needs root, and a mount namespace to be alone in"
mount -t tmpfs none "$sysconfdir" && mount -t tmpfs none "$localstatedir" || exit 99
chmod 755 "$sysconfdir" "$localstatedir"

seconds=${soak_seconds:-15}
rate=500 # processes a second, in each of two storms
ENOUGH=5000 # processes, to see the cache in each of its states
ROOM=64 # KiB that a process may grow by
calibrated=$top_builddir/calibrated/cpucycles-calibrated
soak=$top_builddir/tests/reliability/soak
make_cache=$top_builddir/tests/lib/make-cache
library=$top_builddir/lib/.libs/libcpucycles.so.1
persecond=$sysconfdir/cpucyclespersecond
cache=$localstatedir/cache/cpucycles/counters
caches=$localstatedir/caches
one=default-gettimeofday=1111111111
two=default-syscall=2222222222

# The knobs of this machine and their values, which any end of the test except SIGKILL restores.
for knob in /proc/sys/kernel/perf_event_paranoid /proc/sys/kernel/perf_user_access \
	/sys/devices/*/rdpmc; do
	[ ! -w "$knob" ] || echo "$(cat "$knob") $knob"
done >"$scratch/.knobs"
knobs=${soak_knobs:-copies}
if [ "$knobs" != kernel ]; then
	while read -r value knob; do
		copy=$scratch/.copy$(echo "$knob" | tr / -)
		echo "$value" >"$copy" && mount --bind "$copy" "$knob" || exit 99
	done <"$scratch/.knobs"
fi
end() {
	soak_status=$?
	trap '' INT TERM HUP
	# shellcheck disable=SC2046 # numbers
	kill $(cat "$scratch/.running") 2>/dev/null
	wait
	while read -r value knob; do
		echo "$value" >"$knob"
	done <"$scratch/.knobs"
	return $soak_status
}
: >"$scratch/.running"
trap 'end; tap_end' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The files that replace the cache in turns.
valid() { "$make_cache" "$caches/$1" "only=${2%=*}" "persecond=${2#*=}" source=cpuinfo-mhz; }
mkdir -p "$caches" "${cache%/*}"
valid one $one && valid two $two || skip_all "no cache can be made here"
"$make_cache" "$caches/stale" only=${one%=*} persecond=4444444444 \
	boot=01234567-89ab-cdef-0123-456789abcdef
head -c 300 "$caches/two" >"$caches/cut"
# The head of one cache and the rest of another, as if one had been written over the other.
{ sed '/^persecond/q' "$caches/one"; sed '1,/^persecond/d' "$caches/two"; } >"$caches/torn"

# start NAME COMMAND...: run it in the background, with its output in $scratch/NAME.
start() {
	name=$1
	shift
	"$@" >"$scratch/$name" 2>&1 &
	echo $! >>"$scratch/.running"
	names="$names $name"
	eval "pid_$name=$!"
}
names=

# The changes that go on all the time.
now() { cut -d . -f 1 /proc/uptime; }
goes_on() { [ "$(now)" -lt "$until" ]; }
calibrate_on() {
	runs=0 bad=0
	while goes_on; do
		"$calibrated" --force --budget 20 >"$scratch/.log" 2>&1 ||
			{ cat "$scratch/.log"; bad=$((bad + 1)); }
		runs=$((runs + 1))
		sleep 0.3
	done
	echo "calibrations $runs failed $bad"
	[ $bad = 0 ]
}
persecond_on() {
	edits=0
	while goes_on; do
		echo 3333333333 >"$persecond.his" && mv "$persecond.his" "$persecond"
		sleep 0.1
		rm -f "$persecond"
		sleep 0.2
		edits=$((edits + 2))
	done
	echo "edits $edits"
}
# kernel_keeps KNOB VALUE: the kernel's own knob has this value. Process 1 is outside of the
# namespace, so it does not see the copies.
kernel_keeps() {
	[ "$knobs" = kernel ] || [ ! -r "/proc/1/root$1" ] || [ "$(cat "/proc/1/root$1")" = "$2" ]
}
knobs_on() {
	flips=0
	while goes_on; do
		for turn in 0 1 2 3; do
			while read -r found knob; do
				case $knob in
				*paranoid) value=$turn ;;
				*rdpmc) value=$((turn % 3)) ;;
				*) value=$((turn % 2)) ;;
				esac
				echo $value >"$knob" && flips=$((flips + 1))
				kernel_keeps "$knob" "$found" ||
					echo "broken: the kernel's own $knob has changed"
			done <"$scratch/.knobs"
			sleep 0.1
		done
	done
	echo "flips $flips"
}

compile() {
	source=$top_srcdir/tests/reliability/$1.c
	shift
	$CC $CFLAGS -I"$top_builddir" -I"$top_srcdir/lib" "$source" "$@" -ldl
}
[ ! -e "$library" ] || compile load -o "$scratch/.load" ||
	echo "# no program that loads the library"
until=$(($(now) + seconds))
start storm "$soak" storm "$seconds" $rate $one $two
# The files that the soak reads, and its library, have compiled-in paths in the build folder.
install -m 755 "$soak" "$scratch/.soak"
nobody_status=126
if nobody_enters; then
	nobody_status=0
	$as_nobody "$scratch/.soak" one >/dev/null 2>&1 || nobody_status=$?
fi
if [ $nobody_status -lt 126 ]; then
	start nobody $as_nobody "$scratch/.soak" storm "$seconds" $rate $one $two
else
	echo "# another user may not enter the build folder: both storms are root's"
	start nobody "$soak" storm "$seconds" $rate $one $two
fi
start threads "$soak" threads "$seconds"
start forks "$soak" forks "$seconds"
start reselect "$soak" reselect "$seconds"
# The same with an event for each thread. Without a PMU, it is an event of the kernel's own clock.
if [ -e "$library" ] && compile task-clock -fPIC -shared -o "$scratch/.task-clock.so"; then
	for life in threads forks reselect; do
		start ${life}_events env CPUCYCLES_COUNTER=default-perfevent \
			LD_PRELOAD="$scratch/.task-clock.so" \
			"$soak" $life "$seconds"
	done
fi
[ ! -x "$scratch/.load" ] || start load "$scratch/.load" "$seconds" "$library"
start replace "$soak" replace "$seconds" "$cache" \
	"$caches/one" "$caches/two" "$caches/stale" "$caches/cut" "$caches/torn"
start calibrate calibrate_on
start persecond persecond_on
[ ! -s "$scratch/.knobs" ] || start knobs knobs_on

for name in $names; do
	eval "wait \$pid_$name"
	is "$name: to its end without an error" \
		"$? $(grep -m 5 'broken\|ended by' "$scratch/$name")" "0 "
	sed "s/^/# $name: /" "$scratch/$name"
done
: >"$scratch/.running"

# sum FIELD: the sum of this field over the output of all processes.
sum() { cat "$scratch"/[a-z]* | awk -v name="$1" \
	'{ for (i = 1; i < NF; i++) if ($i == name) sum += $(i + 1) } END { print sum + 0 }'; }

# How often processes met each state of the cache.
total=$(sum processes)
for word in used missing stale-boot stale-persecond malformed; do
	times=$(sum "$word")
	echo "# $times processes found the cache $word"
	if [ "$total" -lt $ENOUGH ]; then
		skip "some processes found the cache $word" "a busy machine: $total processes only"
	else
		ok "some processes found the cache $word" test "$times" -gt 0
	fi
done
is "none found it in a state that it never was in" \
	"$(sed -n 's/^cache \([^ ]*\) .*/\1/p' "$scratch/storm" "$scratch/nobody" | sort -u |
	grep -vx 'used\|missing\|stale-boot\|stale-persecond\|malformed')" ""

# grown FIELD: how far the field grew in each long process, from a tenth of its time to the end.
grown() {
	for file in "$scratch"/[a-z]*; do
		awk -v name="$1" -v file="${file##*/}" '/ descriptors / {
			for (i = 1; i < NF; i++)
				if ($i == name && $(i + 2) > $(i + 1))
					print file, name, $(i + 2) - $(i + 1) }' "$file"
	done
}
is "no long life holds more descriptors at its end" "$(grown descriptors)" ""
is "nor more mappings" "$(grown mappings)" ""
is "nor more than $ROOM KiB of memory of its own" \
	"$(grown anonymous | awk -v room=$ROOM '$3 > room')" ""

echo "# totals: $seconds s: $total processes, $(sum afresh) of them started afresh," \
	"$(sum per-second) of $((2 * rate)) a second; $(sum threads) threads, $(sum forks) forks," \
	"$(sum selections) selections made again and" \
	"$(sum loads) loads in long-lived processes; $(sum replacements) cache replacements" \
	"and $(sum calibrations) calibrations, $(sum edits) edits of the persecond file," \
	"$(sum flips) flips of knobs;" \
	"$(($(sum failed) + $(cat "$scratch"/[a-z]* | grep -c broken))) errors"
