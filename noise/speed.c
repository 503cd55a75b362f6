/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "chain.h"
#include "guard.h"
#include "machine.h"
#include "raw-clock.h"
#include "speed.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A shorter look leaves out the sleeps and the walks, whose memory takes some of that. */
#define WHOLE_NS 200000000

/* Before the windows, the core rests this part of the look, so that the first ones see it cold. */
#define COLD_PART 20
#define COLD_MAX_NS 50000000

/* A probe takes at least this time, and this many steps of the clock. */
#define PROBE_NS 2000
#define PROBE_STEPS 50
#define PROBE_MAX_NS 100000000
#define ROUNDS_MAX (1ul << 20)

/* How often a probe is timed in a window. An odd number. */
#define REPEATS 7

/* The walks take no more than this part of the memory that is left. */
#define ROOM_PART 4

#define LINE 64
#define PAGE 4096
#define NEAR_STEPS 512
#define FAR_STEPS 128

struct walk {
	const volatile unsigned char *bytes; /* all 0 */
	uint32_t lines, steps, at;
};

struct probe {
	void (*run)(void *argument);
	void *argument;
	unsigned long parts; /* instructions, readings or steps of one run */
};

struct bench {
	unsigned long rounds; /* of the chain, the readings and the independent instructions */
	struct walk walks[3];
	unsigned char *memory;
	struct probe probes[SPEED_PROBES];
	size_t n; /* of them */
};

static void chain(void *rounds)
{
	chain_run(*(const unsigned long *)rounds);
}

#define READINGS 10

static void read_clock(void *rounds)
{
	for (unsigned long i = *(const unsigned long *)rounds * READINGS; i > 0; i--)
		raw_clock_ns();
}

/* Six values that know nothing of each other. The barrier keeps the compiler from joining a step
 * and the next one. */
#define INDEPENDENT 600
#define STEP \
	a ^= 3, b ^= 3, c ^= 3, d ^= 3, e ^= 3, f ^= 3; \
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
#define TEN(step) step step step step step step step step step step

static void independent(void *rounds)
{
	unsigned long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;

	for (unsigned long i = *(const unsigned long *)rounds * 4; i > 0; i--) {
		TEN(TEN(STEP))
	}
}

/* The next line depends on what the last one holds. All lines have their turn, in an order that no
 * prefetcher knows: a linear congruential generator whose modulus is a power of 2. */
static void walk(void *argument)
{
	struct walk *w = argument;

	for (uint32_t i = w->steps; i > 0; i--)
		w->at = (w->at * 1664525u + 1013904223u + w->bytes[(size_t)w->at * LINE]) &
			(w->lines - 1);
}

/* In ns. */
static double time_once(const struct probe *probe)
{
	const uint64_t start = raw_clock_ns();

	probe->run(probe->argument);
	return (double)(raw_clock_ns() - start);
}

/* The ns of one part of a probe. */
static double time_probe(const struct probe *probe)
{
	double ns[REPEATS];

	for (size_t i = 0; i < REPEATS; i++)
		ns[i] = time_once(probe);
	return values_median(ns, REPEATS) / (double)probe->parts;
}

/* False: the clock is too coarse. */
static bool find_rounds(struct bench *bench)
{
	const uint64_t step = raw_clock_step();
	const struct probe probe = { chain, &bench->rounds, 1 };
	uint64_t least;

	if (step > PROBE_MAX_NS / PROBE_STEPS)
		return false;
	least = step * PROBE_STEPS > PROBE_NS ? step * PROBE_STEPS : PROBE_NS;
	bench->rounds = 1;
	while (bench->rounds < ROUNDS_MAX && time_probe(&probe) < (double)least)
		bench->rounds *= 2;
	return true;
}

static void add_probe(struct bench *bench, void (*run)(void *), void *argument, unsigned long parts)
{
	bench->probes[bench->n++] = (struct probe){ run, argument, parts };
}

static void add_walk(struct bench *bench, uint32_t kib, uint32_t steps)
{
	struct walk *const w = &bench->walks[bench->n - SPEED_NEAR];

	*w = (struct walk){ bench->memory, kib * (1024 / LINE), steps, 0 };
	add_probe(bench, walk, w, steps);
}

/* In the order of enum speed_probe. A page that was never written is the kernel's page of zeros,
 * the same for all. */
