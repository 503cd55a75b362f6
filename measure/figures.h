/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The figures of functions as a table, warnings and sentences. Pure, but for the file that they are
 * written to. */

#ifndef CPUCYCLES_FIGURES_H
#define CPUCYCLES_FIGURES_H

#include "measured.h"
#include "table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Room for a sentence on one function. */
#define FIGURES_SENTENCE 1024

/* What stands in the place of functions and calls, where each process is a run of a program. */
struct figures_words {
	const char *one;          /* "command" */
	const char *time, *other; /* "CPU time" is judged, and "wall time" is the other one */
	bool wall;                /* or the other way around */
};

/* One function: a row of the table, and a sentence. */
struct figures_function {
	const struct figures_words *words; /* NULL: it is a function */
	const char *name;
	bool sized;          /* the function has an argument of a size, which may be 0 */
	size_t size;         /* of the argument; above 0 without `sized`, too */
	const char *reason;  /* why it has no figures; NULL: it has */
	const char *caution; /* for its note; NULL: none */
	const struct measured *measured; /* NULL if there is a reason */
	double resolution;               /* less than this in a sample is not known, in units */
	double ns_per_unit;              /* not a number: unknown */
	double ns_error;                 /* of it, as a part of 1 */
	size_t bytes;                    /* that one call handles; 0: not known */
	const double *events;            /* per call, by number; not a number: it was not counted */
	size_t runs;                     /* that may have a warning */
	bool linked;    /* for each process anew; so the verdict is about the code, not its place */
	size_t layouts; /* that the verdict is made from */
	char sentence[FIGURES_SENTENCE]; /* on the verdict, or why there is none; "": nothing */
};

static inline bool figures_has_size(const struct figures_function *function)
{
	return function->sized || function->size > 0;
}

/* What there may be to say of a function next to its figures. */
enum figures_note {
	FIGURES_NOTE_REASON, /* why it has none */
	FIGURES_NOTE_CALLS,  /* what a sample is */
	FIGURES_NOTE_TYPE,
	FIGURES_NOTE_CYCLES, /* why it has no core cycles */
	FIGURES_NOTES
};

/* "": there is nothing to say. */
const char *figures_note(const struct figures_function *function, enum figures_note note,
			 char text[TABLE_CELL]);

/* What could not be had: the counter that is needed, or an event. */
struct figures_lack {
	const char *what;
	const struct reason_text *reason;
};

struct figures_event {
	const char *name;
	size_t number; /* in figures_function.events */
};

/* What is known of the machine besides. */
struct figures_machine {
	double load; /* programs that want to run; 0: few, or not known */
	long cpus;
	bool governed;       /* the system sets the frequency of the core */
	size_t slow;         /* processes that are left out, because the core was too slow */
	const char *details; /* the option that prints all warnings; NULL: there is none */
};

struct figures {
	const struct figures_words *words; /* NULL: these are functions */
	const char *counter;               /* NULL: not known */
	double resolution;                 /* of the counter, in units */
	const char *unit;
	const struct figures_function *functions; /* in the order of their rows */
	size_t count;
	const struct figures_event *events; /* the events that have a column */
	size_t events_count;
	const struct figures_lack *lacks;
	size_t lacks_count;
	struct figures_machine machine;
	const char *ending; /* a sentence after the table; NULL: none */
	bool colour;
	/* Prints another table; NULL: figures_table() prints it. each: functions of each size, for
	 * such a table. */
	void (*table)(const struct figures *figures, enum table_form form, FILE *to);
	size_t each;
};

/* A figure that is shown, and half of its interval; 0: not known. */
struct figures_value {
	double value, half;
};

/* Of a call: core cycles, units of the counter and nanoseconds. A value that is not a number: not
 * known. */
struct figures_value figures_cycles(const struct figures_function *function);
struct figures_value figures_units(const struct figures_function *function);
struct figures_value figures_ns(const struct figures_function *function);

/* Whether the ratio of a comparison lies within what the intervals of the two figures in the table
 * allow. True also where something of that is unknown. */
bool figures_agree(const struct figures_function *first, const struct figures_function *function);

