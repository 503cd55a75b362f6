/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The fields of a PMU's events, as sysfs describes them: "config:0-7,32-35" says where the value of
 * a term stands. Pure. Source: in the kernel, Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-format and -events.
 */

#ifndef CPUCYCLES_EVENT_FIELD_H
#define CPUCYCLES_EVENT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event as perf_event_open(2) takes it: config, config1 and config2. */
#define EVENT_CONFIGS 3

struct event_config {
	uint64_t value[EVENT_CONFIGS];
	uint64_t taken[EVENT_CONFIGS]; /* bits that a term has filled */
};

/* Put the value into the bits of this format, lowest bit first. 0; -EINVAL: the format is none that
 * is known; -ERANGE: the value has more bits; -EEXIST: another term has filled one of these bits,
 * or a code that was there before has set one. After an error *config is as before. */
int event_field_place(const char *format, uint64_t value, struct event_config *config);

/* The next term of "event=0x3c,umask=1,edge". Without a value it is 1. *terms moves after it.
 * False: there is none left, or *bad: what stands at *terms is no term. */
struct event_term {
	char name[64];
	uint64_t value;
	bool has_value; /* it was said */
};
bool event_term_next(const char **terms, struct event_term *term, bool *bad);

#endif
