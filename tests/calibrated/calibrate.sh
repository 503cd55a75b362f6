#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The real calibrator on this machine's real counters, into a private folder.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
own_etc

calibrated=$top_builddir/calibrated/cpucycles-calibrated
show=$top_builddir/tests/lib/show
resum=$top_builddir/tests/harness/resum
cache=$scratch/cache/counters
persecond=$scratch/cpucyclespersecond
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) || skip_all "no boot id on this system"

# Runs the calibrator with the private files, and keeps its log.
calibrate() {
	"$calibrated" --budget 20 --cache "$cache" --persecond "$persecond" "$@" >"$scratch/out" \
		2>"$scratch/log"
}
logged() { grep -q -e "$1" "$scratch/log" || { sed 's/^/# log: /' "$scratch/log"; return 1; }; }
not() { ! "$@"; }
# The status that the library has for the cache.
library() { CPUCYCLES_CACHE=$cache "$show" | sed -n 's/^status //p'; }
leftovers() { find "$scratch" -name '*.new'; }
# Changes a line of the cache, and its checksum, as only a broken machine or a hostile root could.
edit() { sed -i.bak "$1" "$cache" && rm "$cache.bak" && "$resum" "$cache"; }

# says WORDS: the log has them. Where nobody tells the frequency, it is measured in each run. An
# emulator gives another one each time, and then the ranking may not hold.
is_measured() { cache_field persecond | grep -q " measured"; }
says() {
	words=$1
	! is_measured || words="$1\\|$changed_words"
	logged "$words"
}

# A run that has to measure all, because an unknown rate means a full run.
calibrate_again() {
	again_while "$unmeasured_words" calibrate
}

# who_tells: the source of the frequency that the last run found. On a busy machine one run may
# measure it and the next one may not, so these two count as the same.
who_tells() {
	cache_field persecond | sed 's/.* //; s/^measured$/nobody/; s/^default$/nobody/'
}

# own: the number that the last run wrote into its file, by its cache. A run that knows nothing
# leaves no file.
own() { cache_field persecond | sed -n '/ default$/!s/ .*//p'; }
other=00000000-1111-2222-3333-444444444444 # another boot

# Case first: a first run, with a long time for measuring. On a busy machine even that may not be
# enough.
ok "a first run succeeds" calibrate --budget 400
! logged "$unmeasured_words" >/dev/null ||
	again_while "$unmeasured_words" calibrate --budget 1000 --force
ok "it probes" logged "probing"
ok "it measures the core" logged "^cpucycles-calibrated: core: "
ok "it measures rates" logged "^cpucycles-calibrated: rate: "
ok "the core's frequency is in the cache" test "$(cache_field core | cut -d' ' -f1)" -gt 0
# usable NAME CLASS precision N hz N scaling N/N measured HZ ppm N
is "counters that run freely have a rate, no others" \
	"$(awk '/^usable/ { print $2, ($3 == "off-core" || $3 == "os-clock") == ($11 > 0) }' \
		"$cache" | grep -v ' 1$')" ""
is "every OS clock runs at persecond, within 1000 ppm for a slewed one and its bound" \
	"$(awk -v hz="$(cache_field persecond | cut -d' ' -f1)" '/^usable [^ ]* os-clock/ {
		off = ($11 - hz) / hz * 1e6; if (off < 0) off = -off
		if (off > 1000 + $13) print $2, off }' "$cache")" ""
skew=$(cache_field "fact skew")
echo "# the skew between CPUs: $skew"
if [ "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)" -gt 1 ] &&
	[ "$skew" != unknown ]; then
	ok "the skew is a number of ns, below a second" test "$skew" -lt 1000000000
else
	skip "the skew is a number of ns" "one CPU, or staying on one is not permitted, or too busy"
fi
is "every fact has a word" "$(sed -n 's/^fact \([a-z]*\) [^ ][^ ]*$/\1/p' "$cache" | sort)" \
	"$("$top_builddir/tests/consistency/print-words" | sed -n 's/^fact //p' | sort)"
