/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A register that the kernel closes while the program runs. The faults are real: an
 * instruction of the table that no CPU lets user space execute, on amd64 RDPMC itself. The
 * pages of perf events that still claim to be open are made. */

#include "config.h"

#include "unit.h"
#include "fixup.h"
#include "guard.h"
#include "os/core-register.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#if defined(__linux__) && defined(__x86_64__)
#include "arch/amd64/rdpmc.h"
#define CLOSING RDPMC_CLOSED
#define NO_REGISTER UINT32_C(0x3fffffff) /* no CPU has it, so this faults wherever it runs */
static uint64_t read_closed(void)
{
	return rdpmc(NO_REGISTER);
}
#elif defined(__linux__) && defined(__i386__)
#define CLOSING SIGSEGV
static uint64_t read_closed(void)
{
	uint64_t value = 7;

	__asm__ volatile(FIXUP("rdpmc") : "+A"(value) : "c"(0x3fffffff));
	return value;
}
#elif defined(__linux__) && defined(__aarch64__)
#define CLOSING SIGILL
static uint64_t read_closed(void)
{
	uint64_t value = 7;

	__asm__ volatile(FIXUP(".inst 0") : "+r"(value));
	return value;
}
#elif defined(__linux__) && defined(__riscv)
#define CLOSING SIGILL
static uint64_t read_closed(void)
{
	uint64_t value = 7;

	__asm__ volatile(FIXUP(".4byte 0xc0001073") : "+r"(value));
	return value;
}
#endif

#ifdef CLOSING

#define THREADS 8

static _Thread_local volatile int closings;

static void count_closing(void)
{
	closings++;
}

/* As the library does after the selection. */
static void keep(void (*closed)(void))
{
	struct guard guard;

	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	guard_install(&guard, GUARD_ALL);
	guard_keep(COUNTER_SIGNAL(CLOSING), closed);
	guard_release(&guard);
}

TEST_IN_CHILD(skipped)
{
	keep(count_closing);
	errno = 42;
	for (int i = 1; i <= 3; i++) {
		read_closed();
		unit_expect(closings == i, "each fault is told, and gone on behind");
	}
	unit_expect(errno == 42, "errno is untouched");
}

#if defined(__x86_64__) || defined(__i386__)
/* RDPRU has three bytes, and so has XSETBV, which is for the kernel alone. */
TEST_IN_CHILD(three_bytes)
{
	keep(count_closing);
	for (int i = 1; i <= 3; i++) {
		__asm__ volatile(FIXUP("xsetbv") : : "a"(0), "c"(0), "d"(0));
		unit_expect(closings == i, "each fault is told, and gone on behind");
	}
}
#endif

static void *read_often(void *unused)
{
	unit_expect(closings == 0, "a thread of its own");
	for (int i = 1; i <= 1000; i++) {
		read_closed();
		unit_expect(closings == i, "it is told of its own faults only");
	}
	return unused;
}

TEST_IN_CHILD(threads)
{
	pthread_t threads[THREADS];

	keep(count_closing);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, read_often, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	unit_expect(closings == 0, "the first thread did not fault");
}

