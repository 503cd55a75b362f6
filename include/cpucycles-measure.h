/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Measures functions, compares them and tests them for leaks: see cpucycles-measure(3). */

#ifndef CPUCYCLES_MEASURE_H
#define CPUCYCLES_MEASURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The version, as in cpucycles.h. */
#define CPUCYCLES_VERSION_MAJOR 1
#define CPUCYCLES_VERSION_MINOR 0

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A meter measures how many cycles, ticks or nanoseconds functions take, and which of them is
 * faster. It reads a counter of libcpucycles.
 *
 * All functions return 0 or a negative errno, if nothing else is said. A meter belongs to the
 * thread that opened it: other threads, and a child of fork, get -EPERM. A thread may have several
 * meters. No function may be called from a signal handler.
 *
 * A function that is measured may open, run and close another meter. From its own one it gets
 * -EBUSY: the meter is in a run. Only cpucycles_meter_now counts as ever, and
 * cpucycles_meter_close does nothing. A function that is measured must return. If it calls
 * longjmp, throws or ends its thread, the meter stays in its run for good. A child that it forks
 * must not return from it.
 *
 * Each structure begins with its size. The caller sets that to sizeof before the call, or begins
 * with the initializer: struct cpucycles_plan plan = CPUCYCLES_PLAN_INITIALIZER.
 * Later versions of the library append members and leave those of an older program's structure
 * alone. If the program is the newer one, members that the library does not know must be 0 in what
 * it is given: otherwise -E2BIG. In what it fills in, they become 0.
 */
struct cpucycles_meter;

/* Which counter is needed. */
enum {
	CPUCYCLES_NEED_ANY,    /* the counter that cpucycles() uses */
	CPUCYCLES_NEED_FINE,   /* one with a resolution of 2 ns or less */
	CPUCYCLES_NEED_CYCLES, /* one of the core's own cycles, of this thread or of the CPU */
	CPUCYCLES_NEED_THREAD  /* one of the core's own cycles, counted for this thread only */
};

/* What a count means. */
enum {
	CPUCYCLES_UNIT_CYCLES, /* cycles of the core */
	CPUCYCLES_UNIT_TICKS,  /* ticks of an off-core register */
	CPUCYCLES_UNIT_NS      /* nanoseconds of a clock */
};

/* If the counter that is needed cannot be had, take the next best: fine, else any. */
#define CPUCYCLES_METER_NEXT_BEST 1u

/* Count events also if they do not count in known work what they should. */
#define CPUCYCLES_METER_FORCE 2u

/*
 * Why something is refused, or what a warning says: two sentences without a period, in memory of
 * the caller. A text that does not fit is cut behind a whole character of UTF-8, and always ends
 * with a NUL. A pointer of NULL or a size of 0: the caller does not want this text.
 *
 *	char what[256], remedy[256];
 *	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
 */
struct cpucycles_reason {
	size_t size;
	int error;  /* a positive errno; 0: no call failed */
	char *what; /* what is wrong, with its figures */
	size_t what_size;
	char *remedy; /* what helps, a command if there is one; empty if nothing does */
	size_t remedy_size;
};
/* From two arrays of char; in C90, static ones. */
#define CPUCYCLES_REASON(what, remedy) \
	{ \
		sizeof(struct cpucycles_reason), 0, (what), sizeof(what), (remedy), sizeof(remedy) \
	}

/* 0 in a member means its default. */
struct cpucycles_meter_options {
	size_t size;
	int need; /* CPUCYCLES_NEED_ANY by default */
	unsigned flags;
	size_t works_max;   /* functions in one run, 2 by default */
	size_t samples_max; /* samples of each function in one run, 2^18 by default */
	/* Names of events with commas between them, see cpucycles-events(7): 16 at most. NULL:
	 * none. An event that cannot be counted does not keep the meter from being opened. */
	const char *events;
};
#define CPUCYCLES_METER_OPTIONS_INITIALIZER \
	{ \
		sizeof(struct cpucycles_meter_options), 0, 0, 0, 0, NULL \
	}