is "the cache is of this boot" "$(cache_field boot)" "$boot"
is "the cache names every counter once" \
	"$(sed -n 's/^\(un\)\{0,1\}usable \([^ ]*\) .*/\2/p' "$cache" | sort)" \
	"$(sed -n 's/^COUNTER(\(.*\))$/\1/p' "$top_builddir/lib/counters.inc" | tr _ - | sort)"
is "usable counters stand in the order of their precision" \
	"$(sed -n 's/^usable .* precision \([0-9]*\) .*/\1/p' "$cache")" \
	"$(sed -n 's/^usable .* precision \([0-9]*\) .*/\1/p' "$cache" | sort -n)"
is "the persecond file has the cache's number" "$(head -n 1 "$persecond")" \
	"$(cache_field persecond | cut -d' ' -f1)"
is "and says who wrote it, when, and how to overrule it" "$(cat "$persecond")" \
	"$(persecond_file "$(cache_field persecond | cut -d' ' -f1)" "$boot" \
		"$(cache_field persecond | cut -d' ' -f2)")"
is "everybody may read both" "$(find "$cache" "$persecond" -perm 0644 | wc -l)" 2
is "the library uses it" "$(library)" used
is "no temporary file stays" "$(leftovers)" ""
is "nothing on standard output" "$(cat "$scratch/out")" ""

# Case second, after first: a second run restamps: a machine is probed once, and measured in each
# run.
forget_core "$cache"
cp "$cache" "$scratch/first"
ok "a second run succeeds" calibrate_again
ok "it measures the core again" logged ": core: "
ok "it measures the rates again" logged ": rate: "
if_measured "it restamps" says "restamped"
is_measured || if_measured "it does not probe again" not logged "probing"
ok "the figures are new" not cmp -s "$cache" "$scratch/first"
if is_measured; then
	skip "same machine, same boot: all else is the same" "nobody says the frequency here"
else
	same_else() {
		unmeasured "$cache" >"$scratch/was"
		unmeasured "$scratch/first" | diff - "$scratch/was"
	}
	if_measured "same machine, same boot: all else is the same" same_else
fi

# Case speed, after first: the core at another speed, and a rate that is off.
edit 's/^core .*/core 900000 ppm 1000/'
ok "a run on a core of another speed succeeds" calibrate_again
if grep -q ' Hz at least' "$scratch/log"; then
	skip "it says so, and probes" "the chain is in C here, and its bound says nothing"
else
	if_measured "it says so" logged "core: [0-9]* Hz, in the cache 900000 Hz"
	ok "it probes" logged "probing"
fi
forget_core "$cache"
edit 's/^\(usable default-monotonic .* measured\) .*/\1 900000 ppm 5/'
ok "a run with a rate that is off succeeds" calibrate_again
if_measured "it says so" says "rate: default-monotonic: [0-9]* Hz, in the cache 900000 Hz"
ok "it probes" logged "probing"

ok "--force succeeds" calibrate --force
ok "--force probes" logged "probing"

# Case boot, after first: another boot.
edit "s/^boot .*/boot $other/"
is "the library ignores a cache of another boot" "$(library)" stale-boot
forget_core "$cache"
ok "a run after a reboot succeeds" calibrate_again
if_measured "it restamps" says "restamped"
is "the cache is of this boot again" "$(cache_field boot)" "$boot"
is "the library uses it again" "$(library)" used

# Case id, after first: a boot id other than that in /proc.
ok "--boot succeeds" calibrate --boot 0123456789abcdef0123456789abcdef
is "--boot decides" "$(cache_field boot)" 01234567-89ab-cdef-0123-456789abcdef
ok "--boot takes dashes too" calibrate --boot "$boot"
is "and decides again" "$(cache_field boot)" "$boot"
for bad in "" 0123 "${boot}0" "${boot%?}" "${boot%?}g" "$(echo "$boot" | tr -- -f f-)"; do
	calibrate --boot "$bad"
	is "--boot '$bad' is a usage error" $? 2
