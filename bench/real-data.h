/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the functions of bench/real.c read, and how it is made. */

#ifndef CPUCYCLES_BENCH_REAL_DATA_H
#define CPUCYCLES_BENCH_REAL_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BASE64_BYTES 384
#define MATRIX 10
#define SIP_BYTES 63
#define ADLER_BYTES 512
#define SIGNAL 128
#define TAPS 16
#define UTF8_BYTES 500
#define JSON_BYTES 640
#define SORTED 1000
#define SEARCHES 32
#define NUMBERS 64
#define DECIMAL_BYTES 400
#define TEXT_BYTES 1000
#define PATTERN "needle"
#define PACKED_BYTES 400
#define TABLE 256
#define LOOKUPS 128
#define RUNS_BYTES 600
#define SIEVE 1024

static unsigned char data_base64[BASE64_BYTES];
static double data_left[MATRIX][MATRIX], data_right[MATRIX][MATRIX];
static uint32_t data_chacha[16], data_sha256[16];
static unsigned char data_sip[SIP_BYTES];
static int32_t data_signal[SIGNAL + TAPS], data_taps[TAPS];
static unsigned char data_utf8[UTF8_BYTES];
static char data_json[JSON_BYTES];
static uint32_t data_sorted[SORTED], data_sought[SEARCHES], data_numbers[NUMBERS];
static char data_decimal[DECIMAL_BYTES];
static char data_text[TEXT_BYTES];
static unsigned char data_packed[PACKED_BYTES];
static uint32_t data_table[TABLE], data_keys[LOOKUPS];
static unsigned char data_runs[RUNS_BYTES];
static const char *const data_words[][2] = { { "kitten", "sitting" },
					     { "saturday", "sunday" },
					     { "rosettacode", "raisethysword" } };

static uint32_t data_state;

/* From 0 to n - 1, the same at each run. */
static uint32_t data_random(uint32_t n)
{
	data_state = data_state * 1103515245 + 12345;
	return (data_state >> 8) % n;
}

/* Published test vectors: RFC 4648, RFC 8439 (2.3.2), FIPS 180 ("abc"), the paper on SipHash. */
static void data_make_vectors(void)
{
	static const uint32_t chacha[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
					     0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
					     0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
					     0x00000001, 0x09000000, 0x4a000000, 0x00000000 };

	memcpy(data_chacha, chacha, sizeof chacha);
	for (size_t i = 0; i < BASE64_BYTES; i++)
		data_base64[i] = (unsigned char)"foobar"[i % 6];
	data_sha256[0] = 0x61626380;
	data_sha256[15] = 24;
	for (size_t i = 0; i < SIP_BYTES; i++)
		data_sip[i] = (unsigned char)i;
}

static void data_make_numbers(void)
{
	for (size_t i = 0; i < MATRIX; i++)
		for (size_t j = 0; j < MATRIX; j++) {
			data_left[i][j] = (double)(i + j);
			data_right[i][j] = i == j ? 2 : 0;
		}
	for (size_t i = 0; i < SIGNAL + TAPS; i++)
		data_signal[i] = 1 + (int32_t)data_random(1000);
	for (size_t i = 0; i < TAPS; i++)
		data_taps[i] = (int32_t)i - 7;
	for (size_t i = 0; i < NUMBERS; i++)
		data_numbers[i] = data_random(1000000);
	for (uint32_t i = 0; i < SORTED; i++)
		data_sorted[i] = 7 * i;
	for (size_t i = 0; i < SEARCHES; i++)
		data_sought[i] = 7 * data_random(SORTED);
}

/* Characters of one to four bytes. The last bytes are of one. */
static void data_make_utf8(void)
{
	static const char *const characters[] = { "a", "\xc3\xa4", "\xe2\x82\xac",
						  "\xf0\x9f\x98\x80" };
	size_t n = 0;

	memset(data_utf8, 'z', sizeof data_utf8);
	while (n < UTF8_BYTES - 4) {
		const size_t length = data_random(4) + 1;

		memcpy(data_utf8 + n, characters[length - 1], length);
		n += length;
	}
}

/* Add to a text as long as there is room. False: there was none. */
static int data_add(char text[], size_t room, const char *format, unsigned a, unsigned b)
{
	const size_t n = strlen(text);
	char more[80];
	const int length = snprintf(more, sizeof more, format, a, b);

	if (n + (size_t)length >= room)
		return 0;
	memcpy(text + n, more, (size_t)length + 1);
	return 1;
}

static void data_make_texts(void)
{
	size_t n = 0;

	while (data_add(data_json, JSON_BYTES - 1, "[{\"id\":%u,\"a \\\"b\":[%u.5e3,null]},",
			data_random(1000), data_random(100000)))
		continue;
	while (data_add(data_decimal, DECIMAL_BYTES, "%u,-%u,", data_random(100000),
			data_random(100)))
		continue;
	while (n < TEXT_BYTES - 1 - sizeof PATTERN)
		data_text[n++] = "aabbccdddeeelmnn     \n"[data_random(22)];
	memcpy(data_text + n, PATTERN, sizeof PATTERN);
	n = 0;
	while (n < RUNS_BYTES) {
		const uint32_t length = 1 + data_random(9), byte = data_random(256);

		for (uint32_t i = 0; i < length && n < RUNS_BYTES; i++)
			data_runs[n++] = (unsigned char)byte;
	}
}

/* What is taken from behind has length 4 to 11. A piece is a byte with its length and that of the
 * new bytes before it, these bytes, and how far back the old ones lie. 0 ends. */
static void data_make_packed(void)
{
	size_t n = 0;
	uint32_t plain = 0;

	while (n < PACKED_BYTES - 20) {
		const uint32_t more = 1 + data_random(6), old = data_random(8);

		data_packed[n++] = (unsigned char)(more << 4 | old);
		for (uint32_t i = 0; i < more; i++)
			data_packed[n++] = (unsigned char)('a' + data_random(26));
		plain += more;
		data_packed[n++] = (unsigned char)(1 + data_random(plain < 200 ? plain : 200));
		plain += old + 4;
	}
}

#define TABLE_PLACE(key) ((key)*2654435769U >> 24)

/* Half of the keys that are looked up are there. 0 is no key. */
static void data_make_table(void)
{
	for (uint32_t i = 0; i < TABLE * 5 / 8; i++) {
		const uint32_t key = 2 * data_random(1000000) + 1;
		size_t place = TABLE_PLACE(key);

		while (data_table[place])
			place = (place + 1) % TABLE;
		data_table[place] = key;
		if (i < LOOKUPS)
			data_keys[i] = i % 2 == 1 ? key : key + 1;
	}
}

/* Once: the tables are empty before. */
static void data_make(void)
{
	data_state = 1;
	data_make_vectors();
	data_make_numbers();
	data_make_utf8();
	data_make_texts();
	data_make_packed();
	data_make_table();
}

#endif
