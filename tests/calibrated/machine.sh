#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Calibrator, library and info tool together on the paths that they are built for,
# as on a user's machine. Only where those paths lie in the build folder.

case $sysconfdir:$localstatedir in
"$top_builddir"/*:"$top_builddir"/*) private=yes ;;
*) private=no ;;
esac

# Other tests read those paths at the same time. So this test mounts folders of its own over them,
# which other processes do not see.
if [ $private = yes ] && [ -z "${inside:-}" ]; then
	mkdir -p "$sysconfdir" "$localstatedir"
	for unshare in "unshare -m" "unshare -rm"; do
		$unshare mount -t tmpfs none "$sysconfdir" 2>/dev/null || continue
		inside=1 exec $unshare sh "$0"
	done
fi

. "$top_srcdir/tests/harness/tap.sh"

[ $private = yes ] || skip_all "configured for $sysconfdir, which is not this test's to change"
[ -n "${inside:-}" ] || skip_all "no mount namespace to be alone in"
mount -t tmpfs none "$sysconfdir" && mount -t tmpfs none "$localstatedir" || exit 99
[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
info=$top_builddir/utils/cpucycles-info
show=$top_builddir/tests/lib/show
resum=$top_builddir/tests/harness/resum
cache=$localstatedir/cache/cpucycles/counters
persecond=$sysconfdir/cpucyclespersecond

tell() { "$show" | sed -n "s/^$1 //p"; }
status() { tell status; }
info_status() { "$info" --cache >"$scratch/info" 2>&1; echo $?; }
# The two counters of the TSC may tie, and then either one may win.
kind() { sed 's/-tscasm$/-tsc/'; }
unused() {
	is "$1: the library's word" "$(status)" "$2"
	is "$1: it probes" "$(tell source)" probe
	is "$1: the same counter" "$(tell implementation | kind)" "$probed"
	is "$1: cpucycles-info exits 1" "$(info_status)" 1
	ok "$1: and names the check" grep -q -e "$2" "$scratch/info"
}

mkdir "$localstatedir/cache"

probed=$(CPUCYCLES_CACHE=none "$show" | sed -n 's/^implementation //p' | kind)
unused "before calibration" missing

ok "the calibrator runs on its own paths" "$calibrated" 2>"$scratch/log"
is "calibrated: cpucycles-info exits 0" "$(info_status)" 0
is "calibrated: the library starts from the cache" "$(status) $(tell source)" "used cache"
is "calibrated: persecond as without a cache" "$(tell persecond) $(tell persecond-source)" \
	"$(CPUCYCLES_CACHE=none "$show" | sed -n 's/^persecond\(-source\)* //p' |
		paste -s -d ' ' -)"
is "calibrated: with the counter that a full probe names" "$(tell implementation | kind)" "$probed"
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
printf '1234567890\n# written by cpucycles-calibrated, boot %s, source cpuinfo-mhz\n' \
	00000000-1111-2222-3333-444444444444 >"$persecond"
is "the calibrator's file of another boot is ignored" "$(status)" used
is "with the cache's value" "$(tell persecond)" "$(head -n 1 "$scratch/ours")"
rm "$cache"
is "and without a cache too" "$(tell persecond | cut -c1-3)" "$(head -c 3 "$scratch/ours")"
cp "$scratch/ours" "$persecond"
is "its file of this boot is obeyed without a cache, as its source said" \
	"$(tell persecond) $(tell persecond-source)" "$(sed -n 's/^persecond //p' "$scratch/good")"
sed "1s/.*/1234567890/" "$scratch/ours" >"$persecond"
is "whatever it says" "$(tell persecond)" 1234567890
cp "$scratch/good" "$cache"
unused "its file of this boot says something else" stale-persecond
