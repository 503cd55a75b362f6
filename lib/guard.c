/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

/* glibc's checked longjmp would abort: it takes a jump off an alternate stack that the kernel has
 * disarmed (SS_AUTODISARM) for a stack overflow. */
#undef _FORTIFY_SOURCE

#include "guard.h"
#include "deliver.h"
#include "fixup.h"
#include "hot.h"
#include "os/disposition.h"
#include "os/signals.h"
#include "os/tls.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <ucontext.h>

/* How many times another thread that faults looks whether the holder knows what it displaced. Then
 * it gives up, after less than a second, because the holder may never get the CPU. */
#define KNOWN_TRIES_MAX 1000000

/* An architecture has at most two ways to read a register that can be closed. */
#define CLOSED_MAX 2

#define GUARDED (sizeof guarded / sizeof guarded[0])

static const int guarded[] = { SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGTRAP };

static size_t slot_of(int sig)
{
	size_t i = 0;

	while (guarded[i] != sig)
		i++;
	return i;
}

/* One for each guarded signal. */
static HOT struct slot {
	/* Set before the swap, so that a child forked in between gives the program's disposition
	 * back. */
	bool installed;
	/* Whether .kernel is what the guard displaced. The kernel first changes the disposition and
	 * then tells the old one; another thread may fault between the two. */
	atomic_bool known;
	bool deferred; /* somebody sent the signal to the holder, which gets it after the release */
	/* The program has been shown our handler as its old one: if it reinstalls or chains to it,
	 * run its real old one, which is .before. */
	bool lent;
	struct disposition kernel; /* what the guard displaced; may be the guard's own handler */
	struct disposition before; /* the program's last one that was not the guard's handler */
} slots[GUARDED];

static siginfo_t deferred_infos[GUARDED];

/* What libc tells of the first signal, which is installed through libc: see install_first. */
static HOT struct {
	/* libc tells another handler than the kernel, because something with a table of its own
	 * stands between the two, such as a sanitizer in the program. */
	bool differs;
	struct sigaction action;
} libcs;

/* The handlers of guard_keep, one for each guarded signal. */
static HOT struct {
	void (*_Atomic closed[CLOSED_MAX])(void);
	bool due;                   /* to be left at the release, which has not begun to */
	bool left;                  /* a release has left it */
	struct disposition program; /* what the program had when it was left */
} kept[GUARDED];

static HOT struct lock holder;

/* The innermost guard_call of the holder. Volatile: a call whose fault the compiler cannot see may
 * be inlined. */
static HOT sigjmp_buf *volatile armed;

/* The signal that ended a guard_call, and the alternate stack's settings when it struck. */
static int fault;
static stack_t fault_stack;

/* The context of the signal that this thread's innermost forward() is about. Stale if the program's
 * handler left by a jump. */
static _Thread_local const void *volatile forwarding TLS_MODEL;

/* The handlers */

static void on_signal(int sig, siginfo_t *info, void *context);

/* For comparing; what is installed has flags too. */
static const struct sigaction own = { .sa_sigaction = on_signal };

static bool is_own(const struct disposition *d)
{
	return disposition_handler(d) == own.sa_handler;
}

/* The program's disposition. Never the guard's handler, which would then call itself. */
static struct disposition *program_of(struct slot *slot)
{
	return is_own(&slot->kernel) ? &slot->before : &slot->kernel;
}

/* The holder sets .known within one system call; stop if fork did not copy that thread. */
static void wait_until_known(const struct slot *slot)
{
	int owner = atomic_load(&holder.owner);

	for (long i = 0; i < KNOWN_TRIES_MAX && !atomic_load(&slot->known); i++)
		if (owner == 0 || owner == thread_id() || !thread_exists(owner))
			return;
}

static void forward(int sig, siginfo_t *info, void *context)
{
	const void *const outer = forwarding;
	struct slot *slot = &slots[slot_of(sig)];

	/* The caller is not the kernel but a handler of the program that was shown this one as its
	 * old one. */
	if (slot->lent && (!slot->installed || outer == context)) {
		deliver_signal(&slot->before, sig, info, context);
		return;
	}
	wait_until_known(slot);
	forwarding = context;
	deliver_signal(program_of(slot), sig, info, context);
	forwarding = outer;
}

/* If the signal is the fault of a read whose register the kernel has closed, tell the counters and
 * skip the read. */
static bool skips_read(int sig, const siginfo_t *info, void *context)
{
	const size_t i = slot_of(sig);
	void (*closed)(void) = kept[i].closed[0];

	if (!closed || signals_was_sent(info) || !fixup_skip(context))
		return false;
	for (size_t j = 0; j < CLOSED_MAX && (closed = kept[i].closed[j]); j++)
		closed();
	return true;
}

