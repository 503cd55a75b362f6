#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# format.sh [--check]: give every C file of the project the form of .clang-format. With --check no
# file is changed: the lines that differ are printed, and the exit status is 1 if there are any.
# Exit status 77: there is no clang-format of the version that the project uses. Versions differ
# in details, so only one of them can decide; it is the one that Debian 12 has.

set -eu
version=14
cd "$(dirname "$0")/.."

is_right() {
	"$1" --version 2>/dev/null | grep -q "version $version\."
}

formatter=clang-format-$version
is_right "$formatter" || formatter=clang-format
if ! is_right "$formatter"; then
	echo "format.sh: clang-format $version is not installed" >&2
	exit 77
fi

c_files() {
	find base bench calibrated doc include lib machine measure noise sentences tests utils \
		-name '*.[ch]' | sort
}

if [ "${1-}" != --check ]; then
	c_files | xargs "$formatter" -i
	exit
fi
differ=$(c_files | xargs "$formatter" --dry-run 2>&1 |
	sed -n 's/^\([^ :]*\.[ch]:[0-9]*\):.*/\1/p' | uniq)
[ -z "$differ" ] || {
	echo "$differ"
	exit 1
}
