/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The settings of the kernel that make a machine quiet for measurements, and the values that do. No
 * register of a CPU is written, and no CPU is taken offline. */

#ifndef CPUCYCLES_QUIET_H
#define CPUCYCLES_QUIET_H

#include "setting.h"

/*
 * Take the CPU out of a mask such as "3f,ffffffff", in place: the last digit has CPUs 0 to 3.
 * False: this is no mask, or the CPU is not in it, and nothing has changed. Pure.
 */
bool quiet_take_out(char *mask, int cpu);

/*
 * The mask of an interrupt that is to leave the CPU. If it may go to no other CPU, it gets the
 * kernel's mask for new interrupts, `usual`, without the CPU. SETTING_LEFT: that names no other CPU
 * either. SETTING_AS_WANTED: it does not go to the CPU. Pure.
 */
enum setting_state quiet_move(const char *mask, const char *usual, int cpu,
			      char wanted[SETTING_VALUE_SIZE]);

/* Whether a run for some CPU would have changed the setting in this way. An interrupt that the
 * kernel did not let move has the mask that was found. Pure. */
bool quiet_would_write(const char *path, const char *found, const char *wrote);

/* The number of the interrupt that the setting belongs to, and what follows it in the path. NULL:
 * the setting is another one. Pure. */
const char *quiet_interrupt(const char *path);

/* Whether the kernel answers so, a negative errno, if an interrupt cannot move. Other errors, such
 * as that of a read-only file system, say nothing about the interrupt. Pure. */
bool quiet_refuses(const char *path, int error);

/* Read the settings, for one quiet CPU. Interrupts that do not go to it are left out. root: "", in
 * tests a folder with files in their place. */
void quiet_read(const char *root, int cpu, struct settings *settings);

#endif
