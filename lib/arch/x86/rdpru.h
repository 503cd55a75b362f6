/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What the two counters that read APERF share. User mode may read APERF by the instruction RDPRU,
 * which AMD processors have since Zen 2. aperf.h says how a register of the CPU becomes a count of
 * the thread. Sources: AMD64 APM volume 3, RDPRU, RDPID and CPUID Fn0000_0007_ECX_x0; rseq(2) and
 * the kernel's include/uapi/linux/rseq.h.
 */

#ifndef CPUCYCLES_RDPRU_H
#define CPUCYCLES_RDPRU_H

#include "counter.h"
#include "fixup.h"
#include "arch/x86/aperf-thread.h"
#include "arch/x86/cpuid.h"
#include "hot.h"
#include "os/clock.h"
#include "os/core-register.h"
#include "os/tls.h"

#include <signal.h>
#include <string.h>

#ifdef HAVE_SYS_RSEQ_H
#include <stddef.h>
#include <sys/rseq.h>
#endif

/* A CPU, or the host of a virtual machine, that does not have the instruction raises SIGILL. In a
 * process that may not read the time-stamp counter (CR4.TSD), one of the two reads raises SIGSEGV
 * or SIGILL. */
#define RDPRU_SIGNALS (COUNTER_SIGNAL(SIGILL) | COUNTER_SIGNAL(SIGSEGV))

/* The CPU that the thread runs on, if glibc has had the kernel note it. Else APERF_NO_CPU or more.
 */
static inline uint32_t rdpru_noted_cpu(void)
{
#ifdef HAVE_SYS_RSEQ_H
	const char *thread;

#ifdef __x86_64__
	__asm__("mov %%fs:0, %0" : "=r"(thread));
#else
	__asm__("mov %%gs:0, %0" : "=r"(thread));
#endif
	return ((const volatile struct rseq *)(const void *)(thread + __rseq_offset))->cpu_id;
#else
	return APERF_NO_CPU;
#endif
}

/* The kernel does not note the CPU, and the CPU has the instruction RDPID. */
static bool rdpru_by_rdpid;

/* A number that Linux gives to each CPU. The bytes are those of RDPID, because old assemblers do
 * not know it. */
static inline uint32_t rdpru_rdpid(void)
{
#ifdef __x86_64__
	uint64_t number;
#else
	uint32_t number;
#endif

	__asm__ volatile(".byte 0xf3, 0x0f, 0xc7, 0xf8" : "=a"(number)); /* into RAX or EAX */
	return (uint32_t)number;
}

/* The CPU that the thread runs on. Always the same number where it cannot be known. */
static inline uint32_t rdpru_cpu(void)
{
	const uint32_t cpu = rdpru_noted_cpu();

	if (cpu < APERF_NO_CPU)
		return cpu;
	return rdpru_by_rdpid ? rdpru_rdpid() % APERF_NO_CPU : 0;
}

/* APERF. 0: the instruction has faulted. It is RDPRU, in bytes because old assemblers do not know
 * it. ECX selects the register: 1 is APERF. */
static inline long long rdpru_register(void)
{
	uint32_t low = 0, high = 0;

	__asm__ volatile(FIXUP(".byte 0x0f, 0x01, 0xfd") : "+a"(low), "+d"(high) : "c"(1));
	return (long long)((uint64_t)high << 32 | low);
}

/* 0: the instruction has faulted. */
static inline uint64_t rdpru_tsc(void)
{
	uint32_t low = 0, high = 0;

	__asm__ volatile(FIXUP("rdtsc") : "+a"(low), "+d"(high));
	return (uint64_t)high << 32 | low;
}

/* The CPU comes last: if the thread moves between any two of the reads, the pair names the new
 * CPU. */
static inline struct aperf_pair rdpru_pair(void)
{
	struct aperf_pair pair;

	pair.tsc = rdpru_tsc();
	pair.aperf = (uint64_t)rdpru_register();
	pair.cpu = rdpru_cpu();
	return pair;
}

/* Whether the CPU is of AMD, or of Hygon, which makes AMD's design. Only their CPUs have SSE4A, and
 * glibc has looked for it at the program's start. Where there is none, CPUID is asked for the
 * maker's name, which takes microseconds in a virtual machine: some hosts hide SSE4A. */
