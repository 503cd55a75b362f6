#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# dist-tar.sh FOLDER: the folder as a tarball, on standard output; for make dist. The same sources
# give the same bytes, whoever packs them, where and when. The time of all files is
# SOURCE_DATE_EPOCH, or else that of the last commit, or else, in an unpacked tarball,
# the one that all its files have.

set -eu
LC_ALL=C
export LC_ALL
source=$(dirname "$0")/..
tar=${TAR-tar}

if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
	epoch=$SOURCE_DATE_EPOCH
elif [ -e "$source/.git" ] && epoch=$(git -C "$source" log -1 --format=%ct 2>/dev/null); then
	:
else
	epoch=$(date -r "$source/configure.ac" +%s)
fi

case $($tar --version 2>/dev/null) in
*GNU*)
	exec $tar --format=ustar --sort=name --mtime="@$epoch" --owner=root:0 --group=root:0 \
		--mode=u=rwX,go=rX -chf - "$1"
	;;
*)
	echo "dist-tar.sh: not GNU tar: the tarball tells who made it, and when" >&2
	exec $tar -chf - "$1"
	;;
esac
