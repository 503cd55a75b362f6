/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "displace.h"
#include "thread.h"

#include <stddef.h>

/* How many times a swap is repeated. Each repetition needs another change of the disposition within
 * the time of one system call. */
#define TRIES_MAX 16

const struct disposition *displace_program(const struct displaced *d)
{
	return &d->programs[atomic_load(&d->form)];
}

/* The form of the handler that the disposition has; DISPLACE_FORMS if it is the program's. */
static unsigned form_of(const struct disposition *now, displace_handler_of *handler_of)
{
	disposition_function *const handler = disposition_handler(now);
	unsigned form = 0;

	while (form < DISPLACE_FORMS && handler != handler_of(form))
		form++;
	return form;
}

/* The form that stands for this disposition of the program. If none does, the form after the one
 * in use: it has been out of use for longest. */
static unsigned choose_form(struct displaced *d, const struct disposition *program)
{
	const unsigned next = (atomic_load(&d->form) + 1) % DISPLACE_FORMS;

	for (unsigned form = 0; form < DISPLACE_FORMS; form++)
		if (disposition_is_same(&d->programs[form], program))
			return form;
	d->programs[next] = *program;
	return next;
}

/*
 * SA_NODEFER and an empty mask: nothing is blocked, because a jump out of the handler unblocks
 * nothing. The program's SA_ONSTACK and SA_RESTART: other threads' stacks and system calls see no
 * difference. Where the program has no handler, no system call is to be interrupted.
 */
static struct disposition make(const struct displaced *d, unsigned form,
			       displace_handler_of *handler_of)
{
	const struct disposition *program = &d->programs[form];
	const int flags = disposition_has_handler(program) ?
				  disposition_action(program).sa_flags & (SA_ONSTACK | SA_RESTART) :
				  SA_RESTART;

	return disposition_make(handler_of(form), SA_NODEFER | flags, NULL);
}

/* libc may tell of ours with flags of its own. */
static bool is_same(const struct disposition *now, const struct disposition *expected,
		    displace_handler_of *handler_of)
{
	return disposition_is_same(now, expected) ||
	       (disposition_handler(now) == disposition_handler(expected) &&
		form_of(now, handler_of) < DISPLACE_FORMS);
}

/* The program has *seen. The swap should displace *expected. If it displaces something else,
 * another thread has set that meanwhile, and the handler has to stand for that: swap again. */
static bool displace_seen(struct displaced *d, int sig, displace_handler_of *handler_of,
			  struct disposition seen, struct disposition expected)
{
	bool done = true;

	atomic_store(&d->known, false);
	for (int n = 0; n < TRIES_MAX; n++) {
		const unsigned old = form_of(&seen, handler_of);
		const unsigned form = old < DISPLACE_FORMS ? old : choose_form(d, &seen);
		const struct disposition ours = make(d, form, handler_of);

		atomic_store(&d->form, form);
		done = disposition_swap(sig, &ours, &seen);
		if (!done || is_same(&seen, &expected, handler_of))
			break;
		expected = ours;
	}
	atomic_store(&d->known, true);
	return done;
}

/* A thread that is alone need not look. It takes what the program had the last time for what the
 * program has now. If it is mistaken, it swaps once more. */
bool displace_take(struct displaced *d, int sig, displace_handler_of *handler_of)
{
	struct disposition seen = *displace_program(d);

	return (thread_is_alone() || disposition_swap(sig, NULL, &seen)) &&
	       displace_seen(d, sig, handler_of, seen, seen);
}

/* The form that is there now; DISPLACE_FORMS if there is none, or a sandbox refuses to tell. A
 * thread that is alone knows: the form that it has put there. */
static unsigned form_now(const struct displaced *d, int sig, displace_handler_of *handler_of)
{
	struct disposition now;

	if (thread_is_alone())
		return atomic_load(&d->form);
	return disposition_swap(sig, NULL, &now) ? form_of(&now, handler_of) : DISPLACE_FORMS;
}

/*
 * Look before the swap, because the swap shows *back to the other threads. If another thread acts
 * between the two, take the place again, for what that thread has set, and begin anew. One case
 * cannot be told apart: a second change, before the place is taken again, to the very disposition
 * that is being given back. It is lost.
 */
bool displace_back(struct displaced *d, int sig, displace_handler_of *handler_of,
		   const struct disposition *instead)
{
	for (int n = 0; n < TRIES_MAX; n++) {
		const unsigned form = form_now(d, sig, handler_of);
		struct disposition back, now;

		if (form == DISPLACE_FORMS)
			return false;
		if (form != atomic_load(&d->form))
			instead = NULL;
		back = instead ? *instead : d->programs[form];
		if (!disposition_swap(sig, &back, &now))
			return false;
		if (disposition_handler(&now) != handler_of(form)) {
			instead = NULL;
			displace_seen(d, sig, handler_of, now, back);
			continue;
		}
		if (instead || disposition_is_same(&back, &d->programs[form]))
			return instead != NULL;
		/* A signal came meanwhile and has used up the program's SA_RESETHAND. */
		displace_seen(d, sig, handler_of, d->programs[form], back);
	}
	return false;
}
