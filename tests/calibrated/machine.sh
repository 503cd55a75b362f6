#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Calibrator, library and info tool together on the paths that they are built for,
# as on a user's machine. Only where those paths lie in the build folder.

. "$top_srcdir/tests/harness/alone.sh"
. "$top_srcdir/tests/harness/lines.sh"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
info=$top_builddir/utils/cpucycles-info
show=$top_builddir/tests/lib/show
resum=$top_builddir/tests/harness/resum
cache=$localstatedir/cache/cpucycles/counters
persecond=$sysconfdir/cpucyclespersecond

tell() { "$show" | sed -n "s/^$1 //p"; }
status() { tell status; }
not() { ! "$@"; }
info_status() { "$info" --cache >"$scratch/info" 2>&1; echo $?; }
unused() {
	is "$1: the library's word" "$(status)" "$2"
	is "$1: it probes" "$(tell source)" probe
	is "$1: the same counter" "$(tell implementation | twins)" "$probed"
	is "$1: cpucycles-info exits 1" "$(info_status)" 1
	ok "$1: and names the check" grep -q -e "$2" "$scratch/info"
}

mkdir "$localstatedir/cache"

probed=$(CPUCYCLES_CACHE=none "$show" | sed -n 's/^implementation //p' | twins)
unused "before calibration" missing

# calibrate: a run that knows the frequency. Not every run does on a busy machine where nobody else
# tells it.
calibrate_once() { "$calibrated" 2>"$scratch/log"; }
calibrate() { again_while "$unknown_words" calibrate_once; }
ok "the calibrator runs on its own paths" calibrate
[ -e "$persecond" ] || { skip "the rest" "no run knows the frequency"; exit 0; }
is "calibrated: cpucycles-info exits 0" "$(info_status)" 0
is "calibrated: the library starts from the cache" "$(status) $(tell source)" "used cache"
is "calibrated: persecond as without a cache" "$(tell persecond) $(tell persecond-source)" \
	"$(CPUCYCLES_CACHE=none "$show" | sed -n 's/^persecond\(-source\)* //p' |
		paste -s -d ' ' -)"
is "calibrated: with the counter that a full probe names" "$(tell implementation | twins)" "$probed"
ok "calibrated: cpucycles-info names it" grep -q "$(tell implementation)" "$scratch/info"

cp "$cache" "$scratch/good"
sed -i.bak 's/^boot .*/boot 00000000-1111-2222-3333-444444444444/' "$cache"
"$resum" "$cache"
unused "another boot" stale-boot
cp "$scratch/good" "$cache"
is "the same boot again" "$(status)" used

cp "$persecond" "$scratch/ours"
echo 1234567890 >"$persecond"
unused "persecond edited by the sysadmin" stale-persecond
is "the edit is obeyed" "$(tell persecond) $(tell persecond-source)" "1234567890 persecond-file"
ok "calibrated again" "$calibrated" 2>"$scratch/log"
is "with the edit: used" "$(status)" used
is "with the edit: obeyed" "$(tell persecond) $(tell persecond-source)" "1234567890 persecond-file"
rm "$persecond"
unused "the edit is taken back" stale-persecond
cp "$scratch/good" "$cache"
is "no persecond file at all, as with a read-only /etc" "$(status)" used
other=00000000-1111-2222-3333-444444444444
persecond_file 1234567890 $other cpuinfo-mhz >"$persecond"
is "the calibrator's file of another boot is ignored" "$(status)" used
is "with the cache's value" "$(tell persecond)" "$(head -n 1 "$scratch/ours")"
rm "$cache"
case $(cache_field persecond "$scratch/good") in
*" measured")
	is "and without a cache nobody knows one" "$(tell persecond-source)" default ;;
*)
	is "and without a cache the machine's own is found" "$(tell persecond-source)" \
		"$(cache_field persecond "$scratch/good" | cut -d' ' -f2)" ;;
esac
cp "$scratch/ours" "$persecond"
is "its file of this boot is obeyed without a cache, as its source said" \
	"$(tell persecond) $(tell persecond-source)" "$(sed -n 's/^persecond //p' "$scratch/good")"
