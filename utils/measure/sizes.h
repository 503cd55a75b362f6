/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Sizes on the command line. Pure. */

#ifndef CPUCYCLES_MEASURE_SIZES_H
#define CPUCYCLES_MEASURE_SIZES_H

#include <stddef.h>

/* Each of them takes many processes. */
#define SIZES_MOST 100

struct sizes {
	size_t list[SIZES_MOST];
	size_t n;
};

/* A whole number, which may have K, M or G after it: 1024 and its powers. 0; -EINVAL: it is none;
 * -ERANGE: it is too large for a size. */
int sizes_number(const char *text, size_t *number);

/*
 * Sizes with commas between them. FROM..TO*FACTOR stands for FROM, FROM times FACTOR and so on, and
 * FROM..TO+STEP for FROM, FROM plus STEP and so on, up to TO. 0; -EINVAL: the text makes no sense;
 * -ERANGE: a number is too large for a size; -E2BIG: there are more than SIZES_MOST.
 */
int sizes_parse(const char *text, struct sizes *sizes);

#endif
