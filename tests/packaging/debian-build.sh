#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The Debian packages: their files and fields, lintian, and a second build that gives the same
# bytes.

. "$top_srcdir/tests/packaging/common.sh"

packages_built || exit 0

# The paths contain Debian's name of the architecture.
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
# The folder of units: /lib/systemd/system in Debian 12, and below /usr/lib in later releases.
units=$(pkg-config --variable=systemdsystemunitdir systemd)

deb_of() {
	echo "$packages/$1_"[0-9]*.deb
}

# files_of PACKAGE: modes and names of its files, without the files that every package has.
files_of() {
	dpkg-deb -c "$(deb_of "$1")" | sed -n \
		"s,$triplet,TRIPLET,; s,^\([-l][^ ]*\) root/root .* \./,\1 /,p" | sed 's, ->.*,,' |
		grep -v -e ' /usr/share/doc/' -e ' /usr/share/lintian/overrides/' | sort -k 2
}
pages() {
	sed 's,^.*$,-rw-r--r-- /usr/share/man/&.gz,'
}
field_of() {
	dpkg-deb -f "$(deb_of "$1")" "$2"
}

is "libcpucycles1 holds" "$(files_of libcpucycles1)" "$(cat <<'END'
lrwxrwxrwx /usr/lib/TRIPLET/libcpucycles.so.1
-rw-r--r-- /usr/lib/TRIPLET/libcpucycles.so.1.1.0
END
)"
is "libcpucycles-dev holds" "$(files_of libcpucycles-dev)" "$(cat <<'END'
-rw-r--r-- /usr/include/cpucycles.h
-rw-r--r-- /usr/lib/TRIPLET/cmake/cpucycles/cpucycles-config-version.cmake
-rw-r--r-- /usr/lib/TRIPLET/cmake/cpucycles/cpucycles-config.cmake
-rw-r--r-- /usr/lib/TRIPLET/libcpucycles.a
lrwxrwxrwx /usr/lib/TRIPLET/libcpucycles.so
-rw-r--r-- /usr/lib/TRIPLET/pkgconfig/cpucycles.pc
-rw-r--r-- /usr/share/cpucycles/cpucycles.supp
END
cd "$top_srcdir/doc" && printf 'man3/%s\n' cpucycles.3 cpucycles_[!klm]*.3 | sort | pages
printf 'man7/cpucycles-%s.7\n' abi process sandbox | pages)"
is "libcpucycles-measure1 holds" "$(files_of libcpucycles-measure1)" "$(cat <<'END'
lrwxrwxrwx /usr/lib/TRIPLET/libcpucycles-measure.so.1
-rw-r--r-- /usr/lib/TRIPLET/libcpucycles-measure.so.1.0.0
END
)"
is "libcpucycles-measure-dev holds" "$(files_of libcpucycles-measure-dev)" "$(cat <<'END'
-rw-r--r-- /usr/include/cpucycles-measure.h
-rw-r--r-- /usr/include/cpucycles-measure.hpp
-rw-r--r-- /usr/lib/TRIPLET/cmake/cpucycles-measure/cpucycles-measure-config-version.cmake
-rw-r--r-- /usr/lib/TRIPLET/cmake/cpucycles-measure/cpucycles-measure-config.cmake
-rw-r--r-- /usr/lib/TRIPLET/libcpucycles-measure.a
lrwxrwxrwx /usr/lib/TRIPLET/libcpucycles-measure.so
-rw-r--r-- /usr/lib/TRIPLET/pkgconfig/cpucycles-measure.pc
END
cd "$top_srcdir/doc" && printf 'man3/%s\n' cpucycles-measure.3 cpucycles_[klm]*.3 | sort | pages)"
is "cpucycles holds" "$(files_of cpucycles)" "$(cat <<'END'
-rwxr-xr-x /usr/bin/cpucycles-info
-rwxr-xr-x /usr/bin/cpucycles-measure
-rw-r--r-- /usr/lib/TRIPLET/cpucycles/measure-harness.o
-rwxr-xr-x /usr/lib/TRIPLET/cpucycles/measure-prototype
-rwxr-xr-x /usr/sbin/cpucycles-open
-rw-r--r-- /usr/share/man/man1/cpucycles-info.1.gz
-rw-r--r-- /usr/share/man/man1/cpucycles-measure.1.gz
-rw-r--r-- /usr/share/man/man7/cpucycles-counters.7.gz
-rw-r--r-- /usr/share/man/man7/cpucycles-environment.7.gz
-rw-r--r-- /usr/share/man/man7/cpucycles-events.7.gz
-rw-r--r-- /usr/share/man/man7/cpucycles-frequency.7.gz
-rw-r--r-- /usr/share/man/man7/cpucycles-leak.7.gz
-rw-r--r-- /usr/share/man/man7/cpucycles-measure.7.gz
-rw-r--r-- /usr/share/man/man7/cpucycles-noise.7.gz
-rw-r--r-- /usr/share/man/man8/cpucycles-open.8.gz
END
)"
is "cpucycles-plot holds" "$(files_of cpucycles-plot)" "$(cat <<END
-rwxr-xr-x /usr/bin/cpucycles-plot
$(parts_of_plot | sed 's,^,-rw-r--r-- /usr/share/cpucycles/plot/,')
-rw-r--r-- /usr/share/man/man1/cpucycles-plot.1.gz
END
)"
is "cpucycles-calibrate holds" "$(files_of cpucycles-calibrate)" "$(cat <<END
-rw-r--r-- $units/cpucycles-calibrate-resume.service
-rw-r--r-- $units/cpucycles-calibrate.service
-rw-r--r-- $units/cpucycles-metrics.service
-rw-r--r-- $units/cpucycles-metrics.timer
-rw-r--r-- ${units%/systemd/system}/udev/rules.d/90-cpucycles.rules
-rwxr-xr-x /usr/sbin/cpucycles-calibrated
-rw-r--r-- /usr/share/man/man5/cpucycles-cache.5.gz
-rw-r--r-- /usr/share/man/man5/cpucyclespersecond.5.gz
-rw-r--r-- /usr/share/man/man7/cpucycles-metrics.7.gz
-rw-r--r-- /usr/share/man/man8/cpucycles-calibrate-resume.service.8.gz
-rw-r--r-- /usr/share/man/man8/cpucycles-calibrate.service.8.gz
-rw-r--r-- /usr/share/man/man8/cpucycles-calibrated.8.gz
-rw-r--r-- /usr/share/man/man8/cpucycles-metrics.service.8.gz
-rw-r--r-- /usr/share/man/man8/cpucycles-metrics.timer.8.gz
END
)"

