#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The tarball of make dist builds without Autotools and without writing into its sources. The same
# sources give the same tarball.

. "$top_srcdir/tests/harness/build.sh"

without_autotools="ACLOCAL=false AUTOCONF=false AUTOHEADER=false AUTOMAKE=false"

state() {
	(cd "$scratch/tree" && find . -type f -exec cksum {} + | sort)
}

changes() {
	state | diff "$scratch/before" -
}

# repacked FOLDER: make dist in this build folder gives the same bytes as $scratch/$tarball.
repacked() {
	make_in "$1" dist || return
	for kind in xz gz; do
		cmp "$scratch/$tarball.tar.$kind" "$scratch/$1/$tarball.tar.$kind" && continue
		for side in . "$1"; do
			tar -tvf "$scratch/$side/$tarball.tar.$kind" >"$scratch/$side/list"
		done
		diff "$scratch/list" "$scratch/$1/list" | head -n 20 | sed 's/^/# /'
		return 1
	done
}

command -v flock >/dev/null || skip_all "flock is not there"
ok "make dist" make_tarball
tar -C "$scratch" -xf "$scratch/$tarball.tar.xz" && mv "$scratch/$tarball" "$scratch/tree"
for file in README.md COPYING NEWS bootstrap quickstart runtests .ci/run .clang-format \
	dev/common.sh dev/format.sh debian/control; do
	ok "it has $file" has tree "$file"
done
# A file of a folder that EXTRA_DIST names gets into the tarball without a word.
if [ -e "$top_srcdir/.git" ] && git -C "$top_srcdir" ls-files >"$scratch/tracked" 2>/dev/null; then
	is "it has the files of git, and those that are made" \
		"$(cd "$scratch/tree" && find . -type f | sed 's,^\./,,' | sort)" \
		"$({ grep -vx .gitignore "$scratch/tracked"
			sh "$top_srcdir/dev/release.sh" --made; } | sort)"
else
	skip "it has the files of git, and those that are made" "this is no clone, or not ours"
fi
state >"$scratch/before"
chmod -R a-w "$scratch/tree"
# shellcheck disable=SC2086 # words
ok "configure beside it, without Autotools" configure_from "$scratch/tree" beside $without_autotools
ok "make" make_in beside
is "the sources are as before" "$(changes)" ""
ok "make install" make_in beside install DESTDIR="$scratch/inst"
chmod -R u+w "$scratch/tree"

ok "configure in the source folder" configure_from "$scratch/tree" tree --enable-dependency-tracking
ok "make in the source folder" make_in tree
ok "make distclean" make_in tree distclean
is "distclean leaves the sources as they were" "$(changes)" ""

# The same sources with other times and modes, after bootstrap.
is "all files have one time" \
	"$(tar --utc --full-time -tvf "$scratch/$tarball.tar.xz" | awk '{ print $2, $4, $5 }' |
	sort -u | wc -l)" 1
if ! tar --version | grep -q GNU; then
	skip "the same tarball again" "this is not GNU tar"
	exit 0
fi
ok "an unpacked tarball gives the same tarball" repacked beside
if ! command -v autoreconf >/dev/null; then
	skip "other times and modes give the same tarball" "Autotools is not there"
	exit 0
fi
umask 077
TZ=Pacific/Kiritimati
SOURCE_DATE_EPOCH=$(date -r "$scratch/tree/configure.ac" +%s)
export TZ SOURCE_DATE_EPOCH
cp -R "$scratch/tree" "$scratch/later"
(cd "$scratch/later" &&
	rm -rf aclocal.m4 build-aux config.h.in configure Makefile.in m4/libtool.m4 m4/lt*.m4)
chmod -R go= "$scratch/later"

# bootstrap_without FILES: run bootstrap where aclocal finds no such files of macros, and print its
# status and its last line, with the beginning of the macro's name.
bootstrap_without() {
	mkdir "$scratch/macros"
	cp -R "$(aclocal --print-ac-dir)/." "$scratch/macros"
	find "$scratch/macros" -name "$1" -exec rm {} +
	without_status=0
	ACLOCAL="aclocal --system-acdir=$scratch/macros" "$scratch/later/bootstrap" \
		>"$scratch/without.log" 2>&1 || without_status=$?
	rm -rf "$scratch/macros"
	echo "$without_status $(tail -n 1 "$scratch/without.log" | sed 's/_[A-Z_]*/_/')"
}
is "bootstrap without autoconf-archive" "$(bootstrap_without 'ax_*.m4')" \
	"1 bootstrap: the macro AX_ is missing: install autoconf-archive"
ok "it leaves no configure" lacks later configure
is "bootstrap without pkg-config" "$(bootstrap_without 'pkg.m4')" \
	"1 bootstrap: the macro PKG_ is missing: install pkg-config"
ok "bootstrap" quietly bootstrap "$scratch/later/bootstrap"
ok "configure" configure_from "$scratch/later" again
ok "other times and modes give the same tarball" repacked again
