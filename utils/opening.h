/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-open does. Results go to standard output, decisions and errors to the log. */

#ifndef CPUCYCLES_OPENING_H
#define CPUCYCLES_OPENING_H

/* Exit statuses, documented in cpucycles-open(8). */
enum opening_status {
	OPENING_OK = 0,
	OPENING_FAILED = 1,
	OPENING_USAGE = 2,
	OPENING_LOCKED = 3,
	OPENING_NOT_CALIBRATED = 4, /* the knobs are as asked for */
	OPENING_NOT_ALL = 5         /* a knob is closed (check), or was left (restore) */
};

struct opening {
	const char *root;       /* "" or a made tree */
	const char *record;     /* path */
	const char *calibrator; /* path */
};

/* Open what is closed, record what was found, calibrate. */
enum opening_status opening_open(const struct opening *opening);

/* Put back what the record of this boot says, calibrate. */
enum opening_status opening_restore(const struct opening *opening);

/* These change nothing and need no privilege. */

enum opening_status opening_dry_open(const struct opening *opening);
enum opening_status opening_dry_restore(const struct opening *opening);

/* Each knob with its state, what is gained and what is risked. */
enum opening_status opening_check(const struct opening *opening);

/* What a sysadmin would install to have the knobs of this machine open at each boot. */
enum opening_status opening_print_sysctl(const struct opening *opening);

#endif
