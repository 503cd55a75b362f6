#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Where files are installed: prefix, sysconfdir, localstatedir, units, rules, scripts, DESTDIR,
# uninstall.

. "$top_srcdir/tests/harness/build.sh"

# installs NAME DESTDIR: run make install.
installs() {
	(umask 077 && make_in "$1" install DESTDIR="$scratch/$2")
}

left_files() {
	(cd "$scratch/$1" && find . ! -type d | sort)
}

# folders ARGUMENT...: those of state, of run time and of configuration that configure chooses. It
# writes them into its log also where it ends early, because the compiler does not work.
folders() {
	mkdir -p "$scratch/folders"
	(cd "$scratch/folders" && "$top_srcdir/configure" CC=false "$@" >/dev/null 2>&1 </dev/null)
	sed -n "s/^\(localstate\|runstate\|sysconf\)dir='\(.*\)'\$/\2/p" \
		"$scratch/folders/config.log" | paste -sd ' ' -
}

# mode_of FOLDER
mode_of() {
	# shellcheck disable=SC2012 # the name is ours
	ls -ld "$scratch/$1" | cut -c1-10
}

is "the folders of the default prefix" "$(folders)" "/var /run /etc"
is "the folders of /usr/local" "$(folders --prefix=/usr/local/)" "/var /run /etc"
is "the folders of /usr" "$(folders --prefix=/usr)" "/var /run /etc"
# shellcheck disable=SC2016 # the variables are those of make
beside='${prefix}/var ${localstatedir}/run ${prefix}/etc'
is "the folders of another prefix" "$(folders --prefix=/opt)" "$beside"
is "one of them named by the user" "$(folders --sysconfdir=/opt/etc)" "/var /run /opt/etc"
is "that of run time named" "$(folders --prefix=/usr --runstatedir=/var/run)" "/var /var/run /etc"
is "that of state named as it would be" "$(folders --localstatedir=/var)" "/var /run /etc"
# shellcheck disable=SC2016 # the variable is that of make
is "that of state named, that of run time in it" "$(folders --localstatedir=/srv)" \
	'/srv ${localstatedir}/run /etc'
echo 'sysconfdir=/site/etc' >"$scratch/config.site"
is "one named in config.site" \
	"$(CONFIG_SITE=$scratch/config.site && export CONFIG_SITE && folders)" \
	"/var /run /site/etc"
# shellcheck disable=SC2016 # the variable is the inner shell's
ok "--help says so" sh -c '"$0" --help | grep -q "SYSCONFDIR is /etc"' "$top_srcdir/configure"

ok "configure with folders of our own" configure_in a --prefix=/pre --sysconfdir=/pre/conf \
	--localstatedir=/pre/state --runstatedir=/pre/run --with-systemdsystemunitdir=/pre/units \
	--with-udevrulesdir=/pre/rules --with-init-script=lsb
is "summary: prefix" "$(summary_of a prefix)" /pre
is "summary: folders" "$(summary_of a folders)" "/pre/conf /pre/state /pre/run"
is "summary: cache" "$(summary_of a cache)" /pre/state/cache/cpucycles/counters
is "summary: persecond file" "$(summary_of a 'persecond file')" /pre/conf/cpucyclespersecond
is "summary: record of cpucycles-open" "$(summary_of a "open's record")" /pre/run/cpucycles/opened
is "summary: units" "$(summary_of a 'systemd units')" /pre/units
is "summary: rules" "$(summary_of a 'udev rules')" /pre/rules
is "summary: init script" "$(summary_of a 'init script')" lsb
is "summary: shared library" "$(summary_of a 'shared library')" on
is "summary: static library" "$(summary_of a 'static library')" on
ok "make" make_in a
ok "make install" installs a inst-a
ok "shared library" has inst-a/pre/lib libcpucycles.so.1
ok "link name" has inst-a/pre/lib libcpucycles.so
ok "static library" has inst-a/pre/lib libcpucycles.a
ok "pkg-config file" has inst-a/pre/lib pkgconfig/cpucycles.pc
ok "files of CMake" has inst-a/pre/lib cmake/cpucycles/cpucycles-config.cmake
ok "header" has inst-a/pre/include cpucycles.h
for file in libcpucycles-measure.so.1 libcpucycles-measure.so libcpucycles-measure.a \
	pkgconfig/cpucycles-measure.pc cmake/cpucycles-measure/cpucycles-measure-config.cmake; do
	ok "second library: $file" has inst-a/pre/lib "$file"
