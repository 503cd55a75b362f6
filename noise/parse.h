/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Lines and texts of /proc and of cgroups. They may come from anywhere: all that a line lacks is
 * unknown. Pure. */

#ifndef CPUCYCLES_PARSE_H
#define CPUCYCLES_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARSE_UNKNOWN UINT64_MAX
#define PARSE_NAME 32

/* The nth field of the text, from 0; blanks separate fields. */
uint64_t parse_field(const char *text, size_t n);

/* The number that follows the key, which begins a line or follows a blank. */
uint64_t parse_after(const char *text, const char *key);

/* How much a count has risen. Unknown if one is, and if it fell. */
uint64_t parse_rise(uint64_t before, uint64_t after);

/* A line of /proc/interrupts or /proc/softirqs: what one CPU counted. */
struct parse_row {
	char key[PARSE_NAME];  /* what begins the line */
	char name[PARSE_NAME]; /* for people: the device, or what the line says */
	uint64_t count;
};

/* The column of this CPU by the first line, which leaves out CPUs that are offline. */
#define PARSE_NO_COLUMN SIZE_MAX
size_t parse_column(const char *header, int cpu);

/* False: this line has no such column. */
bool parse_row(const char *line, size_t column, struct parse_row *row);

/* A line of /proc/self/cgroup. False: it is of a hierarchy that has not this
 * controller, such as "cpu". */
struct parse_cgroup {
	bool unified; /* version 2 */
	char controllers[PARSE_NAME];
	const char *path; /* in the line */
};
bool parse_cgroup(const char *line, const char *controller, struct parse_cgroup *cgroup);

/* /proc/PID/stat: what a program is called, on which CPU it ran last, and how long it ran, in
 * ticks. When it started, in ticks since boot. */
struct parse_program {
	uint64_t pid, cpu;
	char name[PARSE_NAME];
	uint64_t ticks, start;
};
bool parse_program(const char *text, struct parse_program *program);

#endif
