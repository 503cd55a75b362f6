/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "cache.h"
#include "hash.h"
#include "selection.h"

#include <inttypes.h>

#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#endif

#define ROUNDS 3000

/* Lines: five of the header, persecond, core, facts, then one per counter. */
#define LINE_CORE 7
#define LINE_FACTS 8
#define LINE_COUNTERS (LINE_FACTS + CACHE_FACTS)

#define OTHER_BOOT "fedcba98-7654-3210-fedc-ba9876543210"
#define NOBODY 65534
#define STRANGER 54321

static char text[CACHE_SIZE_MAX];
static size_t length;

/* The checksum as cache(5) describes it, written a second time. */
static void seal(void)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	char *last = strstr(text, "\nchecksum ");
	size_t summed, i = 0;

	assert_non_null(last);
	summed = (size_t)(last - text) + 1;
	for (; i + 8 <= summed; i += 8) {
		for (unsigned j = 0; j < 8; j++)
			hash ^= (uint64_t)(unsigned char)text[i + j] << (8 * j);
		hash *= UINT64_C(1099511628211);
		hash ^= hash >> 32;
	}
	for (; i < summed; i++) {
		hash ^= (unsigned char)text[i];
		hash *= UINT64_C(1099511628211);
	}
	length = summed + (size_t)sprintf(last + 1, "checksum %016" PRIx64 "\n", hash);
}

static struct rate random_rate(void)
{
	struct rate rate = { 0 };

	if (unit_random() % 4 == 0)
		return rate;
	rate.hz = PERSECOND_MIN + unit_random() % (PERSECOND_MAX - PERSECOND_MIN + 1);
	rate.ppm = (uint32_t)(unit_random() % 1000001);
	return rate;
}

/* Of any length that fits and any characters that a word may have. */
static void random_word(char *word, size_t size)
{
	size_t n = 1 + (size_t)(unit_random() % (size - 1));

	for (size_t i = 0; i < n; i++)
		word[i] = (char)('!' + unit_random() % ('~' - '!' + 1));
	word[n] = 0;
}

/* One in four is left empty, which is written as unknown. */
static void random_facts(struct cache *cache)
{
	for (unsigned i = 0; i < CACHE_FACTS; i++) {
		cache->facts[i][0] = 0;
		if (unit_random() % 4)
			random_word(cache->facts[i], sizeof cache->facts[i]);
	}
}

static void random_candidates(struct cache *cache)
{
	for (size_t i = 0; i < counters_count; i++) {
		struct candidate *c = &cache->candidates[i];

		*c = (struct candidate){ .counter = counters_list[i] };
		if (unit_random() % 2) {
			c->reason = (enum reason)(1 + unit_random() % REASON_LAST_RESORT);
			c->detail = (int)(unit_random() % 4096);
			continue;
		}
		c->precision = 1 + unit_random_bits(unit_random() % 2 ? 3 : 63);
		c->hz = unit_random_bits(64);
		c->scaling = (struct ratio){ 1 + unit_random_bits(63), 1 + unit_random_bits(63) };
		c->measured = random_rate();
		cache->usable++;
	}
	selection_rank(cache->candidates, counters_count);
}

/* Right for this boot of this machine, but for what is random. */
static void random_cache(struct cache *cache)
{
	memset(cache, 0, sizeof *cache);
	strcpy(cache->library, PACKAGE_VERSION);
	machine_boot(cache->boot);
	machine_identity(cache->machine);
	sprintf(cache->fingerprint, "%016" PRIx64, unit_random());
	cache->persecond.hz = 1000 + unit_random() % UINT64_C(99999999001);
	cache->persecond.source = PERSECOND_CPUINFO_MHZ;
	cache->core = random_rate();
	random_facts(cache);
	random_candidates(cache);
}