/* The handler that guard_keep leaves. */
static void on_kept_signal(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;

	if (!skips_read(sig, info, context))
		deliver_signal(&kept[slot_of(sig)].program, sig, info, context);
	errno = saved_errno;
}

/* The handler while the guard is installed. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	bool mine = atomic_load(&holder.owner) == thread_id();

	if (mine && signals_was_sent(info)) {
		slots[slot_of(sig)].deferred = true;
		deferred_infos[slot_of(sig)] = *info;
	} else if (mine && armed) {
		fault = sig;
		fault_stack = ((ucontext_t *)context)->uc_stack;
		siglongjmp(*armed, 1);
	} else if (!skips_read(sig, info, context)) {
		forward(sig, info, context);
	}
	errno = saved_errno;
}

/* Installing */

static void prepare_slot(struct slot *slot)
{
	slot->deferred = false;
	if (!slot->lent && !is_own(&slot->kernel))
		slot->before = slot->kernel;
}

/*
 * Install the handler for the first signal through libc. The kernel then holds a disposition with
 * libc's restorer. *form becomes this disposition, which the other signals get too.
 */
static bool install_first(struct disposition *form)
{
	struct sigaction action = own;

	/* SA_ONSTACK: where the program's own handlers may want to run. SA_NODEFER and an empty
	 * mask: nothing is blocked, because a jump out of the handler unblocks nothing. */
	action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	prepare_slot(&slots[0]);
	if (!disposition_swap(guarded[0], NULL, &slots[0].kernel))
		return false;
	slots[0].known = true;
	slots[0].installed = true;
	if (sigaction(guarded[0], &action, &libcs.action)) {
		slots[0].installed = false;
		return false;
	}
	libcs.differs = libcs.action.sa_handler != disposition_handler(&slots[0].kernel) &&
			libcs.action.sa_handler != own.sa_handler;
	if (!disposition_swap(guarded[0], NULL, form))
		return false;
	if (is_own(form))
		return true;
	disposition_set_handler(form, own.sa_handler);
	return disposition_swap(guarded[0], form, NULL);
}

/*
 * The other signals need one system call each. A fork copies the dispositions before the memory
 * (copy_process() in the kernel's fork.c), so a child that inherits the handler almost always
 * inherits .kernel with it. The exception is a fork while this thread rests between the kernel's
 * two steps, changing the disposition and telling the old one. Such a child has in .kernel what the
 * guard found the time before, or the default.
 */
static bool install(size_t i, const struct disposition *form)
{
	prepare_slot(&slots[i]);
	atomic_store(&slots[i].known, false);
	slots[i].installed = true;
	slots[i].installed = disposition_swap(guarded[i], form, &slots[i].kernel);
	atomic_store(&slots[i].known, true);
	return slots[i].installed;
}

static bool install_all(void)
{
	struct disposition form;
	bool done = install_first(&form);

	for (size_t i = 1; i < GUARDED && done; i++)
		done = install(i, &form);
	return done;
}

/* Giving back */

/*
 * Give back what the program had, unless another thread has changed the disposition since the guard
 * was installed. By one swap, not by a look and a write: what another thread sets between the two
 * would be lost for good. The price: a disposition that another thread has set is replaced by the
 * program's older one for the time of one system call.
 */
static void restore(size_t i)
{
	struct slot *slot = &slots[i];
	struct disposition was;

	if (!disposition_swap(guarded[i], program_of(slot), &was)) {
		/* A sandbox has come and the handler has to stay. It forwards every signal. */
	} else if (!is_own(&was)) {
		disposition_swap(guarded[i], &was, NULL);
		if (!slot->lent)
			slot->before = *program_of(slot);
		slot->lent = true;
	} else if (i == 0 && libcs.differs) {
		sigaction(guarded[i], &libcs.action, NULL);
	}
	slot->installed = false;
}

static void restore_installed(void)
{
	for (size_t i = GUARDED; i-- > 0;)
		if (slots[i].installed)
			restore(i);
}

/* The handler of guard_keep, with the program's own wishes where it has a handler: its mask, its
 * stack. The kernel carries these out, so forwarding need not. */
static struct sigaction kept_action(const struct sigaction *program)
{
	const int faithful = SA_ONSTACK | SA_RESTART | SA_NODEFER;
	struct sigaction action = { .sa_sigaction = on_kept_signal };

	action.sa_flags = SA_SIGINFO | faithful;
	sigemptyset(&action.sa_mask);
	if (program->sa_handler != SIG_DFL && program->sa_handler != SIG_IGN) {
		action.sa_flags = SA_SIGINFO | (program->sa_flags & faithful);
		action.sa_mask = program->sa_mask;
	}
	return action;
}

