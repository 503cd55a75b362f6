/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "hash.h"
#include "cache-text.h"

/* Fewer under an emulator, which is slow. */
#define ROUNDS (unit_is_slow() ? 300 : 3000)
#define FLIP_STEP (unit_is_slow() ? 127 : 1) /* between two changes of one byte */

/* Numbers of lines: four of identities, persecond, the list, one per counter, the fingerprint, the
 * core, and the facts. */
#define LINE_PERSECOND 5
#define LINE_LIST 6
#define LINE_COUNTERS 7
#define LINE_FINGERPRINT (unsigned)(LINE_COUNTERS + counters_count)
#define LINE_CORE (LINE_FINGERPRINT + 1)
#define LINE_FACTS (LINE_CORE + 1)
#define LINE_CHECKSUM (LINE_FACTS + CACHE_FACTS)

/* What the writer writes, the reader reads; and written again it is the same text. */
TEST(round_trip)
{
	static char again[CACHE_SIZE_MAX];

	for (int i = 0; i < ROUNDS; i++) {
		static struct cache cache, back;

		random_cache(&cache);
		random_word(cache.library, sizeof cache.library);
		random_word(cache.machine, sizeof cache.machine);
		random_words(cache.fingerprint, sizeof cache.fingerprint);
		cache.persecond.source = (enum persecond_source)(unit_random() % PERSECOND_SOURCES);
		if (unit_random() % 8 == 0)
			cache.persecond.hz =
				unit_random() % 2 ? RATE_SANE_MIN_HZ : RATE_SANE_MAX_HZ;
		length = cache_format(&cache, text, sizeof text);
		assert_true(length > 0);
		memset(&back, 0xa5, sizeof back);
		assert_int_equal(cache_parse(text, length, &back), 0);
		expect_same(&cache, &back);
		assert_int_equal(cache_format(&back, again, sizeof again), length);
		assert_memory_equal(again, text, length);
	}
}

TEST(checksum_is_the_documented_one)
{
	struct cache cache;
	char before[CACHE_SIZE_MAX];

	make_text(&cache);
	strcpy(before, text);
	seal();
	assert_string_equal(text, before);
}

/* Every byte of these numbers is another one, so that none may move. */
#define NUMBER_A UINT64_C(0x0102030405060708)
#define NUMBER_B UINT64_C(0xfedcba9876543210)

/* Of less than eight bytes, a hash that others published: FNV-1a of "foobar", draft-eastlake-fnv,
 * test vectors. Of more, and of more than 32, made in another language from cpucycles-cache(5). */
#define FOOBAR_HASH UINT64_C(0x85944171f73967e8)
#define FIRST_LINE "cpucycles-cache 4\n"
#define FIRST_LINE_HASH UINT64_C(0x563c423754ab4da9)
#define WRITTEN_HEAD_HASH UINT64_C(0x08e0893501acf2ca)
#define WRITTEN_REST_HASH UINT64_C(0x930a71c1261447dc)

static const char written_head[] = "cpucycles-cache 4\n"
				   "library 12.34.56\n"
				   "boot " OTHER_BOOT "\n"
				   "machine 0123456789abcdef\n"
				   "persecond 8640267526 cpuinfo-mhz\n";

static const char written_rest[] = "fingerprint fedcba9876543210\n"
				   "core 4328719365 ppm 66051\n"
				   "fact tsc variable\n"
				   "fact clocksource arch_sys_counter\n"
				   "fact hypervisor none\n"
				   "fact governor schedutil\n"
				   "fact turbo on\n"
				   "fact smt off\n"
				   "fact kinds 258\n"
				   "fact skew 16909060\n"
				   "fact witness arm64-perfpmc\n"
				   "fact counted 4328719367\n"
				   "fact chain 4328719366\n"
				   "fact check contradicts\n"
				   "fact slowest 4328719364\n";

