/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_TLS_H
#define CPUCYCLES_TLS_H

#include <limits.h> /* says which libc this is */

/* In a library that is loaded late, glibc would allocate other thread-local storage
 * at the first read, which a signal handler may make. musl never does. */
#if defined(__GLIBC__)
#define TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define TLS_MODEL
#endif

#endif
