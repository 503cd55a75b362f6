#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# configure-cached.sh KEPT CONFIGURE ARGUMENT...: runs CONFIGURE in this folder. The folder KEPT holds
# what earlier runs found out, one file for each compiler and its flags, so that the next run of the
# same kind need not find it out again. Several may run at once.

set -eu
kept=$1 configure=$2
shift 2

# What the answers depend on: the environment's flags and the arguments that are no folders and no wishes.
key="${CC-} ${CFLAGS-} ${CPPFLAGS-} ${LDFLAGS-} ${PKG_CONFIG_PATH-} ${PKG_CONFIG_LIBDIR-}"
compiler=${CC:-gcc}
for argument; do
	case $argument in
	CC=*) compiler=${argument#CC=} ;;
	--host=*) compiler=${argument#--host=}-gcc ;;
	esac
	case $argument in
	[A-Z]*=* | --host=* | --build=*) key="$key $argument" ;;
	esac
done
found=$kept/configure-$(printf '%s' "$key" | cksum | tr ' ' -)

# is_current: nothing that an answer came from is newer. configure tries the symbol map and the linker
# script of lib/, and Debian's list of installed packages is newer when a library or compiler came.
sources=$(dirname "$configure")
is_current() {
	[ -s "$found" ] || return
	for origin in "$configure" "$sources/lib/libcpucycles.map" "$sources/lib/rodata.ld" \
		"$(command -v "${compiler%% *}")" /var/lib/dpkg/status; do
		! [ "$origin" -nt "$found" ] || return
	done
}

# A copy of one's own: others may be reading or replacing the kept one.
mine=$PWD/config.cache
rm -f "$mine"
! is_current || cp "$found" "$mine"
"$configure" --cache-file="$mine" "$@"
mkdir -p "$kept"
cp "$mine" "$found.$$" && mv "$found.$$" "$found"
rm -f "$mine"
