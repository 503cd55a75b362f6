/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-open does. Results go to standard output; decisions and errors go to the log. */

#ifndef CPUCYCLES_OPENING_H
#define CPUCYCLES_OPENING_H

#include <stdbool.h>

/* Exit statuses, documented in cpucycles-open(8). */
enum opening_status {
	OPENING_OK = 0,
	OPENING_FAILED = 1,
	OPENING_USAGE = 2,
	OPENING_LOCKED = 3,
	OPENING_NOT_CALIBRATED = 4, /* the knobs are as wanted, but the calibrator failed */
	OPENING_NOT_ALL = 5,        /* a knob is closed (check), or was left to somebody else */
	OPENING_NOT_RUN = 125       /* the command was not run, and all is as it was */
};

/* What is changed: the knobs are opened, or the machine is made quiet. */
struct opening {
	const char *root;       /* "", in tests a folder with files in place of the settings */
	const char *record;     /* path of the record */
	const char *calibrator; /* path of the calibrator; NULL: none is run */
	bool quiet;
	int cpu; /* that is to be quiet */
};

/* If more than one thing went wrong, the smaller status is the worse one. */
enum opening_status opening_worse(enum opening_status a, enum opening_status b);

/* Run the calibrator: see recalibrate.c. path: of it. OPENING_OK, or OPENING_NOT_CALIBRATED when a
 * line says why. */
enum opening_status recalibrate(const char *path);

/* Record what is to be changed, change it, and calibrate. */
enum opening_status opening_open(const struct opening *opening);

/* Put back what the record of this boot says, and calibrate. */
enum opening_status opening_restore(const struct opening *opening);

/* Make the machine quiet, do the work, and put everything back, also if this process is killed
 * meanwhile. OPENING_NOT_RUN: the work was not done. */
enum opening_status opening_around(const struct opening *opening, void (*work)(void *),
				   void *argument);

/* The functions below change nothing and need no privilege. */

enum opening_status opening_dry_open(const struct opening *opening);
enum opening_status opening_dry_restore(const struct opening *opening);

/* Print each knob with its state, and what is gained and risked by opening it. */
enum opening_status opening_check(const struct opening *opening);

/* Print settings that a sysadmin can install to open the knobs of this machine at each boot. */
enum opening_status opening_print_sysctl(const struct opening *opening);

#endif
