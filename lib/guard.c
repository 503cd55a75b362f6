/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

/* glibc's checked longjmp takes a jump off an alternate stack that the kernel
 * disarmed (SS_AUTODISARM) for a stack overflow and aborts. */
#undef _FORTIFY_SOURCE

#include "guard.h"
#include "fixup.h"
#include "os/tls.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

/* From linux/signal.h, which libc's header does not let in beside it. */
#if defined(__linux__) && !defined(SS_AUTODISARM)
#define SS_AUTODISARM (1U << 31)
#endif

#define GUARDED (sizeof guarded / sizeof guarded[0])

static const int guarded[] = { SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGTRAP };

/*
 * What the kernel holds for a signal, as bytes. libc's sigaction cannot give it
 * back unchanged: it adds a restorer and a flag for it. ThreadSanitizer keeps a
 * table of its own behind sigaction, and SPARC and Alpha pass other arguments.
 */
#if defined(SYS_rt_sigaction) && !defined(__SANITIZE_THREAD__) && \
	!defined(__sparc__) && !defined(__alpha__)
struct disposition {
	unsigned long words[16];
};

#if defined(__mips__)
#define KERNEL_SIGSET_SIZE 16
#define KERNEL_HANDLER_WORD 1
#else
#define KERNEL_SIGSET_SIZE 8
#define KERNEL_HANDLER_WORD 0
#endif

static void disposition_swap(int sig, const struct disposition *new, struct disposition *old)
{
	syscall(SYS_rt_sigaction, sig, new, old, KERNEL_SIGSET_SIZE);
}

static void (*disposition_handler(const struct disposition *d))(int)
{
	return (void (*)(int))d->words[KERNEL_HANDLER_WORD];
}
#else
struct disposition {
	struct sigaction action;
};

static void disposition_swap(int sig, const struct disposition *new, struct disposition *old)
{
	sigaction(sig, new ? &new->action : NULL, old ? &old->action : NULL);
}

static void (*disposition_handler(const struct disposition *d))(int)
{
	return d->action.sa_handler;
}
#endif

/* How far the installation of a signal has come: a fork may copy any state. */
enum progress {
	NOT_INSTALLED, /* the program's own */
	RECORDED,      /* .kernel is valid, the guard may be installed */
	INSTALLED      /* .action is valid too */
};

static struct {
	_Atomic(enum progress) progress;
	struct disposition kernel; /* the program's, to give back */
	struct sigaction action;   /* the same, to forward to */
	bool deferred;             /* somebody sent it to the holder */
	siginfo_t info;
	/* A program that calls sigaction() meanwhile gets the guard's handler. If it puts that back, or
	 * calls it from its own, it means what was there before. */
	bool lent;
	struct sigaction before;
} slots[GUARDED];

/* Ways to read a closed register that one architecture has. */
#define CLOSED_MAX 2

/* What guard_keep was told of a signal, and what the program had for it. */
static struct {
	void (*_Atomic closed[CLOSED_MAX])(void);
	bool due;  /* the handler is yet to be left: a fork may copy this state too */
	bool left;
	struct sigaction program;
} kept[GUARDED];

static struct lock holder;
static sigjmp_buf *volatile armed; /* innermost guard_call of the holder. Volatile: a call whose
				    * fault the compiler does not see may be inlined */
/* The context of the signal that this thread's innermost forward() is about; stale where its
 * handler left by a jump. */
static _Thread_local const void *volatile forwarding TLS_MODEL;
static int fault;              /* the signal that ended it */
static stack_t fault_stack;    /* alternate stack settings when it struck */

#ifndef PTHREAD_CANCEL_DISABLE
#define PTHREAD_CANCEL_DISABLE 0
#endif

/* A cancelled owner would leave its work half done. */
static void set_cancellation(int state, int *old)
{
#ifdef HAVE_PTHREAD_SETCANCELSTATE
	pthread_setcancelstate(state, old);
#else
	(void)state, (void)old; /* this system has no cancellation */
#endif
}

static size_t slot_of(int sig)
{
	size_t i = 0;

	while (guarded[i] != sig)
		i++;
	return i;
}

static bool sent_by_somebody(const siginfo_t *info)
{
#ifdef __linux__
	return info->si_code <= 0;
#else
	return info->si_code <= 0 || info->si_code == SI_USER || info->si_code == SI_QUEUE;
#endif
}

/* Die of it as without the guard: an instruction that faulted runs again. */
static void die_of(int sig, const siginfo_t *info)
{
	sigaction(sig, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	if (sent_by_somebody(info) || sig == SIGSYS || sig == SIGTRAP)
		raise(sig);
}

/* Do what the program would have seen done with this disposition. */
static void forward_to(struct sigaction *program, int sig, siginfo_t *info, void *context)
{
	const struct sigaction action = *program;
	sigset_t blocked = action.sa_mask;

	if (action.sa_handler == SIG_IGN && sent_by_somebody(info))
		return;
	if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) {
		die_of(sig, info);
		return;
	}
	if (!(action.sa_flags & SA_NODEFER))
		sigaddset(&blocked, sig);
	if (action.sa_flags & (int)SA_RESETHAND)
		program->sa_handler = SIG_DFL;
	/* Undone by the return from this handler. */
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(sig, info, context);
	else
		action.sa_handler(sig);
}

