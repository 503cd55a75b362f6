/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the files of bench/verdicts share. */

#ifndef CPUCYCLES_BENCH_VERDICTS_H
#define CPUCYCLES_BENCH_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>

#define VERDICTS_WHY 200

/* The first word of this program's arguments if it shall make one comparison and print its answer.
 * The first function, the second one, the milliseconds and the seed follow. */
#define VERDICTS_ONE "--one"

/* Who compares. */
enum means {
	BY_LIBRARY,
	BY_TOOL,
	BY_LINKING,
	BY_GATE,
	BY_ADVICE, /* by linking, and again in the time that the tool advises */
	BY_GOOGLE,
	BY_GOOGLE_INTERLEAVED
};

/* Two functions of alike.h or real.h, by name. */
struct comparison {
	enum means means;
	char first[24], second[24];
	const char *files[2]; /* of the tool: where the functions are */
	const char *within;   /* of the tool: the same within this part; NULL: not given */
	double seconds;       /* of the tool: its time; 0: its default */
	unsigned budget_ms;   /* BY_LIBRARY only; the others have their own limits */
	unsigned seed;        /* of the order of the calls */
};

/* What is said of the second function. An alarm of a gate is SLOWER, and all else that a gate says
 * is CANNOT_TELL. */
enum answer {
	CANNOT_TELL,
	FASTER,
	SLOWER,
	SAME,
	/* Of BY_ADVICE: what the advised layouts and time are. */
	GOOD_ADVICE,
	TOO_LITTLE, /* a verdict takes more than twice as many, or as long */
	TOO_MUCH,   /* it takes less than half */
	NO_ADVICE,  /* there was a verdict at once, or no time was advised, or too long a one */
	TOO_FAST,
	FAILED
};

/* Compare in a fresh process, so that all addresses and physical pages are drawn anew. program is
 * this program; the others lie at known places relative to it. why: the reason of TOO_FAST and of
 * FAILED, and the end of the tool's sentence for other answers. */
enum answer verdicts_ask(const char *program, const struct comparison *comparison,
			 char why[VERDICTS_WHY]);

/* The same of BY_ADVICE, with a process for each of its comparisons. */
enum answer verdicts_advice(const char *program, const struct comparison *comparison,
			    char why[VERDICTS_WHY]);

/* The fresh process of BY_LIBRARY: compare, and print the answer. words follow VERDICTS_ONE.
 * Returns the exit status. */
int verdicts_one(char *const words[4]);

/* What is compared, and which answers are right. */
enum subject {
	SAME_CODE, /* no verdict is right, and each is wrong */
	DIFFERENT_CODE,
	SAME_WITHIN, /* the same code, which shall be told to be the same */
	ADVICE       /* about so much time is right: see enum answer */
};

/* The counts of one row. */
struct outcome {
	const char *name;
	enum subject subject;
	int goal;                               /* in percent; 0: none. See struct row. */
	bool timed;                             /* the time of a comparison matters */
	double seconds_median, seconds_longest; /* 0: not known */
	long tries, faster, slower, right, wrong, too_fast;
	long too_little, too_much; /* of the wrong ones */
	long left_out;             /* no advice; none of the tries */
	char why[VERDICTS_WHY];    /* of the last one that was too fast */
};

void report_row(const struct outcome *outcome);
void report_not_measured(const struct outcome *outcome, const char *why);

/* False: not written. A message has said why. */
bool report_json(const char *path, const struct outcome outcomes[], int n, bool busy, long seed);

#endif
