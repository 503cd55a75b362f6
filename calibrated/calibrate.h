/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One run of the calibrator: what is known, what is probed, what is published. */

#ifndef CPUCYCLES_CALIBRATE_H
#define CPUCYCLES_CALIBRATE_H

#include <stdbool.h>

/* Exit statuses, documented in cpucycles-calibrated(8). */
enum calibrate_status {
	CALIBRATE_OK = 0,
	CALIBRATE_FAILED = 1, /* the cache could not be published */
	CALIBRATE_USAGE = 2,
	CALIBRATE_LOCKED = 3,    /* another calibrator held the lock for too long */
	CALIBRATE_NO_METRICS = 4 /* all is well, but the metrics could not be published */
};

/* The usual value is enough for 50 ppm on a busy machine. The others are the limits of --budget. */
#define CALIBRATE_BUDGET_MS 200
#define CALIBRATE_BUDGET_MIN_MS 20
#define CALIBRATE_BUDGET_MAX_MS 10000

/* The usual value is that of all programs, PUBLISH_WAIT_MS. The other is the limit of --wait. */
#define CALIBRATE_WAIT_S 10
#define CALIBRATE_WAIT_MAX_S 3600

/* Why something is not written where another run has the lock of its file. */
#define CALIBRATE_HELD "another run holds the lock; to wait longer, use --wait"

struct calibrate_options {
	const char *cache_path;
	const char *persecond_path;
	const char *boot;   /* this boot's id; NULL: the one in /proc */
	unsigned budget_ms; /* for all that is measured against a clock */
	unsigned wait_s;    /* for the lock of another run; 0: not at all */
	bool force;         /* probe even where a restamp would do */
	bool dry_run;       /* print, and publish nothing */
};

enum calibrate_status calibrate(const struct calibrate_options *options);

#endif