done
ok "its header" has inst-a/pre/include cpucycles-measure.h
ok "its header for C++" has inst-a/pre/include cpucycles-measure.hpp
ok "its tool" has inst-a/pre/bin cpucycles-measure
ok "calibrator" has inst-a/pre/sbin cpucycles-calibrated
ok "info tool" has inst-a/pre/bin cpucycles-info
ok "open tool" has inst-a/pre/sbin cpucycles-open
ok "the open tool holds its record's path" contains "$scratch/inst-a/pre/sbin/cpucycles-open" \
	/pre/run/cpucycles/opened
ok "the open tool holds the calibrator's path" \
	contains "$scratch/inst-a/pre/sbin/cpucycles-open" /pre/sbin/cpucycles-calibrated
ok "unit" has inst-a/pre/units cpucycles-calibrate.service
ok "the unit starts the installed calibrator" \
	contains "$scratch/inst-a/pre/units/cpucycles-calibrate.service" \
	/pre/sbin/cpucycles-calibrated
ok "unit after sleep" has inst-a/pre/units cpucycles-calibrate-resume.service
ok "unit of the metrics" has inst-a/pre/units cpucycles-metrics.service
ok "that unit starts the installed calibrator" \
	contains "$scratch/inst-a/pre/units/cpucycles-metrics.service" \
	'/pre/sbin/cpucycles-calibrated --refresh'
ok "its timer" has inst-a/pre/units cpucycles-metrics.timer
ok "rules" has inst-a/pre/rules 90-cpucycles.rules
ok "the rules hold the script's path" \
	contains "$scratch/inst-a/pre/rules/90-cpucycles.rules" \
	'"/pre/conf/init.d/cpucycles-calibrate reload"'
script=$scratch/inst-a/pre/conf/init.d/cpucycles-calibrate
ok "script" test -x "$script"
is "it starts the installed calibrator" "$(sed -n 's/^program=//p' "$script")" \
	/pre/sbin/cpucycles-calibrated
# shellcheck disable=SC2016 # the script's
is "what says that it has run is what the rules look for" \
	"$(sed -n 's,^done=\(.*\)/$name.done,\1,p' "$script")
$(sed -n 's,.*TEST=="\([^"]*\)/cpucycles-calibrate.done".*,\1,p' \
	"$scratch/inst-a/pre/rules/90-cpucycles.rules")" "/pre/run
/pre/run"
ok "the library holds the cache's path" \
	contains "$scratch/inst-a/pre/lib/libcpucycles.so.1" /pre/state/cache/cpucycles/counters
ok "the library holds the persecond file's path" \
	contains "$scratch/inst-a/pre/lib/libcpucycles.so.1" /pre/conf/cpucyclespersecond
ok "the library holds no path of the build" \
	contains_not "$scratch/inst-a/pre/lib/libcpucycles.a" '$(localstatedir)'
# libtool links the second library anew when it is installed, because the one in the build folder
# looks for the first one there.
is "no installed file looks for libraries in the build folder or below DESTDIR" \
	"$(find "$scratch/inst-a" -type f -exec readelf -d {} + 2>/dev/null |
		sed -n 's/.*(R[A-Z]*PATH).*\[\(.*\)\]/\1/p' | tr ':' '\n' |
		grep -vx /pre/lib | sort -u)" ""
is "the second library needs the first by its soname" \
	"$(readelf -d "$scratch/inst-a/pre/lib/libcpucycles-measure.so.1" |
		sed -n 's/.*(NEEDED).*\[\(.*cpucycles.*\)\]/\1/p')" libcpucycles.so.1
is "and by the version with what it uses" \
	"$(readelf -V "$scratch/inst-a/pre/lib/libcpucycles-measure.so.1" |
		grep -o '[A-Z]*CPUCYCLES_1[0-9.]*' | sort -u)" CPUCYCLES_1.0