/* One with a usable and an unusable counter, so that there is something to break. */
static void make_text(struct cache *cache)
{
	random_cache(cache);
	for (size_t i = 0; i < counters_count; i++) {
		struct candidate *c = &cache->candidates[i];

		*c = (struct candidate){ .counter = counters_list[i], .reason = REASON_ERRNO, .detail = 2 };
		if (i < 2)
			*c = (struct candidate){ counters_list[i], REASON_NONE, 0, 0, { 1, 1 }, 124 + i, { 0, 0 } };
	}
	cache->usable = 2;
	cache->core = (struct rate){ 0 };
	memset(cache->facts, 0, sizeof cache->facts);
	memset(text, 0, sizeof text);
	length = cache_format(cache, text, sizeof text);
	assert_true(length > 0);
	assert_int_equal(strlen(text), length);
}

static void expect_same(const struct cache *a, const struct cache *b)
{
	assert_string_equal(a->library, b->library);
	assert_string_equal(a->boot, b->boot);
	assert_string_equal(a->machine, b->machine);
	assert_string_equal(a->fingerprint, b->fingerprint);
	assert_int_equal(a->persecond.hz, b->persecond.hz);
	assert_int_equal(a->persecond.source, b->persecond.source);
	assert_int_equal(a->core.hz, b->core.hz);
	assert_int_equal(a->core.ppm, b->core.ppm);
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		assert_string_equal(a->facts[i][0] ? a->facts[i] : "unknown", b->facts[i]);
	assert_int_equal(a->usable, b->usable);
	for (size_t i = 0; i < counters_count; i++) {
		const struct candidate *c = &a->candidates[i], *d = &b->candidates[i];

		assert_ptr_equal(c->counter, d->counter);
		assert_int_equal(c->reason, d->reason);
		assert_int_equal(c->detail, d->detail);
		assert_int_equal(c->hz, d->hz);
		assert_int_equal(c->precision, d->precision);
		assert_int_equal(c->scaling.num, d->scaling.num);
		assert_int_equal(c->scaling.den, d->scaling.den);
		assert_int_equal(c->measured.hz, d->measured.hz);
		assert_int_equal(c->measured.ppm, d->measured.ppm);
	}
}

/* What the writer writes, the reader reads; and written again it is the same text. */
static void round_trip(void **state)
{
	static char again[CACHE_SIZE_MAX];

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		static struct cache cache, back;

		random_cache(&cache);
		random_word(cache.library, sizeof cache.library);
		random_word(cache.machine, sizeof cache.machine);
		random_word(cache.fingerprint, sizeof cache.fingerprint);
		cache.persecond.source = (enum persecond_source)(unit_random() % PERSECOND_SOURCES);
		if (unit_random() % 8 == 0)
			cache.persecond.hz = unit_random() % 2 ? PERSECOND_MIN : PERSECOND_MAX;
		length = cache_format(&cache, text, sizeof text);
		assert_true(length > 0);
		memset(&back, 0xa5, sizeof back);
		assert_int_equal(cache_parse(text, length, &back), 0);
		expect_same(&cache, &back);
		assert_int_equal(cache_format(&back, again, sizeof again), length);
		assert_memory_equal(again, text, length);
	}
}

static void checksum_is_the_documented_one(void **state)
{
	struct cache cache;
	char before[CACHE_SIZE_MAX];

	(void)state;
	make_text(&cache);
	strcpy(before, text);
	seal();
	assert_string_equal(text, before);
}

/* Every byte of these numbers is another one, so that none may move. */
#define NUMBER_A UINT64_C(0x0102030405060708)
#define NUMBER_B UINT64_C(0xfedcba9876543210)

/* Of less than eight bytes, a checksum that others published: FNV-1a of "foobar",
 * draft-eastlake-fnv, test vectors. Of more, one made by hand from what cpucycles-cache(5) says. */
#define FOOBAR_HASH UINT64_C(0x85944171f73967e8)
#define FIRST_LINE "cpucycles-cache 2\n"
#define FIRST_LINE_HASH UINT64_C(0x56430a3754b10d2f)

static const char written_head[] =
	"cpucycles-cache 2\n"
	"library 12.34.56\n"
	"boot " OTHER_BOOT "\n"
	"machine 0123456789abcdef\n"
	"fingerprint fedcba9876543210\n"
	"persecond 8640267526 cpuinfo-mhz\n"
	"core 4328719365 ppm 66051\n"
	"fact tsc variable\n"
	"fact clocksource arch_sys_counter\n"
	"fact hypervisor none\n"
	"fact governor schedutil\n"
	"fact turbo on\n"
	"fact smt off\n"
	"fact kinds 258\n"
	"fact skew 16909060\n";

