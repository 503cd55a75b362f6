/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

/* glibc's checked longjmp would abort: it takes a jump off an alternate stack that the kernel has
 * disarmed (SS_AUTODISARM) for a stack overflow. */
#undef _FORTIFY_SOURCE

#include "guard.h"
#include "deliver.h"
#include "displace.h"
#include "fixup.h"
#include "hot.h"
#include "os/cancellation.h"
#include "os/signals.h"
#include "thread.h"

#include <errno.h>
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
	bool deferred; /* somebody sent the signal to the holder, which gets it after the release */
	struct displaced displaced;
} slots[GUARDED];

/* The guard's signals that are installed. Set before the swap, so that a child forked in between
 * gives the program's disposition back. */
static HOT uint32_t installed;

/* Those of them that reach the holder. The kernel ends the process at a fault whose signal is
 * blocked. */
static HOT uint32_t caught;

static siginfo_t deferred_infos[GUARDED];

enum kept_state {
	KEPT_NOT, /* nothing asks for the handler, or it could not be left */
	KEPT_DUE, /* the next release is to leave it */
	KEPT_LEFT /* a release has left it; if it is gone, the program wanted so */
};

/* The handlers of guard_keep, one for each guarded signal. */
static HOT struct {
	void (*_Atomic closed[CLOSED_MAX])(void);
	enum kept_state state;
	struct disposition program; /* what the program had when the handler was left */
} kept[GUARDED];

static HOT struct lock holder;

/* The program's signal mask, while the guard is installed. */
static HOT const sigset_t *program_mask;

/* guard_acquire or the program had blocked signals that were let in for the holder. */
static HOT bool unblocked;

/* The holder's alternate stack, if it has been disabled; else SS_DISABLE. */
static HOT stack_t program_stack;

/* The innermost guard_call of the holder. Volatile: a call whose fault the compiler cannot see may
 * be inlined. */
static HOT sigjmp_buf *volatile armed;

/* The signal that ended a guard_call, and the alternate stack's settings when it struck. */
static int fault;
static stack_t fault_stack;

/* The handlers */

/* The holder sets .known within a few system calls; stop if fork did not copy that thread. */
static void wait_until_known(const struct displaced *d)
{
	int owner = atomic_load(&holder.owner);

	for (long i = 0; i < KNOWN_TRIES_MAX && !atomic_load(&d->known); i++)
		if (owner == 0 || owner == thread_id() || !thread_exists(owner))
			return;
}

/* While the holder swaps, a form may stand for something else than it has displaced. */
COLD static void forward(int sig, siginfo_t *info, void *context, unsigned form)
{
	struct displaced *d = &slots[slot_of(sig)].displaced;

	if (!atomic_load(&d->known)) {
		wait_until_known(d);
		form = atomic_load(&d->form);
	}
	deliver_signal(&d->programs[form], sig, info, context);
}

/* If the signal is the fault of a read whose register the kernel has closed, tell the counters and
 * skip the read. */
COLD static bool skips_read(int sig, bool sent, void *context)
{
	const size_t i = slot_of(sig);
	void (*closed)(void) = kept[i].closed[0];

	if (!closed || sent || !fixup_skip(context))
		return false;
	for (size_t j = 0; j < CLOSED_MAX && (closed = kept[i].closed[j]); j++)
		closed();
	return true;
}

/* Whether somebody sent the signal. A handler without SA_SIGINFO gets no siginfo_t from the kernel
 * and may call a handler of this file: then the signal passes for a fault. */
static bool was_sent(int sig, const siginfo_t *info)
{
	return info->si_signo == sig && signals_was_sent(info);
}

/* The handler that guard_keep leaves. */
COLD static void on_kept_signal(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;

	if (!skips_read(sig, was_sent(sig, info), context))
		deliver_signal(&kept[slot_of(sig)].program, sig, info, context);
	errno = saved_errno;
}

/* The handler while the guard is installed. */
COLD static void on_signal(int sig, siginfo_t *info, void *context, unsigned form)
{
	const bool sent = was_sent(sig, info);
	const bool mine = lock_is_mine(&holder);
	int saved_errno = errno;

	if (mine && sent) {
		slots[slot_of(sig)].deferred = true;
		deferred_infos[slot_of(sig)] = *info;
	} else if (mine && armed) {
		fault = sig;
		fault_stack = ((ucontext_t *)context)->uc_stack;
		siglongjmp(*armed, 1);
	} else if (!skips_read(sig, sent, context)) {
		forward(sig, info, context, form);
	}
	errno = saved_errno;
}

