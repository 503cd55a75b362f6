/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Changes to texts of lines and words that leave them such texts. libFuzzer makes three of four
 * changes this way, and changes bytes in the fourth. */

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#define TEXT_SIZE 32768

static uint64_t state;

/* A random number below n, by splitmix64. */
static size_t any(size_t n)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (size_t)((z ^ z >> 31) % n);
}

/* Numbers at and beyond the bounds of the formats. */
static const char *const words[] = {
	"0",
	"1",
	"00",
	"-1",
	"+1",
	"16",
	"17",
	"999",
	"1000",
	"1001",
	"4095",
	"4096",
	"1000000",
	"1000001",
	"4294967295",
	"4294967296",
	"100000000000",
	"100000000001",
	"9223372036854775807",
	"9223372036854775808",
	"18446744073709551615",
	"18446744073709551616",
	"1e9",
	"2.4e9",
	"1e-400",
	"1e400",
	"1/1",
	"1/0",
	"0/1",
	"unknown",
	"usable",
	"unusable",
	"none",
	"errno",
	"signal",
	"closed",
	"absent",
	"scaling",
	"decreased",
	"still",
	"pruned",
	"last-resort",
	"on-core",
	"off-core",
	"kernel-count",
	"os-clock",
	"persecond-file",
	"environment",
	"measured",
	"default",
	"cpuinfo-mhz",
	"MHz",
	"est.",
	"processor",
	"0123456789abcdef",
	"01234567-89ab-cdef-0123-456789abcdef",
	"",
	"0123456789012345678901234567890",
	"01234567890123456789012345678901",
};

struct piece {
	size_t start, length;
};

/* A random piece between such characters. */
static struct piece piece(const uint8_t *data, size_t size, const char *between)
{
	size_t at = any(size), start = at, end = at;

	while (start > 0 && !strchr(between, data[start - 1]))
		start--;
	while (end < size && !strchr(between, data[end]))
		end++;
	return (struct piece){ start, end - start };
}

/* Replace a piece of the text. If the new text does not fit, the old one stays. */
static size_t replace(uint8_t *data, size_t size, size_t max_size, struct piece old, const void *by,
		      size_t length)
{
	size_t rest = size - old.start - old.length;

	if (size - old.length + length > max_size)
		return size;
	memmove(data + old.start + length, data + old.start + old.length, rest);
	memcpy(data + old.start, by, length);
	return size - old.length + length;
}

static struct piece line_of(const uint8_t *data, size_t size)
{
	struct piece line = piece(data, size, "\n");

	line.length += line.start + line.length < size; /* with its end */
	return line;
}

static size_t change_line(uint8_t *data, size_t size, size_t max_size)
{
	static uint8_t other[TEXT_SIZE];
	struct piece to = line_of(data, size), from = line_of(data, size);

	if (from.length > sizeof other)
		return size;
	memcpy(other, data + from.start, from.length);
	switch (any(3)) {
	case 0: /* lose one */
		return replace(data, size, max_size, to, "", 0);
	case 1: /* one more of another */
		to.length = 0;
		break;
	}
	return replace(data, size, max_size, to, other, from.length);
}

static size_t change_word(uint8_t *data, size_t size, size_t max_size)
{
	static uint8_t other[TEXT_SIZE];
	struct piece to = piece(data, size, " \n/-:%"), from = piece(data, size, " \n/");
	const char *word = words[any(sizeof words / sizeof words[0])];

	if (any(2))
		return replace(data, size, max_size, to, word, strlen(word));
	if (from.length > sizeof other)
		return size;
	memcpy(other, data + from.start, from.length);
	return replace(data, size, max_size, to, other, from.length);
}

/* Change a digit by one, which passes a bound if the number is at it. */
static size_t change_digit(uint8_t *data, size_t size)
{
	size_t at = any(size);

	while (at < size && !(data[at] >= '0' && data[at] <= '9'))
		at++;
	if (at < size)
		data[at] = (uint8_t)('0' + (data[at] - '0' + (any(2) ? 1 : 9)) % 10);
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	state = seed;
	if (size == 0 || any(4) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	for (size_t n = 1 + any(3); n > 0 && size > 0; n--) {
		switch (any(5)) {
		case 0:
		case 1:
			size = change_digit(data, size);
			break;
		case 2:
			size = change_line(data, size, max_size);
			break;
		default:
			size = change_word(data, size, max_size);
		}
	}
	if (size == 0)
		data[size++] = '\n'; /* libFuzzer takes no empty text */
	return size;
}