/* What the counter of a meter is, measured at opening; the overhead, also by each run. */
struct cpucycles_counter_info {
	size_t size;
	const char *counter; /* such as "amd64-tsc" */
	int unit;
	int next_best;       /* 1: the counter that is needed could not be had */
	double resolution;   /* in units: the counter moves by multiples of this, its step */
	double overhead;     /* of an empty pair of reads, in units: interquartile mean */
	double overhead_iqr; /* of that overhead: its interquartile range, in units */
	uint64_t hz;         /* units per second; 0: the rate varies, or is unknown */
	uint64_t hz_ppm;
	int own_thread; /* 1: it counts for the meter's thread only, and not others on its CPU */
};
#define CPUCYCLES_COUNTER_INFO_INITIALIZER \
	{ \
		sizeof(struct cpucycles_counter_info), NULL, 0, 0, 0, 0, 0, 0, 0, 0 \
	}

/*
 * Open a meter for the calling thread. If there is an error, *meter is NULL. reason may be NULL. It
 * tells why the meter was not opened, or which counter could not be had if the next best was taken.
 * -EINVAL: an option makes no sense. -ENOTSUP: no counter fulfils the need. -EAGAIN: no counter can
 * be tried in this thread at present. -ENOMEM. This takes some milliseconds.
 */
int cpucycles_meter_open(struct cpucycles_meter **meter,
			 const struct cpucycles_meter_options *options,
			 struct cpucycles_reason *reason);

/* Free it. NULL is allowed. The child of fork may do this, too, and so may another thread if the
 * owner no longer uses the meter. While the meter is in a run, this does nothing: close it when the
 * run has ended. */
void cpucycles_meter_close(struct cpucycles_meter *meter);

int cpucycles_meter_info(const struct cpucycles_meter *meter, struct cpucycles_counter_info *info);

/*
 * A fenced read of the counter: instructions before the call are finished, and instructions after
 * the call have not begun (see cpucycles-measure(7), Fences). The difference of two, minus
 * info.overhead, is the time of what is in between, in units of the meter, and some cycles of these
 * two calls. This returns a count, never an error.
 */
int64_t cpucycles_meter_now(const struct cpucycles_meter *meter);

/* 1: the kernel took the counter from the meter's thread, and a clock took its place, as
 * cpucycles_counter_lost of cpucycles.h tells it; 0: it did not. */
int cpucycles_meter_lost(const struct cpucycles_meter *meter);

/* A function to be measured. name is for messages. The strings, functions and contexts have to stay
 * as long as the meter's results are asked for. All elements of an array have the same size, which
 * is the distance from one to the next. */
struct cpucycles_work {
	size_t size;
	const char *name;
	void (*call)(void *context);
	void *context;
	/* Called before each call, in time that is not measured, to make the input anew. A sample
	 * is then one call. NULL: nothing has to be made anew. */
	void (*before)(void *context);
	size_t bytes; /* that one call handles, for figures per byte; 0: none are wanted */
};
/* struct cpucycles_work works[] = { CPUCYCLES_WORK("old", old_sort, &data), ... } */
#define CPUCYCLES_WORK(name, call, context) \
	{ \
		sizeof(struct cpucycles_work), (name), (call), (context), NULL, 0 \
	}

/* Do not end a comparison before its budget, although there is a verdict. */
#define CPUCYCLES_PLAN_WHOLE 1u

/* How long to measure. 0 in a member means its default. */
struct cpucycles_plan {
	size_t size;
	uint64_t budget_ns; /* 500 ms by default; the run ends after the round that passes it */
	uint64_t samples;   /* of each function, at most; samples_max by default */
	uint64_t seed;      /* of the order of the functions in each round; 1 by default */
	double alpha;       /* level of significance of one comparison, 0.005 by default */
	unsigned flags;
};
#define CPUCYCLES_PLAN_INITIALIZER \
	{ \
		sizeof(struct cpucycles_plan), 0, 0, 0, 0, 0 \
	}

/*
 * Measure one function, or compare several: each round calls all of them twice, in an order that is
 * drawn anew. With two functions or more the run ends as soon as there is a verdict on each. With
 * one function it takes the whole budget or all samples.
 *
 * -ERANGE: a function is too fast to be measured with this counter; the reason has the figures.
 * A short function is called in a loop for one sample, unless `before` forbids that.
 * -EAGAIN: a part of the run is void, and whoever asks for that gets -EAGAIN, too. If the kernel
 * took the counter away, all samples are void, and what is made of them. If an event did not count
 * all the time, the counts of all events are. -EBUSY: the meter is in a run already.
 *
 * The meter keeps the results until the next call. This call forgets them also if it refuses the
 * works or the plan. A call that gets -EPERM or -EBUSY leaves all as it is.
 */
