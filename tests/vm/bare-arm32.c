/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Read arm32-cortex on a machine with nothing else on it. There the program can open the register
 * itself, which no available kernel does. It prints one value per line: the counter's name; setup's
 * answer; the ns of the clock and the cycles of some busy time; the same for a pause in which the
 * register wraps; and how often the counter looked at the wall clock, which each look sets on or
 * back by an hour. Sources: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition: PMCR,
 * PMCNTENSET, CNTPCT, CNTFRQ; Semihosting for AArch32 and AArch64, SYS_WRITE0, SYS_EXIT. */

#include "config.h"

#include "counter.h"

#include <time.h>

#define NS_PER_S 1000000000u
#define BUSY_NS 200000000u
#define PAUSE_NS 5500000000u /* of the machine's 10^9 cycles per second: more than 2^32 */

#define SYS_WRITE0 4
#define SYS_EXIT 0x18
#define EXIT_APPLICATION 0x20026u

extern const struct counter cpucycles_counter_arm32_cortex;

int main(void);

/* Functions that libc and the kernel have on other machines. */

#ifdef __thumb__
#define HOST_CALL "svc 0xab"
#define CODE ".thumb"
#else
#define HOST_CALL "svc 0x123456"
#define CODE ".arm"
#endif

__asm__(".pushsection .start, \"ax\"\n"
	"\t.arm\n"
	"_start:\n\t.global _start\n"
	"\tldr sp, =stack_top\n"
	"\tblx main\n"
	"\t.popsection\n"
	"\t" CODE);

static uint64_t thread_data[16];

static int error;

int *__errno_location(void)
{
	return &error;
}

void __sync_synchronize(void);
void __sync_synchronize(void)
{
	__asm__ volatile("dmb" : : : "memory");
}

int raise(int sig);
int raise(int sig)
{
	return sig; /* of a division by 0 */
}

static unsigned wall_looks;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	uint32_t hz;
	uint64_t ticks;

	__asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz));
	__asm__ volatile("isb\n\tmrrc p15, 0, %Q0, %R0, c14" : "=r"(ticks) : : "memory");
	now->tv_sec = (time_t)(ticks / hz);
	now->tv_nsec = (long)(ticks % hz * NS_PER_S / hz);
	if (clock != CLOCK_MONOTONIC)
		now->tv_sec += ++wall_looks % 2 ? 3600 : -3600;
	return 0;
}

static void call_host(unsigned operation, const void *argument)
{
	register unsigned r0 __asm__("r0") = operation;
	register const void *r1 __asm__("r1") = argument;

	__asm__ volatile(HOST_CALL : "+r"(r0) : "r"(r1) : "memory", "lr");
}

static void print(long long number)
{
	char text[24], *p = text + sizeof text - 1;
	unsigned long long rest =
		number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;

	*p = 0;
	*--p = '\n';
	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (number < 0)
		*--p = '-';
	call_host(SYS_WRITE0, p);
}

static uint64_t ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Let this much time pass, with reads of the counter meanwhile or without. */
static void count_while(uint64_t least_ns, long long (*read)(void), long long (*meanwhile)(void))
{
	uint64_t start = ns(), passed;
	long long cycles = read();

	while (ns() - start < least_ns)
		if (meanwhile)
			meanwhile();
	passed = ns() - start;
	cycles = read() - cycles;
	print((long long)passed);
	print(cycles);
}

int main(void)
{
	const struct counter *counter = &cpucycles_counter_arm32_cortex;
	/* A fourth less than the machine's rate, which setup has to find out. */
	const struct counter_conditions conditions = { NS_PER_S / 4 * 3, { 1, 1 }, false };

	__asm__ volatile("mcr p15, 0, %0, c13, c0, 3" : : "r"(thread_data)); /* TPIDRURO */
	__asm__ volatile("mcr p15, 0, %0, c9, c12, 0" : : "r"(1u));          /* PMCR.E */
	__asm__ volatile("mcr p15, 0, %0, c9, c12, 1" : : "r"(1u << 31));    /* PMCNTENSET.C */
	call_host(SYS_WRITE0, counter->name);
	call_host(SYS_WRITE0, "\n");
	print(counter->setup(&conditions));
	count_while(BUSY_NS, counter->read, counter->read);
	count_while(PAUSE_NS, counter->read, NULL);
	print(wall_looks);
	call_host(SYS_EXIT, (const void *)EXIT_APPLICATION);
	return 0;
}
