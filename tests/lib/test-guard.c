/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "dispositions.h"
#include "faults.h"
#include "guard.h"
#include "os/disposition.h"
#include "syscall-arguments.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define STACK_SIZE 65536

/* From linux/signal.h, which libc's header does not let in beside it. */
#if defined(__linux__) && !defined(SS_AUTODISARM)
#define SS_AUTODISARM (1U << 31)
#elif !defined(SS_AUTODISARM)
#define SS_AUTODISARM 0
#endif

static const int guarded[] = { SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGTRAP };

#define GUARDED (sizeof guarded / sizeof guarded[0])

static struct guard guard;

static void enter(void)
{
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	guard_install(&guard, GUARD_ALL);
}

static void leave(void)
{
	guard_release(&guard);
}

/* Tests look at masks, dispositions and stacks, which cmocka and sanitizers change too. So every
 * test runs in a child, with default dispositions. */
/* Faults become answers */

static bool ran;

static void call_nothing(void *argument)
{
	*(bool *)argument = true;
}

static void each_fault(void)
{
	unit_expect(guard_call(fault_segv, NULL) == SIGSEGV, "SIGSEGV is the answer");
	unit_expect(guard_call(fault_bus, NULL) == SIGBUS, "SIGBUS is the answer");
#ifdef FAULT_INSTRUCTIONS
	unit_expect(guard_call(fault_ill, NULL) == SIGILL, "SIGILL is the answer");
	unit_expect(guard_call(fault_fpe, NULL) == SIGFPE, "SIGFPE is the answer");
	unit_expect(guard_call(fault_trap, NULL) == SIGTRAP, "SIGTRAP is the answer");
#endif
	ran = false;
	unit_expect(guard_call(call_nothing, &ran) == 0 && ran, "no fault, no signal");
}

TEST_IN_CHILD(faults)
{
	enter();
	each_fault();
	each_fault();
	leave();
}

TEST_IN_CHILD(sandboxed)
{
#ifdef __linux__
	if (sandbox(SYS_getpriority, SECCOMP_RET_TRAP))
		unit_skip_child("no seccomp filter here");
	enter();
	unit_expect(guard_call(fault_sys, NULL) == SIGSYS, "SIGSYS is the answer");
	unit_expect(guard_call(fault_sys, NULL) == SIGSYS, "SIGSYS is the answer again");
	leave();
#else
	unit_skip_child("no seccomp here");
#endif
}

static int inner, after_inner;

static void call_nested(void *unused)
{
	inner = guard_call(fault_bus, NULL);
	after_inner++;
	inner += guard_call(call_nothing, &ran);
	fault_segv(unused);
}

TEST_IN_CHILD(nested)
{
	enter();
	unit_expect(guard_call(call_nested, NULL) == SIGSEGV,
		    "the outer call ends by its own fault");
	unit_expect(inner == SIGBUS && after_inner == 1, "the inner call ended first");
	leave();
}

TEST_IN_CHILD(blocked)
{
	sigset_t all, now, before;

	memset(&before, 0, sizeof before);
	memset(&now, 0, sizeof now);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigprocmask(SIG_BLOCK, NULL, &before);
	enter();
	each_fault();
	leave();
	sigprocmask(SIG_BLOCK, NULL, &now);
	unit_expect(!memcmp(&now, &before, sizeof now), "the mask is what it was");
}

TEST_IN_CHILD(ignored)
{
	struct sigaction now;

	for (size_t i = 0; i < GUARDED; i++)
		signal(guarded[i], SIG_IGN);
	enter();
	each_fault();
	leave();
	for (size_t i = 0; i < GUARDED; i++) {
		sigaction(guarded[i], NULL, &now);
		unit_expect(now.sa_handler == SIG_IGN, "SIG_IGN is back");
		raise(guarded[i]);
	}
}

static bool is_blocked(int sig)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, sig) == 1;
}

static bool is_on(void (*handler)(int), int sig)
{
	struct sigaction now;

	sigaction(sig, NULL, &now);
	return now.sa_handler == handler;
}

