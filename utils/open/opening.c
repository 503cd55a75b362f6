/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "knobs.h"
#include "log.h"
#include "opened.h"
#include "opening.h"
#include "path.h"
#include "quiet.h"
#include "watcher.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The words for what is opened, and for what is made quiet. */
struct words {
	const char *as_wanted, *other, *nothing_to_do, *nothing_done;
};

static const struct words open_words = {
	.as_wanted = "open",
	.other = "closed",
	.nothing_to_do = "nothing is closed that would be opened",
	.nothing_done = "nothing was opened in this boot",
};

static const struct words quiet_words = {
	.as_wanted = "quiet",
	.other = "not quiet",
	.nothing_to_do = "no setting is to be changed: each one is quiet, or left",
	.nothing_done = "nothing was made quiet in this boot",
};

/* What became of a recorded setting. */
struct undone {
	struct opened_setting setting;
	enum opened_state state;
	int error;
	char value[SETTING_VALUE_SIZE]; /* before it was undone */
};

/* What one run knows. */
struct run {
	const struct opening *opening;
	const struct words *words;
	struct publish_place place;
	int lock;
	struct settings settings;
	struct opened opened; /* the record of this boot; without settings if there is none */
	size_t undone_count;
	struct undone *undone; /* SETTINGS_MAX of them */
	size_t moved, staying; /* interrupts */
	char stay[256];        /* the numbers of those that stay, each after a blank */
};

static void prepare(struct run *run, const struct opening *opening)
{
	static struct setting settings[SETTINGS_MAX];
	static struct opened_setting recorded[SETTINGS_MAX];
	static struct undone undone[SETTINGS_MAX];

	*run = (struct run){
		.opening = opening,
		.words = opening->quiet ? &quiet_words : &open_words,
		.settings = { .setting = settings },
		.opened = { .setting = recorded, .size = SETTINGS_MAX },
		.undone = undone,
	};
}

enum opening_status opening_worse(enum opening_status a, enum opening_status b)
{
	if (a == OPENING_OK || b == OPENING_OK)
		return a == OPENING_OK ? b : a;
	return a < b ? a : b;
}

static void add_knob(struct settings *settings, enum knob_state state, const struct knob *knob)
{
	static const enum setting_state states[] = {
		[KNOB_OPEN] = SETTING_AS_WANTED,        [KNOB_CLOSED] = SETTING_OTHER,
		[KNOB_ABSENT] = SETTING_ABSENT,         [KNOB_NEEDLESS] = SETTING_LEFT,
		[KNOB_UNREADABLE] = SETTING_UNREADABLE,
	};
	struct setting *setting = settings_add(settings, knob->path);

	if (!setting)
		return;
	setting->state = states[state];
	setting->error = knob->error;
	snprintf(setting->found, sizeof setting->found, "%d", knob->value);
	snprintf(setting->wanted, sizeof setting->wanted, "%d", knob->kind->open);
	setting->gain = knob->kind->gain;
	setting->risk = knob->kind->risk;
	setting->sysctl = knob->kind->sysctl;
	setting->left = "no counter would be gained here";
}

static void read_settings(struct run *run)
{
	const struct opening *opening = run->opening;
	struct knobs knobs;

	if (opening->quiet) {
		quiet_read(opening->root, opening->cpu, &run->settings);
		return;
	}
	run->settings.count = run->settings.missed = 0;
	knobs_read(opening->root, &knobs);
	for (size_t i = 0; i < knobs.count; i++)
		add_knob(&run->settings, knob_state(&knobs, &knobs.knob[i]), &knobs.knob[i]);
}

static enum opening_status cannot(const char *path, const char *why)
{
	log_line(LOG_ERROR, "%s: %s: nothing was changed", path, why);
	return OPENING_FAILED;
}

/* Load the record of this boot. A record of another boot is ignored: a boot resets everything. */
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

