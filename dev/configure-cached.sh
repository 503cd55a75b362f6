#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# configure-cached.sh KEPT CONFIGURE ARGUMENT...: run CONFIGURE in this folder, with the results of
# earlier runs' checks. The folder KEPT has a file of results for each compiler and its flags.
# Several runs may share it at the same time.

set -eu
kept=$1 configure=$2
shift 2

# words_of_key FLAG...: those on which a result can depend. No check depends on the optimization, on
# debug information, or on warnings being errors.
words_of_key() {
	for flag; do
		case $flag in
		-O* | -g | -g[0-9] | -ggdb* | -Werror) ;;
		*) printf ' %s' "$flag" ;;
		esac
	done
}

# The results depend on the compiler, on the flags in the environment, and on those arguments that
# set a variable or name a machine. What configure finds out about Autotools and cmocka, it finds
# out anew each time.
# shellcheck disable=SC2086 # flags are words
key="$(words_of_key ${CFLAGS-}):${CPPFLAGS-}:${LDFLAGS-}:${PKG_CONFIG-}:${PKG_CONFIG_PATH-}"
key="$key:${PKG_CONFIG_LIBDIR-}"
compiler=${CC:-gcc}
for argument; do
	case $argument in
	CC=*) compiler=${argument#CC=} ;;
	--host=*) compiler=${argument#--host=}-gcc key="$key $argument" ;;
	CFLAGS=*)
		# shellcheck disable=SC2086 # flags are words
		key="$key$(words_of_key ${argument#CFLAGS=})" ;;
	ACLOCAL=* | AUTO*=* | CMOCKA_*=*) ;;
	[A-Z]*=* | --build=*) key="$key $argument" ;;
	esac
done
found=$kept/configure-$(printf '%s' "$compiler $key" | cksum | tr ' ' -)

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

# Two kinds of lines are not kept. By the first, configure refuses other CFLAGS than before. The
# second says that --disable-dependency-tracking was given, as if the compiler could not do it.
# A folder that this user may not write keeps nothing.
if mkdir -p "$kept" 2>/dev/null && [ -w "$kept" ]; then
	sed '/^ac_cv_env_/d; /_dependencies_compiler_type=.*none/d' "$mine" >"$found.$$"
	mv "$found.$$" "$found"
fi
rm -f "$mine"