static void on_signal(int sig, siginfo_t *info, void *context);

/* What the program had, as found: never the guard itself, which would call itself. */
static void learn(size_t i, const struct sigaction *found)
{
	if ((found->sa_flags & SA_SIGINFO) && found->sa_sigaction == on_signal) {
		if (slots[i].lent)
			slots[i].action = slots[i].before;
	} else {
		slots[i].action = *found;
	}
	slots[i].progress = INSTALLED;
}

static void forward(int sig, siginfo_t *info, void *context)
{
	const void *const outer = forwarding;
	struct sigaction found;
	size_t i = slot_of(sig);

	if (slots[i].progress == RECORDED) { /* forked half-way: learn it now */
		disposition_swap(sig, &slots[i].kernel, NULL);
		sigaction(sig, NULL, &found);
		learn(i, &found);
	}
	/* Not called by the kernel, but by a handler that took the guard's for another's. */
	if (slots[i].lent && (slots[i].progress == NOT_INSTALLED || outer == context)) {
		forward_to(&slots[i].before, sig, info, context);
		return;
	}
	if (slots[i].action.sa_flags & (int)SA_RESETHAND &&
	    slots[i].action.sa_handler != SIG_IGN)
		memset(&slots[i].kernel, 0, sizeof slots[i].kernel);
	forwarding = context;
	forward_to(&slots[i].action, sig, info, context);
	forwarding = outer;
}

/* Whether it was a read of a register that the kernel has closed. */
static bool skips_read(int sig, const siginfo_t *info, void *context)
{
	const size_t i = slot_of(sig);
	void (*closed)(void) = kept[i].closed[0];

	if (!closed || sent_by_somebody(info) || !fixup_skip(context))
		return false;
	for (size_t j = 0; j < CLOSED_MAX && (closed = kept[i].closed[j]); j++)
		closed();
	return true;
}

/* The handler that stays. */
static void on_kept_signal(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;

	if (!skips_read(sig, info, context))
		forward_to(&kept[slot_of(sig)].program, sig, info, context);
	errno = saved_errno;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	bool mine = atomic_load(&holder.owner) == thread_id();

	if (mine && sent_by_somebody(info)) {
		slots[slot_of(sig)].deferred = true;
		slots[slot_of(sig)].info = *info;
	} else if (mine && armed) {
		fault = sig;
		fault_stack = ((ucontext_t *)context)->uc_stack;
		siglongjmp(*armed, 1);
	} else if (!skips_read(sig, info, context)) {
		forward(sig, info, context);
	}
	errno = saved_errno;
}

static bool is_ours(int sig)
{
	struct sigaction now;

	return !sigaction(sig, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
		now.sa_sigaction == on_signal;
}

/*
 * Give back what the program had, unless another thread changed it meanwhile. Where
 * kernel and libc disagree about the handler, something stands between (a sanitizer
 * in the program) and has to be told too; or it was the guard's own, which is over.
 */
static void restore(size_t i)
{
	if (slots[i].progress == NOT_INSTALLED)
		return;
	if (is_ours(guarded[i])) {
		if (slots[i].progress == INSTALLED &&
		    disposition_handler(&slots[i].kernel) != slots[i].action.sa_handler)
			sigaction(guarded[i], &slots[i].action, NULL);
		else
			disposition_swap(guarded[i], &slots[i].kernel, NULL);
	} else if (slots[i].progress == INSTALLED && !slots[i].lent) {
		slots[i].before = slots[i].action;
		slots[i].lent = true;
	}
	slots[i].progress = NOT_INSTALLED;
}

/*
 * Leave the handler of guard_keep instead, unless another thread changed it meanwhile. The
 * kernel does as much of the program's wishes as it can: its mask, its stack.
 */
static void leave_kept(size_t i)
{
	struct sigaction action = { .sa_sigaction = on_kept_signal };
	const int faithful = SA_ONSTACK | SA_RESTART | SA_NODEFER;

	kept[i].due = false;
	if (slots[i].progress != INSTALLED || !is_ours(guarded[i]) ||
	    slots[i].action.sa_sigaction == on_kept_signal) {
		restore(i);
		return;
	}
	kept[i].program = slots[i].action;
	action.sa_flags = SA_SIGINFO | faithful;
	sigemptyset(&action.sa_mask);
	if (kept[i].program.sa_handler != SIG_DFL && kept[i].program.sa_handler != SIG_IGN) {
		action.sa_flags = SA_SIGINFO | (kept[i].program.sa_flags & faithful);
		action.sa_mask = kept[i].program.sa_mask;
	}
	sigaction(guarded[i], &action, NULL);
	kept[i].left = true;
	slots[i].progress = NOT_INSTALLED;
}

static void install(size_t i)
{
	struct sigaction action = { .sa_sigaction = on_signal }, found;

	/* Where the program's own handlers may want to run; and nothing more is
	 * blocked, because a handler left by a jump gives no mask back. */
	action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	slots[i].deferred = false;
	disposition_swap(guarded[i], NULL, &slots[i].kernel);
	slots[i].progress = RECORDED;
	sigaction(guarded[i], &action, &found);
	learn(i, &found);
}

static void guarded_set(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < GUARDED; i++)
		sigaddset(set, guarded[i]);
}