int cpucycles_meter_run(struct cpucycles_meter *meter, const struct cpucycles_work works[],
			size_t n, const struct cpucycles_plan *plan,
			struct cpucycles_reason *reason);

/* Measure work of a known length that the library brings along, and see whether the counter, the
 * CPU and the machine are fit to measure. The work is then work 0 of the meter. *warnings: as in
 * struct cpucycles_result. */
int cpucycles_meter_check(struct cpucycles_meter *meter, uint64_t *warnings,
			  struct cpucycles_reason *reason);

/* Warnings, as bits of a set. */
enum {
	CPUCYCLES_WARNING_BACKWARDS = 1,   /* the counter stepped back */
	CPUCYCLES_WARNING_RATE = 2,        /* its rate is 5 % off what it claims */
	CPUCYCLES_WARNING_RESOLUTION = 4,  /* the counter is coarse relative to a sample */
	CPUCYCLES_WARNING_HALVES = 8,      /* two halves of the same samples differ */
	CPUCYCLES_WARNING_DRIFT = 16,      /* the medians of windows of time differ */
	CPUCYCLES_WARNING_MOVED = 32,      /* the thread changed its CPU */
	CPUCYCLES_WARNING_FREQUENCY = 64,  /* the core's frequency changed */
	CPUCYCLES_WARNING_CARRYOVER = 128, /* the time depends on how often it was called before */
	CPUCYCLES_WARNING_STATE = 256,     /* it left registers changed for the next one */
	CPUCYCLES_WARNING_LOOP = 512,      /* most of its time is that of loop and call */
	CPUCYCLES_WARNING_TAIL = 1024,     /* a part of the calls takes much longer */
	CPUCYCLES_WARNING_CYCLES = 2048    /* its cycles are not those of a chain of known length */
};

/* Where the core cycles of a result come from, or why there are none. */
enum {
	CPUCYCLES_CYCLES_NONE,     /* nothing was measured */
	CPUCYCLES_CYCLES_COUNTER,  /* the meter's counter counts them */
	CPUCYCLES_CYCLES_CHAIN,    /* a chain of known length was timed next to the function */
	CPUCYCLES_CYCLES_NO_CHAIN, /* no instruction is known to take one cycle here */
	CPUCYCLES_CYCLES_EMULATED, /* instructions take as long as in no processor */
	CPUCYCLES_CYCLES_TOO_LONG, /* a sample takes more than ten million cycles */
	CPUCYCLES_CYCLES_COARSE,   /* the counter's step is too long */
	CPUCYCLES_CYCLES_TOO_FEW   /* too few chains or samples were undisturbed */
};

/* The results of one function. All figures are units per call, with the overhead of the pair
 * taken off. */
struct cpucycles_result {
	size_t size;
	double min, q1, median, q3;
	double low, high; /* the median is within these, with 95 % confidence */
	double iqm;       /* interquartile mean: of the middle half, each spread over a step */
	uint64_t samples;
	uint64_t warnings;
	unsigned iterations; /* calls in one sample */
	/*
	 * Cycles of the core per call, whatever the unit of the meter is: the interquartile mean,
	 * within low and high. See cpucycles-measure(7), Core cycles. Not a number: not known, and
	 * cycles_from says why.
	 */
	int cycles_from;
	double cycles, cycles_low, cycles_high;
	double units_per_cycle; /* of the meter, in the middle of the run; 0: not known */
	/* Long samples that are left out of the cycles, because another program ran during them.
	 * Elsewhere, they count without the time of that program, unless the function may have
	 * waited. */
	uint64_t cycles_interrupted;
	/* Nanoseconds per call: the interquartile mean, within low and high. Not a number: how long
	 * a unit of the meter takes is not known. */
	double ns, ns_low, ns_high;
};
#define CPUCYCLES_RESULT_INITIALIZER \
	{ \
		sizeof(struct cpucycles_result), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
			0, 0, 0 \
	}

/* The results of function number i. -EINVAL: there is none. -ENODATA: it was not measured, because
 * nothing was run, the last run was refused, or a function was too fast. -EAGAIN: the kernel took
 * the counter away. */