static const struct cache written_cache = {
	.library = "12.34.56",
	.boot = OTHER_BOOT,
	.machine = "0123456789abcdef",
	.fingerprint = "fedcba9876543210",
	.persecond = { .hz = UINT64_C(0x203000506), .source = PERSECOND_CPUINFO_MHZ },
	.core = { .hz = UINT64_C(0x102030405), .ppm = 0x10203 },
	.facts = { "variable", "arch_sys_counter", "none", "schedutil", "on", "off", "258",
		   "16909060", "arm64-perfpmc", "4328719367", "4328719366", "contradicts",
		   "4328719364" },
	.usable = 1,
};

static uint32_t crc_of_byte(uint32_t crc, unsigned byte)
{
	crc ^= byte << 24;
	for (int i = 0; i < 8; i++)
		crc = crc << 1 ^ (crc >> 31 ? UINT32_C(0x04c11db7) : 0);
	return crc;
}

/* What cksum prints, by POSIX's description of the utility: a CRC of the bytes and of their
 * number. */
static uint32_t cksum(const char *bytes, size_t n)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < n; i++)
		crc = crc_of_byte(crc, (unsigned char)bytes[i]);
	for (; n > 0; n >>= 8)
		crc = crc_of_byte(crc, n & 0xff);
	return ~crc;
}

/* The number that stands for the list, as cpucycles-cache(5) describes it. */
static uint64_t documented_list_hash(void)
{
	char names[32 * COUNTERS_MAX] = "";

	for (size_t i = 0; i < counters_count; i++) {
		strcat(names, counters_list[i]->name);
		strcat(names, i + 1 < counters_count ? " " : "\n");
	}
	for (char *p = names; *p; p++)
		if (*p == '-')
			*p = '_';
	return documented_step(DOCUMENTED_START, cksum(names, strlen(names)));
}

/* Except for the list of counters, and so for two hashes, the text is the same on every
 * machine, whatever its order of bytes and its width of words. */
TEST(written_elsewhere)
{
	struct cache cache = written_cache, back;
	char expected[CACHE_SIZE_MAX];
	size_t n;

	n = (size_t)sprintf(
		expected,
		"%scounters %016" PRIx64 "\nusable %s %s"
		" precision 72623859790382856 hz 18364758544493064720"
		" scaling 18364758544493064720/72623859790382856 measured 4328719365 ppm 66051\n",
		written_head, documented_list_hash(), counters_list[0]->name,
		counter_class_name(counters_list[0]->class));
	cache.candidates[0] = (struct candidate){
		counters_list[0], REASON_NONE,       0, NUMBER_B, { NUMBER_B, NUMBER_A },
		NUMBER_A,         written_cache.core
	};
	for (size_t i = 1; i < counters_count; i++) {
		n += (size_t)sprintf(expected + n, "unusable %s errno 258\n",
				     counters_list[i]->name);
		cache.candidates[i] = (struct candidate){ .counter = counters_list[i],
							  .reason = REASON_ERRNO,
							  .detail = 258 };
	}
	sprintf(expected + n, "%schecksum 0\n", written_rest);
	strcpy(text, expected);
	seal();
	memcpy(expected, text, length + 1);
	assert_int_equal(cache_parse(expected, length, &back), 0);
	expect_same(&cache, &back);
	assert_int_equal(cache_format(&back, text, sizeof text), length);
	assert_string_equal(text, expected);
	assert_int_equal(cache_format(&cache, text, sizeof text), length);
	assert_string_equal(text, expected);
	assert_true(hash_add(HASH_START, "foobar", 6) == FOOBAR_HASH);
	assert_true(hash_add(HASH_START, FIRST_LINE, strlen(FIRST_LINE)) == FIRST_LINE_HASH);
	assert_true(hash_text(written_head, strlen(written_head)) == WRITTEN_HEAD_HASH);
	assert_true(hash_text(written_rest, strlen(written_rest)) == WRITTEN_REST_HASH);
}

TEST(does_not_fit)
{
	struct cache cache;

	make_text(&cache);
	for (size_t size = 1; size <= length; size++)
		assert_int_equal(cache_format(&cache, text, size), 0);
	assert_int_equal(cache_format(&cache, text, length + 1), length);
}

