/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "environment.h"
#include "explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PERMISSIONS 07777

/* Whether what keeps the counter from this process may be one of the kernel's knobs. */
static bool may_be_opened(const struct candidate *c)
{
	const enum counter_class class = c->counter->class;

	if (class != COUNTER_ON_CORE && class != COUNTER_KERNEL_COUNT)
		return false;
	return c->reason == REASON_CLOSED ||
	       (c->reason == REASON_ERRNO && (c->detail == EACCES || c->detail == EPERM));
}

void explain_reason(const struct candidate *c, char text[INSPECT_TEXT])
{
	static const char *const words[] = {
		[REASON_NONE] = "works",
		[REASON_ERRNO] = "a call failed: ",
		[REASON_SIGNAL] = "it faulted: ",
		[REASON_CLOSED] = "the kernel keeps the register from user space",
		[REASON_SCALING] = "its rate does not divide the CPU's",
		[REASON_DECREASED] = "it ran backwards in every try",
		[REASON_STILL] = "it did not move in any try",
		[REASON_PRUNED] = "it could not have won and was not tried",
		[REASON_LAST_RESORT] = "it works, but counts nothing",
	};
	const char *detail = "";

	if (c->reason == REASON_ERRNO)
		detail = strerror(c->detail);
	if (c->reason == REASON_SIGNAL)
		detail = strsignal(c->detail);
	snprintf(text, INSPECT_TEXT, "%s%s%s", words[c->reason], detail ? detail : "unknown",
		 may_be_opened(c) ? "; root may open it to users: see cpucycles-open --dry-run" : "");
}

static bool is_plain(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c && strchr("/._-+,:@%", c)) || c >= 128;
}

