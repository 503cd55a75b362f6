/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The figures of functions as a table, warnings and sentences. Pure, but for the file that they are
 * written to. */

#ifndef CPUCYCLES_FIGURES_H
#define CPUCYCLES_FIGURES_H

#include "judge.h"
#include "table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How one function compares with the first one. */
struct figures_verdict {
	const char *first;
	enum verdict_kind kind;
	double ratio, low, high; /* its time by that of the first */
	/* The same of the means of all samples but the longest 5 %; not a number: not known. */
	double trimmed;
	double within; /* what is asked for: the same within this part of 1; 0: nothing is */
	bool inside;   /* the difference is less than that */
	/* The functions were linked anew for each process. So the verdict is about their code, and
	 * not about the place where it lies. */
	bool linked;
	double placement;      /* how far one process's value is from the centre, as a part of 1 */
	size_t units, layouts; /* it is made from so many; layouts: 0 unless linked anew */
	const char *scope;     /* how far a verdict reaches, with what stands before it */
	const char *base;      /* what it was made from, such as ", in 10 processes" */
	const char *advice;    /* a sentence on what it would take to tell */
	const char *note;      /* a sentence on what a verdict does not show; NULL: there is none */
};

/* What is known of one function. */
struct figures_function {
	const char *name;
	bool sized;         /* the function has an argument of a size, which may be 0 */
	size_t size;        /* of the argument; above 0 without `sized`, too */
	size_t group;       /* each one is compared with the first of its group */
	const char *reason; /* why it has no figures; NULL: it has */
	const struct cpucycles_result *result;
	double low, high;   /* the interval of result->iqm; infinite: not known */
	double step;        /* less than this in a sample is not known, in units */
	double ns_per_unit; /* not a number: nobody knows */
	double ns_error;    /* of it, as a part of 1 */
	/* How far its mean in one layout is from that in all, as a part of 1. What else differs
	 * from process to process is in this, too, such as the frequency of the core. 0: it lay at
	 * the same place in all processes. */
	double by_layout;
	bool renewed;         /* its input is made anew before each call */
	size_t bytes;         /* that one call handles; 0: not known */
	const double *events; /* per call; not a number: it was not counted */
	const struct judge_warnings *warnings;
	size_t runs;                           /* that may have a warning */
	const struct figures_verdict *verdict; /* NULL: it is compared with none */
};

static inline bool figures_has_size(const struct figures_function *function)
{
	return function->sized || function->size > 0;
}

/* What could not be had: the counter that is needed, or an event. */
struct figures_lack {
	const char *what;
	const struct cpucycles_reason *reason;
};

struct figures {
	const char *counter; /* NULL: not known */
	double step;         /* of the counter, in units */
	const char *unit;
	const struct figures_function *functions; /* those of one group behind one another */
	size_t count;
	const char *const *events; /* the names of their columns */
	size_t events_count;
	const struct figures_lack *lacks;
	size_t lacks_count;
	const char *ending; /* a sentence behind the table; NULL: none */
	bool colour;
};

/* The decimals of a figure are chosen by half of its interval: one or two digits of that are shown.
 * Without an interval, a figure has four digits. */
#define FIGURES_NUMBER 40
const char *figures_number(double value, double half, char text[FIGURES_NUMBER]);

/* A time with its unit, from nanoseconds. */
const char *figures_time(double ns, double half, char text[FIGURES_NUMBER]);

/* A part of 1 in percent, with two digits, or with three if the first is a 1. */
const char *figures_percent(double part, char text[FIGURES_NUMBER]);

/* What is not known, for people. */
#define FIGURES_UNKNOWN "-"

/* All of it: the counter, the table, the warnings, where functions with the same one share a line,
 * and the sentences. In CSV, which is for programs, there is the table alone: it has more columns,
 * no units in its cells, and ten digits. 0 or -ENOMEM. */
int figures_print(const struct figures *figures, enum table_form form, FILE *to);

/* The table alone. 0 or -ENOMEM. */
int figures_table(const struct figures *figures, enum table_form form, FILE *to);

/* The sentence on one function. */
#define FIGURES_SENTENCE 1024
void figures_sentence(const struct figures_function *function, char text[FIGURES_SENTENCE]);

/* The sentence on a first function without figures. size: as above. */
void figures_missed(const char *name, size_t size, char text[FIGURES_SENTENCE]);

#endif
