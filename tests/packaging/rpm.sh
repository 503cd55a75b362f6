#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The spec: rpmbuild builds packages from the tarball of make dist and runs the tests. rpm installs
# the packages into a root of their own, where they are used, upgraded and erased.

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/packaging/rpm-common.sh"

root=$scratch/root

files_of() {
	rpm -qpl "$1" 2>&1 | grep -v '^/usr/lib/\.build-id'
}

lint() {
	rpmlint --strict -c "$here/rpmlint.toml" \
		-r "$top_srcdir/packaging/rpm/cpucycles.rpmlintrc" "$@" \
		>"$scratch/lint.log" 2>&1 && return
	sed 's/^/# /' "$scratch/lint.log"
	return 1
}

# fill_root: put the tools that scriptlets and this test run into $root, with their libraries.
fill_root() {
	mkdir -p "$root/bin" "$root/usr/bin" "$root/sbin" "$root/etc" "$root/proc" "$root/dev" \
		"$root/tmp" \
		"$root/usr/lib/systemd/system" "$root/etc/systemd/system"
	for tool in sh grep mkdir rm rmdir systemctl env; do
		tool_path=$(command -v $tool)
		cp "$tool_path" "$root/bin/"
		ldd "$tool_path"
	done | sed -n 's/.*=> \(\/[^ ]*\) (.*/\1/p; s/^[[:blank:]]*\(\/[^ ]*\) (.*/\1/p' | sort -u |
		while read -r library; do
			mkdir -p "$root$(dirname "$library")"
			cp "$library" "$root$library"
		done
	for library in $(ldd "$built/usr/bin/cpucycles-info" "$built/usr/bin/cpucycles-measure" |
		sed -n 's/.*lib\(jansson\|m\|pfm\)\.so.*=> \(\/[^ ]*\) (.*/\2/p' | sort -u); do
		cp "$library" "$root/usr/lib/"
	done
	ln -s ../../bin/systemctl "$root/usr/bin/systemctl"
	cp /sbin/ldconfig "$root/sbin/"
	echo /usr/lib64 >"$root/etc/ld.so.conf"
	touch "$root/dev/null"
	echo '[Unit]' >"$root/usr/lib/systemd/system/multi-user.target"
}

# in_root COMMAND...: run it in $root.
in_root() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount sh \
		-c 'mount --bind /proc "$0/proc" && mount --bind /dev/null "$0/dev/null" &&
		root=$0 && exec chroot "$root" "$@"' "$root" env SYSTEMD_OFFLINE=1 "$@" 2>&1
}

# rpm_in_root ARGUMENT...: run rpm, and its scriptlets, in $root. Passes if it prints nothing
# but what systemctl says of links.
rpm_in_root() {
	# shellcheck disable=SC2016 # the inner shell's
	output=$(SYSTEMD_OFFLINE=1 unshare --mount sh -c 'mount --bind /proc "$0/proc" &&
		mount --bind /dev/null "$0/dev/null" &&
		exec rpm --force-debian --root "$0" --dbpath /var/lib/rpm "$@"' \
		"$root" "$@" 2>&1) &&
		! echo "$output" | grep -v -e '^Removed ' -e '^$' >/dev/null && return
	echo "# said: $output"
	return 1
}

query() {
	rpm --root "$root" --dbpath /var/lib/rpm "$@"
}

installed_files() {
	(cd "$root" && find . -path ./var/lib/rpm -prune -o -path ./proc -prune -o \
		-path ./var/cache/ldconfig -prune -o ! -type d ! -name ld.so.cache -print | sort)
}

# cache_state: the status that cpucycles-info prints for the cache there.
cache_state() {
	in_root cpucycles-info --cache | sed -n -e 's/^cpucycles cache in use status //p' \
		-e 's/^cpucycles cache not in use status \([a-z-]*\).*/\1/p'
}

enabled() {
	in_root systemctl is-enabled cpucycles-calibrate.service
}

# Build
ok "rpmbuild -ta with the tests" build_rpms
[ -e "$rpms/contents" ] || exit 0
is "the version is that of configure" \
	"$(sed -n 's/^Version: *//p' "$topdir/BUILD/$name/packaging/rpm/cpucycles.spec")" \
	"$version"
ok "the tests ran" grep -q '^# TOTAL: *[1-9]' "$rpms/log"
is "packages" "$(cd "$rpms/first" && ls)" "$(
	for package in cpucycles cpucycles-calibrate cpucycles-devel cpucycles-libs \
		cpucycles-measure-devel cpucycles-measure-libs cpucycles-measure-static; do
		echo "$package-$version-1.$cpu.rpm"
	done
	echo "cpucycles-plot-$version-1.noarch.rpm"
	echo "cpucycles-static-$version-1.$cpu.rpm")"

