#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# x32: 64-bit instructions and pointers of 32 bits. Compiled if the compiler's libraries for x32 are
# installed. Run if the kernel supports x32, because no emulator of user programs does.

. "$top_srcdir/tests/harness/build.sh"

# The headers asm/ for x32 lie in the folder of the native architecture.
compiler="gcc -mx32 -idirafter /usr/include/$(gcc -print-multiarch 2>/dev/null)"
echo 'int main(void) { return sizeof(void *) != 4; }' >"$scratch/empty.c"
# shellcheck disable=SC2086 # the compiler is a list
$compiler -static -o "$scratch/empty" "$scratch/empty.c" 2>/dev/null ||
	skip_all "gcc -mx32 does not link here"

ok "configure for x32" configure_in build --build="$host" --host=x86_64-linux-gnux32 \
	CC="$compiler" $no_pkg_config CFLAGS=-O1 --disable-shared
ok "make, warnings are errors" make_in build "$without_libtool" CFLAGS="-O1 -Werror" \
	LDFLAGS=-all-static all
ok "the library that measures" has build measure/.libs/libcpucycles-measure.a
for counter in amd64-tsc amd64-tscasm default-syscall; do
	ok "$counter is compiled in" contains "$scratch/configure-build.log" " $counter"
done
write_user_program
# shellcheck disable=SC2086 # the compiler is a list
ok "a static program links" quietly link $compiler \
	-static -I"$top_srcdir/include" -o "$scratch/user" \
	"$scratch/user.c" "$scratch/build/lib/.libs/libcpucycles.a"
if "$scratch/empty" 2>/dev/null; then
	is "it runs" "$("$scratch/user" | sed 's/^[^ ]* [^ ]* //')" "1 1"
else
	skip "it runs" "this kernel runs no x32 programs"
fi
