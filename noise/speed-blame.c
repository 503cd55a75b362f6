/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* From figures to causes: a cause is named where its probe was slow for a part of the time. What
 * slows all the time cannot be told from a slow machine, and makes no two measurements differ. */

#include "config.h"

#include "speed.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_MS 1e6
#define NS_PER_S 1e9

/* A median of fewer says little. */
#define WINDOWS_MIN 50
#define SLEEPS_MIN 5

/* The time lost to a cause, from which on it is named: above what quiet machines show. */
#define FREQUENCY_LEAST 0.01
#define THROTTLED_LEAST 0.002
#define NEIGHBOUR_LEAST 0.01
#define MEMORY_LEAST 0.06

/* On a quiet machine, steps in memory lose this, too: the place of a step decides how long it
 * takes. */
#define MEMORY_QUIET 0.04

/* The chain after a sleep, relative to the chain after spinning. */
#define IDLE_LEAST 1.05

/* A throttled phase: chain and clock are this many times as slow, between two moments of full
 * speed, for at most this time. What is slow at the beginning, to the end or for longer is the
 * frequency. */
#define PHASE_FACTOR 1.5
#define PHASE_MAX_NS 500e6
#define PHASE_WINDOWS_MIN 3

/* A window with a gap takes this many times as long as most. */
#define GAP_FACTOR 2

/* Full speed: the chain takes at most this many times its shortest time. Only then neighbours and
 * memory are looked for, because a slow core makes them slow, too. */
#define FULL_SPEED 1.1

#define TOO_LITTLE_TIME "too little time for this look (-s with more helps)"

#define OWNER "only the owner of the host can change that"
#define QUIET "as root: cpucycles-open --quiet -- COMMAND"

struct spread {
	double low, high; /* 2 % of the values are below, and above */
	double quick;     /* 10 % are below */
	double lost;      /* how much of the time would be saved if all took as long as quick */
};

struct phases {
	bool in[SPEED_WINDOWS];   /* whether a window lies in one */
	bool slow[SPEED_WINDOWS]; /* whether the core was slow, for whatever reason */
	size_t n;
	double shortest, longest; /* ns */
	double least, most;       /* times as slow */
	double lost;
};

static double mean(const double values[], size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return sum / (double)(to - from);
}

static struct spread spread_of(double values[], size_t n)
{
	struct spread s;

	values_sort(values, n);
	s.low = values[n / 50];
	s.high = values[n - 1 - n / 50];
	s.quick = values[n / 10];
	s.lost = 1 - s.quick / mean(values, 0, n);
	if (s.lost < 0)
		s.lost = 0;
	return s;
}

/* Of a probe, relative to another one if they differ. */
static struct spread spread_without(const bool left_out[], const struct noise_speed *speed,
				    enum speed_probe probe, enum speed_probe relative_to)
{
	double values[SPEED_WINDOWS];
	size_t n = 0;

	for (size_t i = 0; i < speed->windows; i++)
		if (!left_out[i])
			values[n++] = speed->ns_of[probe][i] /
				      (probe == relative_to ? 1 : speed->ns_of[relative_to][i]);
	return spread_of(values, n);
}

/* Windows in which something else had the CPU, and the ones after them, which find cold caches. The
 * number of the others. */
static size_t find_gaps(const struct noise_speed *speed, bool gap[])
{
	const size_t n = speed->windows - 1;
	double ns[SPEED_WINDOWS], sorted[SPEED_WINDOWS], most;
	size_t left = speed->windows;

	for (size_t i = 0; i < n; i++)
		ns[i] = sorted[i] = (double)(speed->at[i + 1] - speed->at[i]);
	most = values_median(sorted, n) * GAP_FACTOR;
	for (size_t i = 0; i < n; i++)
		if (ns[i] > most)
			gap[i] = gap[i + 1] = true;
	for (size_t i = 0; i < speed->windows; i++)
		left -= gap[i];
	return left;
}

static double quick_of(const struct noise_speed *speed, enum speed_probe probe)
{
	double values[SPEED_WINDOWS];

	memcpy(values, speed->ns_of[probe], speed->windows * sizeof *values);
	return spread_of(values, speed->windows).quick;
}

static void add_phase(const struct noise_speed *speed, size_t from, size_t to, double quick,
		      struct phases *p)
{
	const double ns = (double)(speed->at[to] - speed->at[from]);

