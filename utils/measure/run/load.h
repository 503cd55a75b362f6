/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The functions of shared objects. */

#ifndef CPUCYCLES_MEASURE_LOAD_H
#define CPUCYCLES_MEASURE_LOAD_H

#include "child.h"

/* Loads the targets' files: what child_work() takes. */
child_load load_targets;

#endif
