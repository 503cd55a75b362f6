#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# gcc -m32 on an x86-64 machine: no cross compiler, no --host.

. "$top_srcdir/tests/harness/build.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "this is not x86-64"

# A compiler without the headers of its target, as gcc -m32 is without Debian's gcc-multilib.
mkdir "$scratch/headers"
echo '#error "no such header"' >"$scratch/headers/errno.h"
mkdir "$scratch/lacking"
(cd "$scratch/lacking" && "$top_srcdir/configure" CPPFLAGS="-I$scratch/headers") \
	>"$scratch/lacking.log" 2>&1 </dev/null
is "configure names the package that has the headers" \
	"$? $(sed -n 's/.*cannot include \(<.*\)/\1/p' "$scratch/lacking.log")" \
	"1 <errno.h>: see config.log. On Debian, the package gcc-multilib has the headers that \
gcc -m32 lacks."

# Where gcc-multilib is not installed, its headers lie in the folder of the native architecture.
compiler="gcc -m32 -idirafter /usr/include/$(gcc -print-multiarch 2>/dev/null)"
printf '#include <errno.h>\nint main(void) { return errno; }\n' >"$scratch/empty.c"
# shellcheck disable=SC2086 # the compiler is a list
$compiler -o "$scratch/empty" "$scratch/empty.c" 2>/dev/null && "$scratch/empty" 2>/dev/null ||
	{ skip "a build" "gcc -m32 makes no programs here"; exit 0; }

ok "configure" configure_in build CC="$compiler" --sysconfdir="$scratch/build/etc" \
	--localstatedir="$scratch/build/var"
ok "it is for i686" contains "$scratch/configure-build.log" "for i686-pc-linux-gnu"
for counter in x86-tsc default-perfevent; do
	ok "$counter is compiled in" contains "$scratch/configure-build.log" " $counter"
done
ok "make, warnings are errors" make_in build CFLAGS="-O1 -Werror"
ok "tests pass" make_in build check check_PROGRAMS=tests/lib/show check_LTLIBRARIES= \
	TESTS="tests/utils/plain.sh tests/lib/abi.sh"
