#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Functions of objects, archives and source texts, linked anew with the system's compiler and linker
# (utils/measure/link). Each kind of file that works, and the message for each that does not.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/inside.sh"

linked=$top_builddir/tests/utils/linked
[ -x "$linked" ] || skip_all "cpucycles-measure is not built"
grep -q '^#define HAVE_ELF_H' "$top_builddir/config.h" || skip_all "this system has no ELF"
command -v objcopy >/dev/null || skip_all "objcopy is not installed"
# Objects that wait for link-time optimisation cannot be placed.
flags="$CFLAGS -fno-lto"
harness=$scratch/harness.o
# As in an installation, it lies next to the harness.
[ ! -x "$top_builddir/utils/measure-prototype" ] ||
	ln -s "$(cd "$top_builddir/utils" && pwd)/measure-prototype" "$scratch"
# object OUTPUT OPTION...: compile, as one object.
object() {
	output=$1
	shift
	# shellcheck disable=SC2086 # options
	$CC $flags -O1 -c -o "$output" "$@" >"$scratch/compiler" 2>&1
}
object "$harness" "$top_srcdir/tests/utils/link-harness.c" ||
	skip_all "no objects here: $(head -n 1 "$scratch/compiler")"
ulimit -c 0

# What is linked lies here. The names have what a shell or a script of a linker could misread.
work="$scratch/a \"folder\" of 'mine', \$x"
# shellcheck disable=SC2089 # the quotation mark is part of the name
TMPDIR="$scratch/temporary *, \"\\ files"
# shellcheck disable=SC2090
export TMPDIR
mkdir "$work" "$TMPDIR"
cd "$work" || exit 99

# run ARGUMENT...: $cc is the compiler.
cc=$CC
run() { CC=$cc capture "$linked" -f "$flags" "$@"; }
# has LINE: the output has this line.
has() {
	grep -q -x -E -e "$1" "$scratch/out" && return
	sed 's/^/# out: /' "$scratch/out" "$scratch/err"
	return 1
}
# says PATTERN: the only line of this program on standard error.
says() {
	grep '^linked: ' "$scratch/err" | grep -q -x -E -e "linked: $1" && return
	sed 's/^/# err: /' "$scratch/err"
	return 1
}
# shown PATTERN: a line of a tool on standard error.
shown() {
	grep -q -E -e "$1" "$scratch/err" && return
	sed 's/^/# err: /' "$scratch/err"
	return 1
}
# refused NAME PATTERN ARGUMENT...: it cannot be linked, and the message says why.
refused() {
	about=$1 pattern=$2
	shift 2
	run "$harness" "$@"
	is "$about: it fails" "$status" 1
	ok "$about: it says so" says "$pattern"
}
# place I: where function I lies, as the program says.
place() { sed -n "s/^$1 at \([0-9]*\) .*/\1/p" "$scratch/out"; }
# left: what is left in the folder for temporary files.
left() { ls -A "$TMPDIR"; }

# Two revisions of one source: the same names, also of what is not static, and of main.
revision() {
	cat <<-END
		#include <stdio.h>
		#include <stddef.h>
		int count, table[100] = { $1 };
		_Thread_local int of_thread = $1;
		static int constructed;
		size_t f_bytes = 10$1;
		void helper(void);
		void f(void);
		void f(void)
		{
			helper();
			printf("revision $1: count %d, thread %d, constructed %d, table %d\n",
				++count, of_thread++, constructed, table[0]);
		}
		void g(void);
		void g(void) { f(); }
		void helper(void) { printf("helper $1\n"); }
		void f_setup(void) { printf("setup $1\n"); }
		void f_before(void) { }
		__attribute__((constructor)) static void begin(void) { constructed += $1; }
		int main(void) { return 77; }
	END
}
revision 1 >old.c
revision 2 >new.c

# Source texts.
run "$harness" old.c:f new.c:f
is "two source texts" "$status" 0
ok "source texts are linked" has "old.c is linked"
ok "the first has its own setup and bytes" has "0 at [0-9]* 1 1 101"
ok "the first has its own names" has "revision 1: count 1, thread 1, constructed 1, table 1"
ok "the second has its own setup and bytes" has "1 at [0-9]* 1 1 102"
ok "the second has its own names" has "revision 2: count 1, thread 2, constructed 2, table 2"
ok "each calls its own functions" has "helper 1"
ok "each calls its own functions, the second, too" has "helper 2"
is "it says nothing else" "$(cat "$scratch/err")" ""
is "nothing is left" "$(left)" ""
run "$harness" old.c:f old.c:f old.c:g
is "one source text three times" "$status" 0
is "each time with data of its own" "$(grep -c 'count 1, thread 1' "$scratch/out")" 3

# Places. A function that its section does not begin with keeps its place between two multiples of
# the section's alignment.
ok "objects compile" object old.o -ffunction-sections old.c
ok "objects compile, the second, too" object new.o new.c
run "$harness" old.o:f new.o:f
is "two objects" "$status" 0
first=$(place 0) second=$(place 1)
for try in "0 16" "48 0" "4112 32" "4080 4144"; do
	# shellcheck disable=SC2086 # two words
	set -- $try
	run -p "$1" -p "$2" "$harness" old.o:f new.o:f
	is "at $1 and $2" "$(place 0) $(place 1)" \
		"$(((first + $1) % 4096)) $(((second + $2) % 4096))"
	run -p "$1" -p "$2" -o 1 -o 0 -d 160 "$harness" old.o:f new.o:f
	is "at $1 and $2 in another order" "$(place 0) $(place 1)" \
		"$(((first + $1) % 4096)) $(((second + $2) % 4096))"
done
run -p 48 -o 0 "$harness" old.o:f new.o:f
is "a side is left out" "$status $(place 0) $(place 1)" "0 $(((first + 48) % 4096)) "
ok "with its constructors" has "revision 1: .* constructed 1, .*"

# Copies: those of the first function have even numbers here, and those of the second have odd ones.
# places: those of all functions, by the distance from where a place of 0 puts them.
places() {
	awk -v first="$first" -v second="$second" '/ at / {
		printf "%s%d", begun++ ? " " : "", ($3 - ($1 % 2 ? second : first) + 4096) % 4096
	}' "$scratch/out"
}
run -c 4 -p 0 -p 16 -p 32 -p 48 -p 64 -p 80 -p 96 -p 4080 "$harness" old.o:f new.o:f
is "four copies of two functions" "$status $(grep copies "$scratch/out")" "0 copies 4"
is "each at its place" "$(places)" "0 16 32 48 64 80 96 4080"
for i in 1 2; do
	is "each copy of revision $i has data and constructors of its own" "$(grep -c \
		"revision $i: count 1, thread $i, constructed $i, table $i" "$scratch/out")" 4