done

# Case measured, after first: a measured frequency holds until another source answers; here the OS
# does.
if ! cache_field persecond | grep -q " measured\| default"; then
	edit "s/^\(persecond .*\) [a-z-]*/\1 measured/"
	is "the library uses a measured frequency" "$(library)" used
	ok "a run over a measured frequency succeeds" calibrate
	ok "it probes, because the OS answers" logged "probing"
	ok "its answer counts" not grep -q "^persecond .* measured" "$cache"
fi

# Case machine, after first: another machine.
# changed SED NAMES: the next run probes, and says that this changed.
changed() {
	edit "$1"
	ok "$2: a run succeeds" calibrate
	ok "$2: it says so" logged "$cache: made before these changed: $2\$"
	ok "$2: it probes" logged "probing"
}
digits='[0-9a-f]*'
changed "s/ kernel:$digits/ kernel:00000000/" kernel
if cache_field fingerprint | grep -q ' cpus:'; then
	changed "s/ cpus:$digits//" cpus
	changed "s/\( cpu\):$digits\( cpus\):$digits/\1:00000000\2:00000000/" "cpu, cpus"
else
	skip "cpus" "no file of /sys has them here"
fi
changed "s/^fingerprint .*/& no_such_knob:00000000/" no_such_knob
changed "s/^fingerprint library:$digits /fingerprint library:00000000 /" library
edit "s/^machine .*/machine pdp11/"
is "the library ignores another machine's cache" "$(library)" stale-machine
changed "" machine

# Case format, after first: format 3, which had the lines for programs before the counters, and
# fewer facts.
format_three() {
	{
		sed -n '1s/4/3/p;2,4p' "$cache"
		sed -n '/^fingerprint /p' "$cache"
		sed -n '/^persecond /p' "$cache"
		sed -n '/^core /p;/^fact witness /,/^fact slowest /d;/^fact /p' "$cache"
		sed -n '/^counters /p;/^usable /p;/^unusable /p' "$cache"
		echo "checksum 0"
	} >"$scratch/three" && cp "$scratch/three" "$cache" && "$resum" "$cache"
}
format_three
is "a cache of format 3 has its lines" \
	"$(sed 's/ .*//' "$cache" | grep -v usable | uniq -c | awk '{ print $2, $1 }' | xargs)" \
	"$(echo cpucycles-cache 1 library 1 boot 1 machine 1 fingerprint 1 persecond 1 core 1 \
		fact 8 counters 1 checksum 1)"
is "the library refuses it" "$(library)" malformed
ok "a run over it succeeds" calibrate
ok "it names the line" logged "counters:1: not as cpucycles-cache(5) describes it"
ok "it probes" logged "probing"
is "the cache has the format of today" "$(head -n 1 "$cache")" "cpucycles-cache 4"
is "the library uses it" "$(library)" used

# Case estimate, after first: the OS measures the CPU's clock at each boot, with a small error in
# either direction. The cache is edited as if it were of a boot with another answer.
# estimate_was HZ: changes persecond, and the scalings that depend on persecond alone.
estimate_was() {
	now=$(cache_field persecond | cut -d' ' -f1)
	edit "s,^persecond $now ,persecond $1 ,;s, scaling $now/, scaling $1/,"
	forget_core "$cache"
	awk -v now="$now" -v was="$1" '
		index($0, " scaling " was "/") && $11 { $11 = sprintf("%.0f", $11 / now * was) }
		{ print }' "$cache" >"$scratch/edited" && cp "$scratch/edited" "$cache" &&
		"$resum" "$cache"
}
truth=$(cache_field persecond | cut -d' ' -f1)
if cache_field persecond | grep -q " measured\| default"; then
	skip "an estimate that is a little off is the same" "nobody says the frequency here"
