# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# For tests on the paths that the project is built for. Other tests read those paths at the same
# time. So the script that sources this runs in a mount namespace of its own, with empty folders in
# their place that other processes do not see. Sourced first; it sources tap.sh.

case $sysconfdir:$localstatedir in
"$top_builddir"/*:"$top_builddir"/*) private=yes ;;
*) private=no ;;
esac
if [ $private = yes ] && [ -z "${inside:-}" ]; then
	mkdir -p "$sysconfdir" "$localstatedir"
	for unshare in "unshare -m" "unshare -rm"; do
		$unshare mount -t tmpfs none "$sysconfdir" 2>/dev/null || continue
		inside=1 exec $unshare sh "$top_srcdir/tests/harness/way.sh" sh "$0"
	done
fi

. "$top_srcdir/tests/harness/tap.sh"

[ $private = yes ] || skip_all "configured for $sysconfdir, which is not this test's to change"
[ -n "${inside:-}" ] || skip_all "no mount namespace to be alone in"
mount -t tmpfs none "$sysconfdir" && mount -t tmpfs none "$localstatedir" || exit 99
[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"
