/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the files of bench/leaks share. */

#ifndef CPUCYCLES_BENCH_LEAKS_H
#define CPUCYCLES_BENCH_LEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEAKS_WHY 200

/* The first word of this program's arguments if it shall test one function and print the answer.
 * The numbers of the struct leaks_test follow. */
#define LEAKS_ONE "--one"
#define LEAKS_ONE_WORDS 5

/* The longest input, in bytes. */
#define LEAKS_BYTES 1024

/* What is known of a function. */
enum leaks_kind {
	LEAKS_POWER, /* group 1 takes longer by so many cycles */
	LEAKS_LEAKY, /* the time depends on the input */
	LEAKS_SAFE   /* it does not */
};

/* A function, and its inputs. */
struct leaks_subject {
	const char *name;
	enum leaks_kind kind;
	void (*call)(const unsigned char *input, void *unused);
	size_t bytes; /* of an input */
	/* The input of group 0. NULL: one that is drawn at the beginning. */
	void (*fixed)(unsigned char *input);
	/* An input of group 1. NULL: random bytes. */
	void (*drawn)(unsigned char *input, uint64_t *state);
};

#define LEAKS_SUBJECTS 19
extern const struct leaks_subject leaks_subjects[LEAKS_SUBJECTS];

/* Which inputs the groups have. */
enum leaks_inputs {
	LEAKS_OWN,        /* each group its own */
	LEAKS_SAME_FIXED, /* both groups that of group 0 */
	LEAKS_SAME_DRAWN  /* both groups one of group 0 or of group 1, by a coin for each call */
};

/* One test of one function. */
struct leaks_test {
	size_t subject; /* its number in leaks_subjects */
	enum leaks_inputs inputs;
	unsigned budget_ms;
	unsigned long seed;
	bool whole; /* go on after a verdict, up to the end of the budget */
};

enum leaks_verdict { CANNOT_TELL, LEAKS, NONE_ABOVE, NO_CONTROL };

struct leaks_answer {
	enum leaks_verdict verdict;
	bool all;       /* the t tests have seen the times of all calls, not a part of them */
	double raw;     /* t of Welch's test on all times */
	double cropped; /* the most surprising t of all crops and of the raw one */
	double shift;   /* the difference at the median, in units of the counter */
	double seconds; /* how long it took */
	uint64_t calls; /* of both groups */
};

/* Test in a fresh process, so that all addresses are drawn anew, and a crash does not matter.
 * program is this program. False: there is no answer, and why says the reason. */
bool leaks_ask(const char *program, const struct leaks_test *test, struct leaks_answer *answer,
	       char why[LEAKS_WHY]);

/* The fresh process: test, and print the answer. words follow LEAKS_ONE. Returns the exit status.
 */
int leaks_one(char *const words[LEAKS_ONE_WORDS]);

/* Print which counter measures. False: there is none. A message has said why. */
bool leaks_print_counter(void);

/* The counts of one row. */
struct leaks_outcome {
	const char *name;
	bool same;            /* both groups have the same inputs */
	enum leaks_kind kind; /* if not */
	long tests, answers[NO_CONTROL + 1];
	long raw, cropped; /* how often these t tests say "leaks" */
	long parts;        /* how often they saw a part of the times only */
	double *shifts, *seconds;
};

void leaks_report(const struct leaks_outcome *outcome);

/* The functions, in files of their own, so that a compiler does not see what is called. */

/* leaks-known.c: chains of a known length. */
void known_two_more(const unsigned char *input, void *unused);
void known_rare(const unsigned char *input, void *unused);
void known_two_more_drawn(unsigned char *input, uint64_t *state);
void known_rare_drawn(unsigned char *input, uint64_t *state);
void known_zero(unsigned char *input);

/* leaks-leaky.c */
void leaky_prepare(void);
void leaky_compare(const unsigned char *input, void *unused);
void leaky_bit(const unsigned char *input, void *unused);
void leaky_power(const unsigned char *input, void *unused);
void leaky_lookup(const unsigned char *input, void *unused);
void leaky_divide(const unsigned char *input, void *unused);
void leaky_padding(const unsigned char *input, void *unused);
void leaky_count(const unsigned char *input, void *unused);
void leaky_subnormal(const unsigned char *input, void *unused);
void leaky_divide_fixed(unsigned char *input);
void leaky_padding_fixed(unsigned char *input);
void leaky_subnormal_fixed(unsigned char *input);
void leaky_subnormal_drawn(unsigned char *input, uint64_t *state);

/* What both compares know. */
#define SECRET_BYTES 32
extern const unsigned char leaks_secret[SECRET_BYTES];
void leaks_secret_fixed(unsigned char *input);

/* leaks-safe.c */
void safe_compare(const unsigned char *input, void *unused);
void safe_select(const unsigned char *input, void *unused);
void safe_sbox(const unsigned char *input, void *unused);
void safe_scan(const unsigned char *input, void *unused);
void safe_ladder(const unsigned char *input, void *unused);
void safe_copy(const unsigned char *input, void *unused);

/* leaks-ciphers.c */
void safe_chacha20(const unsigned char *input, void *unused);
void safe_poly1305(const unsigned char *input, void *unused);
void safe_multiply(const unsigned char *input, void *unused);

/* Powers modulo this prime, for both ways to raise to a power. */
#define LEAKS_PRIME 0x7fffffffu

/* Whether the functions compute what standards and the other functions say. Else, the name of what
 * does not. */
const char *leaks_check_safe(void);
const char *leaks_check_ciphers(void);

/* The function that a compiler cannot see through: it must think that any value may come out. So it
 * makes no branch of a mask. */
static inline uint32_t leaks_hide(uint32_t value)
{
#if defined(__GNUC__)
	__asm__("" : "+r"(value));
#else
	volatile uint32_t hidden = value;

	value = hidden;
#endif
	return value;
}

#endif
