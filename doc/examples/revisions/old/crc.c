/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Two checksums, of which new/crc.c makes one faster. */

#include <stddef.h>
#include <stdint.h>

uint32_t adler(const unsigned char *bytes, size_t n);
uint32_t crc(const unsigned char *bytes, size_t n);
void adler_of_text(void);
void crc_of_text(void);

uint32_t adler(const unsigned char *bytes, size_t n)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < n; i++) {
		a = (a + bytes[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

uint32_t crc(const unsigned char *bytes, size_t n)
{
	uint32_t sum = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		sum ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (0xedb88320 & -(sum & 1));
	}
	return ~sum;
}

/* Without parameters, for a comparison without --sizes. */

static unsigned char text[1024];
volatile uint32_t kept;

void adler_of_text(void)
{
	kept = adler(text, sizeof text);
}

void crc_of_text(void)
{
	kept = crc(text, sizeof text);
}