#define HANDLER_OF_FORM(form) \
	static void on_signal_##form(int sig, siginfo_t *info, void *context) \
	{ \
		on_signal(sig, info, context, form); \
	}
HANDLER_OF_FORM(0)
HANDLER_OF_FORM(1)
HANDLER_OF_FORM(2)
HANDLER_OF_FORM(3)

/* Not a table, which would cost the dynamic linker a relocation for each. */
static disposition_function *handler_of(unsigned form)
{
	switch (form) {
	case 0:
		return on_signal_0;
	case 1:
		return on_signal_1;
	case 2:
		return on_signal_2;
	default:
		return on_signal_3;
	}
}

/* The handler of guard_keep, with the program's own wishes where it has a handler: its mask, its
 * stack. The kernel carries these out, so forwarding need not. */
COLD static struct disposition kept_disposition(const struct disposition *program)
{
	const int flags = SA_ONSTACK | SA_RESTART | SA_NODEFER;
	const struct sigaction action = disposition_action(program);

	if (!disposition_has_handler(program))
		return disposition_make(on_kept_signal, flags, NULL);
	return disposition_make(on_kept_signal, action.sa_flags & flags, &action.sa_mask);
}

/* Give back, and leave the handler of guard_keep in front of what the program had, if possible. */
COLD static enum kept_state leave_kept(size_t i)
{
	const struct disposition *program = displace_program(&slots[i].displaced);
	const struct disposition ours = kept_disposition(program);
	bool left;

	kept[i].program = *program;
	left = displace_back(&slots[i].displaced, guarded[i], handler_of, &ours);
	/* A signal that came meanwhile may have used up the program's SA_RESETHAND. */
	if (!disposition_has_handler(program))
		kept[i].program = *program;
	return left ? KEPT_LEFT : KEPT_NOT;
}

static bool has_kept(size_t i)
{
	return disposition_handler(displace_program(&slots[i].displaced)) == on_kept_signal;
}

static void give_back(size_t i)
{
	if (kept[i].state == KEPT_DUE && !has_kept(i)) {
		kept[i].state = leave_kept(i);
	} else {
		displace_back(&slots[i].displaced, guarded[i], handler_of, NULL);
		kept[i].state = kept[i].state == KEPT_LEFT ? KEPT_LEFT : KEPT_NOT;
	}
	installed &= ~COUNTER_SIGNAL(guarded[i]);
}

static void give_back_installed(void)
{
	for (size_t i = GUARDED; i-- > 0;)
		if (installed & COUNTER_SIGNAL(guarded[i]))
			give_back(i);
}

/* The thread's own state */

/* Those of the guard's signals that are installed. how: SIG_BLOCK or SIG_UNBLOCK. Returns 0 or an
 * errno: a sandbox may refuse rt_sigprocmask(2). */
static int mask_installed(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < GUARDED; i++)
		if (installed & COUNTER_SIGNAL(guarded[i]))
			sigaddset(&set, guarded[i]);
	return pthread_sigmask(how, &set, NULL);
}

/* The call fails if this thread runs on its alternate stack. */
static void call_disable_stack(void *unused)
{
	(void)unused;
	if (sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, &program_stack))
		program_stack.ss_flags = SS_DISABLE;
}

static bool runs_on_stack(size_t i)
{
	const struct disposition *program = displace_program(&slots[i].displaced);

	return installed & COUNTER_SIGNAL(guarded[i]) && disposition_has_handler(program) &&
	       disposition_action(program).sa_flags & SA_ONSTACK;
}

/* Where the program's handler runs on an alternate stack, the guard's does so too. But the frame of
 * a fault in this thread may not fit there. Only when SIGSYS is installed: a sandbox may answer
 * sigaltstack with it. */
static void leave_stack(void)
{
	size_t i = 0;

	while (i < GUARDED && !runs_on_stack(i))
		i++;
	if (i < GUARDED && program_stack.ss_flags & SS_DISABLE)
		guard_call(call_disable_stack, NULL);
}

/* The interface */

static void restore_thread(const struct guard *guard)
{
	if (!guard->mask_error)
		pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
	cancellation_restore(guard->cancellation);
}

enum lock_answer guard_acquire(struct guard *guard)
{
	enum lock_answer answer;
	sigset_t others;

