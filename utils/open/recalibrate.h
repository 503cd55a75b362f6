/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Runs the calibrator: now that knobs have changed, other counters may be the best. */

#ifndef CPUCYCLES_RECALIBRATE_H
#define CPUCYCLES_RECALIBRATE_H

#include "opening.h"

/* path: of the calibrator. OPENING_OK, or OPENING_NOT_CALIBRATED when a line says why. */
enum opening_status recalibrate(const char *path);

#endif
