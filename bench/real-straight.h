/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One copy of each real function that is straight code. Each is short, as people have it. */

REAL(base64)
{
	unsigned char *to = real_bytes;

	for (size_t i = 0; i < BASE64_BYTES; i += 3) {
		const unsigned three = (unsigned)data_base64[i] << 16 |
				       (unsigned)data_base64[i + 1] << 8 | data_base64[i + 2];

		*to++ = (unsigned char)base64_digits[three >> 18];
		*to++ = (unsigned char)base64_digits[three >> 12 & 63];
		*to++ = (unsigned char)base64_digits[three >> 6 & 63];
		*to++ = (unsigned char)base64_digits[three & 63];
	}
}

REAL(matmul)
{
	double trace = 0;

	for (size_t i = 0; i < MATRIX; i++)
		for (size_t j = 0; j < MATRIX; j++) {
			double sum = 0;

			for (size_t k = 0; k < MATRIX; k++)
				sum += data_left[i][k] * data_right[k][j];
			memcpy(real_bytes + (i * MATRIX + j) * sizeof sum, &sum, sizeof sum);
			trace += i == j ? sum : 0;
		}
	real_value = (uint64_t)trace;
}

#define ROTATE32(value, n) ((value) << (n) | (value) >> (32 - (n)))
#define QUARTER_HALF(a, b, d, n) (x[a] += x[b], x[d] ^= x[a], x[d] = ROTATE32(x[d], n))
#define QUARTER(a, b, c, d) \
	QUARTER_HALF(a, b, d, 16), QUARTER_HALF(c, d, b, 12), QUARTER_HALF(a, b, d, 8), \
		QUARTER_HALF(c, d, b, 7)

ALIKE_APART static void COPY(chacha_block)(uint32_t number, unsigned char *to)
{
	uint32_t x[16];

	memcpy(x, data_chacha, sizeof x);
	x[12] += number;
	for (int i = 0; i < 10; i++) {
		QUARTER(0, 4, 8, 12);
		QUARTER(1, 5, 9, 13);
		QUARTER(2, 6, 10, 14);
		QUARTER(3, 7, 11, 15);
		QUARTER(0, 5, 10, 15);
		QUARTER(1, 6, 11, 12);
		QUARTER(2, 7, 8, 13);
		QUARTER(3, 4, 9, 14);
	}
	for (int i = 0; i < 16; i++)
		x[i] += data_chacha[i];
	x[12] += number;
	memcpy(to, x, sizeof x);
}

REAL(chacha)
{
	for (uint32_t i = 0; i < 2; i++)
		COPY(chacha_block)(i, real_bytes + 64 * i);
}

#undef QUARTER
#undef QUARTER_HALF

#define ROTATE64(value, n) ((value) << (n) | (value) >> (64 - (n)))

ALIKE_APART static void COPY(sip_rounds)(uint64_t v[4], int n)
{
	while (n-- > 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = ROTATE64(v[1], 13) ^ v[0];
		v[3] = ROTATE64(v[3], 16) ^ v[2];
		v[0] = ROTATE64(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = ROTATE64(v[1], 17) ^ v[2];
		v[3] = ROTATE64(v[3], 21) ^ v[0];
		v[2] = ROTATE64(v[2], 32);
	}
}

#undef ROTATE64

/* Of the first bytes. The key is 00 to 0f. */
ALIKE_APART static uint64_t COPY(sip)(size_t bytes)
{
	uint64_t v[4] = { UINT64_C(0x7469686173716475), UINT64_C(0x6b617f6d656e6665),
			  UINT64_C(0x6b7f62616d677361), UINT64_C(0x7b6b696e727e6c7b) };

	for (size_t at = 0; at <= bytes; at += 8) {
		uint64_t word = at + 8 > bytes ? (uint64_t)bytes << 56 : 0;

		for (size_t i = 0; i < 8 && at + i < bytes; i++)
			word |= (uint64_t)data_sip[at + i] << 8 * i;
		v[3] ^= word;
		COPY(sip_rounds)(v, 2);
		v[0] ^= word;
	}
	v[2] ^= 0xff;
	COPY(sip_rounds)(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

REAL(siphash)
{
	for (size_t i = 0; i < 4; i++) {
		const uint64_t hash = COPY(sip)(15 + 16 * i);

		memcpy(real_bytes + i * sizeof hash, &hash, sizeof hash);
	}
}

REAL(sha256)
{
	uint32_t w[64], s[8];

	memcpy(w, data_sha256, sizeof data_sha256);
	memcpy(s, sha256_start, sizeof s);
	for (size_t i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (ROTATE32(w[i - 15], 25) ^ ROTATE32(w[i - 15], 14) ^ w[i - 15] >> 3) +
		       (ROTATE32(w[i - 2], 15) ^ ROTATE32(w[i - 2], 13) ^ w[i - 2] >> 10);
	for (size_t i = 0; i < 64; i++) {
		const uint32_t one = s[7] +
				     (ROTATE32(s[4], 26) ^ ROTATE32(s[4], 21) ^ ROTATE32(s[4], 7)) +
				     ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_rounds[i] + w[i];
		const uint32_t two =
			(ROTATE32(s[0], 30) ^ ROTATE32(s[0], 19) ^ ROTATE32(s[0], 10)) +
			((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof s[0]);
		s[4] += one;
		s[0] = one + two;
	}
	for (size_t i = 0; i < 8; i++)
		s[i] += sha256_start[i];
	memcpy(real_bytes, s, sizeof s);
}

#undef ROTATE32

REAL(adler)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < ADLER_BYTES; i++) {
		a += (unsigned char)data_text[i];
		b += a;
	}
	real_value = (uint64_t)(b % 65521) << 16 | a % 65521;
}

REAL(histogram)
{
	uint32_t counts[256] = { 0 };

	for (size_t i = 0; i < TEXT_BYTES; i++)
		counts[(unsigned char)data_text[i]]++;
	memcpy(real_bytes, counts, sizeof counts);
}

REAL(filter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SIGNAL; i++) {
		int32_t value = 0;

		for (size_t j = 0; j < TAPS; j++)
			value += data_signal[i + j] * data_taps[j];
		sum += (uint64_t)(value + 1000000);
	}
	real_value = sum;
}
