#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# busybox's sh runs configure, make's commands and the tests. It prefers busybox's own commands to
# those of the same names that are installed.

. "$top_srcdir/tests/harness/build.sh"

command -v busybox >/dev/null || skip_all "busybox is not there"
ln -s "$(command -v busybox)" "$scratch/sh"
"$scratch/sh" -c : || skip_all "this busybox has no sh"
PATH=$scratch:$PATH CONFIG_SHELL=$scratch/sh
export PATH CONFIG_SHELL

# Without kept results, because those would be another shell's.
mkdir "$scratch/build"
by_itself() {
	cd "$scratch/build" && "$CONFIG_SHELL" "$top_srcdir/configure" CFLAGS=-O0 \
		--sysconfdir="$scratch/build/etc" --localstatedir="$scratch/build/var"
}
ok "configure" quietly configure by_itself
is "make uses this shell" "$(sed -n 's/^SHELL = //p' "$scratch/build/Makefile")" "$CONFIG_SHELL"
ok "make" make_in build
ok "make install, below a folder with a blank" make_in build install DESTDIR="$scratch/a b"
ok "the library is there" has "a b/usr/local/lib" libcpucycles.so.1
ok "the one that measures, too" has "a b/usr/local/lib" libcpucycles-measure.so.1
ok "tests pass" make_in build check check_PROGRAMS=tests/lib/show check_LTLIBRARIES= \
	TESTS="tests/utils/plain.sh tests/dev/summary.sh"