/* An earlier run tried to move these, and was refused. */
static void leave_refused(struct run *run)
{
	for (size_t i = 0; i < run->settings.count; i++) {
		struct setting *setting = &run->settings.setting[i];

		if (setting->state != SETTING_OTHER || !opened_is_refused(&run->opened, setting))
			continue;
		setting->state = SETTING_LEFT;
		setting->left = "the kernel did not let it move";
	}
}

/* Read record and settings, and change nothing. */
static enum opening_status read_state(struct run *run)
{
	int error = publish_open(run->opening->record, PUBLISH_NO_LINK, &run->place);
	enum opening_status status = OPENING_OK;

	read_settings(run);
	run->opened.count = 0;
	if (!error)
		status = load(run);
	else if (error != -ENOENT)
		status = cannot(run->opening->record, strerror(-error));
	publish_close(&run->place);
	leave_refused(run);
	return status;
}

/* Only the last folder of the record's path is made. */
static enum opening_status cannot_begin(const char *path, int error)
{
	char above[PATH_MAX];

	snprintf(above, sizeof above, "%s", path);
	path_cut(above);
	path_cut(above);
	if (error == -ENOENT)
		return cannot(above, "there is no such folder, make it first");
	return cannot(path, error == -ENOTDIR ? "its folder is none, or a link" : strerror(-error));
}

/* Read record and settings, and keep other runs out until end(). */
static enum opening_status begin(struct run *run)
{
	const char *path = run->opening->record;
	enum opening_status status;
	int error = publish_open(path, PUBLISH_CREATE | PUBLISH_NO_LINK, &run->place);

	run->lock = -1;
	if (error)
		return cannot_begin(path, error);
	if (!is_roots(run->place.folder))
		return cannot(path, "its folder is not one that only root can write");
	run->lock = publish_lock(&run->place);
	if (run->lock == -ETIMEDOUT) {
		cannot(path, "another run holds the lock (fg continues one that is stopped)");
		return OPENING_LOCKED;
	}
	if (run->lock < 0)
		return cannot(path, strerror(-run->lock));
	publish_clean(&run->place);
	status = load(run);
	read_settings(run);
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

static enum opening_status log_unread(const struct settings *settings)
{
	enum opening_status status = settings->missed ? OPENING_NOT_ALL : OPENING_OK;

	if (settings->missed)
		log_line(LOG_WARNING, "%zu settings: left: there are more than %d",
			 settings->missed, SETTINGS_MAX);
	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *setting = &settings->setting[i];

		if (setting->state != SETTING_UNREADABLE)
			continue;
		log_line(LOG_ERROR, "%s: cannot be read: %s", setting->path,
			 strerror(-setting->error));
		status = OPENING_FAILED;
	}
	return status;
}

/* An interrupt does not move. */
static void note_stay(struct run *run, const char *number)
{
	const size_t used = strlen(run->stay);
	const int length = (int)strcspn(number, "/");

	run->staying++;
	if (used + (size_t)length + sizeof ", ..." < sizeof run->stay)
		sprintf(run->stay + used, " %.*s", length, number);
	else if (used + sizeof " ..." <= sizeof run->stay)
		strcpy(run->stay + used, " ...");
}

/* One line for all interrupts, because there are many. */
static void log_interrupts(const struct run *run)
{
	if (run->staying)
		log_line(LOG_INFO, "interrupts: %zu moved from CPU %d; %zu cannot be moved:%s",
			 run->moved, run->opening->cpu, run->staying, run->stay);
	else if (run->moved)
		log_line(LOG_INFO, "interrupts: %zu moved from CPU %d", run->moved,
			 run->opening->cpu);
}

static void log_left(struct run *run)
{
	for (size_t i = 0; i < run->settings.count; i++) {
		const struct setting *setting = &run->settings.setting[i];
		const char *number = quiet_interrupt(setting->path);

		if (setting->state != SETTING_LEFT)
			continue;
		if (number)
			note_stay(run, number);
		else
			log_line(LOG_INFO, "%s: left: %s", setting->path, setting->left);
	}
}

