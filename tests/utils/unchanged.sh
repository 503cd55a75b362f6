#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Functions whose code is the same in two files, which cpucycles-measure does not measure
# (utils/measure/files/unchanged.c).

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/utils/linking.sh"

compared=$top_builddir/tests/utils/compared
grep -q '^#define HAVE_ELF_H' "$top_builddir/config.h" || skip_all "this system has no ELF"
cat >base.c <<'C'
extern int outside(int), length(const char *);
static const int table[16] = { 3, 1, 4, 1, 5, 9, 2, 6 };
static const int other[16] = { 3, 1, 4, 1, 5, 9, 2, 6 };
int input = 7, state, sink;
static int kept = 5;
static void __attribute__((noinline)) made(void) { kept = outside(6); }
static void __attribute__((constructor)) start(void) { made(); }
static int __attribute__((noinline)) helper(int n) { return n * 3 + table[n & 15]; }
int __attribute__((noinline)) shared(int n) { sink++; return helper(n) + 1; }
int __attribute__((noinline)) twin1(int n) { return n ^ 5; }
int __attribute__((noinline)) twin2(int n) { return n ^ 5; }
void f_setup(void) { state = 5; }
void f_before(void) { state++; }
void f(void) { sink = shared(input) + twin1(outside(kept)) + length("some words"); }
void jumps(void) { shared(helper(input)); }
C
cat >switch.c <<'C'
extern int outside(int);
static const int other[16] = { 3, 1, 4, 1, 5, 9, 2, 6 };
int __attribute__((noinline)) shared(int n) { return n ^ outside(3); }
int __attribute__((noinline)) twin1(int n) { return n ^ 5; }
int chosen(int n)
{
	switch (n) {
	case 0: return shared(1);
	case 1: return shared(2) + 3;
	case 2: return twin1(4);
	case 3: return outside(5) * 7;
	case 4: return other[n & 15];
	case 5: return n + outside(6);
	}
	return 9;
}
C
flags="-O2 -fno-lto"
need_compiler base

