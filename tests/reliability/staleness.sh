#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The staleness matrix: each field that ties a cache to its boot, machine and frequency is changed
# alone. If the library looks at the field, it ignores the cache, and cpucycles-info names the
# check. The calibrator's next run, without --force, mends the cache. All this happens on the
# compiled-in paths. This test mounts folders of its own over them, which nobody else sees.

. "$top_srcdir/tests/harness/alone.sh"
. "$top_srcdir/tests/harness/lines.sh"

boot=$(cat /proc/sys/kernel/random/boot_id)

calibrated=$top_builddir/calibrated/cpucycles-calibrated
info=$top_builddir/utils/cpucycles-info
json_get=$top_builddir/tests/utils/json-get
show=$top_builddir/tests/lib/show
resum=$top_builddir/tests/harness/resum
cache=$localstatedir/cache/cpucycles/counters
persecond=$sysconfdir/cpucyclespersecond

limit=300
other=00000000-1111-2222-3333-444444444444

# Whoever turns a knob meanwhile is not seen here.
for knob in /proc/sys/kernel/perf_event_paranoid /proc/sys/kernel/perf_user_access \
	/proc/sys/kernel/nmi_watchdog /sys/devices/system/cpu/online; do
	[ ! -r "$knob" ] || { cat "$knob" >"$scratch/${knob##*/}" &&
		mount --bind "$scratch/${knob##*/}" "$knob"; } ||
		echo "# $knob is everybody's"
done

mkdir "$localstatedir/cache"
run_calibrator() { timeout "$limit" "$@" "$calibrated" --budget 20 2>"$scratch/log"; }
tell() { timeout "$limit" "$show" | sed -n "s/^$1 //p"; }

again_while "$unmeasured_words" run_calibrator && forget_core "$cache" || exit 99
cp "$cache" "$scratch/cache" && cp "$persecond" "$scratch/persecond" ||
	skip_all "nothing here tells the frequency: no file of it is written"
hz=$(cache_field persecond | cut -d' ' -f1) source=$(cache_field persecond | cut -d' ' -f2)
machine=$(cache_field machine)
probed=$(CPUCYCLES_CACHE=none tell implementation | twins)
json=yes
"$info" --json >"$scratch/json" 2>/dev/null || json=no

# Everything as that first run left it.
restore() {
	rm -rf "$cache" "$persecond"
	cp "$scratch/cache" "$cache" && cp "$scratch/persecond" "$persecond" &&
		chmod 0644 "$cache" "$persecond"
}

# What changes one field.
edit() { sed "$1" "$scratch/cache" >"$cache" && "$resum" "$cache"; }
unsealed() { sed "$1" "$scratch/cache" >"$cache"; }
mode() { chmod "$1" "$cache"; }
owner() { chown "$1" "$cache"; }
file() { printf "$1" >"$persecond"; }
ours() { persecond_file "$@" >"$persecond"; }
gone() { rm "$1"; }
empty() { : >"$cache"; }
long() { awk 'BEGIN { for (i = 0; i < 900; i++) print "fact tsc" }' >>"$cache"; }
swapped() { # the best and the worst of those that work
	n=$(grep -c '^usable ' "$scratch/cache")
	awk -v n="$n" '
		/^usable/ {
			line[++i] = $0
			if (i < n)
				next
			print line[n]
			for (k = 2; k < n; k++)
				print line[k]
			print line[1]
			next
		}
		{ print }' "$scratch/cache" >"$cache" && "$resum" "$cache"
}

# used NAME: the library starts from the cache, and cpucycles-info says so.
used() {
	is "$1: the library uses it" "$(tell status) $(tell source)" "used cache"
	"$info" --cache >"$scratch/info" 2>&1
	is "$1: so says cpucycles-info" \
		"$? $(sed -n 's/^cpucycles cache in use status //p' "$scratch/info")" "0 used"
}