static bool blocks_guarded(const sigset_t *mask)
{
	for (size_t i = 0; i < GUARDED; i++)
		if (sigismember(mask, guarded[i]) == 1)
			return true;
	return false;
}

enum lock_answer guard_acquire(struct guard *guard)
{
	enum lock_answer answer;
	sigset_t others;

	guard->installed = false;
	sigfillset(&others);
	for (size_t i = 0; i < GUARDED; i++)
		sigdelset(&others, guarded[i]);
	set_cancellation(PTHREAD_CANCEL_DISABLE, &guard->cancellation);
	pthread_sigmask(SIG_BLOCK, &others, &guard->mask);
	answer = lock_take(&holder);
	if (answer != LOCK_TAKEN) {
		pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
		set_cancellation(guard->cancellation, NULL);
	}
	return answer;
}

/* A fault's frame may not fit on the program's. Fails where this runs on it. */
static void call_disable_stack(void *stack)
{
	if (sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, stack))
		((stack_t *)stack)->ss_flags = SS_DISABLE;
}

void guard_install(struct guard *guard)
{
	sigset_t set;

	/* A holder that did not come along through fork left its own behind. */
	for (size_t i = GUARDED; i-- > 0;)
		restore(i);
	armed = NULL;
	for (size_t i = 0; i < GUARDED; i++)
		install(i);
	guard->installed = true;
	if (blocks_guarded(&guard->mask)) {
		guarded_set(&set);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	guard->stack.ss_flags = SS_DISABLE;
	guard_call(call_disable_stack, &guard->stack);
}

int guard_call(void (*call)(void *), void *argument)
{
	sigjmp_buf *const outer = armed;
	sigjmp_buf here;
	sigset_t set;

	if (sigsetjmp(here, 0)) {
		armed = outer;
		/* ThreadSanitizer blocks more during a handler than it was told. */
		guarded_set(&set);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
#ifdef SS_AUTODISARM
		/* Only the return from the handler would have armed it again. */
		if (fault_stack.ss_flags & (int)SS_AUTODISARM)
			sigaltstack(&fault_stack, NULL);
#endif
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
	/* What a program put in its place since is the program's wish. */
	kept[i].due = !kept[i].left;
}

static void send_to_self(int sig, siginfo_t *info)
{
	/* Where a sandbox has it fail it is negative, which kill(2) takes for everybody. */
	const pid_t self = getpid();

#ifdef SYS_rt_sigqueueinfo
	/* What was sent to the process is anybody's who waits for it. */
	if (info->si_code != SI_TKILL && self > 0) {
		if (syscall(SYS_rt_sigqueueinfo, self, sig, info))
			kill(self, sig); /* only the first thread may tell who sent it */
		return;
	}
#endif
#ifdef SYS_rt_tgsigqueueinfo
	if (!syscall(SYS_rt_tgsigqueueinfo, self, thread_id(), sig, info))
		return;
#endif
	(void)info, (void)self;
	raise(sig);
}

static void uninstall(const struct guard *guard, bool deferred[GUARDED], siginfo_t info[GUARDED])
{
	sigset_t set;

	if (blocks_guarded(&guard->mask)) {
		guarded_set(&set);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	}
	for (size_t i = GUARDED; i-- > 0;) {
		if (kept[i].due)
			leave_kept(i);
		else
			restore(i);
		deferred[i] = slots[i].deferred;
		if (deferred[i])
			info[i] = slots[i].info;
	}
}

void guard_release(const struct guard *guard)
{
	bool deferred[GUARDED] = { false };
	siginfo_t info[GUARDED];

	if (guard->installed)
		uninstall(guard, deferred, info);
	if (guard->installed && !(guard->stack.ss_flags & SS_DISABLE))
		sigaltstack(&guard->stack, NULL);
	lock_release(&holder);
	pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
	set_cancellation(guard->cancellation, NULL);
	for (size_t i = 0; i < GUARDED; i++)
		if (deferred[i])
			send_to_self(guarded[i], &info[i]);
}