/* Only the signals that were asked for, and those of the base, are the guard's. */
TEST_IN_CHILD(added)
{
	sigset_t before;

	for (size_t i = 0; i < GUARDED; i++)
		signal(guarded[i], on_nothing);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	unit_expect(guard_install(&guard, GUARD_BASE), "and installed");
	unit_expect(guard_call(fault_segv, NULL) == SIGSEGV, "SIGSEGV is the answer");
	for (size_t i = 0; i < GUARDED; i++) {
		const bool base = GUARD_BASE & COUNTER_SIGNAL(guarded[i]);

		unit_expect(is_on(on_nothing, guarded[i]) == !base,
			    "no other handler is displaced");
		unit_expect(is_blocked(guarded[i]) == !base, "and all others are blocked");
	}
	unit_expect(guard_add(COUNTER_SIGNAL(SIGBUS)), "another one");
	unit_expect(guard_call(fault_bus, NULL) == SIGBUS, "SIGBUS is the answer");
	unit_expect(is_on(on_nothing, SIGILL) && is_blocked(SIGILL), "SIGILL is the program's");
	unit_expect(guard_add(GUARD_ALL) && guard_add(GUARD_ALL), "all of them, twice");
	each_fault();
	leave();
	for (size_t i = 0; i < GUARDED; i++) {
		unit_expect(is_on(on_nothing, guarded[i]), "the program's handlers are back");
		unit_expect(!is_blocked(guarded[i]), "the mask too");
	}
}

/* Where a sandbox refuses to change the mask, a signal may stay blocked, and a fault that raises it
 * would end the process. So there is no guard for it. */

#ifdef __linux__
static void on_missed(int sig)
{
	unit_expect(sig == 0, "no handler of the program gets a fault");
}

static void block(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void begin_unmasked(void)
{
	for (size_t i = 0; i < GUARDED; i++)
		signal(guarded[i], on_missed);
}

static void refuse_masks(void)
{
	if (sandbox(SYS_rt_sigprocmask, SECCOMP_RET_ERRNO | EPERM))
		unit_skip_child("no seccomp filter here");
	errno = 0;
}

/* To be called by the holder. */
static void expect_no_guard(uint32_t signals)
{
	unit_expect(!guard_install(&guard, signals) && errno == EPERM,
		    "there is no guard, and errno says why");
	leave();
	for (size_t i = 0; i < GUARDED; i++)
		unit_expect(is_on(on_missed, guarded[i]), "the program's handlers are back");
}

TEST_IN_CHILD(unmasked)
{
	begin_unmasked();
	refuse_masks();
	for (int i = 0; i < 2; i++) {
		unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
		expect_no_guard(i == 0 ? GUARD_BASE : GUARD_ALL);
	}
}

/* Nobody knows the mask then. It must not be changed to what is in the memory by chance. */
TEST_IN_CHILD(unmasked_at_acquire)
{
	sigset_t now;

	begin_unmasked();
	block(SIGILL);
	memset(&guard, 0, sizeof guard);
	if (sandbox_argument(SYS_rt_sigprocmask, SIG_BLOCK, SECCOMP_RET_ERRNO | EPERM))
		unit_skip_child("no seccomp filter here");
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	expect_no_guard(GUARD_BASE);
	unit_expect(!sigprocmask(SIG_SETMASK, NULL, &now), "the mask can be asked for");
	unit_expect(sigismember(&now, SIGILL) == 1, "it is what it was");
	unit_expect(sigismember(&now, SIGUSR1) == 0, "and no more is blocked");
}

TEST_IN_CHILD(unmasked_at_install)
{
	begin_unmasked();
	block(SIGSEGV);
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	refuse_masks();
	expect_no_guard(GUARD_BASE);
}

TEST_IN_CHILD(unmasked_at_add)
{
	begin_unmasked();
	block(SIGILL);
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN && guard_install(&guard, GUARD_BASE),
		    "the guard is there");
	refuse_masks();
	for (int i = 0; i < 2; i++) {
		errno = 0;
		unit_expect(!guard_add(GUARD_ALL) && errno == EPERM, "no more signals are caught");
	}
	unit_expect(guard_call(fault_segv, NULL) == SIGSEGV, "the others still are");
	leave();
	for (size_t i = 0; i < GUARDED; i++)
		unit_expect(is_on(on_missed, guarded[i]), "the program's handlers are back");
}
#else
TEST_NOT_HERE(unmasked, "no seccomp here")
TEST_NOT_HERE(unmasked_at_acquire, "no seccomp here")
TEST_NOT_HERE(unmasked_at_install, "no seccomp here")
TEST_NOT_HERE(unmasked_at_add, "no seccomp here")
#endif

