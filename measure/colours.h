/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a terminal obeys. Pure. */

#ifndef CPUCYCLES_COLOURS_H
#define CPUCYCLES_COLOURS_H

#define GREEN "\033[32m"
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define NO_COLOUR "\033[m"

#endif
