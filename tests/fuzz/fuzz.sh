#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# libFuzzer runs each target for a limited time, with AddressSanitizer and
# UndefinedBehaviorSanitizer in the whole library. It finds no crash, no hang, no leak, and no
# answer that the target's oracle rejects. Inputs that it finds are kept in tests/fuzz/found of the
# build folder.
#   FUZZ_SECONDS   the time for each target
#   FUZZ_CC        the clang that compiles them

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/fuzz/common.sh"

seconds=${FUZZ_SECONDS:-11}
cc=${FUZZ_CC:-clang}
found=$top_builddir/tests/fuzz/found

INPUT_SECONDS=100 # an input that takes longer hangs, even on a busy machine
INPUT_SIZE=4000
MEMORY_MB=1024
sanitizers=address,undefined
flags="-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all -Werror"
flags="$flags -fsanitize=$sanitizers -fsanitize=fuzzer-no-link"

command -v "$cc" >/dev/null || skip_all "$cc is not there"
cat >"$scratch/empty.c" <<'END'
int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return data && size ? 0 : 0; }
END
"$cc" -fsanitize=fuzzer,$sanitizers -o "$scratch/empty" "$scratch/empty.c" 2>"$scratch/empty.log" ||
	skip_all "$cc has no libFuzzer: $(head -n 1 "$scratch/empty.log")"

[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"
"$top_builddir/tests/lib/make-cache" "$scratch/own" source=cpuinfo-mhz || exit 99

without=
[ -e "$top_builddir/tests/fuzz/events" ] || without=--without-measure
build() {
	configure_in build CC="$cc" --disable-shared $without CFLAGS="-fsanitize=$sanitizers" \
		$no_pkg_config &&
		OUT=$scratch/out WORK=$scratch/build CFLAGS="$flags" quietly build \
			sh "$top_srcdir/tests/fuzz/oss-fuzz/build.sh"
}
ok "the library and the targets with $sanitizers" build || exit 0

# fuzz TARGET: run it, with its output in $scratch/log.
fuzz() {
	seeds "$1" "$scratch/seeds-$1"
	mkdir -p "$found" "$scratch/grown-$1"
	ASAN_OPTIONS=quarantine_size_mb=16 timeout $((seconds + INPUT_SECONDS + 30)) \
		"$scratch/out/$1" -max_total_time="$seconds" -max_len=$INPUT_SIZE \
		-timeout=$INPUT_SECONDS -rss_limit_mb=$MEMORY_MB -print_final_stats=1 \
		-dict="$scratch/out/$1.dict" -artifact_prefix="$found/$1-" \
		"$scratch/grown-$1" "$scratch/seeds-$1" >"$scratch/log" 2>&1 </dev/null && return
	grep -a -v '^#[0-9]' "$scratch/log" | tail -n 40 | cut -c 1-200 | sed 's/^/# /'
	return 1
}
for target in $targets; do
	ok "$target: nothing found" fuzz "$target"
	runs=$(figure "$scratch/log" "stat::number_of_executed_units")
	valid=$(figure "$scratch/log" "taken as valid")
	coverage=$(sed -n 's/^#[0-9]*[[:space:]]*DONE *\(cov: [0-9]* ft: [0-9]*\) .*/\1/p' \
		"$scratch/log")
	echo "# $target: ${runs:-0} executions, ${valid:-0} times taken as valid, $coverage"
	ok "$target: more was tried than the corpus" \
		test "${runs:-0}" -gt $((2 * $(find "$scratch/seeds-$target" -type f | wc -l)))
	ok "$target: not all was refused" test "${valid:-0}" -gt 0
done
