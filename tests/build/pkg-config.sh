#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Programs that find the library by pkg-config: one that uses the whole header, and
# the example of README.

. "$top_srcdir/tests/harness/build.sh"

command -v pkg-config >/dev/null || skip_all "pkg-config is not there"
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$top_builddir/Makefile")

flags() {
	PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@" cpucycles
}

# compiles OUTPUT FLAG...
# shellcheck disable=SC2046 # flags are words
compiles() {
	output=$scratch/$1
	shift
	quietly compile cc -Wall -Werror -o "$output" "$scratch/user.c" $(flags --cflags) "$@"
}

# The indented block of README that starts with the header.
readme_program() {
	sed -n '/^    #include <cpucycles.h>/,/^    }/s/^    //p' "$top_srcdir/README"
}

prefix=$scratch/inst
write_user_program
ok "configure" configure_in build --prefix="$prefix"
ok "make" make_in build
ok "make install" make_in build install
is "version" "$(flags --modversion)" "$version"
is "flags name the installed header" "$(flags --cflags | sed 's/ *$//')" "-I$prefix/include"
is "flags name the installed library" "$(flags --libs | sed 's/ *$//')" "-L$prefix/lib -lcpucycles"

# shellcheck disable=SC2046 # flags are words
ok "a program compiles" compiles shared $(flags --libs)
is "it runs" "$(LD_LIBRARY_PATH=$prefix/lib "$scratch/shared" | sed 's/ [^ ]* / NAME /')" \
	"$version NAME 1 1"
# shellcheck disable=SC2046 # flags are words
ok "a static program compiles" compiles static -static $(flags --static --libs)
is "it runs" "$("$scratch/static" | sed 's/ [^ ]* / NAME /')" "$version NAME 1 1"

readme_program >"$scratch/user.c"
# shellcheck disable=SC2046 # flags are words
ok "the example of README compiles" compiles example $(flags --libs)
is "it runs" "$(LD_LIBRARY_PATH=$prefix/lib "$scratch/example" | sed 's/^-*[0-9]* //; s/[^ ]*$/NAME/')" \
	"cycles, counted by NAME"
