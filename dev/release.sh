#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# release.sh FOLDER: make in FOLDER what a release consists of, from the tag that HEAD has.
# release.sh --check TARBALL: see whether somebody's tarball is what its tag makes here.
# release.sh --made: print the files of a tarball that git has not, and that have to be there.
#
# Both work in a clone of the tag, so that what was never committed cannot get in. The tarball has
# files that git has not: those that bootstrap makes, and the spec of rpm. Each of them is named
# below, and --check compares each with the one that is made here. RELEASING.md says with which
# versions of the tools they are equal.
# shellcheck disable=SC2086 # $made is a list of files

set -eu
LC_ALL=C
export LC_ALL
umask 022
unset SOURCE_DATE_EPOCH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES GIT_DIR GIT_WORK_TREE

made="Makefile.in aclocal.m4 build-aux/ar-lib build-aux/compile build-aux/config.guess
	build-aux/config.sub build-aux/depcomp build-aux/install-sh build-aux/ltmain.sh
	build-aux/missing build-aux/tap-driver.sh config.h.in configure m4/libtool.m4
	m4/ltoptions.m4 m4/ltsugar.m4 m4/ltversion.m4 m4/lt~obsolete.m4
	packaging/rpm/cpucycles.spec"
left_out=.gitignore

fail() {
	echo "release.sh: $*" >&2
	exit 1
}

# make_clone TAG: in $scratch.
make_clone() {
	git clone -q --no-local --branch "$1" "$top" "$scratch/clone" 2>"$scratch/log" ||
		fail "git clone --branch $1: $(tail -n 1 "$scratch/log")"
}

make_tarball() {
	(cd "$scratch/clone" && ./bootstrap && ./configure && make dist-xz) \
		>"$scratch/log" 2>&1 || fail "make dist-xz: $(tail -n 1 "$scratch/log")"
}

# check_version TAG: configure.ac, NEWS and debian/changelog have the tag's version.
check_version() {
	version=$(sed -n 's/^AC_INIT(\[cpucycles\], \[\(.*\)\])$/\1/p' \
		"$scratch/clone/configure.ac")
	[ "$1" = "v$version" ] || fail "configure.ac has version $version, and the tag is $1"
	sed -n 1p "$scratch/clone/NEWS" | grep -qx "cpucycles $version ([0-9-]*)" ||
		fail "NEWS: expected \"cpucycles $version (DATE)\" as the first line"
	sed -n 1p "$scratch/clone/debian/changelog" |
		grep -q "^cpucycles ($version-[^)]*) [a-z]*; " ||
		fail "debian/changelog: expected version $version in the first line"
}

# compare_files TARBALL: its files are those of git, and the ones that are made.
compare_files() {
	tar -tf "$1" | sed 's,^[^/]*/,,' | grep -v '/$' | grep . | sort >"$scratch/packed"
	{
		git -C "$scratch/clone" ls-files | grep -vxF "$left_out"
		printf '%s\n' $made
	} | sort >"$scratch/expected"
	diff "$scratch/expected" "$scratch/packed" >"$scratch/log" ||
		fail "$1: another list of files: $(grep '^[<>]' "$scratch/log" | head -n 1)"
}

# compare_contents TARBALL: of each file, which follows from the tag.
compare_contents() {
	mkdir "$scratch/theirs" "$scratch/ours"
	tar -C "$scratch/theirs" --strip-components=1 -xf "$1"
	tar -C "$scratch/ours" --strip-components=1 -xf "$scratch/clone/$name.tar.xz"
	diff -r "$scratch/ours" "$scratch/theirs" >"$scratch/log" ||
		fail "$1: another content: $(head -n 1 "$scratch/log" | sed "s,$scratch/,,g")"
}

# describe: the tools that made what git has not.
describe() {
	sed -n 's/^PRETTY_NAME="\(.*\)"$/system: \1/p' /etc/os-release
	for tool in autoconf automake libtoolize tar xz git; do
		echo "$tool: $($tool --version | sed -n 1p)"
	done
	for file in $made; do
		(cd "$scratch/ours" && sha256sum "$file")
	done
}

top=$(cd "$(dirname "$0")/.." && pwd)
mode=${1-}
case $#:$mode in
1:--made)
	printf '%s\n' $made
	exit 0
	;;
1:--*) fail "expected FOLDER, or --check TARBALL" ;;
1:?* | 2:--check) ;;
*) fail "expected FOLDER, or --check TARBALL" ;;
esac
git -C "$top" rev-parse -q --git-dir >/dev/null 2>&1 ||
	fail "git does not read this folder: a release is made in a clone, by its owner"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

if [ "$mode" = --check ]; then
	tarball=$2
	name=$(basename "$tarball" .tar.xz)
	make_clone "v${name#cpucycles-}"
	make_tarball
	compare_files "$tarball"
	compare_contents "$tarball"
	cmp -s "$tarball" "$scratch/clone/$name.tar.xz" ||
		fail "$tarball: the same files, packed otherwise: RELEASING.md names the tools"
	echo "$name.tar.xz is what v${name#cpucycles-} makes here, byte for byte."
	exit 0
fi

tag=$(git -C "$top" describe --tags --exact-match --match 'v*' 2>/dev/null) ||
	fail "HEAD has no tag such as v1.0.0"
[ -z "$(git -C "$top" status --porcelain)" ] ||
	fail "there are changes, or files that git does not know: git status"
command -v reuse >/dev/null || fail "reuse is not installed: it writes the bill of materials"
name=cpucycles-${tag#v}
make_clone "$tag"
check_version "$tag"
make_tarball
compare_files "$scratch/clone/$name.tar.xz"
compare_contents "$scratch/clone/$name.tar.xz"
mkdir -p "$mode"
cp "$scratch/clone/$name.tar.xz" "$mode"
describe >"$mode/$name.made"
(cd "$scratch/clone" && git clean -qfdx && reuse spdx) >"$scratch/spdx" 2>"$scratch/log" ||
	fail "reuse spdx: $(tail -n 1 "$scratch/log")"
# The time and the name of the document would differ from run to run.
sed -e "s,^Created: .*,Created: $(TZ=UTC git -C "$top" log -1 --format=%cd \
	--date=format-local:%Y-%m-%dT%H:%M:%SZ)," \
	-e "s,^\(DocumentNamespace: .*/\)[^/]*$,\1$name," \
	-e "s,^DocumentName: .*,DocumentName: $name," "$scratch/spdx" >"$mode/$name.spdx"
(cd "$mode" && sha256sum "$name.tar.xz" "$name.made" "$name.spdx" >"$name.sha256")
cat "$mode/$name.sha256"
