/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "source.h"
#include "cpucycles.h"
#include "reason.h"
#include "tsc.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define NS_PER_S 1000000000u

static int unit_of(const char *class_name)
{
	if (!strcmp(class_name, "os-clock"))
		return CPUCYCLES_UNIT_NS;
	return strcmp(class_name, "off-core") ? CPUCYCLES_UNIT_CYCLES : CPUCYCLES_UNIT_TICKS;
}

/* The readers of the time-stamp counter give its ticks as they are. */
static bool reads_tsc(const char *name)
{
	return TSC_IS_HERE && (!strncmp(name, "amd64-tsc", 9) || !strncmp(name, "x86-tsc", 7));
}

/* What happened, in the library's words, and as errno or a signal tells it. Some filters of system
 * calls answer by SIGSYS where others answer by ENOSYS. */
static void say_why(const struct cpucycles_counter *c, struct reason_text *reason)
{
	if (!strcmp(c->reason, "errno"))
		reason_say(reason, c->error, "%s: %s", c->name, strerror(c->error));
	else if (!strcmp(c->reason, "signal"))
		reason_say(reason, c->signal_number == SIGSYS ? ENOSYS : 0, "%s: signal %d (%s)",
			   c->name, c->signal_number, strsignal(c->signal_number));
	else if (!strcmp(c->reason, "closed") && c->error)
		reason_say(reason, c->error, "%s: the page of its perf event cannot be mapped: %s",
			   c->name, strerror(c->error));
	else if (!strcmp(c->reason, "closed"))
		reason_say(reason, EACCES, "%s: the kernel keeps the register closed", c->name);
	else
		reason_say(reason, 0, "%s: %s", c->name, c->reason);
	/* perf_event_open(2): what mmap(2) of an event's page says beyond that limit. */
	if (!strcmp(c->reason, "closed") && c->error == EPERM)
		reason_remedy(reason, "end this user's other programs that use perf events, or "
				      "raise kernel.perf_event_mlock_kb or ulimit -l");
}

int source_look(unsigned i, struct source *source, struct reason_text *reason)
{
	struct cpucycles_counter c = { .size = sizeof c };
	const int error = cpucycles_counter_look(cpucycles_counter_name(i), &c);

	if (error)
		return error;
	*source = (struct source){
		.name = c.name,
		.lost = cpucycles_counter_lost,
		.number = i,
		.unit = unit_of(c.class_name),
		.units = 1,
		.hz = (uint64_t)c.hz,
		.hz_ppm = (uint64_t)c.hz_ppm,
		.own_thread = c.own_thread,
		.read_register = c.read_register,
		.in_use = c.in_use,
		.is_tsc = reads_tsc(c.name),
	};
	if (source->unit == CPUCYCLES_UNIT_NS && source->hz) {
		source->units = (double)NS_PER_S / (double)source->hz;
		/* The clock may be made of the counts of a register: whole ticks, then whole
		 * nanoseconds. They are scaled to whole counts, unless they are these. */
		source->rounding = 1 + (source->hz == NS_PER_S ? 0 : source->units);
		source->hz = NS_PER_S;
	}
	if (!c.reason)
		return 0;
	say_why(&c, reason);
	return -ENOTSUP;
}

int source_ready(struct source *source, struct reason_text *reason)
{
	const int error = cpucycles_counter_ready(source->name, &source->read);

	if (error)
		reason_say(reason, -error, "%s: it worked a moment ago: %s", source->name,
			   strerror(-error));
	return error;
}

bool source_is_lost(const struct source *source)
{
	return source->lost && source->lost(source->name) == 1;
}