# compile SOURCE OBJECT [OPTION...]
compile() {
	source=$1 object=$2
	shift 2
	# shellcheck disable=SC2086 # options
	$compiler $flags $form "$@" -c "$source" -o "$object" 2>compiler ||
		{ sed 's/^/# /' compiler; return 1; }
}
# says_of WORD [FUNCTION]: what is said of old.o and new.o.
says_of() {
	said=$("$compared" old.o new.o "${2:-f}")
	[ "$said" = "$1" ] || { echo "# $said"; return 1; }
}
# new EXPRESSION [OPTION...]: new.o of the base, changed by sed.
new() {
	sed -e "$1" base.c >new.c || return 1
	shift
	! cmp -s base.c new.c || [ $# -gt 0 ] || return 1
	compile new.c new.o "$@"
}
# becomes WORD EXPRESSION [FUNCTION]
becomes() {
	new "$2" && says_of "$1" "${3:-f}"
}
differs() {
	ok "$kind: $1" becomes changed "$2" "${3:-f}"
}
same() {
	ok "$kind: $1" becomes unchanged "$2" "${3:-f}"
}

all_changes() {
	compile base.c old.o
	ok "$kind: a copy is unchanged" eval 'cp old.o new.o && says_of unchanged'
	ok "$kind: debug information says nothing" eval 'new s/x/x/ -g && says_of unchanged'
	ok "$kind: no such function" eval 'says_of changed nobody && cp old.o new.o &&
		says_of changed nobody'
	differs "its own code" 's/shared(input) +/shared(input) -/'
	differs "a static function that it reaches" 's/n \* 3/n * 5/'
	differs "a function that others see, too" 's/helper(n) + 1/helper(n) + 2/'
	differs "a static table" 's/table\[16\] = { 3, 1, 4/table[16] = { 3, 1, 5/'
	differs "a variable" 's/input = 7/input = 8/'
	differs "a static variable" 's/kept = 5/kept = 4/'
	differs "a string" 's/some words/some verbs/'
	differs "what a constructor calls" 's/outside(6)/outside(3)/'
	differs "one constructor more" \
		'$ s/$/ static void __attribute__((constructor)) more(void) { state = 3; }/'
	differs "f_setup" 's/{ state = 5;/{ state = 6;/'
	differs "f_before" 's/{ state++;/{ state--;/'
	differs "no f_before" 's/f_before/f_after/'
	differs "a name outside" 's/outside/outward/'
	differs "another function with the same code" 's/+ twin1(/+ twin2(/'
	differs "its alignment" 's/^void f(/__attribute__((aligned(256))) void f(/'
	differs "a jump to another function" 's/{ shared(helper/{ twin1(helper/' jumps
	differs "what a jump reaches" 's/helper(n) + 1/helper(n) + 2/' jumps
	same "a function that it does not reach" 's/n ^ 5;/n ^ 6;/' f_before
	same "a function that others do not reach" 's/{ shared(helper/{ shared(1 + helper/'
	same "the name of a static function" 's/helper/assistant/'
}

# Tables of jumps.
switches() {
	compile switch.c old.o
	ok "$kind: switch, debug information" eval 'compile switch.c new.o -g &&
		says_of unchanged chosen'
	sed 's/case 1:/case 7:/; s/case 2:/case 1:/; s/case 7:/case 2:/' switch.c >new.c
	ok "$kind: switch, two cases exchanged" eval 'compile new.c new.o &&
		says_of changed chosen'
	sed 's/n ^ 5/n ^ 6/' switch.c >new.c
	ok "$kind: switch, what a case reaches" eval 'compile new.c new.o &&
		says_of changed chosen && says_of unchanged shared'
}

# More code and functions in another order.
moved() {
	compile base.c old.o
	{
		echo 'int before(int n) { return n * 1001 + 17; }'
		sed -e '/^void f_setup/d' -e '/^void f(/d' base.c
		grep -e '^void f_setup' -e '^void f(' base.c
	} >new.c
	ok "$kind: moved" eval 'compile new.c new.o && says_of unchanged && says_of unchanged twin1'
	sed 's/n \* 3/n * 5/' new.c >moved.c
	ok "$kind: moved, and a function that it reaches" eval 'compile moved.c new.o &&
		says_of changed && says_of changed jumps && says_of unchanged twin1'
}

for compiler in gcc clang; do
	command -v $compiler >/dev/null || { skip "$compiler" "it is not installed"; continue; }
	for form in "" "-ffunction-sections -fdata-sections" "-fno-pic -fno-pie" "-fPIC"; do
		kind="$compiler $form"
		all_changes
		switches
		case $($compiler -dumpmachine) in
		x86_64*) moved ;;
		*)
			case $form in
			-ff*) moved ;;
			*) skip "$kind: moved" "only whole sections are compared here" ;;
			esac
			;;
		esac
	done
done

# Numbers in code that may be distances, in the place of what a compiler makes; and assembly.
cat >jumps.s <<'S'
.ident "GCC: (none)"
.text
.type g, @function
g: mov %edi, %eax
	ret
.size g, . - g
.globl f
.type f, @function
f: cmp $5, %edi
	ja g
	mov $1, %eax
	sub $0x121, %ecx
	ret
.size f, . - f
.skip 0x120
.type h, @function
h: mov %edi, %eax
.Lshared: imul $7, %edi, %eax
	ret
.size h, . - h
S
# becomes_assembly OLD NEW: two expressions for sed.
becomes_assembly() {
	sed -e "$1" jumps.s >old.s && sed -e "$2" jumps.s >new.s && compile old.s old.o &&
		compile new.s new.o && says_of changed
}
compiler=$CC form= kind=assembly
case $($CC -dumpmachine) in
x86_64*)
	ok "what follows a short jump" becomes_assembly "" 's/\$1,/$2,/'
	ok "a constant that may be a distance" becomes_assembly "" \
		's/0x121/0x131/; s/0x120/0x130/'
	into='/ident/d; s/ja g/ja .Lshared/; /skip/d'
	ok "a jump into another function" becomes_assembly "$into" "$into; s/\$7/\$9/"
	;;
*) skip "numbers in code" "these are of amd64" ;;
esac

