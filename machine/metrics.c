/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cpucycles.h"
#include "decimal.h"
#include "disagree.h"
#include "metrics.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define PPM 1e6
#define NS_PER_S 1e9

/* Room for the reason of a counter: a word and a number. */
#define REASON_SIZE 32

/* A text that grows. Once something did not fit, nothing more is written. */
struct text {
	char *start;
	size_t size, length;
	bool full;
	const char *name, *help; /* of the metric that is being written */
	bool begun;              /* its HELP and TYPE are written */
};

/* A label; key NULL ends an array of them. */
struct label {
	const char *key, *value;
};

#define LABELS(...) ((const struct label[]){ __VA_ARGS__, { NULL, NULL } })

static void append(struct text *t, const char *format, ...)
{
	const size_t room = t->size - t->length;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = t->full ? -1 : vsnprintf(t->start + t->length, room, format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= room)
		t->full = true;
	else
		t->length += (size_t)n;
}

/* The format wants UTF-8, and a kernel or a CPU may call itself anything. */
static void put_value(struct text *t, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			append(t, "\\%c", *value);
		else
			append(t, "%c", *value < ' ' || *value > '~' ? '?' : *value);
	}
}

/* Begin a metric. A metric without samples is not written at all: unknown is not 0. */
static void metric(struct text *t, const char *name, const char *help)
{
	t->name = name;
	t->help = help;
	t->begun = false;
}

static void sample(struct text *t, const struct label labels[], double value)
{
	if (!t->begun)
		append(t, "# HELP cpucycles_%s %s\n# TYPE cpucycles_%s gauge\n", t->name, t->help,
		       t->name);
	t->begun = true;
	append(t, "cpucycles_%s", t->name);
	for (size_t i = 0; labels && labels[i].key; i++) {
		append(t, "%c%s=\"", i ? ',' : '{', labels[i].key);
		put_value(t, labels[i].value);
		append(t, "\"");
	}
	append(t, "%s %.15g\n", labels ? "}" : "", value);
}

/* A metric of one sample. */
static void gauge(struct text *t, const char *name, const char *help, const struct label labels[],
		  double value)
{
	metric(t, name, help);
	sample(t, labels, value);
}

static void put_machine(struct text *t, const struct metrics_setting *setting)
{
	gauge(t, "build_info", "Version of the library, and release of the kernel.",
	      LABELS({ "version", cpucycles_version() }, { "kernel", setting->kernel }), 1);
	gauge(t, "machine_info", "Model and architecture of the CPU.",
	      LABELS({ "model", setting->model }, { "architecture", MACHINE_ARCHITECTURE }), 1);
}

/* Why the counter of this rank does not work here; "" if it works. */
static void reason_of(const struct inspection *in, size_t i, char reason[REASON_SIZE])
{
	const struct candidate *c = &inspect_ranking(in)[i];

	if (c->reason == REASON_NONE && inspect_in_use(in))
		c = &in->tried[i];
	if (c->reason == REASON_NONE)
		strcpy(reason, "");
	else if (c->reason == REASON_ERRNO || c->reason == REASON_SIGNAL)
		snprintf(reason, REASON_SIZE, "%s %d", reason_name(c->reason), c->detail);
	else
		snprintf(reason, REASON_SIZE, "%s", reason_name(c->reason));
}

static void put_usable(struct text *t, const struct inspection *in)
{
	const struct candidate *ranking = inspect_ranking(in);
	char reason[REASON_SIZE];

	metric(t, "usable",
	       "1 if a program can read this counter here, 0 if not, with the reason.");
	for (size_t i = 0; i < counters_count && ranking[i].counter; i++) {
		reason_of(in, i, reason);
		sample(t,
		       LABELS({ "counter", ranking[i].counter->name },
			      { "class", counter_class_name(ranking[i].counter->class) },
			      { "reason", reason }),
		       !*reason);
	}
}

/* What is known of a usable counter. False: it is unknown. */
typedef bool known_of(const struct candidate *candidate, double *value);

static bool precision_of(const struct candidate *c, double *value)
{
	*value = (double)c->precision;
	return true;
}

static bool hertz_of(const struct candidate *c, double *value)
{
	*value = (double)c->measured.hz;
	return c->measured.hz != 0;
}

static bool error_of(const struct candidate *c, double *value)
{
	*value = c->measured.ppm / PPM;
	return c->measured.hz != 0;
}

static void put_each_usable(struct text *t, const struct inspection *in, const char *name,
			    const char *help, known_of *known)
{
	const struct candidate *ranking = inspect_ranking(in);
	char reason[REASON_SIZE];
	double value;

	metric(t, name, help);
	for (size_t i = 0; i < counters_count && ranking[i].counter; i++) {
		reason_of(in, i, reason);
		if (!*reason && known(&ranking[i], &value))
			sample(t, LABELS({ "counter", ranking[i].counter->name }), value);
	}
}