TEST_IN_CHILD(nested_acquire)
{
	struct guard second;

	enter();
	unit_expect(guard_acquire(&second) == LOCK_NESTED, "the holder is told so");
	unit_expect(guard_call(fault_segv, NULL) == SIGSEGV, "and its guard still works");
	leave();
	unit_expect(guard_acquire(&second) == LOCK_TAKEN, "and free afterwards");
	guard_release(&second);
}

/* Everything as before */

TEST_IN_CHILD(dispositions)
{
#ifdef RAW_DISPOSITIONS
	static struct raw before[SIGNALS], now[SIGNALS];

	set_dispositions();
	read_raw(before);
	enter();
	each_fault();
	read_raw(now);
	unit_expect(memcmp(before, now, sizeof now), "the guard is installed");
	leave();
	read_raw(now);
	unit_expect(!memcmp(before, now, sizeof now), "all dispositions are what they were");
#else
	set_dispositions();
	unit_skip_child("what the kernel holds cannot be read here");
#endif
}

TEST_IN_CHILD(mask)
{
	sigset_t set, before, now;

	memset(&before, 0, sizeof before);
	memset(&now, 0, sizeof now);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGBUS);
	sigaddset(&set, SIGRTMAX);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	enter();
	each_fault();
	leave();
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	unit_expect(!memcmp(&before, &now, sizeof now), "the mask is what it was");
}

static void keep_stack(int flags)
{
	static char memory[STACK_SIZE];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof memory, .ss_flags = flags }, now;

	if (sigaltstack(&stack, NULL))
		unit_skip_child("no such alternate stack here");
	sigaltstack(NULL, &stack);
	enter();
	each_fault();
	leave();
	sigaltstack(NULL, &now);
	unit_expect(now.ss_sp == stack.ss_sp && now.ss_size == stack.ss_size &&
			    now.ss_flags == stack.ss_flags,
		    "the alternate stack is what it was");
}

TEST_IN_CHILD(stacks)
{
	keep_stack(0);
	keep_stack((int)SS_AUTODISARM);
}

TEST_IN_CHILD(cancellation)
{
	int state;

	enter();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	unit_expect(state == PTHREAD_CANCEL_DISABLE, "no cancellation inside");
	leave();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	unit_expect(state == PTHREAD_CANCEL_ENABLE, "cancellation is what it was");
}

/* Other threads' faults are the program's */

static atomic_int handled, handler_thread;
static void *handler_address;
static int handler_code;
static bool handler_context;

/* Lets the instruction run again, on a page that can be read now. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	handler_address = info->si_addr;
	handler_code = info->si_code;
	handler_context = context != NULL;
	atomic_store(&handler_thread, thread_id());
	atomic_fetch_add(&handled, 1);
	mprotect((void *)(uintptr_t)fault_page, 4096, PROT_READ);
}

static void *fault_in_thread(void *id)
{
	*(int *)id = thread_id();
	fault_segv(NULL);
	return NULL;
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

TEST_IN_CHILD(other_thread)
{
	pthread_t thread;
	int id = 0, code;

	handle(SIGSEGV, on_fault);
	/* Without the guard: qemu-user for PowerPC gives SEGV_MAPERR. */
	fault_segv(NULL);
	unit_expect(atomic_exchange(&handled, 0) == 1, "the page can't be read");
	code = handler_code;
	unit_expect(code == SEGV_ACCERR || code == SEGV_MAPERR, "the kernel says why");
	handler_code = 0, handler_context = false, handler_address = NULL;
	mprotect((void *)(uintptr_t)fault_page, 4096, PROT_NONE);
	enter();
	unit_expect(guard_call(fault_segv, NULL) == SIGSEGV, "the holder's fault is the guard's");
	unit_expect(atomic_load(&handled) == 0, "and not the program's");
	pthread_create(&thread, NULL, fault_in_thread, &id);
	pthread_join(thread, NULL);
	unit_expect(atomic_load(&handled) == 1, "the other thread's is the program's");
	unit_expect(atomic_load(&handler_thread) == id, "in its own thread");
	unit_expect(handler_address == (void *)(uintptr_t)fault_page, "with its address");
	unit_expect(handler_code == code && handler_context, "with its code and context");
	mprotect((void *)(uintptr_t)fault_page, 4096, PROT_NONE);
	unit_expect(guard_call(fault_segv, NULL) == SIGSEGV, "the guard is still there");
	leave();
}

/* The program's own handler is called as the kernel would call it. */

static sigset_t mask_inside;