void explain_path(const char *path, char text[INSPECT_TEXT])
{
	size_t n = 0;
	bool plain = *path != 0;

	for (const char *p = path; *p; p++)
		plain = plain && is_plain((unsigned char)*p);
	if (!plain)
		text[n++] = '\'';
	/* Room for one more character, at most 4 long, the quote and a 0. */
	for (; *path && n < INSPECT_TEXT - 6; path++) {
		unsigned char c = (unsigned char)*path;

		if (c == '\'')
			n += (size_t)snprintf(text + n, INSPECT_TEXT - n, "'\\''");
		else
			text[n++] = c < ' ' || c == 127 ? '?' : *path;
	}
	if (!plain)
		text[n++] = '\'';
	text[n] = 0;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void problem(struct inspection *in, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(in->problem, sizeof in->problem, format, list);
	va_end(list);
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void remedy(struct inspection *in, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(in->remedy, sizeof in->remedy, format, list);
	va_end(list);
}

/* What lies where no calibrator can mend it. */
static void remedy_elsewhere(struct inspection *in)
{
	remedy(in, "name another file in CPUCYCLES_CACHE%s",
	       in->context.own ? ", or run: unset CPUCYCLES_CACHE" : "");
}

/* Whether the calibrator takes it for a file's name, and a command can have all of it. */
static bool is_nameable(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char text[INSPECT_TEXT];

	explain_path(path, text);
	return *name && strcmp(name, ".") && strcmp(name, "..") && *path != '-' &&
	       strlen(text) < INSPECT_TEXT - 8;
}

/* From a nameable path, or a folder of it, to the folder above. */
static void cut_name(char path[INSPECT_TEXT])
{
	char *slash = strrchr(path, '/');

	if (!slash)
		strcpy(path, ".");
	else
		slash[slash == path] = 0;
}

static bool is_missing(const char *folder)
{
	return access(folder, F_OK) && errno == ENOENT && strcmp(folder, ".") && strcmp(folder, "/");
}

/* Of a nameable path: the lowest folder above it that is there. */
static void lowest_folder(const char *path, char folder[INSPECT_TEXT])
{
	snprintf(folder, INSPECT_TEXT, "%s", path);
	do
		cut_name(folder);
	while (is_missing(folder));
}

/* The calibrator makes the last folder, but none above it. */
static void make_folders(const char *path, char command[INSPECT_COMMAND])
{
	char folder[INSPECT_TEXT], above[INSPECT_TEXT], text[INSPECT_TEXT];

	snprintf(folder, sizeof folder, "%s", path);
	cut_name(folder);
	strcpy(above, folder);
	cut_name(above);
	explain_path(folder, text);
	command[0] = 0;
	if (is_missing(folder) && is_missing(above))
		snprintf(command, INSPECT_COMMAND, "mkdir -p %s && ", text);
}

/* The command that publishes the file anew, behind one that has to be run before. By its
 * whole path: users have no sbin in PATH, and a prefix of one's own is in nobody's. */
static void remedy_calibrate(struct inspection *in, const char *before, const char *options)
{
	char path[INSPECT_TEXT], folder[INSPECT_TEXT], calibrator[INSPECT_TEXT];
	char folders[INSPECT_COMMAND];
	const bool own = in->context.own;

	if (!is_nameable(in->context.path)) {
		remedy_elsewhere(in);
		return;
	}
	explain_path(in->context.path, path);
	explain_path(CALIBRATOR_PATH, calibrator);
	make_folders(in->context.path, folders);
	lowest_folder(in->context.path, folder);
	remedy(in, "run%s: %s%s%s%s%s%s", own && !access(folder, W_OK | X_OK) ? "" : " as root",
	       folders, before, calibrator, options, own ? " --cache " : "", own ? path : "");
}

/* The first folder of the path that this process may not enter. */
static bool closed_folder(const char *path, char folder[INSPECT_TEXT])
{
	snprintf(folder, INSPECT_TEXT, "%s", path);
	for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (access(folder, X_OK))
			return errno == EACCES;
		*slash = '/';
	}
	return false;
}

static void remedy_open(struct inspection *in)
{
	char folder[INSPECT_TEXT], text[INSPECT_TEXT];
	struct stat status;

	if (!is_nameable(in->context.path) || !closed_folder(in->context.path, folder)) {
		remedy_elsewhere(in);
		return;
	}
	explain_path(folder, text);
	remedy(in, "run%s: chmod a+rx %s",
	       !stat(folder, &status) && status.st_uid == geteuid() ? "" : " as root", text);
}

static const char *kind_of(mode_t mode)
{
	if (S_ISLNK(mode))
		return "a symbolic link";
	if (S_ISDIR(mode))
		return "a folder";
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISREG(mode) ? "a regular file" : "a device";
}

static bool wrong_owner(const struct inspection *in)
{
	uid_t owner = in->file.st_uid;

	return owner != 0 && !(in->context.own && owner == geteuid());
}

static void untrusted_file(struct inspection *in)
{
	const struct stat *file = &in->file;

	if (wrong_owner(in))
		problem(in, "it is owned by user %lu, not by root%s", (unsigned long)file->st_uid,
			in->context.own ? " or the caller" : "");
	else if (file->st_mode & (S_IWGRP | S_IWOTH))
		problem(in, "its mode is %04o: group or others may write it",
			(unsigned)(file->st_mode & PERMISSIONS));
	else if (in->found.error == -EFBIG)
		problem(in, "it is %lld bytes long, more than the %d of a cache",
			(long long)file->st_size, CACHE_SIZE_MAX);
	else if (in->signal)
		problem(in, "looking at it ended with signal %d: %s", in->signal,
			strsignal(in->signal));
	else if (in->found.error)
		problem(in, "it cannot be read: %s", strerror(-in->found.error));
	else
		problem(in, "it lies on a network file system");
}

/* Whether nothing is wrong but the place. */
static bool is_misplaced(const struct inspection *in)
{
	return !wrong_owner(in) && !(in->file.st_mode & (S_IWGRP | S_IWOTH)) &&
	       !in->found.error && !in->signal;
}

/* What is no file: the calibrator would replace it all but a folder, and unasked. */
static void not_a_file(struct inspection *in)
{
	char path[INSPECT_TEXT], before[INSPECT_COMMAND];
	const mode_t mode = in->file.st_mode;

	problem(in, "it is %s, not a regular file", kind_of(mode));
	if (S_ISCHR(mode) || S_ISBLK(mode)) {
		remedy_elsewhere(in);
		return;
	}
	explain_path(in->context.path, path);
	if (S_ISDIR(mode))
		snprintf(before, sizeof before, "mv %s %s.old && ", path, path);
	else
		snprintf(before, sizeof before, "rm %s && ", path);
	remedy_calibrate(in, before, "");
}

static void untrusted(struct inspection *in)
{
	if (in->exists && !S_ISREG(in->file.st_mode)) {
		not_a_file(in);
	} else if (in->exists) {
		untrusted_file(in);
		if (is_misplaced(in))
			remedy_elsewhere(in);
		else
			remedy_calibrate(in, "", "");
	} else {
		problem(in, "it cannot be looked at: %s", strerror(-in->found.error));
		if (in->found.error == -EACCES)
			remedy_open(in);
		else
			remedy_elsewhere(in);
	}
}

static void missing(struct inspection *in)
{
	if (in->found.error == -ENOTDIR) {
		problem(in, "there is no such file: not all above it are folders");
		remedy_elsewhere(in);
		return;
	}
	problem(in, "there is no such file: this machine was not calibrated");
	remedy_calibrate(in, "", "");
}

static void stale_boot(struct inspection *in)
{
	if (in->boot[0]) {
		problem(in, "it was written in boot %s, this is boot %s", in->cache.boot, in->boot);
		remedy_calibrate(in, "", "");
		return;
	}
	problem(in, "this boot's id cannot be read from /proc/sys/kernel/random/boot_id: %s",
		strerror(-in->boot_error));
	remedy(in, "mount /proc for this process");
}

static void stale_machine(struct inspection *in)
{
	problem(in, "it was written on machine %s, this is machine %s", in->cache.machine,
		in->machine);
	remedy_calibrate(in, "", "");
}

static void stale_persecond(struct inspection *in)
{
	const struct persecond *cached = &in->cache.persecond;
	const char *path = in->context.persecond_path;
	struct persecond_file file;
	bool answers;

	frequency_read_file(path, &file);
	answers = frequency_file_answers(&file, in->boot);
	remedy_calibrate(in, "", "");
	if (answers && (file.hz != cached->hz || file.source != cached->source)) {
		problem(in, "%s says %" PRIu64 " of source %s, it was computed from %" PRIu64
			" of source %s", path, file.hz, frequency_source_name(file.source),
			cached->hz, frequency_source_name(cached->source));
	} else if (cached->source == PERSECOND_FILE) {
		problem(in, "it was computed from the %" PRIu64 " of a sysadmin's %s, which does"
			" not say so any more", cached->hz, path);
	} else if (cached->source == PERSECOND_ENVIRONMENT) {
		problem(in, "it was computed from one process's environment");
	} else {
		problem(in, "the environment variable cpucyclespersecond says %" PRIu64
			", it was computed from %" PRIu64 " of source %s", frequency_environment(),
			cached->hz, frequency_source_name(cached->source));
		remedy(in, "run: unset cpucyclespersecond");
	}
}

static void malformed(struct inspection *in)
{
	char path[INSPECT_TEXT];

	explain_path(in->context.path, path);
	problem(in, "%s:%u: not as cpucycles-cache(5) describes it, or for another list of"
		" counters", path, in->found.line);
	remedy_calibrate(in, "", "");
}

static void no_counter(struct inspection *in)
{
	problem(in, "none of the counters that it ranks works in this process");
	remedy_calibrate(in, "", " --force");
}

static void disabled(struct inspection *in)
{
	const char *name = environment_get("CPUCYCLES_COUNTER");

	if (!in->wanted) {
		problem(in, "the environment variable CPUCYCLES_CACHE says none");
		remedy(in, "run: unset CPUCYCLES_CACHE");
	} else if (name) {
		problem(in, "the environment variable CPUCYCLES_COUNTER names a counter that"
			" works here");
		remedy(in, "run: unset CPUCYCLES_COUNTER");
	} else {
		problem(in, "the library did not look at it");
	}
}

/* The library's first call reads only the lines that it needs, this program all of them. */
static bool is_wrong_in_an_unread_line(const struct inspection *in)
{
	return in->found.status == CACHE_MALFORMED &&
	       (inspect_in_use(in) || !strcmp(in->status, cache_status_name(CACHE_NO_COUNTER)));
}

/* The library looked a moment before this program did. */
static void disagree(struct inspection *in)
{
	problem(in, "the library found %s, a moment later it is %s", in->status,
		cache_status_name(in->found.status));
	remedy(in, "run cpucycles-info again");
}

void explain_cache(struct inspection *in)
{
	static void (*const explain[CACHE_STATUSES])(struct inspection *) = {
		[CACHE_MISSING] = missing,
		[CACHE_STALE_BOOT] = stale_boot,
		[CACHE_STALE_MACHINE] = stale_machine,
		[CACHE_STALE_PERSECOND] = stale_persecond,
		[CACHE_UNTRUSTED] = untrusted,
		[CACHE_MALFORMED] = malformed,
		[CACHE_NO_COUNTER] = no_counter,
		[CACHE_DISABLED] = disabled,
	};

	in->problem[0] = 0;
	in->remedy[0] = 0;
	if (is_wrong_in_an_unread_line(in))
		malformed(in);
	else if (strcmp(in->status, cache_status_name(in->found.status)))
		disagree(in);
	else if (explain[in->found.status])
		explain[in->found.status](in);
}
