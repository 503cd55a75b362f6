/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The list of all drivers of harnesses. Pure. */

#ifndef CPUCYCLES_MEASURE_DRIVERS_H
#define CPUCYCLES_MEASURE_DRIVERS_H

#include "driver.h"

/* The driver with this name. NULL: there is none. */
const struct driver *driver_find(const char *name);

/* All names, for a sentence. */
extern const char driver_names[];

#endif
