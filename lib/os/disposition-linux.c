/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Dispositions by rt_sigaction(2) itself. */

#include "config.h"

#include "os/disposition.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(__linux__) || !defined(SYS_rt_sigaction)
#error "Linux only"
#endif

#if defined(__sparc__) || defined(__alpha__)
#error "here rt_sigaction has another argument, for the restorer"
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#error "ThreadSanitizer keeps a table of its own behind sigaction"
#endif
#endif
#ifdef __SANITIZE_THREAD__
#error "ThreadSanitizer keeps a table of its own behind sigaction"
#endif

bool disposition_swap(int sig, const struct disposition *new, struct disposition *old)
{
	/* Not every byte is the kernel's to write: see disposition_is_same. */
	if (old)
		memset(old, 0, sizeof *old);
	return !syscall(SYS_rt_sigaction, sig, new, old, KERNEL_SIGSET_SIZE);
}

struct disposition disposition_make(disposition_function *handler, int flags, const sigset_t *mask)
{
	struct disposition made = { .kernel = { .handler = handler } };

	made.kernel.flags |= (unsigned)(SA_SIGINFO | flags);
	if (mask)
		memcpy(made.kernel.mask, mask, KERNEL_SIGSET_SIZE);
	sigaction_add_restorer(&made.kernel);
	return made;
}

bool disposition_is_same(const struct disposition *a, const struct disposition *b)
{
	return !memcmp(a, b, sizeof *a);
}

disposition_function *disposition_handler(const struct disposition *d)
{
	return d->kernel.handler;
}

void disposition_reset(struct disposition *d)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };

	d->kernel.handler = action.sa_sigaction;
}

struct sigaction disposition_action(const struct disposition *d)
{
	struct sigaction action = {
		.sa_sigaction = d->kernel.handler,
		.sa_flags = (int)d->kernel.flags,
	};

	sigemptyset(&action.sa_mask);
	memcpy(&action.sa_mask, d->kernel.mask, KERNEL_SIGSET_SIZE);
	return action;
}
