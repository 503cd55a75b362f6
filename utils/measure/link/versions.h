/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Symbol versions, which .symver gives to names of an object file. */

#ifndef CPUCYCLES_MEASURE_VERSIONS_H
#define CPUCYCLES_MEASURE_VERSIONS_H

#include "reason.h"
#include "tools.h"

#include <stddef.h>

/*
 * A linker that makes a program takes name@@V, the default version, for what needs name. A linker
 * that makes one object of many does not. So if the object file or archive has such names, *path
 * becomes the path of a copy in which name@@V is called name. The copy is number i of this kind. 0
 * or a negative errno with *reason.
 */
int versions_drop(struct tools *tools, char **path, const char *kind, size_t i,
		  struct reason_text *reason);

#endif