	for (size_t i = from; i < to; i++) {
		const double factor = speed->ns_of[SPEED_CHAIN][i] / quick;

		p->in[i] = true;
		p->lost += factor - 1;
		p->least = p->least > 0 && p->least < factor ? p->least : factor;
		p->most = p->most > factor ? p->most : factor;
	}
	p->shortest = p->n && p->shortest < ns ? p->shortest : ns;
	p->longest = p->longest > ns ? p->longest : ns;
	p->n++;
}

/* A phase that lasts to the end has no moment of full speed after it. */
static void find_phases(const struct noise_speed *speed, struct phases *p)
{
	const double *const chain = speed->ns_of[SPEED_CHAIN];
	const double *const readings = speed->ns_of[SPEED_READINGS];
	const double quick = quick_of(speed, SPEED_CHAIN);
	const double reading = quick_of(speed, SPEED_READINGS);
	size_t from = 0;

	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < speed->windows; i++) {
		p->slow[i] = chain[i] > quick * FULL_SPEED;
		if (p->slow[i])
			continue;
		if (from > 0 && i >= from + PHASE_WINDOWS_MIN &&
		    (double)(speed->at[i] - speed->at[from]) <= PHASE_MAX_NS &&
		    mean(chain, from, i) >= quick * PHASE_FACTOR &&
		    mean(readings, from, i) >= reading * PHASE_FACTOR)
			add_phase(speed, from, i, quick, p);
		from = i + 1;
	}
	p->lost *= quick / (mean(chain, 0, speed->windows) * (double)speed->windows);
}

static void set_share(struct noise_line *line, double share, double least)
{
	line->share = share;
	line->known = share >= least ? NOISE_SEEN : NOISE_NOT_SEEN;
}

static void set_remedy(struct noise_line *line, const char *remedy)
{
	if (line->known == NOISE_SEEN)
		snprintf(line->remedy, sizeof line->remedy, "%s", remedy);
}

static void blame_frequency(const struct noise_speed *speed, const struct phases *phases,
			    struct noise_line *line)
{
	const struct noise_settings *const settings = &speed->settings;
	const struct spread s = spread_without(phases->in, speed, SPEED_CHAIN, SPEED_CHAIN);
	int length;

	set_share(line, s.lost, FREQUENCY_LEAST);
	if (speed->exact)
		length = snprintf(line->proof, sizeof line->proof,
				  "the core ran at %.2f to %.2f GHz", 1 / s.high, 1 / s.low);
	else
		length = snprintf(line->proof, sizeof line->proof,
				  "a chain of instructions took up to %.2f times its shortest time",
				  s.high / s.low);
	if (speed->hot)
		snprintf(line->proof + length, sizeof line->proof - (size_t)length,
			 ", and was too hot %llu time%s", (unsigned long long)speed->hot,
			 speed->hot == 1 ? "" : "s");
	if (settings->governor[0] || settings->boost)
		set_remedy(line, QUIET " (governor performance, boost off)");
	else if (settings->guest)
		set_remedy(line, OWNER);
	else
		set_remedy(line, "the settings of the firmware: this kernel has no cpufreq");
}

static void blame_throttling(const struct noise_speed *speed, const struct phases *phases,
			     struct noise_line *line)
{
	set_share(line, phases->lost, THROTTLED_LEAST);
	if (phases->n)
		snprintf(line->proof, sizeof line->proof,
			 "%zu phases of %.0f to %.0f ms in %.1f s: all instructions and the clock"
			 " %.1f to %.1f times as slow, without a gap",
			 phases->n, phases->shortest / NS_PER_MS, phases->longest / NS_PER_MS,
			 (double)speed->ns / NS_PER_S, phases->least, phases->most);
	else
		snprintf(line->proof, sizeof line->proof,
			 "no phase in %.1f s in which all instructions and the clock were slow",
			 (double)speed->ns / NS_PER_S);
	set_remedy(line, speed->settings.guest ?
				 OWNER "; measurements in turns, as cpucycles-measure makes them,"
				       " suffer less" :
				 "better cooling, or a higher limit of power in the firmware");
}

static void blame_sleeps(const struct noise_speed *speed, struct noise_line *line)
{
	double spun[SPEED_SLEEPS], slept[SPEED_SLEEPS], factor;

	memcpy(spun, speed->spun, sizeof spun);
	memcpy(slept, speed->slept, sizeof slept);
	factor = values_median(slept, speed->sleeps) / values_median(spun, speed->sleeps);
	line->known = factor >= IDLE_LEAST ? NOISE_SEEN : NOISE_NOT_SEEN;
	if (factor > 1)
		line->share = (1 - 1 / factor) * SPEED_AWAKE_NS / SPEED_SLEEP_NS;
	snprintf(line->proof, sizeof line->proof,
		 "right after a sleep of 1 ms, instructions took %.2f times as long as after"
		 " spinning",
		 factor);
	set_remedy(line, speed->settings.idle_states && !speed->settings.guest ?
				 QUIET " (it holds /dev/cpu_dma_latency)" :
				 OWNER "; a program that spins in place of short sleeps avoids it");
}