TEST_IN_CHILD(forked)
{
	int status = -1;
	pid_t pid;

	keep(count_closing);
	pid = fork();
	if (pid == 0) {
		read_closed();
		_exit(closings == 1 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	unit_expect(status == 0, "a child goes on too");
}

/* The guard comes again in this and in other threads: it gives the handler back. */
TEST_IN_CHILD(guarded_again)
{
	struct guard guard;

	keep(count_closing);
	for (int i = 1; i <= 3; i++) {
		unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
		guard_install(&guard, GUARD_ALL);
		guard_release(&guard);
		read_closed();
		unit_expect(closings == i, "the handler is back");
	}
}

static void *read_once(void *told)
{
	read_closed();
	*(int *)told = closings;
	return NULL;
}

TEST_IN_CHILD(guarded_meanwhile)
{
	struct guard guard;
	pthread_t thread;
	int told = 0;

	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	guard_install(&guard, GUARD_ALL);
	guard_keep(COUNTER_SIGNAL(CLOSING), count_closing);
	/* The counter is published before the guard is released. */
	pthread_create(&thread, NULL, read_once, &told);
	pthread_join(thread, NULL);
	unit_expect(told == 1, "another thread goes on while the first selection ends");
	guard_release(&guard);
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken again");
	guard_install(&guard, GUARD_ALL);
	pthread_create(&thread, NULL, read_once, &told);
	pthread_join(thread, NULL);
	guard_release(&guard);
	unit_expect(told == 1, "and while a thread opens its event");
}

/* Another thread may fork when the counter is published and the handler not yet left. */
TEST_IN_CHILD(forked_meanwhile)
{
	struct guard guard;
	int status = -1;
	pid_t pid;

	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	guard_install(&guard, GUARD_ALL);
	guard_keep(COUNTER_SIGNAL(CLOSING), count_closing);
	pid = fork();
	if (pid == 0) {
		struct guard mine;

		read_closed();
		/* It opens its event. */
		unit_expect(guard_acquire(&mine) == LOCK_TAKEN, "the child's guard is taken");
		guard_install(&mine, GUARD_ALL);
		guard_release(&mine);
		read_closed();
		_exit(closings == 2 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	guard_release(&guard);
	unit_expect(status == 0, "a child of that moment goes on too");
}

static void call_read(void *unused)
{
	(void)unused;
	read_closed();
}

TEST_IN_CHILD(probed)
{
	struct guard guard;

	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	guard_install(&guard, GUARD_ALL);
	guard_keep(COUNTER_SIGNAL(CLOSING), count_closing);
	unit_expect(guard_call(call_read, NULL) == CLOSING, "a probe sees the fault");
	unit_expect(closings == 0, "and the counter is not told");
	guard_release(&guard);
}

/* Another counter is selected, and another thread still reads the one before. */

static _Thread_local volatile sig_atomic_t other_closings;

static void count_other_closing(void)
{
	other_closings++;
}

TEST_IN_CHILD(kept_again)
{
	void (*const told[])(void) = { count_closing, count_other_closing, count_closing };
	const size_t n = sizeof told / sizeof told[0];

	for (size_t i = 0; i < n; i++)
		keep(told[i]);
	for (int i = 1; i <= 3; i++) {
		read_closed();
		unit_expect(closings == i && other_closings == i, "each counter is told, once");
	}
}

static struct sigaction left;
static volatile sig_atomic_t passed_on;

static void pass_on(int sig, siginfo_t *info, void *context)
{
	passed_on++;
	left.sa_sigaction(sig, info, context);
}

/* A handler that the program sets later is not taken for the one that it had before: the two would
 * call each other for ever. */
TEST_IN_CHILD(kept_under_handler)
{
	const struct sigaction action = { .sa_sigaction = pass_on,
					  .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction now;

	keep(count_closing);
	sigaction(CLOSING, &action, &left);
	for (int i = 0; i < 2; i++) {
		keep(count_other_closing);
		sigaction(CLOSING, NULL, &now);
		unit_expect(now.sa_sigaction == pass_on, "the program's handler stays");
	}
	read_closed();
	unit_expect(passed_on == 1 && closings == 1 && other_closings == 1, "and passes on to all");
}

/* What the program had */

static volatile sig_atomic_t seen, seen_code, blocked_usr1;
static stack_t handler_stack;
static volatile sig_atomic_t on_handler_stack;

static void note(int sig)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	blocked_usr1 = sigismember(&now, SIGUSR1) && sigismember(&now, sig);
	seen++;
}

static sigjmp_buf out_of_fault;
static void *volatile fault_address;

/* As in a program that looks where it came from, and leaves by a jump. */
static void note_and_jump(int sig, siginfo_t *info, void *context)
{
	/* Not a variable's address: AddressSanitizer may keep those elsewhere. */
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	on_handler_stack = here - (uintptr_t)handler_stack.ss_sp < handler_stack.ss_size;
	fault_address = info->si_addr;
	seen_code = context ? info->si_code : -1;
	note(sig);
	siglongjmp(out_of_fault, 1);
}

#define NOWHERE ((void *)16)

static void fault_of_the_program(void)
{
#if defined(__x86_64__) || defined(__i386__)
	volatile char *volatile nowhere = NOWHERE;

	*nowhere = 1;
#elif defined(__aarch64__)
	__asm__ volatile(".inst 0");
#else
	__asm__ volatile(".4byte 0xc0001073");
#endif
}

static void handle(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(CLOSING, &action, NULL);
}

TEST_IN_CHILD(own_handler)
{
	handle(note, 0);
	keep(count_closing);
	read_closed();
	unit_expect(seen == 0 && closings == 1, "the library's read is not the program's fault");
	raise(CLOSING);
	unit_expect(seen == 1 && blocked_usr1, "what is sent arrives, under the program's mask");
	unit_send_fault(CLOSING);
	unit_expect(seen == 2, "also to the process");
	read_closed();
	unit_expect(seen == 2 && closings == 2, "the library's read after it");
}

TEST_IN_CHILD(own_fault)
{
	struct sigaction action = { .sa_sigaction = note_and_jump,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	handler_stack = (stack_t){ .ss_sp = malloc(65536), .ss_size = 65536 };
	sigaltstack(&handler_stack, NULL);
	sigaction(CLOSING, &action, NULL);
	keep(count_closing);
	if (!sigsetjmp(out_of_fault, 1))
		fault_of_the_program();
	unit_expect(seen == 1 && seen_code > 0, "the program's fault is the program's");
	unit_expect(on_handler_stack, "on its stack");
#if defined(__x86_64__)
	unit_expect(fault_address == NOWHERE, "with the address");
#endif
	unit_expect(closings == 0, "the counter is not told");
	read_closed();
	unit_expect(closings == 1, "the library's read after a jump out of the handler");
}

#if defined(__x86_64__)
/* The same instruction elsewhere is not ours. */
TEST_IN_CHILD(own_rdpmc)
{
	struct sigaction action = { .sa_sigaction = note_and_jump, .sa_flags = SA_SIGINFO };

	sigaction(CLOSING, &action, NULL);
	keep(count_closing);
	if (!sigsetjmp(out_of_fault, 1))
		__asm__ volatile("rdpmc" : : "c"(NO_REGISTER) : "eax", "edx");
	unit_expect(seen == 1 && closings == 0, "the program's own RDPMC is its own fault");
}
#endif

static void reset_child(void)
{
	handle(note, (int)(SA_RESETHAND | SA_NODEFER));
	keep(count_closing);
	raise(CLOSING);
	unit_expect(seen == 1, "the handler ran");
	read_closed();
	unit_expect(closings == 1, "the library's read goes on");
	raise(CLOSING); /* the default action by now */
}

TEST(reset)
{
	int status = unit_in_child(reset_child);

	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == CLOSING);
}

TEST_IN_CHILD(ignored)
{
	handle(SIG_IGN, 0);
	keep(count_closing);
	raise(CLOSING);
	read_closed();
	unit_expect(closings == 1, "the library's read goes on");
}

static void default_fault_child(void)
{
	keep(count_closing);
	read_closed();
	unit_expect(closings == 1, "the library's read goes on");
	fault_of_the_program();
	_exit(1);
}

static void default_sent_child(void)
{
	keep(count_closing);
	raise(CLOSING);
	_exit(1);
}

static void ignored_fault_child(void)
{
	handle(SIG_IGN, 0);
	keep(count_closing);
	fault_of_the_program();
	_exit(1);
}

TEST(default_actions)
{
	void (*const runs[])(void) = { default_fault_child, default_sent_child,
				       ignored_fault_child };

	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		int status = unit_in_child(runs[i]);

		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == CLOSING);
	}
}

static struct sigaction before_mine;
static ucontext_t at_read; /* as it was when the library's read faulted */

static void note_and_chain(int sig, siginfo_t *info, void *context)
{
	seen++;
	at_read = *(ucontext_t *)context;
	before_mine.sa_sigaction(sig, info, context);
}

TEST_IN_CHILD(later_handler)
{
	struct sigaction action = { .sa_sigaction = note_and_chain, .sa_flags = SA_SIGINFO };

	keep(count_closing);
	sigaction(CLOSING, &action, &before_mine);
	read_closed();
	unit_expect(seen == 1 && closings == 1, "a handler that calls the one before it");
}

/* Sent just when a thread is about to read: no fault. */
TEST_IN_CHILD(sent_at_read)
{
	struct sigaction action = { .sa_sigaction = note_and_chain, .sa_flags = SA_SIGINFO };
	siginfo_t info = { .si_signo = CLOSING, .si_code = SI_USER };

	handle(note, 0);
	keep(count_closing);
	sigaction(CLOSING, &action, &before_mine);
	read_closed();
	unit_expect(seen == 1 && closings == 1, "where the read is");
	before_mine.sa_sigaction(CLOSING, &info, &at_read);
	unit_expect(seen == 2 && closings == 1, "what is sent there is the program's");
}

/* As the kernel has them; libc adds to what it says. */
static void look(unsigned long words[65][8])
{
	for (int sig = 1; sig <= 64; sig++)
		syscall(SYS_rt_sigaction, sig, NULL, words[sig], 8);
}

TEST_IN_CHILD(others_untouched)
{
	static unsigned long before[65][8], after[65][8];

	signal(SIGFPE, note);
	signal(SIGTRAP, SIG_IGN);
	look(before);
	keep(count_closing);
	look(after);
	for (int sig = 1; sig <= 64; sig++)
		unit_expect(!memcmp(before[sig], after[sig], sizeof before[sig]) ==
				    (sig != CLOSING),
			    "one disposition has changed, and no other");
}

/* A register without perf */

static uint64_t (*the_register)(void);

static uint64_t some_value(void)
{
	static uint64_t value = UINT64_C(1) << 63;

	return value += 1000000000000;
}

static long long count(void)
{
	return core_register_count(the_register, 64);
}

static void expect_moving(const char *what)
{
	long long last = count();

	for (int moved = 0, i = 0; moved < 3; i++) {
		long long next = count();

		unit_expect(next >= last, "counts never decrease");
		unit_expect(i < 100000000, what);
		moved += next > last;
		last = next;
	}
}

static void *close_and_count(void *unused)
{
	long long before;

	the_register = some_value;
	expect_moving("it counts by the register");
	before = count();
	the_register = read_closed;
	unit_expect(count() >= before, "the fault takes nothing back");
	unit_expect(core_register_this.given_up, "it is closed");
	unit_expect(count() < before + 10000000000, "nor leaps");
	expect_moving("it goes on by the clock");
	the_register = some_value;
	before = count();
	unit_expect(count() >= before, "an opened register is not looked at again");
	return unused;
}

TEST_IN_CHILD(bare_register)
{
	const struct counter_conditions conditions = { 1000000000, { 1, 1 }, false };
	pthread_t thread;

	core_register_setup(&conditions);
	keep(core_register_closed);
	close_and_count(NULL);
	pthread_create(&thread, NULL, close_and_count, NULL);
	pthread_join(thread, NULL);
}

static void call_count(void *result)
{
	*(long long *)result = count();
}

/* Signal of the first read after a setup, as a probe does both. */
static int probe_register(long long *result)
{
	const struct counter_conditions conditions = { 1000000000, { 1, 1 }, false };
	struct guard guard;
	int signal;

	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	guard_install(&guard, GUARD_ALL);
	core_register_setup(&conditions);
	signal = guard_call(call_count, result);
	guard_release(&guard);
	return signal;
}

static uint64_t same_value(void)
{
	return 4711;
}

/* Selected again, a register has to be a register: the clock is no proof of it. */
TEST_IN_CHILD(register_again)
{
	long long before, after = 0;

	the_register = some_value;
	unit_expect(probe_register(&before) == 0, "it can be read");
	keep(core_register_closed);
	expect_moving("it counts");
	the_register = read_closed;
	expect_moving("it goes on by the clock");
	before = count();
	unit_expect(probe_register(&after) == CLOSING, "set up again, it faults as at first");
	the_register = some_value;
	unit_expect(probe_register(&after) == 0, "opened, it is read");
	unit_expect(after >= before && !core_register_this.given_up, "and its count goes on");
	before = count();
	unit_expect(count() - before == 1000000000000, "by the register");
	the_register = same_value;
	unit_expect(probe_register(&before) == 0, "it has stopped");
	for (int i = 0; i < 1000; i++)
		after = count();
	unit_expect(after == before, "and is seen to");
	the_register = some_value;
	expect_moving("it moves");
	the_register = same_value;
	expect_moving("it stops in use: the clock moves");
}

#endif

#if defined(CLOSING) && defined(__x86_64__) && defined(HAVE_LINUX_PERF_EVENT_H)
#define COUNTERS
#include "os/perfevent.h"

/* The counters over a made page, whose event is a real one that needs no PMU: read(2) works. */

extern const struct counter cpucycles_counter_amd64_perfpmc, cpucycles_counter_amd64_perfpmcff;

static struct perf_event_mmap_page claiming;
static const struct counter *counter;

static const struct perfevent_kinds task_clock = {
	.n = 1,
	.of[0] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
};

/* As after the setup of the counter, when the kernel has closed the register since. */
static void claim(void)
{
	struct perfevent *event = perfevent_mine();

	unit_expect(event->n == 1 && event->readable == 1, "an event that is open");
	munmap((void *)(uintptr_t)event->pages[0], (size_t)sysconf(_SC_PAGESIZE));
	event->pages[0] = &claiming;
}

static void *read_claiming(void *unused)
{
	struct perfevent *event = perfevent_mine();
	long long last;

	claim();
	last = counter->read();
	unit_expect(event->readable == 0, "the thread's register is closed");
	unit_expect(event->n == 1, "its event is not");
	for (int moved = 0; moved < 3;) {
		long long next = counter->read();

		unit_expect(next >= last, "counts never decrease");
		moved += next > last;
		last = next;
	}
	unit_expect(event->n == 1, "all that was read(2)");
	event->pages[0] = NULL;
	return unused;
}

static void set_up(const struct counter *which, uint32_t index)
{
	int error = perfevent_setup(&task_clock, 1000000000);

	if (error)
		unit_skip_child("perf_event_open: %s", strerror(-error));
	counter = which;
	claiming.cap_user_rdpmc = 1;
	claiming.pmc_width = 48;
	claiming.index = index;
	keep(counter->closed);
}

static void in_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, read_claiming, NULL);
	read_claiming(NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

TEST_IN_CHILD(perfpmc)
{
	set_up(&cpucycles_counter_amd64_perfpmc, NO_REGISTER + 1);
	in_threads();
}

/* Whether this CPU faults here depends on it; where it does not, the register is open. */
static bool fixed_is_closed(void)
{
	keep(count_closing);
	rdpmc(RDPMC_FIXED_CYCLES);
	return closings > 0;
}

TEST_IN_CHILD(perfpmcff)
{
	if (!fixed_is_closed())
		unit_skip_child("the fixed counter is open here");
	set_up(&cpucycles_counter_amd64_perfpmcff, RDPMC_FIXED_CYCLES + 1);
	in_threads();
}

/* Another index is none of its business: no register is read, and nothing faults. */
TEST_IN_CHILD(perfpmcff_elsewhere)
{
	long long last;

	set_up(&cpucycles_counter_amd64_perfpmcff, NO_REGISTER + 1);
	claim();
	last = counter->read();
	for (int i = 0; i < 1000; i++)
		unit_expect(counter->read() >= last, "read(2) answers");
	unit_expect(perfevent_this.readable == 1, "the page is looked at again");
	perfevent_this.pages[0] = NULL;
}

TEST(fixed_width)
{
	/* Version 0 and 1 know no fixed counters; AMD has zeros. */
	assert_int_equal(rdpmc_fixed_width(0, 0, 0), 0);
	assert_int_equal(rdpmc_fixed_width(1, 0, 48 << 5 | 3), 0);
	/* Skylake: 4, 8 x 48 bits, 3 fixed of 48 bits. */
	assert_int_equal(rdpmc_fixed_width(0x07300404, 0, 0x603), 48);
	/* Core 2: 2, 40 bits. */
	assert_int_equal(rdpmc_fixed_width(0x07280202, 0, 40 << 5 | 3), 40);
	/* One only. */
	assert_int_equal(rdpmc_fixed_width(4, 0, 48 << 5 | 1), 0);
	/* From version 5 on also by the bitmap, which means nothing before. */
	assert_int_equal(rdpmc_fixed_width(5, 2, 48 << 5), 48);
	assert_int_equal(rdpmc_fixed_width(5, 1, 48 << 5), 0);
	assert_int_equal(rdpmc_fixed_width(4, 2, 48 << 5), 0);
	/* What no CPU says. */
	assert_int_equal(rdpmc_fixed_width(5, 2, 3), 0);
	assert_int_equal(rdpmc_fixed_width(5, 2, 65 << 5 | 3), 0);
}
#endif

UNIT_MAIN("fixup", NULL, NULL)