# doc/installation.md installs all that the build needs.
builddep=$(rpmspec --load="$here/rpm-macros" -q --buildrequires \
	"$topdir/BUILD/$name/packaging/rpm/cpucycles.spec" | sort)
for installer in dnf zypper; do
	is "doc/installation.md installs what the build needs, with $installer" \
		"$(sed -n "/# $installer install rpm-build/,/[^\\]\$/p" \
			"$top_srcdir/doc/installation.md" | tr -s " '\\\\" '\n' |
			grep -vx -e '#' -e $installer -e install -e rpm-build -e '' | sort)" \
		"$builddep"
done

package() {
	echo "$rpms/first/$1-$version-1.${2-$cpu}.rpm"
}
# pages_for PATTERN...: the installed pages of section 3 with these names, sorted.
pages_for() (
	cd "$top_srcdir/doc" || exit
	# shellcheck disable=SC2048,SC2086 # patterns
	printf '/usr/share/man/man3/%s.gz\n' $* | sort
)
is "files of the tools" "$(files_of "$(package cpucycles)")" "/usr/bin/cpucycles-info
/usr/bin/cpucycles-measure
/usr/lib64/cpucycles
/usr/lib64/cpucycles/measure-harness.o
/usr/lib64/cpucycles/measure-prototype
/usr/sbin/cpucycles-open
/usr/share/doc/cpucycles-$version
/usr/share/doc/cpucycles-$version/NEWS
/usr/share/doc/cpucycles-$version/README.md
/usr/share/licenses/cpucycles-$version
/usr/share/licenses/cpucycles-$version/COPYING
/usr/share/man/man1/cpucycles-info.1.gz
/usr/share/man/man1/cpucycles-measure.1.gz
/usr/share/man/man7/cpucycles-counters.7.gz
/usr/share/man/man7/cpucycles-environment.7.gz
/usr/share/man/man7/cpucycles-events.7.gz
/usr/share/man/man7/cpucycles-frequency.7.gz
/usr/share/man/man7/cpucycles-leak.7.gz
/usr/share/man/man7/cpucycles-measure.7.gz
/usr/share/man/man7/cpucycles-noise.7.gz
/usr/share/man/man8/cpucycles-open.8.gz"
is "files of the pictures" "$(files_of "$(package cpucycles-plot noarch)")" \
	"/usr/bin/cpucycles-plot
/usr/share/cpucycles
/usr/share/cpucycles/plot
$(parts_of_plot | sed 's,^,/usr/share/cpucycles/plot/,')
/usr/share/licenses/cpucycles-plot-$version
/usr/share/licenses/cpucycles-plot-$version/COPYING
/usr/share/man/man1/cpucycles-plot.1.gz"
is "files of the library" "$(files_of "$(package cpucycles-libs)")" "/usr/lib64/libcpucycles.so.1
/usr/lib64/libcpucycles.so.1.1.0
/usr/share/licenses/cpucycles-libs-$version
/usr/share/licenses/cpucycles-libs-$version/COPYING"
is "files for development" "$(files_of "$(package cpucycles-devel)")" "/usr/include/cpucycles.h
/usr/lib64/cmake
/usr/lib64/cmake/cpucycles
/usr/lib64/cmake/cpucycles/cpucycles-config-version.cmake
/usr/lib64/cmake/cpucycles/cpucycles-config.cmake
/usr/lib64/libcpucycles.so
/usr/lib64/pkgconfig/cpucycles.pc
/usr/share/cpucycles
/usr/share/cpucycles/cpucycles.supp
$(pages_for cpucycles.3 'cpucycles_[!klm]*.3')
/usr/share/man/man7/cpucycles-abi.7.gz
/usr/share/man/man7/cpucycles-process.7.gz
/usr/share/man/man7/cpucycles-sandbox.7.gz"
is "the static library" "$(files_of "$(package cpucycles-static)")" /usr/lib64/libcpucycles.a
is "files of the library that measures" "$(files_of "$(package cpucycles-measure-libs)")" \
	"/usr/lib64/libcpucycles-measure.so.1
