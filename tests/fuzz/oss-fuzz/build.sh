#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Build all fuzz targets with libFuzzer, as OSS-Fuzz asks for it: the programs, their corpora and
# their dictionaries in $OUT. tests/fuzz/fuzz.sh builds by this script. By hand:
#     OUT=/tmp/out sh tests/fuzz/oss-fuzz/build.sh && /tmp/out/cache -max_total_time=10
#   OUT                  where the programs go
#   WORK                 where the build goes; if it is configured, it stays as it is
#   CC, CFLAGS           clang, and the options of the sanitizers
#   LIB_FUZZING_ENGINE   what is linked as the main program

set -eu
source=$(cd "$(dirname "$0")/../../.." && pwd)
: "${OUT:?the folder that the programs go into}"
work=${WORK:-$source/_build/oss-fuzz}
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
cc=${CC:-clang}
flags=${CFLAGS:--g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
-fno-sanitize-recover=all -fsanitize=fuzzer-no-link}
# Only the library's code counts as coverage. New code of a target would not lead to better inputs.
without_coverage=$(printf '%s\n' "$flags" | sed 's/ *-fsanitize=fuzzer-no-link//')

[ -e "$source/configure" ] || "$source/bootstrap"
mkdir -p "$OUT" "$work"
cd "$work"
[ -e Makefile ] || "$source/configure" --disable-shared --without-jansson --without-libdw \
	--without-cmocka CC="$cc" CFLAGS="$without_coverage"

# make_with FLAGS ARGUMENT...
make_with() {
	with=$1
	shift
	# shellcheck disable=SC2016 # make's variables
	make -j2 LIBTOOL='$(SHELL) $(top_srcdir)/dev/static-libtool.sh $(AR)' CFLAGS="$with" "$@"
}
make_with "$flags" fuzz-libraries
make_with "$without_coverage" FUZZ_MAIN=tests/fuzz/mutate.o FUZZ_ENGINE="$engine" fuzz-targets

for corpus in "$source"/tests/fuzz/corpus/*/; do
	target=$(basename "$corpus")
	[ -e "tests/fuzz/$target" ] || continue
	cp "tests/fuzz/$target" "$OUT"
	cp "$source/tests/fuzz/words.dict" "$OUT/$target.dict"
	! command -v zip >/dev/null || zip -jqr "$OUT/${target}_seed_corpus.zip" "$corpus"
done
