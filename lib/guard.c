/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

/* glibc's checked longjmp takes a jump off an alternate stack that the kernel
 * disarmed (SS_AUTODISARM) for a stack overflow and aborts. */
#undef _FORTIFY_SOURCE

#include "guard.h"
#include "fixup.h"
#include "hot.h"
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

/* Well under a second, should the holder be kept from running for ever. */
#define KNOWN_TRIES_MAX 1000000

#define GUARDED (sizeof guarded / sizeof guarded[0])

static const int guarded[] = { SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGTRAP };

/*
 * What the kernel holds for a signal, as bytes. libc's sigaction cannot give it
 * back unchanged: it adds a restorer and a flag for it. ThreadSanitizer keeps a
 * table of its own behind sigaction, and SPARC and Alpha pass other arguments.
 * Layout: the kernel's include/linux/signal_types.h, struct sigaction, as it is for a 32-bit
 * program too (struct compat_sigaction); MIPS's is in its asm/signal.h.
 */
#if defined(SYS_rt_sigaction) && !defined(__SANITIZE_THREAD__) && \
	!defined(__sparc__) && !defined(__alpha__)
struct disposition {
	unsigned long words[8];
};

#if defined(__mips__)
#define KERNEL_SIGSET_SIZE 16
#define KERNEL_FLAGS_WORD 0 /* an int, whatever a word is */
#define KERNEL_HANDLER_WORD 1
#define KERNEL_MASK_WORD 2
#else
#define KERNEL_SIGSET_SIZE 8
#define KERNEL_HANDLER_WORD 0
#define KERNEL_FLAGS_WORD 1
/* Newer architectures have no restorer before it. */
#if defined(__riscv) || defined(__loongarch__) || defined(__csky__) || defined(__or1k__) || \
	defined(__hppa__) || defined(__ia64__)
#define KERNEL_MASK_WORD 2
#else
#define KERNEL_MASK_WORD 3
#endif
#endif

static bool disposition_swap(int sig, const struct disposition *new, struct disposition *old)
{
	return !syscall(SYS_rt_sigaction, sig, new, old, KERNEL_SIGSET_SIZE);
}

static void (*disposition_handler(const struct disposition *d))(int)
{
	return (void (*)(int))d->words[KERNEL_HANDLER_WORD];
}

static void disposition_set_handler(struct disposition *d, void (*handler)(int))
{
	d->words[KERNEL_HANDLER_WORD] = (unsigned long)handler;
}

/* As libc would tell it. */
static struct sigaction disposition_action(const struct disposition *d)
{
	struct sigaction action = { .sa_handler = disposition_handler(d) };

#if defined(__mips__)
	memcpy(&action.sa_flags, &d->words[KERNEL_FLAGS_WORD], sizeof action.sa_flags);
#else
	action.sa_flags = (int)d->words[KERNEL_FLAGS_WORD];
#endif
	sigemptyset(&action.sa_mask);
	memcpy(&action.sa_mask, &d->words[KERNEL_MASK_WORD], KERNEL_SIGSET_SIZE);
	return action;
}
#else
struct disposition {
	struct sigaction action;
};

static bool disposition_swap(int sig, const struct disposition *new, struct disposition *old)
{
	return !sigaction(sig, new ? &new->action : NULL, old ? &old->action : NULL);
}

static void (*disposition_handler(const struct disposition *d))(int)
{
	return d->action.sa_handler;
}

static void disposition_set_handler(struct disposition *d, void (*handler)(int))
{
	d->action.sa_handler = handler;
}

static struct sigaction disposition_action(const struct disposition *d)
{
	return d->action;
}
#endif

static HOT struct slot {
	bool installed; /* or about to be: a fork may copy any state */
	/* .kernel is what was found: the kernel tells it behind the change, and another thread
	 * may fault between the two. */
	atomic_bool known;
	bool deferred;  /* somebody sent it to the holder */
	/* A program that calls sigaction() meanwhile gets the guard's handler. If it puts that back, or
	 * calls it from its own, it means what was there before. */
	bool lent;
	struct disposition kernel; /* the program's, to give back; the guard's own where that was found */
	struct disposition before; /* the program's, before that */
} slots[GUARDED];

static siginfo_t sent[GUARDED]; /* of those deferred */

/* What libc said of the signal that it installed. */
static HOT struct {
	bool differs; /* from the kernel: something stands between, such as a sanitizer in the program */
	struct sigaction action;
} libcs;

/* Ways to read a closed register that one architecture has. */
#define CLOSED_MAX 2

/* What guard_keep was told of a signal, and what the program had for it. */
static HOT struct {
	void (*_Atomic closed[CLOSED_MAX])(void);
	bool due;  /* the handler is yet to be left: a fork may copy this state too */
	bool left;
	struct disposition program;
} kept[GUARDED];

static HOT struct lock holder;
static HOT sigjmp_buf *volatile armed; /* innermost guard_call of the holder. Volatile: a call whose
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
static void forward_to(struct disposition *program, int sig, siginfo_t *info, void *context)
{
	const struct sigaction action = disposition_action(program);
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
		disposition_set_handler(program, SIG_DFL);
	/* Undone by the return from this handler. */
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(sig, info, context);
	else
		action.sa_handler(sig);
}