static void on_masked(int sig)
{
	(void)sig;
	atomic_fetch_add(&handled, 1);
	pthread_sigmask(SIG_BLOCK, NULL, &mask_inside);
	mprotect((void *)(uintptr_t)fault_page, 4096, PROT_READ);
}

/* The guard's mask is inherited by a thread that its holder starts. */
static void *fault_unmasked(void *id)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	return fault_in_thread(id);
}

TEST_IN_CHILD(forwarded_mask)
{
	struct sigaction action = { .sa_handler = on_masked, .sa_flags = (int)SA_RESETHAND }, now;
	pthread_t thread;
	int id;

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaddset(&action.sa_mask, SIGRTMIN + 4);
	sigaction(SIGSEGV, &action, NULL);
	enter();
	pthread_create(&thread, NULL, fault_unmasked, &id);
	pthread_join(thread, NULL);
	leave();
	unit_expect(atomic_load(&handled) == 1, "the program's handler is called");
	unit_expect(sigismember(&mask_inside, SIGUSR2) == 1 &&
			    sigismember(&mask_inside, SIGRTMIN + 4) == 1 &&
			    sigismember(&mask_inside, SIGSEGV) == 1,
		    "with its mask and its own signal blocked");
#if !THREAD_SANITIZED /* it blocks all others too */
	unit_expect(sigismember(&mask_inside, SIGUSR1) == 0 &&
			    sigismember(&mask_inside, SIGBUS) == 0,
		    "and no others");
#endif
	sigaction(SIGSEGV, NULL, &now);
	unit_expect(now.sa_handler == SIG_DFL, "once, as it wished");
	unit_expect(sigismember(&now.sa_mask, SIGUSR2) == 1, "and the rest is what it was");
}

/* A thread faults again and again while the guard is installed. Each fault belongs to the program's
 * present handler, whatever the guard found there the time before. */

#define CYCLES 1000
#define CYCLES_SECONDS 2 /* two threads in turns are slow on a busy machine */

static bool cycles_left(int done)
{
	static time_t start;

	if (done == 0)
		start = time(NULL);
	return done < CYCLES && time(NULL) - start < CYCLES_SECONDS;
}

enum faulter { PAUSE, PAUSED, RUN, RUNNING, END };
static _Atomic(enum faulter) faulter;

static void faulter_becomes(enum faulter wish, enum faulter answer)
{
	atomic_store(&faulter, wish);
	while (atomic_load(&faulter) != answer)
		sched_yield();
}

static void *fault_all_along(void *faults)
{
	for (;;) {
		enum faulter wish = atomic_load(&faulter);

		if (wish == END)
			return NULL;
		if (wish == PAUSE)
			atomic_store(&faulter, PAUSED);
		if (wish == PAUSE || wish == PAUSED)
			continue;
		mprotect((void *)(uintptr_t)fault_page, 4096, PROT_NONE);
		fault_segv(NULL);
		++*(int *)faults;
		if (wish == RUN)
			atomic_store(&faulter, RUNNING);
	}
}

TEST_IN_CHILD(faults_all_along)
{
	pthread_t thread;
	int faults = 0, cycles = 0;

	pthread_create(&thread, NULL, fault_all_along, &faults);
	for (; cycles_left(cycles); cycles++) {
		faulter_becomes(PAUSE, PAUSED);
		signal(SIGSEGV, SIG_DFL);
		enter();
		leave();
		handle(SIGSEGV, on_fault);
		faulter_becomes(RUN, RUNNING);
		enter();
		leave();
	}
	atomic_store(&faulter, END);
	pthread_join(thread, NULL);
	printf("# %d faults in %d cycles\n", faults, cycles);
	unit_expect(faults >= cycles && atomic_load(&handled) == faults,
		    "the program's handler got every fault");
}

static void other_thread_dies_child(void)
{
	pthread_t thread;
	int id;

	enter();
	pthread_create(&thread, NULL, fault_in_thread, &id);
	pthread_join(thread, NULL);
	unit_expect(false, "the other thread's fault ends the process");
}

TEST(other_thread_dies)
{
	int status = unit_in_child(other_thread_dies_child);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
}

/* Signals that somebody sends arrive after the release */

static atomic_int arrived;
static siginfo_t arrived_info;

static void on_arrival(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	arrived_info = *info;
	atomic_fetch_add(&arrived, 1);
}

static void call_kill(void *unused)
{
	(void)unused;
	unit_send_fault(SIGSEGV);
	raise(SIGBUS);
	ran = true;
}