int cpucycles_meter_result(const struct cpucycles_meter *meter, size_t i,
			   struct cpucycles_result *result);

/* What one warning on function i means, with its figures, and what helps. -ENOENT: there is no such
 * warning. The other errors are those of cpucycles_meter_result. */
int cpucycles_meter_warning(const struct cpucycles_meter *meter, size_t i, uint64_t warning,
			    struct cpucycles_reason *reason);

enum { CPUCYCLES_VERDICT_CANNOT_TELL, CPUCYCLES_VERDICT_FASTER, CPUCYCLES_VERDICT_SLOWER };

/* Function i relative to the first one, in this process and at these addresses: the same code at
 * other addresses may take another time. */
struct cpucycles_verdict {
	size_t size;
	int verdict;
	double ratio;     /* its time by that of the first: 0.5 is twice as fast */
	double low, high; /* the interval of the ratio */
	double floor; /* the largest difference that identical functions could show in this run, as
			 a part of 1 */
	/* CPUCYCLES_VERDICT_CANNOT_TELL: the samples of each that might tell, about. 0: the run
	 * shows no difference, so the number is unknown; or the floor is above the difference, so
	 * no number is enough. Capped at a billion blocks; then it is a lower bound. */
	uint64_t samples_needed;
};
#define CPUCYCLES_VERDICT_INITIALIZER \
	{ \
		sizeof(struct cpucycles_verdict), 0, 0, 0, 0, 0, 0 \
	}

/* The verdict on function number i, from 1. The errors are those of cpucycles_meter_result. */
int cpucycles_meter_verdict(const struct cpucycles_meter *meter, size_t i,
			    struct cpucycles_verdict *verdict);

/* All samples of function i in the order of the rounds, two of each round in a comparison: units
 * per call. They stay until the next run. The errors are those of cpucycles_meter_result: then
 * *samples is NULL, and *n is 0. */
int cpucycles_meter_samples(const struct cpucycles_meter *meter, size_t i, const double **samples,
			    size_t *n);

/* In the place of an event's number: the cycles of the core, which are counted together with the
 * events where that is possible; and the ticks of x86's time-stamp counter. */
#define CPUCYCLES_EVENT_CYCLES SIZE_MAX
#define CPUCYCLES_EVENT_TSC (SIZE_MAX - 1)

/* An event of the meter. */
struct cpucycles_event_info {
	size_t size;
	const char *name; /* as it was asked for */
	int user, kernel; /* whether what happens in user mode counts, and what in the kernel */
	int checked;      /* 1: it counted in known work as expected; 0: nothing was expected */
	int user_mode;    /* 1: it is read without a system call */
};
#define CPUCYCLES_EVENT_INFO_INITIALIZER \
	{ \
		sizeof(struct cpucycles_event_info), NULL, 0, 0, 0, 0 \
	}

/*
 * Event number `event` in the order of the list. 0: it is counted. Otherwise, a negative errno says
 * why it is not, and so does reason, which may be NULL. -EINVAL: there is no such event. -ENOENT:
 * this machine or its kernel has none. -EACCES, -EPERM: not permitted. -ENOSPC: too many events at
 * once. -EBUSY: it would take the register of the meter's own counter; or the meter is in a run,
 * and the reason says so. -EAGAIN: it did not count all the time. -EMFILE: no descriptor is left.
 * -EDOM: it does not count what it should.
 */
int cpucycles_meter_event_info(const struct cpucycles_meter *meter, size_t event,
			       struct cpucycles_event_info *info, struct cpucycles_reason *reason);

/*
 * How often the event happens in one call of function i: the mean of all samples of the last run.
 * What an empty function counts is taken off. The errors are those above: without a count,
 * *per_call stays as it is. -EAGAIN: an event did not count all the time in the last run, so none
 * of them has a count, nor have the cycles and the ticks of their group; or these are cycles of the
 * meter's own counter, which was lost. -ENODATA: the function was not measured.
 */
int cpucycles_meter_event(const struct cpucycles_meter *meter, size_t i, size_t event,
			  double *per_call);

/* The counts of the first n events since the meter was opened, read now, for harnesses of one's
 * own. The counts of events that are not counted stay as they are. -EAGAIN: a count is void. */
int cpucycles_meter_counts(struct cpucycles_meter *meter, uint64_t counts[], size_t n);