# ignored NAME STATUS PROBLEM
ignored() {
	timeout "$limit" "$show" >"$scratch/shown" 2>"$scratch/err"
	is "$1: the library ignores it" \
		"$(sed -n 's/^status //p; s/^source //p' "$scratch/shown" | sort |
		paste -s -d ' ' -) $(cat "$scratch/err")" \
			"$(printf 'probe\n%s\n' "$2" | sort | paste -s -d ' ' -) "
	is "$1: the counter is a probe's" \
		"$(sed -n 's/^implementation //p' "$scratch/shown" | twins)" "$probed"
	"$info" --cache >"$scratch/info" 2>&1
	is "$1: cpucycles-info names the check" \
		"$? $(sed -n 's/^cpucycles cache not in use status //p' "$scratch/info")" "1 $2"
	is "$1: and what is wrong" "$(sed -n 's/^cpucycles cache problem: //p' "$scratch/info" |
		grep -c -x -E -e "$3")" 1
	[ $json = yes ] || return
	"$info" --json >"$scratch/json" 2>&1
	is "$1: for programs too" "$("$json_get" cache status <"$scratch/json") $("$json_get" \
		cache used <"$scratch/json")" \
		"$2 false"
}

# found EXPECTED: the library has this frequency, to a percent. A measured one differs from run to
# run, and on a busy machine by any factor. Then it is the number of the new cache, and not that
# of a file or a cache which does not count.
found() {
	has=$(tell persecond)
	if [ "$source" = measured ] && [ "$1" = "$hz" ]; then
		[ "$has" = "$(cache_field persecond | cut -d' ' -f1)" ] && [ "$has" != 1500000000 ]
	else
		awk -v has="$has" -v expected="$1" 'BEGIN {
			off = has > expected ? has - expected : expected - has
			exit !(off <= expected / 100)
		}'
	fi && return
	echo "# got: $has, expected: $1, $source"
	return 1
}

# Words of a run that could not measure, or found another figure than the run before.
not_restamped="$unmeasured_words\|$changed_words"

# mended NAME HOW LIBRARY_HZ COMMAND...: the next run does it, by a probe or by a restamp. A run
# that found another figure than the run before says nothing of a restamp, so it is repeated.
mended() {
	name=$1 by=$2 hertz=$3
	shift 3
	[ "$by" = restamp ] && words=$not_restamped || words=$unmeasured_words
	run_calibrator
	ran=$?
	for run in $(seq "$RUNS_MAX"); do
		grep -q -e "$words" "$scratch/log" || break
		echo "# once more: $(grep -m 1 -e "$words" "$scratch/log")"
		restore
		"$@"
		run_calibrator
		ran=$?
	done
	set -- "$name" "$by" "$hertz"
	is "$1: the next run succeeds" $ran 0
	how=$(sed -n 's/.*: same machine: .*/restamp/p; s/.*: probing .*/probe/p' "$scratch/log")
	is "$1: by a $2" "$how" "$2"
	[ "$how" = "$2" ] || sed 's/^/# /' "$scratch/log"
	used "$1: mended"
	is "$1: mended: of this boot and machine" \
		"$(cache_field boot) $(cache_field machine) $(cache_field library)" \
		"$boot $machine $(cache_field library "$scratch/cache")"
	ok "$1: mended: of this frequency" found "$3"
	is "$1: mended: for everybody to read, for nobody to write" "$(stat -c '%a %u' "$cache")" \
		"644 $(id -u)"
}

# stale NAME STATUS HOW PROBLEM COMMAND...: the library looks at this field.
stale() {
	row=$1 status=$2 by=$3 problem=$4
	shift 4
	restore
	"$@" || { ok "$row: it was changed" false; return; }
	ignored "$row" "$status" "$problem"
	mended "$row" "$by" "${mended_hz:-$hz}" "$@"
}

