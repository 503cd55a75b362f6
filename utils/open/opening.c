/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "opened.h"
#include "opening.h"
#include "streams.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What one run knows. */
struct run {
	const struct opening *opening;
	struct publish_place place;
	int lock;
	struct knobs knobs;
	struct opened opened; /* the record of this boot; without knobs if there is none */
};

/* If more than one thing went wrong in a run, the smaller status is the worse one. */
static enum opening_status worse(enum opening_status a, enum opening_status b)
{
	if (a == OPENING_OK || b == OPENING_OK)
		return a == OPENING_OK ? b : a;
	return a < b ? a : b;
}

static enum opening_status cannot(const char *path, const char *why)
{
	log_line(LOG_ERROR, "%s: %s: nothing was changed", path, why);
	return OPENING_FAILED;
}

static enum opening_status written(enum opening_status status)
{
	return streams_written() ? status : OPENING_FAILED;
}

/* Load the record of this boot. A record of another boot is ignored: a boot resets the knobs. */
static enum opening_status load(struct run *run)
{
	const char *path = run->opening->record;
	char boot[MACHINE_BOOT_SIZE];
	int error = machine_boot(boot);

	if (error)
		return cannot("/proc/sys/kernel/random/boot_id", strerror(-error));
	error = opened_load(&run->place, &run->opened);
	if (error > 0) {
		log_line(LOG_ERROR, "%s:%d: not as cpucycles-open writes it: nothing was changed",
			 path, error);
		return OPENING_FAILED;
	}
	if (error == -EPERM || error == -ELOOP)
		return cannot(path, "not a regular file that only root can write");
	if (error && error != -ENOENT)
		return cannot(path, strerror(-error));
	if (error || strcmp(run->opened.boot, boot))
		run->opened.count = 0;
	strcpy(run->opened.boot, boot);
	return OPENING_OK;
}