done
run -c 4 -m 3 -p 0 -p 16 -p 32 -p 48 -p 64 -p 80 -p 96 -p 4080 "$harness" old.o:f new.o:f
is "fewer copies than there are" "$status $(places)" "0 0 16 32 48 64 80"
echo 'char table[1 << 20] = { 1 }; void f(void); void f(void) { table[0]++; }' >large.c
run -c 4 -p 16 "$harness" large.c:f
is "no copies of a large object" "$status $(grep copies "$scratch/out")" "0 copies 1"
# The function itself lies at its place, and not the code of its file; what it calls lies behind a
# gap. Equal functions of one file had different times when the code before them decided.
cat >behind.c <<'END'
#include <stdint.h>
#include <stdio.h>
static volatile int kept;
void before(void);
void before(void) { kept = kept + 1; }
void helper(void);
__attribute__((noinline)) void helper(void) { kept = kept - 1; }
void f(void);
void f(void)
{
	helper();
	printf("helper at %lu\n", (unsigned long)((uintptr_t)helper % 4096));
}
END
ok "code that is not aligned compiles" object behind.o -ffunction-sections -falign-functions=1 \
	behind.c
for try in 16 32 4080; do
	run -p $try "$harness" behind.o:f
	is "behind other code, at $try" "$(place 0)" "$try"
done
helper_at() { sed -n 's/^helper at //p' "$scratch/out" | head -n 1; }
run -p 16 -g 64 "$harness" behind.o:f
helper=$(helper_at)
run -p 16 -g 192 "$harness" behind.o:f
is "the gap behind its section" "$(($(helper_at) - helper)) $(place 0)" "128 16"
cat >aligned.c <<'END'
void f(void);
__attribute__((aligned(64))) void f(void) { }
END
run "$harness" aligned.c:f
ok "the alignment of code" has "alignment 64"
cat >data.c <<'END'
#include <stdio.h>
#include <stdint.h>
int variable = 1;
void f(void);
void f(void) { printf("variable at %d\n", (int)((uintptr_t)&variable % 4096)); }
END
run "$harness" data.c:f
before=$(sed -n 's/^variable at //p' "$scratch/out")
run -d 192 "$harness" data.c:f
ok "data moves" has "variable at $(((before + 192) % 4096))"

# Archives: what the function needs is linked, and no more.
cat >needed.c <<'END'
#include <stdio.h>
void needed(void);
void needed(void) { printf("needed\n"); }
END
cat >member.c <<'END'
void needed(void);
void h(void);
void h(void) { needed(); }
END
cat >stranger.c <<'END'
void nobody_has_this(void);
void stranger(void);
void stranger(void) { nobody_has_this(); }
static void hidden(void) { }
void (*pointer)(void) = hidden;
END
for name in needed member stranger; do object $name.o $name.c; done
ar rcs lib.a stranger.o member.o needed.o
ar rcsT thin.a stranger.o member.o needed.o 2>/dev/null
run "$harness" lib.a:h lib.a:h
is "an archive" "$status" 0
is "its members call each other" "$(grep -c '^needed$' "$scratch/out")" 2
if [ "$(head -c 7 thin.a)" = '!<thin>' ]; then
	run "$harness" thin.a:h
	is "a thin archive" "$status" 0
	refused "a thin archive without the function" "0: there is no function stranges in .*" \
		thin.a:stranges
else
	skip "a thin archive" "ar makes none"
fi
refused "an archive without the function" \
	"0: there is no function strange in lib.a; it has stranger" lib.a:strange
refused "an archive with a static function" \
	"0: there is no function hidden in lib.a; it is static there: .*" lib.a:hidden
refused "a member that needs more" "0: lib.a needs nobody_has_this, which none of the files has; \
give the file or the library that has it: --with FILE, or --with -lNAME" lib.a:stranger
refused "a name that another side has" \
	"1: member.o needs needed of needed.o, but files that are measured share nothing; \
link it for all of them: --with needed.o" needed.o:needed member.o:h
run -w needed.o "$harness" needed.o:needed member.o:h
is "a name that another side has: --with helps" "$status" 0
rm -f index.a
ar rcS index.a member.o needed.o
ar s index.a
run "$harness" index.a:h
is "an archive with an index" "$status" 0
rm -f index.a
ar rcS index.a member.o needed.o
refused "an archive without an index" "0: the archive index.a has no index; make it: \
ranlib index.a" index.a:h
echo 'void nobody_has_this(void); void nobody_has_this(void) { }' >with.c
object with.o with.c
long=nobody_has_this_$(printf '%064d' 0)
echo "void $long(void); void f(void); void f(void) { $long(); }" >long.c
refused "a long name" "0: long.c needs nobody_has_this_0{64}, which none of .*" long.c:f
refused "a long name of a function" "0: there is no function nobody_has_this_0{64} in .*" \
	"long.c:$long"