/* How far the line-by-line reading comes in the text. */
struct look {
	bool open;            /* checksum and header are right */
	size_t usable;        /* so many counters were read */
	enum cache_line last; /* the answer behind them */
	unsigned line;        /* where the reader stands then */
	uint64_t core;        /* the core's frequency, from what is behind that */
	struct candidate candidates[COUNTERS_MAX + 1];
};

/* Of the structure only the header is set. */
static void expect_untouched(const struct cache *header)
{
	const unsigned char *const bytes = (const unsigned char *)header;

	for (size_t i = offsetof(struct cache, usable); i < sizeof *header; i++)
		assert_int_equal(bytes[i], 0xa5);
}

static struct look look(const char *bytes, size_t n)
{
	static struct cache header;
	struct look result = { .open = false };
	struct cache_reader reader;

	memset(&header, 0xa5, sizeof header);
	result.open = cache_parse_header(&reader, bytes, n, &header);
	assert_int_equal(header.library[0] != 0, result.open);
	expect_untouched(&header);
	if (!result.open)
		return result;
	do {
		assert_true(result.usable <= counters_count);
		result.last = cache_parse_usable(&reader, &result.candidates[result.usable]);
	} while (result.last == CACHE_LINE_USABLE && ++result.usable);
	result.line = reader.line;
	result.core = cache_parse_core(&reader);
	assert_int_equal(reader.line, result.line);
	return result;
}

TEST(every_truncation)
{
	struct cache cache;
	char copy[CACHE_SIZE_MAX];

	make_text(&cache);
	for (size_t n = 0; n < length; n++) {
		/* On the heap, so that a sanitizer sees a read past the end. */
		char *part = malloc(n ? n : 1);

		assert_non_null(part);
		memcpy(part, text, n);
		assert_int_not_equal(cache_parse(part, n, &cache), 0);
		assert_false(look(part, n).open);
		assert_int_equal(cache.library[0], 0);
		free(part);
	}
	memcpy(copy, text, length);
	copy[length] = '\n';
	assert_int_not_equal(cache_parse(copy, length + 1, &cache), 0);
	assert_false(look(copy, length + 1).open);
}

TEST(every_changed_byte)
{
	struct cache cache;

	make_text(&cache);
	for (size_t i = 0; i < length; i++) {
		for (int flip = 1; flip < 256; flip += FLIP_STEP) {
			text[i] = (char)(text[i] ^ flip);
			if (cache_parse(text, length, &cache) == 0)
				fail_msg("byte %zu: a change by %#x is not seen", i, flip);
			if (look(text, length).open)
				fail_msg("byte %zu: a change by %#x is not seen at once", i, flip);
			text[i] = (char)(text[i] ^ flip);
		}
	}
	assert_int_equal(cache_parse(text, length, &cache), 0);
}

static bool line_begins(unsigned line, const char *words)
{
	const char *p = text;

	while (--line > 0)
		p = strchr(p, '\n') + 1;
	return !strncmp(p, words, strlen(words));
}

/* The line-by-line reading of a text with one wrong line. In the header: the text is refused. In a
 * usable counter: the counters before it are read, and the line is found wrong. Behind the usable
 * counters: the line is not needed. */
static void expect_stop_at(unsigned line)
{
	const struct look got = look(text, length);
	static struct cache untouched;

	if (line < LINE_COUNTERS) {
		assert_false(got.open);
		return;
	}
	assert_true(got.open);
	assert_true(got.line <= line);
	assert_int_equal(got.usable, got.line - LINE_COUNTERS);
	if (line_begins(line, "usable ") && got.line == line)
		assert_int_equal(got.last, CACHE_LINE_WRONG);
	else
		assert_false(line_begins(got.line, "usable "));
	make_text(&untouched);
	for (size_t i = 0; i < got.usable; i++)
		expect_same_candidate(&got.candidates[i], &untouched.candidates[i]);
}

/* The whole reading names the line. */
static void expect_wrong_line(const char *piece, const char *by, unsigned line)
{
	struct cache cache;
	unsigned got;

	make_text(&cache);
	edit(piece, by);
	got = cache_parse(text, length, &cache);
	if (got != line)
		fail_msg("\"%s\" for \"%s\": got line %u, expected %u", by, piece, got, line);
	expect_stop_at(line);
}