/* Whether only root can write the folder. Others could put a record of their own there. */
static bool is_roots(int folder)
{
	struct stat status;

	return !fstat(folder, &status) && status.st_uid == 0 &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Read record and knobs, and change nothing. */
static enum opening_status read_state(struct run *run)
{
	int error = publish_open(run->opening->record, PUBLISH_NO_LINK, &run->place);
	enum opening_status status = OPENING_OK;

	knobs_read(run->opening->root, &run->knobs);
	run->opened.count = 0;
	if (!error)
		status = load(run);
	else if (error != -ENOENT)
		status = cannot(run->opening->record, strerror(-error));
	publish_close(&run->place);
	return status;
}

/* Read record and knobs, and keep other runs out until end(). */
static enum opening_status begin(struct run *run)
{
	const char *path = run->opening->record;
	enum opening_status status;
	int error = publish_open(path, PUBLISH_CREATE | PUBLISH_NO_LINK, &run->place);

	run->lock = -1;
	if (error)
		return cannot(path, error == -ENOTDIR ? "its folder is none, or a link" :
							strerror(-error));
	if (!is_roots(run->place.folder))
		return cannot(path, "its folder is not one that only root can write");
	run->lock = publish_lock(&run->place);
	if (run->lock == -ETIMEDOUT) {
		cannot(path, "another run holds the lock");
		return OPENING_LOCKED;
	}
	if (run->lock < 0)
		return cannot(path, strerror(-run->lock));
	publish_clean(&run->place);
	status = load(run);
	knobs_read(run->opening->root, &run->knobs);
	return status;
}

static void end(struct run *run)
{
	if (run->lock >= 0)
		publish_unlock(&run->place, run->lock);
	publish_close(&run->place);
}

/* Write the record again after entries were dropped. */
static enum opening_status save(const struct run *run)
{
	int error = opened_save(&run->place, &run->opened);

	if (!error)
		return OPENING_OK;
	log_line(LOG_ERROR, "%s: cannot be written: %s", run->opening->record, strerror(-error));
	return OPENING_FAILED;
}

static enum opening_status log_unreadable(const struct knobs *knobs)
{
	enum opening_status status = OPENING_OK;

	for (size_t i = 0; i < knobs->count; i++) {
		const struct knob *knob = &knobs->knob[i];

		if (knob_state(knobs, knob) != KNOB_UNREADABLE)
			continue;
		log_line(LOG_ERROR, "%s: cannot be read: %s", knob->path, strerror(-knob->error));
		status = OPENING_FAILED;
	}
	return status;
}

/* Whether somebody else has set the knob since this run read it: the record takes time to write. On
 * a hybrid CPU, the kernel opens the knobs rdpmc of all PMUs with the first one. */
static bool is_set_meanwhile(const struct run *run, const struct knob *knob, int *now)
{
	return !knob_get(run->opening->root, knob->path, now) && *now != knob->value &&
	       *now != knob->kind->open;
}

/* If the knob cannot be written and still has the value that was found, its entry is dropped: a
 * later --restore must not undo what somebody else chooses meanwhile. */
static enum opening_status open_knob(struct run *run, const struct knob *knob)
{
	const char *root = run->opening->root;
	int now, error;

	if (is_set_meanwhile(run, knob, &now)) {
		log_line(LOG_WARNING, "%s: left: somebody set it to %d meanwhile", knob->path, now);
		opened_drop(&run->opened, knob->path);
		return OPENING_NOT_ALL;
	}
	error = knob_set(root, knob->path, knob->kind->open);
	if (!error) {
		log_line(LOG_INFO, "%s: %d -> %d", knob->path, knob->value, knob->kind->open);
		return OPENING_OK;
	}
	log_line(LOG_ERROR, "%s: %d cannot be written: %s", knob->path, knob->kind->open,
		 strerror(-error));
	if (!knob_get(root, knob->path, &now) &&
	    now == opened_find(&run->opened, knob->path)->found)
		opened_drop(&run->opened, knob->path);
	return OPENING_FAILED;
}

static enum opening_status open_knobs(struct run *run)
{
	enum opening_status status = OPENING_OK;
	const size_t recorded = run->opened.count;

	for (size_t i = 0; i < run->knobs.count; i++) {
		const struct knob *knob = &run->knobs.knob[i];

		if (knob_state(&run->knobs, knob) == KNOB_CLOSED &&
		    opened_find(&run->opened, knob->path))
			status = worse(status, open_knob(run, knob));
	}
	if (run->opened.count < recorded)
		status = worse(status, save(run));
	return status;
}

/* The record is written first, so that a run that is killed can be undone. */
static enum opening_status open_all(struct run *run)
{
	enum opening_status status = log_unreadable(&run->knobs);
	const size_t recorded = run->opened.count;
	int error;

	if (opened_add(&run->opened, &run->knobs) == 0) {
		log_line(LOG_INFO, "nothing is closed that would be opened");
		return run->opened.count < recorded ? worse(status, save(run)) : status;
	}
	error = opened_save(&run->place, &run->opened);
	if (error) {
		run->opened.count = 0;
		return cannot(run->opening->record, strerror(-error));
	}
	return worse(status, open_knobs(run));
}

enum opening_status opening_open(const struct opening *opening)
{
	struct run run = { .opening = opening };
	enum opening_status status = begin(&run);

	if (status == OPENING_OK)
		status = open_all(&run);
	else
		run.opened.count = 0;
	end(&run);
	/* Even if this run wrote nothing: an earlier run may have been killed before it
	 * calibrated. */
	if (run.opened.count > 0)
		status = worse(status, recalibrate(opening->calibrator));
	return status;
}

static enum opening_status restore_knob(const struct opening *opening,
					const struct opened_knob *knob)
{
	int value = 0;
	int error = knob_get(opening->root, knob->path, &value);
	const enum opened_state state = opened_state(knob, error, value);

	if (state == OPENED_OURS)
		error = knob_set(opening->root, knob->path, knob->found);
	if (state == OPENED_BACK) {
		log_line(LOG_INFO, "%s: is %d already", knob->path, knob->found);
	} else if (state == OPENED_CHANGED) {
		log_line(LOG_WARNING, "%s: left: somebody set it to %d since (found %d, wrote %d)",
			 knob->path, value, knob->found, knob->wrote);
		return OPENING_NOT_ALL;
	} else if (state == OPENED_GONE) {
		log_line(LOG_WARNING, "%s: left: it is gone", knob->path);
		return OPENING_NOT_ALL;
	} else if (error) {
		log_line(LOG_ERROR, "%s: %d cannot be put back: %s", knob->path, knob->found,
			 strerror(-error));
		return OPENING_FAILED;
	} else {
		log_line(LOG_INFO, "%s: %d -> %d", knob->path, knob->wrote, knob->found);
	}
	return OPENING_OK;
}

/* Knobs that could not be put back stay in the record for another try. */
static enum opening_status restore_knobs(struct run *run)
{
	const struct opened record = run->opened;
	enum opening_status status = OPENING_OK;

	for (size_t i = 0; i < record.count; i++) {
		const enum opening_status one = restore_knob(run->opening, &record.knob[i]);

		if (one != OPENING_FAILED)
			opened_drop(&run->opened, record.knob[i].path);
		status = worse(status, one);
	}
	return worse(status, save(run));
}

enum opening_status opening_restore(const struct opening *opening)
{
	struct run run = { .opening = opening };
	enum opening_status status = begin(&run);
	bool recorded = status == OPENING_OK && run.opened.count > 0;

	if (recorded)
		status = restore_knobs(&run);
	else if (status == OPENING_OK)
		log_line(LOG_INFO, "%s: nothing was opened in this boot", opening->record);
	end(&run);
	if (recorded)
		status = worse(status, recalibrate(opening->calibrator));
	return status;
}

/* Print something of each knob, and change nothing. closed: what a closed knob means. */
static enum opening_status each_knob(const struct opening *opening, enum opening_status closed,
				     const char *before,
				     void (*print)(const struct run *, const struct knob *))
{
	struct run run = { .opening = opening };
	enum opening_status status = read_state(&run);

	if (status != OPENING_OK)
		return status;
	fputs(before, stdout);
	for (size_t i = 0; i < run.knobs.count; i++) {
		print(&run, &run.knobs.knob[i]);
		if (knob_state(&run.knobs, &run.knobs.knob[i]) == KNOB_CLOSED)
			status = closed;
	}
	return written(worse(status, log_unreadable(&run.knobs)));
}

static void print_dry_open(const struct run *run, const struct knob *knob)
{
	const enum knob_state state = knob_state(&run->knobs, knob);

	if (state == KNOB_ABSENT)
		printf("%s: not there\n", knob->path);
	else if (state == KNOB_UNREADABLE)
		printf("%s: cannot be read: %s\n", knob->path, strerror(-knob->error));
	else if (state == KNOB_CLOSED)
		printf("%s: %d -> %d: %s\n", knob->path, knob->value, knob->kind->open,
		       knob->kind->gain);
	else
		printf("%s: %d: left: %s\n", knob->path, knob->value,
		       state == KNOB_OPEN ? "it is open" : "no counter would be gained here");
}

enum opening_status opening_dry_open(const struct opening *opening)
{
	return each_knob(opening, OPENING_OK, "", print_dry_open);
}

static enum opening_status print_dry_restore(const struct opening *opening,
					     const struct opened_knob *knob)
{
	int value = 0;
	int error = knob_get(opening->root, knob->path, &value);

	switch (opened_state(knob, error, value)) {
	case OPENED_OURS:
		printf("%s: %d -> %d: as it was found\n", knob->path, knob->wrote, knob->found);
		return OPENING_OK;
	case OPENED_BACK:
		printf("%s: %d: left: as it was found\n", knob->path, value);
		return OPENING_OK;
	case OPENED_CHANGED:
		printf("%s: %d: left: somebody set it since (found %d, wrote %d)\n", knob->path,
		       value, knob->found, knob->wrote);
		return OPENING_NOT_ALL;
	default:
		printf("%s: %s\n", knob->path, strerror(-error));
		return error == -ENOENT ? OPENING_NOT_ALL : OPENING_FAILED;
	}
}

enum opening_status opening_dry_restore(const struct opening *opening)
{
	struct run run = { .opening = opening };
	enum opening_status status = read_state(&run);

	if (status != OPENING_OK)
		return status;
	if (run.opened.count == 0)
		printf("%s: nothing was opened in this boot\n", opening->record);
	for (size_t i = 0; i < run.opened.count; i++)
		status = worse(status, print_dry_restore(opening, &run.opened.knob[i]));
	return written(status);
}

/* Gain and risk are printed only of knobs that this program would open. */
static void print_check(const struct run *run, const struct knob *knob)
{
	const struct opened_knob *opened = opened_find(&run->opened, knob->path);
	const enum knob_state state = knob_state(&run->knobs, knob);

	if (knob->error) {
		printf("%s: %s\n", knob->path,
		       state == KNOB_ABSENT ? "not there" : strerror(-knob->error));
		return;
	}
	printf("%s: %d: %s", knob->path, knob->value,
	       state == KNOB_OPEN   ? "open" :
	       state == KNOB_CLOSED ? "closed" :
				      "left: opening it would gain no counter here");
	if (opened && knob->value == opened->wrote)
		printf(" by cpucycles-open, which found %d", opened->found);
	printf("\n");
	if (state != KNOB_NEEDLESS)
		printf("    gain: %s\n    risk: %s\n", knob->kind->gain, knob->kind->risk);
}

enum opening_status opening_check(const struct opening *opening)
{
	return each_knob(opening, OPENING_NOT_ALL, "", print_check);
}

/* Whether a setting is printed for the knob. If it is open without this program, none is: the
 * setting might close it. */
static bool is_wanted(const struct run *run, const struct knob *knob)
{
	const struct opened_knob *opened = opened_find(&run->opened, knob->path);

	return knob_state(&run->knobs, knob) == KNOB_CLOSED ||
	       (opened && !knob->error && knob->value == opened->wrote);
}

static void print_line(const struct run *run, const struct knob *knob)
{
	const struct knob_kind *kind = knob->kind;

	if (!is_wanted(run, knob)) {
		if (knob_state(&run->knobs, knob) == KNOB_OPEN)
			printf("# %s: %d: open as it is\n",
			       kind->sysctl ? kind->sysctl : knob->path, knob->value);
		return;
	}
	printf("# gain: %s\n# risk: %s\n", kind->gain, kind->risk);
	if (kind->sysctl)
		printf("%s = %d\n", kind->sysctl, kind->open);
	else
		printf("# No sysctl. A line for /etc/tmpfiles.d/cpucycles.conf:\n"
		       "# w %s - - - - %d\n",
		       knob->path, kind->open);
}

enum opening_status opening_print_sysctl(const struct opening *opening)
{
	return each_knob(opening, OPENING_OK,
			 "# Printed by cpucycles-open " PACKAGE_VERSION ", see cpucycles-open(8).\n"
			 "# For /etc/sysctl.d/60-cpucycles.conf.\n",
			 print_line);
}