/* Whether somebody else has set it since this run read it: the record takes time to write. On a
 * hybrid CPU, the kernel opens the knobs rdpmc of all PMUs with the first one. */
static bool is_set_meanwhile(const struct run *run, const struct setting *setting,
			     char now[SETTING_VALUE_SIZE])
{
	return !setting_get(run->opening->root, setting->path, now) &&
	       strcmp(now, setting->found) && strcmp(now, setting->wanted);
}

/* Why the wanted value is not there. The kernel may have made another mask of it: then put back
 * what was found, because a later run would take that mask for somebody else's. */
static enum opening_status not_written(struct run *run, const struct setting *setting, int error)
{
	const char *root = run->opening->root;
	const bool is_gone = error == -ENOENT || error == -EBUSY;
	const bool refused = quiet_refuses(setting->path, error);
	const char *number = quiet_interrupt(setting->path);
	char now[SETTING_VALUE_SIZE];

	if (number && is_set_meanwhile(run, setting, now))
		setting_set(root, setting->path, setting->found);
	if (!setting_get(root, setting->path, now) &&
	    !strcmp(now, opened_find(&run->opened, setting->path)->found)) {
		if (refused)
			opened_refuse(&run->opened, setting->path);
		else
			opened_drop(&run->opened, setting->path);
	} else if (is_gone) {
		opened_drop(&run->opened, setting->path);
	}
	if (refused) {
		note_stay(run, number);
		return OPENING_OK;
	}
	if (is_gone) {
		log_line(LOG_WARNING, "%s: left: it is gone, or its CPU is offline", setting->path);
		return OPENING_NOT_ALL;
	}
	log_line(LOG_ERROR, "%s: %s cannot be written: %s", setting->path, setting->wanted,
		 strerror(-error));
	return OPENING_FAILED;
}

/* If the setting cannot be written and still has the value that was found, its entry is dropped: a
 * later --restore must not undo what somebody else chooses meanwhile. */
static enum opening_status write_setting(struct run *run, const struct setting *setting)
{
	char now[SETTING_VALUE_SIZE];
	int error;

	if (is_set_meanwhile(run, setting, now)) {
		log_line(LOG_WARNING, "%s: left: somebody set it to %s meanwhile", setting->path,
			 now);
		opened_drop(&run->opened, setting->path);
		return OPENING_NOT_ALL;
	}
	error = setting_set(run->opening->root, setting->path, setting->wanted);
	if (error)
		return not_written(run, setting, error);
	if (quiet_interrupt(setting->path))
		run->moved++;
	else
		log_line(LOG_INFO, "%s: %s -> %s", setting->path, setting->found, setting->wanted);
	return OPENING_OK;
}

static enum opening_status write_settings(struct run *run)
{
	enum opening_status status = OPENING_OK;
	const size_t recorded = run->opened.count, staying = run->staying;

	for (size_t i = 0; i < run->settings.count; i++) {
		const struct setting *setting = &run->settings.setting[i];

		if (setting->state == SETTING_OTHER && opened_find(&run->opened, setting->path))
			status = opening_worse(status, write_setting(run, setting));
	}
	log_interrupts(run);
	if (run->opened.count < recorded || run->staying > staying)
		status = opening_worse(status, save(run));
	return status;
}

/* The record is written first, so that a run that is killed can be undone. */
static enum opening_status open_all(struct run *run)
{
	enum opening_status status = log_unread(&run->settings);
	const size_t recorded = run->opened.count;
	int error;

	log_left(run);
	if (opened_add(&run->opened, &run->settings) == 0) {
		log_interrupts(run);
		log_line(LOG_INFO, "%s", run->words->nothing_to_do);
		return run->opened.count < recorded ? opening_worse(status, save(run)) : status;
	}
	error = opened_save(&run->place, &run->opened);
	if (error) {
		run->opened.count = 0;
		return cannot(run->opening->record, strerror(-error));
	}
	return opening_worse(status, write_settings(run));
}