TEST_IN_CHILD(sent)
{
	handle(SIGSEGV, on_arrival);
	handle(SIGBUS, on_arrival);
	enter();
	ran = false;
	unit_expect(guard_call(call_kill, NULL) == 0 && ran, "what is sent ends no call");
	unit_expect(atomic_load(&arrived) == 0, "nothing arrives inside");
	leave();
	unit_expect(atomic_load(&arrived) == 2, "both arrive afterwards");
	unit_expect(arrived_info.si_pid == getpid(), "from their sender");
	enter();
	leave();
	unit_expect(atomic_load(&arrived) == 2, "once");
}

/* A later guard without that signal has nothing to send again. */
TEST_IN_CHILD(sent_to_larger)
{
	handle(SIGTRAP, on_arrival);
	enter();
	raise(SIGTRAP);
	leave();
	unit_expect(atomic_load(&arrived) == 1, "it arrives afterwards");
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN && guard_install(&guard, GUARD_BASE),
		    "a guard for fewer signals");
	leave();
	unit_expect(atomic_load(&arrived) == 1, "once");
}

TEST_IN_CHILD(sent_and_blocked)
{
	sigset_t set, pending;
	int told;

	handle(SIGSEGV, on_arrival);
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigprocmask(SIG_BLOCK, &set, NULL);
	unit_send_fault(SIGSEGV); /* pending already when the guard opens the mask */
	sigpending(&pending);
	told = sigismember(&pending, SIGSEGV); /* qemu-user keeps it pending but does not tell */
	enter();
	leave();
	unit_expect(atomic_load(&arrived) == 0, "blocked it does not arrive");
	sigpending(&pending);
	unit_expect(sigismember(&pending, SIGSEGV) == told, "but stays pending");
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	unit_expect(atomic_load(&arrived) == 1, "until it is let in");
}

/*
 * A sandbox that comes while the guard is there and refuses getpid(2). The negative answer would
 * mean every process to kill(2). A second sandbox ends this process if it calls kill(2), so that
 * nobody else is killed should this test fail.
 */
TEST_IN_CHILD(sent_and_sandboxed)
{
#ifdef __linux__
	const siginfo_t *const info = &arrived_info;

	handle(SIGSEGV, on_arrival);
	enter();
	unit_send_fault(SIGSEGV);
	if (sandbox(SYS_kill, SECCOMP_RET_TRAP) || sandbox(SYS_getpid, SECCOMP_RET_ERRNO | EPERM))
		unit_skip_child("no seccomp filter here");
	leave();
	unit_expect(atomic_load(&arrived) == 1, "it arrives, and nobody else gets it");
	unit_expect(info->si_signo == SIGSEGV, "it is the one that was sent");
#else
	unit_skip_child("no seccomp here");
#endif
}

/* A sandbox refuses one of the handlers. What was sent to the holder meanwhile is not lost. */
TEST_IN_CHILD(installed_in_part)
{
#ifdef __linux__
	sigset_t all;

	handle(SIGSEGV, on_arrival);
	block(SIGSEGV);
	unit_send_fault(SIGSEGV);
	if (sandbox_argument(SYS_rt_sigaction, SIGSYS, SECCOMP_RET_ERRNO | EPERM))
		unit_skip_child("no seccomp filter here");
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is taken");
	unit_expect(!guard_install(&guard, GUARD_BASE) && errno == EPERM, "there is no guard");
	leave();
	unit_expect(atomic_load(&arrived) == 0, "the program has the signal blocked");
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	unit_expect(atomic_load(&arrived) == 1, "the signal arrives");
#else
	unit_skip_child("no seccomp here");
#endif
}

TEST_IN_CHILD(other_signals)
{
	handle(SIGUSR1, on_arrival);
	enter();
	kill(getpid(), SIGUSR1);
	unit_expect(atomic_load(&arrived) == 0, "other signals wait too");
	leave();
	unit_expect(atomic_load(&arrived) == 1, "and arrive");
}

TEST_IN_CHILD(changed_meanwhile)
{
	struct sigaction now;

	enter();
	handle(SIGSEGV, on_arrival);
	leave();
	sigaction(SIGSEGV, NULL, &now);
	unit_expect(now.sa_sigaction == on_arrival, "a handler set meanwhile stays");
}

/* Another thread changes a disposition at a random moment of the guard's life. */

static atomic_int round_begun, round_ended;