TEST(every_field)
{
	char first[64], second[64];

	snprintf(first, sizeof first, "usable %s ", counters_list[0]->name);
	snprintf(second, sizeof second, "usable %s ", counters_list[1]->name);
	expect_wrong_line("cpucycles-cache 4", "cpucycles-cache 3", 1);
	expect_wrong_line("cpucycles-cache 4", "cpucycles-cache 5", 1);
	expect_wrong_line("cpucycles-cache 4", "cpucycles-cache 4 ", 1);
	expect_wrong_line("cpucycles-cache 4", "\ncpucycles-cache 4", 1);
	expect_wrong_line("library ", "Library ", 2);
	expect_wrong_line("library " PACKAGE_VERSION, "library ", 2);
	expect_wrong_line("library " PACKAGE_VERSION, "library one two", 2);
	expect_wrong_line("library ", "library 0123456789012345678901234567890123456789", 2);
	expect_wrong_line("boot ", "boot x", 3);
	expect_wrong_line("boot ", "boot ABCDEF01-2345-6789-abcd-ef0123456789\nboot ", 3);
	expect_wrong_line("machine ", "machine  ", 4);
	expect_wrong_line("machine ", "machine \x1b", 4);
	expect_wrong_line("persecond ", "persecond 0", LINE_PERSECOND);
	expect_wrong_line("persecond ", "persecond -", LINE_PERSECOND);
	expect_wrong_line("persecond ", "persecond 99999999999999999999", LINE_PERSECOND);
	expect_wrong_line("persecond ", "persecond 999 cpuinfo-mhz\npersecond ", LINE_PERSECOND);
	expect_wrong_line("persecond ", "persecond 100000000001 cpuinfo-mhz\npersecond ",
			  LINE_PERSECOND);
	expect_wrong_line(" cpuinfo-mhz", " nobody", LINE_PERSECOND);
	expect_wrong_line(" cpuinfo-mhz", "", LINE_PERSECOND);
	expect_wrong_line("counters ", "counters 0", LINE_LIST);
	expect_wrong_line("counters ", "counters 0123456789abcdef\ncounters ", LINE_LIST);
	expect_wrong_line("counters ", "list ", LINE_LIST);
	expect_wrong_line(first, "usable nosuch-counter ", LINE_COUNTERS);
	expect_wrong_line(first, "unusable ", LINE_COUNTERS);
	expect_wrong_line(" precision 124", " precision 0", LINE_COUNTERS);
	expect_wrong_line(" precision 124", " precision 0124", LINE_COUNTERS);
	expect_wrong_line(" precision 124", " precision 18446744073709551616", LINE_COUNTERS);
	expect_wrong_line(" precision 124 hz", " precision 124  hz", LINE_COUNTERS);
	expect_wrong_line(" precision 125", " precision 123", LINE_COUNTERS + 1);
	expect_wrong_line(" hz 0", " hz 0x0", LINE_COUNTERS);
	expect_wrong_line(" hz 0", " hz ", LINE_COUNTERS);
	expect_wrong_line(" scaling 1/1", " scaling 0/1", LINE_COUNTERS);
	expect_wrong_line(" scaling 1/1", " scaling 1/0", LINE_COUNTERS);
	expect_wrong_line(" scaling 1/1", " scaling 1.0", LINE_COUNTERS);
	expect_wrong_line(" measured 0 ppm 0", "", LINE_COUNTERS);
	expect_wrong_line(" measured 0 ppm 0", " measured 999 ppm 0", LINE_COUNTERS);
	expect_wrong_line(" measured 0 ppm 0", " measured 1000 ppm 1000001", LINE_COUNTERS);
	expect_wrong_line(" measured 0 ppm 0", " measured 1000 ppm 4294967297", LINE_COUNTERS);
	expect_wrong_line(" measured 0 ppm 0", " measured 1000", LINE_COUNTERS);
	expect_wrong_line(second, first, LINE_COUNTERS + 1);
	expect_wrong_line("unusable ", "usable ", LINE_COUNTERS + 2);
	expect_wrong_line(" errno 2", " errno 4096", LINE_COUNTERS + 2);
	expect_wrong_line(" errno 2", " errno -2", LINE_COUNTERS + 2);
	expect_wrong_line(" errno 2", " none 0", LINE_COUNTERS + 2);
	expect_wrong_line(" errno 2", " weather 2", LINE_COUNTERS + 2);
	expect_wrong_line(" errno 2\n", " errno 2\r\n", LINE_COUNTERS + 2);
	expect_wrong_line("fingerprint ", "unusable nosuch-counter errno 2\nfingerprint ",
			  LINE_FINGERPRINT);
	expect_wrong_line("fingerprint ", "fingerprint  ", LINE_FINGERPRINT);
	expect_wrong_line("\ncore ", " \ncore ", LINE_FINGERPRINT);
	expect_wrong_line(" cpu:", "  cpu:", LINE_FINGERPRINT);
	expect_wrong_line(" cpu:", "\tcpu:", LINE_FINGERPRINT);
	expect_wrong_line("fingerprint ", "Fingerprint ", LINE_FINGERPRINT);
	expect_wrong_line("core 0 ppm 0", "core 0", LINE_CORE);
	expect_wrong_line("core 0 ppm 0", "core 999 ppm 0", LINE_CORE);
	expect_wrong_line("core 0 ppm 0", "core 100000000001 ppm 0", LINE_CORE);
	expect_wrong_line("core 0 ppm 0", "core 1000 ppm 1000001", LINE_CORE);
	expect_wrong_line("core 0 ppm 0", "core 1000 ppm -1", LINE_CORE);
	expect_wrong_line("core 0 ppm 0\n", "", LINE_CORE);
	expect_wrong_line("fact tsc unknown", "fact tsc ", LINE_FACTS);
	expect_wrong_line("fact tsc unknown", "fact tsc two words", LINE_FACTS);
	expect_wrong_line("fact tsc unknown", "fact tsc 01234567890123456789012345678901",
			  LINE_FACTS);
	expect_wrong_line("fact tsc ", "fact weather ", LINE_FACTS);
	expect_wrong_line("fact tsc unknown\n", "", LINE_FACTS);
	expect_wrong_line("fact slowest unknown\n", "", LINE_CHECKSUM - 1);
	expect_wrong_line("fact slowest unknown\n", "fact slowest 1\nfact slowest 1\n",
			  LINE_CHECKSUM);
	expect_wrong_line("checksum ", "fact weather wet\nchecksum ", LINE_CHECKSUM);
}