# Names as compilers call them by themselves, and their libraries, which lack these names.
for origin in "_ZNKSt3__14noneEv -lc++ C\+\+ with libc\+\+" \
	"__cxa_none -lstdc++ C\+\+" "_gfortran_none -lgfortran Fortran" \
	"GOMP_none -lgomp OpenMP" "__gcov_none -lgcov gcov" \
	"__asan_none -lasan AddressSanitizer"; do
	name=${origin%% *} origin=${origin#* }
	library=${origin%% *}
	echo "void $name(void); void f(void); void f(void) { $name(); }" >origin.c
	refused "$name" "0: origin.c needs $name, which none of the files has; it is ${origin#* }: \
--with $(echo "$library" | sed 's/+/\\+/g')" origin.c:f
done
ar rcs libstdc++.a
echo "void _ZNSt4none(void); void f(void); void f(void) { _ZNSt4none(); }" >origin.c
run -w -L. -w -lstdc++ "$harness" origin.c:f
ok "a remedy is not repeated" says "0: origin.c needs _ZNSt4none, which none of the files has; \
give the file or the library that has it: .*"
rm -f libstdc++.a
cat >origin.c <<'END'
void __cxa_none(void); void _ZNSt3__14noneEv(void);
void f(void);
void f(void) { __cxa_none(); _ZNSt3__14noneEv(); }
END
refused "the library that has all of them" "0: origin.c needs _ZNSt3__1.* --with -lc\+\+" origin.c:f
run -w with.o "$harness" lib.a:stranger
is "--with an object" "$status" 0
run -w with.c "$harness" lib.a:stranger
is "--with a source text" "$status" 0
refused "the second needs more" "1: member.o needs needed, .*" old.o:f member.o:h
run -w lib.a "$harness" member.o:h
is "--with an archive" "$status" 0
# finds_library: a program finds libwith.so in this folder. The loader of musl takes the "$" in the
# folder's name for a variable that it does not know.
finds_library() {
	cat >finds.c <<-END
		void nobody_has_this(void);
		int main(void) { nobody_has_this(); return 0; }
	END
	# shellcheck disable=SC2086 # options
	$CC $CFLAGS finds.c -o finds libwith.so -Xlinker -rpath -Xlinker "$PWD" && ./finds
}
# shellcheck disable=SC2086 # options
if ! $CC $CFLAGS -shared -fPIC -Wl,-soname,libwith.so -o libwith.so with.c 2>/dev/null; then
	skip "--with a shared object" "none can be made"
elif ! finds_library 2>/dev/null; then
	skip "--with a shared object" "the loader does not look into a folder of this name"
else
	run -w libwith.so "$harness" lib.a:stranger
	is "--with a shared object" "$status" 0
	# shellcheck disable=SC2086 # options
	$CC $CFLAGS -shared -fPIC -Wl,-soname,libwith.so.9 -o libwith.so with.c
	run -w libwith.so "$harness" lib.a:stranger
	ok "--with a shared object of another name than its file's" has "status 0"
	run -w -L. -w -lwith "$harness" lib.a:stranger
	ok "--with a shared object in a folder" has "status 0"
fi
cat >sine.c <<'END'
#include <math.h>
volatile double x = 0.5;
void f(void);
void f(void) { x = cos(x); }
END
run -w -lm "$harness" sine.c:f
is "--with a library" "$status" 0
# A function beside the one that is measured needs what is not there.
cat >part.c <<'END'
void absent(void);
void other(void);
void other(void) { absent(); }
void f(void);
void f(void) { }
END
run "$harness" part.c:f
is "what nobody calls may need more" "$status" 0
run -f "$flags -O0 -fno-function-sections" "$harness" part.c:f
ok "unless it lies in one section with the rest" says "0: part.c needs absent, which .*"
# A thousand functions.
i=0
while [ $i -lt 1000 ]; do
	echo "void f$i(void); void f$i(void) { }"
	i=$((i + 1))
done >thousand.c
object thousand.o -ffunction-sections thousand.c
rm -f thousand.a
ar rcs thousand.a thousand.o
run "$harness" thousand.a:f0 thousand.a:f999
is "a thousand functions" "$status" 0

# Sections of other names, common variables, assembler.
cat >rich.c <<'END'
#include <stdio.h>
int common;
__attribute__((section(".code.own"))) void own(void);
void own(void) { printf("own\n"); }
__attribute__((section("named"))) void f(void);
extern char __start_named[] __attribute__((weak));
void f(void) { own(); printf("common %d, named %d\n", ++common, __start_named != 0); }
END
run -f "$flags -fcommon" "$harness" rich.c:f rich.c:f rich.c:own
is "other sections" "$status" 0
is "each has common variables of its own" "$(grep -c '^common 1, named 1' "$scratch/out")" 2
own=$(place 2)
named=$(place 0)
run -f "$flags -fcommon" -p 48 -p 0 -p 32 "$harness" rich.c:f rich.c:f rich.c:own
is "so does code in a section whose name is one of C" "$(place 0)" "$(((named + 48) % 4096))"
is "code in a section of its own moves, too" "$(place 2)" "$(((own + 32) % 4096))"
# Sections that a linker keeps once.
for side in 1 2; do
	cat >once$side.c <<-END
		#include <stdio.h>
		__attribute__((section(".gnu.linkonce.t.f"))) void f(void);
		void f(void) { printf("once $side\\n"); }
	END
done
run -p 0 -p 48 "$harness" once1.c:f once2.c:f
ok "sections that are kept once: the first side's" has "once 1"
ok "sections that are kept once: the second side's" has "once 2"
is "sections that are kept once: they move" "$(place 1)" "$((($(place 0) + 48) % 4096))"
# What a linker puts around the sections of a name.
for side in 1 2; do
	cat >set$side.c <<-END
		#include <stdio.h>
		extern const int __start_numbers[], __stop_numbers[];
		__attribute__((section("numbers"), used)) static const int number = $side;
		void f(void);
		void f(void)
		{
			printf("set $side: %d of %d\n", (int)(__stop_numbers - __start_numbers),
			       __start_numbers[0]);
		}
	END
done
run "$harness" set1.c:f set2.c:f
ok "sections that are walked are each side's own" has "set 1: 1 of 1"
ok "sections that are walked are each side's own, the second, too" has "set 2: 1 of 2"
printf 'int f(void) { return nothing; }\033[31m\n' >bad.c
refused "a source that does not compile" \
	"0: bad.c does not compile: .* says why above; options for the compiler: .*" bad.c:f
ok "the compiler's lines are shown" shown "bad\.c:1:.*nothing"
is "without control characters" "$(tr -d '\n\t[:print:]' <"$scratch/err" | wc -c | tr -d ' ')" 0
echo 'int f(void) { return 1; }' >good.c
path=$PATH
unset PATH
run "$harness" good.c:f
PATH=$path
export PATH
is "without PATH, the compiler finds its parts" "$status $(cat "$scratch/err")" "0 "

# Assembler: functions that have no type, as people write them.
# shellcheck disable=SC2086 # options
$CC $flags -O1 -S -o typed.s data.c && sed '/\.type/d; /\.size/d' typed.s >plain.s
run "$harness" plain.s:f
is "assembler" "$status" 0
ok "assembler: it runs" has "variable at .*"

# What else a compiler compiles, by the end of the name.
# shellcheck disable=SC2086 # options
$CC $flags -E data.c -o data.i
run "$harness" data.i:f
is "preprocessed C" "$status" 0
printf 'subroutine f() bind(c)\nend subroutine\n' >f.f90
cp f.f90 f.F90
for file in f.f90 f.F90; do
	if $CC -c $file -o fortran.o 2>/dev/null && [ -e fortran.o ]; then
		run "$harness" $file:f
		is "Fortran, $file" "$status" 0
	else
		skip "Fortran, $file" "the compiler has no Fortran"
	fi
	rm -f fortran.o
done
cat >"$scratch/driver" <<END
#!/bin/sh
case " \$* " in
*.f90\ *) echo "no Fortran" >&2; exit 1 ;;
*.ll\ *) echo "a warning: nothing is made" >&2; exit ;;
esac
exec $CC "\$@"
END
chmod +x "$scratch/driver"
cc=$scratch/driver
: >f.ll
refused "a driver without Fortran" "0: f.f90 is not compiled here: .* says why above; make an \
object, and give that: gfortran -O2 -c f.f90" f.f90:f
refused "a driver that makes nothing" "0: f.ll is not compiled here: .* says why above; make an \
object, and give that: clang -O2 -c f.ll" f.ll:f
ok "a driver that makes nothing: its words" shown "nothing is made"
cc=$CC
printf 'global f\nf: ret\n' >f.asm
refused "another assembler's text" "0: f.asm is not compiled here: .*: nasm -f elf64 f.asm" f.asm:f
run -w f.asm "$harness" old.o:f
ok "another assembler's text, --with" says "1: f.asm is not compiled here: .*"

