#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The library never prints, exits, allocates or starts a program: what it takes from libc.
# And it leaves all names but its own to the programs.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

command -v nm >/dev/null 2>&1 || skip_all "nm is not installed"

# In the static library a program's own name would take the place of ours. Names with
# two underscores are the compiler's: position-independent code, sanitizers.
archive=$top_builddir/lib/.libs/libcpucycles.a
globals=$(nm -g --defined-only "$archive" 2>/dev/null |
	awk 'NF == 3 && $3 !~ /^__/ { print $3 }' | sort -u)
if [ ! -f "$archive" ]; then
	skip "global names of the static library" "no static library is built"
elif ! has_lines "$globals"; then
	skip "global names of the static library" "nm sees nothing in it (link-time optimisation)"
else
	is "global names of the static library all begin with cpucycles (lib/names.h)" \
		"$(echo "$globals" | grep -v '^cpucycles')" ""
fi
is "lib/names.h is sorted and names each once" \
	"$(sed -n 's/^#define \([a-z].*\) .*/\1/p' lib/names.h)" \
	"$(sed -n 's/^#define \([a-z].*\) .*/\1/p' lib/names.h | LC_ALL=C sort -u)"
is "lib/names.h has no name without an underscore, such as a member of a structure may have" \
	"$(sed -n 's/^#define \([a-z][a-z0-9]*\) .*/\1/p' lib/names.h)" ""
is "lib/names.h only puts the prefix before a name" \
	"$(sed -n '/^#define [a-z]/p' lib/names.h | awk '$3 != "cpucycles_i_" $2')" ""

library=$top_builddir/lib/.libs/libcpucycles.so
[ -f "$library" ] || { skip "what the shared library needs and exports" "none is built"; exit 0; }

# Also under the names that _FORTIFY_SOURCE gives them.
forbidden='exit|_exit|_Exit|quick_exit|abort|atexit|__assert_fail'
forbidden="$forbidden|malloc|calloc|realloc|reallocarray|free|posix_memalign|aligned_alloc|strdup|strndup|asprintf|alloca"
forbidden="$forbidden|getline|getdelim|fopen|fdopen|opendir|scandir|getaddrinfo|setlocale|dlopen|pthread_create"
forbidden="$forbidden|popen|system|fork|vfork|clone|exec[a-z]*|posix_spawnp*"
forbidden="$forbidden|puts|putchar|fputs|fputc|fwrite|write|writev|fprintf|vprintf|vfprintf|dprintf|perror|psignal|syslog|err|errx|warn|warnx"
forbidden="$forbidden|setenv|putenv|unsetenv|signal|strtok|sleep|usleep|alarm"

# undefined FILE...: names that it takes from elsewhere, without version and __x_chk.
undefined() {
	nm -u "$@" 2>/dev/null | sed -n 's/^ *[Uuw] \([^@]*\).*/\1/p' |
		sed 's/^__\([a-z]*\)_chk$/\1/' | sort -u
}

all=$(undefined -D "$library")
ok "the library takes something from libc" has_lines "$all"
is "nothing forbidden" "$(echo "$all" | grep -xE "$forbidden")" ""

# The one that prints is cpucycles_tracesetup's.
printers=$(for object in $(find "$top_builddir/lib" -path '*/.libs/*.o' | sort); do
	undefined "$object" | grep -qxE 'printf|fflush|stdout' && basename "$object"
done)
if undefined "$top_builddir/lib/.libs/entry.o" | grep -q .; then
	is "only the entry prints" "$printers" entry.o
else
	skip "only the entry prints" "nm sees nothing in these objects (link-time optimisation)"
fi

# libc is the only dependency, and nothing runs when the library is loaded.
dependencies='libc|libpthread|ld-linux.*|ld-musl.*|ld'
sanitizers='libasan|libubsan|libtsan|libgcc_s|libclang_rt.*'
if command -v objdump >/dev/null 2>&1; then
	is "libc is the only dependency" \
		"$(objdump -p "$library" | awk '$1 == "NEEDED" { print $2 }' |
			grep -vE "^($dependencies|$sanitizers)\.so|^libc\.musl" |
			tr '\n' ' ')" ""
else
	skip "libc is the only dependency" "objdump is not installed"
fi
exported=$(nm -D --defined-only "$library" |
	awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
mapped=$(sed -n '/global:/,/local:/s/^[[:blank:]]*\([a-z_]*\);$/\1/p' lib/libcpucycles.map |
	sort)
is "what it exports is the symbol map" "$exported" "$mapped"