/* When counts were read: not before `count`, and at most `within` units later. */
struct cpucycles_moment {
	size_t size;
	int64_t count;  /* of the meter's counter, as cpucycles_meter_now gives it */
	int64_t within; /* units of the meter, from that count to one after the reading */
	uint64_t tsc;   /* x86's time-stamp counter, read with `count`; 0: there is none */
};
#define CPUCYCLES_MOMENT_INITIALIZER \
	{ \
		sizeof(struct cpucycles_moment), 0, 0, 0 \
	}

/* The same counts, and when they were read. If there is an error, *moment stays as it is. The loss
 * of the meter's counter is reported by cpucycles_meter_lost. */
int cpucycles_meter_counts_at(struct cpucycles_meter *meter, uint64_t counts[], size_t n,
			      struct cpucycles_moment *moment);

/*
 * Measure these functions in this process, compare each with the first, and print a table of them:
 * one row for each, then warnings, and a sentence for each comparison. A counter of the core's
 * cycles is taken, or the next best one. If the cycles are not known then, a warning says why there
 * is no such counter. This needs no meter: one is opened and closed.
 *
 * plan: as for cpucycles_meter_run. samples_max is 2^18 if the plan says how many samples to take,
 * else 2^16. The text is plain, without colours, whatever `to` is.
 *
 * -ERANGE: a function is too fast to be measured. Its row has the reason, and the others are
 * measured without it; if it is the first one, nothing is compared. -EIO: the text could not be
 * written. The other errors are those of opening and running a meter: then a line with the reason
 * is all that is printed.
 */
int cpucycles_measure_print(FILE *to, const struct cpucycles_work works[], size_t n,
			    const struct cpucycles_plan *plan);

/*
 * Whether the time of a function depends on its input: see cpucycles-leak(7). The function is
 * called with inputs of group 0 and of group 1, in an order that is drawn anew for each call.
 */
struct cpucycles_leak {
	size_t size;
	const char *name; /* for messages */
	/* A call has one input of `bytes` bytes, which lies at the same address in each call that
	 * counts. It is aligned as by malloc(). In the first calls, which do not count, a page that
	 * nobody may read or write comes after it, rounded up to that alignment, so whoever runs
	 * over the end crashes. */
	void (*call)(const unsigned char *input, void *context);
	/* Makes an input of this group, outside of the time that is measured. For each call, it is
	 * called for both groups, and gets memory that is closed after its end, too. NULL: group 0
	 * is one fixed input, group 1 a random one for each call. */
	void (*prepare)(int group, unsigned char *input, void *context);
	void *context;
	size_t bytes; /* from 1 to CPUCYCLES_LEAK_BYTES_MAX */
	/* A smaller difference does not matter, in core cycles, or in units of the meter where
	 * cycles are not known: see `unit` of the result. 0: 2 of them, or one step of the
	 * counter if that is more. */
	double threshold;
	unsigned flags;
};
#define CPUCYCLES_LEAK_INITIALIZER \
	{ \
		sizeof(struct cpucycles_leak), NULL, NULL, NULL, NULL, 0, 0, 0 \
	}

#define CPUCYCLES_LEAK_BYTES_MAX 1048576

/* Group 1 is one fixed input, too. Not together with `prepare`. */
#define CPUCYCLES_LEAK_PAIRS 1u

/* Before each call, there is one with the same input that is not measured. */
#define CPUCYCLES_LEAK_WARM 2u

enum {
	CPUCYCLES_LEAK_CANNOT_TELL,
	CPUCYCLES_LEAK_FOUND,      /* the time depends on the group */
	CPUCYCLES_LEAK_NONE_ABOVE, /* no difference above `threshold` */
	CPUCYCLES_LEAK_NO_CONTROL  /* equal inputs differ: the harness or the machine is at fault */
};

/*
 * What a test for leaks has found. Groups are compared at the quantiles of 10, 20, ... 90 % of both
 * together, and by the shares of calls up to that of 1 % and above that of 99 %:
 * cpucycles_leak_quantile() has the figures.
 */
