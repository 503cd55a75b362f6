#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Debian's own packages of the same names, with a program that was made with them, give way to ours; and
# our packages' own tests, as autopkgtest runs them. In a folder with Debian in it, that does not boot.

. "$top_srcdir/tests/boot/common.sh"
. "$top_srcdir/tests/packaging/common.sh"

packages_built || exit 0
architecture=$(dpkg --print-architecture)

# fetch_theirs: from unstable, into $theirs.
theirs=$fetched/theirs
fetch_theirs() {
	[ ! -d "$theirs" ] || return 0
	rm -rf "$theirs.new"
	apt_folder "$theirs.new" deb unstable &&
		apt_in "$theirs.new" apt-get -q update &&
		apt_in "$theirs.new" apt-get -q download libcpucycles1 libcpucycles-dev cpucycles &&
		apt_done "$theirs.new" && mv "$theirs.new" "$theirs"
}

# new_system NAME: $root, with a compiler, in which apt knows our packages only.
new_system() {
	root=$scratch/$1
	on_layers "$root" "$scratch/$1.upper" "$fetched/tools:$base" &&
		mkdir -p "$root/repository" "$root/theirs" && mount --bind "$packages" "$root/repository" &&
		rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"/* &&
		echo "deb [trusted=yes] file:/repository ./" >"$root/etc/apt/sources.list" &&
		in_root apt-get -q update
}
in_root() {
	quiet_chroot "$root" "$@"
}
# Whether it works or not.
said_in_root() {
	chroot "$root" "$@" 2>&1
}

if ! quietly fetch fetch_theirs || ! alone fetch_packages tools gcc libc6-dev pkgconf dpkg-dev; then
	skip_all "Debian's own packages cannot be fetched"
fi

# Their library wants a newer libc than this Debian may have; until ours comes that is left aside.
old_ones() {
	cp "$theirs"/*.deb "$root/theirs" && in_root sh -c 'dpkg --force-depends -i /theirs/*.deb'
}

# A program with their header and library, and a package of it that depends on theirs.
write_user_program
user_package() {
	mkdir -p "$root/build/user/DEBIAN" "$root/build/user/usr/bin" && cp "$scratch/user.c" "$root/build" &&
		in_root gcc -O2 -o /build/user/usr/bin/cpucycles-user /build/user.c -lcpucycles \
			-Wl,--allow-shlib-undefined && cat >"$root/build/user/DEBIAN/control" <<-END &&
			Package: cpucycles-user
			Version: 1
			Architecture: $architecture
			Maintainer: nobody <nobody@example.org>
			Depends: libcpucycles1 (>= 0~20230115)
			Description: counts
		END
		in_root dpkg-deb -b /build/user /build/user.deb && in_root dpkg --force-depends -i /build/user.deb
}
same_user_package() {
	cp -r "$scratch/apt/build" "$root" && in_root dpkg --force-depends -i /build/user.deb
}
states() {
	said_in_root dpkg-query -W -f '${Package} ${db:Status-Abbrev}${Version}\n' cpucycles cpucycles-user \
		libcpucycles1 libcpucycles-dev
}
# ours_now: they are as they should be behind a replacement.
ours_now() {
	version=$(version_of "$packages")
	is "$1: the versions" "$(states)" "cpucycles ii $version
cpucycles-user ii 1
libcpucycles-dev ii $version
libcpucycles1 ii $version"
	is "$1: dpkg is content" "$(said_in_root dpkg --audit)" ""
	is "$1: apt is content" "$(in_root apt-get -q check && echo yes)" yes
	is "$1: the manual page is our -dev package's" \
		"$(said_in_root dpkg -S /usr/share/man/man3/cpucycles.3.gz)" \
		"libcpucycles-dev:$architecture: /usr/share/man/man3/cpucycles.3.gz"
	is "$1: the program runs on our library" "$(said_in_root cpucycles-user | sed 's/ [^ ]* / NAME /')" \
		"${version%-*} NAME 1 1"
	is "$1: cpucycles-info is ours" "$(said_in_root cpucycles-info --version | sed 's/.* //; 1q')" \
		"${version%-*}"
}

ok "a Debian with a compiler" new_system apt
ok "Debian's own packages" old_ones
is "they are there" "$(said_in_root dpkg-query -W -f '${Version}' libcpucycles1 | cut -c 1-4)" "0~20"
ok "a program made with them" user_package
is "its references have no version" \
	"$(nm -D --undefined-only "$root/build/user/usr/bin/cpucycles-user" | sed -n 's/.* [UB] \(cpucycles.*\)/\1/p')" \
	"cpucycles_implementation
cpucycles_persecond
cpucycles_version"
ok "apt puts ours in their place" in_root apt-get -q -y --no-install-recommends install \
	libcpucycles1 libcpucycles-dev cpucycles
ours_now apt

# The order in which files move from one package to the other: the manual page first.
ok "a second Debian" new_system dpkg
ok "Debian's own packages there" old_ones
ok "the program there" same_user_package
ok "dpkg puts ours in their place, the manual page before the library" in_root sh -c \
	'dpkg --auto-deconfigure --unpack /repository/libcpucycles-dev_*.deb && dpkg --unpack /repository/libcpucycles1_*.deb &&
	dpkg --force-depends -i /repository/cpucycles_*.deb && dpkg --configure -a'

# Their own tests.
if ! command -v autopkgtest >/dev/null; then
	skip "the packages' own tests" "autopkgtest is not there"
	exit 0
fi
ok "a third Debian" new_system tests
mount -t proc proc "$root/proc" # the calibrator asks for the id of this boot
autopkgtest -B "$packages"/cpucycles_*.dsc --summary-file="$scratch/summary" -- chroot "$root" \
	>"$scratch/autopkgtest.log" 2>&1
is "the packages' own tests: status" $? 0
is "the packages' own tests" "$(sed 's/  */ /g' "$scratch/summary" | sort)" "calibrate PASS
compile PASS
static PASS"
