/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "known.h"
#include "chain.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Larger than a first-level cache, and than what a first-level TLB reaches. */
#define MEMORY_BYTES ((size_t)1 << 20)

/* A stride that visits all bytes in an order that no prefetcher expects. */
#define MEMORY_STRIDE 166667

volatile unsigned long known_variable;

static unsigned char *map(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
		/* Else one fault may bring several pages. */
#if HAVE_DECL_MADV_NOHUGEPAGE
	madvise(memory, bytes, MADV_NOHUGEPAGE);
#endif
	return memory;
}

int known_open(struct known *known)
{
	*known = (struct known){ .page_size = (unsigned long)sysconf(_SC_PAGESIZE) };
	known->memory = map(MEMORY_BYTES);
	return known->memory ? 0 : -errno;
}

static void unmap(volatile unsigned char *memory, size_t bytes)
{
	if (memory)
		munmap((void *)(uintptr_t)memory, bytes);
}

void known_close(struct known *known)
{
	unmap(known->memory, MEMORY_BYTES);
	unmap(known->pages, KNOWN_PAGES_N * known->page_size);
}

int known_prepare(struct known *known, enum known_work work)
{
	if (work == KNOWN_MEMORY)
		for (size_t i = 0; i < MEMORY_BYTES; i += known->page_size)
			known->memory[i] = 1;
	if (work != KNOWN_PAGES)
		return 0;
	unmap(known->pages, KNOWN_PAGES_N * known->page_size);
	known->pages = map(KNOWN_PAGES_N * known->page_size);
	return known->pages ? 0 : -errno;
}

static void branches(void)
{
	for (volatile unsigned i = 0; i < KNOWN_BRANCHES_N; i++)
		;
}

/* A store to volatile memory happens or not: no compiler makes a branch without a jump of that. The
 * numbers come from a xorshift generator, whose bits a processor does not learn. */
static void guesses(void)
{
	uint32_t x = 2463534242u;

	for (unsigned i = 0; i < KNOWN_BRANCHES_N; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		if (x >> 16 & 1)
			known_variable = i;
	}
}

/* A sanitizer would use memory of its own next to each page. */
__attribute__((no_sanitize("address", "thread"))) static void touch(const struct known *known)
{
	for (size_t i = 0; i < KNOWN_PAGES_N; i++)
		known->pages[i * known->page_size] = 1;
}

static void walk(const struct known *known)
{
	size_t at = 0;

	for (unsigned i = 0; i < KNOWN_MEMORY_N; i++) {
		known->memory[at]++;
		at = (at + MEMORY_STRIDE) % MEMORY_BYTES;
	}
}

/* The alarm of a shorter sleep may come before the thread has left its CPU, above all if it has a
 * real-time priority. */
static void sleeps(void)
{
	const struct timespec brief = { .tv_nsec = 100000 };

	for (unsigned i = 0; i < KNOWN_SLEEPS_N; i++)
		nanosleep(&brief, NULL);
}

static void calls(void)
{
	for (unsigned i = 0; i < KNOWN_CALLS_N; i++)
		getppid();
}

void known_run(struct known *known, enum known_work work)
{
	switch (work) {
	case KNOWN_CHAIN:
		chain_run(KNOWN_CHAIN_ROUNDS);
		break;
	case KNOWN_BRANCHES:
		branches();
		break;
	case KNOWN_GUESSES:
		guesses();
		break;
	case KNOWN_PAGES:
		touch(known);
		break;
	case KNOWN_CALLS:
		calls();
		break;
	case KNOWN_MEMORY:
		walk(known);
		break;
	default:
		sleeps();
		break;
	}
}

/* Not inlined, so that there is one address that each call executes. */
__attribute__((noinline)) void known_target(void)
{
	known_variable = 0;
}

void known_call_target(void)
{
	for (unsigned i = 0; i < KNOWN_TARGET_N; i++)
		known_target();
}

void known_write_variable(void)
{
	for (unsigned i = 0; i < KNOWN_TARGET_N; i++)
		known_variable = i;
}

void known_read_variable(void)
{
	for (unsigned i = 0; i < KNOWN_TARGET_N; i++)
		(void)known_variable;
}
