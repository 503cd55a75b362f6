# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Functions for tests that configure and build the project. Sourced. Each test builds in $scratch,
# from the project's own sources or from a copy as `make dist` ships it.

. "$top_srcdir/tests/harness/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CPPFLAGS LDFLAGS CFLAGS CC
unset DESTDIR CONFIG_SITE TESTS TEST_LOGS

# dash runs configure and libtool in less time than bash, which configure would choose.
if CONFIG_SHELL=$(command -v dash); then export CONFIG_SHELL; else unset CONFIG_SHELL; fi

host=$("$top_srcdir/build-aux/config.guess")
no_pkg_config=PKG_CONFIG_LIBDIR=/nonexistent
# An argument for make, where no shared library is wanted and nothing is installed. libtool itself
# would take half as long as the compiler.
without_libtool="LIBTOOL=\$(SHELL) $top_srcdir/dev/static-libtool.sh \$(AR)"

# quietly LOG COMMAND...: write the command's output to $scratch/LOG.log, and show its end only if
# the command fails.
quietly() {
	log=$scratch/$1.log
	shift
	"$@" >"$log" 2>&1 </dev/null && return
	echo "# failed: $*"
	tail -n 20 "$log" | sed 's/^/# /'
	return 1
}

# parts_of_plot: the files that cpucycles-plot draws with.
parts_of_plot() (
	cd "$top_srcdir/plot" && find . -name '*.awk' -o -name '*.css' -o -name '*.gp' |
		sed 's,^\./,,' | sort
)

# configure_from SOURCE FOLDER ARGUMENT...: run SOURCE's configure in $scratch/FOLDER. The folder is
# built once, so the compiler does not write down on which headers each file depends.
configure_from() {
	from=$1 folder=$scratch/$2
	shift 2
	mkdir -p "$folder"
	output=$scratch/configure-${folder##*/}.log
	(cd "$folder" && sh "$top_srcdir/dev/configure-cached.sh" \
		"${CONFIGURE_KEPT:-$top_builddir/tests/kept}" "$from/configure" \
		--disable-dependency-tracking CFLAGS=-O0 "$@") >"$output" 2>&1 </dev/null && return
	tail -n 20 "$output" | sed 's/^/# /'
	return 1
}

# configure_in FOLDER ARGUMENT...: the same, from the project's sources.
configure_in() {
	folder_name=$1
	shift
	configure_from "$top_srcdir" "$folder_name" "$@"
}

# make_in FOLDER ARGUMENT...: run make in $scratch/FOLDER.
make_in() {
	folder_name=$1
	shift
	quietly "make-$folder_name" make -C "$scratch/$folder_name" "$@"
}

# copy_sources FOLDER: copy the files that a tarball holds to $scratch/FOLDER.
copy_sources() {
	quietly copy make -C "$top_builddir" distdir distdir="$scratch/$1" &&
		chmod -R u+w "$scratch/$1"
}

# make_tarball: run make dist and put its files into $scratch, as $tarball.tar.xz and .tar.gz.
# make dist works in the build folder, so the lock lets only one test at a time run it.
tarball=cpucycles-$(sed -n 's/^PACKAGE_VERSION = //p' "$top_builddir/Makefile")
make_tarball() {
	(
		flock 9
		quietly dist make -C "$top_builddir" dist &&
			mv "$top_builddir/$tarball.tar.xz" "$top_builddir/$tarball.tar.gz" \
				"$scratch/"
	) 9>"$top_builddir/dist.lock"
}

# summary_of FOLDER NAME: the value of one line of the summary that configure printed.
summary_of() {
	sed -n "s/^  $2: *//p" "$scratch/configure-$1.log"
}

# has FOLDER FILE: FILE exists in $scratch/FOLDER.
has() {
	[ -e "$scratch/$1/$2" ] && return
	echo "# not there: $2; there is:"
	(cd "$scratch/$1" && find . ! -type d | head -n 40 | sed 's/^/#   /')
	return 1
}

# lacks FOLDER FILE: it does not exist.
lacks() {
	[ ! -e "$scratch/$1/$2" ] && return
	echo "# is there: $2"
	return 1
}

# contains FILE TEXT: FILE has this text.
contains() {
	grep -qF -e "$2" "$1" && return
	echo "# expected in $1: $2"
	return 1
}

# contains_not FILE TEXT: it has not.
contains_not() {
	! grep -qF -e "$2" "$1" && return
	echo "# not expected in $1: $2"
	return 1
}

# write_user_program: write $scratch/user.c, a program that uses the public header. It prints the
# version, the counter's name, and then 1 1 if the counts rise and persecond is known.
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
