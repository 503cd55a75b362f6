/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cache.h"
#include "file.h"
#include "hash.h"
#include "os/filesystem.h"
#include "persecond.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A first call pays for each page of memory that it touches, so it reads a text through one page.
 * Of a text that is longer it keeps the first KEPT bytes, which have the lines of some 25
 * counters. What only programs read stands after the counters, and takes no room here. */
#define PAGE 4096
#define KEPT (PAGE - HASH_PIECE)

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

static bool is_trusted(int fd, bool own, struct stat *status)
{
	if (fstat(fd, status) || !S_ISREG(status->st_mode))
		return false;
	if (status->st_uid != 0 && !(own && status->st_uid == geteuid()))
		return false;
	return !(status->st_mode & (S_IWGRP | S_IWOTH)) && filesystem_is_local(fd, status, 0);
}

/*
 * The text of the cache that was read last, or its start. One cache is read at a time, by the
 * holder of the guard, and 8 KB do not fit on every thread's stack. One byte more than a cache may
 * have tells a longer file, and file_fill puts a 0 after that.
 */
static _Alignas(PAGE) char text[CACHE_SIZE_MAX + 2];

static struct cache_verdict verdict(enum cache_status status, int error)
{
	return (struct cache_verdict){ .status = status, .error = error };
}

/* CACHE_USED: *fd is open, and the file has the owner, mode, file system and size that it must
 * have. */
static struct cache_verdict open_trusted(const struct cache_context *context, int *fd,
					 struct stat *file)
{
	bool trusted;

	*fd = file_open(context->path, O_NOFOLLOW);
	if (*fd == -ENOENT || *fd == -ENOTDIR)
		return verdict(CACHE_MISSING, *fd);
	if (*fd < 0)
		return verdict(CACHE_UNTRUSTED, *fd);
	trusted = is_trusted(*fd, context->own, file);
	if (trusted && file->st_size <= CACHE_SIZE_MAX)
		return verdict(CACHE_USED, 0);
	file_close(*fd);
	return verdict(CACHE_UNTRUSTED, trusted ? -EFBIG : 0);
}

/*
 * The rest of a text of this size, whose first PAGE bytes are in memory: read it for the checksum
 * only, piece by piece through the end of that page. True: the checksum is right, and the first
 * KEPT bytes are still there.
 */
static bool read_rest(int fd, size_t size)
{
	const size_t sealed = size - CACHE_SEAL_SIZE;
	uint64_t hash = HASH_START;
	char last_line[CACHE_SEAL_SIZE];

	for (size_t at = 0; at < size; at += HASH_PIECE) {
		char *const piece = text + (at < PAGE ? at : KEPT);
		const size_t n = size - at < HASH_PIECE ? size - at : HASH_PIECE;

		if (at >= PAGE && file_take(fd, piece, n) != (long)n)
			return false;
		if (at < sealed)
			hash = hash_add(hash, piece, sealed - at < n ? sealed - at : n);
		for (size_t i = at < sealed ? sealed - at : 0; i < n; i++)
			last_line[at + i - sealed] = piece[i];
	}
	return cache_is_seal(last_line, hash);
}

/* The length of the whole lines at the start of the text, not more than this. */
static size_t whole_lines(size_t length)
{
	while (length > 0 && text[length - 1] != '\n')
		length--;
	return length;
}

/* Read what a first call needs, and put the reader before the first counter. */
static enum cache_status read_start(int fd, size_t size, struct cache *header,
				    struct cache_reader *reader)
{
	const long n = file_take(fd, text, PAGE);
	bool good;

	/* Somebody wrote more into the file since its size was looked at. */
	if (n < 0 || (n == PAGE && size < PAGE))
		return CACHE_UNTRUSTED;
	if (n < PAGE || size <= PAGE)
		good = cache_parse_header(reader, text, (size_t)n, header);
	else
		good = read_rest(fd, size) &&
		       cache_parse_start(reader, text, whole_lines(KEPT), header);
	return good ? CACHE_USED : CACHE_MALFORMED;
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
	const struct persecond *said = persecond_answer(file, boot);

	if (said)
		return cached->source == said->source && cached->hz == said->hz;
	if (cached->source == PERSECOND_FILE || cached->source == PERSECOND_ENVIRONMENT)
		return false;
	return cached->source < PERSECOND_ENVIRONMENT || frequency_environment() == 0;
}

/* Whether the cache is for this boot, this machine and this frequency. local: the number of the
 * cache's file system, which often has the persecond file too. */
static enum cache_status compare(const struct cache *cache, const char *persecond_path, dev_t local)
{
	const struct persecond_known known = { local, cache->boot };
	struct persecond_file file;
	char identity[MACHINE_IDENTITY_SIZE];

	if (!machine_boot_is(cache->boot))
		return CACHE_STALE_BOOT;
	machine_identity(identity);
	if (!text_is(identity, cache->machine))
		return CACHE_STALE_MACHINE;
	persecond_read(persecond_path, &known, &file);
	if (!same_persecond(&cache->persecond, &file, cache->boot))
		return CACHE_STALE_PERSECOND;
	return CACHE_USED;
}

struct cache_verdict cache_load(const struct cache_context *context, struct cache *cache)
{
	struct cache_verdict answer;
	struct stat file;
	long n;
	int fd;

	cache->library[0] = 0;
	answer = open_trusted(context, &fd, &file);
	if (answer.status != CACHE_USED)
		return answer;
	n = file_fill(fd, text, sizeof text);
	file_close(fd);
	if (n < 0 || n > CACHE_SIZE_MAX)
		return verdict(CACHE_UNTRUSTED, n < 0 ? (int)n : -EFBIG);
	answer.line = cache_parse(text, (size_t)n, cache);
	answer.status = CACHE_MALFORMED;
	if (!answer.line)
		answer.status = compare(cache, context->persecond_path, file.st_dev);
	return answer;
}

enum cache_status cache_open(const struct cache_context *context, struct cache *header,
			     struct cache_reader *reader)
{
	enum cache_status status;
	struct stat file;
	int fd;

	status = open_trusted(context, &fd, &file).status;
	if (status != CACHE_USED)
		return status;
	status = read_start(fd, (size_t)file.st_size, header, reader);
	file_close(fd);
	if (status != CACHE_USED)
		return status;
	return compare(header, context->persecond_path, file.st_dev);
}
