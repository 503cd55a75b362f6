/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "environment.h"
#include "explain.h"
#include "letters.h"
#include "path.h"
#include "printable.h"
#include "publish.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PERMISSIONS 07777

static bool is_plain(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c && strchr("/._-+,:@%", c)) || c >= 128;
}

static bool is_plain_word(const char *text)
{
	const char *p = text;

	while (is_plain((unsigned char)*p) && printable(p))
		p += printable(p);
	return p > text && !*p;
}

void explain_path(const char *path, char text[EXPLAIN_TEXT])
{
	const bool plain = is_plain_word(path);
	size_t n = 0, bytes;

	if (!plain)
		text[n++] = '\'';
	/* At most 4 bytes for a character, and 2 for the closing quote and the 0. */
	for (; *path && n < EXPLAIN_TEXT - 6; path += bytes ? bytes : 1) {
		bytes = printable(path);
		if (*path == '\'')
			n += (size_t)snprintf(text + n, EXPLAIN_TEXT - n, "'\\''");
		else if (bytes)
			n += (size_t)snprintf(text + n, EXPLAIN_TEXT - n, "%.*s", (int)bytes, path);
		else
			text[n++] = '?';
	}
	text[n] = 0;
	if (!plain)
		strcat(text, "'");
}

/* Each text is empty before. */
#define problem(e, ...) letters_add((e)->problem, EXPLAIN_TEXT, __VA_ARGS__)
#define remedy(e, ...) letters_add((e)->remedy, EXPLAIN_COMMAND, __VA_ARGS__)

/* No calibrator can write a good cache at this path. */
static void remedy_elsewhere(const struct inspection *in, struct explanation *e)
{
	remedy(e, "name another file in CPUCYCLES_CACHE%s",
	       in->context.own ? ", or run: unset CPUCYCLES_CACHE" : "");
}

/* Whether all characters of the path can stand in a command. */
static bool is_printable(const char *path)
{
	while (*path && printable(path))
		path += printable(path);
	return !*path;
}

/* Whether the calibrator accepts the path as a file's name, and it fits into a command whole. */
static bool is_nameable(const char *path)
{
	const char *name = path_name(path);
	char text[EXPLAIN_TEXT];

	explain_path(path, text);
	return *name && strcmp(name, ".") && strcmp(name, "..") &&
	       strlen(name) < PUBLISH_NAME_SIZE && is_printable(path) &&
	       strlen(text) < EXPLAIN_TEXT - 8;
}

/* The path from the root, so that a command works in any folder. "": it is too long. */
static void make_absolute(const char *path, char absolute[EXPLAIN_TEXT])
{
	size_t n = 0;

	absolute[0] = 0;
	if (*path != '/') {
		if (!getcwd(absolute, EXPLAIN_TEXT)) {
			absolute[0] = 0;
			return;
		}
		n = strlen(absolute);
		n -= absolute[n - 1] == '/';
		while (!strncmp(path, "./", 2))
			path += 2;
	}
	if (n + strlen(path) + 2 > EXPLAIN_TEXT)
		absolute[0] = 0;
	else
		snprintf(absolute + n, EXPLAIN_TEXT - n, "%s%s", *path != '/' ? "/" : "", path);
}

static bool is_missing(const char *folder)
{
	return access(folder, F_OK) && errno == ENOENT && strcmp(folder, ".") &&
	       strcmp(folder, "/");
}

/* The lowest folder above a nameable path that exists. */
static void lowest_folder(const char *path, char folder[EXPLAIN_TEXT])
{
	snprintf(folder, EXPLAIN_TEXT, "%s", path);
	do
		path_cut(folder);
	while (is_missing(folder));
}

/* A command that makes the missing folders, or "". The calibrator makes only the last one. */
static void make_folders(const char *path, char command[EXPLAIN_COMMAND])
{
	char folder[EXPLAIN_TEXT], above[EXPLAIN_TEXT], text[EXPLAIN_TEXT];

	snprintf(folder, sizeof folder, "%s", path);
	path_cut(folder);
	strcpy(above, folder);
	path_cut(above);
	explain_path(folder, text);
	command[0] = 0;
	if (is_missing(folder) && is_missing(above))
		snprintf(command, EXPLAIN_COMMAND, "mkdir -p %s && ", text);
}

/* Whether the folder's file system is read-only, as this process sees it. */
static bool is_read_only(const char *folder)
{
	struct statvfs status;

	return !statvfs(folder, &status) && (status.f_flag & ST_RDONLY);
}

/* Whether this process may put a cache in the place of what is in the folder now. The calibrator
 * reads a file before it replaces it. In a folder with the sticky bit, such as /tmp, a stranger's
 * file stays. */
static bool may_publish(const struct inspection *in, const char *folder)
{
	struct stat status;

	if (access(folder, W_OK | X_OK) || stat(folder, &status) ||
	    (in->exists && in->file.st_size > 0 && access(in->context.path, R_OK)))
		return false;
	return !in->exists || !(status.st_mode & S_ISVTX) || geteuid() == 0 ||
	       geteuid() == status.st_uid || geteuid() == in->file.st_uid;
}

