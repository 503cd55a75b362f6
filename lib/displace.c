/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "displace.h"

#include <stddef.h>

/* How many times a swap is repeated. Each repetition needs another change of the disposition within
 * the time of one system call. */
#define TRIES_MAX 16

/* The form of the handler that the disposition has; DISPLACE_FORMS if it is the program's. */
static unsigned form_of(const struct disposition *now, displace_handler_of *handler_of)
{
	unsigned form = 0;

	while (form < DISPLACE_FORMS && disposition_handler(now) != handler_of(form))
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

int displace_flags(const struct disposition *program, int flags)
{
	return disposition_has_handler(program) ? disposition_flags(program) & flags : flags;
}

/* SA_NODEFER and an empty mask: nothing is blocked, because a jump out of the handler unblocks
 * nothing. */
static struct disposition make(const struct displaced *d, unsigned form,
			       displace_handler_of *handler_of)
{
	const int flags = displace_flags(&d->programs[form], SA_ONSTACK | SA_RESTART);

	return disposition_make(handler_of(form), SA_NODEFER | flags, NULL);
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
		if (!done || disposition_is_same(&seen, &expected))
			break;
		expected = ours;
	}
	atomic_store(&d->known, true);
	return done;
}

bool displace_take(struct displaced *d, int sig, displace_handler_of *handler_of)
{
	struct disposition seen;

	return disposition_swap(sig, NULL, &seen) && displace_seen(d, sig, handler_of, seen, seen);
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
	struct disposition now;

	for (int n = 0; n < TRIES_MAX && disposition_swap(sig, NULL, &now); n++) {
		const unsigned form = form_of(&now, handler_of);
		struct disposition back;

		if (form == DISPLACE_FORMS)
			return false;
		if (form != atomic_load(&d->form))
			instead = NULL;
		back = instead ? *instead : d->programs[form];
		if (!disposition_swap(sig, &back, &now))
			return false;
		if (disposition_handler(&now) == handler_of(form))
			return instead;
		instead = NULL;
		displace_seen(d, sig, handler_of, now, back);
	}
	return false;
}

const struct disposition *displace_program(const struct displaced *d)
{
	return &d->programs[atomic_load(&d->form)];
}