compiler=$CC form=
# variants WORD [OPTION...]: what is said of f of hole.c, compiled with V=1 and with V=2.
variants() {
	word=$1
	shift
	compile hole.c old.o -DV=1 "$@" && compile hole.c new.o -DV=2 "$@" && says_of "$word"
}
cat >hole.c <<'C'
int sink;
#define SET __attribute__((section("cmds"), used, aligned(4)))
SET int first = 0;
SET int command = V * 100;
SET int last = 0;
void f(void)
{
	int *p = &first, *q = &last;

	__asm__("" : "+r"(p), "+r"(q));
	for (; p < q; p++)
		sink += *p;
}
C
ok "a variable between two others, in a section with a name of its own" variants changed
cat >hole.c <<'C'
#define TEXT(value) #value
#define WORD(value) ".long " TEXT(value) "\n"
__asm__(".data\n.globl table\n.type table, @object\n.size table, 4\n" WORD(V) "table: " WORD(7)
	WORD(V) ".text");
extern __attribute__((visibility("hidden"))) int table[];
int f(int n) { return READ; }
C
cat >jump.c <<'C'
#define TEXT(value) #value
#define NOP(value) ".byte 0x0f, 0x1f, 0x40, " TEXT(value)
__attribute__((noinline)) int f(int n)
{
	__asm__ volatile(JUMP " " LABEL);
	return n + 3;
}
int g(int n)
{
	__asm__ volatile("nop\n" LABEL ": " NOP(V));
	return n;
}
C
case $($CC -dumpmachine) in
x86_64*)
	for read in "table[%s]" "table[%s] == 1" "table[%s] == 1000" "n + table[%s]"; do
		for place in -1 0 1; do
			word=changed
			[ $place != 0 ] || word=unchanged
			# shellcheck disable=SC2059 # the place is filled in
			expression=$(printf "$read" $place)
			ok "$expression, of a table of one" variants $word "-DREAD=$expression"
		done
	done
	cp jump.c hole.c
	for jump in jmp jnz jmp.d32 jnz.d32; do
		ok "$jump to a label in another function" variants changed "-DJUMP=\"$jump\"" \
			'-DLABEL="label"'
	done
	;;
*) skip "places outside of a variable" "these are read on amd64" ;;
esac

# Archives.
cat >member.c <<'C'
extern int more(int);
int outside(int n) { return more(n) * 9; }
C
echo 'int more(int n) { return n + 4; } int unused(int n) { return n; }' >third.c
# archive NAME: of what was compiled last.
archive() {
	rm -f "$1"
	ar rcs "$1" f.o member.o third.o
}
archived() {
	is "archive: $1" "$("$compared" old.a new.a f)" "$2"
}
compile base.c f.o && compile member.c member.o && compile third.c third.o && archive old.a
compile base.c f.o -g && compile third.c third.o -g && archive new.a
archived "debug information" unchanged
sed 's/n + 4/n + 5/' third.c >new.c
compile new.c third.o && archive new.a
archived "a function of another member" changed
sed 's/return n;/return n + 1;/' third.c >new.c
compile new.c third.o && archive new.a
archived "another function of another member" unchanged
{ cat third.c; echo 'int v; static void __attribute__((constructor)) c(void) { v = 3; }'; } >new.c
compile new.c third.o && archive new.a
archived "a constructor of another member" changed
echo 'int more(int n) { return n + 4; } int outside(int n) { return n; }' >new.c
compile new.c third.o && archive new.a
archived "a name that two members define" changed
compile third.c third.o && ar rcs few.a f.o third.o && "$compared" old.a few.a f >out
is "archive: a member is not there" "$(cat out)" changed

echo 'extern int hook(int) __attribute__((weak)); int f(int n) { return hook ? hook(n) : n; }' >f.c
{ cat f.c; echo 'int more(int); int needs(int n) { return more(n); }'; } >needs.c
echo 'int hook(int n) { return n * 7; } int more(int n) { return n; }' >third.c
form=-ffunction-sections
compile needs.c f.o && compile third.c third.o && archive old.a
compile f.c f.o && archive new.a
archived "a weak name that no member brings in" changed
form=