static void add_probes(struct bench *bench, bool walks)
{
	add_probe(bench, chain, &bench->rounds, bench->rounds * CHAIN_ROUND_CYCLES);
	add_probe(bench, read_clock, &bench->rounds, bench->rounds * READINGS);
	add_probe(bench, independent, &bench->rounds, bench->rounds * 4 * INDEPENDENT);
	bench->memory = walks ? calloc(SPEED_FAR_KIB, 1024) : NULL;
	if (!bench->memory)
		return;
	for (size_t i = 0; i < (size_t)SPEED_FAR_KIB * 1024; i += PAGE)
		*(volatile unsigned char *)&bench->memory[i] = 0;
	add_walk(bench, SPEED_NEAR_KIB, NEAR_STEPS);
	add_walk(bench, SPEED_MIDDLE_KIB, FAR_STEPS);
	add_walk(bench, SPEED_FAR_KIB, FAR_STEPS);
}

static void rest(uint64_t ns)
{
	const struct timespec pause = { 0, (long)ns };

	nanosleep(&pause, NULL);
}

static void spin(const struct bench *bench, uint64_t end)
{
	while (raw_clock_ns() < end)
		time_once(&bench->probes[SPEED_CHAIN]);
}

/* The first run after a sleep finds cold caches: it is left out. */
static double time_awake(const struct bench *bench)
{
	double ns[REPEATS];
	const uint64_t begin = raw_clock_ns();
	size_t n = 0;

	time_once(&bench->probes[SPEED_CHAIN]);
	do {
		ns[n++] = time_once(&bench->probes[SPEED_CHAIN]);
	} while (n < REPEATS && raw_clock_ns() - begin < SPEED_AWAKE_NS);
	return values_median(ns, n) / (double)bench->probes[SPEED_CHAIN].parts;
}

/* On a busy machine, not all sleeps have room before that time. */
static void look_at_sleeps(const struct bench *bench, uint64_t end, struct noise_speed *speed)
{
	while (speed->sleeps < SPEED_SLEEPS && raw_clock_ns() < end) {
		const size_t i = speed->sleeps++;

		spin(bench, raw_clock_ns() + SPEED_SLEEP_NS);
		speed->spun[i] = time_probe(&bench->probes[SPEED_CHAIN]);
		rest(SPEED_SLEEP_NS);
		speed->slept[i] = time_awake(bench);
	}
}

/* The other walks have taken lines of the smallest one out of its cache. */
static void warm_near(struct bench *bench)
{
	struct walk *const near = &bench->walks[0];

	near->steps = near->lines;
	walk(near);
	near->steps = NEAR_STEPS;
}

static void look_once(struct bench *bench, struct noise_speed *speed)
{
	const size_t i = speed->windows++;

	if (bench->memory)
		warm_near(bench);
	for (size_t probe = 0; probe < bench->n; probe++)
		speed->ns_of[probe][i] = time_probe(&bench->probes[probe]);
}

static void look_at_windows(struct bench *bench, uint64_t end, struct noise_speed *speed)
{
	const uint64_t begin = raw_clock_ns();
	const uint64_t each = end > begin ? (end - begin) / SPEED_WINDOWS : 0;

	for (uint64_t now = begin; now < end && speed->windows < SPEED_WINDOWS;
	     now = raw_clock_ns()) {
		speed->at[speed->windows] = now - begin;
		look_once(bench, speed);
		spin(bench, begin + each * speed->windows);
	}
	speed->ns = raw_clock_ns() - begin;
}

/* x86 has an instruction that tells it. */
static void ask_cpu(void *guest)
{
	char signature[MACHINE_HYPERVISOR_SIZE];

	*(bool *)guest |= machine_hypervisor(signature);
}

void noise_speed_look(int cpu, uint64_t budget_ns, struct noise_speed *speed)
{
	const uint64_t end = raw_clock_ns() + budget_ns;
	const bool whole = budget_ns >= WHOLE_NS;
	const uint64_t cold = budget_ns / COLD_PART;
	struct bench bench = { 0 };
	struct noise_settings after;

	memset(speed, 0, sizeof *speed);
	settings_read("", cpu, &speed->settings);
	guard_call(ask_cpu, &speed->settings.guest);
	speed->exact = chain_is_exact();
	if (!find_rounds(&bench))
		return;
	add_probes(&bench, whole && speed->settings.room / ROOM_PART >= SPEED_FAR_KIB);
	speed->walked = bench.memory != NULL;
	if (whole)
		look_at_sleeps(&bench, end - budget_ns / 2, speed);
	rest(cold < COLD_MAX_NS ? cold : COLD_MAX_NS);
	look_at_windows(&bench, end, speed);
	free(bench.memory);
	settings_read("", cpu, &after);
	speed->hot = after.hot - speed->settings.hot;
}