static void undo_setting(const char *root, struct undone *undone)
{
	const struct opened_setting *setting = &undone->setting;

	undone->error = setting_get(root, setting->path, undone->value);
	undone->state = opened_state(setting, undone->error, undone->value);
	if (undone->state == OPENED_OURS)
		undone->error = setting_set(root, setting->path, setting->found);
}

static enum opening_status undone_status(const struct undone *undone)
{
	if (undone->state == OPENED_CHANGED || undone->state == OPENED_GONE)
		return OPENING_NOT_ALL;
	return undone->error ? OPENING_FAILED : OPENING_OK;
}

/* In reverse order. What could not be put back stays in the record for another try. No setting has
 * a line before log_undone(), because a terminal that is stopped would keep the rest as it is. */
static enum opening_status restore_settings(struct run *run)
{
	enum opening_status status = OPENING_OK;

	run->undone_count = 0;
	for (size_t i = run->opened.count; i-- > 0;) {
		struct undone *undone = &run->undone[run->undone_count++];

		undone->setting = run->opened.setting[i];
		undo_setting(run->opening->root, undone);
		if (undone_status(undone) != OPENING_FAILED)
			opened_drop(&run->opened, undone->setting.path);
		status = opening_worse(status, undone_status(undone));
	}
	return opening_worse(status, save(run));
}

static void log_one_undone(const struct undone *undone)
{
	const struct opened_setting *setting = &undone->setting;

	if (undone->state == OPENED_CHANGED)
		log_line(LOG_WARNING, "%s: left: somebody set it to %s since (found %s, wrote %s)",
			 setting->path, undone->value, setting->found, setting->wrote);
	else if (undone->state == OPENED_GONE)
		log_line(LOG_WARNING, "%s: left: it is gone", setting->path);
	else if (undone->error)
		log_line(LOG_ERROR,
			 "%s: %s cannot be put back: %s; set it by hand, and remove its line"
			 " from the record",
			 setting->path, setting->found, strerror(-undone->error));
	else if (undone->state == OPENED_OURS)
		log_line(LOG_INFO, "%s: %s -> %s", setting->path, setting->wrote, setting->found);
}

static void log_undone(const struct run *run)
{
	size_t moved = 0;

	for (size_t i = 0; i < run->undone_count; i++) {
		const struct undone *undone = &run->undone[i];

		if (undone->state == OPENED_OURS && !undone->error &&
		    quiet_interrupt(undone->setting.path))
			moved++;
		else
			log_one_undone(undone);
	}
	if (moved)
		log_line(LOG_INFO, "interrupts: %zu moved back", moved);
}

/* For a quiet machine: what an earlier run has changed is put back first. That run may have been
 * killed, or another CPU was to be quiet. */
static enum opening_status begin_anew(struct run *run)
{
	enum opening_status status = begin(run);

	if (status != OPENING_OK || !run->opening->quiet || run->opened.count == 0)
		return status;
	status = restore_settings(run);
	log_undone(run);
	read_settings(run);
	return status == OPENING_FAILED ? status : OPENING_OK;
}

enum opening_status opening_open(const struct opening *opening)
{
	struct run run;
	enum opening_status status;

	prepare(&run, opening);
	status = begin_anew(&run);
	if (status == OPENING_OK)
		status = open_all(&run);
	else
		run.opened.count = 0;
	end(&run);
	/* Even if this run wrote nothing: an earlier run may have been killed before it
	 * calibrated. */
	if (run.opened.count > 0 && opening->calibrator)
		status = opening_worse(status, recalibrate(opening->calibrator));
	return status;
}

/* What the watcher does: the record says what is to be put back. If the command has removed or
 * damaged the record, these are the settings that this run was going to change. */
