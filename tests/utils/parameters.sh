#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure of functions that have parameters, by the debug information of their files.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/utils/linking.sh"

[ -x "$top_builddir/utils/measure-prototype" ] ||
	skip_all "this build does not ask which parameters functions have"
# A build may have flags for less of it.
CFLAGS="$CFLAGS -g"
cat >f.c <<'C'
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
typedef unsigned char Byte;
struct point { int x, y; };
volatile unsigned long sink;
static unsigned char seen[4096];
static void see(const unsigned char *bytes, size_t n) { memcpy(seen, bytes, n < 4096 ? n : 4096); }
static void work(void) { for (unsigned i = 0; i < 300; i++) sink = sink + i; }
/* Ends the process if it did not get what it should have. */
static void need(int condition) { if (!condition) _exit(99); work(); }
void context(void *null) { need(!null); }
int nothing(void) { work(); return 3; }
void sum(unsigned n) { for (unsigned i = 0; i < n; i++) sink = sink + i; }
void twice(size_t n) { sum((unsigned)(2 * n)); }
uint32_t crc(uint32_t before, const Byte *bytes, size_t n)
{
	see(bytes, n);
	need(before == 0 && n == 100);
	return 1;
}
uint32_t hash(const void *bytes, size_t n, uint32_t seed)
{
	see(bytes, n);
	need(seed == 0 && n == 100);
	return 1;
}
void *find(const void *bytes, int c, size_t n)
{
	see(bytes, n);
	need(c == 0 && n == 100);
	return 0;
}
void copy(char *to, const char *from, int n)
{
	memset(to, 1, 4096 + 4 * (size_t)n);
	see((const unsigned char *)from, 100);
	need(n == 100);
}
uint16_t small(uint16_t before, const uint8_t *bytes, size_t n)
{
	return (uint16_t)hash(bytes, n, before);
}
uint32_t alias(uint32_t, const Byte *, size_t) __attribute__((weak, alias("crc")));
void invert(unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)~bytes[i];
	need(n == 100);
}
void abc(const char *bytes, size_t n) { need(n == 100 && !memcmp(bytes, "abcabcab", 8)); }
void alike(const void *bytes, unsigned n, unsigned seed) { (void)bytes; work(); sink = n + seed; }
double point(const struct point *p, double f) { return p->x * f; }
struct point make(void) { struct point p = { 1, 2 }; return p; }
double fixed(struct point *const p, const char *const *q) { return p->x * **q; }
void variadic(const char *format, ...) { sink = (unsigned char)*format; }
void callback(int (*f)(int)) { sink = (unsigned long)f(1); }
void bytes(const unsigned char *input) { sink = input[0]; }
/* A compiler that optimizes puts the part that is seldom run elsewhere. */
__attribute__((cold, noinline)) static void complain(long n) { sink = (unsigned long)n; }
long parts(long *p, long n)
{
	if (n < 0 || n > 1000) {
		complain(n);
		n = 10;
		if (!p) {
			complain(n);
			return -1;
		}
	}
	while (n-- > 0)
		p[n] = n;
	return 1;
}
/* Two functions that it may fold into one. */
unsigned long octets(const unsigned char *p, size_t n)
{
	unsigned long sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += p[i];
	return sum;
}
unsigned long folded(const unsigned char *p, size_t n)
{
	unsigned long sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += p[i];
	return sum;
}
const size_t bytes_input_bytes = 32;
const size_t hash_input_bytes = 32;
C
need_compiler f

# refused FUNCTION TEXT ARGUMENT...: it is not measured, and the line says this.
refused() {
	refused_name=$1 refused_text=$2
	shift 2
	run -n 40 "$@"
	is "$refused_name${3:+, $*}: the status" "$status" 4
	ok "$refused_name: its type, and what helps" says "f\.c:$refused_name: $refused_text"
}
# measured NAME ARGUMENT...: it is.
measured() {
	measured_name=$1
	shift
	run -n 40 "$@"
	is "$measured_name: the status" "$status" 0
}

as='it cannot be called as'
refused sum "$as "'void sum\(void\): it is void sum\(unsigned int n\); say with which sizes, '\
'such as --sizes 1000, or measure a function that calls it, which its source may have: .*' f.c:sum
refused point "$as "'void point\(void\): it is double point\(const struct point .*\); .*' \
	f.c:point
refused parts "$as "'.*: it is long int parts\(long int \*p, long int n\); .*' f.c:parts
refused fixed "$as "'.*: it is double fixed\(struct point \*p, const char \*const \*q\);.*' \
	f.c:fixed
refused folded "$as "'.*: it is .* folded\(const unsigned char \*p, size_t n\); .*' f.c:folded
refused make "$as "'void make\(void\): it is struct point make\(void\); measure .*' f.c:make
refused variadic "$as "'.*: it is void variadic\(const char \*format, \.\.\.\); .* calls it' \
	f.c:variadic
