#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Programs that find the libraries by pkg-config, or by find_package() of CMake: one that uses the
# whole header, one that measures, the example of README, and those of doc/examples, built by the
# commands of doc/examples/README.md.

. "$top_srcdir/tests/harness/build.sh"

command -v pkg-config >/dev/null || skip_all "pkg-config is not there"
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$top_builddir/Makefile")

# flags OPTION...: of pkg-config, for the library $module.
module=cpucycles
flags() {
	PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@" $module
}

# compiles OUTPUT FLAG...: compile the user's program.
# shellcheck disable=SC2046 # flags are words
compiles() {
	output=$scratch/$1
	shift
	quietly compile cc -Wall -Werror -o "$output" "$scratch/user.c" $(flags --cflags) "$@"
}

# The indented block of README.md that starts with #include <cpucycles.h>.
readme_program() {
	sed -n '/^    #include <cpucycles.h>/,/^    }/s/^    //p' "$top_srcdir/README.md"
}

# command_for WORD: the command in the table of doc/examples/README.md.
command_for() {
	sed -n "s/^| $1 | \`\(.*\)\` |\$/\1/p" "$top_srcdir/doc/examples/README.md"
}

# built_with NAME WORD: build the examples in a folder of their own with the table's command.
built_with() {
	mkdir "$scratch/$1"
	cp "$top_srcdir"/doc/examples/*.c* "$top_srcdir/doc/examples/measure/lambda.cc" \
		"$scratch/$1/"
	[ ! -d "$top_srcdir/doc/examples/$1" ] || cp "$top_srcdir/doc/examples/$1"/* "$scratch/$1/"
	chmod -R u+w "$scratch/$1"
	to_run=$(command_for "$2")
	[ -n "$to_run" ] || { echo "# no command for $2"; return 1; }
	(cd "$scratch/$1" && export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" &&
		export CMAKE_PREFIX_PATH="$prefix" LDFLAGS="${another_root-}" &&
		quietly "with-$1" sh -c "$to_run")
}

# counts PROGRAM: the output of an example, with N in the place of numbers and NAME of the name.
counts() {
	LD_LIBRARY_PATH=$prefix/lib "$scratch/$1" 2>&1 | sed 's/[0-9][0-9]* /N /g; s/[^ ]*$/NAME/'
}

# compares PROGRAM: whether it compares the two lambdas. A count may be void, as when the machine
# was suspended, so it gets three tries.
compares() {
	for try in 1 2 3; do
		LD_LIBRARY_PATH=$prefix/lib "$scratch/$1" >"$scratch/compared" 2>&1 &&
			grep -q '^reserved .*growing' "$scratch/compared" && return
		sed "s/^/# try $try: /" "$scratch/compared"
	done
	return 1
}

# example NAME WORD FOLDER TOOL...: build and run both examples.
example() {
	example_name=$1 example_word=$2 example_folder=$1/$3
	shift 3
	for tool; do
		command -v "$tool" >/dev/null && continue
		skip "the examples with $example_name" "$tool is not there"
		return
	done
	ok "the examples with $example_name" built_with "$example_name" "$example_word"
	is "$example_name: the one in C" "$(counts "$example_folder/example")" "$example_output"
	is "$example_name: the one in C++" "$(counts "$example_folder/fastest")" "$example_output"
	ok "$example_name: it uses the installed library" uses_installed "$example_folder/example"
	[ -f "$scratch/$example_folder/lambda" ] || return 0
	ok "$example_name: two lambdas" compares "$example_folder/lambda"
}

uses_installed() {
	LD_LIBRARY_PATH=$prefix/lib ldd "$scratch/$1" 2>/dev/null |
		grep -qF "$prefix/lib/libcpucycles.so.1"
}

example_output="N cycles, N ns, counted by NAME"
write_user_program
if [ -z "${TESTS_SHORT-}" ]; then
	prefix=$scratch/inst
	ok "configure" configure_in build --prefix="$prefix"
	ok "make" make_in build
	ok "make install" make_in build install
else
	# The short tier installs what this folder has built, below another root. There, the second
	# library does not find the first one where it was configured to be.
	PKG_CONFIG_SYSROOT_DIR=$scratch/root
	export PKG_CONFIG_SYSROOT_DIR
	prefix=$PKG_CONFIG_SYSROOT_DIR$(sed -n 's/^prefix = //p' "$top_builddir/Makefile")
	another_root=-Wl,-rpath-link,$prefix/lib
	ok "make install" quietly install make -C "$top_builddir" install \
		DESTDIR="$PKG_CONFIG_SYSROOT_DIR"
fi
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

# The second library needs the first one. A shared program does not name it, and a static one gets
# both from pkg-config.
# measuring COMPILER [-static]: compile the program that measures.
measuring() {
	rm -f "$scratch/measuring"
	# shellcheck disable=SC2046,SC2086 # flags are words
	quietly measuring "$1" -Wall -Werror ${2-} -o "$scratch/measuring" \
		"$top_srcdir/debian/tests/measuring.c" $(flags ${2:+--static} --cflags --libs) \
		${another_root-}
}
measured() {
	LD_LIBRARY_PATH=${1-} "$scratch/measuring" 2>&1 |
		sed 's/^median [0-9.e+]* of [1-9][0-9]* /median of /'
}
module=cpucycles-measure
is "second library: version" "$(flags --modversion)" "$version"
is "its flags name the installed header" "$(flags --cflags | sed 's/ *$//')" "-I$prefix/include"
is "and the installed library" "$(flags --libs | sed 's/ *$//')" \
	"-L$prefix/lib -lcpucycles-measure"
is "for static programs, first the second library and then what it needs" \
	"$(flags --static --libs | tr ' ' '\n' | grep '^-l' | head -n 3 | sort | tr '\n' ' ')" \
	"-lcpucycles -lcpucycles-measure -lm "
ok "a program that measures compiles" measuring cc
is "it runs" "$(measured "$prefix/lib")" "median of samples"
is "it uses both installed libraries" "$(LD_LIBRARY_PATH=$prefix/lib ldd "$scratch/measuring" |
	sed -n "s,.*=> \($prefix/lib/libcpucycles[^ ]*\) .*,\1,p" | sort)" \
	"$prefix/lib/libcpucycles-measure.so.1
$prefix/lib/libcpucycles.so.1"
ok "a static program that measures compiles" measuring cc -static
is "it runs" "$(measured)" "median of samples"
module=cpucycles

readme_program >"$scratch/user.c"
# shellcheck disable=SC2046 # flags are words
ok "the example of README.md compiles" compiles example $(flags --libs)
is "it runs" \
	"$(LD_LIBRARY_PATH=$prefix/lib "$scratch/example" | sed 's/^-*[0-9]* //; s/[^ ]*$/NAME/')" \
	"cycles, counted by NAME"

# The build tools that the examples have files for
example autotools '\[autotools\](autotools)' . autoreconf automake g++
example cmake '\[cmake\](cmake)' build cmake g++
example meson '\[meson\](meson)' build meson ninja g++
ok "pkg-config alone" built_with plain pkg-config
is "it runs" "$(counts plain/example)" "$example_output"
ok "pkg-config alone, all static" built_with static-example 'pkg-config, all static'
is "it runs" "$(counts static-example/example)" "$example_output"
ok "it needs no library" sh -c '! ldd "$1" >/dev/null 2>&1' sh "$scratch/static-example/example"

# musl needs a library of its own, and has no C++ library.
if [ -n "${TESTS_SHORT-}" ]; then
	skip "a program for musl" "in the short tier, the suite musl alone builds for musl"
elif command -v musl-gcc >/dev/null; then
	prefix=$scratch/musl-inst
	ok "configure for musl" configure_in musl --prefix="$prefix" CC=musl-gcc $no_pkg_config
	ok "make" make_in musl lib/libcpucycles.la
	ok "make install" make_in musl install-libLTLIBRARIES install-dist_includeHEADERS \
		install-pkgconfigDATA
	for kind in "" "--static"; do
		# shellcheck disable=SC2046,SC2086 # flags are words
		ok "a program for musl ${kind:-that is shared}" quietly musl musl-gcc \
			${kind:+-static} \
			-o "$scratch/musl-example" "$top_srcdir/doc/examples/example.c" \
			$(flags $kind --cflags --libs)
		is "it runs" "$(counts musl-example)" "$example_output"
	done
	module=cpucycles-measure
	ok "a program for musl that measures" measuring musl-gcc
	is "it runs" "$(measured "$prefix/lib")" "median of samples"
	ok "a static one" measuring musl-gcc -static
	is "it runs" "$(measured)" "median of samples"
else
	skip "a program for musl" "musl-gcc is not there"
fi
