/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Runs another program, without a shell. */

#ifndef CPUCYCLES_MEASURE_COMMAND_H
#define CPUCYCLES_MEASURE_COMMAND_H

#include "files/words.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the output that are kept. */
#define COMMAND_OUTPUT 32768

struct command {
	int status;    /* of its exit; 128 and the number of the signal that ended it */
	bool cut;      /* there was more output */
	size_t length; /* of the output */
	char output[COMMAND_OUTPUT + 1]; /* and standard error; a text, up to a zero byte */
};

/*
 * Run it with no input, messages in English, and temporary files in this folder. answer: its output
 * is what it prints on standard output only. 0: it has ended, whatever its status. -ENOENT: there
 * is no such program. -ETIMEDOUT: it took longer. -EINTR: a signal has asked this program to end
 * (signals_asked). Then it has been ended with all that it had started. So has that been if a
 * signal ended it. Or another negative errno.
 */
int command_run(const struct words *words, const char *folder, unsigned seconds, bool answer,
		struct command *command);

/* Print what a program has printed on standard error. Control characters become question marks.
 * After its bytes comes a zero. */
void command_put(const char *output, size_t length);

/* Print its output so. */
void command_show(const struct command *command);

#endif
