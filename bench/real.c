/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "real.h"

#include "alike-define.h"
#include "real-data.h"

/* At no place of their own: cpucycles-measure puts them at all places of a line of the cache. */
#define REAL(name) ALIKE_APART ALIKE_HEAD(COPY(name))

uint64_t real_value;
unsigned char real_bytes[REAL_BYTES];

/* Tables of the copies, which share all their data: where a copy's own table lay, it would lie in
 * each process. */
static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* FIPS 180. */
static const uint32_t sha256_start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
static const uint32_t sha256_rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

#define ALIKE_COPY "real-straight.h"
#include "alike-copies.h"
#define ALIKE_COPY "real-branchy.h"
#include "alike-copies.h"

void real_prepare(void)
{
	data_make();
}

#ifdef ALIKE_SHARED

/* Before anybody calls a function of this object. */
__attribute__((constructor)) static void prepare(void)
{
	real_prepare();
}

#else

#define COPIES(name) \
#name, \
	{ \
		name##_0, name##_1, name##_2, name##_3 \
	}

const struct alike real_all[REAL_KINDS] = {
	{ "base64 encoding", COPIES(base64) },
	{ "a product of matrices", COPIES(matmul) },
	{ "two blocks of ChaCha20", COPIES(chacha) },
	{ "SipHash", COPIES(siphash) },
	{ "a block of SHA-256", COPIES(sha256) },
	{ "a checksum", COPIES(adler) },
	{ "a histogram", COPIES(histogram) },
	{ "a digital filter", COPIES(filter) },
	/* Branchy from here on: REAL_STRAIGHT. */
	{ "a check of UTF-8", COPIES(utf8) },
	{ "a tokenizer of JSON", COPIES(json) },
	{ "binary searches", COPIES(bsearch) },
	{ "insertion sort", COPIES(insertion) },
	{ "heap sort", COPIES(heap) },
	{ "decimal numbers", COPIES(decimal) },
	{ "a search for a word", COPIES(horspool) },
	{ "decompression", COPIES(unpack) },
	{ "a hash table", COPIES(lookup) },
	{ "edit distances", COPIES(edits) },
	{ "run-length coding", COPIES(runs) },
	{ "counting words", COPIES(words) },
	{ "a sieve", COPIES(sieve) },
};

#endif
