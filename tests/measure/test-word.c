/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "events/word.h"

#include <errno.h>

TEST(words_of_the_manual)
{
	struct event_ask ask = { .text = "kept" };

	assert_int_equal(event_word_decode(0x4100c0, &ask), 0);
	assert_int_equal(ask.source, EVENT_WORD);
	assert_int_equal(ask.number, 0xc0);
	assert_true(ask.user && !ask.kernel);
	assert_false(ask.parts.has_mask || ask.parts.edge || ask.parts.invert);
	assert_int_equal(ask.parts.count, 0);
	assert_string_equal(ask.text, "kept");

	assert_int_equal(event_word_decode(0x02c60f2e, &ask), 0);
	assert_int_equal(ask.number, 0x2e);
	assert_true(!ask.user && ask.kernel && ask.parts.edge && ask.parts.invert);
	assert_true(ask.parts.has_mask);
	assert_int_equal(ask.parts.mask, 0x0f);
	assert_int_equal(ask.parts.count, 2);
}

TEST(words_that_count_nothing)
{
	static const uint64_t table[] = {
		0,
		0xc0,
		0x0300c0, /* not enabled */
		0x4000c0, /* neither user nor kernel */
		0x4900c0, /* pin control */
		0x5300c0, /* interrupt */
		0x6300c0, /* any thread */
		0x14300c0 | UINT64_C(1) << 32,
		UINT64_MAX,
	};
	struct event_ask ask;

	for (size_t i = 0; i < N(table); i++)
		if (event_word_decode(table[i], &ask) != -EINVAL)
			fail_msg("0x%llx is taken", (unsigned long long)table[i]);
}

TEST(events_become_words)
{
	static const struct {
		struct event_ask ask;
		uint32_t word;
	} table[] = {
		{ { .source = EVENT_RAW, .number = 0xc0 }, 0x4100c0 },
		{ { .source = EVENT_RAW, .number = 0x01c0, .user = true }, 0x4101c0 },
		{ { .source = EVENT_RAW, .number = 0xc0, .kernel = true }, 0x4200c0 },
		{ { .source = EVENT_RAW, .number = 0xc0, .user = true, .kernel = true }, 0x4300c0 },
		{ { .source = EVENT_RAW,
		    .number = 0xc0,
		    .parts = { .has_mask = true, .mask = 15 } },
		  0x410fc0 },
		{ { .source = EVENT_RAW, .number = 0xc0, .parts = { .count = 255, .edge = true } },
		  0xff4500c0 },
		{ { .source = EVENT_WORD, .number = 0xc0, .parts = { .invert = true } }, 0xc100c0 },
		{ { .source = EVENT_RAW, .number = 0x01c0, .parts = { .has_mask = true } }, 0 },
		{ { .source = EVENT_RAW, .number = 0x101c0 }, 0 },
		{ { .source = EVENT_WORD, .number = 0x1c0 }, 0 },
		{ { .source = EVENT_HARDWARE, .number = 0 }, 0 },
	};

	for (size_t i = 0; i < N(table); i++) {
		const uint32_t word = event_word_encode(&table[i].ask);

		if (word != table[i].word)
			fail_msg("line %zu: 0x%lx, expected 0x%lx", i, (unsigned long)word,
				 (unsigned long)table[i].word);
	}
}

TEST(there_and_back)
{
	unsigned taken = 0;

	unit_seed();
	for (unsigned i = 0; i < 100000; i++) {
		const uint32_t word = (uint32_t)unit_random();
		struct event_ask ask = { .number = 0 };

		if (event_word_decode(word, &ask))
			continue;
		taken++;
		assert_int_equal(event_word_encode(&ask), word);
	}
	assert_true(taken > 0);
}

/* Marks, as pctr -l has them */

#define PENTIUM_3 0x00000683
#define PENTIUM_M 0x000006d8
#define CORE_2 0x000006fb
#define PENRYN 0x0001067a

TEST(marks_of_pctr)
{
	static const struct {
		uint32_t cpu;
		uint8_t code, mask;
		const char *mark, *name;
	} table[] = {
		{ PENTIUM_3, 0x2e, 0x0f, "MESI", "L2_RQSTS: " },
		{ PENTIUM_3, 0x70, 0x00, "A", "BUS_TRAN_ANY: " },
		{ PENTIUM_M, 0x28, 0x0f, "MESI", "L2_IFETCH: " },
		{ CORE_2, 0x29, 0x4f, "MESI", "L2_LD: " },
		{ CORE_2, 0x41, 0x0f, "MESI", "L1D_CACHE_ST: " },
		{ PENRYN, 0x65, 0x40, "A", "BUS_TRANS_BRD: " },
		{ PENRYN, 0x7b, 0x00, "A", "BUS_HITM_DRV: " },
	};

	for (size_t i = 0; i < N(table); i++) {
		const struct event_word_known *known = event_word_find(table[i].cpu, table[i].code);

		assert_non_null(known);
		assert_int_equal(known->code, table[i].code);
		assert_int_equal(known->mask, table[i].mask);
		assert_string_equal(known->mark, table[i].mark);
		assert_int_equal(strncmp(known->what, table[i].name, strlen(table[i].name)), 0);
	}
}

/* A mark that is wrong is worse than none. */
TEST(codes_without_marks)
{
	static const struct {
		uint32_t cpu;
		uint8_t code;
	} table[] = {
		{ PENTIUM_3, 0xc0 },  { PENTIUM_3, 0x40 },  { CORE_2, 0xc0 },
		{ CORE_2, 0x32 },     { 0x000106a5, 0x2e }, /* Nehalem */
		{ 0x000106c2, 0x2e },                       /* Atom */
		{ 0x000906ea, 0x2e },                       /* Coffee Lake */
		{ 0x00000f41, 0x2e },                       /* Pentium 4 */
		{ 0, 0x2e },                                /* another maker */
	};

	for (size_t i = 0; i < N(table); i++)
		if (event_word_find(table[i].cpu, table[i].code))
			fail_msg("%x is marked on %x", table[i].code, (unsigned)table[i].cpu);
}

/* Each code once, with a word that pctr(4) takes, and a mask that fits the mark. */
TEST(sane_marks)
{
	static const uint32_t cpus[] = { PENTIUM_3, CORE_2 };
	const struct event_word_known *known;

	for (size_t c = 0; c < N(cpus); c++)
		for (size_t i = 0; (known = event_word_at(cpus[c], i)); i++) {
			assert_ptr_equal(event_word_find(cpus[c], known->code), known);
			assert_non_null(strstr(known->what, ": "));
			if (!strcmp(known->mark, "MESI"))
				assert_int_equal(known->mask & 0x0f, 0x0f);
			else
				assert_true(!strcmp(known->mark, "A") && !(known->mask & 0x20));
		}
}

UNIT_MAIN("word", NULL, NULL)
