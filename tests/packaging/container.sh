#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What doc/installation.md says about containers: which of them can use the host's cache through a
# read-only bind mount. The container's image is one static program.

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/cgroup.sh"

[ "$(id -u)" -eq 0 ] || skip_all "only root mounts"
for tool in unshare flock; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done
unshare --mount mount -t tmpfs none /mnt 2>/dev/null || skip_all "no mounts here"

root=$scratch/root
host=$scratch/host
cache_folder=$localstatedir/cache/cpucycles
calibrated=$top_builddir/calibrated/cpucycles-calibrated

# calibrate: make the host's cache and its file of the frequency.
calibrate() {
	quietly calibrate "$calibrated" -f -c "$host/cache/counters" \
		-p "$host/etc/cpucyclespersecond"
}

# contained LINES [COMMAND...]: run the program in a container of new namespaces, which COMMAND
# starts. LINES are run inside it first, to mount files.
contained() {
	cat >"$scratch/enter" <<END
set -e
bind() { mount --bind "\$1" "$root\$2"; mount -o remount,bind,ro "$root\$2"; }
mount --rbind /proc "$root/proc"
$1
exec chroot "$root" /program
END
	shift
	"$@" unshare --mount --uts --ipc --net ${user:+--user --map-root-user} sh "$scratch/enter" \
		2>&1
}

cat >"$scratch/program.c" <<'END'
#include <cpucycles.h>
#include <stdio.h>

int main(void)
{
	cpucycles();
	printf("%s %s\n", cpucycles_cache_status(), cpucycles_selection_source());
	return 0;
}
END
mkdir -p "$root/proc" "$root$cache_folder" "$root$sysconfdir" "$root/home" "$root/tmp" \
	"$host/cache" "$host/etc"
touch "$root$sysconfdir/cpucyclespersecond"
chmod 755 "$host"
if ! cc -static -I"$top_srcdir/include" -o "$root/program" "$scratch/program.c" \
	"$top_builddir/lib/.libs/libcpucycles.a" -pthread 2>"$scratch/cc.log"; then
	skip_all "no static program here: $(tail -n 1 "$scratch/cc.log")"
fi
rm "$root$sysconfdir/cpucyclespersecond"
ok "the host is calibrated" calibrate
user=

is "without the host's cache: the program measures" "$(contained "")" "missing probe"
is "with it: it is used" "$(contained "bind $host/cache $cache_folder")" "used cache"
is "read-only it is" "$(contained "bind $host/cache $cache_folder
	! touch $root$cache_folder/x 2>/dev/null && echo read-only")" "read-only
used cache"

# With a frequency of the sysadmin's, a container needs both files, or neither.
echo 3.5e9 >"$host/etc/cpucyclespersecond"
ok "the host's sysadmin names a frequency" calibrate
is "without that file the cache does not match" "$(contained "bind $host/cache $cache_folder")" \
	"stale-persecond probe"
touch "$root$sysconfdir/cpucyclespersecond"
is "with both it is used" "$(contained "bind $host/cache $cache_folder
	bind $host/etc/cpucyclespersecond $sysconfdir/cpucyclespersecond")" "used cache"
rm "$host/etc/cpucyclespersecond" "$root$sysconfdir/cpucyclespersecond"
ok "the frequency is the calibrator's again" calibrate

# In an unprivileged user's container, the host's root appears as nobody.
chmod -R go+rX "$scratch"
user=yes
# shellcheck disable=SC2086 # words
if $as_nobody unshare --user --map-root-user --mount true 2>/dev/null; then
	is "rootless: root's file is not trusted" \
		"$(contained "bind $host/cache $cache_folder" $as_nobody)" "untrusted probe"
	mkdir "$scratch/own"
	cp "$host/cache/counters" "$scratch/own/counters"
	chown -R 65534:65534 "$scratch/own"
	is "rootless: a copy of the user's own is" \
		"$(contained "bind $scratch/own $cache_folder" $as_nobody)" "used cache"
else
	skip "rootless" "no user namespaces for users here"
fi
user=

# systemd-nspawn gives each container a boot id of its own.
if command -v systemd-nspawn >/dev/null; then
	mkdir -p "$root/usr"
	# spawned OPTION...
	spawned() {
		in_own_group "cpucycles-$$" timeout 300 systemd-nspawn -q -D "$root" \
			--register=no --keep-unit "$@" 2>"$scratch/nspawn.log" | tr -d '\r'
	}
	status=$(spawned --bind-ro="$host/cache:$cache_folder" /program </dev/null)
	if [ -n "$status" ]; then
		is "systemd-nspawn: another boot" "$status" "stale-boot probe"
	else
		skip "systemd-nspawn: another boot" \
			"it does not run here: $(tail -n 1 "$scratch/nspawn.log")"
	fi
else
	skip "systemd-nspawn: another boot" "systemd-nspawn is not there"
fi
