#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# configure-cached.sh KEPT CONFIGURE ARGUMENT...: run CONFIGURE in this folder, with the results of
# earlier runs' checks. The folder KEPT has a file of results for each compiler and its flags.
# Several runs may share it at the same time.

set -eu
kept=$1 configure=$2
shift 2

# The results depend on the compiler, on the flags in the environment, and on those arguments that
# set a variable or name a machine.
key="${CC-} ${CFLAGS-} ${CPPFLAGS-} ${LDFLAGS-} ${PKG_CONFIG-} ${PKG_CONFIG_PATH-}"
key="$key ${PKG_CONFIG_LIBDIR-}"
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

# is_current: the file of results is newer than all that they came from. configure tries the symbol
# map and the linker script of lib/. Debian's list of installed packages changes with each compiler
# and library that is installed.
sources=$(dirname "$configure")
is_current() {
	[ -s "$found" ] || return
	for origin in "$configure" "$sources/lib/libcpucycles.map" "$sources/lib/rodata.ld" \
		"$(command -v "${compiler%% *}")" /var/lib/dpkg/status; do
		! [ "$origin" -nt "$found" ] || return
	done
}

# configure writes to its file of results, so this run works on a copy.
mine=$PWD/config.cache
rm -f "$mine"
! is_current || cp "$found" "$mine"
"$configure" --cache-file="$mine" "$@"
mkdir -p "$kept"
cp "$mine" "$found.$$" && mv "$found.$$" "$found"
rm -f "$mine"
