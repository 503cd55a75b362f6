/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which functions are tested, with which inputs. bench/README.md says what each of them is. */

#include "config.h"

#include "leaks.h"

const struct leaks_subject leaks_subjects[LEAKS_SUBJECTS] = {
	{ "two cycles in 1,000", LEAKS_POWER, known_two_more, SECRET_BYTES, known_zero,
	  known_two_more_drawn },
	{ "200 cycles, 1 call in 100", LEAKS_POWER, known_rare, SECRET_BYTES, known_zero,
	  known_rare_drawn },
	{ "compare, early exit", LEAKS_LEAKY, leaky_compare, SECRET_BYTES, leaks_secret_fixed,
	  NULL },
	{ "branch on a bit", LEAKS_LEAKY, leaky_bit, 32, NULL, NULL },
	{ "square and multiply", LEAKS_LEAKY, leaky_power, 32, NULL, NULL },
	{ "table of 64 KiB", LEAKS_LEAKY, leaky_lookup, 32, NULL, NULL },
	{ "division", LEAKS_LEAKY, leaky_divide, 32, leaky_divide_fixed, NULL },
	{ "padding, early exit", LEAKS_LEAKY, leaky_padding, 32, leaky_padding_fixed, NULL },
	{ "loop count", LEAKS_LEAKY, leaky_count, 32, NULL, NULL },
	{ "subnormal numbers", LEAKS_LEAKY, leaky_subnormal, 32, leaky_subnormal_fixed,
	  leaky_subnormal_drawn },
	{ "compare, all bytes", LEAKS_SAFE, safe_compare, SECRET_BYTES, leaks_secret_fixed, NULL },
	{ "select by a mask", LEAKS_SAFE, safe_select, 1 + 2 * SECRET_BYTES, NULL, NULL },
	{ "ChaCha20", LEAKS_SAFE, safe_chacha20, 32, NULL, NULL },
	{ "Poly1305", LEAKS_SAFE, safe_poly1305, 32, NULL, NULL },
	{ "S-box of AES, bitsliced", LEAKS_SAFE, safe_sbox, 32, NULL, NULL },
	{ "whole table is read", LEAKS_SAFE, safe_scan, 1 + 256, NULL, NULL },
	{ "Montgomery's ladder", LEAKS_SAFE, safe_ladder, 32, NULL, NULL },
	{ "multiplication, 2^255 - 19", LEAKS_SAFE, safe_multiply, 64, NULL, NULL },
	{ "copy of 1 KiB", LEAKS_SAFE, safe_copy, LEAKS_BYTES, NULL, NULL },
};