static const struct cache written_cache = {
	.library = "12.34.56",
	.boot = OTHER_BOOT,
	.machine = "0123456789abcdef",
	.fingerprint = "fedcba9876543210",
	.persecond = { .hz = UINT64_C(0x203000506), .source = PERSECOND_CPUINFO_MHZ },
	.core = { .hz = UINT64_C(0x102030405), .ppm = 0x10203 },
	.facts = { "variable", "arch_sys_counter", "none", "schedutil", "on", "off", "258", "16909060" },
	.usable = 1,
};

/* But for the list of counters, and so for the checksum, the text is the same on every
 * machine, whatever its order of bytes and its width of words. */
static void written_elsewhere(void **state)
{
	struct cache cache = written_cache, back;
	char expected[CACHE_SIZE_MAX];
	size_t n;

	(void)state;
	n = (size_t)sprintf(expected, "%susable %s %s precision 72623859790382856 hz 18364758544493064720"
			    " scaling 18364758544493064720/72623859790382856 measured 4328719365 ppm 66051\n",
			    written_head, counters_list[0]->name, counter_class_name(counters_list[0]->class));
	cache.candidates[0] = (struct candidate){
		counters_list[0], REASON_NONE, 0, NUMBER_B, { NUMBER_B, NUMBER_A }, NUMBER_A, written_cache.core
	};
	for (size_t i = 1; i < counters_count; i++) {
		n += (size_t)sprintf(expected + n, "unusable %s errno 258\n", counters_list[i]->name);
		cache.candidates[i] = (struct candidate){ .counter = counters_list[i], .reason = REASON_ERRNO,
							  .detail = 258 };
	}
	sprintf(expected + n, "checksum 0\n");
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
}

static void does_not_fit(void **state)
{
	struct cache cache;

	(void)state;
	make_text(&cache);
	for (size_t size = 1; size <= length; size++)
		assert_int_equal(cache_format(&cache, text, size), 0);
	assert_int_equal(cache_format(&cache, text, length + 1), length);
}

static void every_truncation(void **state)
{
	struct cache cache;
	char copy[CACHE_SIZE_MAX];

	(void)state;
	make_text(&cache);
	for (size_t n = 0; n < length; n++) {
		/* On the heap, so that a sanitizer sees a read past the end. */
		char *part = malloc(n ? n : 1);

		assert_non_null(part);
		memcpy(part, text, n);
		assert_int_not_equal(cache_parse(part, n, &cache), 0);
		assert_int_equal(cache.library[0], 0);
		free(part);
	}
	memcpy(copy, text, length);
	copy[length] = '\n';
	assert_int_not_equal(cache_parse(copy, length + 1, &cache), 0);
}

static void every_changed_byte(void **state)
{
	struct cache cache;

	(void)state;
	make_text(&cache);
	for (size_t i = 0; i < length; i++) {
		for (int flip = 1; flip < 256; flip++) {
			text[i] = (char)(text[i] ^ flip);
			if (cache_parse(text, length, &cache) == 0)
				fail_msg("byte %zu: a change by %#x is not seen", i, flip);
			text[i] = (char)(text[i] ^ flip);
		}
	}
	assert_int_equal(cache_parse(text, length, &cache), 0);
}

/* Replace the first such piece of the text and make the checksum right again. */
static void edit(const char *piece, const char *by)
{
	static char rest[CACHE_SIZE_MAX];
	char *place = strstr(text, piece);

	if (!place)
		fail_msg("no \"%s\" in the cache", piece);
	else {
		strcpy(rest, place + strlen(piece));
		strcpy(place, by);
		strcat(place, rest);
	}
	seal();
}

static void expect_wrong_line(const char *piece, const char *by, unsigned line)
{
	struct cache cache;
	unsigned got;

	make_text(&cache);
	edit(piece, by);
	got = cache_parse(text, length, &cache);
	if (got != line)
		fail_msg("\"%s\" for \"%s\": got line %u, expected %u", by, piece, got, line);
}

