/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Thread-local storage that a signal handler may be the first to touch. */

#ifndef CPUCYCLES_TLS_H
#define CPUCYCLES_TLS_H

#include <limits.h> /* says which libc this is */

/* TLS_MODEL marks thread-local variables that a signal handler may use. If the library is loaded by
 * dlopen(3), glibc allocates thread-local variables of the default model at their first use, which
 * a signal handler must not do. With initial-exec they are allocated at the load. musl never
 * allocates later. */
#if defined(__GLIBC__)
#define TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define TLS_MODEL
#endif

#endif