/usr/lib64/libcpucycles-measure.so.1.0.0
/usr/share/licenses/cpucycles-measure-libs-$version
/usr/share/licenses/cpucycles-measure-libs-$version/COPYING"
is "files for development with it" "$(files_of "$(package cpucycles-measure-devel)")" \
	"/usr/include/cpucycles-measure.h
/usr/include/cpucycles-measure.hpp
/usr/lib64/cmake/cpucycles-measure
/usr/lib64/cmake/cpucycles-measure/cpucycles-measure-config-version.cmake
/usr/lib64/cmake/cpucycles-measure/cpucycles-measure-config.cmake
/usr/lib64/libcpucycles-measure.so
/usr/lib64/pkgconfig/cpucycles-measure.pc
$(pages_for cpucycles-measure.3 'cpucycles_[klm]*.3')"
is "its static library" "$(files_of "$(package cpucycles-measure-static)")" \
	/usr/lib64/libcpucycles-measure.a
is "files of the calibrator" "$(files_of "$(package cpucycles-calibrate)")" \
	"/usr/lib/systemd/system/cpucycles-calibrate-resume.service
/usr/lib/systemd/system/cpucycles-calibrate.service
/usr/lib/systemd/system/cpucycles-metrics.service
/usr/lib/systemd/system/cpucycles-metrics.timer
/usr/lib/udev/rules.d/90-cpucycles.rules
/usr/sbin/cpucycles-calibrated
/usr/share/doc/cpucycles-calibrate-$version
/usr/share/doc/cpucycles-calibrate-$version/containers
/usr/share/doc/cpucycles-calibrate-$version/containers/cpucycles.yml
/usr/share/doc/cpucycles-calibrate-$version/fleet.md
/usr/share/doc/cpucycles-calibrate-$version/prometheus
$(cd "$top_srcdir/doc/examples" && find prometheus -type f |
	sed "s,^,/usr/share/doc/cpucycles-calibrate-$version/," | sort)
/usr/share/licenses/cpucycles-calibrate-$version
/usr/share/licenses/cpucycles-calibrate-$version/COPYING
/usr/share/man/man5/cpucycles-cache.5.gz
/usr/share/man/man5/cpucyclespersecond.5.gz
/usr/share/man/man7/cpucycles-metrics.7.gz
/usr/share/man/man8/cpucycles-calibrate-resume.service.8.gz
/usr/share/man/man8/cpucycles-calibrate.service.8.gz
/usr/share/man/man8/cpucycles-calibrated.8.gz
/usr/share/man/man8/cpucycles-metrics.service.8.gz
/usr/share/man/man8/cpucycles-metrics.timer.8.gz
/var/cache/cpucycles
/var/cache/cpucycles/counters"
is "the library is provided by its soname" \
	"$(rpm -qp --provides "$(package cpucycles-libs)" | grep -c '^libcpucycles\.so\.1()')" 1
is "pkgconfig(cpucycles) is provided" \
	"$(rpm -qp --provides "$(package cpucycles-devel)" | grep pkgconfig)" \
	"pkgconfig(cpucycles) = $version"
