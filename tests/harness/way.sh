#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# way.sh COMMAND...: run the command where other users can enter the folders of the sources and of
# the build, also if these lie in root's home. Only for a mount namespace of its own: a tmpfs covers
# each closed folder on the way, and has only what leads on. Where that cannot be mounted, the
# command runs all the same.

# Their paths as the kernel walks them, without "..".
sources=$(cd "${top_srcdir:?}" && pwd -P) && build=$(cd "${top_builddir:?}" && pwd -P) || exit 99
place=$(mktemp -d "${TMPDIR:-/tmp}/cpucycles-way.XXXXXX") || exit 99

# leading_on FOLDER: the entries of the folder through which a way leads.
leading_on() {
	for target in "$sources" "$build"; do
		case $target/ in
		"$1"/) ls -A "$1" ;;
		"$1"/*)
			rest=${target#"$1"/}
			echo "${rest%%/*}"
			;;
		esac
	done | sort -u
}

# cover FOLDER: everyone can enter it.
cover() {
	mount --rbind "$1" "$place" || return
	entries=$(leading_on "$1")
	mount -t tmpfs -o mode=755 none "$1" || return
	echo "$entries" | while read -r entry; do
		if [ -L "$place/$entry" ]; then
			cp -P "$place/$entry" "$1/$entry"
			continue
		elif [ -d "$place/$entry" ]; then
			mkdir "$1/$entry"
		else
			: >"$1/$entry"
		fi
		mount --rbind "$place/$entry" "$1/$entry"
	done
	umount -l "$place"
}

for target in "$sources" "$build"; do
	rest=${target#/}/ folder=
	while [ -n "$rest" ]; do
		folder=$folder/${rest%%/*}
		rest=${rest#*/}
		case $(stat -c %A "$folder") in
		*[xt]) ;;
		*) cover "$folder" ;;
		esac
	done
done 2>/dev/null
rmdir "$place"
cd "$PWD" || exit # which may be what lies below a tmpfs now
exec "$@"
