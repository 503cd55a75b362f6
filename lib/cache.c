/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cache.h"
#include "file.h"
#include "os/filesystem.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char status_names[CACHE_STATUSES][16] = {
	[CACHE_USED] = "used",
	[CACHE_MISSING] = "missing",
	[CACHE_STALE_BOOT] = "stale-boot",
	[CACHE_STALE_MACHINE] = "stale-machine",
	[CACHE_STALE_PERSECOND] = "stale-persecond",
	[CACHE_UNTRUSTED] = "untrusted",
	[CACHE_MALFORMED] = "malformed",
	[CACHE_NO_COUNTER] = "no-counter",
	[CACHE_DISABLED] = "disabled",
};

const char *cache_status_name(enum cache_status status)
{
	return status_names[status];
}

static bool is_trusted(int fd, bool own)
{
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return false;
	if (status.st_uid != 0 && !(own && status.st_uid == geteuid()))
		return false;
	return !(status.st_mode & (S_IWGRP | S_IWOTH)) && !filesystem_is_remote(fd, &status);
}

/* The text of the cache that was read last. One cache is read at a time, by the holder of the
 * guard, and 8 KB do not fit on every thread's stack. One byte more than a cache may have tells a
 * longer file, and file_fill puts a 0 behind that. The alignment puts a usual cache on one page. */
static _Alignas(2048) char text[CACHE_SIZE_MAX + 2];

static struct cache_verdict refuse(enum cache_status status, int error)
{
	return (struct cache_verdict){ .status = status, .error = error };
}

/* Read the text. CACHE_USED: the file may be trusted, and *length is the text's. */
static struct cache_verdict read_trusted(const struct cache_context *context, size_t *length)
{
	const int fd = file_open(context->path, O_NOFOLLOW);
	bool trusted;
	long n = 0;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return refuse(CACHE_MISSING, fd);
	if (fd < 0)
		return refuse(CACHE_UNTRUSTED, fd);
	trusted = is_trusted(fd, context->own);
	if (trusted)
		n = file_fill(fd, text, sizeof text);
	file_close(fd);
	if (!trusted || n < 0)
		return refuse(CACHE_UNTRUSTED, (int)n);
	if (n > CACHE_SIZE_MAX)
		return refuse(CACHE_UNTRUSTED, -EFBIG);
	*length = (size_t)n;
	return (struct cache_verdict){ .status = CACHE_USED };
}

/*
 * Whether the cache was computed from the frequency that holds now. Where the persecond file has an
 * answer, the sysadmin's or the calibrator's, value and source must be the file's. Where the file
 * has none, a cache computed from a sysadmin's file or from one process's environment is stale. So
 * is one whose source ranks below the environment, if the environment has an answer now.
 */
static bool same_persecond(const struct persecond *cached, const struct persecond_file *file,
			   const char *boot)
{
	if (frequency_file_answers(file, boot))
		return cached->source == file->source && cached->hz == file->hz;
	if (cached->source == PERSECOND_FILE || cached->source == PERSECOND_ENVIRONMENT)
		return false;
	return cached->source < PERSECOND_ENVIRONMENT || frequency_environment() == 0;
}

/* Whether the cache is for this boot, this machine and this frequency. */
static enum cache_status compare(const struct cache *cache, const char *persecond_path)
{
	struct persecond_file file;
	char boot[MACHINE_BOOT_SIZE], identity[MACHINE_IDENTITY_SIZE];

	if (machine_boot(boot) || !text_is(boot, cache->boot))
		return CACHE_STALE_BOOT;
	machine_identity(identity);
	if (!text_is(identity, cache->machine))
		return CACHE_STALE_MACHINE;
	frequency_read_file(persecond_path, &file);
	if (!same_persecond(&cache->persecond, &file, boot))
		return CACHE_STALE_PERSECOND;
	return CACHE_USED;
}

struct cache_verdict cache_load(const struct cache_context *context, struct cache *cache)
{
	struct cache_verdict answer;
	size_t length;

	cache->library[0] = 0;
	answer = read_trusted(context, &length);
	if (answer.status != CACHE_USED)
		return answer;
	answer.line = cache_parse(text, length, cache);
	answer.status = answer.line ? CACHE_MALFORMED : compare(cache, context->persecond_path);
	return answer;
}

enum cache_status cache_open(const struct cache_context *context, struct cache *header,
			     struct cache_reader *reader)
{
	size_t length;
	const struct cache_verdict answer = read_trusted(context, &length);

	if (answer.status != CACHE_USED)
		return answer.status;
	if (!cache_parse_header(reader, text, length, header))
		return CACHE_MALFORMED;
	return compare(header, context->persecond_path);
}