# Archives of C++: several members have copies of a function, and a program gets one of them.
cat >a.cc <<'C'
#ifndef MADE
#define MADE 5
#endif
#ifndef LOCAL
#define LOCAL input
#endif
#ifndef TEXT
#define TEXT "some words"
#endif
#ifndef TYPE
#define TYPE first
#endif
#ifndef VALUE
#define VALUE 1
#endif
#ifndef HOOK
#define HOOK 1
#endif
#ifndef BOTH
#define BOTH 2
#endif
#ifndef ALIGNED
#define ALIGNED
#endif
#define APART __attribute__((noinline))
struct first { int n; };
struct second { int n; };
int outside(int), length(const char *);
int other_times(int), other_adds(int), other_texts(), other_catches(), other_hook(int);
void throws();
extern int input;
static volatile int local = 3;
inline int variable = VALUE;
template <class T> APART ALIGNED T times(T n) { return n * MADE; }
inline APART int adds(int n) { return n + LOCAL; }
inline APART int texts() { return length(TEXT) + variable; }
inline APART int catches()
{
	try {
		throws();
	} catch (const TYPE &thrown) {
		return outside(5);
	}
	return 3;
}
__attribute__((weak)) int hook(int n) { return n + HOOK; }
inline APART void both() { input += times(input) + BOTH; }
#ifdef OTHER
int other_times(int n) { return times(n) + 1; }
int other_adds(int n) { return adds(n) + 1; }
int other_texts() { return texts() + 1; }
int other_catches() { return catches() + 1; }
int other_hook(int n) { return hook(n) + 1; }
int other_both() { both(); return 1; }
#elif defined(THIRD)
int third(int n)
{
	both();
	return times(n) + adds(n) + texts() + catches() + THIRD;
}
#else
void f_times() { input = times(input) + other_times(1); }
void f_adds() { input = adds(input) + other_adds(1); }
void f_texts() { input = texts() + other_texts(); }
void f_catches() { input = catches() + other_catches(); }
void f_hook() { input = hook(input) + other_hook(1); }
void f_alone() { input = times(input); }
void f_both() { both(); }
#endif
#ifdef STARTS
__attribute__((constructor)) static void starts() { input = 4; }
#endif
C
# members NAME OF_THE_FIRST OF_THE_SECOND OF_THE_THIRD: an archive, with options of its members.
members() {
	name=$1
	shift
	rm -f "$name"
	for own in "" -DOTHER=1 -DTHIRD=1; do
		object=$compiler$own$1.o
		# shellcheck disable=SC2086 # options
		[ -f "$object" ] || compile a.cc "$object" $own $1 || return 1
		ar rcs "$name" "$object"
		shift
	done
}
# copies WORD FUNCTION OF_THE_FIRST OF_THE_SECOND OF_THE_THIRD: what is said of a function of two
# archives that differ in what no function reaches.
copies() {
	word=$1 function=$2
	shift 2
	members old.a "$@" && members new.a "$1" "$2" "$3 -UTHIRD -DTHIRD=2" &&
		archives_say "$word" "$function"
}
archives_say() {
	said=$("$compared" old.a new.a "_Z${#2}$2v")
	[ "$said" = "$1" ] || { echo "# $2: $said"; return 1; }
}
all_copies() {
	for function in f_times f_texts f_alone both; do
		ok "$kind: copies are equal: $function" copies unchanged $function "" "" ""
	done
	members new.a -DMADE=6 -DMADE=6 -DMADE=6
	ok "$kind: all copies have changed" eval 'archives_say changed f_times &&
		archives_say changed both && archives_say unchanged f_texts'
	ok "$kind: one copy is another" copies changed f_times "" -DMADE=6 ""
	ok "$kind: one copy is another: others" archives_say unchanged f_texts
	ok "$kind: a copy of a member that is not linked" copies unchanged f_times "" "" -DMADE=6
	ok "$kind: a function, one copy is another" copies changed both "" -DBOTH=3 ""
	ok "$kind: one copy has another alignment" copies changed f_times "" \
		"-DALIGNED=__attribute__((aligned(128)))" ""
	ok "$kind: one copy has another variable" copies changed f_texts "" -DVALUE=2 ""
	ok "$kind: one copy has another string" copies changed f_texts "" -DTEXT='"any"' ""
	ok "$kind: copies have static variables" copies changed f_adds -DLOCAL=local \
		-DLOCAL=local -DLOCAL=local
	ok "$kind: a weak function that is no copy" copies changed f_hook "" "" ""
	members old.a "" "" "" && members new.a "" "" -DSTARTS
	ok "$kind: a constructor of a member that is not linked" archives_say unchanged both
	members new.a -DSTARTS "" ""
	ok "$kind: a constructor of the first member" archives_say changed both
	# In tables of clang, what is caught is a static variable.
	if [ "$compiler" = gcc ]; then
		ok "$kind: equal copies catch exceptions" copies unchanged f_catches "" "" ""
	fi
	ok "$kind: one copy catches another exception" copies changed f_catches "" -DTYPE=second ""
}
form= flags="$flags -std=c++17"
for compiler in gcc clang; do
	kind="$compiler, C++"
	if compile a.cc a.o >none; then
		all_copies
	else
		skip "$kind" "there is no compiler"
	fi
