# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the tests of packages share. Sourced. The packages are in $packages, and kept
# from run to run while the sources stay the same.

[ -n "${host-}" ] || . "$top_srcdir/tests/harness/build.sh"

for tool in dpkg-buildpackage dh apt-ftparchive flock timeout; do
	command -v "$tool" >/dev/null || skip_all "$tool is not there"
done

packages=$top_builddir/tests/packaging/debian

build_packages() {
	quietly build-packages timeout 500 sh "$top_srcdir/tests/packaging/build-packages.sh" "$@"
}

packages_built() {
	ok "the packages build" build_packages "$packages"
	[ -e "$packages/Packages" ]
}
