#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# static-libtool.sh AR --mode=MODE COMMAND...: what libtool does for static libraries and for the
# programs that use them, in a fraction of libtool's time. Tests that install nothing and look at no
# shared library give this script to make as LIBTOOL; see tests/harness/build.sh.
# The .lo and .la files have libtool's names, places and variables, so that this script can use the
# libraries that libtool has built in the same folder.

set -eu
ar=$1
shift

fail() {
	echo "static-libtool.sh: $*" >&2
	exit 1
}

# read_library FILE.la: set $archive and the variables of the file. libtool's own files do not set
# $objects.
read_library() {
	mark=
	[ ! -r "$1" ] || read -r mark <"$1"
	case $mark in *" - a libtool library file") ;; *) fail "$1: no library of libtool" ;; esac
	objects='' libdir='' installed=''
	old_library='' dependency_libs='' inherited_linker_flags=''
	case $1 in
	/*) . "$1" ;;
	*) . "./$1" ;;
	esac
	[ "$installed" = no ] && [ -n "$old_library" ] && [ -z "$inherited_linker_flags" ] ||
		fail "$1: no static library that was built here"
	archive=${1%/*}/.libs/$old_library
}

# expand WORD...: set $expanded to the words, with the archives of each .la file and of those that
# it needs in its place.
expand() {
	expanded=
	while [ $# -gt 0 ]; do
		word=$1
		shift
		case $word in
		*.la)
			read_library "$word"
			# shellcheck disable=SC2086 # words
			set -- $dependency_libs "$@"
			word=$archive ;;
		esac
		expanded="$expanded $word"
	done
}

# compile COMMAND...: make one object.
compile() {
	output='' previous=''
	for word; do
		shift
		case $previous:$word in
		-o:*.lo) output=${word%.lo} word=$output.o ;;
		*:-prefer-* | *:-shared | *:-static | *:-Wc,* | *:-Xcompiler)
			fail "compile: $word: unknown" ;;
		esac
		previous=$word
		set -- "$@" "$word"
	done
	[ -n "$output" ] || fail "compile: expected -o FILE.lo"
	"$@"
	cat <<-END >"$output.lo"
		# $output.lo - a libtool object file
		pic_object=none
		non_pic_object='${output##*/}.o'
	END
}

# link COMMAND...: make a program or a library.
link() {
	output='' previous='' folder='' objects_here='' libraries_here=''
	for word; do
		shift
		case $previous:$word in
		-rpath:* | -version-info:*)
			[ "$previous" != -rpath ] || folder=$word
			previous=''
			continue ;;
		*:-rpath | *:-version-info)
			previous=$word
			continue ;;
		-o:*) output=$word ;;
		*:-avoid-version | *:-no-install | *:-no-undefined | *:-static) continue ;;
		*:-all-static) word=-static ;;
		*:-bindir | *:-dl* | *:-export* | *:-module | *:-objectlist | *:-precious* | \
			*:-R* | *:-release | *:-shared | *:-shrext | *:-thread-safe | \
			*:-version-number | *:-weak | *:-Wc,* | *:-X*)
			fail "link: $word: unknown" ;;
		*:*.lo | *:*.o)
			word=${word%.*}.o
			objects_here="$objects_here $word" ;;
		*:*.la)
			libraries_here="$libraries_here $word"
			expand "$word"
			# shellcheck disable=SC2086 # words
			set -- "$@" $expanded
			continue ;;
		*:-l* | *:-L* | *:*.a) libraries_here="$libraries_here $word" ;;
		esac
		previous=$word
		set -- "$@" "$word"
	done
	case $output in
	'') fail "link: expected -o FILE" ;;
	*.la) make_library ;;
	*) "$@" ;;
	esac
}

# make_library: make $output from $objects_here. A library that would be installed into $folder also
# gets the objects of those that would not be, because users link that one alone.
# shellcheck disable=SC2086 # lists of words
make_library() {
	needed=''
	set -- $libraries_here
	while [ $# -gt 0 ]; do
		library=$1
		shift
		case $library in
		*.la) read_library "$library" ;;
		*) libdir=none ;;
		esac
		if [ -z "$folder" ] || [ -n "$libdir" ]; then
			needed="$needed $library"
			continue
		fi
		[ -n "$objects" ] || fail "link: $library: its objects are unknown"
		objects_here="$objects_here $objects"
		set -- $dependency_libs "$@"
	done
	name=${output##*/}
	name=${name%.la}.a
	archive=${output%/*}/.libs/$name
	[ -d "${archive%/*}" ] || mkdir -p "${archive%/*}"
	rm -f "$archive"
	$ar cqs "$archive" $objects_here
	cat <<-END >"$output"
		# $output - a libtool library file
		old_library='$name'
		objects='$objects_here'
		dependency_libs='$needed'
		libdir='$folder'
		installed=no
	END
}

mode=
while [ $# -gt 0 ] && [ -z "$mode" ]; do
	case $1 in
	--silent | --tag=CC) ;;
	*) mode=$1 ;;
	esac
	shift
done
case $mode in
--mode=compile) compile "$@" ;;
--mode=link) link "$@" ;;
*) fail "$mode: unknown" ;;
esac