done
compiler=$CC flags=${flags% *}

# The tool.
echo 'int outside(int n) { return n; } int length(const char *s) { return s[3]; }' >outside.c
sed 's/n ^ 5;/n ^ 6;/' base.c >new.c
compile base.c old.o && compile base.c copy.o -g && compile new.c new.o
run -t 60 --gate 3% --with outside.c --only f --only jumps old.o copy.o
is "a gate of unchanged functions passes" "$status" 0
ok "it says so" has "Unchanged: 2 \(f, jumps\)"
ok "it says the answer" has "Gate of 3 %: passed\."
run -t 1 --with outside.c --only f --only jumps old.o new.o
ok "only what has changed is measured" has ".*Unchanged: 1 \(jumps\)\..*"
ok "the other is measured" has "new\.o:f .*"
ok "and no other" eval '! has "new\.o:jumps .*"'
run -t 60 --with outside.c old.o:f copy.o:f
ok "two functions by their names" eval '[ "$status" = 0 ] && has "f is unchanged: .*"'
run -t 60 --sizes 16,32 --gate 1 --with outside.c old.o:twin1 copy.o:twin1
is "a gate of sizes passes" "$status" 0
ok "sizes: in one line" has "Unchanged: 2 \(copy\.o:twin1 \(size 16\), copy\.o:twin1 .*"
run -t 1 --with outside.c old.o:f copy.o:jumps
ok "other names are measured" eval '! has ".* is unchanged: .*"'
cp base.c copy.c
run -t 60 base.c:jumps copy.c:jumps
ok "source texts" has "jumps is unchanged: .*"
run -t 60 --csv base.c:jumps copy.c:jumps
ok "CSV" eval 'grep -q "^copy.c:jumps,.*,unchanged$" out'
run -t 1 --measure-unchanged --with outside.c base.c:jumps copy.c:jumps
ok "--measure-unchanged" eval '! has ".* is unchanged: .*" && has "copy\.c:jumps .*"'
for option in --no-compare --raw=raw --layouts=layouts; do
	run -t 1 "$option" --with outside.c base.c:jumps copy.c:jumps
	ok "$option asks for figures" eval '! has ".* is unchanged: .*" && has "copy\.c:jumps .*"'
done
echo 'int v; void f(unsigned long n) { v += (int)n; }' >sized.c && cp sized.c copied.c
run -t 1 --sizes 16,32 sized.c:f copied.c:f
ok "sizes that are not compared" eval '! has ".*unchanged.*" && has " *32 .*"'
run -t 1 --measure-unchanged --with outside.c --only jumps old.o copy.o
ok "--measure-unchanged of two files" eval '! has ".*Unchanged: .*" && has "copy\.o:jumps .*"'
# A file of --with that defines a name of the measured file may be linked with each side.
echo 'extern int shared(int); int outside(int n) { return shared(n); }' >clash.c
echo 'int length(const char *s) { return s[3]; }' >>clash.c
run -t 1 --with clash.c --only f old.o copy.o
ok "a file of --with that needs them: measured" eval '! has ".*Unchanged: .*"'
if [ "$has_json" ]; then
	run -t 60 --json old.o:jumps copy.o:jumps
	is "JSON" "$(grep -c '"state": "unchanged"' out)" 2
fi
ok "nothing is left" nothing_left
