/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What helgrind and drd, tools of valgrind, have to be told: they know neither atomic objects nor
 * the library's lock. lib/cpucycles.supp has the rest. Without these tools, each function is a few
 * instructions that do nothing.
 */

#ifndef CPUCYCLES_CHECKERS_H
#define CPUCYCLES_CHECKERS_H

#include <stddef.h>

#if defined(HAVE_VALGRIND_DRD_H) && defined(HAVE_VALGRIND_HELGRIND_H)
#include <valgrind/drd.h>
#include <valgrind/helgrind.h>
#define CHECKERS_TELL(request, object, size) \
	VALGRIND_DO_CLIENT_REQUEST_STMT(request, object, size, 0, 0, 0)
#else
#define CHECKERS_TELL(request, object, size) ((void)0)
#endif

/* Threads read and write the object in any order on purpose. */
static inline void checkers_allow(const volatile void *object, size_t size)
{
	(void)object, (void)size; /* on an architecture that valgrind does not know */
	CHECKERS_TELL(_VG_USERREQ__HG_ARANGE_MAKE_UNTRACKED, object, size);
	CHECKERS_TELL(VG_USERREQ__DRD_START_SUPPRESSION, object, size);
}

/* What this thread has done happens before what a later owner of the lock will do. */
static inline void checkers_release(const void *lock)
{
	(void)lock;
	CHECKERS_TELL(_VG_USERREQ__HG_USERSO_SEND_PRE, lock, 0);
	CHECKERS_TELL(VG_USERREQ__DRD_ANNOTATE_HAPPENS_BEFORE, lock, 0);
}

static inline void checkers_acquire(const void *lock)
{
	(void)lock;
	CHECKERS_TELL(_VG_USERREQ__HG_USERSO_RECV_POST, lock, 0);
	CHECKERS_TELL(VG_USERREQ__DRD_ANNOTATE_HAPPENS_AFTER, lock, 0);
}

#endif
