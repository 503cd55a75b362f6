/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Comparing words with short texts. Not by libc's functions: they are made for long texts, and
 * loading their code would cost a first call more than they save. Pure. */

#ifndef CPUCYCLES_TEXT_H
#define CPUCYCLES_TEXT_H

#include <stdbool.h>

/* The rest of the text after these words. NULL if the text does not begin with them. */
const char *text_skip(const char *text, const char *words);

/* Whether the text is exactly these words. */
bool text_is(const char *text, const char *words);

#endif
