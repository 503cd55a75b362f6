/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The instruction is the exclusive or of two registers. Every pipeline's simplest unit does it in
 * one cycle, and no renamer removes it, as some remove moves, additions of a small constant (Intel
 * Golden Cove) and x ^ x. Three processors are known to take another time: Intel's Pentium 4
 * takes half a cycle; some POWERs (7 to 9) and S/390 before z13 take two when the result goes to
 * another pipeline. On these the operating system knows the frequency, and there are no core cycles
 * by the chain.
 */

#include "config.h"

#include "chain.h"
#include "intel.h"
#include "raw-clock.h"

#include <string.h>
#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

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

/* `times` copies of the instruction, then the loop. kind: the constraint of the operands. */
#define ASM(times, instruction, loop, kind) \
	__asm__ volatile("1:\n\t.rept " STRING_OF(times) "\n\t" instruction "\n\t.endr\n\t" loop \
			 : "+" kind(value), "+r"(rounds) \
			 : kind(operand) \
			 : "cc")

/*
 * XOR: the instruction of the chain. PRODUCT: a multiplication that takes a whole number of cycles
 * each time, whatever the operands are. FLOAT: one of floating-point numbers of the kind
 * FLOAT_KIND; elsewhere, it is written in C.
 */
#if !defined(__GNUC__)
/* This form of assembly is not known. */
#elif defined(__x86_64__) || defined(__i386__)
/* XOR r,r. Source: Agner Fog, Instruction tables: latency 1 since the Pentium, except on the
 * Pentium 4. IMUL r,r and MULSD: there, too. */
#define XOR "xor %2, %0"
#define LOOP "dec %1\n\tjnz 1b"
#define PRODUCT "imul %2, %0"
#ifdef __SSE2__
#define FLOAT "mulsd %2, %0"
#define FLOAT_KIND "x"
#endif
#elif defined(__aarch64__)
/* EOR (shifted register, no shift). Source: Arm's Software Optimization Guides,
 * "Logical, basic": latency 1, from Cortex-A53 on. MUL and FMUL: "Multiply" and "FP multiply". */
#define XOR "eor %0, %0, %2"
#define LOOP "subs %1, %1, #1\n\tb.ne 1b"
#define PRODUCT "mul %0, %0, %2"
#define FLOAT "fmul %d0, %d0, %d2"
#define FLOAT_KIND "w"
#elif defined(__arm__) && (!defined(__thumb__) || defined(__thumb2__))
/* EOR. Source: ARM's Technical Reference Manuals, "Instruction cycle timings": 1. */
#define XOR "eor %0, %0, %2"
#define LOOP "subs %1, %1, #1\n\tbne 1b"
#elif defined(__riscv)
/* XOR. Source: manuals of SiFive U74 and T-Head C906: ALU latency 1. MUL: there, too. */
#define XOR "xor %0, %0, %2"
#define LOOP "addi %1, %1, -1\n\tbnez %1, 1b"
#ifdef __riscv_mul
#define PRODUCT "mul %0, %0, %2"
#endif
#elif defined(__powerpc__) || defined(__powerpc64__)
/* XOR. Source: GCC's rs6000/power8.md and power10.md: 1 cycle. MULLW: there, too. */
#define XOR "xor %0, %0, %2"
#define LOOP "addic. %1, %1, -1\n\tbne 1b"
#define PRODUCT "mullw %0, %0, %2"
#elif defined(__s390x__)
/* XGR. Source: GCC's s390/3906.md: latency 1. */
#define XOR "xgr %0, %2"
#define LOOP "brctg %1, 1b"
#elif defined(__mips64)
/* XOR. Source: MIPS processor manuals, "ALU bypass": the next instruction has the result. */
#define XOR "xor %0, %0, %2"
#define LOOP ".set push\n\t.set noreorder\n\tdaddiu %1, %1, -1\n\tbnez %1, 1b\n\tnop\n\t.set pop"
#elif defined(__mips__)
#define XOR "xor %0, %0, %2"
#define LOOP ".set push\n\t.set noreorder\n\taddiu %1, %1, -1\n\tbnez %1, 1b\n\tnop\n\t.set pop"
#elif defined(__sparc__)
/* XOR. Source: UltraSPARC and OpenSPARC T2 manuals: ALU latency 1. */
#define XOR "xor %0, %2, %0"
#define LOOP "subcc %1, 1, %1\n\tbne 1b\n\tnop"
#elif defined(__loongarch64)
/* XOR. Source: GCC's loongarch/la464.md: 1 cycle. MUL.D: there, too. */
#define XOR "xor %0, %0, %2"
#define LOOP "addi.d %1, %1, -1\n\tbnez %1, 1b"
#define PRODUCT "mul.d %0, %0, %2"
#endif

