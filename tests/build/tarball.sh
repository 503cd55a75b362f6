#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What make dist ships builds without Autotools, and never writes into its sources.

. "$top_srcdir/tests/harness/build.sh"

without_autotools="ACLOCAL=false AUTOCONF=false AUTOHEADER=false AUTOMAKE=false"

state() {
	(cd "$scratch/tree" && find . -type f -exec cksum {} + | sort)
}

changes() {
	state | diff "$scratch/before" -
}

ok "copy of the sources" copy_sources tree
for file in README COPYING NEWS bootstrap quickstart runtests .ci/run dev/common.sh debian/control; do
	ok "it has $file" has tree "$file"
done
state >"$scratch/before"
chmod -R a-w "$scratch/tree"
# shellcheck disable=SC2086 # words
ok "configure beside it, without Autotools" configure_from "$scratch/tree" beside $without_autotools
ok "make" make_in beside
is "the sources are as before" "$(changes)" ""
ok "make install" make_in beside install DESTDIR="$scratch/inst"
chmod -R u+w "$scratch/tree"

ok "configure in the source folder" configure_from "$scratch/tree" tree
ok "make in the source folder" make_in tree
ok "make distclean" make_in tree distclean
is "distclean leaves the sources as they were" "$(changes)" ""