/* The first round is 1. A negative number ends the thread. */
static void *change_each_round(void *unused)
{
	for (int round = 1;; round++) {
		uint64_t wait = unit_random() % 10000;

		for (unsigned spins = 1; atomic_load(&round_begun) == round - 1; spins++)
			if (spins % 1000 == 0)
				sched_yield();
		if (atomic_load(&round_begun) < 0)
			return unused;
		for (volatile uint64_t i = 0; i < wait; i++)
			;
		signal(SIGSEGV, round % 2 ? on_nothing : SIG_IGN);
		atomic_store(&round_ended, round);
	}
}

TEST_IN_CHILD(changes_stay)
{
	int lost = 0, rounds = 0;
	struct sigaction now;
	pthread_t thread;

	pthread_create(&thread, NULL, change_each_round, NULL);
	while (cycles_left(rounds)) {
		atomic_store(&round_begun, ++rounds);
		enter();
		leave();
		while (atomic_load(&round_ended) < rounds)
			sched_yield();
		sigaction(SIGSEGV, NULL, &now);
		lost += now.sa_handler != (rounds % 2 ? on_nothing : SIG_IGN);
	}
	atomic_store(&round_begun, -1);
	pthread_join(thread, NULL);
	printf("# %d of %d changes lost\n", lost, rounds);
	/* The kernel swaps a disposition in one step; the tables of these two have no lock. */
	if (lost && (THREAD_SANITIZED || unit_is_emulated()))
		unit_skip_child(
			"ThreadSanitizer and qemu-user may lose what two threads set at once");
	unit_expect(lost == 0, "what another thread sets stays set");
}

/* sigaction() may tell a program the guard's handler as the old one, while the guard is
 * installed. */

static atomic_int chained;
static struct sigaction before_mine;

static void count_and_chain(int sig, siginfo_t *info, void *context)
{
	unit_expect(atomic_fetch_add(&chained, 1) < 10, "the chain has an end");
	before_mine.sa_sigaction(sig, info, context);
}

static void *raise_there(void *unused)
{
	raise(SIGSEGV);
	return unused;
}

static void raise_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, raise_there, NULL);
	pthread_join(thread, NULL);
}

TEST_IN_CHILD(chained_meanwhile)
{
	struct sigaction action = { .sa_sigaction = count_and_chain, .sa_flags = SA_SIGINFO };

	handle(SIGSEGV, on_arrival);
	enter();
	sigaction(SIGSEGV, &action, &before_mine);
	leave();
	raise(SIGSEGV);
	unit_expect(atomic_load(&chained) == 1 && atomic_load(&arrived) == 1, "both get it");
	enter();
	leave();
	raise(SIGSEGV);
	unit_expect(atomic_load(&chained) == 2 && atomic_load(&arrived) == 2,
		    "also after the next guard");
	enter();
	raise_in_thread();
	leave();
	unit_expect(atomic_load(&chained) == 3 && atomic_load(&arrived) == 3, "and under it");
}

/* For a handler without SA_SIGINFO, the kernel leaves the siginfo_t as the stack happens to be. */
static void chain_unfilled(int sig, siginfo_t *info, void *context)
{
	memset(info, 0, sizeof *info);
	before_mine.sa_sigaction(sig, info, context);
}

TEST_IN_CHILD(unfilled)
{
	enter();
	sigaction(SIGSEGV, NULL, &before_mine);
	handle(SIGSEGV, chain_unfilled);
	unit_expect(guard_call(fault_segv, NULL) == SIGSEGV, "the fault is known as one");
	leave();
}

TEST_IN_CHILD(put_back_later)
{
	handle(SIGSEGV, on_arrival);
	enter();
	sigaction(SIGSEGV, NULL, &before_mine);
	leave();
	sigaction(SIGSEGV, &before_mine, NULL);
	raise(SIGSEGV);
	unit_expect(atomic_load(&arrived) == 1, "it stands for what was there before");
	enter();
	raise_in_thread();
	leave();
	unit_expect(atomic_load(&arrived) == 2, "also under the next guard");
	raise(SIGSEGV);
	unit_expect(atomic_load(&arrived) == 3, "and after it");
}

/* Fork while another thread holds it */

static atomic_int holding, let_go;

static void *hold(void *unused)
{
	struct guard other;

	(void)unused;
	unit_expect(guard_acquire(&other) == LOCK_TAKEN, "the other thread holds the guard");
	guard_install(&other, GUARD_ALL);
	atomic_store(&holding, 1);
	while (!atomic_load(&let_go))
		usleep(1000);
	guard_release(&other);
	return NULL;
}

