#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# If a counter does not compile, configure names it and leaves it out, and the build goes on. The
# same where the second library is not wanted. A standard of C that the user names replaces ours.

. "$top_srcdir/tests/harness/build.sh"

# lists WORD NAME: the summary's list names the counter.
lists() {
	case " $(summary_of "$1" "$2") " in *" $3 "*) return ;; esac
	echo "# $2: $(summary_of "$1" "$2")"
	return 1
}

lists_not() {
	! lists "$@" >/dev/null
}

builds_and_runs() {
	make_in "$1" && cc -I"$top_srcdir/include" -o "$scratch/user-$1" "$scratch/user.c" \
		"$scratch/$1/lib/.libs/libcpucycles.a" && "$scratch/user-$1" >"$scratch/$1.out"
}

write_user_program

# System headers without perf_event.
mkdir -p "$scratch/include/linux"
echo '#error "not on this system"' >"$scratch/include/linux/perf_event.h"
ok "configure without linux/perf_event.h" configure_in headers CPPFLAGS="-I$scratch/include"
ok "default-perfevent is left out" lists headers "left out" default-perfevent
ok "default-monotonic is compiled in" lists headers counters default-monotonic
ok "the rest builds and runs" builds_and_runs headers
ok "the library has no default-perfevent" \
	contains_not "$scratch/headers/lib/.libs/libcpucycles.a" default-perfevent

# A counter's source that the compiler rejects, in a copy of the sources.
ok "copy of the sources" copy_sources tree
echo 'this is no C' >>"$scratch/tree/lib/os/default-monotonic.c"
ok "configure in the source folder" configure_from "$scratch/tree" tree \
	--enable-dependency-tracking
ok "default-monotonic is left out" lists tree "left out" default-monotonic
ok "default-syscall is compiled in" lists tree counters default-syscall
ok "the rest builds in the source folder" builds_and_runs tree

# If the list changes after configure, the next make notices.
sed -i 's,^this is no C$,,' "$scratch/tree/lib/os/default-monotonic.c"
# shellcheck disable=SC2016 # sed's
sed -i '/default-syscall/d' "$scratch/tree/lib/counters.am"
sleep 1
touch "$scratch/tree/lib/counters.am"
if command -v automake >/dev/null && command -v autoconf >/dev/null; then
	ok "make after a change of the list" builds_and_runs tree
	ok "a counter that compiles now is in" contains "$scratch/tree/lib/counters.inc" \
		default_monotonic
	ok "a counter no longer listed is out" contains_not "$scratch/tree/lib/counters.inc" \
		default_syscall
	nm "$scratch/tree/lib/.libs/libcpucycles.so.1" >"$scratch/symbols"
	ok "so it is in the library" contains "$scratch/symbols" cpucycles_counter_default_monotonic
	ok "so it is not in the library" contains_not "$scratch/symbols" \
		cpucycles_counter_default_syscall
else
	skip "make after a change of the list" "Automake is not there"
fi

# Without the second library and its tool
# measures FOLDER: what is installed there of the second library and its tool.
measures() {
	(cd "$scratch/$1" && find . ! -type d \( -name '*measure*' -o -name '*_meter_*' -o \
		-name '*_keep*' \) | sort)
}
ok "configure --without-measure" configure_in without --without-measure
is "summary: measure" "$(summary_of without measure)" "off (--without-measure)"
ok "the rest builds and runs" builds_and_runs without
ok "make install" make_in without install DESTDIR="$scratch/inst-without"
ok "it installs the first library" has inst-without/usr/local/lib libcpucycles.so.1
is "it installs nothing of the second" "$(measures inst-without)" ""
ok "the tests are those of the first" make_in without -n check TESTS=
ok "the tests of what is built pass or are skipped" make_in without check check_PROGRAMS= \
	check_LTLIBRARIES= TESTS="tests/consistency/circles.sh tests/consistency/symbols.sh
	tests/consistency/version.sh tests/consistency/words.sh tests/lib/abi.sh"
is "symbols.sh says what it skips" \
	"$(grep -c '^ok .* # SKIP configured with --without-measure' \
		"$scratch/without/tests/consistency/symbols.log")" 2
ok "the second library is there by default" make_in headers install DESTDIR="$scratch/inst-with"
ok "and make install installs it" has inst-with/usr/local/lib libcpucycles-measure.so.1

# Compilers before GCC 14 know C23 by its older name only.
echo 'int i;' >"$scratch/i.c"
standard=c23
${CC:-cc} -std=c23 -c -o "$scratch/i.o" "$scratch/i.c" 2>/dev/null || standard=c2x
# standard_in FOLDER: the standards that the library is compiled with.
standard_in() {
	sed -En 's/^(CC|BASE_CFLAGS|CFLAGS) = / /p' "$scratch/$1/Makefile" | grep -o ' -std=[^ ]*'
}
is "the standard that we choose" "$(standard_in headers)" " -std=c11"
# With -Werror, the program by which Autoconf looks for C11 does not compile as C23.
ok "configure for $standard" configure_in standard CC="${CC:-cc} -std=$standard" \
	CFLAGS="-O1 -Werror" --without-cmocka
is "a standard in CC replaces ours" "$(standard_in standard)" " -std=$standard"
ok "it builds, without a warning" make_in standard
ok "configure with a standard in CFLAGS" configure_in flags CFLAGS="-O0 -std=$standard"
is "a standard in CFLAGS replaces ours" "$(standard_in flags)" " -std=$standard"
