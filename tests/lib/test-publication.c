/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The publication of a choice, and the reading of one, interrupted before each instruction. The
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

/* What handlers have met. They are in processes of their own, which share this. */
struct met {
	unsigned stored_only, pointed_only, published;
};
static struct met *met;

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
	unit_expect(!strcmp(cpucycles_implementation(), counter->name),
		    "the name is of the pointer's counter");
	unit_expect(cpucycles_persecond() == persecond, "and so is persecond");
}

static void interrupt(void)
{
	long long (*const read)(void) = __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE);
	const unsigned now = atomic_load(&generation);

	unit_expect(read == start_read || read == read_new,
		    "the pointer is the old or the new one");
	unit_expect(now == start || now == next_generation(start),
		    "the generation is the old or the new one");
	if (read == read_new)
		unit_expect(slot_is(start + 1, &choice_new),
			    "the choice is complete before the pointer");
	if (now != start)
		unit_expect(read == read_new, "the pointer is stored before the generation");
	if (start && now == start)
		unit_expect(slot_is(start, &choice_old), "the choice in use is not written over");
	met->stored_only += read != read_new && slot_is(start + 1, &choice_new);
	met->pointed_only += read == read_new && now == start;
	met->published += now != start;
	/* With nothing chosen a handler would have to select. */
	if (read == read_new && now)
		expect_answers(&counter_new, 30000000003);
	else if (now)
		expect_answers(&counter_old, 20000000002);
}

static void check(void)
{
	unit_expect(atomic_load(&generation) == next_generation(start),
		    "the generation has moved on");
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
	met = mmap(NULL, sizeof *met, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unit_expect(met != MAP_FAILED, "memory to share");
	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
		start = starts[i];
		start_read = start ? read_old : first_call;
		memset(met, 0, sizeof *met);
		instructions += stepped_through(&publication);
		unit_expect(met->stored_only && met->pointed_only && met->published,
			    "handlers have met each state");
	}
	printf("# a handler before each of %ld instructions\n", instructions);
}

/* The other way round: a reader, and a handler that selects twice, so that both slots are written
 * over. */

static struct choice seen;

static void prepare_reader(void)
{
	start = 1;
	start_read = read_old;
	prepare();
}

static void read_choice(void)
{
	unit_expect(load_choice(&seen), "something is chosen");
}

static void select_twice(void)
{
	publish(&choice_new);
	publish(&choice_oldest);
}

static bool was_seen(const struct choice *choice)
{
	return seen.counter == choice->counter && seen.persecond.hz == choice->persecond.hz &&
	       seen.persecond.source == choice->persecond.source &&
	       seen.rate.hz == choice->rate.hz && seen.rate.ppm == choice->rate.ppm &&
	       seen.from_cache == choice->from_cache && seen.cache_status == choice->cache_status;
}

static void check_seen(void)
{
	unit_expect(was_seen(&choice_old) || was_seen(&choice_oldest),
		    "a reader gets a choice of one selection");
}

static void readings(void)
{
	static const struct stepped reading = { prepare_reader, read_choice, select_twice,
						check_seen };

	make_choices();
	printf("# a handler before each of %ld instructions\n", stepped_through(&reading));
}

TEST_IN_CHILD(published_in_order)
{
	stepped_in_child(publications);
}

TEST_IN_CHILD(read_in_one)
{
	stepped_in_child(readings);
}

UNIT_MAIN("publication", NULL, NULL)