# Names that a measured file and a file of --with both have. A program of the same files in the same
# order says which definition counts.
echo 'void f(void); int main(void) { f(); return 0; }' >main.c
object main.o main.c
cat >names.h <<'END'
#include <stdio.h>
#define WEAK __attribute__((weak))
#define SHOW(x) printf("f: %d\n", x)
#define VERSION(name, version) __asm__(".symver " #name "," #version)
static inline int own(void) { static int x; return ++x; }
#ifdef __cplusplus
extern "C" {
#endif
int rounds(void), ask(void), one(void), two(void);
void change(void), f(void), f_setup(void), f_before(void);
#ifdef __cplusplus
}
#endif
END
# make_program FUNCTION WITH OPTION...: the code of function.c and of with.c. $give is what the
# program gets of the second one, and $ending that of both names.
ending=c give=with.o
make_program() {
	{ cat names.h; echo "$1"; } >function.$ending
	{ cat names.h; echo "$2"; } >with.$ending
	shift 2
	rm -f with.a libwith.* program
	# shellcheck disable=SC2086 # options and files
	object function.o "$@" function.$ending && object with.o "$@" with.$ending &&
		ar rcs with.a with.o && cp with.a libwith.a &&
		$CC $flags main.o function.o $give -o program >"$scratch/compiler" 2>&1
}
# as_program ABOUT FUNCTION WITH OPTION...: the measured function does as in that program.
as_program() {
	about=$1
	shift
	if ! make_program "$@"; then
		skip "$about" "no program can be made: $(tail -n 1 "$scratch/compiler")"
		return
	fi
	./program >"$scratch/once"
	# shellcheck disable=SC2046,SC2086 # words
	run $(printf -- '-w %s ' $give) "$harness" function.o:f function.o:f
	is "$about: as in a program" \
		"$(sed -n '/^f: /p; /^linked: /p' "$scratch/out" "$scratch/err")" \
		"$(cat "$scratch/once" "$scratch/once")"
}
weak='WEAK int rounds(void) { return 1; } void f(void) { SHOW(rounds()); }'
strong='int rounds(void) { return 2; }'
as_program "a weak function" "$weak" "$strong"
as_program "a weak function, in one section with the rest" "$weak" "$strong" \
	-O0 -fno-function-sections
as_program "a weak function, hidden" "$weak" "$strong" -fvisibility=hidden
as_program "a weak function, compiled for a library" "$weak" "$strong" -fPIC
as_program "the measured function is weak" 'WEAK void f(void) { SHOW(1); }' \
	'void f(void) { SHOW(2); }' -ffunction-sections
as_program "a weak function, and one that is chosen at the start" "$weak" \
	'static int chosen(void) { return 2; }
	static __typeof__(chosen) *choose(void) { return chosen; }
	int rounds(void) __attribute__((ifunc("choose")));'
give=with.a
as_program "a weak function, and an archive" "$weak" "$strong"
as_program "a weak function, and an archive that is needed" \
	"$weak int of_ask(void) { return ask(); }" "$strong int ask(void) { return 3; }"
give="-L. -lwith"
as_program "a weak function, and an archive by its library's name" \
	"$weak int of_ask(void) { return ask(); }" "$strong int ask(void) { return 3; }"
give=with.o
asks='void f(void) { SHOW(ask()); }'
as_program "a weak function in --with" "$strong $asks" \
	'WEAK int rounds(void) { return 1; } int ask(void) { return rounds(); }'
as_program "weak functions in both" "WEAK $strong $asks" \
	'WEAK int rounds(void) { return 1; } int ask(void) { return rounds(); }'
as_program "a weak need in --with" "$strong $asks" \
	'WEAK int rounds(void); int ask(void) { return rounds ? rounds() : -1; }'
as_program "a need in --with" "$strong $asks" 'int ask(void) { return rounds(); }'
give=with.a
as_program "a need in an archive of --with" "$strong $asks" 'int ask(void) { return rounds(); }'
give=with.o
changes='void f(void) { change(); SHOW(x); }'
as_program "a weak variable" "WEAK int x = 1; $changes" 'int x = 2; void change(void) { x += 4; }'
as_program "a common variable" "int x; $changes" 'int x = 2; void change(void) { x += 4; }' -fcommon
as_program "a common variable in --with" "int x = 2; $changes" \
	'int x; void change(void) { x += 4; }' -fcommon
as_program "common variables" "int x; $changes" 'int x; void change(void) { x += 4; }' -fcommon
as_program "a common variable, and a weak one" "int x; $changes" \
	'WEAK int x = 2; void change(void) { x += 4; }' -fcommon
as_program "common variables of two lengths" \
	'int x[2]; void f(void) { change(); SHOW(x[1] + x[0]); }' \
	'int x[99]; void change(void) { x[98] = 1; x[1] = 2; x[0] = 3; }' -fcommon
as_program "a static function" 'void f(void) { change(); SHOW(own()); }' \
	'void change(void) { own(); }'
as_program "a variable of each thread" "WEAK _Thread_local int x = 1; $changes" \
	'_Thread_local int x = 2; void change(void) { x += 4; }'

# A section has parts of all files in a program.
reg='__attribute__((section("reg"), used))'
asks_section='extern int __start_reg[], __stop_reg[];'
as_program "a section's borders" "static int mine $reg; $asks_section
	void f(void) { SHOW((int)(__stop_reg - __start_reg)); }" "static int yours[2] $reg;"
as_program "a section's borders, in both" "int total(void); static int mine $reg; $asks_section
	void f(void) { SHOW((int)(__stop_reg - __start_reg) + 10 * total()); }" \
	"static int yours[2] $reg; $asks_section
	int total(void) { return (int)(__stop_reg - __start_reg); }"

# What does not yield is refused, as a linker refuses it.
double="function.o and with.o both define rounds, so no program can have both; leave one out, or \
put it into an archive, of which a linker takes what is missing: ar rcs FILE.a FILE.o"
make_program "$strong $asks" "$strong int ask(void) { return 1; }"
ok "two definitions: no program can be made" [ ! -e program ]
run -w with.o "$harness" old.o:f function.o:f
ok "two definitions: it says so" says "1: $double"
make_program "WEAK _Thread_local int x = 1; $changes" 'int x = 2; void change(void) { x += 4; }'
ok "a variable of each thread and an ordinary one: no program can be made" [ ! -e program ]
run -w with.o "$harness" old.o:f function.o:f
ok "a variable of each thread and an ordinary one: the linker says why" \
	says "1: .* refuses function.o, and says why above; .*"
