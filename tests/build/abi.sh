#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The ABI does not change: the libraries' exported symbols and their types are those of the stored
# descriptions. Stand-in libraries with the same and with another ABI show which differences the
# comparison finds. After a symbol was added on purpose, `make update-abi` stores new descriptions,
# which may differ from the old ones in added lines only. tests/cross does the same for libraries of
# other architectures.

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/abi.sh"

for tool in abidw abidiff abicompat readelf gcc; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done

library=$top_builddir/lib/.libs/libcpucycles.so.1

# finds TEXT FOLDER: abidiff reports a difference of this changed stand-in, with this text.
finds() {
	! same_abi "$scratch/include-$2" "$scratch/$2/libcpucycles.so.1" >/dev/null &&
		grep -q -e "$1" "$scratch/diff" && return
	sed 's/^/# /' "$scratch/diff"
	return 1
}

# stand_in FOLDER COMPILER HEADER MAP: make a library that defines the header's symbols with empty
# functions.
stand_in() {
	types='const char \*\|long long \|void \|int '
	mkdir -p "$scratch/$1"
	{
		echo "#include \"$3\""
		echo 'long long (*cpucycles)(void) = 0;'
		tr '\n' ' ' <"$3" | sed 's,/\*[^*]*\*\([^/*][^*]*\*\)*/,,g' | tr ';' '\n' |
			sed -n "s/^.*\\(\\($types\\)cpucycles_[a-z_]*([a-z_ ,*()]*)\\)\$/\\1/p" |
			sed -e 's/^extern //; s/^void .*/& { }/' \
				-e 's/^\(long\|const\|int\).*/& { return 0; }/'
	} >"$scratch/$1/lib.c"
	map=
	[ $# -lt 4 ] || map=-Wl,--version-script=$4
	# shellcheck disable=SC2086 # words or nothing
	quietly "stand-in-$1" "$2" -g -shared -fPIC -Wl,-soname,libcpucycles.so.1 $map \
		-o "$scratch/$1/libcpucycles.so.1" "$scratch/$1/lib.c" &&
		ln -sf libcpucycles.so.1 "$scratch/$1/libcpucycles.so"
}

# changed FOLDER EXPRESSION: make a stand-in after sed has changed header or map.
changed() {
	mkdir -p "$scratch/include-$1"
	sed "$2" "$top_srcdir/include/cpucycles.h" >"$scratch/include-$1/cpucycles.h"
	sed "$2" "$top_srcdir/lib/libcpucycles.map" >"$scratch/include-$1/map"
	stand_in "$1" gcc "$scratch/include-$1/cpucycles.h" "$scratch/include-$1/map"
}

mkdir "$scratch/include"
cp "$top_srcdir/include/cpucycles.h" "$scratch/include/"
for built in "$library" "$top_builddir"/measure/.libs/libcpucycles-measure.so.?; do
	keeps_abi "$built"
done
keeps_static_tls "$library"
ok "a stand-in" stand_in same gcc "$scratch/include/cpucycles.h" "$top_srcdir/lib/libcpucycles.map"
ok "it has the stored ABI" same_abi "$scratch/include" "$scratch/same/libcpucycles.so.1"
if command -v clang >/dev/null; then
	ok "a stand-in by clang" stand_in clang clang "$scratch/include/cpucycles.h" \
		"$top_srcdir/lib/libcpucycles.map"
	ok "it has the stored ABI" same_abi "$scratch/include" \
		"$scratch/clang/libcpucycles.so.1"
else
	skip "a stand-in by clang" "clang is not there"
fi

ok "a stand-in with another return type" changed type \
	's/^long long cpucycles_hz_ppm/int cpucycles_hz_ppm/'
ok "it is found" finds 'return type changed' type
ok "a stand-in with another parameter" changed parameter \
	's/(long long difference)/(int difference)/'
ok "it is found" finds "parameter 1 of type 'long long int' changed" parameter
ok "a stand-in with another member" changed member 's/^	int error;/	long error;/'
ok "it is found" finds "type of 'int error' changed" member
ok "a stand-in with a symbol less" changed less \
	'/^const char \*cpucycles_version/d; /cpucycles_version;/d'
ok "it is found" finds "1 Removed function" less
ok "a stand-in with a symbol more" changed more \
	's/^\(long long cpucycles_h\)z(void);/&\1ertz(void);/
	s/^\(	cpucycles_h\)z;/&\1ertz;/'
ok "it is found" finds "1 Added function" more
ok "a stand-in with a symbol of another version" changed version \
	's/^CPUCYCLES_1.0 /CPUCYCLES_2.0 /'
ok "it is found" finds "Removed function" version

# The other libcpucycles, as its manual declares it. Debian's libcpucycles1 0~20260901-2 exports
# these five symbols without versions; the pointer is an object of 8 bytes.
cat >"$scratch/old.h" <<'END'
extern long long (*cpucycles)(void);
const char *cpucycles_implementation(void);
const char *cpucycles_version(void);
long long cpucycles_persecond(void);
void cpucycles_tracesetup(void);
END
cat >"$scratch/old.c" <<'END'
#include "old.h"
#include <stdio.h>

int main(void)
{
	long long start;

	cpucycles_tracesetup();
	start = cpucycles();
	printf("%d %d %s %s\n", cpucycles() >= start, cpucycles_persecond() > 0,
	       cpucycles_implementation(), cpucycles_version());
	return 0;
}
END
ok "a stand-in for the existing library" stand_in old gcc "$scratch/old.h"
is "what it exports" "$(readelf -W --dyn-syms "$scratch/old/libcpucycles.so.1" |
	awk '$7 ~ /^[0-9]/ { print $4, $8 }' | LC_ALL=C sort)" "FUNC cpucycles_implementation
FUNC cpucycles_persecond
FUNC cpucycles_tracesetup
FUNC cpucycles_version
OBJECT cpucycles"
for form in "-fPIE -pie" "-fno-pie -no-pie"; do
	# shellcheck disable=SC2086 # words
	ok "a program built with it, $form" quietly old gcc $form -o "$scratch/program" \
		"$scratch/old.c" \
		-L"$scratch/old" -lcpucycles
	ok "libabigail finds our library compatible" quietly compat abicompat "$scratch/program" \
		"$scratch/old/libcpucycles.so.1" "$library"
	is "it runs on our library" "$(LD_LIBRARY_PATH=$top_builddir/lib/.libs \
		CPUCYCLES_CACHE=none "$scratch/program" 2>&1 |
		tail -n 1 | sed 's/ [^ ]* \([^ ]*\)$/ NAME \1/')" \
			"1 1 NAME $(sed -n 's/^PACKAGE_VERSION = //p' "$top_builddir/Makefile")"
done
ok "and one without cpucycles_version incompatible" sh -c '! abicompat "$@" >/dev/null' sh \
	"$scratch/program" "$scratch/old/libcpucycles.so.1" "$scratch/less/libcpucycles.so.1"