/* Leave the handler of guard_keep, unless another thread has changed the disposition since. */
static void leave_kept(size_t i)
{
	struct sigaction action, program;
	struct disposition now;

	kept[i].due = false;
	disposition_swap(guarded[i], NULL, &now);
	program = disposition_action(program_of(&slots[i]));
	if (!is_own(&now) || program.sa_sigaction == on_kept_signal) {
		restore(i);
		return;
	}
	kept[i].program = *program_of(&slots[i]);
	action = kept_action(&program);
	sigaction(guarded[i], &action, NULL);
	kept[i].left = true;
	slots[i].installed = false;
}

/* The thread's own state */

#ifdef HAVE_PTHREAD_SETCANCELSTATE
static void disable_cancellation(int *old)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, old);
}

static void restore_cancellation(int old)
{
	pthread_setcancelstate(old, NULL);
}
#else
/* A system without cancellation. */
static void disable_cancellation(int *old)
{
	*old = 0;
}

static void restore_cancellation(int old)
{
	(void)old;
}
#endif

/* how: SIG_BLOCK or SIG_UNBLOCK */
static void mask_guarded(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < GUARDED; i++)
		sigaddset(&set, guarded[i]);
	pthread_sigmask(how, &set, NULL);
}

static bool blocks_guarded(const sigset_t *mask)
{
	for (size_t i = 0; i < GUARDED; i++)
		if (sigismember(mask, guarded[i]) == 1)
			return true;
	return false;
}

/* A fault's frame may not fit on the program's alternate stack. The call fails if this thread runs
 * on that stack. */
static void call_disable_stack(void *stack)
{
	if (sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, stack))
		((stack_t *)stack)->ss_flags = SS_DISABLE;
}

/* The interface */

enum lock_answer guard_acquire(struct guard *guard)
{
	enum lock_answer answer;
	sigset_t others;

	guard->installed = false;
	sigfillset(&others);
	for (size_t i = 0; i < GUARDED; i++)
		sigdelset(&others, guarded[i]);
	/* A cancelled holder would leave its work half done. */
	disable_cancellation(&guard->cancellation);
	pthread_sigmask(SIG_BLOCK, &others, &guard->mask);
	answer = lock_take(&holder);
	if (answer != LOCK_TAKEN) {
		pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
		restore_cancellation(guard->cancellation);
	}
	return answer;
}

bool guard_install(struct guard *guard)
{
	/* What an earlier holder left behind, whose thread fork did not copy. */
	restore_installed();
	armed = NULL;
	guard->installed = install_all();
	if (!guard->installed) {
		restore_installed();
		return false;
	}
	guard->unblocked = blocks_guarded(&guard->mask);
	if (guard->unblocked)
		mask_guarded(SIG_UNBLOCK);
	guard->stack.ss_flags = SS_DISABLE;
	guard_call(call_disable_stack, &guard->stack);
	return true;
}

int guard_call(void (*call)(void *), void *argument)
{
	sigjmp_buf *const outer = armed;
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		armed = outer;
		/* ThreadSanitizer blocks more signals during a handler than it was told to. */
		mask_guarded(SIG_UNBLOCK);
		signals_rearm_stack(&fault_stack);
		return fault;
	}
	armed = &here;
	call(argument);
	armed = outer;
	return 0;
}

void guard_keep(int sig, void (*closed)(void))
{
	const size_t i = slot_of(sig);
	size_t j = 0;

	while (j < CLOSED_MAX && kept[i].closed[j] && kept[i].closed[j] != closed)
		j++;
	if (j < CLOSED_MAX)
		kept[i].closed[j] = closed;
	/* If the handler was left before and is gone, the program has set another one and wants
	 * it. */
	kept[i].due = !kept[i].left;
}

static void uninstall(const struct guard *guard, bool deferred[GUARDED], siginfo_t infos[GUARDED])
{
	if (guard->unblocked)
		mask_guarded(SIG_BLOCK);
	for (size_t i = GUARDED; i-- > 0;) {
		if (kept[i].due)
			leave_kept(i);
		else
			restore(i);
		deferred[i] = slots[i].deferred;
		if (deferred[i])
			infos[i] = deferred_infos[i];
	}
	if (!(guard->stack.ss_flags & SS_DISABLE))
		sigaltstack(&guard->stack, NULL);
}

void guard_release(const struct guard *guard)
{
	bool deferred[GUARDED] = { false };
	siginfo_t infos[GUARDED];

	if (guard->installed)
		uninstall(guard, deferred, infos);
	lock_release(&holder);
	pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
	restore_cancellation(guard->cancellation);
	for (size_t i = 0; i < GUARDED; i++)
		if (deferred[i])
			signals_send_again(guarded[i], &infos[i]);
}