is "the library that measures, too" \
	"$(rpm -qp --provides "$(package cpucycles-measure-libs)" |
		grep -c '^libcpucycles-measure\.so\.1(CPUCYCLES_MEASURE_1)')" 1
is "pkgconfig(cpucycles-measure) is provided, and needs the other" \
	"$(rpm -qp --provides --requires "$(package cpucycles-measure-devel)" | grep pkgconfig\()" \
	"pkgconfig(cpucycles-measure) = $version
pkgconfig(cpucycles)"
is "no program and no library looks for libraries in a folder of its own" \
	"$(for file in "$built"/usr/bin/* "$built"/usr/sbin/* "$built"/usr/lib64/*.so.*; do
		readelf -d "$file" | sed -n "s,.*(R[A-Z]*PATH).*,${file##*/}: &,p"
	done)" ""
is "the record of what was opened lies in /run" \
	"$(grep -ao '[a-z/]*/cpucycles/opened' "$built/usr/sbin/cpucycles-open" |
	sort -u)" /run/cpucycles/opened
if command -v rpmlint >/dev/null; then
	ok "rpmlint has nothing to say" lint \
		"$rpms/first"/*.rpm "$topdir/SRPMS/$name"*.rpm
else
	skip "rpmlint has nothing to say" "rpmlint is not there"
fi

# Another user, umask, locale, time zone, home and folder.
elsewhere=$scratch/elsewhere
build_elsewhere() (
	mkdir -p "$elsewhere/a home" &&
		cp "$topdir/$name.tar.xz" "$here/rpm-macros" "$elsewhere" &&
		chown -R 65534:65534 "$elsewhere" && cd "$elsewhere" && umask 077 &&
		$as_nobody env -i PATH=/usr/games:/usr/bin:/bin:/usr/sbin \
			HOME="$elsewhere/a home" LC_ALL=C.UTF-8 TZ=Pacific/Kiritimati rpmbuild \
			--nodeps --nocheck --load=rpm-macros -D "_topdir $elsewhere" \
			-ta "$name.tar.xz"
)
# what_is_in PACKAGE...: all but the compiler's flags, which name the folder. The build id of a
# library depends on the folder, because libtool links without -ffile-prefix-map. The objects of the
# static libraries differ in their debugging information. The links of the build ids are left out:
# each lies in a folder named after the first byte of its id, which two may share by chance, and
# rpmbuild lists such a folder in one package only.
what_is_in() {
	rpm -qp --qf '%{NAME} %{BUILDTIME}\n' --requires --provides --scripts "$@"
	file="%{FILEMODES:perms} %{FILEUSERNAME} %{FILEMTIMES} %{FILEDIGESTS} %{FILENAMES}"
	rpm -qp --qf "[$file\n]" "$@" | grep -v '/\.build-id' |
		sed 's/ [0-9a-f]\{64\} \(.*\.\(a\|so\.[0-9.]*\)\)$/ \1/'
}
if $as_nobody true 2>/dev/null; then
	ok "a build elsewhere" quietly elsewhere build_elsewhere
	what_is_in "$rpms/first"/*.rpm >"$scratch/in-first"
	mkdir "$elsewhere/all" && mv "$elsewhere"/RPMS/*/*.rpm "$elsewhere/all"
	what_is_in "$elsewhere/all"/*.rpm >"$scratch/in-elsewhere"
	ok "makes the same packages" quietly differences \
		diff "$scratch/in-first" "$scratch/in-elsewhere"
else
	skip "a build elsewhere" "this process cannot become another user"
fi

# Into an empty root
fill_root
ok "what stands in for the distribution's packages" rpm_in_root -i "$rpms/others"/*.rpm
installed_files >"$scratch/before"

# Fedora's libcpucycles has files of the same names.
refusals() {
	SYSTEMD_OFFLINE=1 rpm --force-debian --root "$root" --dbpath /var/lib/rpm -U --test "$@" \
		2>&1 | sed -n "s/-[0-9][^ ]*\$//; s/^[[:blank:]]*//; /conflict/p" | sort
}
ok "what stands in for Fedora's libcpucycles" rpm_in_root -i \
	"$rpms/existing"/libcpucycles-*.rpm
