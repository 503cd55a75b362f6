#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# build-packages.sh FOLDER: build Debian packages from the tarball of `make dist`. FOLDER becomes a
# flat repository for apt:
#     deb [trusted=yes] file:FOLDER ./
# $top_builddir is the folder in which the project is configured. The project's tests run only if
# DEB_BUILD_OPTIONS is set, to any value. In the short tier of tests, compilers do not optimize and
# there are no packages of debug information. If FOLDER has the packages of these sources already,
# they stay as they are. The log is FOLDER/build.log.

set -eu
[ $# -eq 1 ] || { echo "usage: build-packages.sh FOLDER" >&2; exit 2; }
: "${top_builddir:?}"
: "${DEB_BUILD_OPTIONS=nocheck${TESTS_SHORT:+ noautodbgsym noopt}}"
LC_ALL=C XZ_OPT=-1
export DEB_BUILD_OPTIONS LC_ALL XZ_OPT
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CPPFLAGS LDFLAGS CFLAGS CC DESTDIR TESTS

mkdir -p "$1"
folder=$(cd "$1" && pwd)

# Another test may be building in this folder. When it ends, its packages are the ones wanted here.
exec 8>"$folder.lock"
flock 8
work=$folder/work

# contents: name and checksum of each file that was shipped, and the options of the build.
contents() {
	(cd "$work/$name" && find . -type f | sort | xargs sha256sum)
	echo "$DEB_BUILD_OPTIONS $(dpkg --print-architecture)"
}

build() {
	upstream=${name#cpucycles-}
	mv "$work/$name.tar.xz" "$work/cpucycles_$upstream.orig.tar.xz" && cd "$work/$name" ||
		return
	dpkg-buildpackage -us -uc && cd "$folder" && mv "$work"/*_* .
}

index() {
	cd "$folder"
	apt-ftparchive packages . >Packages
	apt-ftparchive -o APT::FTPArchive::Release::Suite=local release . >Release.new
	mv Release.new Release
}

# make dist works in the build folder, so only one test at a time may run it.
exec 9>"$top_builddir/dist.lock"
flock 9
rm -rf "$work"
mkdir "$work"
make -C "$top_builddir" dist-xz >"$work/dist.log" 2>&1 || { cat "$work/dist.log" >&2; exit 1; }
mv "$top_builddir"/cpucycles-*.tar.xz "$work"
flock -u 9
tar -C "$work" -xf "$work"/cpucycles-*.tar.xz
name=$(cd "$work" && basename cpucycles-*.tar.xz .tar.xz)

contents >"$work/contents"
if cmp -s "$work/contents" "$folder/contents"; then
	rm -rf "$work"
	exit 0
fi
find "$folder" -mindepth 1 -maxdepth 1 ! -name work -exec rm -rf {} +
(build) >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log" >&2; exit 1; }
mv "$work/contents" "$folder/.contents"
rm -rf "$work"
(index)
mv "$folder/.contents" "$folder/contents"
