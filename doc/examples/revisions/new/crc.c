/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Two checksums, as in old/crc.c. The CRC takes four bits at a time. */

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

static const uint32_t of_four_bits[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
	0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t crc(const unsigned char *bytes, size_t n)
{
	uint32_t sum = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		sum ^= bytes[i];
		sum = sum >> 4 ^ of_four_bits[sum & 15];
		sum = sum >> 4 ^ of_four_bits[sum & 15];
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