static int undo(void *argument)
{
	struct run *run = argument;
	char boot[MACHINE_BOOT_SIZE];
	enum opening_status status;

	strcpy(boot, run->opened.boot);
	if (opened_load(&run->place, &run->opened) || strcmp(run->opened.boot, boot)) {
		run->opened.count = 0;
		strcpy(run->opened.boot, boot);
		opened_add(&run->opened, &run->settings);
	}
	status = restore_settings(run);
	end(run);
	log_undone(run);
	return (int)status;
}

enum opening_status opening_around(const struct opening *opening, void (*work)(void *),
				   void *argument)
{
	enum opening_status status;
	struct watcher watcher;
	struct run run;
	int error;

	prepare(&run, opening);
	status = begin_anew(&run);
	error = status == OPENING_OK ? watcher_start(&watcher, undo, &run) : 0;
	if (error)
		status = cannot("a process that puts everything back", strerror(-error));
	if (error || status != OPENING_OK) {
		end(&run);
		return OPENING_NOT_RUN;
	}
	if (run.undone_count > 0)
		log_line(LOG_WARNING, "what an earlier --quiet changed is put back: after the"
				      " command the machine is not quiet");
	status = open_all(&run);
	if (status == OPENING_OK || status == OPENING_NOT_ALL)
		work(argument);
	/* The watcher shares the lock, and gives it back when all is undone. */
	if (watcher_end(&watcher) < 0)
		undo(&run);
	close(run.lock);
	publish_close(&run.place);
	return status == OPENING_FAILED ? OPENING_NOT_RUN : OPENING_OK;
}

enum opening_status opening_restore(const struct opening *opening)
{
	struct run run;
	enum opening_status status;
	bool recorded;

	prepare(&run, opening);
	status = begin(&run);
	recorded = status == OPENING_OK && run.opened.count > 0;
	if (recorded)
		status = restore_settings(&run);
	else if (status == OPENING_OK)
		log_line(LOG_INFO, "%s: %s", opening->record, run.words->nothing_done);
	end(&run);
	log_undone(&run);
	if (recorded && opening->calibrator)
		status = opening_worse(status, recalibrate(opening->calibrator));
	return status;
}

/* Print something of each setting, and change nothing. other: the status if one is not as wanted.
 */
static enum opening_status each_setting(const struct opening *opening, enum opening_status other,
					const char *before,
					void (*print)(const struct run *, const struct setting *))
{
	struct run run;
	enum opening_status status;

	prepare(&run, opening);
	status = read_state(&run);
	if (status != OPENING_OK)
		return status;
	fputs(before, stdout);
	if (opening->quiet)
		printf("CPU %d: the one that is to be quiet\n", opening->cpu);
	for (size_t i = 0; i < run.settings.count; i++) {
		print(&run, &run.settings.setting[i]);
		if (run.settings.setting[i].state == SETTING_OTHER)
			status = other;
	}
	return opening_worse(status, log_unread(&run.settings));
}

/* Print a setting that is not changed, up to the reason. False: it is to be changed, and nothing is
 * printed. */
static bool print_unchanged(const struct setting *setting)
{
	switch (setting->state) {
	case SETTING_ABSENT:
		printf("%s: not there\n", setting->path);
		return true;
	case SETTING_UNREADABLE:
		printf("%s: %s\n", setting->path, strerror(-setting->error));
		return true;
	case SETTING_LEFT:
		printf("%s: %s%sleft: %s\n", setting->path, setting->found,
		       *setting->found ? ": " : "", setting->left);
		return true;
	default:
		return false;
	}
}

static void print_dry_open(const struct run *run, const struct setting *setting)
{
	if (print_unchanged(setting))
		return;
	if (setting->state == SETTING_OTHER)
		printf("%s: %s -> %s: %s\n", setting->path, setting->found, setting->wanted,
		       setting->gain);
	else
		printf("%s: %s: left: it is %s\n", setting->path, setting->found,
		       run->words->as_wanted);
}

enum opening_status opening_dry_open(const struct opening *opening)
{
	return each_setting(opening, OPENING_OK, "", print_dry_open);
}