/* A command that publishes the cache anew. before: a command that has to run first, ending in
 * " && ", or "". Where systemd can run the calibrator, the command lasts: the calibrator also runs
 * at each later boot. Elsewhere the command has the calibrator's whole path, because its folder is
 * usually not in a user's PATH. */
static void remedy_calibrate(const struct inspection *in, const char *before, const char *options,
			     struct explanation *e)
{
	char path[EXPLAIN_TEXT], whole[EXPLAIN_TEXT], folder[EXPLAIN_TEXT],
		calibrator[EXPLAIN_TEXT];
	char folders[EXPLAIN_COMMAND];
	const bool own = in->context.own;
	const char *install =
		in->service.calibrator ? "" : "install the package cpucycles-calibrate, then ";
	const char *lasting = own || *options ? NULL : service_command(&in->service);

	make_absolute(in->context.path, whole);
	if (is_nameable(whole))
		lowest_folder(whole, folder);
	if (!is_nameable(whole) || (in->exists && !in->may_replace) || is_read_only(folder)) {
		remedy_elsewhere(in, e);
		return;
	}
	explain_path(whole, path);
	explain_path(CALIBRATOR_PATH, calibrator);
	make_folders(whole, folders);
	if (lasting) {
		remedy(e, "%srun as root: %s%s%s", install, folders, before, lasting);
		return;
	}
	remedy(e, "%srun%s: %s%s%s%s%s%s", install,
	       own && may_publish(in, folder) ? "" : " as root", folders, before, calibrator,
	       options, own ? " --cache " : "", own ? path : "");
}

/* The first folder of the path that this process may not enter. */
static bool closed_folder(const char *path, char folder[EXPLAIN_TEXT])
{
	snprintf(folder, EXPLAIN_TEXT, "%s", path);
	for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (access(folder, X_OK))
			return errno == EACCES;
		*slash = '/';
	}
	return false;
}