static void every_field(void **state)
{
	char first[64], second[64];

	(void)state;
	snprintf(first, sizeof first, "usable %s ", counters_list[0]->name);
	snprintf(second, sizeof second, "usable %s ", counters_list[1]->name);
	expect_wrong_line("cpucycles-cache 2", "cpucycles-cache 1", 1);
	expect_wrong_line("cpucycles-cache 2", "cpucycles-cache 3", 1);
	expect_wrong_line("cpucycles-cache 2", "cpucycles-cache 2 ", 1);
	expect_wrong_line("cpucycles-cache 2", "\ncpucycles-cache 2", 1);
	expect_wrong_line("library ", "Library ", 2);
	expect_wrong_line("library " PACKAGE_VERSION, "library ", 2);
	expect_wrong_line("library " PACKAGE_VERSION, "library one two", 2);
	expect_wrong_line("library ", "library 0123456789012345678901234567890123456789", 2);
	expect_wrong_line("boot ", "boot x", 3);
	expect_wrong_line("boot ", "boot ABCDEF01-2345-6789-abcd-ef0123456789\nboot ", 3);
	expect_wrong_line("machine ", "machine  ", 4);
	expect_wrong_line("machine ", "machine \x1b", 4);
	expect_wrong_line("fingerprint ", "fingerprint 0", 5);
	expect_wrong_line("persecond ", "persecond 0", 6);
	expect_wrong_line("persecond ", "persecond -", 6);
	expect_wrong_line("persecond ", "persecond 99999999999999999999", 6);
	expect_wrong_line("persecond ", "persecond 999 cpuinfo-mhz\npersecond ", 6);
	expect_wrong_line("persecond ", "persecond 100000000001 cpuinfo-mhz\npersecond ", 6);
	expect_wrong_line(" cpuinfo-mhz", " nobody", 6);
	expect_wrong_line(" cpuinfo-mhz", "", 6);
	expect_wrong_line("core 0 ppm 0", "core 0", LINE_CORE);
	expect_wrong_line("core 0 ppm 0", "core 999 ppm 0", LINE_CORE);
	expect_wrong_line("core 0 ppm 0", "core 100000000001 ppm 0", LINE_CORE);
	expect_wrong_line("core 0 ppm 0", "core 1000 ppm 1000001", LINE_CORE);
	expect_wrong_line("core 0 ppm 0", "core 1000 ppm -1", LINE_CORE);
	expect_wrong_line("core 0 ppm 0\n", "", LINE_CORE);
	expect_wrong_line("fact tsc unknown", "fact tsc ", LINE_FACTS);
	expect_wrong_line("fact tsc unknown", "fact tsc two words", LINE_FACTS);
	expect_wrong_line("fact tsc unknown", "fact tsc 01234567890123456789012345678901", LINE_FACTS);
	expect_wrong_line("fact tsc ", "fact weather ", LINE_FACTS);
	expect_wrong_line("fact tsc unknown\n", "", LINE_FACTS);
	expect_wrong_line("fact skew unknown\n", "", LINE_COUNTERS - 1);
	expect_wrong_line("fact skew unknown\n", "fact skew 1\nfact skew 1\n", LINE_COUNTERS);
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
	expect_wrong_line("checksum ", "unusable nosuch-counter errno 2\nchecksum ",
			  (unsigned)(LINE_COUNTERS + counters_count));
}

static void wrong_class(void **state)
{
	struct cache cache;

	(void)state;
	make_text(&cache);
	edit(counter_class_name(counters_list[0]->class), "last-resort");
	assert_int_equal(cache_parse(text, length, &cache), LINE_COUNTERS);
}

/* Files, and whether they are trusted. */

static const char *cache_path(void)
{
	static char path[PATH_MAX];

	strcpy(path, unit_path("counters"));
	return path;
}

static enum cache_status load(bool own)
{
	static char persecond[PATH_MAX];
	static struct cache cache;
	struct cache_context context = { .path = cache_path(), .own = own };
	struct cache_verdict verdict;