make_program "$strong $asks" "$strong int ask(void) { return 1; }"
run -w with.a -w needed.o "$harness" needed.o:needed old.o:f
is "a file that is measured, too, is no second definition" "$status" 0

# Symbol versions: rounds@@V_2 is rounds, and rounds@V_1 is not.
versions='int one(void) { return 1; } VERSION(one, rounds@V_1);
	int two(void) { return 2; } VERSION(two, rounds@@V_2);'
as_program "versions" "$versions void f(void) { SHOW(rounds()); }" ''
as_program "versions of --with" 'void f(void) { SHOW(rounds()); }' "$versions"
as_program "versions, and a weak function" "$weak" "$versions"
as_program "a version of a function" \
	'void two_f(void) { SHOW(2); } VERSION(two_f, f@@V_2);
	void one_f(void) { SHOW(1); } VERSION(one_f, f@V_1);' ''
give=with.a
as_program "versions in an archive of --with" 'void f(void) { SHOW(rounds()); }' "$versions"
give=with.o
make_program 'void old_f(void) { } VERSION(old_f, f@V_1);
	void new_f(void) { SHOW(2); } VERSION(new_f, f@@V_2);
	void new_setup(void) { SHOW(3); } VERSION(new_setup, f_setup@@V_2);
	void new_before(void) { } VERSION(new_before, f_before@@V_2);
	void old_bare(void) { } VERSION(old_bare, bare@V_1);' ''
rm -f versions.a
ar rcs versions.a with.o function.o
for file in function.o versions.a; do
	run "$harness" $file:f
	ok "$file with versions: the setup, and what is called before" has "0 at [0-9]* 1 1 0"
	is "$file with versions: it runs" "$(grep '^f: ' "$scratch/out" | tr '\n' ' ')" "f: 3 f: 2 "
	refused "$file with versions: one that is for old programs" \
		"0: there is no function bare in $file; it has (old_bare|.*, old_bare)" $file:bare
done
make_program 'int rounds(void); VERSION(rounds, rounds@V_0);
	void f(void) { SHOW(rounds()); }' ''
refused "a version that is not there" "1: function.o needs rounds, which none .*" \
	old.o:f function.o:f

# C++: inline functions and templates, which a linker would keep once.
# has_cxx: the compiler of C links what the one of C++ makes. It may be for another machine or for
# another C library.
has_cxx() {
	cat >empty.cc <<-END
		#include <string>
		int main(int n, char *words[]) { return std::string(words[0]).size() < (size_t)n; }
	END
	# shellcheck disable=SC2086 # options
	c++ $flags -c empty.cc && $CC $flags empty.o -o empty -lstdc++ && ./empty
}
if has_cxx >/dev/null 2>&1; then
	for side in 1 2; do
		cat >side$side.cc <<-END
			#include <cstdio>
			#include <string>
			#define ALONE __attribute__((noinline))
			ALONE inline int &shared() { static int x = $side; return x; }
			template <class T> ALONE T next(T n) { static T x; return x += n * $side; }
			extern "C" void f(void)
			{
				std::string text("side");
				text += std::to_string(next(1));
				printf("%s %d\n", text.c_str(), ++shared());
			}
			void mangled() { }
			void own_setup() { }
			extern "C" void own(void) { }
		END
	done
	run "$harness" side1.cc:f side2.cc:f
	is "two source texts of C++" "$status" 0
	ok "each has its own inline functions" has "side[12] 3"
	ok "each has its own templates" has "side2 .*"
	ok "each has its own templates, the first, too" has "side1 2"
	# shellcheck disable=SC2086 # options
	c++ $flags -O1 -c side1.cc
	run "$harness" side1.o:f
	is "C++ gets its library" "$status" 0
	run -w -lstdc++ "$harness" side1.o:f side2.cc:f
	is "C++ with a library that is given" "$status" 0
	run -w -lstdc++ "$harness" side1.o:_Z7mangledv
	is "a function of C++ by its own name" "$status" 0
	# Names of C++, as people write them
	cat >names.cc <<-'END'
		#define ALONE __attribute__((noinline, used))
		namespace ns {
		template <int N, class... T> ALONE void f() { }
		template void f<1>(); template void f<2>();
		template void f<3, unsigned long, char>();
		void over() { }
		void over(int) { }
		struct box { box(); static void open(); int look() const; int of; };
		box::box() : of(1) { }
		void box::open() { }
		int box::look() const { return of; }
		__attribute__((abi_tag("new"))) void tagged() { }
		void open_setup() { }
		void own() { }
		void own_setup() { }
		void apart() { }
		namespace { ALONE void hidden() { } }
		}
		void apart_setup() { }
	END
	run -w -lstdc++ "$harness" side1.o:mangled
	is "a function of C++ by the name in its source" "$status" 0
	# shellcheck disable=SC2086 # options
	c++ $flags -g0 -c names.cc && rm -f names.a && ar rc names.a names.o
	for name in "ns::f<1>" "ns::f<2>()" "ns::f<3,unsigned long, char>" "ns::over()" \
		"void ns::f<1>()" ns::box::open; do
		for file in names.cc names.o names.a; do
			run "$harness" "$file:$name"
			is "$file:$name" "$status" 0
		done
	done
	refused "several instances" "0: ns::f is one of: ns::f<1>\(\), ns::f<2>\(\), \
ns::f<3, unsigned long, char>\(\); expected one of these" names.cc:ns::f
	refused "several functions" "0: ns::over is one of: ns::over\(int\), ns::over\(\); .*" \
		names.cc:ns::over
	refused "a name without its scope" \
		"0: there is no .*; it has ns::over\(int\), ns::over\(\)" names.cc:over
	refused "an instance that is not there" \
		"0: there is no function ns::f<4> in names.cc; it has .*" "names.cc:ns::f<4>"
	refused "a function in an anonymous namespace" \
		"0: there is no .*; it is static there, or in an anonymous namespace: .*" \
		"names.cc:ns::(anonymous namespace)::hidden"
	for name in ns::box::box ns::box::~box "ns::box::operator<" "ns::box::operator int"; do
		refused "$name" "0: $name is a constructor, a destructor or an operator, which is \
not measured alone; measure a function that calls it" "names.o:$name"
	done
	run "$harness" "names.o:ns::tagged[abi:new]()"
	is "a tag has a colon" "$status" 0
	# Without debug information, the name tells the parameters.
	refused "parameters by a name" "0: it cannot be called as void over\(void\): it is \
ns::over\(int\); say with which sizes, .*" "names.o:ns::over(int)"
	refused "parameters by a mangled name" "0: it cannot .*: it is ns::over\(int\); .*" \
		names.o:_ZN2ns4overEi
	refused "a member by its name" "0: it cannot .*: it is ns::box::look\(\) const; .*" \
		names.o:ns::box::look
	refused "a name of nothing" \
		"0: there is no function ns::none in names.cc; expected one .*" names.cc:ns::none
	refused "a setup in the scope of the function" \
		"0: own_setup is a function of C\+\+ and would .*" names.cc:ns::own
	refused "a setup in no scope" \
		"0: apart_setup is a function of C\+\+ and would .*" names.cc:ns::apart
	# Of an archive, only the member counts that has the function; and any may have the setup.
	echo 'extern "C" void far(void) { } extern "C" void own_setup(void) { }' >far.cc
	echo 'void far_setup() { }' >other.cc
	# shellcheck disable=SC2086 # options
	c++ $flags -O1 -c far.cc other.cc && ar rc members.a far.o other.o side1.o
	run -w -lstdc++ "$harness" members.a:far
	is "another member has a setup of C++" "$status" 0
	run -w -lstdc++ "$harness" members.a:own
	is "another member has the setup of C, too" "$status" 0
	refused "its setup is one of C++" "0: own_setup is a function of C\+\+ and would .*" \
		side1.o:own
	# What a program has once is once, in each side.
	ending=cc give="with.o -lstdc++"
	once='inline int &count() { static int x; return x; }
		template <class T> struct S { static T x; static T next() { return ++x; } };
		template <class T> T S<T>::x;'
	as_program "C++: inline functions and templates" \
		"$once void f(void) { change(); SHOW(10 * ++count() + S<int>::next()); }" \
		"$once void change(void) { count() += 2; S<int>::next(); }"
	ending=c give=with.o
