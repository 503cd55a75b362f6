#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Processes start while their cache is replaced again and again. Each of them sees the whole old or
# the whole new cache, and counts as that cache says. Other caches are overwritten in place, which
# none of our programs does. Then each process counts as if there were a good cache or none.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/calibrated/faults.sh"

[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"

PROCESSES=500
REPLACED=100
AT_ONCE=25

cache=$scratch/cache/counters
mkdir -p "$scratch/cache" "$scratch/etc"
export CPUCYCLES_CACHE="$cache"

# during NAME COMMAND...: the command replaces the cache again and again, while AT_ONCE processes at
# a time start, until there were enough of both. $scratch/answers has one line for each process.
during() {
	name=$1 n=0
	shift
	rm -f "$scratch/enough" "$scratch/answers"
	: >"$scratch/replaced"
	until [ -e "$scratch/enough" ]; do
		"$@" && echo replaced >>"$scratch/replaced"
	done &
	until [ $n -ge $PROCESSES ] && [ "$(grep -c . "$scratch/replaced")" -ge $REPLACED ]; do
		for i in $(seq $AT_ONCE); do
			{
				timeout "$limit" "$programs/show-alone" >"$scratch/answer.$i" \
					2>&1 ||
					echo "ended with $?" >>"$scratch/answer.$i"
			} &
			last=$!
			crowd="${crowd:-} $last"
		done
		wait $crowd
		crowd=
		for i in $(seq $AT_ONCE); do
			tr '\n' ' ' <"$scratch/answer.$i"
			echo
		done >>"$scratch/answers"
		n=$((n + AT_ONCE))
	done
	: >"$scratch/enough"
	wait
	echo "# $name: $n processes, replaced $(grep -c . "$scratch/replaced") times"
	sort "$scratch/answers" | uniq -c | sed 's/^/# /'
	is "$name: all answer" \
		"$(grep -c '^implementation .* persecond-source [^ ]* $' "$scratch/answers")" $n
}
statuses() { sed -n 's/.* status \([a-z-]*\) .*/\1/p' "$scratch/answers" | sort -u | tr '\n' ' '; }

# Replaced by the calibrator.
run_calibrator() { "$calibrated" -f -B 20 -c "$cache" -p "$scratch/etc/p" 2>/dev/null; }
run_calibrator || skip_all "no calibrator can run here"
during "the calibrator" run_calibrator
is "the calibrator: always a whole cache" "$(statuses)" "used "

# Replaced by two caches of different counters and frequencies.
"$programs/make-cache" "$scratch/one" only=default-monotonic persecond=1000000001 source=cpuinfo-mhz
"$programs/make-cache" "$scratch/two" only=default-gettimeofday persecond=2000000002 \
	source=cpuid-base
used='source cache status used persecond'
as_one="implementation default-monotonic $used 1000000001 persecond-source cpuinfo-mhz "
as_two="implementation default-gettimeofday $used 2000000002 persecond-source cpuid-base "
rename() { cp "$scratch/$1" "$scratch/cache/new" && mv -f "$scratch/cache/new" "$cache"; }
rename_both() { rename one && sleep 0.01 && rename two && sleep 0.01; }
rename one
during "one of two" rename_both
is "one of two: the one or the other, and nothing of both" "$(sort -u "$scratch/answers")" \
	"$(printf '%s\n' "$as_two" "$as_one")"

# Overwritten in place: cut off, written half, longer than allowed, right again.
CPUCYCLES_CACHE=none shown
probed=$(tr '\n' ' ' <"$scratch/out" | sed 's/status disabled/status STATUS/')
write_in_place() {
	: >"$cache"
	head -c 700 "$scratch/one" >"$cache"
	sleep 0.01
	head -c 9000 /dev/zero >>"$cache"
	sleep 0.01
	cat "$scratch/one" >"$cache"
	sleep 0.01
	cat "$scratch/two" >"$cache"
}
during "written in place" write_in_place
is "written in place: a good cache, or the counter of a probe" \
	"$(sed -E 's/status (malformed|untrusted) /status STATUS /' "$scratch/answers" | twins |
		grep -v -F -x -e "$as_one" -e "$as_two" -e "$(echo "$probed" | twins)" |
		sort -u)" ""
ok "written in place: some saw it half written" grep -q "status malformed" "$scratch/answers"

# One change between open and read at a time.
# changed open|stat NAME STATUS COMMAND...: run the command while the library is stopped behind its
# first such call for the cache.
changed() {
	case $1 in
	open) calls='/^open(at)?$' ;;
	stat) calls='/^(new)?fstat(at)?(64)?$|^statx$' ;;
	esac
	name="$2, behind $1" expected=$3
	shift 3
	rename one
	: >"$scratch/trace"
	strace -f -o "$scratch/trace" -P "$cache" -e trace="$calls" \
		-e inject="$calls:signal=STOP:when=1" \
		"$programs/show-alone" >"$scratch/out" 2>"$scratch/err" &
	for tick in $(seq 6000); do
		stopped=$(sed -n 's/^\([0-9]*\) .*stopped by SIGSTOP.*/\1/p' "$scratch/trace")
		[ -z "$stopped" ] || break
		sleep 0.02
	done
	"$@"
	kill -CONT "$stopped"
	wait $!
	shown=$?
	as_expected "$name" "$expected" "$([ "$expected" = used ] && echo cache || echo probe)"
}
if ! injects; then
	skip "between open and read" "$why"
	exit 0
fi
cut() { truncate -s "$1" "$cache"; }
over() { cat "$scratch/$1" >"$cache"; }
is_two() { grep -q "^implementation default-gettimeofday" "$scratch/out"; }
not() { ! "$@"; }
for call in open stat; do
	changed $call "truncated to nothing" malformed cut 0
	changed $call "truncated to a half" malformed cut 500
	changed $call "grown to a terabyte" untrusted cut 1T
	changed $call "overwritten by another" used over two
	ok "overwritten by another: it counts as that one says" is_two
	changed $call "replaced by another" used rename two
	ok "replaced by another: it counts as the one that it opened says" not is_two
	changed $call "removed" used rm "$cache"
done
changed open "made writable by all" untrusted chmod 0666 "$cache"
changed stat "made writable by all" used chmod 0666 "$cache"