refused callback "$as "'.*; measure a function that calls it' f.c:callback
refused alike "$as "'.*: it is void alike\(const void \*bytes, unsigned int n, .*\); .*' \
	--sizes 100 f.c:alike
refused nothing "$as "'void nothing\(size_t\): it is int nothing\(void\); leave out --sizes' \
	--sizes 100 f.c:nothing
refused sum 'a size of 5368709120 does not fit into 32 bits: it is .*' --sizes 100,5G f.c:sum
refused nothing "$as "'.* nothing\(const unsigned char \*\): it is int nothing\(void\); .*' --leak \
	f.c:nothing
refused hash "$as "'void hash\(const unsigned char \*\): it is uint32_t hash\(.*; test .*' \
	--leak f.c:hash

# The wrapper that is offered compiles, and is measured.
for name in sum alike point; do
	run -n 40 "f.c:$name"
	{ cat f.c; sed -n 's/.*which its source may have: //p' err; } >"wrapped_$name.c"
	measured "the wrapper of $name" "wrapped_$name.c:${name}_call"
done
if command -v "${CXX:-c++}" >/dev/null; then
	cat >w.cc <<-C
		extern "C" void sum(unsigned n)
		{
			for (volatile unsigned i = 0; i < n;)
				i = i + 1;
		}
	C
	run -n 40 w.cc:sum
	sed -n 's/.*which its source may have: //p' err >>w.cc
	measured "the wrapper of a C++ function" w.cc:sum_call
else
	skip "the wrapper of a C++ function" "there is no compiler of C++"
fi

# What is called gets its arguments: otherwise it ends the process.
measured "no parameters and a result" f.c:nothing
measured "a context, as the library passes it" f.c:context
measured "a size of 32 bits" --sizes 100 f.c:sum
measured "a size" --sizes 100 f.c:twice
measured "a function that the compiler may fold into another" --sizes 100 f.c:folded
for name in crc hash find copy small alias invert; do
	measured "a buffer: $name" --sizes 100 "f.c:$name"
done
ok "its bytes are the size" has "invert .*[0-9]  *[0-9.]*"
printf abc >abc
measured "the bytes of a file" --sizes 100 --input abc f.c:abc
run -n 40 --sizes 100 f.c:abc
is "and no others" "$status" 6
run --leak -t 1 f.c:bytes
ok "an input of a leak test" [ "$status" != 4 ]
run -n 40 --input abc f.c:nothing
is "--input without sizes" "$status $(cat err)" \
	"2 cpucycles-measure: --input: is about buffers: expected --sizes, or --command"
run -n 40 --sizes 100 --input none f.c:abc
is "--input of no file" "$status $(cat err)" \
	"4 cpucycles-measure: --input none: No such file or directory"

# Objects, archives and shared objects, and what does not say its types.
object f -g
ar rcs f.a f.o
measured "an archive" --sizes 100 f.a:hash
# shellcheck disable=SC2086 # options
$CC $CFLAGS -g -O1 -shared -fPIC -o f.so f.c
capture "$measure" -n 40 --sizes 100 ./f.so:hash
is "a shared object: the status" "$status" 0
capture "$measure" -n 40 ./f.so:hash
is "a shared object, without sizes" "$status" 4
object f -g0
measured "no debug information" f.o:nothing
ok "then the row says so" has "nothing .*type unknown: taken as void f\(void\)"
measured "no debug information, and a size" --sizes 100 f.o:twice
ok "then the row says so, too" has "twice .*type unknown: taken as void f\(size_t\)"
run -n 40 -v f.o:nothing
ok "-v: the type is unknown" has "prototype +unknown: taken as void f\(void\)"
run -n 40 -v f.c:nothing
ok "-v: the prototype" has "prototype +int nothing\(void\)"
if [ -n "$has_json" ]; then
	run -n 40 --json --sizes 100 f.c:hash
	ok "JSON: the prototype" has \
		' *"prototype": "uint32_t hash\(const void \*bytes, size_t n, uint32_t seed\)",'
else
	skip "JSON: the prototype" "built without jansson"
fi

# gcc -g1 describes functions without their parameters.
object f -g1
measured "gcc -g1" --sizes 100 f.o:twice
ok "gcc -g1: the type is unknown" has "twice .*type unknown: .*"

# A damaged file says nothing of types, and is no other failure.
object f -g
"$top_builddir/utils/measure-prototype" f.o hash >whole
is "measure-prototype: three lines" "$(sed -n '1p;2p' whole)" "rni
uint32_t hash(const void *bytes, size_t n, uint32_t seed)"
size=$(wc -c <f.o)
for part in 1 2 3 4 5 6 7; do
	head -c "$((size * part / 8))" f.o >cut.o
	"$top_builddir/utils/measure-prototype" cut.o hash >"cut" 2>cut.err && cut_status=0 ||
		cut_status=$?
	ok "an object that ends after $part of 8 parts: no crash" [ "$cut_status" -le 1 ]
done
ok "nothing is left" nothing_left
