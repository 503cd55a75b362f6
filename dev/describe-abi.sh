#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# describe-abi.sh HEADERS LIBRARY: what a shared library with debug information exports, and its
# types, without a word on where and by which compiler it was built.

set -eu
abidw --exported-interfaces-only --drop-undefined-syms --drop-private-types --headers-dir "$1" \
	--no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names \
	--type-id-style hash "$2" | sed "s/ path='[^']*'//; s/ language='[^']*'//"