static void blame_neighbour(const struct noise_speed *speed, const struct phases *phases,
			    struct noise_line *line)
{
	const struct noise_settings *const settings = &speed->settings;
	const struct spread s = spread_without(phases->slow, speed, SPEED_INDEPENDENT, SPEED_CHAIN);

	set_share(line, s.lost, NEIGHBOUR_LEAST);
	snprintf(line->proof, sizeof line->proof,
		 "in programs with many independent instructions: these took up to %.2f times their"
		 " shortest time, while a chain did not",
		 s.high / s.low);
	if (line->known == NOISE_SEEN && strpbrk(settings->siblings, ",-"))
		snprintf(line->remedy, sizeof line->remedy,
			 "keep programs off the CPUs of this core, %s: taskset(1); or as root: echo"
			 " off >/sys/devices/system/cpu/smt/control",
			 settings->siblings);
	else
		set_remedy(line, settings->guest ? OWNER : "SMT off in the firmware");
}

static void set_unknown(struct noise_line *line, const char *reason)
{
	line->known = NOISE_NOT_KNOWN;
	snprintf(line->proof, sizeof line->proof, "%s", reason);
}

static void blame_memory(const struct noise_speed *speed, const struct phases *phases,
			 struct noise_line *line)
{
	struct spread s[SPEED_PROBES];
	bool left_out[SPEED_WINDOWS];
	double lost = 0;

	memcpy(left_out, phases->slow, sizeof left_out);
	if (find_gaps(speed, left_out) < WINDOWS_MIN / 2) {
		set_unknown(line, "something else had the CPU too often");
		return;
	}
	for (enum speed_probe probe = SPEED_NEAR; probe < SPEED_PROBES; probe++) {
		s[probe] = spread_without(left_out, speed, probe, probe);
		lost = s[probe].lost > lost ? s[probe].lost : lost;
	}
	set_share(line, lost > MEMORY_QUIET ? lost - MEMORY_QUIET : 0, MEMORY_LEAST);
	snprintf(
		line->proof, sizeof line->proof,
		"in programs that wait for memory: a step in %d MiB took %.0f to %.0f ns, in %d MiB"
		" %.0f to %.0f ns, in %d KiB %.1f"
		" to %.1f ns",
		SPEED_FAR_KIB / 1024, s[SPEED_FAR].low, s[SPEED_FAR].high, SPEED_MIDDLE_KIB / 1024,
		s[SPEED_MIDDLE].low, s[SPEED_MIDDLE].high, SPEED_NEAR_KIB, s[SPEED_NEAR].low,
		s[SPEED_NEAR].high);
	set_remedy(line, speed->settings.guest ?
				 "end programs that use much memory; of other guests, only the"
				 " owner of the host can" :
				 "end programs that use much memory");
}

size_t noise_speed_blame(const struct noise_speed *speed, struct noise_line lines[NOISE_CAUSES])
{
	enum { FREQUENCY, THROTTLED, IDLE, NEIGHBOUR, MEMORY, LINES };
	static const enum noise_cause causes[LINES] = {
		[FREQUENCY] = NOISE_FREQUENCY, [THROTTLED] = NOISE_THROTTLED, [IDLE] = NOISE_IDLE,
		[NEIGHBOUR] = NOISE_NEIGHBOUR, [MEMORY] = NOISE_MEMORY,
	};
	const bool windows = speed->windows >= WINDOWS_MIN;
	struct phases phases;

	for (size_t i = 0; i < LINES; i++) {
		lines[i] = (struct noise_line){ .cause = causes[i] };
		set_unknown(&lines[i], i == MEMORY ? TOO_LITTLE_TIME ", or too little memory" :
						     TOO_LITTLE_TIME);
	}
	if (speed->sleeps >= SLEEPS_MIN)
		blame_sleeps(speed, &lines[IDLE]);
	if (!windows)
		return LINES;
	find_phases(speed, &phases);
	blame_frequency(speed, &phases, &lines[FREQUENCY]);
	blame_throttling(speed, &phases, &lines[THROTTLED]);
	blame_neighbour(speed, &phases, &lines[NEIGHBOUR]);
	if (speed->walked)
		blame_memory(speed, &phases, &lines[MEMORY]);
	return LINES;
}