else
	skip "C++" "there is no compiler for this machine and C library"
fi

# What cannot be linked.
refused "no such file" "0: none.o cannot be read: .*" none.o:f
refused "no such source text" "0: none.c cannot be read: .*" none.c:f
refused "a folder" "0: folder.o cannot be read: .*" "$(mkdir -p folder.o && echo folder.o:f)"
refused "an empty file" "0: empty.o is no object file; .*" "$(: >empty.o; echo empty.o:f)"
refused "a text" "0: text.o is a text, not an object file; .*" "$(echo x >text.o; echo text.o:f)"
head -c 400 old.o >cut.o
refused "a cut file" "0: cut.o is damaged: it ends too early; compile it again" cut.o:f
rm -f fifo.o && mkfifo fifo.o
refused "a FIFO" "0: fifo.o cannot be read: it is no regular file; expected .*" fifo.o:f
run -w fifo.o "$harness" old.o:f
ok "--with a FIFO" says "1: fifo.o cannot be read: it is no regular file; .*"
run -w "" "$harness" old.o:f
ok "--with an empty name" says "1: --with names no file; .*"
for flag in -c -E -S -r -nostdlib; do
	run -f "$flags $flag" "$harness" old.c:f
	ok "$flag" says "1: with $flag, the compiler makes no program; leave it out of --cflags"
	cc="$CC $flag"
	run "$harness" old.o:f
	ok "$flag of the compiler" \
		says "1: with $flag, the compiler makes no program; leave it out of CC"
	cc=$CC
done
run -f "$flags -Xlinker -S" "$harness" old.c:f
is "-S for the linker" "$status" 0
(ulimit -f 1; run "$harness" old.c:f; echo "$status" >"$scratch/code") 2>/dev/null
ok "the limit of the size of files" \
	says "[01]: a file of .* got larger than this process may write; raise the limit, .*"
# With a limit that is lower yet, something else runs out of files.
for limit in 8 10 12 14 16; do
	(ulimit -n $limit; run "$harness" old.o:f)
	! grep -q "cannot link this" "$scratch/err" || break
done
if grep -q "Too many open files" "$scratch/err"; then
	ok "the limit of open files" says "1: .* cannot link this, and says why above; "
else
	skip "the limit of open files" "the linker does not run out of them"
fi
for option in --no-such-option --version; do
	run -f "$flags -Wl,$option" "$harness" old.o:f
	ok "$option for the linker" says "1: .* cannot link this, and says why above; "
done
cat >allocates.c <<'END'
#include <stdlib.h>
void *volatile memory;
void f(void);
void f(void) { memory = malloc(1); free(memory); }
END
run -f "$flags -Wl,--wrap=malloc" "$harness" allocates.c:f
ok "a name that no file needs" says "1: .* cannot link this, and says why above; "
ok "a name that no file needs: the linker's words" shown "__wrap_malloc"
# As if it were built for another C library.
echo 'void nobody_has_this(void); int main(void) { nobody_has_this(); }' >library.c
object library.o library.c
run library.o needed.o:needed
ok "another C library" says "1: cpucycles-measure needs nobody_has_this, which the C library of \
.* lacks; take a compiler for the C library .*"
refused "a variable" "0: count is a variable, not a function; .*" old.o:count
echo 'void part_longest(void) { } void a_part_lo(void) { } void part_lo(void) { }
void part_lon(void) { } int part_l_variable;' >parts.c
object parts.o parts.c
refused "a part of names: the shortest three are named" \
	"0: there is no function part_l in parts.o; it has part_lo, part_lon, a_part_lo" \
	parts.o:part_l
refused "no part of a name" "0: there is no function helpers in old.o; expected one .*" \
	old.o:helpers
refused "a static function" \
	"0: there is no function hidden in stranger.o; it is static there: .*" \
	stranger.o:hidden
# Letters that are not of ASCII: an o with two dots, in UTF-8.
umlaut=$(printf '\303\266')
echo "void gr${umlaut}sse(void) {}" >umlaut.c
if object umlaut.o umlaut.c; then
	ar rcs umlaut.a umlaut.o
	for kind in c o a; do
		run "$harness" "umlaut.$kind:gr${umlaut}sse"
		is "umlaut.$kind: such a letter in a name" "$status $(cat "$scratch/err")" "0 "
	done
else
	skip "a letter that is not of ASCII" "this compiler takes none in a name"
