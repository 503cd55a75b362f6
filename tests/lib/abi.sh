#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The library as programs see it: its symbols, and programs of every kind that are compiled and
# linked with it.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

libs=$top_builddir/lib/.libs
shared=$libs/libcpucycles.so.1
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE

# The shared object itself
if [ ! -e "$shared" ]; then
	skip "the shared library" "it was not built"
elif ! command -v readelf >/dev/null; then
	skip "the shared library" "no readelf"
else
	sed -n '/global:/,/local:/s/^[ 	]*\(cpucycles[a-z_]*\);$/\1/p' \
		"$top_srcdir/lib/libcpucycles.map" | sort >"$scratch/map"
	readelf -W --dyn-syms "$shared" |
		awk '$7 != "UND" && $5 ~ /GLOBAL|WEAK/ && $7 != "ABS" { print $8 }' |
		sed 's/@.*//' | sort >"$scratch/symbols"
	is "its symbols are those of the map" "$(cat "$scratch/symbols")" "$(cat "$scratch/map")"
	bits=$(readelf -h "$shared" | sed -n 's/^ *Class: *ELF//p')
	is "the pointer is data of a pointer's size" \
		"$(readelf -W --dyn-syms "$shared" |
		awk '$8 ~ /^cpucycles(@|$)/ { print $3, $4 }')" \
		"$((bits / 8)) OBJECT"
	readelf -Wd "$shared" >"$scratch/dynamic"
	is "its name" "$(sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p' "$scratch/dynamic")" libcpucycles.so.1
	is "no text relocations" "$(grep -c TEXTREL "$scratch/dynamic")" 0
	if sanitized; then
		skip "libc is all it needs" "this build has a sanitizer in it"
		skip "no constructor but one for a key" "this build has a sanitizer in it"
	else
		is "libc is all it needs" \
			"$(sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' "$scratch/dynamic" |
			grep -Ev '^(libc\.|ld-)')" ""
		# One entry is frame_dummy of crtbegin, one may be that of
		# lib/os/perfevent-process.c.
		is "no constructor but one for a key" "$(readelf -WS "$shared" |
			sed 's/\[ */[/' |
			awk -v most=$((bits == 64 ? 10 : 8)) \
				'{ sub(/^0*/, "", $6) }
				$2 == ".init_array" && $6 !~ /^[48]$/ && $6 != most ||
				$2 == ".ctors" { print $2, $6 }')" ""
	fi
fi

# Programs
cat >"$scratch/old.h" <<'END'
extern long long (*cpucycles)(void);
extern const char *cpucycles_implementation(void);
extern const char *cpucycles_version(void);
extern long long cpucycles_persecond(void);
extern void cpucycles_tracesetup(void);
END
cat >"$scratch/program.c" <<'END'
#include <stdio.h>
#include <string.h>
#ifdef OLD
#include "old.h"
#else
#include <cpucycles.h>
#endif

int main(void)
{
	long long (*before)(void) = cpucycles, first = cpucycles(), last = first;
	long i;

	for (i = 0; i < 100000000 && last == first; i++)
		last = cpucycles();
	if (last <= first)
		return puts("counts do not move"), 1;
	if (cpucycles == before)
		return puts("the program's pointer is not where the library writes"), 1;
	if (!strlen(cpucycles_implementation()) || !strlen(cpucycles_version()))
		return puts("no name"), 1;
	if (cpucycles_persecond() <= 0)
		return puts("no persecond"), 1;
#ifndef OLD
	if (strcmp(cpucycles_selection_source(), "probe") ||
	    strcmp(cpucycles_cache_status(), "disabled") ||
	    !strlen(cpucycles_persecond_source()))
		return puts("wrong facts"), 1;
#endif
	return puts("fine"), 0;
}
END
sed 's/puts(\("[^"]*"\)), \([01]\);/(puts(\1), \2);/' "$scratch/program.c" >"$scratch/program.cc"
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
# Names of the library's internals that a program may use for its own functions.
cat >"$scratch/names.c" <<'END'
int choose_counter(void) { return 1; }
int counters_list[1];
int file_open(void) { return -1; }
int lock_take(void) { return 1; }
int thread_id(void) { return 1; }
END

# compiled COMPILER OPTIONS...: make $scratch/a.out; messages go to $scratch/err.
compiled() {
	rm -f "$scratch/a.out"
	compiled_with=$1
	shift
	$compiled_with $CFLAGS -I"$scratch" -I"$top_srcdir/include" -o "$scratch/a.out" "$@" \
		>"$scratch/err" 2>&1
}
compiled "$CC" "$scratch/empty.c" && "$scratch/a.out" ||
	{ skip "programs" "no compiler, or it compiles for another machine"; exit 0; }

