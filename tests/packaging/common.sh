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

# many_variables N: variables with such names that they lie before and behind all others.
many_variables() {
	seq "$1" | awk '{ printf "%c_MANY_%d=%d\n", 65 + $1 % 26, $1, $1 }'
}

# ended_well LOG STATUS: a build or its tests ended with status 0. If not, name what failed.
ended_well() {
	[ "$2" -eq 0 ] && return
	if grep -q -E '^(FAIL|ERROR):' "$1"; then
		grep -E '^(FAIL|ERROR):' "$1" | sort -u
	else
		tail -n 20 "$1"
	fi | sed 's/^/# /'
	return 1
}

# many_passed NAME LOG [NUMBER]: more than this number of the project's tests passed.
many_passed() {
	passed=$(awk '/^# PASS:/ { sum += $3 } END { print sum + 0 }' "$2")
	ok "$1: $passed passed" test "$passed" -gt "${3:-500}"
}
