#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Debian has packages of the same names as ours. Ours replace them, and a program that was compiled
# with Debian's packages runs with ours. Then the tests of our packages, as autopkgtest runs them.
# All of this happens with chroot, in a Debian that does not boot.

. "$top_srcdir/tests/boot/common.sh"
. "$top_srcdir/tests/packaging/common.sh"

packages_built || exit 0
architecture=$(dpkg --print-architecture)

# fetch_theirs: fetch Debian's own packages from unstable, into $theirs.
theirs=$fetched/theirs
fetch_theirs() {
	[ ! -d "$theirs" ] || return 0
	rm -rf "$theirs.new"
	apt_folder "$theirs.new" deb unstable &&
		apt_in "$theirs.new" apt-get -q update &&
		apt_in "$theirs.new" apt-get -q download libcpucycles1 libcpucycles-dev cpucycles &&
		apt_done "$theirs.new" && mv "$theirs.new" "$theirs"
}

# new_system NAME: make $root, a system with a compiler, in which apt knows our packages only.
new_system() {
	root=$scratch/$1
	on_layers "$root" "$scratch/$1.upper" "$fetched/tools:$base" &&
		mkdir -p "$root/repository" "$root/theirs" &&
		mount --bind "$packages" "$root/repository" &&
		rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"/* &&
		echo "deb [trusted=yes] file:/repository ./" >"$root/etc/apt/sources.list" &&
		in_root apt-get -q update
}
in_root() {
	quiet_chroot "$root" "$@"
}
# said_in_root COMMAND...: its output, whether it succeeds or not.
said_in_root() {
	chroot "$root" "$@" 2>&1
}

if ! quietly fetch fetch_theirs || ! alone fetch_packages tools gcc libc6-dev pkgconf dpkg-dev; then
	skip_all "Debian's own packages cannot be fetched"
fi

# Debian's library may depend on a newer libc than this Debian has, so dpkg is told to ignore that.
old_ones() {
	cp "$theirs"/*.deb "$root/theirs" && in_root sh -c 'dpkg --force-depends -i /theirs/*.deb'
}

# A program with the header and library of Debian's packages, in a package that depends on them.
write_user_program
user_package() {
	mkdir -p "$root/build/user/DEBIAN" "$root/build/user/usr/bin" &&
		cp "$scratch/user.c" "$root/build" &&
		in_root gcc -O2 -o /build/user/usr/bin/cpucycles-user /build/user.c -lcpucycles \
			-Wl,--allow-shlib-undefined &&
			cat >"$root/build/user/DEBIAN/control" <<-END &&
			Package: cpucycles-user
			Version: 1
			Architecture: $architecture
			Maintainer: nobody <nobody@example.org>
			Depends: libcpucycles1 (>= 0~20230115)
			Description: counts
		END
		in_root dpkg-deb -b /build/user /build/user.deb &&
			in_root dpkg --force-depends -i /build/user.deb
}
same_user_package() {
	cp -r "$scratch/apt/build" "$root" && in_root dpkg --force-depends -i /build/user.deb
}
states() {
	said_in_root dpkg-query -W -f '${Package} ${db:Status-Abbrev}${Version}\n' cpucycles \
		cpucycles-user \
		libcpucycles1 libcpucycles-dev
}
# ours_now CASE: after the replacement, our packages are installed and work.
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
	is "$1: the program runs on our library" \
		"$(said_in_root cpucycles-user | sed 's/ [^ ]* / NAME /')" \
		"${version%-*} NAME 1 1"
	is "$1: cpucycles-info is ours" \
		"$(said_in_root cpucycles-info --version | sed 's/.* //; 1q')" \
		"${version%-*}"
}

ok "a Debian with a compiler" new_system apt
ok "Debian's own packages" old_ones
is "they are there" "$(said_in_root dpkg-query -W -f '${Version}' libcpucycles1 | cut -c 1-4)" \
	"0~20"
ok "a program made with them" user_package
is "its references have no version" \
	"$(nm -D --undefined-only "$root/build/user/usr/bin/cpucycles-user" |
	sed -n 's/.* [UB] \(cpucycles.*\)/\1/p')" \
	"cpucycles_implementation
cpucycles_persecond
cpucycles_version"
ok "apt puts ours in their place" in_root apt-get -q -y --no-install-recommends install \
	libcpucycles1 libcpucycles-dev cpucycles
ours_now apt

# The command of doc/installation.md, as it stands there. Without our -dev packages in it, apt
# removes Debian's, as the page says.
command=$(awk '/^    # apt-get install /, !/\\$/ {
	sub(/^    (# )?/, "")
	sub(/\\$/, "")
	printf "%s", $0
}' "$top_srcdir/doc/installation.md")
# by_page COMMAND: what it prints, and its status, in the folder of the sources.
by_page() {
	said_in_root sh -c "cd /page/source && { $1; echo status \$?; }"
}
ok "a Debian for the page" new_system page
ok "Debian's own packages for the page" old_ones
ok "the program for the page" same_user_package
# No repository has ours, as for who follows the page. apt takes no files while a package lacks its
# libc.
: >"$root/etc/apt/sources.list"
sed -i '/^Package: .*cpucycles/,/^$/s/libc6 (>= [^)]*)/libc6/' "$root/var/lib/dpkg/status"
mkdir -p "$root/page/source"
cp "$packages"/*.deb "$root/page"
echo 'APT::Get::Assume-Yes "true";' >"$root/etc/apt/apt.conf.d/yes"
# removed: the packages that apt removes.
removed() {
	sed -n '/will be REMOVED:$/{n;s/^ *//;s/ *$//;p;}; /^status/p'
}
is "the page's command without the -dev packages: apt removes Debian's" \
	"$(by_page "$(echo "$command" |
		sed 's,[^ ]*libcpucycles-[a-z-]*dev_[^ ]*,,g; s/get/get -s/')" | removed)" \
	"libcpucycles-dev
