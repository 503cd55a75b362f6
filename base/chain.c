/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The instruction is the exclusive or of two registers. Every pipeline's simplest unit does it in
 * one cycle, and no renamer removes it, as some remove moves, additions of a small constant (Intel
 * Golden Cove) and x ^ x. Three processors are known to take another time: Intel's Pentium 4
 * takes half a cycle; some POWERs (7 to 9) and S/390 before z13 take two when the result goes to
 * another pipeline. On these the operating system knows the frequency.
 */

#include "config.h"

#include "chain.h"
#include "raw-clock.h"

/* The rounds of a batch double until it is long enough, up to this number: more than the slowest
 * core needs. */
#define ROUNDS_MAX (1ul << 20)

/* A length is long enough if this many batches in a row are. */
#define LENGTH_TRIES 3

/* The time of a batch is not known if it is shorter than COARSE steps of the clock. */
#define COARSE 4

/* This part of the budget lets the core speed up: frequency governors take milliseconds. */
#define WARM_UP_PART 4

#define STRING(number) #number
#define STRING_OF(macro) STRING(macro)

#define CHAIN_ASM(instruction, loop) \
	__asm__ volatile("1:\n\t.rept " STRING_OF(CHAIN_ROUND_CYCLES) "\n\t" instruction \
								      "\n\t.endr\n\t" loop \
			 : "+r"(value), "+r"(rounds) \
			 : "r"(operand) \
			 : "cc")

#if !defined(__GNUC__)
/* This form of assembly is not known. */
#elif defined(__x86_64__) || defined(__i386__)
/* XOR r,r. Source: Agner Fog, Instruction tables: latency 1 since the Pentium, except on the
 * Pentium 4. */
#define CHAIN CHAIN_ASM("xor %2, %0", "dec %1\n\tjnz 1b")
#elif defined(__aarch64__)
/* EOR (shifted register, no shift). Source: Arm's Software Optimization Guides,
 * "Logical, basic": latency 1, from Cortex-A53 on. */
#define CHAIN CHAIN_ASM("eor %0, %0, %2", "subs %1, %1, #1\n\tb.ne 1b")
#elif defined(__arm__) && (!defined(__thumb__) || defined(__thumb2__))
/* EOR. Source: ARM's Technical Reference Manuals, "Instruction cycle timings": 1. */
#define CHAIN CHAIN_ASM("eor %0, %0, %2", "subs %1, %1, #1\n\tbne 1b")
#elif defined(__riscv)
/* XOR. Source: manuals of SiFive U74 and T-Head C906: ALU latency 1. */
#define CHAIN CHAIN_ASM("xor %0, %0, %2", "addi %1, %1, -1\n\tbnez %1, 1b")
#elif defined(__powerpc__) || defined(__powerpc64__)
/* XOR. Source: GCC's rs6000/power8.md and power10.md: 1 cycle. */
#define CHAIN CHAIN_ASM("xor %0, %0, %2", "addic. %1, %1, -1\n\tbne 1b")
#elif defined(__s390x__)
/* XGR. Source: GCC's s390/3906.md: latency 1. */
#define CHAIN CHAIN_ASM("xgr %0, %2", "brctg %1, 1b")
#elif defined(__mips64)
/* XOR. Source: MIPS processor manuals, "ALU bypass": the next instruction has the result. */
#define CHAIN \
	CHAIN_ASM("xor %0, %0, %2", ".set push\n\t.set noreorder\n\t" \
				    "daddiu %1, %1, -1\n\tbnez %1, 1b\n\tnop\n\t.set pop")
#elif defined(__mips__)
#define CHAIN \
	CHAIN_ASM("xor %0, %0, %2", ".set push\n\t.set noreorder\n\t" \
				    "addiu %1, %1, -1\n\tbnez %1, 1b\n\tnop\n\t.set pop")
#elif defined(__sparc__)
/* XOR. Source: UltraSPARC and OpenSPARC T2 manuals: ALU latency 1. */
#define CHAIN CHAIN_ASM("xor %0, %2, %0", "subcc %1, 1, %1\n\tbne 1b\n\tnop")
#elif defined(__loongarch64)
/* XOR. Source: GCC's loongarch/la464.md: 1 cycle. */
#define CHAIN CHAIN_ASM("xor %0, %0, %2", "addi.d %1, %1, -1\n\tbnez %1, 1b")
#endif

