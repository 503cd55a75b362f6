/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is wrong with what a person wrote for the library, in one sentence. For the calibrator's log
 * and the tools; the library does not need it. It calls no counter, so that cpucycles-measure can
 * have it, too. What is quoted is cut short, and has no characters that could steer a terminal. */

#ifndef CPUCYCLES_COMPLAIN_H
#define CPUCYCLES_COMPLAIN_H

#include "persecond.h"

#define COMPLAIN_SIZE 1024

/* Why the persecond file gives no number, as persecond_look found it. Empty if that is not so. */
void complain_of_file(const char *path, const struct persecond_file *file, const char *text,
		      char sentence[COMPLAIN_SIZE]);

/* The same for a value of the environment variable CPUCYCLES_COUNTER or cpucyclespersecond. value:
 * NULL or empty if it is not set. Pure. */
void complain_of_counter(const char *value, char sentence[COMPLAIN_SIZE]);
void complain_of_persecond(const char *value, char sentence[COMPLAIN_SIZE]);

/* Say what is wrong with both variables of this process. The library, which ignores them, prints
 * nothing itself. */
void complain_of_environment(void (*say)(const char *sentence));

#endif
