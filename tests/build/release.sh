#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A release is made from a clean tag whose versions agree, and only from what git has. Anybody's
# tarball of that tag can be compared with the one that the tag makes here.

. "$top_srcdir/tests/harness/build.sh"

[ -e "$top_srcdir/.git" ] && git -C "$top_srcdir" rev-parse -q HEAD >/dev/null 2>&1 ||
	skip_all "this is no clone, or git does not read it"
for program in autoreconf reuse xz; do
	command -v "$program" >/dev/null || skip_all "$program is not there"
done
tree=$scratch/tree
git clone -q --no-local "$top_srcdir" "$tree"
git -C "$tree" config user.name tester
git -C "$tree" config user.email tester@example.org
git -C "$tree" config advice.detachedHead false
version=$(sed -n 's/^AC_INIT(\[cpucycles\], \[\(.*\)\])$/\1/p' "$tree/configure.ac")
package=cpucycles-$version
# first_line WORDS: commit NEWS with this after the version.
first_line() {
	sed "1s/(.*)/($1)/" "$tree/NEWS" >"$scratch/news" && cat "$scratch/news" >"$tree/NEWS"
	git -C "$tree" commit -q --allow-empty -am release
}
first_line "not released"

# released FOLDER: the last line of what release.sh says, without paths.
released() {
	sh "$tree/dev/release.sh" "$@" 2>&1 | tail -n 1 | sed "s,$scratch/,,g"
}

is "no tag" "$(released "$scratch/out")" "release.sh: HEAD has no tag such as v1.0.0"
git -C "$tree" tag "v$version"
: >"$tree/tests/data/forgotten.tsv"
is "a file that was not committed" "$(released "$scratch/out")" \
	"release.sh: there are changes, or files that git does not know: git status"
rm "$tree/tests/data/forgotten.tsv"
is "no argument" "$(released)" "release.sh: expected FOLDER, or --check TARBALL"
is "another option" "$(released --chekc)" "release.sh: expected FOLDER, or --check TARBALL"
# The version is read before anything is built.
is "a version that is not released" "$(released "$scratch/out")" \
	"release.sh: NEWS: expected \"cpucycles $version (DATE)\" as the first line"
first_line 2026-11-29
git -C "$tree" tag v0.0.0
git -C "$tree" tag -d "v$version" >/dev/null
is "another version" "$(released "$scratch/out")" \
	"release.sh: configure.ac has version $version, and the tag is v0.0.0"
git -C "$tree" tag -d v0.0.0 >/dev/null
ok "nothing was written" test ! -e "$scratch/out"

git -C "$tree" tag "v$version"
ok "a release" quietly release sh "$tree/dev/release.sh" "$scratch/out"
is "it has four files" "$(cd "$scratch/out" && echo *)" \
	"$package.made $package.sha256 $package.spdx $package.tar.xz"
ok "their sums" sh -c "cd '$scratch/out' && sha256sum -c --quiet $package.sha256"
ok "the bill of materials has the files" \
	grep -q '^FileName: ./lib/entry.c' "$scratch/out/$package.spdx"
is "the tarball is what the tag makes" \
	"$(released --check "$scratch/out/$package.tar.xz")" \
	"$package.tar.xz is what v$version makes here, byte for byte."

mkdir "$scratch/bin"
printf '#!/bin/sh\necho "Permission denied" >&2\nexit 1\n' >"$scratch/bin/reuse"
chmod +x "$scratch/bin/reuse"
is "reuse fails" "$(PATH=$scratch/bin:$PATH released "$scratch/out2")" \
	"release.sh: reuse spdx: Permission denied"

# As somebody would hide code: in a file that git has not.
mkdir "$scratch/changed"
tar -C "$scratch/changed" -xf "$scratch/out/$package.tar.xz"
echo "dnl one line more" >>"$scratch/changed/$package/m4/ltsugar.m4"
(cd "$scratch/changed" && tar -cJf "$package.tar.xz" "$package")
is "a file that bootstrap did not make so" \
	"$(released --check "$scratch/changed/$package.tar.xz" |
		sed 's/content: .*/content/')" \
	"release.sh: changed/$package.tar.xz: another content"