static inline bool rdpru_may_exist(x86_cpuid *cpuid)
{
	uint32_t r[4];
	char vendor[12];

	if (X86_HAS(SSE4A))
		return true;
	cpuid(0, r);
	memcpy(vendor, &r[1], 4); /* EBX, EDX, ECX */
	memcpy(vendor + 4, &r[3], 4);
	memcpy(vendor + 8, &r[2], 4);
	return !memcmp(vendor, "AuthenticAMD", 12) || !memcmp(vendor, "HygonGenuine", 12);
}

#define RDPRU_LEAF_RDPID 7
#define RDPRU_RDPID_BIT (UINT32_C(1) << 22) /* in ECX */

static inline bool rdpru_has_rdpid(x86_cpuid *cpuid)
{
	uint32_t r[4];

	return x86_read_leaf(cpuid, RDPRU_LEAF_RDPID, r) && r[2] & RDPRU_RDPID_BIT;
}

static _Thread_local struct aperf_thread rdpru_this TLS_MODEL = APERF_THREAD;

/* A thread that has counted by the clock goes on from there. */
static inline int rdpru_open(const struct counter_conditions *conditions)
{
	const bool by_clock = core_register_this.by_clock;

	core_register_setup(conditions);
	if (by_clock)
		aperf_restart(&rdpru_this, core_register_this.last);
	return 0;
}

/* On other CPUs, these bytes may be another instruction one day. On AMD's they are tried even if
 * CPUID (bit 4 of EBX of leaf 8000_0008h) does not tell of RDPRU: some hosts clear that bit and
 * leave the instruction. */
static inline int rdpru_setup(const struct counter_conditions *conditions)
{
	bool by_rdpid;

	if (!rdpru_may_exist(x86_this_cpuid))
		return COUNTER_ABSENT;
	by_rdpid = rdpru_noted_cpu() >= APERF_NO_CPU && rdpru_has_rdpid(x86_this_cpuid);
	if (rdpru_by_rdpid != by_rdpid) /* readers may be there: see published_keep */
		rdpru_by_rdpid = by_rdpid;
	return rdpru_open(conditions);
}

/* The thread's register faults: its count goes on by the clock. */
COLD static long long rdpru_clock(void)
{
	struct core_register *mine = &core_register_this;

	if (!mine->by_clock) {
		/* A read that this one interrupts shall not count a pair after this. */
		const uint64_t count = aperf_restart(&rdpru_this, 0);

		if (mine->last < count)
			mine->last = count;
	}
	return core_register_clock(mine);
}

static inline uint64_t rdpru_ns(void)
{
	uint64_t ns;

	clock_by_syscall(&ns);
	return ns;
}

static inline uint64_t rdpru_core_hz(void)
{
	return aperf_core_hz(rdpru_pair, rdpru_ns);
}

/* The count at this pair, in an unusual case. Not inlined, because the usual case would save the
 * registers that this needs. */
__attribute__((noinline)) static long long rdpru_count_at(uint64_t tsc, uint64_t aperf,
							  uint32_t cpu)
{
	static const struct aperf_reader read = { rdpru_pair, rdpru_tsc };
	const struct aperf_pair pair = { tsc, aperf, cpu };
	const uint64_t count = aperf_count_at(&rdpru_this, pair, &read);

	return core_register_this.given_up ? rdpru_clock() : (long long)count;
}

/* An instruction that has faulted gives 0. That is no usual case, because no window has a pair with
 * a 0. */
static inline long long rdpru_read(void)
{
	struct aperf_thread *mine = &rdpru_this;
	struct aperf_pair pair;
	uint64_t count;

	__asm__("" : "+r"(mine)); /* see perfevent_mine */
	if (core_register_this.given_up)
		return rdpru_clock();
	pair = rdpru_pair();
	if (aperf_count_usual(mine, &pair, &count))
		return (long long)count;
	return rdpru_count_at(pair.tsc, pair.aperf, pair.cpu);
}

/* Its place is between the registers that count the thread's own cycles, which cost 0, and the
 * time-stamp counter, which costs 100: cpucycles-counters(7), "How the counter is selected". */
#define RDPRU_PENALTY 50

/* All of the counter but its name, class and width. */
#define RDPRU_COUNTER \
	.penalty = RDPRU_PENALTY, .setup = rdpru_setup, .signals = RDPRU_SIGNALS, \
	.read = rdpru_read, .read_register = rdpru_register, .closing_signals = RDPRU_SIGNALS, \
	.closed = core_register_closed, .core_hz = rdpru_core_hz, .lost = core_register_lost, \
	.caveat = "cycles of the CPU, whichever thread runs on it; " \
		  "estimated where the thread moves to another CPU"

#endif