TEST(wrong_class)
{
	struct cache cache;

	make_text(&cache);
	edit(counter_class_name(counters_list[0]->class), "last-resort");
	assert_int_equal(cache_parse(text, length, &cache), LINE_COUNTERS);
	expect_stop_at(LINE_COUNTERS);
}

/* Of a text that is whole, both ways of reading find the same. */
TEST(line_by_line)
{
	static struct cache cache;

	for (int i = 0; i < ROUNDS; i++) {
		struct look got;

		random_cache(&cache);
		length = cache_format(&cache, text, sizeof text);
		got = look(text, length);
		assert_true(got.open);
		assert_int_equal(got.last, CACHE_LINE_NONE);
		assert_int_equal(got.usable, cache.usable);
		assert_int_equal(got.core, cache.core.hz);
		for (size_t j = 0; j < got.usable; j++)
			expect_same_candidate(&got.candidates[j], &cache.candidates[j]);
	}
}

/* A wrong line behind the usable counters, and behind the line that ends them, is not looked at: a
 * first call would pay for each line, and only root can seal such a text. */
TEST(lines_behind)
{
	struct cache cache;
	struct look got;

	if (counters_count < 4)
		unit_skip("the list has too few counters");
	make_text(&cache);
	edit(" errno 2\nfingerprint", " weather 2\nfingerprint");
	assert_int_equal(cache_parse(text, length, &cache), LINE_FINGERPRINT - 1);
	got = look(text, length);
	assert_true(got.open);
	assert_int_equal(got.usable, 2);
	assert_int_equal(got.last, CACHE_LINE_NONE);
}