run() {
	LD_LIBRARY_PATH=$libs timeout "$limit" "$scratch/a.out" 2>&1
}
# works NAME COMPILER OPTIONS...: the program compiles and runs.
works() {
	works_name=$1
	shift
	if compiled "$@"; then
		is "$works_name" "$(run)" fine
	else
		is "$works_name" "$(cat "$scratch/err")" "compiled without a word"
	fi
}
# possible OPTIONS...: this compiler has these options.
possible() {
	compiled "$CC" "$@" "$scratch/empty.c" && "$scratch/a.out"
}
link="-L$libs -lcpucycles"
if [ -e "$shared" ]; then
	works "as the compiler likes it" "$CC" "$scratch/program.c" $link
	works "against five declarations" "$CC" -DOLD "$scratch/program.c" $link
	for form in "-fPIE -pie" "-fno-pie -no-pie"; do
		if possible $form; then
			works "$form" "$CC" $form "$scratch/program.c" $link
			works "$form, five declarations" "$CC" -DOLD $form "$scratch/program.c" \
				$link
		else
			skip "$form" "this compiler can't"
		fi
	done
	for cxx in ${CXX:-} c++ g++ clang++; do
		command -v "$cxx" >/dev/null && break
	done
	# A library for another libc cannot be linked with the C++ compiler's programs.
	if ! sanitized && compiled "$cxx" "$scratch/empty.c" -Wl,--no-as-needed $link; then
		works "C++" "$cxx" -Wall -Wextra -Werror "$scratch/program.cc" $link
	else
		skip "C++" "no C++ compiler for this build"
	fi
fi
if [ -e "$libs/libcpucycles.a" ] && ! sanitized; then
	works "the static library" "$CC" "$scratch/program.c" "$libs/libcpucycles.a" -pthread
	works "the static library, in a program with names like ours" \
		"$CC" "$scratch/program.c" "$scratch/names.c" "$libs/libcpucycles.a" -pthread
	if possible -static; then
		works "all static" "$CC" -static "$scratch/program.c" "$libs/libcpucycles.a" \
			-pthread
	else
		skip "all static" "no static libc"
	fi
else
	skip "the static library" "not built, or with a sanitizer in it"
fi

# in_standards HEADER EXPRESSION [DECLARATIONS]: a program with this header and these declarations
# compiles. It returns the expression.
in_standards() {
	printf '#include <%s>\n%s\nint main(void) { return %s; }\n' "$1" "${3-}" "$2" \
		>"$scratch/header.c"
	for std in c99 c11 gnu89; do
		ok "$1 in $std" compiled "$CC" -std=$std -Wall -Wextra -Werror -c \
			"$scratch/header.c"
	done
	# Standards that have no long long, in programs that ask for warnings.
	ok "$1 in c90, pedantic" compiled "$CC" -std=c90 -Wpedantic -Wall -Wextra -Werror -c \
		"$scratch/header.c"
	for cxx in g++ clang++; do
		# Flags of this build may be unknown to it, such as -ffat-lto-objects.
		if command -v $cxx >/dev/null &&
			compiled $cxx -x c++ -Werror -c "$scratch/empty.c"; then
			ok "$1 in C++98 by $cxx, pedantic" compiled $cxx -x c++ -std=c++98 \
				-Wpedantic -Wall -Wextra -Werror -c "$scratch/header.c"
		else
			skip "$1 in C++98 by $cxx, pedantic" "$cxx is not there, or lacks a flag"
		fi
	done
}
in_standards cpucycles.h 'cpucycles == 0'
initialized=$(sed -n 's/^#define \(CPUCYCLES_.*\)_INITIALIZER.*/\1/p' \
	"$top_srcdir/include/cpucycles-measure.h" | while read -r name; do
	structure=$(echo "$name" | tr A-Z a-z)
	echo "struct $structure $structure = ${name}_INITIALIZER;"
done)
ok "cpucycles-measure.h has initializers" [ -n "$initialized" ]
in_standards cpucycles-measure.h 'sizeof(struct cpucycles_result) == 0' "$initialized"

# Loaded by a thread that ends after the library was closed.
cat >"$scratch/late.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *use(void *path)
{
	int i;

	for (i = 0; i < 1000; i++) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		long long (**count)(void);

		if (!library)
			return dlerror();
		count = (long long (**)(void))dlsym(library, "cpucycles");
		if (!count || (*count)() == 0)
			return "no count";
		dlclose(library);
	}
	return 0;
}

int main(int argc, char *argv[])
{
	pthread_t thread;
	void *error = 0;

	(void)argc;
	pthread_create(&thread, 0, use, argv[1]);
	pthread_join(thread, &error);
	if (!error)
		error = use(argv[1]);
	puts(error ? error : "fine");
	return error != 0;
}
END
if [ -e "$shared" ] && compiled "$CC" "$scratch/late.c" -pthread -ldl; then
	is "dlopen and dlclose a thousand times" \
		"$(timeout "$limit" "$scratch/a.out" "$shared" 2>&1)" fine
else
	skip "dlopen and dlclose a thousand times" "it cannot be compiled here"
fi