static enum opening_status print_dry_restore(const struct opening *opening,
					     const struct opened_setting *setting)
{
	char value[SETTING_VALUE_SIZE];
	int error = setting_get(opening->root, setting->path, value);

	switch (opened_state(setting, error, value)) {
	case OPENED_OURS:
		printf("%s: %s -> %s: as it was found\n", setting->path, setting->wrote,
		       setting->found);
		return OPENING_OK;
	case OPENED_BACK:
		printf("%s: %s: left: as it was found\n", setting->path, value);
		return OPENING_OK;
	case OPENED_CHANGED:
		printf("%s: %s: left: somebody set it since (found %s, wrote %s)\n", setting->path,
		       value, setting->found, setting->wrote);
		return OPENING_NOT_ALL;
	default:
		printf("%s: %s\n", setting->path, strerror(-error));
		return error == -ENOENT ? OPENING_NOT_ALL : OPENING_FAILED;
	}
}

enum opening_status opening_dry_restore(const struct opening *opening)
{
	struct run run;
	enum opening_status status;

	prepare(&run, opening);
	status = read_state(&run);
	if (status != OPENING_OK)
		return status;
	if (run.opened.count == 0)
		printf("%s: %s\n", opening->record, run.words->nothing_done);
	for (size_t i = run.opened.count; i-- > 0;)
		status = opening_worse(status, print_dry_restore(opening, &run.opened.setting[i]));
	return status;
}

/* Whether gain and risk, which settings of one kind share, are printed with an earlier one. */
static bool is_repeated(const struct settings *settings, const struct setting *setting)
{
	for (const struct setting *one = settings->setting; one < setting; one++)
		if (one->gain == setting->gain &&
		    (one->state == SETTING_OTHER || one->state == SETTING_AS_WANTED))
			return true;
	return false;
}

/* Gain and risk are printed only of settings that this program would change. */
static void print_check(const struct run *run, const struct setting *setting)
{
	const struct opened_setting *opened = opened_find(&run->opened, setting->path);

	if (print_unchanged(setting))
		return;
	printf("%s: %s: %s", setting->path, setting->found,
	       setting->state == SETTING_OTHER ? run->words->other : run->words->as_wanted);
	if (opened && !strcmp(setting->found, opened->wrote))
		printf(" by cpucycles-open, which found %s", opened->found);
	putchar('\n');
	if (!is_repeated(&run->settings, setting))
		printf("    gain: %s\n    risk: %s\n", setting->gain, setting->risk);
}

enum opening_status opening_check(const struct opening *opening)
{
	return each_setting(opening, OPENING_NOT_ALL, "", print_check);
}

/* Whether a line is printed that opens the knob at boot. If it is open without this program, none
 * is: the line might close it. */
static bool is_wanted(const struct run *run, const struct setting *setting)
{
	const struct opened_setting *opened = opened_find(&run->opened, setting->path);

	return setting->state == SETTING_OTHER ||
	       (opened && !setting->error && !strcmp(setting->found, opened->wrote));
}

static void print_line(const struct run *run, const struct setting *setting)
{
	if (!is_wanted(run, setting)) {
		if (setting->state == SETTING_AS_WANTED)
			printf("# %s: %s: open as it is\n",
			       setting->sysctl ? setting->sysctl : setting->path, setting->found);
		return;
	}
	printf("# gain: %s\n# risk: %s\n", setting->gain, setting->risk);
	if (setting->sysctl)
		printf("%s = %s\n", setting->sysctl, setting->wanted);
	else
		printf("# No sysctl. A line for /etc/tmpfiles.d/cpucycles.conf:\n"
		       "# w %s - - - - %s\n",
		       setting->path, setting->wanted);
}

enum opening_status opening_print_sysctl(const struct opening *opening)
{
	return each_setting(opening, OPENING_OK,
			    "# Printed by cpucycles-open " PACKAGE_VERSION
			    ", see cpucycles-open(8).\n"
			    "# For /etc/sysctl.d/60-cpucycles.conf.\n",
			    print_line);
}