	strcpy(persecond, unit_path("cpucyclespersecond"));
	context.persecond_path = persecond;
	verdict = cache_load(&context, &cache);
	if (verdict.status == CACHE_USED)
		assert_string_equal(cache.library, PACKAGE_VERSION);
	return verdict.status;
}

static void expect_status(enum cache_status expected)
{
	enum cache_status got = load(true);

	if (got != expected)
		fail_msg("got %s, expected %s", cache_status_name(got), cache_status_name(expected));
}

static int fresh_files(void **state)
{
	struct cache cache;
	char boot[MACHINE_BOOT_SIZE];

	(void)state;
	unsetenv("cpucyclespersecond");
	if (machine_boot(boot))
		return 0;
	make_text(&cache);
	unit_write("counters", text, length);
	unlink(unit_path("cpucyclespersecond"));
	return 0;
}

static void need_boot_id(void)
{
	char boot[MACHINE_BOOT_SIZE];

	if (!machine_boot(boot))
		return;
	unit_skip("this system has no boot id");
}

static void valid_file(void **state)
{
	(void)state;
	need_boot_id();
	expect_status(CACHE_USED);
	/* Without the caller's word for it only root's will do. */
	assert_int_equal(load(false), geteuid() == 0 ? CACHE_USED : CACHE_UNTRUSTED);
}

/* The same through a file: what is read there is what was written, and nothing of the one before. */
static void random_files(void **state)
{
	static struct cache cache, back;
	struct cache_context context = { .path = cache_path(), .own = true, .persecond_path = "/nowhere" };

	(void)state;
	need_boot_id();
	for (int i = 0; i < ROUNDS / 10; i++) {
		random_cache(&cache);
		length = cache_format(&cache, text, sizeof text);
		unit_write("counters", text, length);
		assert_int_equal(cache_load(&context, &back).status, CACHE_USED);
		expect_same(&cache, &back);
	}
}

static void truncated_file(void **state)
{
	(void)state;
	need_boot_id();
	for (size_t n = 0; n < length; n++) {
		unit_write("counters", text, n);
		expect_status(CACHE_MALFORMED);
	}
}

static void stale(void **state)
{
	struct cache cache;

	(void)state;
	need_boot_id();
	edit("machine ", "machine not-");
	unit_write("counters", text, length);
	expect_status(CACHE_STALE_MACHINE);
	make_text(&cache);
	strcpy(cache.boot, OTHER_BOOT);
	length = cache_format(&cache, text, sizeof text);
	unit_write("counters", text, length);
	expect_status(CACHE_STALE_BOOT);
}

static void persecond_text(uint64_t hz, const char *more)
{
	char content[256];

	snprintf(content, sizeof content, "%" PRIu64 "\n%s", hz, more);
	unit_write_text("cpucyclespersecond", content);
}

static void ours(uint64_t hz, enum persecond_source source, const char *boot)
{
	char content[256];
	const struct persecond persecond = { hz, source };

	assert_true(frequency_format_file(&persecond, boot, content, sizeof content));
	unit_write_text("cpucyclespersecond", content);
}

static void persecond_with_os(void **state)
{
	struct cache cache;

	(void)state;
	need_boot_id();
	assert_int_equal(cache_parse(text, length, &cache), 0);
	persecond_text(cache.persecond.hz + 1, "");
	expect_status(CACHE_STALE_PERSECOND);
	/* Now it is the sysadmin's, who may say something else tomorrow. */
	persecond_text(cache.persecond.hz, "");
	expect_status(CACHE_STALE_PERSECOND);
	ours(cache.persecond.hz, cache.persecond.source, cache.boot);
	expect_status(CACHE_USED);
	ours(cache.persecond.hz + 1, cache.persecond.source, cache.boot);
	expect_status(CACHE_STALE_PERSECOND);
	ours(cache.persecond.hz + 1, cache.persecond.source, OTHER_BOOT);
	expect_status(CACHE_USED);
	unit_write_text("cpucyclespersecond", "no number\n");
	expect_status(CACHE_USED);
	setenv("cpucyclespersecond", "1234567", 1);
	expect_status(CACHE_USED);
}

