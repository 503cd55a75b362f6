/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the kernel says of its PMUs in sysfs, or in a tree that a test makes. Source: in the kernel,
 * Documentation/ABI/testing/sysfs-bus-event_source-devices*. A tree may hold anything: what makes
 * no sense is an error, and nothing is guessed. */

#ifndef CPUCYCLES_EVENT_SYSFS_H
#define CPUCYCLES_EVENT_SYSFS_H

#include "field.h"
#include "name.h"

#include <stdbool.h>
#include <stdint.h>

#define EVENT_SYSFS "/sys/bus/event_source/devices"

struct event_pmu {
	char name[EVENT_TEXT];
	uint32_t type; /* for perf_event_open(2) */
	bool core;     /* of CPU cores: one event of a thread counts on it wherever it runs */
	char cpus[64]; /* of this kind of core, as the file "cpus" says; a list that is too long for
			* this ends in dots; empty: all */
};

/* The PMU of this name below root. 0; -ENOENT: there is none, or it is one of cores of which none
 * is online; -EINVAL: its files make no sense; another errno: a file cannot be read. *reason says
 * which. */
int event_sysfs_pmu(const char *root, const char *name, struct event_pmu *pmu,
		    struct reason_text *reason);

/* The PMUs of cores, sorted by name: one for each kind of core that is online. *n may be 0 where
 * sysfs has none. 0; -E2BIG: there are more than EVENT_KINDS_MAX; or what event_sysfs_pmu() says of
 * one, with *reason. After an error *n is 0. */
int event_sysfs_cores(const char *root, struct event_pmu pmus[EVENT_KINDS_MAX], unsigned *n,
		      struct reason_text *reason);

/* The code of PMU/TERMS/: the terms are a name in the PMU's folder "events", fields of its folder
 * "format" with values, or both with commas. config, config1 and config2 are known as well. What
 * *config held before is lost. 0; -ENOENT: no such PMU, event or field; -EINVAL: the tree or the
 * terms make no sense; another errno: a file cannot be read. *reason says why. */
int event_sysfs_code(const char *root, const char *pmu, const char *terms,
		     struct event_config *config, struct reason_text *reason);

/* Add to *config what the parts say, by the fields umask, cmask, edge and inv of that PMU. 0;
 * -ENOENT: the PMU has no such field; -EINVAL: the value does not fit, or the code has set some of
 * these bits already. *reason says which. */
int event_sysfs_parts(const char *root, const char *pmu, const struct event_parts *parts,
		      struct event_config *config, struct reason_text *reason);

/* Call back for each event of each PMU, sorted by the names of both. what: the terms of the event.
 * The callback returns false to stop. 0, or a negative errno if something was left out: a PMU that
 * event_sysfs_pmu() refuses, or an event without a line of text. All others are listed even so. */
typedef bool event_sysfs_each(void *context, const struct event_pmu *pmu, const char *event,
			      const char *what);
int event_sysfs_list(const char *root, event_sysfs_each *each, void *context);

#endif
