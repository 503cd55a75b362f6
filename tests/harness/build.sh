# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the tests of the build share. Sourced. Each of them builds in $scratch, from
# the project's own sources or from a copy as `make dist` would ship it.

. "$top_srcdir/tests/harness/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CPPFLAGS LDFLAGS CFLAGS CC
unset DESTDIR CONFIG_SITE TESTS TEST_LOGS

# dash reads configure and libtool in five sixths of the time that bash takes.
if CONFIG_SHELL=$(command -v dash); then export CONFIG_SHELL; else unset CONFIG_SHELL; fi

host=$("$top_srcdir/build-aux/config.guess")
no_pkg_config=PKG_CONFIG_LIBDIR=/nonexistent

# quietly LOG COMMAND...: show the end of its output only if it fails.
quietly() {
	log=$scratch/$1.log
	shift
	"$@" >"$log" 2>&1 </dev/null && return
	echo "# failed: $*"
	tail -n 20 "$log" | sed 's/^/# /'
	return 1
}

# configure_from SOURCE FOLDER ARGUMENT...
configure_from() {
	from=$1 folder=$scratch/$2
	shift 2
	mkdir -p "$folder"
	output=$scratch/configure-${folder##*/}.log
	(cd "$folder" && sh "$top_srcdir/dev/configure-cached.sh" "$top_builddir/tests/kept" \
		"$from/configure" CFLAGS=-O0 "$@") >"$output" 2>&1 </dev/null && return
	tail -n 20 "$output" | sed 's/^/# /'
	return 1
}

# configure_in FOLDER ARGUMENT...
configure_in() {
	folder_name=$1
	shift
	configure_from "$top_srcdir" "$folder_name" "$@"
}

# make_in FOLDER ARGUMENT...
make_in() {
	folder_name=$1
	shift
	quietly "make-$folder_name" make -C "$scratch/$folder_name" "$@"
}

# copy_sources FOLDER: what a tarball would hold.
copy_sources() {
	quietly copy make -C "$top_builddir" distdir distdir="$scratch/$1" &&
		chmod -R u+w "$scratch/$1"
}

# make_tarball: what make dist ships, as $scratch/$tarball.tar.xz and .gz. It works in the
# folder of the build, where only one test at a time may do so.
tarball=cpucycles-$(sed -n 's/^PACKAGE_VERSION = //p' "$top_builddir/Makefile")
make_tarball() {
	(
		flock 9
		quietly dist make -C "$top_builddir" dist &&
			mv "$top_builddir/$tarball.tar.xz" "$top_builddir/$tarball.tar.gz" "$scratch/"
	) 9>"$top_builddir/dist.lock"
}

# summary_of FOLDER WORD: a line of configure's summary, without its name.
summary_of() {
	sed -n "s/^  $2: *//p" "$scratch/configure-$1.log"
}

# has FOLDER FILE: the installed or built file is there.
has() {
	[ -e "$scratch/$1/$2" ] && return
	echo "# not there: $2; there is:"
	(cd "$scratch/$1" && find . ! -type d | head -n 40 | sed 's/^/#   /')
	return 1
}

lacks() {
	[ ! -e "$scratch/$1/$2" ] && return
	echo "# is there: $2"
	return 1
}

# contains FILE TEXT
contains() {
	grep -qF -e "$2" "$1" && return
	echo "# expected in $1: $2"
	return 1
}

contains_not() {
	! grep -qF -e "$2" "$1" && return
	echo "# not expected in $1: $2"
	return 1
}

# A program that uses all of the public header and prints the counter's name.
write_user_program() {
	cat >"$scratch/user.c" <<'END'
#include <cpucycles.h>
#include <stdio.h>

int main(void)
{
	long long before = cpucycles(), after = cpucycles();

	printf("%s %s %d %d\n", cpucycles_version(), cpucycles_implementation(),
	       after >= before, cpucycles_persecond() > 0);
	return 0;
}
END
}
