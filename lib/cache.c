/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cache.h"
#include "file.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#endif

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

/* Another machine can change what lies there, and a read can wait for it. */
static bool is_remote(int fd, const struct stat *status)
{
#ifdef __linux__
	/* From linux/magic.h, which not every libc brings. */
	static const uint32_t remote[] = {
		0x6969 /* NFS */, 0x517b /* SMB */, 0xff534d42 /* CIFS */, 0xfe534d42 /* SMB2 */,
		0x73757245 /* Coda */, 0x5346414f /* OpenAFS */, 0x6b414653 /* the kernel's AFS */,
		0x00c36400 /* Ceph */,
	};
	struct statfs fs;

	/* On a block device: those below have none, and a number that says so (the kernel's
	 * fs/super.c, get_anon_bdev). */
	if (major(status->st_dev) != 0)
		return false;
	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++)
		if ((uint32_t)fs.f_type == remote[i])
			return true;
#else
	(void)fd, (void)status;
#endif
	return false;
}

static bool is_trusted(int fd, bool own)
{
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return false;
	if (status.st_uid != 0 && !(own && status.st_uid == geteuid()))
		return false;
	return !(status.st_mode & (S_IWGRP | S_IWOTH)) && !is_remote(fd, &status);
}

static struct cache_verdict verdict(enum cache_status status, unsigned line, int error)
{
	return (struct cache_verdict){ status, line, error };
}

/* One cache is read at a time, by the holder of the guard; stacks are small. Aligned, so that a usual
 * cache is on one page. */
static _Alignas(2048) char buffer[CACHE_SIZE_MAX + 2];

/* The file's bytes, if it is to be trusted. */
static struct cache_verdict read_trusted(const struct cache_context *context, size_t *length)
{
	int fd = file_open(context->path, O_NOFOLLOW);
	long n = 0;
	bool trusted;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return verdict(CACHE_MISSING, 0, fd);
	if (fd < 0)
		return verdict(CACHE_UNTRUSTED, 0, fd);
	trusted = is_trusted(fd, context->own);
	if (trusted)
		n = file_fill(fd, buffer, sizeof buffer);
	file_close(fd);
	if (!trusted || n < 0)
		return verdict(CACHE_UNTRUSTED, 0, (int)n);
	*length = (size_t)n;
	return verdict(CACHE_USED, 0, 0);
}

/*
 * The persecond file says what the cache was computed from: value and source, the
 * sysadmin's or ours. Where it does not answer, the cache was not computed from a
 * sysadmin's, and an environment that outranks the cache's source counts as another value.
 */
static bool same_persecond(const struct persecond *cached, const struct persecond_file *file,
			   const char *boot)
{
	if (frequency_file_answers(file, boot))
		return cached->source == file->source && cached->hz == file->hz;
	if (cached->source == PERSECOND_FILE || cached->source == PERSECOND_ENVIRONMENT)
		return false; /* a file that is gone; one process's, never a machine's */
	return cached->source < PERSECOND_ENVIRONMENT || frequency_environment() == 0;
}

struct cache_verdict cache_load(const struct cache_context *context, struct cache *cache)
{
	struct cache_verdict answer;
	struct persecond_file file;
	char boot[MACHINE_BOOT_SIZE], identity[MACHINE_IDENTITY_SIZE];
	size_t length = 0;
	unsigned line;

	cache->library[0] = 0;
	answer = read_trusted(context, &length);
	if (answer.status != CACHE_USED)
		return answer;
	if (length > CACHE_SIZE_MAX)
		return verdict(CACHE_UNTRUSTED, 0, -EFBIG);
	line = cache_parse(buffer, length, cache);
	if (line)
		return verdict(CACHE_MALFORMED, line, 0);
	if (machine_boot(boot) || !text_is(boot, cache->boot))
		return verdict(CACHE_STALE_BOOT, 0, 0);
	machine_identity(identity);
	if (!text_is(identity, cache->machine))
		return verdict(CACHE_STALE_MACHINE, 0, 0);
	frequency_read_file(context->persecond_path, &file);
	if (!same_persecond(&cache->persecond, &file, boot))
		return verdict(CACHE_STALE_PERSECOND, 0, 0);
	return verdict(CACHE_USED, 0, 0);
}