is "rpm says which packages exclude each other, before it looks at files" \
	"$(refusals "$rpms/first"/*.rpm)" \
	"libcpucycles >= 20000000 conflicts with cpucycles-libs
libcpucycles-devel >= 20000000 conflicts with cpucycles-devel"
ok "it is erased" rpm_in_root -e libcpucycles libcpucycles-devel
ok "rpm installs" rpm_in_root -i "$rpms/first"/*.rpm
is "rpm says the same of Fedora's libcpucycles" \
	"$(refusals "$rpms/existing"/libcpucycles-*.rpm)" \
	"libcpucycles >= 20000000 conflicts with (installed) cpucycles-libs
libcpucycles-devel >= 20000000 conflicts with (installed) cpucycles-devel"
ok "what needs that one can be installed" rpm_in_root -i --test "$rpms/existing"/user-*.rpm
is "the tool runs" "$(in_root cpucycles-info --version)" "cpucycles-info $version"
is "there is no cache yet" "$(cache_state)" missing
is "nothing is enabled" "$(enabled)" disabled
in_root cpucycles-calibrated >/dev/null
is "calibrated: the cache is used" "$(cache_state)" used
in_root systemctl enable cpucycles-calibrate.service >/dev/null
is "who wants it enables it" "$(enabled)" enabled

write_user_program
module=cpucycles
flags() {
	PKG_CONFIG_LIBDIR=$root/usr/lib64/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config "$@" \
		$module
}
if command -v pkg-config >/dev/null; then
	# shellcheck disable=SC2046 # flags are words
	ok "a program compiles" quietly compile cc -o "$root/tmp/user" "$scratch/user.c" \
		$(flags --cflags --libs)
	is "it runs" "$(in_root /tmp/user | sed 's/ [^ ]* / NAME /')" "$version NAME 1 1"
	# shellcheck disable=SC2046 # flags are words
	ok "a static program compiles" quietly compile-static cc -static -o "$root/tmp/user" \
		"$scratch/user.c" \
		$(flags --static --cflags --libs)
	is "it runs" "$(in_root /tmp/user | sed 's/ [^ ]* / NAME /')" "$version NAME 1 1"
	# measuring [-static]: compile the program of debian/tests that measures.
	measuring() {
		rm -f "$root/tmp/user"
		# The linker looks for the first library beside the second, too.
		# shellcheck disable=SC2046 # flags are words
		quietly measuring cc -o "$root/tmp/user" -Wl,-rpath-link="$root/usr/lib64" \
			"$top_srcdir/debian/tests/measuring.c" "$@" \
			$(module=cpucycles-measure && flags ${1:+--static} --cflags --libs)
	}
	measured() {
		in_root /tmp/user | sed 's/^\(median\) [0-9.e+-]* of [1-9][0-9]* /\1 of /'
	}
	ok "a program that measures compiles" measuring
	is "it runs" "$(measured)" "median of samples"
	ok "a static program that measures compiles" measuring -static
	is "it runs" "$(measured)" "median of samples"
	rm -f "$root/tmp/user"
else
	skip "programs" "pkg-config is not there"
fi

# Upgrade, then erase the calibrator
ok "upgrade" rpm_in_root -U "$rpms/next"/*.rpm
is "it is the next release" "$(query -q --qf '%{RELEASE}' cpucycles-calibrate)" 1.1
is "the cache stays" "$(cache_state)" used
is "it is enabled as before" "$(enabled)" enabled
ok "the calibrator's frequency stays" test -f "$root/etc/cpucyclespersecond"
cp "$root/etc/cpucyclespersecond" "$scratch/ours"
is "the cache belongs to the package" "$(query -qf /var/cache/cpucycles/counters)" \
	"cpucycles-calibrate-$version-1.1.$cpu"
touch "$root/var/cache/cpucycles/.counters.new" # as a killed calibrator leaves it
ok "erase the calibrator" rpm_in_root -e cpucycles-calibrate
is "nothing of it is left" \
	"$(installed_files | grep -E 'calibrate|var/cache|persecond' | grep -v /man/)" ""
ok "nor its folder" test ! -e "$root/var/cache/cpucycles"
is "the library works without it" "$(cache_state)" missing

# Which file of the frequency is the calibrator's, and goes with it
keeps() {
	before=$(cat "$root/etc/cpucyclespersecond")
	rpm_in_root -i "$rpms/next/cpucycles-calibrate"-*.rpm &&
		rpm_in_root -e cpucycles-calibrate &&
		[ "$(cat "$root/etc/cpucyclespersecond")" = "$before" ]
}
echo 3.5e9 >"$root/etc/cpucyclespersecond"
ok "the sysadmin's file stays" keeps
(cat "$scratch/ours"; echo "# mine now") >"$root/etc/cpucyclespersecond"
ok "the calibrator's with a line more is the sysadmin's" keeps
sed '1s/.*/3500000000/' "$scratch/ours" >"$root/etc/cpucyclespersecond"
ok "the calibrator's with an edited number too" keeps
sed 's/$/ or so/' "$scratch/ours" >"$root/etc/cpucyclespersecond"
ok "the calibrator's with its line changed too" keeps
cp "$scratch/ours" "$root/etc/mine"
ln -sf mine "$root/etc/cpucyclespersecond"
ok "a link too" keeps
rm "$root/etc/cpucyclespersecond"
sed 's/source .*/source environment/' "$scratch/ours" >"$root/etc/cpucyclespersecond"
ok "one with a source that the calibrator never writes too" keeps
rm "$root/etc/mine" "$root/etc/cpucyclespersecond"