#ifdef CHAIN

bool chain_is_portable(void)
{
	return false;
}

/* Not inlined, because the compiler does not see how long .rept makes the code, and on ARM a
 * function's constants have to lie within 4 KiB of it. */
__attribute__((noinline)) static unsigned long run(unsigned long rounds)
{
	unsigned long value = 1, operand = 3;

	CHAIN;
	return value;
}

#else

bool chain_is_portable(void)
{
	return true;
}

#define STEP value = (value ^ operand) + value;
#define TEN(step) step step step step step step step step step step

/* A step has two operations. No compiler can take a short cut from one step through the next,
 * because a sum does not distribute over an exclusive or. */
static unsigned long run(unsigned long rounds)
{
	unsigned long value = rounds, operand = rounds | 1;

	while (rounds-- > 0) {
		for (int i = 0; i < CHAIN_ROUND_CYCLES / 2 / 100; i++) {
			TEN(TEN(STEP))
		}
		operand += value | 1;
	}
	return value;
}

#endif

/* Stored, so that the compiler has to have it computed. Several threads may run chains at once. */
void chain_run(unsigned long rounds)
{
	const volatile unsigned long result = run(rounds);

	(void)result;
}

static long long no_count(void)
{
	return 0;
}

/* A batch, timed and counted. */
struct batch {
	uint64_t ns, counts;
};

/* The counter is read outside of the clock: where reading it takes a system call, the clock does
 * not see that. */
static struct batch time_batch(unsigned long rounds, long long (*count)(void))
{
	const long long before = count();
	const uint64_t start = raw_clock_ns();
	struct batch batch;

	chain_run(rounds);
	batch.ns = raw_clock_ns() - start;
	batch.counts = (uint64_t)(count() - before);
	return batch;
}

/* The first try may be slow and say nothing: its code is not in the cache yet, or an emulator is
 * translating it. */
static bool is_long_enough(unsigned long rounds, uint64_t ns)
{
	for (int i = 0; i < LENGTH_TRIES; i++)
		if (time_batch(rounds, no_count).ns < ns)
			return false;
	return true;
}

/* Find the length of a long batch, and keep the core busy until the time is up. */
static unsigned long warm_up(uint64_t ns, uint64_t end)
{
	unsigned long rounds = 2;

	while (!is_long_enough(rounds, ns) && rounds < ROUNDS_MAX)
		rounds *= 2;
	while (raw_clock_ns() < end)
		time_batch(rounds, no_count);
	return rounds;
}

/* How long a long batch should take. */
static uint64_t batch_ns(uint64_t clock_step)
{
	const uint64_t wanted = clock_step * CHAIN_BATCH_STEPS;

	if (wanted > CHAIN_BATCH_MAX_NS)
		return CHAIN_BATCH_MAX_NS;
	return wanted > CHAIN_BATCH_NS ? wanted : CHAIN_BATCH_NS;
}

/* Without a counter, its pages of memory are not touched. */
static void keep_batch(struct batch batch, bool counted, struct chain_batches *batches, size_t i)
{
	batches->ns[i] = batch.ns;
	if (counted)
		batches->counts[i] = batch.counts;
}

void chain_time(uint64_t budget_ns, long long (*count)(void), struct chain_times *times)
{
	long long (*const read)(void) = count ? count : no_count;
	uint64_t start, now;
	unsigned long rounds;

	times->n = 0;
	times->clock_step = raw_clock_step();
	if (times->clock_step > CHAIN_BATCH_MAX_NS / COARSE)
		return;
	start = now = raw_clock_ns();
	rounds = warm_up(batch_ns(times->clock_step), start + budget_ns / WARM_UP_PART);
	times->rounds = rounds - 1;
	while (times->n < CHAIN_BATCHES_MAX &&
	       (now - start < budget_ns || times->n < CHAIN_BATCHES_MIN)) {
		keep_batch(time_batch(1, read), count, &times->brief, times->n);
		keep_batch(time_batch(rounds, read), count, &times->whole, times->n);
		times->n++;
		now = raw_clock_ns();
	}
}
