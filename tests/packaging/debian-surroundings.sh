#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The Debian packages build, and all their tests pass, where other people build:
# - in a clean chroot, as a user without a name, a home or a network, with many variables, and
#   without systemd and perf events;
# - in a booted container, as root.

. "$top_srcdir/tests/boot/common.sh"
. "$top_srcdir/tests/packaging/common.sh"

BOOT_SECONDS=2400 # of the container, in which all tests run
VARIABLES=200

packages_built || exit 0
sources=$(echo "$packages"/*.dsc)
control=$top_srcdir/debian/control

# fetch_builder: put what building needs into a layer over $base: build-essential, and what
# debian/control names. What $base has beyond that goes, because it may hide that something is not
# named. (The libraries of systemd and udev stay. Without headers, no build can use them.)
builder=$fetched/builder-$(cksum <"$control" | tr ' ' -)
fetch_builder() {
	[ ! -d "$builder" ] || return 0
	rm -rf "$fetched"/builder*
	fetch=$scratch/fetch
	on_layers "$fetch" "$builder.new" "$base" && mkdir "$fetch/build" &&
		cp "$sources" "$fetch/build" &&
		quiet_chroot "$fetch" dpkg --purge systemd udev libjansson4 libdw1 \
			libpfm4-dev libpfm4 &&
		quiet_chroot "$fetch" apt-get -q update &&
		quiet_chroot "$fetch" apt-get -q -y --no-install-recommends install \
			build-essential &&
		quiet_chroot "$fetch" apt-get -q -y --no-install-recommends build-dep \
			"/build/${sources##*/}" &&
		rm -rf "$fetch/build" "$fetch/var/cache/apt/archives"/*.deb && umount "$fetch" &&
		mv "$builder.new" "$builder"
}
alone fetch_builder >"$scratch/fetch.log" || {
	cat "$scratch/fetch.log"
	skip_all "what building needs could not be fetched"
}

# new_builder NAME: make $root, a system that builds, with the source package in its folder /build.
new_builder() {
	new_root "$1" "$builder" && mkdir "$root/build" &&
		cp "$packages"/*.dsc "$packages"/*.tar.* "$root/build"
}

# The commands of doc/installation.md, and the tests that autopkgtest runs in the built sources. The
# log is /build/log.
build='cd /build && {
	dpkg-source -x *.dsc tree && cd tree && dpkg-buildpackage -us -uc -b && sh debian/tests/rest
} >/build/log 2>&1'

# built NAME STATUS: the build in $root ended well, and so did its tests.
built() {
	ok "$1: the packages build, and the tests pass" ended_well "$root/build/log" "$2"
	ok "$1: there are packages" test -n "$(find "$root/build" -name 'libcpucycles1_*.deb')"
	many_passed "$1" "$root/build/log"
}

# In the chroot. Where systemd has never run, there is no /run/systemd. The kernel's folders and the
# devices are mounted in a namespace that ends with the build, so that nobody can remove them here.
user="setpriv --reuid=12345 --regid=12345 --clear-groups"
new_builder chroot
rm -rf "$root/run"/*
cp "$top_srcdir/tests/packaging/refuse-perf.c" "$root/build"
ok "perf_event_open can be refused" quietly refuse chroot "$root" \
	gcc -Wall -Werror -o /build/refuse-perf /build/refuse-perf.c
chown -R 12345:12345 "$root/build"
status=0
# shellcheck disable=SC2016,SC2046,SC2086 # the inner shell's variables; lists of words
timeout "$BOOT_SECONDS" unshare --mount --net sh -c '
	mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" &&
		mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' \
	"$root" /build/refuse-perf $user env -i $(many_variables "$VARIABLES") \
	PATH=/usr/local/bin:/usr/bin:/bin DEB_BUILD_OPTIONS="parallel=$(nproc)" sh -c "$build" \
	</dev/null || status=$?
built "as a user, in a clean chroot without perf events" "$status"
ok "and nothing made /run/systemd there" test ! -e "$root/run/systemd"

# In the container, whose own filter refuses perf_event_open. Where building needs no systemd, it
# has to be put back.
new_builder booted
[ -e "$root/lib/systemd/systemd" ] ||
	quiet_chroot "$root" apt-get -q -y --no-install-recommends install systemd
ok "a container boots" boot --system-call-filter=~perf_event_open <<END
export DEB_BUILD_OPTIONS="parallel=$(nproc)"
note build sh -c '$build'
END
built "as root, in a booted container" "$(sed -n 's/^status //p' "$out/build")"
