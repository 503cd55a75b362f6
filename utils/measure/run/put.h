/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Writes a file that an option asks for, and puts it in its place. A disk may delay that, so a
 * process of its own does it, and a second Ctrl-C ends it. */

#ifndef CPUCYCLES_MEASURE_PUT_H
#define CPUCYCLES_MEASURE_PUT_H

#include "raw.h"

#include <stdbool.h>
#include <stdio.h>

/* What an error of the file of this option means. It is printed on standard error. */
enum outcome_status put_status(const char *option, const struct raw *raw, int error);

/* Write this at the end of the file. An error stays in raw->error. */
void put_part(struct raw *raw, void (*write)(const void *, FILE *), const void *argument);

/* Write this at the end of the file, put the file in its place, and close it. measured: there is
 * something to write; otherwise nothing is put there. interrupted: do not wait for the disk. */
enum outcome_status put_end(const char *option, struct raw *raw, bool measured, bool interrupted,
			    void (*write)(const void *, FILE *), const void *argument);

#endif
