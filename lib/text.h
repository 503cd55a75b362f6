/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Words in short texts. By hand, because libc's functions, made for long ones, are more code
 * that a first call has to wait for than they save. Pure. */

#ifndef CPUCYCLES_TEXT_H
#define CPUCYCLES_TEXT_H

#include <stdbool.h>

/* Behind these words, if the text begins with them; else NULL. */
const char *text_skip(const char *text, const char *words);

bool text_is(const char *text, const char *words);

#endif
