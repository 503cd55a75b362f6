#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# libtool.sh COMMAND ARGUMENT...: make runs libtool, which is COMMAND, by this script. libtool does
# not quote the folders that it installs to and removes from. DESTDIR may name one with a blank,
# which gets a link without a blank here. The link lies in the build folder, whose own path has no
# blank: configure refuses such a folder.

set -eu

links=
for argument; do
	shift
	case $argument in
	/*[[:blank:]]*)
		links=$PWD/libtool-links.$$
		mkdir -p "$links"
		# The last part of the path with a blank, and what lies below. libtool wants to see
		# the folder's own name at the end.
		below=${argument##*[[:blank:]]}
		case $below in */*) below=/${below#*/} ;; *) below= ;; esac
		ln -s "${argument%"$below"}" "$links/$#"
		argument=$links/$#$below
		;;
	esac
	set -- "$@" "$argument"
done
[ -n "$links" ] || exec "$@"
trap 'rm -r "$links"' EXIT
"$@"
