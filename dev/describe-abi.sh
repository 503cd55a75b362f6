#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# describe-abi.sh HEADERS LIBRARY: print the symbols that a shared library with debug information
# exports, and their types. Where, for which processor and by which compiler it was built is left
# out, so that all architectures with types of the same sizes have the same description. What libc
# keeps in a FILE is left out, too.

set -eu
suppressed=$(mktemp)
trap 'rm -f "$suppressed"' EXIT
printf '[suppress_type]\nname = _IO_FILE\ndrop = yes\n' >"$suppressed"
abidw --exported-interfaces-only --drop-undefined-syms --drop-private-types --headers-dir "$1" \
	--suppressions "$suppressed" \
	--no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names \
	--type-id-style hash "$2" |
	sed "s, path='\([^']*/\)*, path=',; s/ language='[^']*'//; s/ architecture='[^']*'//"