static void write_with_source(struct cache *cache, enum persecond_source source)
{
	make_text(cache);
	cache->persecond.source = source;
	length = cache_format(cache, text, sizeof text);
	unit_write("counters", text, length);
}

static void persecond_with_sysadmin(void **state)
{
	struct cache cache;

	(void)state;
	need_boot_id();
	write_with_source(&cache, PERSECOND_FILE);
	expect_status(CACHE_STALE_PERSECOND);
	persecond_text(cache.persecond.hz, "");
	expect_status(CACHE_USED);
	persecond_text(cache.persecond.hz, "# why\n");
	expect_status(CACHE_USED);
	persecond_text(cache.persecond.hz + 1, "");
	expect_status(CACHE_STALE_PERSECOND);
	ours(cache.persecond.hz, PERSECOND_CPUINFO_MHZ, cache.boot);
	expect_status(CACHE_STALE_PERSECOND);
}

static void persecond_with_nobody(void **state)
{
	struct cache cache;

	(void)state;
	need_boot_id();
	write_with_source(&cache, PERSECOND_DEFAULT);
	expect_status(CACHE_USED);
	setenv("cpucyclespersecond", "1234567", 1);
	expect_status(CACHE_STALE_PERSECOND);
	unsetenv("cpucyclespersecond");
	/* What was measured stands in for the default, and comes behind the environment too. */
	write_with_source(&cache, PERSECOND_MEASURED);
	expect_status(CACHE_USED);
	setenv("cpucyclespersecond", "1234567", 1);
	expect_status(CACHE_STALE_PERSECOND);
	/* Our own file of this boot outranks the environment, and says the same. */
	ours(cache.persecond.hz, cache.persecond.source, cache.boot);
	expect_status(CACHE_USED);
	unlink(unit_path("cpucyclespersecond"));
	unsetenv("cpucyclespersecond");
	write_with_source(&cache, PERSECOND_ENVIRONMENT);
	expect_status(CACHE_STALE_PERSECOND);
}

static void not_there(void **state)
{
	struct cache_context context = { .own = true, .persecond_path = "/nowhere" };
	static struct cache cache;
	char below[PATH_MAX];

	(void)state;
	unlink(cache_path());
	expect_status(CACHE_MISSING);
	strcpy(below, unit_write_text("plain", ""));
	strcat(below, "/counters");
	context.path = below;
	assert_int_equal(cache_load(&context, &cache).status, CACHE_MISSING);
}

static void not_a_regular_file(void **state)
{
	(void)state;
	need_boot_id();
	assert_int_equal(rename(cache_path(), unit_path("elsewhere")), 0);
	assert_int_equal(symlink("elsewhere", cache_path()), 0);
	expect_status(CACHE_UNTRUSTED);
	unlink(cache_path());
	assert_int_equal(symlink("nowhere", cache_path()), 0);
	expect_status(CACHE_UNTRUSTED);
	unlink(cache_path());
	assert_int_equal(mkfifo(cache_path(), 0644), 0);
	expect_status(CACHE_UNTRUSTED);
	unlink(cache_path());
	assert_int_equal(mkdir(cache_path(), 0755), 0);
	expect_status(CACHE_UNTRUSTED);
	assert_int_equal(rmdir(cache_path()), 0);
}

static void modes(void **state)
{
	(void)state;
	need_boot_id();
	for (unsigned mode = 0400; mode < 01000; mode++) {
		assert_int_equal(chmod(cache_path(), mode & 07777), 0);
		if ((mode & 0400) == 0)
			continue;
		expect_status(mode & 022 ? CACHE_UNTRUSTED : CACHE_USED);
	}
}

/* The rule of cache(5), and who may open a file that is in none of his groups. */
static enum cache_status owned(uid_t owner, unsigned mode, uid_t caller, bool own)
{
	bool opens = caller == 0 || mode & (caller == owner ? 0400u : 0004u);

	if (!opens || mode & 022)
		return CACHE_UNTRUSTED;
	return owner == 0 || (own && owner == caller) ? CACHE_USED : CACHE_UNTRUSTED;
}