else
	for change in "risen 999" "fallen 1001"; do
		estimate_was "$((truth / 1000 * ${change#* }))"
		ok "a run whose estimate has ${change% *} by a thousandth succeeds" calibrate_again
		if_measured "it restamps" says "restamped"
	done
	for change in "risen 970" "fallen 1030"; do
		estimate_was "$((truth / 1000 * ${change#* }))"
		ok "a run whose estimate has ${change% *} by three hundredths succeeds" calibrate
		ok "it probes, because the cache was made for another" logged "made for persecond"
	done
fi

# Case rate, after first: a rate that has to be measured has a small error each time. This one is
# made to look like that.
edit "s,^\(usable default-monotonic .* hz\) [^ ]*,\1 1000400000,"
forget_core "$cache"
ok "a run with a rate that is a little off succeeds" calibrate_again
if_measured "it restamps" says "restamped"
edit "s,^\(usable default-monotonic .* hz\) [^ ]*,\1 1000600000,"
forget_core "$cache"
ok "a run with a rate that is off succeeds" calibrate_again
if_measured "it names the counter" says "default-monotonic no longer works as recorded"

# Case scaling, after first: a counter whose scaling is not the one in the cache.
edit "s,^\(usable default-monotonic .* scaling\) [^ ]*,\1 7/1,"
forget_core "$cache"
ok "a run with a clock whose rate was another succeeds" calibrate_again
if_measured "it names the counter" says "rate: default-monotonic: .*, in the cache"
ok "it probes" logged "probing"

# Case damage, after first: of the cache.
cp "$cache" "$scratch/whole"
for damage in 's/^boot .*/garbage/' '1s/[0-9]*$/3/'; do
	sed "$damage" "$scratch/whole" >"$cache"
	ok "a run over a damaged cache succeeds: $damage" calibrate
	ok "it probes" logged "no cache to start from"
	is "the library uses the new one" "$(library)" used
done
head -c 4096 /dev/zero >"$cache"
ok "a run over a cache of null bytes succeeds" calibrate
is "the library uses the new one" "$(library)" used
echo garbage >"$cache"
ok "what is no cache is not replaced" not calibrate
is "it stays" "$(cat "$cache")" garbage
cp "$scratch/whole" "$cache"

# Case killed, after first: files that a killed run left behind.
echo half >"$scratch/cache/.counters.new"
echo half >"$scratch/.cpucyclespersecond.new"
ok "a run after a killed one succeeds" calibrate
is "and cleans up" "$(leftovers)" ""

# Case persecond, after first: the persecond file.
source=$(who_tells)
persecond_file 1234567890 "$other" cpuinfo-mhz >"$persecond"
ok "its own file of another boot: a run succeeds" calibrate
is "it does not feed on it" "$(who_tells)" "$source"
ok "the estimate is the machine's" not test "$(cache_field persecond | cut -d' ' -f1)" = 1234567890
is "the file is replaced" "$(head -n 1 "$persecond" 2>/dev/null)" "$(own)"
persecond_file 1234567890 "$boot" cpuinfo-mhz >"$persecond"
ok "its own file of this boot: a run succeeds" calibrate
is "it does not feed on that one either" "$(head -n 1 "$persecond" 2>/dev/null)" "$(own)"
ok "the estimate is the machine's again" not test "$(own)" = 1234567890

# Case edited, after persecond: a number that was edited in both lines, or above the only line of an
# earlier version, in this boot and in the boot before; and a number that a run found which was
# killed before it wrote its cache.
edited="says 1234567890 Hz, the cache [0-9]* Hz: not obeyed,"
edited="$edited because its other lines make it the calibrator's"
for of in "$boot" "$other"; do
	calibrate
	[ "$of" = "$boot" ] || edit "s/^boot .*/boot $other/"
	persecond_file 1234567890 "$of" cpuinfo-mhz >"$persecond"
	[ "$of" = "$boot" ] || sed -i.bak 3d "$persecond"
	ok "a number edited in all lines: a run succeeds" calibrate
	ok "it warns" logged "$persecond: $edited"
	is "it writes its own" "$(head -n 1 "$persecond" 2>/dev/null)" "$(own)"
	ok "and not that number" not test "$(own)" = 1234567890
	ok "a second run succeeds" calibrate
	ok "and has nothing to say" not logged "not obeyed"