static void on_signal(int sig, siginfo_t *info, void *context);

/* Where the guard itself looks at who is there, whatever libc believes. */
static const struct sigaction own = { .sa_sigaction = on_signal };

static bool is_own(const struct disposition *d)
{
	return disposition_handler(d) == own.sa_handler;
}

/* Never the guard itself, which would call itself. */
static struct disposition *program_of(struct slot *slot)
{
	return is_own(&slot->kernel) ? &slot->before : &slot->kernel;
}

/* The holder is within one system call, unless it did not come along through fork. */
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

	/* Not called by the kernel, but by a handler that took the guard's for another's. */
	if (slot->lent && (!slot->installed || outer == context)) {
		forward_to(&slot->before, sig, info, context);
		return;
	}
	wait_until_known(slot);
	forwarding = context;
	forward_to(program_of(slot), sig, info, context);
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
		sent[slot_of(sig)] = *info;
	} else if (mine && armed) {
		fault = sig;
		fault_stack = ((ucontext_t *)context)->uc_stack;
		siglongjmp(*armed, 1);
	} else if (!skips_read(sig, info, context)) {
		forward(sig, info, context);
	}
	errno = saved_errno;
}

/*
 * Give back what the program had, unless another thread changed it meanwhile. In one step, because
 * what it sets between a look and a write would be lost for good. The price: where it has
 * set something since the guard came, what the program had before stands in its place for the
 * time of one system call.
 */
static void restore(size_t i)
{
	struct slot *slot = &slots[i];
	struct disposition was;

	if (!slot->installed)
		return;
	if (!disposition_swap(guarded[i], program_of(slot), &was)) {
		/* A sandbox has come, and the handler stays, for which nobody arms anything. */
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

/*
 * Leave the handler of guard_keep instead, unless another thread changed it meanwhile. The
 * kernel does as much of the program's wishes as it can: its mask, its stack.
 */
static void leave_kept(size_t i)
{
	struct sigaction action = { .sa_sigaction = on_kept_signal }, program;
	const int faithful = SA_ONSTACK | SA_RESTART | SA_NODEFER;
	struct disposition now;

	kept[i].due = false;
	disposition_swap(guarded[i], NULL, &now);
	program = disposition_action(program_of(&slots[i]));
	if (!slots[i].installed || !is_own(&now) || program.sa_sigaction == on_kept_signal) {
		restore(i);
		return;
	}
	kept[i].program = *program_of(&slots[i]);
	action.sa_flags = SA_SIGINFO | faithful;
	sigemptyset(&action.sa_mask);
	if (program.sa_handler != SIG_DFL && program.sa_handler != SIG_IGN) {
		action.sa_flags = SA_SIGINFO | (program.sa_flags & faithful);
		action.sa_mask = program.sa_mask;
	}
	sigaction(guarded[i], &action, NULL);
	kept[i].left = true;
	slots[i].installed = false;
}

static void begin(struct slot *slot)
{
	slot->deferred = false;
	if (!slot->lent && !is_own(&slot->kernel))
		slot->before = slot->kernel;
}

/* By libc, so that the kernel shows how libc would have the others: with its restorer. */
static bool install_first(struct disposition *form)
{
	struct sigaction action = own;

	/* Where the program's own handlers may want to run; and nothing more is
	 * blocked, because a handler left by a jump gives no mask back. */
	action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	begin(&slots[0]);
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
 * A fork copies the dispositions before the memory (copy_process() in the kernel's fork.c), so a
 * child that has the handler has .kernel too, but where this thread rested long enough between
 * the kernel's two steps, setting the new and copying out the old. There .kernel is what
 * the guard found last: the default, if this is the first.
 */
static bool install(size_t i, const struct disposition *form)
{
	begin(&slots[i]);
	atomic_store(&slots[i].known, false);
	slots[i].installed = true;
	slots[i].installed = disposition_swap(guarded[i], form, &slots[i].kernel);
	atomic_store(&slots[i].known, true);
	return slots[i].installed;
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

static void restore_all(void)
{
	for (size_t i = GUARDED; i-- > 0;)
		restore(i);
}

static bool install_all(void)
{
	struct disposition form = { 0 };
	bool done = install_first(&form);

	for (size_t i = 1; i < GUARDED && done; i++)
		done = install(i, &form);
	return done;
}

bool guard_install(struct guard *guard)
{
	sigset_t set;

	/* A holder that did not come along through fork left its own behind. */
	restore_all();
	armed = NULL;
	guard->installed = install_all();
	if (!guard->installed) {
		restore_all();
		return false;
	}
	if (blocks_guarded(&guard->mask)) {
		guarded_set(&set);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	guard->stack.ss_flags = SS_DISABLE;
	guard_call(call_disable_stack, &guard->stack);
	return true;
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
#ifdef SYS_tkill
	/* raise() would ask for the process once more. */
	if (self <= 0 && !syscall(SYS_tkill, thread_id(), sig))
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
			info[i] = sent[i];
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
