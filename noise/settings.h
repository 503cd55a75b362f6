/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The settings of one CPU that decide how fast it runs, as the kernel tells them, and how much
 * memory there is for a look. */

#ifndef CPUCYCLES_SETTINGS_H
#define CPUCYCLES_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define SETTINGS_TEXT 32

struct noise_settings {
	bool guest;                   /* a virtual machine */
	char governor[SETTINGS_TEXT]; /* of cpufreq; "": there is none */
	bool boost;                   /* the core may run faster than its nominal frequency */
	bool idle_states;             /* cpuidle has a state below the first */
	uint64_t hot;                 /* how often the CPU was too hot, since boot */
	char siblings[SETTINGS_TEXT]; /* the CPUs of this core, such as "0,4" */
	uint64_t room;                /* KiB of memory that this process may still take */
};

/* A file that is missing or strange leaves its part at false, 0 or "", and says nothing against
 * room. root: "", in tests a folder with a made /proc and /sys. */
void settings_read(const char *root, int cpu, struct noise_settings *settings);

#endif
