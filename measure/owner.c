/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "owner.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* A number for each thread that has owned something. The thread's id, or the address of a variable,
 * may be that of a later thread as well. */
static _Thread_local unsigned long this_thread;
static atomic_ulong threads;

static unsigned long number_thread(void)
{
	if (this_thread == 0)
		this_thread = atomic_fetch_add(&threads, 1) + 1;
	return this_thread;
}

/* Have the page cleared in each child of fork. False: it may not be. Sources: madvise(2),
 * MADV_WIPEONFORK, since Linux 4.14; minherit(2) of FreeBSD, NetBSD and OpenBSD. */
static bool wipe_on_fork(void *page, size_t size)
{
#if HAVE_DECL_MADV_WIPEONFORK
	/* Early versions of qemu-user accept any advice, and follow none. */
	return madvise(page, size, -1) && !madvise(page, size, MADV_WIPEONFORK);
#elif HAVE_DECL_INHERIT_ZERO
	return !minherit(page, size, INHERIT_ZERO);
#elif HAVE_DECL_MAP_INHERIT_ZERO
	return !minherit(page, size, MAP_INHERIT_ZERO);
#else
	(void)page;
	(void)size;
	return false;
#endif
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void owner_begin(struct owner *owner)
{
	void *const page =
		mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*owner = (struct owner){ .thread = number_thread(), .process = getpid() };
	if (page == MAP_FAILED)
		return;
	if (!wipe_on_fork(page, page_size())) {
		munmap(page, page_size());
		return;
	}
	owner->page = page;
	*owner->page = 1;
}

bool owner_is_process(const struct owner *owner)
{
	return owner->page ? *owner->page == 1 : owner->process == getpid();
}

bool owner_is_caller(const struct owner *owner)
{
	return owner->thread == this_thread && owner_is_process(owner);
}

void owner_end(struct owner *owner)
{
	if (owner->page)
		munmap((void *)(size_t)owner->page, page_size());
	owner->page = NULL;
}
