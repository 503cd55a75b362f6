/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* beside NAME: while cpucycles() counts the cycles of a chain of instructions, look at the counter
 * of that name, make it ready, and select again. For each of these moments, a line "over-MOMENT"
 * has the instructions of the chain, half of them before the moment and half behind it, what
 * cpucycles() counted of them, and what the counter beside counted, once it is ready. */

#include <cpucycles.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define HALF 500000ul
#define THREADS 4

#if defined(__aarch64__)
#define STEP "eor %0, %0, %2"
#define LOOP "subs %1, %1, #1\n\tb.ne 1b"
#elif defined(__riscv)
#define STEP "xor %0, %0, %2"
#define LOOP "addi %1, %1, -1\n\tbnez %1, 1b"
#else
#error "no instruction is known for the chain"
#endif

/* Each instruction waits for the one before. n is a multiple of 1000. */
static void chain(unsigned long n)
{
	unsigned long value = 1, rounds = n / 1000;

	__asm__ volatile("1:\n\t.rept 1000\n\t" STEP "\n\t.endr\n\t" LOOP
			 : "+r"(value), "+r"(rounds)
			 : "r"(2ul)
			 : "cc");
}

static const char *counter_name;
static long long (*reader)(void); /* of that counter, once it is ready */
static pthread_barrier_t begin;

static void nothing(void) {}

static void look(void)
{
	struct cpucycles_counter counter = { .size = sizeof counter };
	int error = cpucycles_counter_look(counter_name, &counter);

	printf("look %d %s\n", error, counter.reason ? counter.reason : "works");
}

static void ready(void)
{
	long long (*its)(void) = NULL;
	int error = cpucycles_counter_ready(counter_name, &its);

	if (error)
		printf("ready %d\n", error);
	else
		__atomic_store_n(&reader, its, __ATOMIC_RELEASE);
}

static void over(const char *step, void (*moment)(void))
{
	long long (*its)(void) = __atomic_load_n(&reader, __ATOMIC_ACQUIRE);
	long long first = cpucycles(), its_first = its ? its() : 0, count, its_count = 0;

	chain(HALF);
	moment();
	chain(HALF);
	its_count = its ? its() - its_first : 0;
	count = cpucycles() - first;
	if (its)
		printf("over-%s %lu %lld %lld\n", step, 2 * HALF, count, its_count);
	else
		printf("over-%s %lu %lld\n", step, 2 * HALF, count);
}

static void *in_thread(void *unused)
{
	pthread_barrier_wait(&begin);
	over("thread", ready);
	over("thread", look);
	over("thread", nothing);
	return unused;
}

static void in_threads(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&begin, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, in_thread, NULL))
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void use_a_clock(void)
{
	setenv("CPUCYCLES_COUNTER", "default-monotonic", 1);
	cpucycles_reselect();
}

int main(int argc, char *argv[])
{
	long long (*before)(void);

	if (argc != 2)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	counter_name = argv[1];
	before = cpucycles;
	over("nothing", nothing);
	over("look", look);
	over("ready", ready);
	over("ready", ready);
	over("look", look);
	in_threads();
	printf("counter %s %s\n", cpucycles_implementation(),
	       cpucycles == before ? "same" : "changed");
	over("reselection", cpucycles_reselect);
	over("nothing", nothing);
	if (!reader)
		return 0;
	over("clock", use_a_clock);
	printf("lost %d\n", cpucycles_counter_lost(counter_name));
	return 0;
}
