/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "blame.h"
#include "letters.h"

#include <inttypes.h>
#include <stdlib.h>

#define NS_PER_MS 1e6
#define NS_PER_S 1e9
#define TICKS_MAX 1000 /* a second, of the kernel's timer */
#define NAMED 3        /* kinds of interrupts in a sentence */

/* What each cause took of the lost time, in ns. */
struct times {
	uint64_t programs, quota, host, interrupts, unexplained;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Take up to `wanted` from what is left. */
static uint64_t take_from(uint64_t *left, uint64_t wanted)
{
	const uint64_t taken = least(*left, wanted);

	*left -= taken;
	return taken;
}

/* The time of all interrupts that came while the thread had the CPU: each takes as long as a short
 * gap, on average. In a storm they follow one another without a pause, and make long gaps. Gaps of
 * medium length may be softirqs, if there were as many with work. */
static uint64_t of_interrupts(const struct seen *seen, uint64_t brief)
{
	const struct gaps *const gaps = &seen->gaps;
	const double longer = (double)gaps->switching.number + (double)gaps->middle.number +
			      (double)gaps->uncounted.number;
	const double number = (double)gaps->number - longer;
	const double had = 1 - (double)least(gaps->own.waited, gaps->ns) / (double)gaps->ns;
	double ns;

	if (!seen->counted || gaps->ns == 0 || number < 1)
		return 0;
	ns = (double)seen->interrupts * had * ((double)brief / number);
	if (seen->softirqs >= gaps->middle.number)
		ns += (double)gaps->middle.ns;
	return ns < (double)gaps->lost ? (uint64_t)ns : gaps->lost;
}

/* Whether there were as many system management interrupts as gaps that are too long for others. */
static bool is_firmware(const struct seen *seen)
{
	return seen->smi != PARSE_UNKNOWN && seen->smi > 0 && seen->smi >= seen->gaps.middle.number;
}

/* The kernel's accounts come first, then what they leave. */
static struct times divide(const struct seen *seen)
{
	const struct gaps *const gaps = &seen->gaps;
	uint64_t left = gaps->lost, waited = take_from(&left, gaps->own.waited);
	uint64_t uncounted, middle, interrupts;
	struct times times = { 0 };

	times.quota = take_from(&waited, seen->quota.throttled);
	times.programs = waited + take_from(&left, gaps->switching.ns);
	uncounted = take_from(&left, gaps->uncounted.ns);
	middle = take_from(&left, gaps->middle.ns);
	if (is_firmware(seen)) {
		uncounted += middle;
		middle = 0;
	}
	interrupts = of_interrupts(seen, left);
	left += middle;
	times.interrupts = take_from(&left, interrupts);
	times.interrupts += take_from(&uncounted, interrupts - times.interrupts);
	times.host = uncounted;
	if (seen->steal != PARSE_UNKNOWN && seen->steal > times.host)
		times.host += take_from(&left, seen->steal - times.host);
	times.unexplained = left;
	return times;
}

static struct noise_line line_of(const struct seen *seen, enum noise_cause cause, uint64_t ns,
				 bool known)
{
	struct noise_line line = { .cause = cause, .known = NOISE_NOT_KNOWN };

	if (!known)
		return line;
	line.share = seen->gaps.ns ? (double)ns / (double)seen->gaps.ns : 0;
	line.known = line.share < BLAME_SHARE ? NOISE_NOT_SEEN : NOISE_SEEN;
	return line;
}

#define PROOF(line, ...) letters_add((line).proof, NOISE_TEXT, __VA_ARGS__)
#define REMEDY(line, ...) letters_add((line).remedy, NOISE_TEXT, __VA_ARGS__)

static void say_programs(const struct seen *seen, struct noise_line *line)
{
	const char *between = "; most ran: ";
	double seconds = 0;

	for (size_t i = 0; i < PROGRAMS_MOST && seen->most.program[i].name[0]; i++) {
		const struct parse_program *program = &seen->most.program[i];
		const double own = (double)program->ticks / seen->ticks_per_second;

		seconds += own;
		PROOF(*line, "%s%s (%" PRIu64 ") %.2f s", between, program->name, program->pid,
		      own);
		between = ", ";
	}
	if (line->known != NOISE_SEEN)
		return;
	if (seen->quiet >= 0)
		REMEDY(*line, "taskset -c %d COMMAND: CPU %d lost %.1f%%", seen->quiet, seen->quiet,
		       100 * seen->quiet_lost);
	else if (seconds * 4 * NS_PER_S >= (double)seen->gaps.own.waited)
		REMEDY(*line, "end these programs, or wait until they have ended");
	else if (seen->most.whole)
		REMEDY(*line, "look for a program that starts many short ones, such as a build; "
			      "in a container, outside of it, too");
	else
		REMEDY(*line, "look with top(1): not all processes could be looked at here");
}

static struct noise_line programs_line(const struct seen *seen, const struct times *times)
{
	const struct own_rise *const own = &seen->gaps.own;
	struct noise_line line =
		line_of(seen, NOISE_PROGRAMS, times->programs, own->known || own->involuntary > 0);

