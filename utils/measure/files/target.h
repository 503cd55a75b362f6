/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is measured, as the command line names it: FILE:FUNCTION, a command or a benchmark. Pure.
 */

#ifndef CPUCYCLES_MEASURE_TARGET_H
#define CPUCYCLES_MEASURE_TARGET_H

#include "reason.h"
#include "signature.h"

#include <stdbool.h>
#include <stddef.h>

/* What became of the function. */
enum target_state {
	TARGET_MEASURED,
	TARGET_TOO_FAST,
	TARGET_CRASHED, /* a signal ended the process, or the function itself did */
	TARGET_HUNG,    /* it took longer than --timeout */
	TARGET_NOT_LINKED,
	TARGET_FAILED,    /* a run of a program has */
	TARGET_PARAMETERS /* it has others than those that it would be called with */
};

struct target {
	const char *argument; /* FILE:FUNCTION, or the text of a command or a benchmark */
	char *library, *function;
	/* The linker's name for the function while it is linked, if that is not the name given:
	 * C++ mangles names. NULL: it is. */
	const char *symbol;
	/* The name was found in a file, and not asked for. If it is one of C++, it is demangled,
	 * and the function is called only if it is known to have no parameters. */
	bool listed;
	char *stem;         /* what the names of its helpers begin with: f for ns::f<1>() */
	const char *object; /* what the library, a source text, was compiled into; NULL: not yet */
	char *setup, *before, *input; /* the stem with _setup, _before or _input after it */
	/* The argument; " (2)" and so on is appended if there is an equal one before. That is the
	 * name for programs, and in messages. */
	char *label;
	const char *shown; /* the name for people: the label, perhaps without its file */
	bool sized;        /* the function has an argument, which is size */
	size_t size;
	bool leak;    /* the function gets an input, and is tested for leaks */
	size_t bytes; /* that one call handles; 0: not known */
	size_t side;  /* its number among the functions that are linked */
	struct signature signature;
	enum target_state state;
	struct reason_text reason; /* for all states but TARGET_MEASURED */
};

/* "measured", "too fast", "crashed", "hung", "not linked", "failed" or "other type". */
const char *target_state_name(enum target_state state);

/* Fill in target number i of the array from the argument. 0; -EINVAL: the argument is not
 * FILE:FUNCTION; -ENOMEM. A library's path may have colons: the last one counts that is not one
 * of two, as in ns::f. */
int target_parse(const char *argument, struct target targets[], size_t i);

/* Fill in target number i, which is no function but a run of this program. argument: its text on
 * the command line. 0 or -ENOMEM. */
int target_name(struct target targets[], size_t i, const char *argument, const char *program,
		const char *name);

/* If all n targets have the same file, show their names without it. */
void target_shorten(struct target targets[], size_t n);

/* Tell it from the same function that is compiled with other flags, by its label. 0 or -ENOMEM. */
int target_add_flags(struct target *target, const char *flags);

/* The function's name for the linker. */
const char *target_symbol(const struct target *target);

void target_free(struct target targets[], size_t n);

/* The parameters of the function, as C has them. */
const char *target_argument(const struct target *target);

#endif
