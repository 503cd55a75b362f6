#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Counters of architectures for which Debian has no libc to cross-compile with. Each counter's
# source is compiled unchanged into a program without a libc, which reads the counter under the
# emulator. For riscv32-perfrdcycle the program makes the perf event's user page.

counters_run="loong64-rdtime riscv32-rdcycle"
counters_made="riscv32-perfrdcycle"
. "$top_srcdir/tests/harness/build.sh"

PROGRAM_SECONDS=60

# The headers that the counters include, as far as the C standard and POSIX prescribe them. The
# kernel's headers are the same for all architectures, except asm/, for which the generic ones do.
mkdir -p "$scratch/include/asm"
cat >"$scratch/include/errno.h" <<'C'
extern int errno;
#define EINVAL 22
#define ERANGE 34
#define ENOENT 2
#define ENODEV 19
C
cat >"$scratch/include/time.h" <<'C'
#define CLOCK_MONOTONIC 1
struct timespec { long long tv_sec; long tv_nsec; };
int clock_gettime(int, struct timespec *);
C
cat >"$scratch/include/signal.h" <<'C'
#define SIGILL 4
typedef int sig_atomic_t;
C
cat >"$scratch/include/string.h" <<'C'
#include <stddef.h>
void *memset(void *, int, size_t);
C
: >"$scratch/config.h"
for header in bitsperlong ioctl posix_types types; do
	echo "#include <asm-generic/$header.h>" >"$scratch/include/asm/$header.h"
done
echo "#include <linux/byteorder/little_endian.h>" >"$scratch/include/asm/byteorder.h"

# compiler_for TARGET: the newest clang that compiles and links for it.
compiler_for() {
	for compiler in $(cd /usr/bin && ls -r clang-[1-9][0-9] 2>/dev/null) clang; do
		echo 'int x;' | "$compiler" --target="$1" -c -x c -o "$scratch/x.o" - 2>/dev/null ||
			continue
		"$compiler" --target="$1" -fuse-ld=lld -nostdlib -shared \
			-o "$scratch/x.so" "$scratch/x.o" 2>/dev/null || continue
		echo "$compiler"
		return
	done
	return 1
}

# compile COUNTER FILE FLAG...: make the program for this counter, whose source is FILE.
compile() {
	counter=$1 file=$2
	shift 2
	quietly "$counter" "$compiler" --target="$target" "$@" \
		-std=gnu11 -O1 -ffreestanding -fno-pic \
		-nostdlib -static -fuse-ld=lld -Wall -Wextra -Wconversion -Wshadow \
		-Wstrict-prototypes -Werror \
		-DCOUNTER="cpucycles_counter_$(echo "$counter" | tr - _)" \
		-I"$scratch" -I"$scratch/include" -idirafter /usr/include -I"$top_srcdir/lib" \
		-I"$top_srcdir/measure" \
		-o "$scratch/$counter" "$top_srcdir/tests/cross/freestanding.c" "$top_srcdir/$file"
}

# reads COUNTER: the program runs, and prints a line of three numbers for the counter.
reads() {
	timeout "$PROGRAM_SECONDS" "$emulator" "$scratch/$1" >"$scratch/said" 2>&1
	status=$?
	sed 's/^/# /' "$scratch/said"
	[ "$status" -eq 0 ] && grep -q "^$1 [0-9]* [0-9]* [0-9]*$" "$scratch/said"
}

for counter in $counters_run $counters_made; do
	case $counter in
	loong64-*) target=loongarch64-unknown-linux-gnu emulator=qemu-loongarch64
		# The source files are those of the functions that the counter calls.
		flags="-mno-lsx $top_srcdir/lib/os/ticks.c $top_srcdir/lib/rate.c" ;;
	riscv32-*) target=riscv32-unknown-linux-gnu emulator=qemu-riscv32 \
		flags="-march=rv32imac_zicsr -mabi=ilp32" ;;
	esac
	case " $counters_made " in *" $counter "*) flags="$flags -DMADE_PAGE" ;; esac
	if ! compiler=$(compiler_for $target); then
		skip "$counter compiles" "no clang with lld for $target"
		continue
	fi
	# shellcheck disable=SC2086 # flags are a list
	ok "$counter compiles ($compiler)" compile "$counter" \
		"$(cd "$top_srcdir" && echo lib/arch/*/"$counter.c")" $flags
	if command -v $emulator >/dev/null; then
		ok "$counter counts under $emulator" reads "$counter"
	else
		skip "$counter counts" "$emulator is not there"
	fi
done
