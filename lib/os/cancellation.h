/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The calling thread's cancellation state. On a system without cancellation, nothing is done. */

#ifndef CPUCYCLES_CANCELLATION_H
#define CPUCYCLES_CANCELLATION_H

#include <pthread.h>

#ifdef HAVE_PTHREAD_SETCANCELSTATE
static inline void cancellation_disable(int *old)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, old);
}

static inline void cancellation_restore(int old)
{
	pthread_setcancelstate(old, NULL);
}
#else
static inline void cancellation_disable(int *old)
{
	*old = 0;
}

static inline void cancellation_restore(int old)
{
	(void)old;
}
#endif

#endif
