#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# dev/static-libtool.sh makes the archives and programs that libtool makes, and refuses what it does
# not know.
. "$top_srcdir/tests/harness/tap.sh"

cd "$scratch" || exit 99
mkdir a b c d
echo 'int a(void) { return 1; }' >a/same.c
echo 'int a(void); int b(void) { return a() + 2; }' >b/same.c
echo '#include <math.h>
int b(void); int c(double x) { return b() + (int)fmod(x, 8); }' >c/c.c
echo 'int c(double); int main(int n, char **v) { return v ? c(n + 11) : 0; }' >main.c

libtool() {
	sh "$top_srcdir/dev/static-libtool.sh" ar --silent --tag=CC "$@" 2>"$scratch/err"
}
# shellcheck disable=SC2086 # a compiler and its flags
compiles() {
	libtool --mode=compile $CC $CFLAGS "-DNAME=\"a b\"" -c -o "$1.lo" "$1.c"
}
# shellcheck disable=SC2086 # a compiler and its flags
links() {
	libtool --mode=link $CC $CFLAGS "$@"
}
members() {
	ar t "$1" | sort | paste -s -d ' ' -
}
# refused MESSAGE MODE ARGUMENT...
refused() {
	message=$1
	shift
	libtool "$@"
	is "$* is refused" "$? $(cat "$scratch/err")" "1 static-libtool.sh: $message"
}

for file in a/same b/same c/c; do
	ok "$file.c is compiled" compiles "$file"
done
ok "a library for our programs" links -o a/liba.la a/same.lo
ok "one that needs it" links -o b/libb.la b/same.lo a/liba.la
ok "a library that is installed" links -version-info 2:0:1 -no-undefined \
	-Wl,--version-script=/nonexistent -o c/libc.la -rpath /usr/lib c/c.lo b/libb.la -lm
is "the first has its own object" "$(members a/.libs/liba.a)" same.o
is "so has the second" "$(members b/.libs/libb.a)" same.o
is "the installed one has all three, two of the same name" "$(members c/.libs/libc.a)" \
	"c.o same.o same.o"
ok "a library that needs an installed one" links -o d/libd.la -rpath /usr/lib c/libc.la
is "it does not have the objects of that one" "$(members d/.libs/libd.a)" ""
ok "a program with the installed one" links -no-install -o program main.c c/libc.la
./program
is "it runs" $? 7
ok "a program with what needs that one" links -o program2 main.c d/libd.la
./program2
is "it runs" $? 7
ok "a program with the other two" links -o program3 c/c.o main.c b/libb.la -lm
./program3
is "it runs" $? 7

# Files as libtool writes them: the names of the archives, and no list of objects.
sed -i '/^objects=/d' a/liba.la b/libb.la
sed -i "s,^dependency_libs=.*,dependency_libs=' $scratch/a/liba.la'," b/libb.la
ok "a program with libtool's libraries" links -o program4 c/c.o main.c b/libb.la -lm
./program4
is "it runs" $? 7
refused "link: b/libb.la: its objects are unknown" --mode=link cc -o d.la -rpath /usr/lib b/libb.la

# Not known
sed -i "s/^installed=.*/installed=yes/" a/liba.la
refused "a/liba.la: no static library that was built here" --mode=link cc -o p main.c a/liba.la
refused "main.la: no library of libtool" --mode=link cc -o p main.la
refused "--mode=install: unknown" --mode=install cp program p
refused "link: -shared: unknown" --mode=link cc -shared -o p main.c
refused "link: -export-dynamic: unknown" --mode=link cc -export-dynamic -o p main.c
refused "compile: -prefer-pic: unknown" --mode=compile cc -prefer-pic -c -o m.lo main.c
refused "compile: expected -o FILE.lo" --mode=compile cc -c main.c
is "no file is left of what was refused" "$(ls -d p d.la m.lo 2>/dev/null)" ""

# A compiler that fails leaves no file, because make would take it for a good one.
echo 'this is no C' >bad.c
compiles bad
is "the compiler's status" $? 1
is "no object is left" "$(ls bad.lo bad.o 2>/dev/null)" ""
