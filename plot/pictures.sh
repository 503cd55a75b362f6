#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Called by make pictures: pictures.sh SOURCES. Draws doc/pictures/*.svg from tests/data/plot.
# With RECORD=1 the data is recorded first: root, and a calibrated machine, give the most. The skew
# is recorded where there are more than two CPUs, because a map of two shows little.

set -eu
data=$1/tests/data/plot
pictures=$1/doc/pictures
CPUCYCLES_PLOT_PARTS=$1/plot
export CPUCYCLES_PLOT_PARTS

# Data is replaced when it is complete.
record() {
	recorded=$1
	shift
	"$@" >"$data/$recorded.new"
	mv "$data/$recorded.new" "$data/$recorded"
}

# The two functions of doc/pictures.md.
record_sizes() {
	folder=$(mktemp -d)
	cat >"$folder/crc.c" <<'END'
#include <stddef.h>
#include <stdint.h>

static uint8_t bytes[1 << 16];
volatile uint32_t result;

static uint32_t shifted(uint32_t crc)
{
	for (int bit = 0; bit < 8; bit++)
		crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	return crc;
}

void bits(size_t n)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < n; i++)
		crc = shifted(crc ^ bytes[i]);
	result = ~crc;
}

/* Each call makes the table anew. */
void table(size_t n)
{
	uint32_t all[256], crc = 0xffffffff;

	for (uint32_t i = 0; i < 256; i++)
		all[i] = shifted(i);
	for (size_t i = 0; i < n; i++)
		crc = all[(crc ^ bytes[i]) & 255] ^ crc >> 8;
	result = ~crc;
}
END
	${CC:-cc} -O2 -shared -fPIC "$folder/crc.c" -o "$folder/crc.so"
	(cd "$folder" && "$MEASURE" --csv '--sizes=16..64K*4' ./crc.so:bits ./crc.so:table) \
		>"$data/sizes.csv.new"
	mv "$data/sizes.csv.new" "$data/sizes.csv"
	rm -r "$folder"
}

# Two loops that count bits, whose time depends on where they lie.
record_layouts() {
	folder=$(mktemp -d)
	cat >"$folder/f.c" <<'END'
unsigned long long words[3] = { 0x123456789abcdef0, 0xfedcba9876543210, 0xf0f0f0f0f0f0f0f };
volatile int sum;

void a(void)
{
	int bits = 0;

	for (int i = 0; i < 3; i++)
		for (unsigned long long w = words[i]; w; w >>= 1)
			bits += w & 1;
	sum = bits;
}

void b(void)
{
	int bits = 0;

	for (int i = 0; i < 3; i++)
		for (unsigned long long w = words[i]; w; w &= w - 1)
			bits++;
	sum = bits;
}
END
	(cd "$folder" && "$MEASURE" --layouts=layouts.tsv f.c:a f.c:b) >/dev/null
	cp "$folder/layouts.tsv" "$data/layouts.tsv.new"
	mv "$data/layouts.tsv.new" "$data/layouts.tsv"
	rm -r "$folder"
}

# A comparison that ends at the first difference. Group 0 is the secret.
record_leak() {
	folder=$(mktemp -d)
	cat >"$folder/check.c" <<'END'
#include <stddef.h>

const size_t check_input_bytes = 32;
static unsigned char secret[32] = "0123456789abcdef0123456789abcde";
volatile int equal;

void check(const unsigned char *input)
{
	int i = 0;

	while (i < 32 && input[i] == secret[i])
		i++;
	equal = i == 32;
}

void check_input(int group, unsigned char *input)
{
	static unsigned random = 1;

	for (int i = 0; i < 32; i++) {
		random = random * 1664525 + 1013904223;
		input[i] = group ? random >> 24 : secret[i];
	}
}
END
	${CC:-cc} -O2 -shared -fPIC "$folder/check.c" -o "$folder/check.so"
	# Status 11: it leaks.
	(cd "$folder" && "$MEASURE" --leak --raw=leak.tsv --samples=2000 ./check.so:check) \
		>/dev/null || [ $? -eq 11 ]
	cp "$folder/leak.tsv" "$data/leak.tsv.new"
	mv "$data/leak.tsv.new" "$data/leak.tsv"
	rm -r "$folder"
}

if [ "${RECORD-}" = 1 ]; then
	for kind in noise drift frequency; do
		record $kind.tsv "$INFO" --samples $kind --seconds 2
	done
	record gaps.tsv "$INFO" --samples gaps --seconds 1
	[ "$(nproc)" -le 2 ] || record skew.tsv "$INFO" --samples skew --seconds 2
	[ ! -x "$MEASURE" ] || "$MEASURE" --raw="$data/samples.tsv" --samples=200 \
		libc.so.6:getppid libc.so.6:getuid libc.so.6:sched_yield libc.so.6:getppid \
		>/dev/null
	[ ! -x "$MEASURE" ] || record_sizes
	[ ! -x "$MEASURE" ] || record_layouts
	[ ! -x "$MEASURE" ] || record_leak
fi

mkdir -p "$pictures"
for kind in noise skew drift frequency gaps; do
	"$PLOT" $kind -i "$data/$kind.tsv" -o "$pictures/$kind.svg"
done
"$PLOT" sizes "$data/sizes.csv" -o "$pictures/sizes.svg"
"$PLOT" samples "$data/samples.tsv" -o "$pictures/samples.svg"
"$PLOT" layouts "$data/layouts.tsv" -o "$pictures/layouts.svg"
"$PLOT" leak "$data/leak.tsv" -o "$pictures/leak.svg"
