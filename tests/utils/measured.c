/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions that cpucycles-measure is tried with, well behaved and other ones. measure.sh makes a
 * shared object of this file. PID_FILE in the environment names a file for process numbers. */

#define _DEFAULT_SOURCE

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static volatile uint64_t state = 1;

/* Each multiplication waits for the one before. Not inlined, so that the file has this name. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static void
multiply(unsigned n)
{
	uint64_t x = state;

	for (unsigned i = 0; i < n; i++)
		x = x * UINT64_C(6364136223846793005) + i;
	state = x;
}

static void write_pid(long pid)
{
	const char *path = getenv("PID_FILE");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (file) {
		fprintf(file, "%ld\n", pid);
		fclose(file);
	}
}

/* What is no void f(void). */
int variable;
_Thread_local int of_thread;

void touches(int *address)
{
	*address = 1;
}

void fills_the_stack(void)
{
	volatile char room[16 << 20];

	room[0] = 1;
	if (room[0] != 1)
		abort();
}

static int descend(int left)
{
	volatile char room[1000];

	room[0] = (char)left;
	return left < 0 ? 0 : descend(left + 1) + room[0];
}

void descends(void)
{
	descend(1);
}

/* Its setup is at fault. */
void sets_up_too_much(void) {}

void sets_up_too_much_setup(void)
{
	fills_the_stack();
}

/* As C++ calls void lone_setup() and void lone_before(unsigned long). The function both() has what
 * is called for it, and others of such names. */
void _Z10lone_setupv(void) {}

void lone(void) {}

void _Z11mono_beforem(void) {}

void mono(void) {}

void _Z10both_setupv(void) {}

void both_setup(void) {}

void _Z11both_beforei(void) {}

void _Z10both_inputiPh(void) {}

void both(void)
{
	multiply(1000);
}

/* As C++ calls void plus(). */
void _Z4plusv(void)
{
	multiply(1000);
}

void thousand(void)
{
	multiply(1000);
}

void two_thousand(void)
{
	multiply(2000);
}

void empty(void) {}

void millisecond(void)
{
	usleep(1000);
}

/* By insertion: quick if the numbers are in order already. */
#define NUMBERS 1000
static volatile unsigned numbers[NUMBERS];

void sorts(void)
{
	for (unsigned i = 1; i < NUMBERS; i++) {
		const unsigned number = numbers[i];
		unsigned j = i;

		for (; j > 0 && numbers[j - 1] > number; j--)
			numbers[j] = numbers[j - 1];
		numbers[j] = number;
	}
}

void sorts_setup(void)
{
	unsigned x = 1;

	for (unsigned i = 0; i < NUMBERS; i++)
		numbers[i] = x = x * 1664525 + 1013904223;
}

/* The same with numbers out of order before each call. */
void sorts_anew(void)
{
	sorts();
}

void sorts_anew_before(void)
{
	sorts_setup();
}

static int inputs;

/* Crashes unless each call has an input of its own. */
void needs_before(void)
{
	if (inputs-- != 1)
		abort();
	multiply(1000);
}

void needs_before_before(void)
{
	inputs++;
}

void dies_in_before(void)
{
	multiply(1000);
}

void dies_in_before_before(void)
{
	static int calls;

	if (++calls == 40)
		raise(SIGKILL);
}

void hangs_in_before(void)
{
	multiply(1000);
}

void hangs_in_before_before(void)
{
	for (;;)
		pause();
}

/* Too short for a call by itself, and never called in a loop. */
void short_with_before(void)
{
	state = 1;
}

void short_with_before_before(void)
{
	state = 2;
}

static char copied[2][16];

void copies(void)
{
	memcpy(copied[0], copied[1], sizeof copied[0]);
#if defined(__GNUC__)
	__asm__ volatile("" : : "r"(copied) : "memory"); /* somebody reads it */
#endif
}

static int set_up;

/* Crashes unless it was set up, and that once. */
void needs_setup(void)
{
	if (set_up != 1)
		abort();
	multiply(1000);
}

void needs_setup_setup(void)
{
	set_up++;
}

void prints(void)
{
	static int calls;

	if (calls++ == 0)
		printf("printed by the function\n");
	multiply(1000);
}

void closes(void)
{
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	multiply(1000);
}

void dies(void)
{
	raise(SIGKILL);
}

void leaves(void)
{
	exit(7);
}

void hangs(void)
{
	write_pid((long)getpid());
	for (;;)
		pause();
}

/* alarm(2) and its signal are the function's own. */
void alarms(void)
{
	signal(SIGALRM, SIG_IGN);
	alarm(1);
	for (;;)
		pause();
}

void stops(void)
{
	raise(SIGSTOP);
}

void dies_in_setup(void) {}

void dies_in_setup_setup(void)
{
	raise(SIGKILL);
}

void leaves_a_child(void)
{
	multiply(1000);
}

void leaves_a_child_setup(void)
{
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	write_pid((long)child);
}