fi
refused "no name of C" "0: this is no name of a function in C; .*" "old.o:f=g"
refused "no name of C, either" "0: this is no name of a function in C; .*" "old.o:@f"
run -w none.o "$harness" old.o:f
ok "--with a file that is not there" says "1: none\.o cannot be read: .*; expected a file, .*"
run -w -lnone_of_this_name "$harness" old.o:f
ok "a library that is not there" says "1: .* cannot link this, and says why above; "
ok "a library that is not there: the linker's lines are shown" shown "none_of_this_name"
cp old.o foreign.o
# The machine's number in the head of an ELF file. 0xbeef is nobody's.
printf '\276\357' | dd of=foreign.o bs=1 seek=18 conv=notrunc 2>/dev/null
refused "for another machine" "0: foreign.o is for another machine than this program; .*" \
	foreign.o:f
rm -f foreign.a && ar rcS foreign.a foreign.o
refused "an archive for another machine" "0: foreign.a is for another machine .*" foreign.a:f
if object lto.o old.c -flto && grep -q "\.gnu\.lto_" lto.o; then
	rm -f lto.a
	ar rcs lto.a lto.o
	for file in lto.o lto.a; do
		refused "link-time optimisation: $file" \
			"0: $file was compiled with -flto, so it lacks the code that .*; .*" \
			$file:f
	done
	run -w lto.o "$harness" needed.o:needed
	ok "-flto, --with" \
		says "1: lto.o was compiled with -flto, so it lacks the code that a program .*"
	echo 'int help(void) { return 2; } int other(void) { return 3; }' >whole.c
	echo 'int other(void); __attribute__((weak)) int help(void) { return 1; }' >calls.c
	echo 'void calls(void) { help(); other(); }' >>calls.c
	object whole.o whole.c -flto -ffat-lto-objects && object calls.o calls.c && mkdir -p whole
	rm -f whole/libwhole.a && ar rcs whole/libwhole.a whole.o
	run -w -Lwhole -w -lwhole "$harness" calls.o:calls
	ok "-flto, a library by its name" \
		says "0: calls.o or a library of --with was compiled with -flto, so .*"
	rm -f lto.a
	ar rcs lto.a lto.o needed.o
	run "$harness" lto.a:needed
	is "link-time optimisation of another function" "$status" 0
else
	skip "link-time optimisation" "the compiler has none"
fi
if command -v clang >/dev/null && clang -flto -c -o bitcode.o old.c 2>/dev/null; then
	refused "bitcode" "0: bitcode.o was compiled with -flto, .*" bitcode.o:f
else
	skip "bitcode" "there is no clang that makes some"
fi
is "nothing is left of all that" "$(left)" ""

# Other compilers and linkers.
for linker in bfd gold lld mold; do
	if command -v ld.$linker >/dev/null && $CC -fuse-ld=$linker -o empty needed.c \
		-Wl,--defsym=main=needed 2>/dev/null; then
		run -f "$flags -fuse-ld=$linker" -p 16 -p 0 "$harness" old.c:f new.c:f
		is "with the linker $linker" "$status" 0
		ok "with the linker $linker: places" [ -n "$(place 0)" ]
		cc="$CC -fuse-ld=$linker"
		run -f "$flags -fcommon" "$harness" rich.c:f rich.c:f
		is "with a compiler that runs $linker" "$status" 0
		is "with a compiler that runs $linker: common variables" \
			"$(grep -c '^common 1, named 1' "$scratch/out")" 2
		cc=$CC
	else
		skip "with the linker $linker" "it is not installed"
	fi
done
# Linkers that refuse an option that GNU ld has, or do not obey one.
mkdir "$scratch/other"
if command -v ld.bfd >/dev/null; then
	for way in refuses ignores; do
		cat >"$scratch/other/ld" <<-END
			#!/bin/sh
			[ "\$1" != --version ] || { echo "other (compatible with GNU ld)"; exit; }
			[ $way = ignores ] || { echo "other: unknown option: -d" >&2; exit 1; }
			[ "\$1 \$2" != "-r -d" ] || { shift 2; set -- -r "\$@"; }
			exec ld.bfd "\$@"
		END
		chmod +x "$scratch/other/ld"
		cc="$CC -B$scratch/other"
		run -f "$flags -fcommon" "$harness" rich.c:f rich.c:f
		is "with a linker that $way options" "$status" 0
		is "with a linker that $way options: common variables" \
			"$(grep -c '^common 1, named 1' "$scratch/out")" 2
	done
	cc=$CC
else
	skip "with other linkers" "there is no ld.bfd to fall back to"
fi
# shellcheck disable=SC2086 # options
if [ "$(clang -dumpmachine 2>/dev/null | sed 's/-.*//')" = \
	"$($CC -dumpmachine 2>/dev/null | sed 's/-.*//')" ] &&
	clang $flags -o empty aligned.c -Wl,--defsym=main=f 2>/dev/null; then
	cc=clang
	run -p 16 -p 4112 "$harness" old.c:f new.c:f
	is "with clang" "$status" 0
else
	skip "with clang" "it is not installed"
fi
# A driver that does not say what it would do is run each time.
cat >"$scratch/driver" <<END
#!/bin/sh
for word; do [ "\$word" != '-###' ] || exit 1; done
exec $CC "\$@"
END
chmod +x "$scratch/driver"
cc=$scratch/driver
run -p 16 "$harness" old.o:f
is "with a driver that does not tell" "$status $(place 0)" "0 $(((first + 16) % 4096))"

# What the compiler gets: later flags win.
cat >"$scratch/driver" <<END
#!/bin/sh
echo "\$*" >>'$scratch/words'
exec $CC "\$@"
END
: >"$scratch/words"
run "$harness" old.c:f
ok "code is optimized unless the flags say something else" \
	grep -q -e "^-g -O2 -ffunction-sections $flags " "$scratch/words"

# A driver that has something to say, besides.
cat >"$scratch/driver" <<END
#!/bin/sh
echo "a note" >&2
exec $CC "\$@"
END
run -p 16 "$harness" old.o:f
is "with a driver that prints a note" "$status $(place 0)" "0 $(((first + 16) % 4096))"
# A driver that can link no copies.
cat >"$scratch/driver" <<END
#!/bin/sh
case " \$* " in *measured-1.o*) exit 1 ;; esac
exec $CC "\$@"
END
run -c 4 -p 16 "$harness" old.o:f
is "with a driver that can link no copies" "$status $(grep copies "$scratch/out") $(place 0)" \
	"0 copies 1 $(((first + 16) % 4096))"
is "with a driver that can link no copies: it says nothing" "$(cat "$scratch/err")" ""
# Flags that say what all files are.
cc=$CC
run -f "$flags -x c" "$harness" old.c:f
is "with a language" "$status" 0

