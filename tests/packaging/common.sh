# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the tests of the Debian packages share. Sourced, by some of them after tests/boot/common.sh.

[ -n "${packages-}" ] || {
	. "$top_srcdir/tests/harness/build.sh"
	. "$top_srcdir/tests/harness/packages.sh"
}

for tool in dpkg-buildpackage dh apt-ftparchive flock timeout; do
	command -v "$tool" >/dev/null || skip_all "$tool is not there"
done