/* A folder above a path that the environment names may be closed for good reasons. */
static void remedy_open(const struct inspection *in, struct explanation *e)
{
	char folder[EXPLAIN_TEXT], text[EXPLAIN_TEXT];

	if (in->context.own || !closed_folder(in->context.path, folder)) {
		remedy_elsewhere(in, e);
		return;
	}
	explain_path(folder, text);
	remedy(e, "run as root: chmod a+x %s", text);
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

static void untrusted_file(const struct inspection *in, struct explanation *e)
{
	const struct stat *file = &in->file;

	if (file->st_uid != 0 && !(in->context.own && file->st_uid == geteuid())) {
		problem(e, "it is owned by user %lu, not by root%s", (unsigned long)file->st_uid,
			in->context.own ? " or the caller" : "");
	} else if (file->st_mode & (S_IWGRP | S_IWOTH)) {
		problem(e, "its mode is %04o: group or others may write it",
			(unsigned)(file->st_mode & PERMISSIONS));
	} else if (in->found.error == -EFBIG) {
		problem(e, "it is %lld bytes long, more than the %d of a cache",
			(long long)file->st_size, CACHE_SIZE_MAX);
	} else if (in->signal) {
		problem(e, "looking at it ended with signal %d: %s", in->signal,
			strsignal(in->signal));
	} else if (in->found.error) {
		problem(e, "it cannot be read: %s", strerror(-in->found.error));
	} else {
		problem(e, "it lies on a file system that the library does not read from");
		remedy_elsewhere(in, e);
	}
}

/* At the default path, the calibrator would replace a link, a FIFO or a socket without a question,
 * and fail on a folder. So the user is asked to remove it first. At a path that the environment
 * names, such as /tmp, it stays: it may have been named by mistake. */
static void not_a_file(const struct inspection *in, struct explanation *e)
{
	char path[EXPLAIN_TEXT], before[EXPLAIN_COMMAND];
	const mode_t mode = in->file.st_mode;

	problem(e, "it is %s, not a regular file", kind_of(mode));
	if (S_ISCHR(mode) || S_ISBLK(mode) || !in->may_replace) {
		remedy_elsewhere(in, e);
		return;
	}
	explain_path(in->context.path, path);
	if (S_ISDIR(mode))
		snprintf(before, sizeof before, "mv %s %s.old && ", path, path);
	else
		snprintf(before, sizeof before, "rm %s && ", path);
	remedy_calibrate(in, before, "", e);
}

static void untrusted(const struct inspection *in, struct explanation *e)
{
	if (in->exists && !S_ISREG(in->file.st_mode)) {
		not_a_file(in, e);
	} else if (in->exists) {
		untrusted_file(in, e);
		if (!e->remedy[0])
			remedy_calibrate(in, "", "", e);
	} else {
		problem(e, "it cannot be looked at: %s", strerror(-in->found.error));
		if (in->found.error == -EACCES)
			remedy_open(in, e);
		else
			remedy_elsewhere(in, e);
	}
}

static void missing(const struct inspection *in, struct explanation *e)
{
	if (in->found.error == -ENOTDIR) {
		problem(e, "there is no such file: not all above it are folders");
		remedy_elsewhere(in, e);
		return;
	}
	problem(e, "there is no such file: this machine was not calibrated");
	remedy_calibrate(in, "", "", e);
}

static void stale_boot(const struct inspection *in, struct explanation *e)
{
	if (in->boot[0]) {
		problem(e, "it was written in boot %s, this is boot %s", in->cache.boot, in->boot);
		remedy_calibrate(in, "", "", e);
		return;
	}
	problem(e, "this boot's id cannot be read from /proc/sys/kernel/random/boot_id: %s",
		strerror(-in->boot_error));
	if (access("/proc/self", F_OK))
		remedy(e, "mount /proc for this process");
	else
		remedy(e, "let this process see all of /proc: not with the mount option subset=pid"
			  " (systemd's ProcSubset=pid), nor with something mounted over that file");
}

static void stale_machine(const struct inspection *in, struct explanation *e)
{
	problem(e, "it was written on machine %s, this is machine %s", in->cache.machine,
		in->machine);
	remedy_calibrate(in, "", "", e);
}

static void stale_persecond(const struct inspection *in, struct explanation *e)
{
	const struct persecond *cached = &in->cache.persecond;
	const struct persecond *said = persecond_answer(&in->persecond_file, in->boot);
	const char *path = in->context.persecond_path;

	if (said && (said->hz != cached->hz || said->source != cached->source)) {
		problem(e,
			"%s says %" PRIu64 " of source %s, it was computed from %" PRIu64
			" of source %s",
			path, said->hz, frequency_source_name(said->source), cached->hz,
			frequency_source_name(cached->source));
	} else if (cached->source == PERSECOND_FILE && in->persecond_file.flaw == FLAW_ELSEWHERE) {
		problem(e,
			"it was computed from the %" PRIu64 " of a sysadmin's %s, which now lies on"
			" a file system that the library does not read from",
			cached->hz, path);
	} else if (cached->source == PERSECOND_FILE) {
		problem(e,
			"it was computed from the %" PRIu64 " of a sysadmin's %s, which does"
			" not say so any more",
			cached->hz, path);
	} else if (cached->source == PERSECOND_ENVIRONMENT) {
		problem(e, "it was computed from one process's environment");
	} else {
		problem(e,
			"the environment variable cpucyclespersecond says %" PRIu64
			", it was computed from %" PRIu64 " of source %s",
			frequency_environment(), cached->hz, frequency_source_name(cached->source));
		remedy(e, "run: unset cpucyclespersecond");
		return;
	}
	remedy_calibrate(in, "", "", e);
}

static void malformed(const struct inspection *in, struct explanation *e)
{
	char path[EXPLAIN_TEXT];

	explain_path(in->context.path, path);
	problem(e,
		"%s:%u: not as cpucycles-cache(5) describes it, or for another list of"
		" counters",
		path, in->found.line);
	remedy_calibrate(in, "", "", e);
}

static void no_counter(const struct inspection *in, struct explanation *e)
{
	problem(e, "none of the counters that it ranks works in this process");
	remedy_calibrate(in, "", " --force", e);
}

static void disabled(const struct inspection *in, struct explanation *e)
{
	const char *name = environment_get(ENVIRONMENT_COUNTER);

	if (!in->wanted) {
		problem(e, "the environment variable CPUCYCLES_CACHE says none");
		remedy(e, "run: unset CPUCYCLES_CACHE");
	} else if (name) {
		problem(e, "the environment variable CPUCYCLES_COUNTER names a counter that"
			   " works here");
		remedy(e, "run: unset CPUCYCLES_COUNTER");
	} else {
		problem(e, "the library did not look at it");
	}
}

/* The library's first call reads only the lines that it needs, this program all of them. */
static bool is_wrong_in_an_unread_line(const struct inspection *in)
{
	return in->found.status == CACHE_MALFORMED &&
	       (inspect_in_use(in) || !strcmp(in->status, cache_status_name(CACHE_NO_COUNTER)));
}

/* The library looked at the file a moment before this program did, and the file changed. */
static void disagree(const struct inspection *in, struct explanation *e)
{
	problem(e, "the library found %s, a moment later it is %s", in->status,
		cache_status_name(in->found.status));
	remedy(e, "run cpucycles-info again");
}

typedef void explain(const struct inspection *, struct explanation *);

void explain_cache(const struct inspection *in, struct explanation *e)
{
	static explain *const explain_status[CACHE_STATUSES] = {
		[CACHE_MISSING] = missing,
		[CACHE_STALE_BOOT] = stale_boot,
		[CACHE_STALE_MACHINE] = stale_machine,
		[CACHE_STALE_PERSECOND] = stale_persecond,
		[CACHE_UNTRUSTED] = untrusted,
		[CACHE_MALFORMED] = malformed,
		[CACHE_NO_COUNTER] = no_counter,
		[CACHE_DISABLED] = disabled,
	};

	e->problem[0] = 0;
	e->remedy[0] = 0;
	if (is_wrong_in_an_unread_line(in))
		malformed(in, e);
	else if (strcmp(in->status, cache_status_name(in->found.status)))
		disagree(in, e);
	else if (explain_status[in->found.status])
		explain_status[in->found.status](in, e);
}
