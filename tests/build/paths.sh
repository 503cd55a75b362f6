#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Where files are installed: prefix, sysconfdir, localstatedir, units, rules, scripts, DESTDIR,
# uninstall.

. "$top_srcdir/tests/harness/build.sh"

# installs NAME DESTDIR: run make install.
installs() {
	make_in "$1" install DESTDIR="$scratch/$2"
}

left_files() {
	(cd "$scratch/$1" && find . ! -type d | sort)
}

ok "configure with folders of our own" configure_in a --prefix=/pre --sysconfdir=/pre/conf \
	--localstatedir=/pre/state --runstatedir=/pre/run --with-systemdsystemunitdir=/pre/units \
	--with-udevrulesdir=/pre/rules --with-init-script=lsb
is "summary: prefix" "$(summary_of a prefix)" /pre
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
ok "header" has inst-a/pre/include cpucycles.h
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
is "everything lies below the prefix" "$(ls "$scratch/inst-a")" pre
ok "make uninstall" make_in a uninstall DESTDIR="$scratch/inst-a"
is "uninstall leaves no file" "$(left_files inst-a)" ""

ok "configure without units, static library and jansson" configure_in b --prefix=/usr \
	--sysconfdir=/etc --localstatedir=/var \
	--with-systemdsystemunitdir=no --with-udevrulesdir=no --disable-static --without-jansson
is "summary: units off" "$(summary_of b 'systemd units')" "no (not installed)"
is "summary: rules off" "$(summary_of b 'udev rules')" "no (not installed)"
is "summary: no init script" "$(summary_of b 'init script')" no
is "summary: static library off" "$(summary_of b 'static library')" off
is "summary: --json off" "$(summary_of b 'info --json')" "off (needs jansson)"
is "summary: cache" "$(summary_of b cache)" /var/cache/cpucycles/counters
ok "make" make_in b
ok "make install" installs b inst-b
ok "no static library" lacks inst-b/usr/lib libcpucycles.a
ok "shared library" has inst-b/usr/lib libcpucycles.so.1
is "no unit, rules or script" \
	"$(left_files inst-b | grep -e '\.service$' -e '\.rules$' -e init.d)" ""
ok "make uninstall" make_in b uninstall DESTDIR="$scratch/inst-b"
is "uninstall leaves no file" "$(left_files inst-b)" ""
