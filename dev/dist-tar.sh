#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# dist-tar.sh FOLDER: write the folder as a tarball to standard output, for make dist. The same
# sources give the same bytes, whoever packs them, where and when. All files get the same time:
# SOURCE_DATE_EPOCH; or else the time of the last commit; or else, in an unpacked tarball, the time
# that all its files have.

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
	echo "dist-tar.sh: not GNU tar: the tarball will contain your name and the time" >&2
	exec $tar -chf - "$1"
	;;
esac