# Without tools.
cc=/nonexistent/cc
run "$harness" old.o:f
ok "no compiler" says "1: there is no compiler /nonexistent/cc, which .*; install gcc, or .*"
echo 'extern "C" void f(void) { }' >alone.cc
CXX=/nonexistent/c++
export CXX
cc=$CC
run "$harness" alone.cc:f
ok "no compiler of C++" says "0: there is no compiler /nonexistent/c\+\+, .*; install g\+\+, or \
name a compiler: CXX=.*"
unset CXX
cat >guard.cc <<'END'
#include <unistd.h>
extern "C" void f(void)
{
	static int first = getpid();
	(void)first;
}
END
if c++ -O2 -fno-exceptions -c guard.cc 2>"$scratch/cxx-log"; then
	run "$harness" guard.o:f
	is "C++ without exceptions, whose library guards a variable" "$status" 0
else
	skip "C++ without exceptions" "c++ is not there"
fi
cat >"$scratch/driver" <<END
#!/bin/sh
without=\$(cat '$scratch/without')
case \$1 in
-print-prog-name=\$without | -print-prog-name=\$without.bfd) echo "/nonexistent/\$without"; exit ;;
esac
exec $CC "\$@"
END
for program in ld objcopy; do
	echo $program >"$scratch/without"
	cc=$scratch/driver
	run "$harness" old.o:f
	ok "no $program" \
		says "0: there is no program /nonexistent/$program, .*; install binutils; .*"
done
for cc in true false; do
	run "$harness" old.o:f
	ok "no compiler at all, but $cc" says "1: $cc is no compiler like gcc or clang; .*"
done
# One that hangs: it is ended with all that it has started.
cat >"$scratch/driver" <<END
#!/bin/sh
case " \$* " in *" -c "*) ;; *) exec $CC "\$@" ;; esac
sleep 1000 &
echo \$! >'$scratch/pid'
wait
END
cc=$scratch/driver
run -s 1 "$harness" old.c:f
is "a compiler that hangs" "$status" 1
ok "a compiler that hangs: it says so" \
	says "0: .*driver has not ended within 1 s, and was killed; .*"
gone() { ! kill -0 "$(cat "$scratch/pid")" 2>/dev/null; }
ok "a compiler that hangs: nothing of it is left" soon gone
is "a compiler that hangs: no file is left" "$(left)" ""
# One that is killed, but not what it has started.
cat >"$scratch/killed" <<END
#!/bin/sh
case " \$* " in *" -c "*) ;; *) exec $CC "\$@" ;; esac
sleep 1000 &
echo \$! >'$scratch/pid'
kill -KILL \$\$
END
chmod +x "$scratch/killed"
cc=$scratch/killed
run "$harness" old.c:f
is "a compiler that is killed" "$status" 1
ok "a compiler that is killed: nothing of it is left" soon gone
gone || kill "$(cat "$scratch/pid")"
# One that hangs always is asked once.
cat >"$scratch/asked" <<END
#!/bin/sh
echo >>'$scratch/times'
sleep 1000
END
chmod +x "$scratch/asked"
cc=$scratch/asked
: >"$scratch/times"
run -s 1 "$harness" old.c:f
ok "a compiler that hangs at once: it says so" \
	says "1: .*asked has not ended within 1 s, and was killed; .*"
is "it is asked once" "$(wc -l <"$scratch/times" | tr -d ' ')" 1
# A signal while it runs.
rm -f "$scratch/pid"
CC=$scratch/driver "$linked" "$harness" old.c:f >"$scratch/out" 2>"$scratch/err" &
tool=$!
soon [ -s "$scratch/pid" ]
kill -TERM $tool
wait $tool 2>/dev/null
is "a signal meanwhile ends the tool" "$?" 143
ok "a signal meanwhile: nothing of the compiler is left" soon gone
is "a signal meanwhile: no file is left" "$(left)" ""

# Folders.
cc=$CC
"$linked" -f "$flags" -t "$harness" old.o:f >"$scratch/out" 2>"$scratch/err" &
tool=$!
prepared() { [ -n "$(find "$TMPDIR" -name measured)" ]; }
ok "it has a folder" soon prepared
kill -TERM $tool
wait $tool 2>/dev/null
is "a signal ends the tool" "$?" 143
is "nothing is left behind it" "$(left)" ""
# A compiler that leaves a folder, and a link to another one.
mkdir "$scratch/outside"
: >"$scratch/outside/kept"
cat >"$scratch/driver" <<END
#!/bin/sh
for word; do
	[ "\$last" = -o ] && folder=\${word%/*}
	last=\$word
done
case " \$* " in *" -c "*)
	mkdir -p "\$folder/in/out" && : >"\$folder/in/out/file" &&
		ln -s '$scratch/outside' "\$folder/in/link" && echo left >'$scratch/litter'
	;;
esac
exec $CC "\$@"
END
chmod +x "$scratch/driver"
cc=$scratch/driver
run "$harness" old.c:f
is "a compiler that leaves a folder and a link" "$status $(cat "$scratch/litter")" "0 left"
is "a compiler that leaves a folder: nothing is left" "$(left)" ""
ok "a compiler that leaves a link: it is not followed" test -f "$scratch/outside/kept"
cc=$CC
rm -rf "$TMPDIR"
run "$harness" old.o:f
ok "no folder for temporary files" says "1: no folder can be made in .*: .*; set TMPDIR to .*"
mkdir "$TMPDIR"

# A full disk, and a file system that runs no programs.
TMPDIR=$scratch
export TMPDIR
run_inside "cd '$scratch' && mkdir -p full noexec other
	needed mount -t tmpfs -o size=24k none full
	needed mount -t tmpfs -o noexec none noexec
	cp \"\$OLDPWD/old.c\" \"\$OLDPWD/old.o\" ." <<END
	run() { "$linked" -f "$flags" "\$@" "$harness" old.c:f 2>&1; echo "ended \$?"; }
	echo "full:"
	TMPDIR=$scratch/full run
	ls full
	echo "noexec:"
	unset XDG_RUNTIME_DIR
	TMPDIR=$scratch/noexec run
	ls noexec
	echo "other:"
	TMPDIR=$scratch/noexec XDG_RUNTIME_DIR=$scratch/other run
	ls noexec other
END
part() { sed -n "/^$1:\$/,/^ended/p" "$scratch/out"; }
part_has() {
	part "$1" | grep -q -x -E -e "$2" && return
	sed 's/^/# out: /' "$scratch/out"
	return 1
}
# The compiler may say so, or the copying of a file.
shows "a full disk" part_has full \
	"linked: .*(there is no room left in .*|No space left on device); make room.*"
shows "no programs" part_has noexec "linked: 1: no program may be run from .* \(noexec\); .*"
shows "no programs: it fails" part_has noexec "ended 1"
shows "another folder for programs" part_has other "ended 0"
shows "another folder for programs: it says so" part_has other "linked: no program may be run .*"