static void put_counters(struct text *t, const struct inspection *in)
{
	const size_t i = counters_find(in->implementation);
	const enum counter_class class =
		i < counters_count ? counters_list[i]->class : COUNTER_LAST_RESORT;

	gauge(t, "in_use_info",
	      "The counter that cpucycles() reads, its class, and what chose it: cache or probe.",
	      LABELS({ "counter", in->implementation }, { "class", counter_class_name(class) },
		     { "selection", in->selection }),
	      1);
	put_usable(t, in);
	put_each_usable(t, in, "precision_cycles",
			"Precision in cycles, by which the counters are ranked; less is better.",
			precision_of);
	put_each_usable(t, in, "rate_hertz", "Rate of the counter, measured against the clock.",
			hertz_of);
	put_each_usable(t, in, "rate_error_ratio",
			"The rate is off by at most this part of the rate.", error_of);
}

static void put_persecond(struct text *t, const struct inspection *in)
{
	gauge(t, "persecond_hertz", "What cpucycles_persecond() returns.", NULL,
	      (double)in->persecond.hz);
	if (in->persecond.ppm >= 0)
		gauge(t, "persecond_error_ratio",
		      "persecond is off from the measured frequency by at most this part.", NULL,
		      (double)in->persecond.ppm / PPM);
	gauge(t, "persecond_info", "Who said what cpucycles_persecond() returns.",
	      LABELS({ "source", in->persecond.source }), 1);
}

/* What only a cache in use knows: the calibrator measured this. */
static void put_measured(struct text *t, const struct inspection *in)
{
	const struct rate core = in->cache.core;
	const char *check = in->cache.facts[FACT_CHECK];
	uint64_t slowest, skew;

	if (core.hz) {
		gauge(t, "core_hertz", "Frequency of the busy core, measured by the calibrator.",
		      NULL, (double)core.hz);
		gauge(t, "core_error_ratio", "The core's frequency is off by at most this part.",
		      NULL, core.ppm / PPM);
	}
	if (decimal_whole(in->cache.facts[FACT_SLOWEST], 0, &slowest))
		gauge(t, "core_slowest_hertz",
		      "Frequency of the busy core at the slowest of the calibrator's moments.",
		      NULL, (double)slowest);
	_Static_assert(DISAGREE_PPM == 50000, "this many percent");
	gauge(t, "disagreement",
	      "1 if persecond, the counter in use and the core differ by over 5 percent.", NULL,
	      in->disagreement != NULL);
	if (!strcmp(check, "agrees") || !strcmp(check, "contradicts"))
		gauge(t, "witnesses_contradict",
		      "1 if a counter and a chain of instructions differ on the core's frequency.",
		      NULL, !strcmp(check, "contradicts"));
	if (decimal_whole(in->cache.facts[FACT_SKEW], 0, &skew))
		gauge(t, "skew_seconds",
		      "The best free-running counter differs between CPUs by at most this.", NULL,
		      (double)skew / NS_PER_S);
}

static void put_tsc(struct text *t, const struct inspection *in)
{
	gauge(t, "tsc_info",
	      "State of the time-stamp counter: invariant, unstable, variable, none.",
	      LABELS({ "state", machine_tsc_name(in->tsc) }), 1);
}

static void put_cache(struct text *t, const struct inspection *in, time_t now)
{
	gauge(t, "cache_in_use", "1 if programs start from the calibration cache.", NULL,
	      inspect_in_use(in));
	gauge(t, "cache_status_info", "Whether the cache is in use, or which check it failed.",
	      LABELS({ "status", in->status }), 1);
	if (!in->exists)
		return;
	gauge(t, "cache_timestamp_seconds", "When the cache was written, in Unix time.", NULL,
	      (double)in->file.st_mtime);
	/* A clock that was set back makes no age. */
	if (now >= in->file.st_mtime)
		gauge(t, "cache_age_seconds", "Age of the cache when these metrics were taken.",
		      NULL, (double)(now - in->file.st_mtime));
}

static void put_knobs(struct text *t, const struct knobs *knobs)
{
	metric(t, "knob_open",
	       "1 if this setting of the kernel lets users reach better counters, else 0.");
	for (size_t i = 0; i < knobs->count; i++) {
		const struct knob *knob = &knobs->knob[i];
		const enum knob_state state = knob_state(knobs, knob);
		const char *name = knob->kind->sysctl ? knob->kind->sysctl : knob->path;

		if (state == KNOB_OPEN || state == KNOB_CLOSED)
			sample(t, LABELS({ "knob", name }), state == KNOB_OPEN);
	}
}

bool metrics_look(struct inspection *in, struct metrics_setting *setting)
{
	struct utsname system;

	if (!inspect_cache(in) || (!inspect_in_use(in) && !inspect_probe(in)))
		return false;
	setting->now = time(NULL);
	snprintf(setting->kernel, sizeof setting->kernel, "%.*s", (int)sizeof setting->kernel - 1,
		 uname(&system) < 0 ? "unknown" : system.release);
	inspect_model(setting->model);
	return true;
}

size_t metrics_format(const struct inspection *in, const struct metrics_setting *setting,
		      char *text, size_t size)
{
	struct text t = { .start = text, .size = size };

	put_machine(&t, setting);
	put_counters(&t, in);
	put_persecond(&t, in);
	if (inspect_in_use(in) && in->cache.library[0])
		put_measured(&t, in);
	put_tsc(&t, in);
	put_cache(&t, in, setting->now);
	put_knobs(&t, &in->knobs);
	return t.full ? 0 : t.length;
}