is "the cache's folder is open to readers" "$(mode_of inst-a/pre/state/cache/cpucycles)" drwxr-xr-x
is "everything lies below the prefix" "$(ls "$scratch/inst-a")" pre
ok "make install below a folder with blanks" installs a "inst of  a/b"
is "it installs the same files" "$(left_files "inst of  a/b")" "$(left_files inst-a)"
ok "the library's link leads to it" test -f "$scratch/inst of  a/b/pre/lib/libcpucycles.so"
ok "make uninstall there" make_in a uninstall DESTDIR="$scratch/inst of  a/b"
is "it leaves no file" "$(left_files "inst of  a/b")" ""
is "nothing of it is left in the build folder" "$(find "$scratch/a" -name 'libtool-links*')" ""
ok "make installdirs" make_in a installdirs DESTDIR="$scratch/dirs-a"
ok "it makes the cache's folder" has dirs-a/pre/state/cache cpucycles
ok "make uninstall" make_in a uninstall DESTDIR="$scratch/inst-a"
is "uninstall leaves no file" "$(left_files inst-a)" ""
ok "nor the cache's folder" lacks inst-a pre/state/cache/cpucycles

ok "configure without units, static library and other libraries" configure_in b --prefix=/usr \
	--with-systemdsystemunitdir=no --with-udevrulesdir=no --disable-static --without-jansson \
	--without-cmocka
is "summary: folders of the system" "$(summary_of b folders)" \
	"/etc /var /run (chosen by the prefix: sysconfdir localstatedir runstatedir)"
is "summary: units off" "$(summary_of b 'systemd units')" "no (not installed)"
is "summary: rules off" "$(summary_of b 'udev rules')" "no (not installed)"
is "summary: no init script" "$(summary_of b 'init script')" no
is "summary: static library off" "$(summary_of b 'static library')" off
is "summary: --json off" "$(summary_of b 'info --json')" "off (--without-jansson)"
is "summary: no unit tests" "$(summary_of b 'unit tests')" "off (--without-cmocka)"
is "summary: cache" "$(summary_of b cache)" /var/cache/cpucycles/counters
ok "make" make_in b
mkdir -p "$scratch/inst-b/var/cache/cpucycles" && chmod 750 "$scratch/inst-b/var/cache/cpucycles"
ok "make install" installs b inst-b
is "a cache's folder that is there stays as it is" \
	"$(mode_of inst-b/var/cache/cpucycles)" drwxr-x---
: >"$scratch/inst-b/var/cache/cpucycles/counters"
is "no static library" "$(find "$scratch/inst-b" -name '*.a')" ""
ok "shared library" has inst-b/usr/lib libcpucycles.so.1
ok "and the one that measures" has inst-b/usr/lib libcpucycles-measure.so.1
is "no unit, rules or script" \
	"$(left_files inst-b | grep -e '\.service$' -e '\.rules$' -e init.d)" ""
ok "the folder of the frequency's file is there" test -d "$scratch/inst-b/etc"
ok "make uninstall" make_in b uninstall DESTDIR="$scratch/inst-b"
is "uninstall leaves the cache only" "$(left_files inst-b)" ./var/cache/cpucycles/counters

ok "configure without shared libraries" configure_in d --prefix=/usr --disable-shared \
	--with-systemdsystemunitdir=no --without-cmocka
ok "make" make_in d
ok "make install" installs d inst-d
is "no shared library" "$(find "$scratch/inst-d" -name '*.so*')" ""
ok "static library" has inst-d/usr/lib libcpucycles.a
ok "and the one that measures" has inst-d/usr/lib libcpucycles-measure.a
is "the tool that measures runs" \
	"$("$scratch/inst-d/usr/bin/cpucycles-measure" --version)" \
	"cpucycles-measure $(sed -n 's/^PACKAGE_VERSION = //p' "$top_builddir/Makefile")"

# Debian 13 has systemd's file for pkg-config in a package that few machines have.
ok "configure without pkg-config" configure_in c PKG_CONFIG=false
if [ -x /usr/lib/systemd/systemd ] || [ -x /lib/systemd/systemd ]; then
	is "summary: systemd is found all the same" "$(summary_of c 'systemd units')" \
		/usr/local/lib/systemd/system
	is "summary: and its rules lie beside it" "$(summary_of c 'udev rules')" \
		/usr/local/lib/udev/rules.d
else
	is "summary: no systemd is found" "$(summary_of c 'systemd units')" "no (not installed)"
fi