done
if [ "$source" != nobody ]; then
	cp "$persecond" "$scratch/again"
	echo 1234567890 >"$persecond"
	calibrate
	cp "$scratch/again" "$persecond"
	ok "a number found again: a run succeeds" calibrate
	ok "nobody edited it" not logged "not obeyed"
else
	skip "a number found again" "nobody says the frequency here"
fi

# Case sysadmin, after persecond: a number that was edited in the first line only is the sysadmin's,
# in every later run and boot.
again_while "$unknown_words" calibrate
if [ -n "$(own)" ]; then
	cp "$persecond" "$scratch/whole"
	for of in "$boot" "$other"; do
		sed "1s/.*/1234567890/; 2s/boot [^,]*/boot $of/" "$scratch/whole" >"$persecond"
		cp "$persecond" "$scratch/sysadmin"
		ok "an edited number: a run succeeds" calibrate
		is "an edited number: it is obeyed" "$(cache_field persecond)" \
			"1234567890 persecond-file"
		ok "an edited number: the file is as it was" cmp "$persecond" "$scratch/sysadmin"
		ok "an edited number: nothing to warn of" not logged "no answer\|not obeyed"
	done
	sed "1s/\$/ # by me/" "$scratch/whole" >"$persecond"
	ok "a comment behind the number: a run succeeds" calibrate
	is "a comment behind the number: the sysadmin's" "$(cache_field persecond)" \
		"$(head -n 1 "$scratch/whole") persecond-file"
	cp "$scratch/whole" "$persecond"
	ok "the number from before: a run succeeds" calibrate
	ok "the number from before: it is no sysadmin's" not logged "the sysadmin's"
	is "the number from before: the source is the machine's" \
		"$(who_tells)" "$source"
else
	skip "an edited number" "nobody says the frequency here"
fi

# Case link, after persecond: a link to nothing is somebody's: another user's calibrator and root's
# leave it alone.
dangling="$persecond: a symbolic link to a file that does not exist: no answer, and not overwritten"
link_stays() {
	ok "$1: a run succeeds" calibrate --force
	ok "$1: a warning says why there is no answer" logged "$dangling\$"
	ok "$1: it is not written" logged "$persecond: the sysadmin's: not written"
	is "$1: the link stays" "$(readlink "$persecond")" "$scratch/mounted/later"
	is "$1: nothing is there" "$(ls "$scratch/mounted" 2>/dev/null)" ""
	is "$1: the library uses the cache" "$(library)" used
	is "$1: the source is the machine's" "$(who_tells)" "$source"
}
rm "$persecond"
ln -s "$scratch/mounted/later" "$persecond"
link_stays "a link to nothing, without its folder"
mkdir "$scratch/mounted"
link_stays "a link to nothing"
"$calibrated" -n --budget 20 -c "$cache" -p "$persecond" >"$scratch/out" 2>"$scratch/log"
ok "a link to nothing: --dry-run says so too" logged "$dangling\$"
is "and would not write it" "$(grep -c 'written by cpucycles-calibrated' "$scratch/out")" 0
if may_become; then
	mkdir "$scratch/user" && ln -s nowhere "$scratch/user/persecond"
	chmod 755 "$scratch" && chown -Rh 65534 "$scratch/user"
	install -m 755 "$calibrated" "$scratch/calibrated"
	ok "a user's link to nothing: a run succeeds" $as_nobody sh -c \
		'"$1" --budget 20 -c "$2/counters" -p "$2/persecond" 2>"$2/log"' sh \
		"$scratch/calibrated" "$scratch/user"
	ok "a user's link to nothing: said" grep -q "persecond: a symbolic link to a file that" \
		"$scratch/user/log"
	is "a user's link to nothing stays" "$(readlink "$scratch/user/persecond")" nowhere