static void owned_by(uid_t owner, uid_t caller, bool own)
{
	for (unsigned mode = 0; mode < 010000; mode += mode < 0777 ? 1 : 01111) {
		enum cache_status got;

		assert_int_equal(chown(cache_path(), owner, STRANGER), 0);
		assert_int_equal(chmod(cache_path(), mode), 0);
		assert_int_equal(seteuid(caller), 0);
		got = load(own);
		assert_int_equal(seteuid(0), 0);
		if (got != owned(owner, mode, caller, own))
			fail_msg("owner %u, mode %04o, caller %u%s: got %s", owner, mode, caller,
				 own ? " who named it" : "", cache_status_name(got));
	}
}

static void owners(void **state)
{
	static const uid_t users[] = { 0, NOBODY, STRANGER };

	(void)state;
	need_boot_id();
	if (geteuid() != 0)
		unit_skip("only root can give a file away");
	assert_int_equal(chown(cache_path(), NOBODY, NOBODY), 0);
	assert_int_equal(seteuid(NOBODY), 0);
	expect_status(CACHE_UNTRUSTED); /* the folder is root's and closed */
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(unit_folder, 0755), 0);
	for (size_t owner = 0; owner < 3; owner++)
		for (size_t caller = 0; caller < 2; caller++) {
			owned_by(users[owner], users[caller], true);
			owned_by(users[owner], users[caller], false);
		}
}

static void sizes(void **state)
{
	static char large[CACHE_SIZE_MAX + 1];

	(void)state;
	need_boot_id();
	memset(large, ' ', sizeof large);
	memcpy(large, text, length);
	unit_write("counters", large, sizeof large);
	expect_status(CACHE_UNTRUSTED);
	unit_write("counters", large, sizeof large - 1);
	expect_status(CACHE_MALFORMED);
	assert_int_equal(truncate(cache_path(), (off_t)1 << 30), 0);
	expect_status(CACHE_UNTRUSTED);
}

#ifdef __linux__
/*
 * Types of file system. Where a file lies on a network's file system, another machine can change it. None of
 * those can be mounted for a test: each needs a server and a part of the kernel that test machines do not have,
 * and FUSE, which they have, is none of them. So the linker puts a stand-in between (--wrap) that names the type,
 * on a real file and below the real rule. The C library calls the function by one of the two names.
 */

static uint32_t made_type; /* 0: the type is the real one */
static unsigned types_asked;

int __wrap_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs64(int fd, struct statfs *fs);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	(void)fd;
	types_asked++;
	if (made_type == 0)
		return statfs(cache_path(), fs);
	memset(fs, 0, sizeof *fs);
	fs->f_type = (__typeof__(fs->f_type))made_type;
	return 0;
}

int __wrap_fstatfs64(int fd, struct statfs *fs)
{
	return __wrap_fstatfs(fd, fs);
}

static bool has_block_device(const char *path)
{
	struct stat status;

	return stat(path, &status) || major(status.st_dev) != 0;
}

static char folder_before[sizeof unit_folder]; /* empty: the tests' folder stayed */

/* What has no block device, as no network's file system has one: the tests' folder, or one in memory. */
static int leave_block_device(void **state)
{
	folder_before[0] = 0;
	if (has_block_device(unit_folder)) {
		strcpy(folder_before, unit_folder);
		strcpy(unit_folder, "/dev/shm/cpucycles-unit.XXXXXX");
		if (!mkdtemp(unit_folder))
			strcpy(unit_folder, folder_before);
	}
	return fresh_files(state);
}

static int return_to_block_device(void **state)
{
	int error = 0;

	made_type = 0;
	if (folder_before[0] && strcmp(folder_before, unit_folder))
		error = unit_folder_remove(state);
	if (folder_before[0])
		strcpy(unit_folder, folder_before);
	return error;
}

static void expect_type(const char *name, uint32_t type, enum cache_status expected)
{
	enum cache_status got;

	made_type = type;
	types_asked = 0;
	got = load(true);
	if (got != expected || types_asked == 0)
		fail_msg("on %s: got %s, expected %s; the type was asked for %u times", name,
			 cache_status_name(got), cache_status_name(expected), types_asked);
}

