/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Programs in processes of their own, whose standard output is read. */

#ifndef CPUCYCLES_BENCH_CHILD_H
#define CPUCYCLES_BENCH_CHILD_H

#include <stdio.h>
#include <sys/types.h>

/* Start a program, and give what it writes. NULL, with errno: there is no pipe or no process. */
FILE *child_start(const char *const words[], pid_t *child);

/* Wait for the program's end. Its status, as waitpid(2) gives it. */
int child_finish(FILE *from, pid_t child);

/* Keep all CPUs busy until this process ends. */
void child_keep_busy(void);

#endif