static void *end_at_once(void *unused)
{
	return unused;
}

TEST_IN_CHILD(forked)
{
	pthread_t thread;
	int status;
	pid_t pid;

	/* libc sets handlers of its own with the first thread. */
	pthread_create(&thread, NULL, end_at_once, NULL);
	pthread_join(thread, NULL);
#ifdef RAW_DISPOSITIONS
	static struct raw expected[SIGNALS], now[SIGNALS];

	set_dispositions();
	read_raw(expected);
#else
	set_dispositions();
#endif
	pthread_create(&thread, NULL, hold, NULL);
	while (!atomic_load(&holding))
		usleep(1000);
	pid = fork();
	if (pid == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		enter();
		each_fault();
		leave();
#ifdef RAW_DISPOSITIONS
		read_raw(now);
		unit_expect(!memcmp(expected, now, sizeof now), "the program's own are back");
#endif
		_exit(0);
	}
	waitpid(pid, &status, 0);
	atomic_store(&let_go, 1);
	pthread_join(thread, NULL);
	unit_expect(status == 0, "a child of a program whose guard is held has its own");
#ifdef RAW_DISPOSITIONS
	read_raw(now);
	unit_expect(!memcmp(expected, now, sizeof now), "and so has the parent");
#endif
}

TEST_IN_CHILD(fork_and_fault)
{
	pthread_t thread;
	int status;
	pid_t pid;

	pthread_create(&thread, NULL, hold, NULL);
	while (!atomic_load(&holding))
		usleep(1000);
	pid = fork();
	if (pid == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		fault_segv(NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	atomic_store(&let_go, 1);
	pthread_join(thread, NULL);
	unit_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "it dies of its fault");
}

/*
 * Here the holder's thread is stopped at moments of a disposition's swap while another thread acts.
 * The linker makes it possible: --wrap leads system calls here. The kernel first sets the new
 * disposition and then copies the old one out. The stand-in does the same, with a moment between
 * the two.
 */

#ifdef DISPOSITION_LINUX
#define RAW_SWAPS /* the guard swaps by the system call itself */
#endif

static int holding_thread;
static atomic_uint waits; /* questions of other threads, of whether the holder still exists */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

#ifdef RAW_SWAPS
enum moment { BEFORE, BETWEEN, BEHIND };

static void (*at_moment)(int sig, enum moment moment);
static unsigned moments;

static void reach(int sig, enum moment moment)
{
	void (*const reached)(int, enum moment) = at_moment;

	at_moment = NULL; /* what happens there is not watched */
	moments++;
	reached(sig, moment);
	at_moment = reached;
}

static long swap_slowly(int sig, const struct disposition *new, struct disposition *old, long size)
{
	struct disposition was;
	long error;

	reach(sig, BEFORE);
	if (old)
		was = *old;
	error = __real_syscall(SYS_rt_sigaction, sig, new, old ? &was : NULL, size);
	reach(sig, BETWEEN);
	if (old)
		*old = was;
	reach(sig, BEHIND);
	return error;
}
#endif

long __wrap_syscall(long number, ...)
{
	long of[SYSCALL_ARGUMENTS];
	va_list list;

	va_start(list, number);
	syscall_arguments(list, of);
	va_end(list);
#ifdef RAW_SWAPS
	if (number == SYS_rt_sigaction && of[1] && at_moment)
		return swap_slowly((int)of[0], (const void *)of[1], (void *)of[2], of[3]);
#endif
#ifdef SYS_tgkill
	if (number == SYS_tgkill && (int)of[1] == holding_thread && (int)of[2] == 0)
		atomic_fetch_add(&waits, 1);
#endif
	return __real_syscall(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}

#ifdef RAW_SWAPS

static void *wait_for_the_end(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* A thread that is alone in its process swaps without a look before. */
static void get_company(void)
{
	pthread_t thread;

	unit_expect(!pthread_create(&thread, NULL, wait_for_the_end, NULL), "a thread");
}

static void enter_watched(void (*reached)(int sig, enum moment moment))
{
	holding_thread = thread_id();
	moments = 0;
	at_moment = reached;
	enter();
	at_moment = NULL;
	if (moments == 0)
		unit_skip_child("the guard's system calls are not to be come between here");
}

/* If a program changes all dispositions while the guard is there, it is shown the guard's handler
 * as its old one. The guard remembers the disposition that its handler replaced, here the default.
 * It must not take that for a disposition that the program sets later. */
static void change_under_guard(void)
{
	for (size_t i = 0; i < GUARDED; i++)
		signal(guarded[i], SIG_DFL);
	enter();
	for (size_t i = 0; i < GUARDED; i++)
		signal(guarded[i], SIG_IGN);
	leave();
}

/* Another thread faults when the guard's handler is already in place and the kernel has not yet
 * told the guard what the program's disposition was. */

static pthread_t meanwhile;
static int meanwhile_id;

static void fault_between(int sig, enum moment moment)
{
	if (sig != SIGSEGV || moment != BETWEEN)
		return;
	mprotect((void *)(uintptr_t)fault_page, 4096, PROT_NONE);
	unit_expect(!pthread_create(&meanwhile, NULL, fault_in_thread, &meanwhile_id), "a thread");
	while (!atomic_load(&waits) && !atomic_load(&handled))
		sched_yield();
}

static void *raise_first(void *unused)
{
	raise(guarded[0]);
	return unused;
}

TEST_IN_CHILD(fault_before_known)
{
	get_company();
	/* Leaves an older disposition in the guard: the default, which would end the process if the
	 * guard took it for the program's present one. */
	enter();
	leave();
	for (int round = 1; round <= 2; round++) {
		handle(SIGSEGV, on_fault);
		handle(guarded[0], on_arrival);
		atomic_store(&handled, 0);
		atomic_store(&waits, 0);
		enter_watched(fault_between);
		pthread_join(meanwhile, NULL);
		unit_expect(atomic_load(&handled) == 1 &&
				    atomic_load(&handler_thread) == meanwhile_id,
			    "the fault is for the handler that the program has now");
		unit_expect(atomic_load(&waits), "it has waited for the guard to know of it");
		/* What is known nobody waits for. */
		atomic_store(&waits, 0);
		mprotect((void *)(uintptr_t)fault_page, 4096, PROT_NONE);
		pthread_create(&meanwhile, NULL, fault_in_thread, &meanwhile_id);
		pthread_join(meanwhile, NULL);
		unit_expect(atomic_load(&handled) == 2 && !atomic_load(&waits),
			    "a later fault does not wait");
		pthread_create(&meanwhile, NULL, raise_first, NULL);
		pthread_join(meanwhile, NULL);
		unit_expect(atomic_load(&arrived) == round && !atomic_load(&waits),
			    "nor does another signal");
		leave();
		change_under_guard();
	}
}

/*
 * Another thread forks right before a swap, or right after it. The child has no thread that would
 * finish the installation, so it gives back the program's dispositions itself. A fork in the middle
 * of the swap is left out: that child has the guard's disposition, but not the program's (guard.c,
 * install).
 */

static struct raw of_program[SIGNALS];

static void *fork_and_look(void *unused)
{
	static struct raw now[SIGNALS];
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		enter();
		unit_expect(guard_call(fault_segv, NULL) == SIGSEGV, "a child's guard works");
		leave();
		read_raw(now);
		unit_expect(!memcmp(of_program, now, sizeof now),
			    "the program's own are back in the child");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	unit_expect(status == 0, "the child of that moment lives");
	return unused;
}

static void fork_at(int sig, enum moment moment)
{
	pthread_t thread;

	if (moment == BETWEEN)
		return;
	unit_expect(!pthread_create(&thread, NULL, fork_and_look, NULL), "a thread");
	pthread_join(thread, NULL);
	(void)sig;
}

TEST_IN_CHILD(forked_at_each_swap)
{
	static struct raw now[SIGNALS];

	get_company(); /* libc sets handlers of its own with the first thread */
	for (int round = 1; round <= 2; round++) {
		set_dispositions();
		signal(SIGSYS, on_nothing);
		read_raw(of_program);
		enter_watched(fork_at);
		leave();
		read_raw(now);
		unit_expect(!memcmp(of_program, now, sizeof now), "and in the parent");
		printf("# %u moments\n", moments);
		change_under_guard();
	}
}

#else

#define NO_RAW_SWAPS "the guard swaps by libc's sigaction here, and not by a system call of its own"
TEST_NOT_HERE(fault_before_known, NO_RAW_SWAPS)
TEST_NOT_HERE(forked_at_each_swap, NO_RAW_SWAPS)

#endif

int main(void)
{
	if (fault_prepare())
		return 99;
	unit_seed();
	return unit_run("guard", NULL, NULL);
}
