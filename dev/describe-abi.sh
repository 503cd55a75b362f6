#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# describe-abi.sh HEADERS LIBRARY: print the symbols that a shared library with debug information
# exports, and their types. Where and by which compiler it was built is left out. The base names of
# the sources stay: abidiff takes descriptions of two files without a name for one, and aborts.

set -eu
abidw --exported-interfaces-only --drop-undefined-syms --drop-private-types --headers-dir "$1" \
	--no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names \
	--type-id-style hash "$2" |
	sed "s/ path='[^']*\/\([^/']*\)'/ path='\1'/; s/ language='[^']*'//"