# rpm answers with the names of those that need the package.
ok "rpm does not erase the first library alone" sh -c '! "$@" >/dev/null 2>&1' sh \
	rpm --root "$root" --dbpath /var/lib/rpm -e --test cpucycles-libs
ok "erase the library that measures" rpm_in_root -e cpucycles cpucycles-measure-libs \
	cpucycles-measure-devel cpucycles-measure-static
is "nothing of it is left" "$(installed_files | grep -e measure -e meter)" ""
ok "erase the rest" rpm_in_root -e cpucycles-libs cpucycles-devel cpucycles-plot cpucycles-static
is "nothing is left" "$(installed_files | diff "$scratch/before" -)" ""

# openSUSE
is "the names of openSUSE's packages" "$(cd "$rpms/suse" && ls | sed "s/-$version.*//")" "cpucycles
cpucycles-calibrate
cpucycles-devel
cpucycles-devel-static
cpucycles-measure-devel
cpucycles-measure-devel-static
cpucycles-plot
libcpucycles-measure1
libcpucycles1"
if command -v rpmlint >/dev/null; then
	ok "rpmlint has nothing to say" lint \
		"$rpms/suse"/*.rpm "$topdir/SRPMS/$name"*.rpm
else
	skip "rpmlint has nothing to say" "rpmlint is not there"
fi
rm -f "$root/etc/ld.so.cache"
ok "what stands in for openSUSE's packages" rpm_in_root -U \
	--replacepkgs "$rpms/suse-others"/*.rpm
ok "rpm installs them" rpm_in_root -i "$rpms/suse"/*.rpm
is "the linker's cache knows the libraries" \
	"$(in_root ldconfig -p | sed -n 's/.*=> //p' | grep 'cpucycles.*[0-9]$' | sort)" \
	"/usr/lib64/libcpucycles-measure.so.1
/usr/lib64/libcpucycles.so.1"
is "the tool runs" "$(in_root cpucycles-info --version)" "cpucycles-info $version"
ok "rpm erases them" rpm_in_root -e cpucycles cpucycles-calibrate cpucycles-devel \
	cpucycles-devel-static libcpucycles1 cpucycles-measure-devel \
	cpucycles-measure-devel-static cpucycles-plot libcpucycles-measure1