	if (line.known == NOISE_NOT_KNOWN) {
		PROOF(line, "/proc/thread-self/schedstat cannot be read");
		return line;
	}
	if (own->known)
		PROOF(line, "waited %.1f ms, %" PRIu64 " switches", (double)own->waited / NS_PER_MS,
		      own->involuntary);
	else
		PROOF(line, "gaps with %" PRIu64 " switches to other programs", own->involuntary);
	if (!seen->quota.known)
		PROOF(line, ", for other programs or a quota");
	say_programs(seen, &line);
	return line;
}

static struct noise_line host_line(const struct seen *seen, const struct times *times)
{
	const uint64_t gaps = seen->gaps.uncounted.number;
	const bool steal = seen->steal != PARSE_UNKNOWN;
	struct noise_line line = line_of(seen, NOISE_HOST, times->host, steal || gaps > 0);

	if (gaps)
		PROOF(line,
		      "%" PRIu64
		      " gap%s of over %d ms, %.1f ms in all, in which nothing here ran; ",
		      gaps, gaps == 1 ? "" : "s", (int)(GAPS_SOFTIRQ_MAX / NS_PER_MS),
		      (double)seen->gaps.uncounted.ns / NS_PER_MS);
	if (steal)
		PROOF(line, "steal %.0f ms, as the host says", (double)seen->steal / NS_PER_MS);
	else
		PROOF(line, "/proc/stat cannot be read");
	if (is_firmware(seen))
		PROOF(line, "; system management interrupts: %" PRIu64, seen->smi);
	if (line.known == NOISE_SEEN)
		REMEDY(line, "only the owner of the host, or of the firmware, can change that");
	return line;
}

static int most_first(const void *a, const void *b)
{
	const uint64_t x = ((const struct parse_row *)a)->count;
	const uint64_t y = ((const struct parse_row *)b)->count;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* What keeps the most frequent interrupt away from the CPU of a program. */
static void say_interrupts(const struct seen *seen, const struct parse_row *most,
			   struct noise_line *line)
{
	const bool timer = !strcmp(most->key, "LOC") || strstr(most->name, "timer");
	const double seconds = (double)seen->gaps.ns / NS_PER_S;

	if (!timer && most->key[0] >= '0' && most->key[0] <= '9')
		REMEDY(*line, "as root: cpucycles-open --quiet -- COMMAND (it moves interrupts "
			      "that may be moved)");
	else if (!timer)
		REMEDY(*line, "other CPUs ask for these: end programs with many threads");
	else if ((double)most->count > 1.5 * TICKS_MAX * seconds)
		REMEDY(*line, "end the programs that use short timers, such as perf record: no "
			      "tick comes so often");
	else if (seen->tickless)
		REMEDY(*line, "start the kernel with nohz_full=CPUS: no tick there while one "
			      "program runs");
	else
		REMEDY(*line, "nothing: this kernel is built without nohz_full, so the tick stays");
}

static struct noise_line interrupts_line(const struct seen *seen, const struct times *times)
{
	struct noise_line line = line_of(seen, NOISE_INTERRUPTS, times->interrupts, seen->counted);
	struct parse_row name[SEEN_NAMES];

	if (!seen->counted) {
		PROOF(line, "/proc/interrupts cannot be read");
		return line;
	}
	memcpy(name, seen->name, sizeof name);
	qsort(name, seen->names, sizeof *name, most_first);
	PROOF(line, "%" PRIu64, seen->interrupts);
	for (size_t i = 0; i < seen->names && i < NAMED; i++)
		PROOF(line, "%s%s %" PRIu64, i ? ", " : ": ", name[i].name, name[i].count);
	if (line.known == NOISE_SEEN && seen->names)
		say_interrupts(seen, &name[0], &line);
	return line;
}

static struct noise_line quota_line(const struct seen *seen, const struct times *times)
{
	const struct quota *const quota = &seen->quota;
	struct noise_line line = line_of(seen, NOISE_QUOTA, times->quota, quota->known);

	if (!quota->known)
		PROOF(line, "the files of this cgroup cannot be read");
	else if (quota->cpus > 0)
		PROOF(line, "this cgroup may use %.2f CPUs, and had to stop for %.1f ms",
		      quota->cpus, (double)quota->throttled / NS_PER_MS);
	else
		PROOF(line, "no limit, and the cgroup had to stop for %.1f ms",
		      (double)quota->throttled / NS_PER_MS);
	if (line.known == NOISE_SEEN && quota->file[0])
		REMEDY(line, "run as root: echo %s >%s", quota->unified ? "max" : "-1",
		       quota->file);
	else if (line.known == NOISE_SEEN)
		REMEDY(line, "only outside of this container can the limit be changed");
	return line;
}

static struct noise_line migration_line(const struct seen *seen)
{
	const struct gaps_rest *const moved = &seen->moved;
	struct noise_line line = { .cause = NOISE_MIGRATION, .known = NOISE_NOT_SEEN };

	if (seen->cpus == 0) {
		line.known = NOISE_NOT_KNOWN;
		PROOF(line, "the system does not tell on which CPUs a thread may run");
	} else if (seen->moved_of == 0) {
		PROOF(line, "this thread may use one CPU only");
	} else {
		PROOF(line, "moved %" PRIu64 " time%s in %.1f ms in which it was not pinned",
		      moved->number, moved->number == 1 ? "" : "s",
		      (double)seen->moved_of / NS_PER_MS);
		line.share = (double)moved->ns / (double)seen->moved_of;
	}
	if (line.share < BLAME_SHARE)
		return line;
	line.known = NOISE_SEEN;
	REMEDY(line, "taskset -c %d COMMAND", seen->usable);
	return line;
}

static struct noise_line unexplained_line(const struct seen *seen, const struct times *times)
{
	struct noise_line line = line_of(seen, NOISE_UNEXPLAINED, times->unexplained, true);

	PROOF(line, "no account of the kernel has the rest");
	if (seen->gaps.middle.number)
		PROOF(line, "; gaps of over 0.1 ms: %" PRIu64, seen->gaps.middle.number);
	return line;
}

size_t blame_gaps(const struct seen *seen, struct noise_line lines[NOISE_CAUSES])
{
	const struct times times = divide(seen);
	size_t n = 0;

	lines[n++] = programs_line(seen, &times);
	lines[n++] = host_line(seen, &times);
	lines[n++] = interrupts_line(seen, &times);
	lines[n++] = quota_line(seen, &times);
	lines[n++] = migration_line(seen);
	lines[n++] = unexplained_line(seen, &times);
	for (size_t i = 0; i < n && seen->gaps.ns == 0; i++) {
		lines[i] = (struct noise_line){ .cause = lines[i].cause, .known = NOISE_NOT_KNOWN };
		PROOF(lines[i], "this process may use no CPU");
	}
	return n;
}

static const struct {
	const char *key, *name;
	bool of_rest; /* its share is of what gaps leave */
} causes[] = {
	[NOISE_PROGRAMS] = { "programs", "other programs", false },
	[NOISE_HOST] = { "host", "the host", false },
	[NOISE_INTERRUPTS] = { "interrupts", "interrupts", false },
	[NOISE_QUOTA] = { "quota", "a quota", false },
	[NOISE_FREQUENCY] = { "frequency", "frequency", true },
	[NOISE_THROTTLED] = { "throttled", "throttling", true },
	[NOISE_IDLE] = { "idle", "idle states", true },
	[NOISE_NEIGHBOUR] = { "neighbour", "a neighbour on the core", true },
	[NOISE_MEMORY] = { "memory", "shared memory", true },
	[NOISE_MIGRATION] = { "migration", "migration", false },
	[NOISE_UNEXPLAINED] = { "unexplained", "unexplained", false },
};

bool blame_is_of_rest(enum noise_cause cause)
{
	return causes[cause].of_rest;
}

static int by_share(const void *a, const void *b)
{
	const struct noise_line *const x = a, *const y = b;

	if (x->known != y->known)
		return (int)x->known - (int)y->known;
	if (blame_is_of_rest(x->cause) != blame_is_of_rest(y->cause))
		return blame_is_of_rest(x->cause) ? 1 : -1;
	if ((x->cause == NOISE_UNEXPLAINED) != (y->cause == NOISE_UNEXPLAINED))
		return x->cause == NOISE_UNEXPLAINED ? 1 : -1;
	if (x->share < y->share || x->share > y->share)
		return x->share < y->share ? 1 : -1;
	return (int)x->cause - (int)y->cause;
}

void blame_sort(struct noise_line lines[], size_t n)
{
	qsort(lines, n, sizeof *lines, by_share);
}

const char *blame_name(enum noise_cause cause)
{
	return causes[cause].name;
}

const char *blame_key(enum noise_cause cause)
{
	return causes[cause].key;
}