# Debian's own packages have versions of the form 0~DATE. Packages that depend on them ask for the
# first of these at least, so ours must have a higher version.
version=$(field_of libcpucycles1 Version)
for old in 0~20230115 0~20260901-2 0~99999999; do
	ok "$version is higher than Debian's $old" dpkg --compare-versions "$version" gt "$old"
done
is "all libraries can be there for two architectures" \
	"$(for name in libcpucycles1 libcpucycles-dev libcpucycles-measure1 \
		libcpucycles-measure-dev; do
		field_of $name Multi-Arch
	done | sort -u)" same
ok "libcpucycles-measure1 asks for the first library with what it uses" sh -c \
	'case ", $1," in *", libcpucycles1 (>= 1.0"*) ;; *) false ;; esac' \
	sh "$(field_of libcpucycles-measure1 Depends)"
is "the version is the project's" "${version%-*}" \
	"$(sed -n 's/^PACKAGE_VERSION = //p' "$top_builddir/Makefile")"
is "one maintainer" "$(sed -n 's/^ -- \(.*\)  .*/\1/p' "$top_srcdir/debian/changelog" | sort -u)" \
	"$(sed -n 's/^Maintainer: //p' "$top_srcdir/debian/control")"
is "debian/copyright has the license's text" \
	"$(sed -n '/^License: 0BSD$/,/^$/p' "$top_srcdir/debian/copyright" | sed -n 's/^ \.*//p')" \
	"$(sed '1,2d' "$top_srcdir/COPYING")"

# Hardening, as far as the files show it.
mkdir "$scratch/root"
for name in libcpucycles1 libcpucycles-measure1 cpucycles cpucycles-calibrate; do
	dpkg-deb -x "$(deb_of "$name")" "$scratch/root"
done
for file in "$scratch/root/usr/lib/$triplet/libcpucycles.so.1" \
	"$scratch/root/usr/lib/$triplet/libcpucycles-measure.so.1" \
	"$scratch/root/usr/bin/cpucycles-info" \
	"$scratch/root/usr/bin/cpucycles-measure" \
	"$scratch/root/usr/sbin/cpucycles-calibrated"; do
	readelf -W -d -l "$file" >"$scratch/elf"
	ok "${file##*/} is bound at start, read-only" grep -q 'GNU_RELRO' "$scratch/elf"
	ok "${file##*/}: all of it" grep -q 'FLAGS_1.*NOW' "$scratch/elf"
	ok "${file##*/} names no folder with libraries" sh -c '! grep -E "RPATH|RUNPATH" "$1"' \
		sh "$scratch/elf"