/* As Ctrl-C does, after some samples. */
void interrupts(void)
{
	static int calls;

	if (++calls == 1000)
		kill(getppid(), SIGINT);
	usleep(100);
}

/* As timeout(1) does. Who sends the second one is not ended with the first. */
void interrupts_twice(void)
{
	static int calls;
	const pid_t parent = getppid();

	if (++calls == 1000 && fork() == 0) {
		setsid();
		kill(parent, SIGINT);
		usleep(5000);
		kill(parent, SIGINT);
		_exit(0);
	}
	usleep(100);
}

void terminates(void)
{
	static int calls;

	if (++calls == 1000)
		kill(getppid(), SIGTERM);
	usleep(100);
}

/* Whether this is the first call in the third process: PID_FILE has a byte for each. */
static int is_third_process(void)
{
	static int calls;
	const char *path = getenv("PID_FILE");
	FILE *file = calls++ == 0 && path ? fopen(path, "a") : NULL;
	int third;

	if (!file)
		return 0;
	fputc('.', file);
	third = ftell(file) == 3;
	fclose(file);
	return third;
}

void dies_later(void)
{
	multiply(1000);
	if (is_third_process())
		raise(SIGKILL);
}

/* Ctrl-C comes in a call that does not end. */
void interrupts_and_hangs(void)
{
	kill(getppid(), SIGINT);
	for (;;)
		pause();
}

void interrupts_and_hangs_later(void)
{
	multiply(1000);
	if (is_third_process())
		interrupts_and_hangs();
}

void closes_and_dies_later(void)
{
	dies_later();
	closes();
}

/* Writes this number into the memory that the process shares with others, between two places. */
static void overwrite(int number, unsigned long begin, unsigned long end)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[512], mode[5];

	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) == 3 && !strcmp(mode, "rw-s"))
			for (int *place = (int *)(from + begin);
			     place < (int *)to && place < (int *)(from + end); place++)
				*place = number;
	if (maps)
		fclose(maps);
}

static void overwrite_after_some_calls(int number)
{
	static int calls;

	if (++calls == 100) {
		overwrite(number, 0, UINT32_MAX);
		_exit(0);
	}
	multiply(1000);
}

void writes_0(void)
{
	overwrite_after_some_calls(0);
}

/* The number of each phase of the child, among others. */
void writes_1(void)
{
	overwrite_after_some_calls(1);
}

void writes_3(void)
{
	overwrite_after_some_calls(3);
}

void writes_4(void)
{
	overwrite_after_some_calls(4);
}

void writes_5(void)
{
	overwrite_after_some_calls(5);
}

void writes_6(void)
{
	overwrite_after_some_calls(6);
}

/* Goes on after that. The name of the counter is between these places. */
void writes_over_the_record(void)
{
	static int calls;

	if (++calls == 100)
		overwrite(-1, 512, 4096);
	multiply(1000);
}

void writes_letters(void)
{
	overwrite_after_some_calls(0x41414141);
}

void writes_minus_1(void)
{
	overwrite_after_some_calls(-1);
}

/* Blocks a signal and leaves that so. */
void blocks(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	multiply(1000);
}

#if defined(__x86_64__) || defined(__i386__)
void goes_backwards(void)
{
	multiply(1000);
	__asm__ volatile("std" : : : "cc");
}
#endif

/* Elsewhere, these are not there. */
#if defined(__SSE2__) || defined(__aarch64__)

/* What the constructors of gcc's -ffast-math do, or the opposite. */
static void set_flushing(int on)
{
#if defined(__SSE2__)
	_mm_setcsr(on ? _mm_getcsr() | 0x8040 : _mm_getcsr() & ~0x8040u);
#else
	uint64_t fpcr;

	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	fpcr = on ? fpcr | UINT64_C(1) << 24 : fpcr & ~(UINT64_C(1) << 24);
	__asm__ volatile("msr fpcr, %0" : : "r"(fpcr) : "memory");
#endif
}

static int is_flushing(void)
{
	static volatile double smallest = 0x1p-1074;
	volatile double product = smallest * 1.0;

	return product == 0;
}

/* Crashes where denormals are flushed to zero. */
void gradual(void)
{
	if (is_flushing())
		abort();
	multiply(1000);
}

/* Crashes where they are not. */
void flushed(void)
{
	if (!is_flushing())
		abort();
	multiply(1000);
}

void flushed_by_setup(void)
{
	flushed();
}

void flushed_by_setup_setup(void)
{
	set_flushing(1);
}

void flushes(void)
{
	set_flushing(1);
	multiply(1000);
}

#ifdef FLUSHES_IN_CONSTRUCTOR
static void __attribute__((constructor)) flush(void)
{
	set_flushing(1);
}
#endif
#endif

#ifdef DIES_IN_CONSTRUCTOR
static void __attribute__((constructor)) construct(void)
{
	raise(SIGKILL);
}
#endif
