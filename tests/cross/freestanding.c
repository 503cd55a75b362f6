/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A program without libc around one counter: sets it up, reads it between the fences of a meter,
 * and prints on one line its name, the rate, the lowest and the highest step of many reads, and
 * what remains to be said. Exit status: 0, or 1 if what a counter promises does not hold. With
 *   COUNTER   the counter's structure
 *   MADE_PAGE defined: it reads what a perf user page names, and this makes the page. */

#include "counter.h"
#include "os/clock.h"
#include "fence.h"
#ifdef MADE_PAGE
#include "os/perfevent.h"
#elif defined(__riscv)
#include "os/core-register.h"
#endif

#include <errno.h>
#include <stddef.h>

#define READS 1000
#define PERSECOND UINT64_C(2400000000)

extern const struct counter COUNTER;
int errno;

/* The kernel. Sources: its Documentation/riscv, Documentation/loongarch and
 * include/uapi/asm-generic/unistd.h: number in a7, arguments from a0 on, answer in a0. */
#define SYS_WRITE 64
#define SYS_EXIT 93
#define SYS_CLOCK_GETTIME (sizeof(long) == 8 ? 113 : 403)

static long system_call(long number, long a, long b, long c)
{
#if defined(__riscv)
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
	register long a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
#elif defined(__loongarch__)
	register long a0 __asm__("$a0") = a, a1 __asm__("$a1") = b, a2 __asm__("$a2") = c;
	register long a7 __asm__("$a7") = number;

	__asm__ volatile("syscall 0"
			 : "+r"(a0)
			 : "r"(a1), "r"(a2), "r"(a7)
			 : "memory", "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8");
#endif
	return a0;
}

static _Noreturn void leave(int status)
{
	for (;;)
		system_call(SYS_EXIT, status, 0, 0);
}

static void say(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	system_call(SYS_WRITE, 1, (long)text, (long)length);
}

static void say_number(uint64_t number)
{
	char text[24], *p = text + sizeof text;

	*--p = 0;
	do
		*--p = (char)('0' + number % 10);
	while (number /= 10);
	say(" ");
	say(p);
}

static _Noreturn void broken(const char *what)
{
	say(" broken: ");
	say(what);
	say("\n");
	leave(1);
}

/* What the counters ask of libc and of the library */

int clock_gettime(int clock, struct timespec *now)
{
	int64_t answer[2];

	if (system_call(SYS_CLOCK_GETTIME, clock, (long)answer, 0))
		return -1;
	now->tv_sec = answer[0];
	now->tv_nsec = (long)answer[1];
	return 0;
}

void *memset(void *to, int byte, size_t length)
{
	for (volatile char *p = to; length > 0; length--)
		*p++ = (char)byte;
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
	const char *q = from;

	for (volatile char *p = to; length > 0; length--)
		*p++ = *q++;
	return to;
}

#ifdef MADE_PAGE
_Thread_local struct perfevent perfevent_this;
static _Atomic(uint32_t) process = 1;
_Atomic(uint32_t) *perfevent_process_page = &process;
static struct perf_event_mmap_page page;

/* As the kernel writes it while the event is on the PMU: the register's number and one. */
int perfevent_setup_register(uint64_t config1, const struct counter_conditions *conditions,
			     perfevent_register *read_register)
{
	(void)config1, (void)conditions, (void)read_register;
	page.cap_user_rdpmc = 1;
	page.index = 1;
	page.pmc_width = 64;
	perfevent_this =
		(struct perfevent){ .process = 1, .readable = 1, .n = 1, .pages = { &page } };
	return 0;
}

void perfevent_renew(void)
{
	broken("the thread's event was taken for another's");
}

long long perfevent_read_without_register(struct perfevent *event)
{
	(void)event;
	broken("it was not the register that was read");
}

bool perfevent_lost(void)
{
	return false;
}

void perfevent_teardown(void) {}
void perfevent_closed(void) {}
#elif defined(__riscv)
_Thread_local struct core_register core_register_this;

int core_register_setup(const struct counter_conditions *conditions)
{
	(void)conditions;
	return 0;
}

long long core_register_clock(struct core_register *mine)
{
	(void)mine;
	broken("it was not the register that was read");
}

bool core_register_lost(void)
{
	return false;
}

void core_register_closed(void) {}

void core_register_stopped(void)
{
	broken("the register stands still");
}
#endif

static void read_often(void)
{
	long long first = COUNTER.read(), last = first;
	uint64_t least = UINT64_MAX, most = 0;

	for (int i = 0; i < READS; i++) {
		long long now;
		uint64_t step;

		fence();
		now = COUNTER.read();
		fence();
		step = (uint64_t)now - (uint64_t)last;
		if (now < last)
			broken("counts decrease");
		least = step < least ? step : least;
		most = step > most ? step : most;
		last = now;
	}
	if (last == first)
		broken("counts stand still");
	say_number(least);
	say_number(most);
}

__attribute__((used)) static _Noreturn void start(void)
{
	struct counter_conditions conditions = { PERSECOND, { 1, 1 }, false };
	uint64_t hz = 0;

	say(COUNTER.name);
	if (COUNTER.rate && COUNTER.rate(&hz))
		broken("no rate");
	say_number(hz);
	if (COUNTER.setup(&conditions))
		broken("no setup");
	read_often();
	say("\n");
	leave(0);
}

/* One thread, whose storage starts with zeros; its pointer points to the start. */
__attribute__((used)) static _Alignas(64) char thread_local_storage[1024];

#if defined(__riscv)
__asm__(".globl _start\n_start:\n\tla tp, thread_local_storage\n\tandi sp, sp, -16\n\tcall "
	"start\n");
#elif defined(__loongarch__)
__asm__(".globl _start\n_start:\n\tla.local $tp, thread_local_storage\n"
	"\tbstrins.d $sp, $zero, 3, 0\n\tbl start\n");
#endif