done
ok "the programs lie anywhere in memory" grep -q 'FLAGS_1.*PIE' "$scratch/elf"

# All tags, also pedantic and experimental ones, of the source package and of the binary ones. The
# lines of some tags are left out here, because a version of lintian that does not have such a tag
# would report its override, and refuse to suppress it:
# - The scripts for other init systems are examples, because a script that is installed in
#   /etc/init.d would be enabled. Versions after that of Debian 12 do not report this.
# - The other tags are of later versions. debian/control is for Debian 12 too, which needs the
#   fields that have become redundant, and does not know newer versions of the policy and of
#   debhelper.
# - measure-prototype lies next to the object that it belongs to. That tag is experimental.
left_out="package-supports-alternative-init-but-no-init.d-script|out-of-date-standards-version
	|package-uses-old-debhelper-compat-version|redundant-priority-optional-field
	|redundant-rules-requires-root-no-field|executable-in-usr-lib"
lint() {
	lintian --allow-root -I -E --pedantic "$packages"/cpucycles_*.changes 2>&1 |
		grep -v -E " ($(echo "$left_out" | tr -d '\n\t')) "
}
if command -v lintian >/dev/null; then
	is "lintian is silent, pedantic and experimental" "$(lint)" ""
else
	skip "lintian is silent, pedantic and experimental" "lintian is not there"
fi

# A second build: later, in another place, time zone and language, by another user, with other
# variables and folders of programs. It runs on one CPU of a host with another name and another
# version of the kernel, where programs find memory at addresses that do not change.
printf 'hostname another.example && exec "$@"\n' >"$scratch/another-name"
machine=
for part in "unshare --uts sh $scratch/another-name" "taskset -c 0" \
	"setarch $(uname -m) --uname-2.6 --addr-no-randomize"; do
	if $part true 2>/dev/null; then
		machine="$machine $part"
	else
		echo "# does not work here, and is the same in both builds: $part"
	fi
done
as_user() {
	# shellcheck disable=SC2046 # a list of words
	set -- env -i $(many_variables 200) PATH="$PATH:/nonexistent/bin" TZ=Pacific/Kiritimati \
		LANG=tr_TR.UTF-8 LANGUAGE=tr:de HOME=/nonexistent/home "$@"
	if [ "$(id -u)" -eq 0 ]; then
		# shellcheck disable=SC2086 # words
		set -- $as_nobody "$@"
	fi
	$machine "$@"
}
build_again() {
	mkdir -p "$scratch/another/place" &&
		cp "$packages"/*.dsc "$packages"/*.tar.* "$scratch/another/place" &&
		if [ "$(id -u)" -eq 0 ]; then chown -R nobody "$scratch/another"; fi &&
		quietly again as_user DEB_BUILD_OPTIONS="nocheck parallel=1" timeout 1800 sh -c '
			umask 027
			cd "$0" && dpkg-source -x *.dsc tree && cd tree &&
			dpkg-buildpackage -b -us -uc' \
			"$scratch/another/place"
}
same_bytes() {
	cmp "$packages/$1" "$scratch/another/place/$1" 2>&1 | sed 's/^/# /'
	cmp -s "$packages/$1" "$scratch/another/place/$1"
}
ok "another user builds them from the source package elsewhere" build_again
for deb in "$packages"/*.deb; do
	ok "$(basename "$deb" | sed 's/_.*//'): the same bytes" same_bytes "$(basename "$deb")"
done

# The tests that dpkg-buildpackage runs unless it is told not to: in that build, as that user, on
# the machine as it is. (debian-surroundings.sh runs the others, too.)
machine=
run_tests() {
	test_status=0
	quietly tests as_user timeout 1800 sh -c 'cd "$0" && LC_ALL=C.UTF-8 make check-package' \
		"$scratch/another/place/tree" || test_status=$?
	# What a test that failed has to say is in its own log, which is removed with this build.
	[ "$test_status" -eq 0 ] ||
		grep -A 5 '^not ok' "$scratch/another/place/tree/tests/package.log" | sed 's/^/# /'
	ended_well "$scratch/tests.log" "$test_status"
}
ok "the package's tests pass in that build" run_tests
many_passed "they did run" "$scratch/tests.log" 300