/* Of a long text only the start is in memory. */
TEST(core_is_not_there)
{
	struct cache cache;
	struct cache_reader reader;
	char start[CACHE_SIZE_MAX];
	const char *line;

	make_text(&cache);
	edit("\ncore 0 ppm", "\ncore 3000000000 ppm");
	assert_int_equal(look(text, length).core, 3000000000);
	line = strstr(text, "\ncore ") + 1;
	memcpy(start, text, length);
	assert_true(cache_parse_start(&reader, start, (size_t)(line - text), &cache));
	assert_int_equal(cache_parse_core(&reader), 0);
	assert_true(cache_parse_start(&reader, start, (size_t)(line - text) + 8, &cache));
	assert_int_equal(cache_parse_core(&reader), 0);
	edit("\ncore ", "\ncore x");
	assert_int_equal(look(text, length).core, 0);
}

/* What ends the usable counters is looked at: neither a third kind of line nor a half one. */
TEST(line_at_the_end)
{
	struct cache cache;
	struct look got;

	if (counters_count < 3)
		unit_skip("the list has too few counters");
	make_text(&cache);
	edit("unusable ", "disusable ");
	got = look(text, length);
	assert_true(got.open);
	assert_int_equal(got.usable, 2);
	assert_int_equal(got.last, CACHE_LINE_WRONG);
	assert_int_equal(got.line, LINE_COUNTERS + 2);
}

/* Where all counters work, the fingerprint ends them, and what is no fingerprint is wrong. */
TEST(no_unusable_counter)
{
	struct cache cache;
	struct look got;

	make_text(&cache);
	for (size_t i = 0; i < counters_count; i++)
		cache.candidates[i] = (struct candidate){ counters_list[i], REASON_NONE, 0,       0,
							  { 1, 1 },         124 + i,     { 0, 0 } };
	cache.usable = counters_count;
	memset(text, 0, sizeof text);
	length = cache_format(&cache, text, sizeof text);
	got = look(text, length);
	assert_int_equal(got.usable, counters_count);
	assert_int_equal(got.last, CACHE_LINE_NONE);
	edit("fingerprint ", "core ");
	got = look(text, length);
	assert_int_equal(got.usable, counters_count);
	assert_int_equal(got.last, CACHE_LINE_WRONG);
	assert_int_equal(got.line, LINE_FINGERPRINT);
}

/* Add the text from one word on up to another one. */
static void add_lines(char *to, const char *from, const char *end)
{
	const char *const first = strstr(text, from);

	strncat(to, first, (size_t)(strstr(first, end) - first));
}

/* A cache of format 3 had the fingerprint, the core and fewer facts before the counters. */
TEST(format_three)
{
	struct cache cache;
	char old[CACHE_SIZE_MAX] = "";

	make_text(&cache);
	add_lines(old, "cpucycles-cache ", "persecond ");
	add_lines(old, "fingerprint ", "core ");
	add_lines(old, "persecond ", "counters ");
	add_lines(old, "core ", "fact witness ");
	add_lines(old, "counters ", "fingerprint ");
	strcat(old, "checksum 0\n");
	strcpy(text, old);
	seal();
	assert_int_equal(cache_parse(text, length, &cache), LINE_PERSECOND);
	assert_false(look(text, length).open);
	edit("cpucycles-cache 4", "cpucycles-cache 3");
	assert_int_equal(cache_parse(text, length, &cache), 1);
	assert_false(look(text, length).open);
}

/* A list of the same length, but of another name or in another order, has another hash. */
TEST(another_list)
{
	char digits[32], other[32];
	struct cache cache;

	make_text(&cache);
	sprintf(digits, "counters %016" PRIx64, documented_list_hash());
	sprintf(other, "counters %016" PRIx64, documented_list_hash() ^ 1);
	edit(digits, other);
	assert_int_equal(cache_parse(text, length, &cache), LINE_LIST);
	expect_stop_at(LINE_LIST);
}

UNIT_MAIN_SEEDED("cache-format", NULL, NULL)