else
	skip "a user's link to nothing" "$refused"
fi
echo 1234567890 >"$scratch/mounted/later"
ok "the link's file is there: a run succeeds" calibrate
is "it is obeyed" "$(cache_field persecond)" "1234567890 persecond-file"
ok "it is a link still" test -L "$persecond"
rm "$persecond"
ok "the link is gone: a run succeeds" calibrate
is "it writes a file of its own, if it knows a number" "$(head -n 1 "$persecond" 2>/dev/null)" \
	"$(own)"

# Case file: a sysadmin's file.
printf '1234567890\n# our lab measured this\n' >"$persecond"
cp "$persecond" "$scratch/sysadmin"
ok "a sysadmin's file: a run succeeds" calibrate
is "it is obeyed" "$(cache_field persecond)" "1234567890 persecond-file"
ok "it probes, because the frequency decides" logged "probing"
ok "the file is not touched" cmp "$persecond" "$scratch/sysadmin"
ok "not even with --force" calibrate --force
ok "the file is still not touched" cmp "$persecond" "$scratch/sysadmin"
forget_core "$cache"
ok "a second run succeeds, too" calibrate_again
if_measured "it restamps, too" says "restamped"
printf '3.5 GHz\n' >"$persecond"
ok "a sysadmin's nonsense: a run succeeds" calibrate
no_number="is not a number of cycles per second from 1000 to 100000000000, such as 3500000000"
ok "a warning names file, line and what was expected" \
	logged "$persecond:1: \"3.5 GHz\" $no_number: no answer, and not overwritten\$"
is "the file is not touched" "$(cat "$persecond")" "3.5 GHz"
rm "$persecond"
if [ -f /proc/version ]; then
	ln -s /proc/version "$persecond"
	ok "on a file system that is not on the list: a run succeeds" calibrate
	ok "a warning says why there is no answer" \
		logged "$persecond: on a file system that the library does not read from"
	ok "the file is not overwritten" logged "$persecond: perhaps the sysadmin's: not written"
	ok "not even the link" test -h "$persecond"
	rm "$persecond"
else
	skip "on a file system that is not on the list" "no /proc"
fi
ok "a folder that is not there: a run succeeds" \
	"$calibrated" -c "$cache" -p "$scratch/none/cpucyclespersecond" 2>"$scratch/log"
ok "with a warning" logged "not written: No such file"

# Case dry: --dry-run.
rm -rf "$scratch/cache" "$persecond"
ok "--dry-run succeeds" again_while "$unknown_words" calibrate --dry-run
ok "it writes nothing" not test -e "$scratch/cache" -o -e "$persecond"
if grep -q '^persecond [0-9]* default$' "$scratch/out"; then
	skip "it prints a cache and a persecond file" \
		"nobody says the frequency here, and the machine is too busy to measure it"
else
	is "it prints a cache and a persecond file" \
		"$(sed -n '1p;$p' "$scratch/out" | sed 's/,.*//; s/[0-9]*$//')" \
		"$(printf 'cpucycles-cache \n# To overrule ')"
fi
if [ -c /dev/full ]; then
	"$calibrated" -n -c "$cache" >/dev/full 2>"$scratch/log"
	is "--dry-run onto a full disk fails" $? 1
else
	skip "--dry-run onto a full disk fails" "no /dev/full"
fi

# Case usage: wrong usage, and files that cannot be written.
"$calibrated" --frobnicate 2>"$scratch/log"
is "an unknown option is a usage error" $? 2
is "said in one line" "$(wc -l <"$scratch/log" | tr -d ' ')" 1
for bad in "" 0 19 10001 -1 20x 1e3 99999999999999999999; do
	"$calibrated" -n --budget "$bad" >/dev/null 2>"$scratch/log"
	is "--budget '$bad' is a usage error" "$? $(wc -l <"$scratch/log" | tr -d ' ')" "2 1"