struct cpucycles_leak_findings {
	size_t size;
	int verdict;
	/* Of `threshold` and of all differences: CPUCYCLES_UNIT_CYCLES, or the unit of the meter if
	 * cycles are not known. */
	int unit;
	/* CPUCYCLES_LEAK_FOUND, or NONE_ABOVE: 1 if a difference is shown, and lies below
	 * `threshold` at each quantile of 10 to 90 %. */
	int shown_below;
	double threshold; /* as it was used */
	int surest;     /* the quantile at which the difference is surest: 1, 10, 20, ... 90, 99 */
	double p_value; /* the chance that a test of equal groups shows as much, at any quantile and
			   any look: at most this. Below the plan's alpha, a difference is shown. */
	double control_p_value; /* the same, of the two ways in which inputs are made */
	/* How many calls of one group take too much longer or shorter than those of the other: by
	 * more than `threshold`, or a step of the counter if that is more. Fractions of all calls.
	 * Without a look at enough calls, they are infinite. */
	double beyond_most; /* at most so many */
	/* Looked at near quantiles of both groups together: at this one, in percent, most of what
	 * does not matter there is used up. */
	int beyond_quantile;
	double beyond_high;   /* there: at most so many */
	double beyond_within; /* fewer than these do not matter there */
	uint64_t calls[2];    /* of each group */
	/* Of each group, because the thread changed its CPU, or the counter stepped back. */
	uint64_t discarded[2];
	/* CPUCYCLES_LEAK_CANNOT_TELL: the calls of each group that might tell, about. 0: there is
	 * no such number. There were too few calls to estimate it, or the function became faster or
	 * slower, or `threshold` is below a step of the counter, which gives the same count always.
	 */
	uint64_t calls_needed;
	/* All times of the test are in cycles of the core: so many units of the meter were one
	 * cycle before the first block. 1: the counter counts cycles. 0: cycles are not known, and
	 * the times are in units of the meter. */
	double units_per_cycle;
};
#define CPUCYCLES_LEAK_FINDINGS_INITIALIZER \
	{ \
		sizeof(struct cpucycles_leak_findings), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0, 0 }, \
			{ 0, 0 }, 0, 0 \
	}

/*
 * How far the groups differ at a quantile, in percent. 10 to 90: times in the unit of the result.
 * 1: the shares of calls up to the quantile of 1 % of both groups together, as fractions of 1. 99:
 * the shares above that of 99 %. Without a look at enough calls, the interval is infinite.
 */
struct cpucycles_leak_difference {
	size_t size;
	double group0;
	double difference; /* how much more group 1 has */
	double low, high;  /* the interval of the difference */
};
#define CPUCYCLES_LEAK_DIFFERENCE_INITIALIZER \
	{ \
		sizeof(struct cpucycles_leak_difference), 0, 0, 0, 0 \
	}

/*
 * Test a function. Of the plan, samples are calls of both groups together, and budget_ns is 10 s by
 * default. The test ends as soon as there is a verdict, or with CPUCYCLES_PLAN_WHOLE at the end of
 * the plan. It takes memory while it runs: 21 times `bytes` at most, and some megabytes.
 *
 * The errors are those of cpucycles_meter_run. -ENOMEM: there is no memory. The meter keeps the
 * result until the next test or run. Then cpucycles_meter_samples gives the times of some calls of
 * group i, drawn at random from all of them.
 */
int cpucycles_leak_run(struct cpucycles_meter *meter, const struct cpucycles_leak *leak,
		       const struct cpucycles_plan *plan, struct cpucycles_reason *reason);

/* The result of the last test. -ENODATA: there is none. -EAGAIN: the kernel took the counter away.
 */
int cpucycles_leak_result(const struct cpucycles_meter *meter,
			  struct cpucycles_leak_findings *findings);

/* The groups at 1, 10, 20, ... 90 or 99 percent. -EINVAL: another percent. The other errors are
 * those of cpucycles_leak_result. */
int cpucycles_leak_quantile(const struct cpucycles_meter *meter, int percent,
			    struct cpucycles_leak_difference *difference);

/*
 * Make the compiler think that somebody reads what lies at this address, and what can be reached
 * from there. A function whose result nobody uses would otherwise lose its work to the optimizer.
 * It takes no time but that of storing the result. In C90, which has no inline functions, it is not
 * there.
 */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
static inline void cpucycles_keep(const volatile void *address)
{
#if defined(__GNUC__)
	__asm__ volatile("" : : "r"(address) : "memory");
#else
	static const volatile void *volatile kept;

	kept = address;
#endif
}
#endif

#ifdef __cplusplus
}
#endif

#endif