# unseen NAME HOW COMMAND...: the library does not, the calibrator does.
unseen() {
	row=$1 by=$2
	shift 2
	restore
	"$@" || { ok "$row: it was changed" false; return; }
	used "$row"
	mended "$row" "$by" "$hz" "$@"
}

# later NAME COMMAND...: a wrong line behind those that a first call reads, which only root can
# seal. The library uses the cache. cpucycles-info and the calibrator read all lines and name this
# line.
later() {
	row=$1
	shift
	restore
	"$@" || { ok "$row: it was changed" false; return; }
	used "$row"
	is "$row: cpucycles-info names the line" \
		"$(sed -n 's/^cpucycles cache problem: //p' "$scratch/info" |
			grep -c -x -E -e "$malformed")" 1
	mended "$row" probe "$hz" "$@"
	ok "$row: the calibrator named the line" grep -q "$cache:[0-9]*: not as" "$scratch/log"
}

malformed="$cache:[0-9]+: not as .* describes it, or for another list of counters"

restore
used "nothing changed"
# What changes with a frequency that is measured anew in each run, as a command of sed.
[ "$source" = measured ] && scaled='s/^persecond .*//; s/precision .*//' || scaled=
again_while "$not_restamped" run_calibrator
is "nothing changed: the same ranking after the next run" \
	"$(unmeasured "$cache" | sed "$scaled")" "$(unmeasured "$scratch/cache" | sed "$scaled")"

# The boot, the machine, the format, the list of counters, the checksum.
stale "boot id" stale-boot restamp "it was written in boot $other, this is boot $boot" \
	edit "s/^boot .*/boot $other/"
parts=$(echo "$machine" | tr -cd - | wc -c)
part=0
while [ "$part" -le "$parts" ]; do
	part=$((part + 1))
	changed=$(echo "$machine" | awk -F- -v OFS=- -v part="$part" '{ $part = $part "1"; print }')
	stale "machine, word $part of $((parts + 1))" stale-machine probe \
		"it was written on machine $changed, this is machine $machine" edit \
		"s/^machine .*/machine $changed/"
done
stale "an older format" malformed probe "$malformed" edit '1s/4/3/'
stale "a newer format" malformed probe "$malformed" edit '1s/4/5/'
stale "the checksum" malformed probe "$malformed" unsealed 's/^checksum \(.*\)./checksum \1x/'
stale "a byte under the checksum" malformed probe "$malformed" unsealed 's/^core ./core 9/'
stale "another list of counters" malformed probe "$malformed" \
	edit 's/^counters .*/counters 0123456789abcdef/'
stale "a first counter that this library has not" malformed probe "$malformed" \
	edit 's/^usable [^ ]* /usable default-nothing /'
stale "a first counter of another class" malformed probe "$malformed" \
	edit 's/^\(usable [^ ]*\) [^ ]*/\1 last-resort/'
later "a counter that this library has not" \
	edit 's/^unusable default-zero /unusable default-nothing /'
later "a counter less" edit '/^unusable default-zero /d'
later "a counter more" edit 's/^\(unusable default-\)zero\( .*\)/\1zero\2\n\1one\2/'
later "a counter twice" edit 's/^unusable default-zero /unusable default-monotonic /'
later "another order of rank" swapped
stale "empty" malformed probe "$malformed" empty
stale "too long" untrusted probe 'it is [0-9]+ bytes long, more than the 8192 of a cache' long
stale "gone" missing probe 'there is no such file: this machine was not calibrated' gone "$cache"

# Owner and mode.
for bad in 0664 0646 0666 0622; do
	stale "mode $bad" untrusted probe "its mode is $bad: group or others may write it" mode $bad
done
if may_give_away; then
	stale "owner" untrusted probe 'it is owned by user 65534, not by root' owner 65534
	unseen "group" restamp owner 0:65534
else
	skip "owner" "$refused"
fi
unseen "mode 0600" restamp mode 0600

