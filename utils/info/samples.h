/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* cpucycles-info --samples: what was measured, one row each, for programs that draw charts. */

#ifndef CPUCYCLES_INFO_SAMPLES_H
#define CPUCYCLES_INFO_SAMPLES_H

#include "inspect.h"

#include <stdbool.h>

/* How long somebody may let it measure. */
#define SAMPLES_SECONDS_MAX 3600

/* For messages. */
#define SAMPLES_KINDS "noise, skew, drift or frequency"

/* Whether there is such a kind of samples. */
bool samples_is_kind(const char *kind);

/*
 * Print the samples of this kind. seconds: how long to measure; 0: the default. After
 * inspect_cache, and after inspect_probe where no cache is in use. False: not all could be printed;
 * an error line says why if the reason is not standard output.
 */
bool samples_print(const char *kind, unsigned seconds, const struct inspection *inspection);

#endif
