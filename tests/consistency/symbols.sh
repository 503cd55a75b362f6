#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# No library exits or starts a program, the first one neither prints nor allocates, and the second
# one prints its table only: what they take from libc. They leave all names but their own to the
# programs. And the program's locale changes no number that they print.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

decimals='%[-+#0-9.*]*[aefgAEFG]'
ok "a format of a number with decimals is seen" has_lines "$(grep -E "$decimals" measure/number.h)"
is "such numbers become text in measure/number.h only, which takes no locale's comma" \
	"$(grep -nE "\".*$decimals" lib/*.[ch] lib/os/*.[ch] measure/*.[ch] |
		grep -v '^measure/number\.h:')" ""

command -v nm >/dev/null 2>&1 || skip_all "nm is not installed"

first=$top_builddir/lib/.libs/libcpucycles
second=$top_builddir/measure/.libs/libcpucycles-measure

# keeps_prefix NAME LIBRARY: in a static library, a program's own name would take the place of ours.
# Names with two underscores are the compiler's: position-independent code, sanitizers.
keeps_prefix() {
	archive=$2.a
	globals=$(nm -g --defined-only "$archive" 2>/dev/null |
		awk 'NF == 3 && $3 !~ /^__/ { print $3 }' | sort -u)
	if [ ! -f "$archive" ]; then
		skip "global names of the static $1" "no static library is built"
	elif ! has_lines "$globals"; then
		skip "global names of the static $1" \
			"nm sees nothing in it (link-time optimisation)"
	else
		is "global names of the static $1 all begin with cpucycles (lib/names.h)" \
			"$(echo "$globals" | grep -v '^cpucycles')" ""
	fi
}
keeps_prefix libcpucycles "$first"
if has_measure; then
	keeps_prefix libcpucycles-measure "$second"
else
	skip "global names of the static libcpucycles-measure" "$without_measure"
fi

# Also under the names that _FORTIFY_SOURCE gives them.
forbidden='exit|_exit|_Exit|quick_exit|abort|atexit|__assert_fail'
forbidden="$forbidden|getline|getdelim|fopen|fdopen|opendir|scandir|getaddrinfo|setlocale|dlopen|pthread_create"
forbidden="$forbidden|popen|system|fork|vfork|clone|exec[a-z]*|posix_spawnp*"
forbidden="$forbidden|puts|putchar|fputs|fputc|fwrite|write|writev|fprintf|vprintf|vfprintf|dprintf|perror|psignal|syslog|err|errx|warn|warnx"
forbidden="$forbidden|setenv|putenv|unsetenv|signal|strtok|sleep|usleep|alarm"
# These read numbers as the locale writes them.
forbidden="$forbidden|strtod|strtof|strtold|atof|[a-z]*scanf|localeconv"
allocating='malloc|calloc|realloc|reallocarray|free|posix_memalign|aligned_alloc|strdup|strndup'
allocating="$allocating|asprintf|alloca"
# The second library runs other people's functions, so it touches no signals either. It calls prctl
# to ask whether RDTSC is forbidden.
intruding='printf|sigaction|sigprocmask|pthread_sigmask|sigaltstack|setitimer|sched_setaffinity'

# undefined FILE...: names that it takes from elsewhere, without version and __x_chk.
undefined() {
	nm -u "$@" 2>/dev/null | sed -n 's/^ *[Uuw] \([^@]*\).*/\1/p' |
		sed 's/^__\([a-z]*\)_chk$/\1/' | sort -u
}

sanitizers='libasan|libubsan|libtsan|libgcc_s|libclang_rt.*'
libc='libc|libpthread|ld-linux.*|ld-musl.*|ld|ld64'

# takes LIBRARY FORBIDDEN: nothing of the second.
takes() {
	taken=$(undefined -D "$1.so")
	ok "${1##*/} takes something from libc" has_lines "$taken"
	is "${1##*/}: nothing forbidden" "$(echo "$taken" | grep -xE "$2")" ""
}

# needs LIBRARY OTHERS WORDS: these other libraries only.
needs() {
	if command -v objdump >/dev/null 2>&1; then
		is "${1##*/} needs $3 only" \
			"$(objdump -p "$1.so" | awk '$1 == "NEEDED" { print $2 }' |
				grep -vE "^($2|$sanitizers)\.so|^libc\.musl" |
				tr '\n' ' ')" ""
	else
		skip "${1##*/} needs $3 only" "objdump is not installed"
	fi
}

# mapped MAP: the names in it.
mapped() {
	sed -n '/global:/,/local:/s/^[[:blank:]]*\([a-z_]*\);$/\1/p' "$1" | sort
}

# exports LIBRARY MAP: exactly what the map names.
exports() {
	is "${1##*/} exports its symbol map" \
		"$(nm -D --defined-only "$1.so" |
			awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)" "$(mapped "$2")"
}

[ -f "$first.so" ] ||
	{ skip "what the shared libraries need and export" "none is built"; exit 0; }
takes "$first" "$forbidden|$allocating"

# The one that prints is cpucycles_tracesetup's.
printers=$(for object in $(find "$top_builddir/lib" -path '*/.libs/*.o' | sort); do
	undefined "$object" | grep -qxE 'printf|fflush|stdout' && basename "$object"
done)
if undefined "$top_builddir/lib/.libs/entry.o" | grep -q .; then
	is "only the entry prints" "$printers" entry.o
else
	skip "only the entry prints" "nm sees nothing in these objects (link-time optimisation)"
fi

needs "$first" "$libc" "libc"
exports "$first" lib/libcpucycles.map

has_measure || { skip "what the second library needs and exports" "$without_measure"; exit 0; }
# Into a file that the program names. scandir(3) allocates, which this library may.
printing='fputs|fputc|fwrite|fprintf'
takes "$second" "$(echo "$forbidden|$intruding" | sed -E "s/\|($printing|scandir)\>//g")"
printers=$(for object in $(find "$top_builddir/measure" -path '*/.libs/*.o' | sort); do
	undefined "$object" | grep -qxE "$printing|putc|fflush" && basename "$object"
done)
if undefined "$top_builddir/measure/.libs/print.o" | grep -q .; then
	is "only what prints a table prints" "$printers" "figures.o
print.o
table.o"
else
	skip "only what prints a table prints" \
		"nm sees nothing in these objects (link-time optimisation)"
fi
needs "$second" "$libc|libcpucycles|libm|libpfm" "libcpucycles, libm, libc and perhaps libpfm"
exports "$second" measure/libcpucycles-measure.map
mapped lib/libcpucycles.map >"$scratch/public"
is "it uses the first one by its public functions" \
	"$(undefined -D "$second.so" | grep '^cpucycles' | grep -vxF -f "$scratch/public")" ""