status 0"
is "the page's command: apt removes nothing" "$(by_page "$command" | removed)" "status 0"
ours_now page
for name in cpucycles-calibrate libcpucycles-measure1 libcpucycles-measure-dev; do
	is "page: $name, too" "$(said_in_root dpkg-query -W \
		-f '${db:Status-Abbrev}${Version}' $name)" "ii $(version_of "$packages")"
done

# A manual page moves from one package to another. Here, its new package is unpacked first.
ok "a second Debian" new_system dpkg
ok "Debian's own packages there" old_ones
ok "the program there" same_user_package
ok "dpkg puts ours in their place, the manual page before the library" in_root sh -c \
	'dpkg --auto-deconfigure --unpack /repository/libcpucycles-dev_*.deb &&
	dpkg --unpack /repository/libcpucycles1_*.deb &&
	dpkg --force-depends -i /repository/cpucycles_*.deb && dpkg --configure -a'

# The tests of our packages.
if ! command -v autopkgtest >/dev/null; then
	skip "the packages' own tests" "autopkgtest is not there"
	exit 0
fi
ok "a third Debian" new_system tests
mount -t proc proc "$root/proc" # the calibrator asks for the id of this boot
# This system has nothing that builds, which autopkgtest would ask for, also if the test "rest" were
# skipped. debian-surroundings.sh runs that test.
dpkg-source --no-check -x "$packages"/cpucycles_*.dsc "$scratch/source" >"$scratch/source.log" 2>&1
control=$scratch/source/debian/tests/control
awk -v RS= -v ORS='\n\n' '!/^Tests: rest\n/' "$control" >"$scratch/control" &&
	cp "$scratch/control" "$control"
autopkgtest -B "$scratch/source/" --output-dir="$scratch/output" -- chroot "$root" \
	>"$scratch/autopkgtest.log" 2>&1
own_status=$?
# Each test that failed, with what it printed. If none did, the last words of autopkgtest.
not_passed() {
	sed -n '/ PASS$/!p' "$scratch/output/summary"
	failed=$(sed -n 's/ *FAIL.*//p' "$scratch/output/summary")
	[ -n "$failed" ] || tail -n 20 "$scratch/autopkgtest.log"
	for name in $failed; do
		tail -n 20 "$scratch/output/$name"-std*
	done
}
[ "$own_status" -eq 0 ] || not_passed 2>&1 | sed 's/^/# /'
is "the packages' own tests: status" "$own_status" 0
is "the packages' own tests" "$(sed 's/  */ /g' "$scratch/output/summary" | sort)" "calibrate PASS
compare PASS
compile PASS
measure PASS
measure-static PASS
static PASS"