sed "2!s/[0-9]\{4,\}/1234567890/" "$scratch/ours" >"$persecond"
is "whatever it says" "$(tell persecond)" 1234567890
cp "$scratch/good" "$cache"
unused "its file of this boot says something else" stale-persecond

# The number that the third line tells to write above.
sed "1s/.*/1234567890/" "$scratch/ours" >"$persecond"
cp "$persecond" "$scratch/edited"
unused "a number above the calibrator's lines" stale-persecond
is "it is obeyed" "$(tell persecond) $(tell persecond-source)" "1234567890 persecond-file"
ok "calibrated with it" "$calibrated" 2>"$scratch/log"
is "calibrated with it: used" "$(status)" used
is "calibrated with it: obeyed" "$(tell persecond) $(tell persecond-source)" \
	"1234567890 persecond-file"
is "calibrated with it: so says cpucycles-info" "$(info_status) $(grep -c \
	'^cpucycles persecond 1234567890 source persecond-file ' "$scratch/info")" "0 1"
ok "calibrated with it: the file is as it was" cmp "$persecond" "$scratch/edited"
cp "$scratch/good" "$cache"
cp "$scratch/ours" "$persecond"
is "with the number from before: used" "$(status)" used

# A user who may not write these paths, and names none, or only one of them.
# as_user ARGUMENT...: runs the calibrator. Its status is in $as_user.
as_user() {
	as_user=0
	$as_nobody "$scratch/calibrated" --budget 20 "$@" >"$scratch/out" 2>"$scratch/log" ||
		as_user=$?
}
logged() { grep -q -e "$1" "$scratch/log" || { sed 's/^/# log: /' "$scratch/log"; return 1; }; }
root="Permission denied: run it as root, or name"
mkdir "$scratch/user" && chmod 755 "$scratch" && chmod 777 "$scratch/user"
chmod 755 "$sysconfdir" && cd "$scratch/user" || exit 99
install -m 755 "$calibrated" "$scratch/calibrated"
if may_become && nobody_enters; then
	for there in "with the cache's folder" "without the cache's folder"; do
		case $there in without*) rm -r "$localstatedir/cache/cpucycles" ;; esac
		as_user
		is "a user, $there: status 1, one line" "$as_user $(wc -l <"$scratch/log")" "1 1"
		ok "a user, $there: what is needed" \
			logged "$cache: $root another file: -c FILE\$"
		as_user -p "$scratch/user/persecond"
		is "a user, $there, -p only: status 1, one line" \
			"$as_user $(wc -l <"$scratch/log")" "1 1"
		ok "a user, $there, -p only: what is needed" \
			logged "$cache: $root another file: -c FILE\$"
	done
	as_user -c "$scratch/user/counters"
	is "a user, -c only: status 0" $as_user 0
	ok "a user, -c only: the frequency's file stays" logged \
		"$persecond: not written: this run is for another cache only\$"
	is "a user, -c only: the cache is made for it" \
		"$(sed -n 's/^persecond \([0-9]*\) .*/\1/p' "$scratch/user/counters")" \
		"$(head -n 1 "$persecond")"
	as_user -c "$scratch/user/counters" -p "$scratch/user/persecond"
	is "a user, both: status 0" $as_user 0
	ok "a user, both: nothing is needed" not logged "root"
	as_user -c "$scratch/none/counters" -p "$scratch/user/persecond"
	ok "a user, a folder of nobody's: no advice" not logged "root"
	as_user --dry-run
	is "a user, --dry-run: status 0" $as_user 0
	mkdir -p "$localstatedir/cache/cpucycles"
	chown 65534 "$localstatedir/cache/cpucycles" "$sysconfdir" && rm -f "$persecond"
	again_while "$unknown_words" as_user
	is "a user who may write both: status 0" $as_user 0
	ok "a user who may write both: both are there" test -f "$cache" -a -f "$persecond"
else
	skip "a user" "${refused:-another user may not enter the build folder}"
fi