	guard->installed = false;
	sigfillset(&others);
	for (size_t i = 0; i < GUARDED; i++)
		if (GUARD_BASE & COUNTER_SIGNAL(guarded[i]))
			sigdelset(&others, guarded[i]);
	/* A cancelled holder would leave its work half done. */
	cancellation_disable(&guard->cancellation);
	guard->mask_error = pthread_sigmask(SIG_BLOCK, &others, &guard->mask);
	answer = lock_take(&holder);
	if (answer != LOCK_TAKEN)
		restore_thread(guard);
	return answer;
}

/* A fork copies the dispositions before the memory (copy_process() in the kernel's fork.c). So a
 * child that inherits the guard's handler also inherits what the handler stands for. */
static bool install(size_t i)
{
	slots[i].deferred = false;
	installed |= COUNTER_SIGNAL(guarded[i]);
	if (displace_take(&slots[i].displaced, guarded[i], handler_of))
		return true;
	installed &= ~COUNTER_SIGNAL(guarded[i]);
	return false;
}

/* Install those that are not, and let them in for this thread. blocked: the program's mask. */
static bool install_more(uint32_t signals, const sigset_t *blocked)
{
	bool done = true, let_in = signals & ~GUARD_BASE;
	int error;

	for (size_t i = 0; i < GUARDED; i++) {
		if (!(signals & ~installed & COUNTER_SIGNAL(guarded[i])))
			continue;
		done = install(i) && done;
		let_in = let_in || sigismember(blocked, guarded[i]) == 1;
	}
	error = let_in ? mask_installed(SIG_UNBLOCK) : 0;
	if (error) {
		errno = error;
		return false;
	}
	caught = installed;
	unblocked = unblocked || let_in;
	if (done)
		leave_stack();
	return done;
}

bool guard_install(struct guard *guard, uint32_t signals)
{
	/* What an earlier holder left behind, whose thread fork did not copy. */
	give_back_installed();
	armed = NULL;
	caught = 0;
	unblocked = false;
	program_mask = &guard->mask;
	program_stack.ss_flags = SS_DISABLE;
	if (guard->mask_error) {
		errno = guard->mask_error;
		return false;
	}
	/* If only a part can be had, guard_release gives that back like all of it. */
	guard->installed = true;
	return install_more(signals, &guard->mask);
}

bool guard_add(uint32_t signals)
{
	sigset_t nothing;

	if (!(signals & ~caught))
		return true;
	sigemptyset(&nothing);
	return install_more(signals, &nothing);
}

int guard_call(void (*call)(void *), void *argument)
{
	sigjmp_buf *const outer = armed;
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		armed = outer;
		/* ThreadSanitizer blocks more signals during a handler than it was told to. */
		mask_installed(SIG_UNBLOCK);
		signals_rearm_stack(&fault_stack);
		return fault;
	}
	armed = &here;
	call(argument);
	armed = outer;
	return 0;
}

const sigset_t *guard_program_mask(void)
{
	return program_mask;
}

void guard_keep(uint32_t signals, void (*closed)(void))
{
	for (size_t i = 0; i < GUARDED; i++) {
		size_t j = 0;

		if (!(signals & COUNTER_SIGNAL(guarded[i])))
			continue;
		while (j < CLOSED_MAX && kept[i].closed[j] && kept[i].closed[j] != closed)
			j++;
		if (j < CLOSED_MAX)
			kept[i].closed[j] = closed;
		if (kept[i].state == KEPT_NOT)
			kept[i].state = KEPT_DUE;
	}
}

static void uninstall(bool deferred[GUARDED], siginfo_t infos[GUARDED])
{
	if (unblocked)
		mask_installed(SIG_BLOCK);
	for (size_t i = GUARDED; i-- > 0;) {
		if (!(installed & COUNTER_SIGNAL(guarded[i])))
			continue;
		give_back(i);
		deferred[i] = slots[i].deferred;
		if (deferred[i])
			infos[i] = deferred_infos[i];
	}
	if (!(program_stack.ss_flags & SS_DISABLE))
		sigaltstack(&program_stack, NULL);
}

void guard_release(const struct guard *guard)
{
	bool deferred[GUARDED] = { false };
	siginfo_t infos[GUARDED];

	if (guard->installed)
		uninstall(deferred, infos);
	lock_release(&holder);
	restore_thread(guard);
	for (size_t i = 0; i < GUARDED; i++)
		if (deferred[i])
			signals_send_again(guarded[i], &infos[i]);
}
