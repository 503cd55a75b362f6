/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-open does. Results go to standard output; decisions and errors go to the log. */

#ifndef CPUCYCLES_OPENING_H
#define CPUCYCLES_OPENING_H

/* Exit statuses, documented in cpucycles-open(8). */
enum opening_status {
	OPENING_OK = 0,
	OPENING_FAILED = 1,
	OPENING_USAGE = 2,
	OPENING_LOCKED = 3,
	OPENING_NOT_CALIBRATED = 4, /* the knobs are as wanted, but the calibrator failed */
	OPENING_NOT_ALL = 5         /* a knob is closed (check), or was left to somebody else */
};

struct opening {
	const char *root;       /* "", in tests a folder with files in place of the knobs */
	const char *record;     /* path of the record */
	const char *calibrator; /* path of the calibrator */
};

/* Run the calibrator: see recalibrate.c. path: of it. OPENING_OK, or OPENING_NOT_CALIBRATED when a
 * line says why. */
enum opening_status recalibrate(const char *path);

/* Record the closed knobs, open them, and calibrate. */
enum opening_status opening_open(const struct opening *opening);

/* Put back what the record of this boot says, and calibrate. */
enum opening_status opening_restore(const struct opening *opening);

/* The functions below change nothing and need no privilege. */

enum opening_status opening_dry_open(const struct opening *opening);
enum opening_status opening_dry_restore(const struct opening *opening);

/* Print each knob with its state, and what is gained and risked by opening it. */
enum opening_status opening_check(const struct opening *opening);

/* Print settings that a sysadmin can install to open the knobs of this machine at each boot. */
enum opening_status opening_print_sysctl(const struct opening *opening);

#endif