done
ok "it says what it expects" logged "expected a number of ms from 20 to 10000"
for bad in "" 3601 -1 10s 1e3 99999999999999999999; do
	"$calibrated" -n --wait "$bad" >/dev/null 2>"$scratch/log"
	is "--wait '$bad' is a usage error" "$? $(wc -l <"$scratch/log" | tr -d ' ')" "2 1"
done
ok "it says what it expects there" logged "expected a number of seconds from 0 to 3600"
for option in --cache --persecond; do
	"$calibrated" -n "$option" '' >/dev/null 2>"$scratch/log"
	is "$option without a name is a usage error" "$? $(cat "$scratch/log")" \
		"2 cpucycles-calibrated: $option: expected a file"
done
"$calibrated" --none 2>"$scratch/log"
is "the message on an unknown option begins with the program's name" \
	"$? $(sed 's/: .*//' "$scratch/log")" "2 cpucycles-calibrated"
"$calibrated" -c "$scratch/same" -p "$scratch/./same" 2>"$scratch/log"
is "one file for both is a usage error" "$? $(wc -l <"$scratch/log" | tr -d ' ')" "2 1"
ok "nothing is written" [ ! -e "$scratch/same" ]
"$calibrated" surplus 2>"$scratch/log"
is "an argument is a usage error" $? 2
"$calibrated" -c "$scratch/none/there/counters" -p "$persecond" 2>"$scratch/log"
is "a folder that can't be made: status" $? 1
ok "said" logged "$scratch/none/there/counters: No such file"
"$calibrated" -c "$scratch/cache/" -p "$persecond" 2>"$scratch/log"
is "a path without a name: status" $? 1
version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' "$top_builddir/config.h")
is "--version" "$("$calibrated" --version)" "cpucycles-calibrated $version"
ok "--help names every option" test "$("$calibrated" --help | grep -c '^  -')" = 12

# Case umask: whatever the umask.
rm -rf "$scratch/cache"
(umask 077 && calibrate)
is "everybody may read the cache whatever the umask" "$(find "$cache" -perm 0644)" "$cache"
is "and reach it" "$(stat -c %a "$scratch/cache")" 755

# Case journal: in the journal, lines have priorities.
rm -f "$cache"
: >"$scratch/log"
JOURNAL_STREAM=$(stat -c %d:%i "$scratch/log") "$calibrated" -c "$cache" -p "$persecond" \
	2>>"$scratch/log"
is "every line for the journal has a priority" "$(grep -vc '^<[3-7]>' "$scratch/log")" 0

: >"$scratch/other"
JOURNAL_STREAM=$(stat -c %d:%i "$scratch/other") calibrate
ok "no line has one for another file than the journal" not grep -q '^<' "$scratch/log"
ok "but the program's name" logged "^cpucycles-calibrated: "

# Case verbose: only --verbose tells what the fingerprint is made of.
calibrate
ok "no fact of the fingerprint in a usual log" not grep -q "fingerprint: " "$scratch/log"
ok "--verbose succeeds" calibrate --verbose
ok "each fact of the fingerprint with --verbose" logged \
	"^cpucycles-calibrated: fingerprint: release: $(uname -r)"
ok "-v is the same" sh -c '"$1" -v -n -c "$2" -p "$3" 2>&1 | grep -q "fingerprint: library: "' sh \
	"$calibrated" "$cache" "$persecond"

# Case many: runs that are started at once work one after the other. On a slow machine the last one
# waits for long.
one_of_many() {
	"$calibrated" -f --budget 20 --wait 600 -c "$cache" -p "$persecond" 2>"$scratch/log.$1" ||
		{ echo "status $?"; cat "$scratch/log.$1"; } >>"$scratch/failed"
}
for i in 1 2 3 4 5 6 7 8; do
	one_of_many "$i" &
done
wait
is "eight at once succeed" "$(cat "$scratch/failed" 2>/dev/null)" ""
is "and leave a valid cache" "$(library)" used
is "and no temporary file" "$(leftovers)" ""