# The frequency: value, source, and whose file it is.
# A figure that was measured is measured anew, and nobody tells a better one.
[ "$source" = measured ] && by_value=restamp || by_value=probe
stale "the cache's value" stale-persecond $by_value \
	".* says $hz of source $source, it was computed from 1500000000 of source $source" \
	edit "s/^persecond .*/persecond 1500000000 $source/"
stale "the cache's value, a little off" stale-persecond restamp \
	".* says $((hz + 1)) of source $source, .*" \
	ours $((hz + 1)) "$boot" "$source"
stale "the cache's source: a sysadmin's" stale-persecond probe \
	"($persecond says|it was computed from the [0-9]+ of a sysadmin's) .*" edit \
	"s/^\(persecond .*\) .*/\1 persecond-file/"
stale "the cache's source: an environment" stale-persecond probe ".*" \
	edit "s/^\(persecond .*\) .*/\1 environment/"
stale "the file's value" stale-persecond restamp \
	".* says 1500000000 of source $source, it was computed from $hz of .*" \
	ours 1500000000 "$boot" "$source"
stale "the file's source" stale-persecond restamp ".* says $hz of source clock-tick, .*" \
	ours "$hz" "$boot" clock-tick
stale "the same value, the sysadmin's" stale-persecond probe \
	".* says $hz of source persecond-file, .*" file "$hz\n"
mended_hz=1500000000
stale "another value, the sysadmin's" stale-persecond probe \
	".* says 1500000000 of source persecond-file, .*" \
	file "1500000000\n# our lab measured this\n"
stale "the number in a file of the calibrator's, edited" stale-persecond probe \
	".* says 1500000000 of source persecond-file, .*" sed -i "1s/.*/1500000000/" "$persecond"
mended_hz=
unseen "the file's boot" restamp ours 1500000000 "$other" "$source"
unseen "the file is gone" restamp gone "$persecond"
unseen "the file has no number" restamp eval \
	'file "none\n$(sed -n 2p "$scratch/persecond")\n"'

# In the fingerprint only: the library does not look, the next boot's run does.
unseen "fingerprint" probe edit 's/^fingerprint .*/fingerprint 0123456789abcdef/'
unseen "library, by the same fingerprint" restamp edit 's/^library .*/library 0.0.9/'

# changed NAME PART FILE TEXT: the system's file reads so meanwhile.
changed() {
	if [ ! -r "$3" ]; then
		skip "$1" "no $3 here"
		return
	fi
	printf '%s\n' "$4" >"$scratch/text"
	if ! may mount --bind "$scratch/text" "$3"; then
		skip "$1" "$refused"
		return
	fi
	unseen "$1" probe true
	ok "$1: what was mounted is gone" umount "$3"
	ok "$1: a run succeeds as it was" run_calibrator
	ok "$1: and finds this change only" grep -q "made before these changed: $2\$" "$scratch/log"
}
changed "CPUs online" cpus-online /sys/devices/system/cpu/online 0-511
changed "perf_event_paranoid" perf_event_paranoid /proc/sys/kernel/perf_event_paranoid 7
changed "clocksource" clocksource \
	/sys/devices/system/clocksource/clocksource0/current_clocksource sundial
if may setarch "$(uname -m)" --uname-2.6 true; then
	restore
	is "kernel: the library uses it" \
		"$(setarch "$(uname -m)" --uname-2.6 "$show" | sed -n 's/^status //p')" used
	ok "kernel: the next run under another release succeeds" run_calibrator setarch \
		"$(uname -m)" --uname-2.6
	ok "kernel: it probes" grep -q "made before these changed: kernel\$" "$scratch/log"
	is "kernel: the fingerprint is another" "$([ "$(cache_field fingerprint)" != \
		"$(sed -n 's/^fingerprint //p' "$scratch/cache")" ]; echo $?)" 0
	mended "kernel: back again" probe "$hz" run_calibrator setarch "$(uname -m)" --uname-2.6
else
	skip "kernel" "$refused"
fi