/* A number for programs: of the function, or of its verdict. A count is a whole number. */
struct figures_field {
	const char *csv, *json; /* its names there; NULL: it is not there */
	double value;           /* not finite: not known */
	enum { FIGURES_FUNCTION, FIGURES_VERDICT, FIGURES_COUNT } kind;
};

/* All of a function that was measured, in the order of JSON. CSV has an order of its own. */
#define FIGURES_FIELDS 32
void figures_fields(const struct figures_function *function,
		    struct figures_field fields[FIGURES_FIELDS]);

/* The decimals of a figure are chosen by half of its interval: one or two digits of that are shown.
 * Without an interval, a figure has four digits. */
#define FIGURES_NUMBER 40
const char *figures_number(double value, double half, char text[FIGURES_NUMBER]);

/* A time with its unit, from nanoseconds. */
const char *figures_time(double ns, double half, char text[FIGURES_NUMBER]);

/* The unit of a time: its name, and how many nanoseconds it has. */
struct figures_time_unit {
	const char *name;
	double ns;
};
struct figures_time_unit figures_time_unit(double ns);

/* A figure with half of its interval: "2193.6 ± 1.2". The half takes `width` columns at least. */
#define FIGURES_INTERVAL (2 * FIGURES_NUMBER + 8)
const char *figures_interval(struct figures_value figure, enum table_form form, int width,
			     char text[FIGURES_INTERVAL]);

/* How many columns the half takes. */
int figures_half_width(struct figures_value figure);

/* A part of 1 in percent, with two digits, or with three if the first is a 1. */
const char *figures_percent(double part, char text[FIGURES_NUMBER]);

/* What is not known, for people. */
#define FIGURES_UNKNOWN "-"

/* Where core cycles come from, or why there are none, in a word: CPUCYCLES_CYCLES_... */
const char *figures_cycles_word(int from);

/* Why there are none, as a sentence without a period. "": there are some, or it is not known. */
const char *figures_cycles_reason(int from);

/* Whether the core cycles of a function are known. */
bool figures_has_cycles(const struct figures *figures);

/* Why no function has core cycles, if all have the same reason. Otherwise CPUCYCLES_CYCLES_NONE. */
int figures_no_cycles(const struct figures *figures);

/* How fast the core ran in the slowest process and in the fastest. False: not known. */
bool figures_frequency(const struct measured *measured, double ns_per_unit, double ghz[2]);

/* The same of the slowest function and of the fastest. */
bool figures_core_range(const struct figures *figures, double ghz[2]);

/* Two frequencies as a range, or as one number if they are equal in the digits shown. */
#define FIGURES_GHZ (2 * FIGURES_NUMBER + 16)
const char *figures_ghz(const double ghz[2], char text[FIGURES_GHZ]);

/* The sign before half of an interval, in UTF-8 where that is shown. */
const char *figures_plus_minus(enum table_form form);

/* How the machine affects the figures. False: not so that it counts. */
bool figures_machine(const struct figures *figures, char text[FIGURES_SENTENCE]);

/* All of it: the counter, the table, a line on the machine, the most important warning that counts
 * of each function, where functions with the same one share a line, and the sentences. In CSV,
 * which is for programs, there is the table alone: it has more columns, no units in its cells, and
 * ten digits. 0 or -ENOMEM. */
int figures_print(const struct figures *figures, enum table_form form, FILE *to);

/* A warning for each lack alone. 0 or -ENOMEM. */
int figures_lacks(const struct figures *figures, enum table_form form, FILE *to);

/* The table alone. */
void figures_table(const struct figures *figures, enum table_form form, FILE *to);

/* Make the row's sentence from its verdict. scope: how far the verdict reaches, with what stands
 * before it. base: what it was made from, such as ", in 10 processes". advice: a sentence on what
 * it would take to tell, or on what the verdict does not show; "": there is none. */
void figures_sentence(struct figures_function *function, const struct figures_function *first,
		      const char *scope, const char *base, const char *advice);

/* Make the sentence of a first function without figures. */
void figures_missed(struct figures_function *function);

#endif