static void file_system_types(void **state)
{
	/* The names and numbers of the kernel's linux/magic.h, and those of ZFS and OpenAFS. */
	static const struct {
		const char *name;
		uint32_t type;
		enum cache_status expected;
	} types[] = {
		{ "the real file system", 0, CACHE_USED },
		{ "ext4", 0xef53, CACHE_USED },
		{ "XFS", 0x58465342, CACHE_USED },
		{ "btrfs", 0x9123683e, CACHE_USED },
		{ "F2FS", 0xf2f52010, CACHE_USED },
		{ "ZFS", 0x2fc12fc1, CACHE_USED },
		{ "UBIFS", 0x24051905, CACHE_USED },
		{ "tmpfs", 0x01021994, CACHE_USED },
		{ "ramfs", 0x858458f6, CACHE_USED },
		{ "overlay", 0x794c7630, CACHE_USED },
		{ "SquashFS", 0x73717368, CACHE_USED },
		{ "NFS", 0x6969, CACHE_UNTRUSTED },
		{ "SMB", 0x517b, CACHE_UNTRUSTED },
		{ "CIFS", 0xff534d42, CACHE_UNTRUSTED },
		{ "SMB2", 0xfe534d42, CACHE_UNTRUSTED },
		{ "AFS of OpenAFS", 0x5346414f, CACHE_UNTRUSTED },
		{ "AFS of the kernel", 0x6b414653, CACHE_UNTRUSTED },
		{ "Coda", 0x73757245, CACHE_UNTRUSTED },
		{ "Ceph", 0x00c36400, CACHE_UNTRUSTED },
	};

	(void)state;
	need_boot_id();
	if (has_block_device(unit_folder))
		unit_skip("neither /tmp nor /dev/shm is without a block device");
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		expect_type(types[i].name, types[i].type, types[i].expected);
}

/* No network's file system has one, so that the type need not be asked for. */
static void on_a_block_device(void **state)
{
	(void)state;
	need_boot_id();
	if (!has_block_device(unit_folder))
		unit_skip("/tmp is on no block device");
	types_asked = 0;
	expect_status(CACHE_USED);
	assert_int_equal(types_asked, 0);
}
#endif

static void names(void **state)
{
	static const char *const words[CACHE_STATUSES] = {
		"used", "missing", "stale-boot", "stale-machine", "stale-persecond", "untrusted",
		"malformed", "no-counter", "disabled",
	};

	(void)state;
	for (unsigned i = 0; i < CACHE_STATUSES; i++)
		assert_string_equal(cache_status_name((enum cache_status)i), words[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(checksum_is_the_documented_one),
		cmocka_unit_test(written_elsewhere),
		cmocka_unit_test(does_not_fit),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(every_changed_byte),
		cmocka_unit_test(every_field),
		cmocka_unit_test(wrong_class),
		cmocka_unit_test_setup(valid_file, fresh_files),
		cmocka_unit_test_setup(random_files, fresh_files),
		cmocka_unit_test_setup(truncated_file, fresh_files),
		cmocka_unit_test_setup(stale, fresh_files),
		cmocka_unit_test_setup(persecond_with_os, fresh_files),
		cmocka_unit_test_setup(persecond_with_sysadmin, fresh_files),
		cmocka_unit_test_setup(persecond_with_nobody, fresh_files),
		cmocka_unit_test_setup(not_there, fresh_files),
		cmocka_unit_test_setup(not_a_regular_file, fresh_files),
		cmocka_unit_test_setup(modes, fresh_files),
		cmocka_unit_test_setup(owners, fresh_files),
		cmocka_unit_test_setup(sizes, fresh_files),
#ifdef __linux__
		cmocka_unit_test_setup_teardown(file_system_types, leave_block_device, return_to_block_device),
		cmocka_unit_test_setup(on_a_block_device, fresh_files),
#endif
		cmocka_unit_test(names),
	};

	unit_seed();
	return cmocka_run_group_tests_name("cache", tests, unit_folder_make, unit_folder_remove);
}
