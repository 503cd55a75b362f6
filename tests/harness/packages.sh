# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The project's own Debian packages. Sourced, after build.sh, by the tests that install them.

# A flat repository for apt, which is kept from run to run.
packages=$top_builddir/tests/packaging/debian

# build_packages: build them, unless they were built after the last change of a file or a folder.
# build-packages.sh compares contents, but has to run make dist for that.
build_packages() {
	if [ -e "$packages/contents" ]; then
		changed=$(find "$top_srcdir" \( -name _build -o -name .git \) -prune -o \
			\( -type f -o -type d \) -newer "$packages/contents" -print | head -n 1)
		[ -n "$changed" ] || return 0
	fi
	mkdir -p "${packages%/*}" &&
		quietly build-packages timeout 1800 \
			sh "$top_srcdir/tests/packaging/build-packages.sh" "$packages"
}

packages_built() {
	ok "the packages build" build_packages
	[ -e "$packages/Packages" ]
}
