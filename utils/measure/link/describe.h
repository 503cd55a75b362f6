/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which parameters a function has, by the debug information of its file, or else by its name, if it
 * is one of C++. */

#ifndef CPUCYCLES_MEASURE_DESCRIBE_H
#define CPUCYCLES_MEASURE_DESCRIBE_H

#include "files/target.h"

/*
 * Fill in target->signature from the target's function in this object or shared object, and see
 * whether the function can be called as the target says. path: NULL: it is not known. harness: the
 * path of measure-harness.o, next to which measure-prototype lies. If that does not run, a line
 * says so, and nothing is known of the function. 0, or -EPROTOTYPE with target->reason: it cannot
 * be called so.
 */
int describe_target(const char *path, const char *harness, struct target *target);

/* Whether the name of a listed function says that it has parameters. 0: that is open. -EPROTOTYPE
 * with target->reason. */
int describe_by_name(struct target *target);

#endif