#ifdef XOR

bool chain_is_portable(void)
{
	return false;
}

/* Not inlined, because the compiler does not see how long .rept makes the code, and on ARM a
 * function's constants have to lie within 4 KiB of it. */
__attribute__((noinline)) void chain_xors(void *context)
{
	unsigned long rounds = *(const unsigned long *)context, value = 1, operand = 3;

	ASM(CHAIN_ROUND_CYCLES, XOR, LOOP, "r");
}

void chain_run(unsigned long rounds)
{
	chain_xors(&rounds);
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

/* Stored, so that the compiler has to have it computed. Several threads may run chains at once. */
void chain_run(unsigned long rounds)
{
	const volatile unsigned long result = run(rounds);

	(void)result;
}

void chain_xors(void *context)
{
	(void)context;
}

#endif

bool chain_is_pentium4(uint32_t signature, bool hypervisor)
{
	const uint32_t family = signature >> 8 & 15;
	const uint32_t extended_family = signature >> 20 & 255;

	return family == 15 && extended_family == 0 && !hypervisor;
}

#if defined(__x86_64__) || defined(__i386__)

static bool is_excepted(void)
{
	return chain_is_pentium4(intel_signature(), intel_is_guest());
}

#elif defined(__powerpc__) || defined(__powerpc64__) || defined(__s390x__)

/* The processor's name, as the kernel gives it. Source: getauxval(3), AT_PLATFORM. Unknown names
 * are of newer processors. */
static bool is_excepted(void)
{
#ifdef HAVE_GETAUXVAL
	static const char *const names[] = {
		"power7", "power7+", "power8", "power9",                  /* POWER */
		"z900",   "z990",    "z9-109", "z10",    "z196", "zEC12", /* S/390 */
	};
	const char *const name = (const char *)getauxval(AT_PLATFORM);

	for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !name;
#else
	return true;
#endif
}

#else

static bool is_excepted(void)
{
	return false;
}

#endif

bool chain_is_exact(void)
{
	return !chain_is_portable() && !is_excepted();
}

#ifdef PRODUCT
/* An odd operand: the product never becomes 0. */
__attribute__((noinline)) void chain_products(void *context)
{
	unsigned long rounds = *(const unsigned long *)context, value = 5, operand = 3;

	ASM(CHAIN_PRODUCTS, PRODUCT, LOOP, "r");
}
#else
void chain_products(void *context)
{
	(void)context;
}
#endif

#ifdef FLOAT
__attribute__((noinline)) void chain_floats(void *context)
{
	unsigned long rounds = *(const unsigned long *)context;
	double value = 1, operand = 1;

	ASM(CHAIN_PRODUCTS, FLOAT, LOOP, FLOAT_KIND);
}
#else
/* The compiler does not know that the operand is 1. */
void chain_floats(void *context)
{
	volatile double stored = 1;
	const double operand = stored;
	double value = operand;

	for (unsigned long i = *(const unsigned long *)context * CHAIN_PRODUCTS; i > 0; i--)
		value *= operand;
	stored = value;
}
#endif

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
