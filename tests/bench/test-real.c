/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The functions of bench/real.c: all copies give the same answers, and known ones. */

#include "config.h"

#include "unit.h"
#include "real.h"

/* What a call has left. */
struct answer {
	uint64_t value;
	unsigned char bytes[REAL_BYTES];
};

static struct answer call(alike_function *function)
{
	struct answer answer = { 0 };

	real_value = 0;
	memset(real_bytes, 0, sizeof real_bytes);
	function(NULL);
	answer.value = real_value;
	memcpy(answer.bytes, real_bytes, sizeof answer.bytes);
	return answer;
}

static struct answer answer_of(const char *name)
{
	for (size_t i = 0; i < REAL_KINDS; i++)
		if (strcmp(real_all[i].function, name) == 0)
			return call(real_all[i].copies[0]);
	fail_msg("%s: there is no such function", name);
	return (struct answer){ 0 };
}

/* A function that is called again gives the same answer, too: each call does the same work. */
TEST(copies)
{
	for (size_t i = 0; i < REAL_KINDS; i++) {
		const struct answer first = call(real_all[i].copies[0]), none = { 0 };

		if (memcmp(&first, &none, sizeof first) == 0)
			fail_msg("%s: no answer", real_all[i].function);
		for (size_t copy = 0; copy < ALIKE_COPIES; copy++) {
			const struct answer other = call(real_all[i].copies[copy]);

			for (size_t other_copy = 0; other_copy < copy; other_copy++)
				assert_ptr_not_equal(real_all[i].copies[copy],
						     real_all[i].copies[other_copy]);
			if (memcmp(&first, &other, sizeof first) != 0)
				fail_msg("%s_%zu: another answer", real_all[i].function, copy);
		}
	}
}

static void expect_number(const char *name, uint64_t value)
{
	const uint64_t got = answer_of(name).value;

	if (got != value)
		fail_msg("%s: %llu, expected %llu", name, (unsigned long long)got,
			 (unsigned long long)value);
}

static uint32_t word(const struct answer *answer, size_t i)
{
	uint32_t value;

	memcpy(&value, answer->bytes + i * sizeof value, sizeof value);
	return value;
}

static void expect_hash(const struct answer *answer, size_t i, uint64_t hash)
{
	uint64_t got;

	memcpy(&got, answer->bytes + i * sizeof got, sizeof got);
	assert_int_equal(got, hash);
}

TEST(published_vectors)
{
	static const uint32_t abc[] = { 0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
					0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad };
	struct answer a = answer_of("base64");

	for (size_t i = 0; i < 512; i += 8)
		assert_memory_equal(a.bytes + i, "Zm9vYmFy", 8);
	a = answer_of("chacha");
	assert_int_equal(word(&a, 0), 0xe4e7f110);
	assert_int_equal(word(&a, 15), 0x4e3c50a2);
	a = answer_of("sha256");
	assert_memory_equal(a.bytes, abc, sizeof abc);
	a = answer_of("siphash");
	expect_hash(&a, 0, UINT64_C(0xa129ca6149be45e5)); /* 15 bytes */
	expect_hash(&a, 3, UINT64_C(0x958a324ceb064572)); /* 63 */
}

TEST(known_answers)
{
	struct answer a, b;
	uint64_t sum = 0;

	expect_number("matmul", 180);   /* twice 0 + 2 + ... + 18 */
	expect_number("edits", 14);     /* 3 + 3 + 8 */
	expect_number("sieve", 172);    /* primes below 1024 */
	expect_number("lookup", 64);    /* half of the keys */
	expect_number("horspool", 992); /* the text ends with the word */
	a = answer_of("insertion");
	b = answer_of("heap");
	assert_memory_equal(&a.bytes, &b.bytes, sizeof a.bytes);
	for (size_t i = 1; i < 64; i++)
		assert_true(word(&a, i - 1) <= word(&a, i));
	a = answer_of("histogram");
	for (size_t i = 0; i < 256; i++)
		sum += word(&a, i);
	assert_int_equal(sum, 1000);
	a = answer_of("runs");
	sum = 0;
	for (size_t i = 0; i < a.value; i += 2)
		sum += a.bytes[i];
	assert_int_equal(sum, 600);
}

static int prepare(UNIT_UNUSED void **state)
{
	real_prepare();
	return 0;
}

UNIT_MAIN("real", prepare, NULL)
