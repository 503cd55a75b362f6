/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The publication of a choice, looked at before each of its instructions by a signal handler. The
 * variables of entry.c are its own, so its source is part of this program.
 */

#include "config.h"

#include "unit.h"
#include "stepped.h"
#include "entry.c"

/* Choices that have nothing in common, each with a counter of its own. */

static long long read_oldest(void)
{
	return 1;
}

static long long read_old(void)
{
	return 2;
}

static long long read_new(void)
{
	return 3;
}

static const struct counter counter_oldest = { .name = "oldest", .read = read_oldest };
static const struct counter counter_old = { .name = "old", .read = read_old };
static const struct counter counter_new = { .name = "new", .read = read_new };

static struct choice choice_oldest, choice_old, choice_new;

static void make_choices(void)
{
	choice_oldest.counter = &counter_oldest;
	choice_oldest.persecond = (struct persecond){ 1000000001, PERSECOND_FILE };
	choice_old.counter = &counter_old;
	choice_old.persecond = (struct persecond){ UINT64_C(20000000002), PERSECOND_CPUFREQ_MAX };
	choice_old.cache_status = CACHE_MISSING;
	choice_new.counter = &counter_new;
	choice_new.persecond = (struct persecond){ UINT64_C(30000000003), PERSECOND_MEASURED };
	choice_new.rate = (struct rate){ UINT64_C(40000000004), 5 };
	choice_new.from_cache = true;
	choice_new.cache_status = CACHE_STALE_BOOT;
}

static unsigned start; /* the generation before; 0: a first call */
static long long (*start_read)(void);

/* What handlers met in all rounds. */
static unsigned stored_only, pointed_only, published;

static void prepare(void)
{
	memset(slots, 0, sizeof slots);
	if (start)
		store_slot(start + 1, &choice_oldest);
	if (start)
		store_slot(start, &choice_old);
	atomic_store(&generation, start);
	__atomic_store_n(&cpucycles, start_read, __ATOMIC_RELEASE);
}

static void run(void)
{
	publish(&choice_new);
}

static bool slot_is(unsigned number, const struct choice *choice)
{
	struct choice now;

	load_slot(number, &now);
	return !memcmp(&now, choice, sizeof now);
}

static void expect_answers(const struct counter *counter, long long persecond)
{
	unit_expect(!strcmp(cpucycles_implementation(), counter->name), "the name is of the pointer's counter");
	unit_expect(cpucycles_persecond() == persecond, "and so is persecond");
}

static void interrupt(void)
{
	long long (*const read)(void) = __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE);
	const unsigned now = atomic_load(&generation);

	unit_expect(read == start_read || read == read_new, "the pointer is the old or the new one");
	unit_expect(now == start || now == next_generation(start), "the generation is the old or the new one");
	if (read == read_new)
		unit_expect(slot_is(start + 1, &choice_new), "the choice is complete before the pointer");
	if (now != start)
		unit_expect(read == read_new, "the pointer is stored before the generation");
	if (start && now == start)
		unit_expect(slot_is(start, &choice_old), "the choice in use is not written over");
	stored_only += read != read_new && slot_is(start + 1, &choice_new);
	pointed_only += read == read_new && now == start;
	published += now != start;
	/* With nothing chosen a handler would have to select. */
	if (read == read_new && now)
		expect_answers(&counter_new, 30000000003);
	else if (now)
		expect_answers(&counter_old, 20000000002);
}

static void check(void)
{
	unit_expect(atomic_load(&generation) == next_generation(start), "the generation has moved on");
	expect_answers(&counter_new, 30000000003);
	unit_expect(cpucycles() == 3, "the pointer is the new counter's");
}

static void publications(void)
{
	/* The first choice, the next one into each of the slots. */
	static const unsigned starts[] = { 0, 1, 2 };
	static const struct stepped publication = { prepare, run, interrupt, check };
	long instructions = 0;

	make_choices();
	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
		start = starts[i];
		start_read = start ? read_old : first_call;
		stored_only = pointed_only = published = 0;
		instructions += stepped_rounds(&publication);
		unit_expect(stored_only && pointed_only && published, "handlers have met each state");
	}
	printf("# a handler before each of %ld instructions\n", instructions);
}

static void publications_child(void)
{
	stepped_in_child(publications);
}

static void published_in_order(void **state)
{
	(void)state;
	unit_child_passes(publications_child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_in_order),
	};

	return cmocka_run_group_tests_name("publication", tests, NULL, NULL);
}
