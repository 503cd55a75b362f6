/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "own.h"
#include "parse.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef RUSAGE_THREAD
#define OWN RUSAGE_THREAD
#else
#define OWN RUSAGE_SELF
#endif

#define PATH_SIZE 512
#define TEXT_SIZE 128

static struct own_rise read_all(int fd)
{
	struct own_rise all = { 0 };
	struct rusage usage;
	char text[TEXT_SIZE];
	const ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);

	if (n > 0) {
		text[n] = 0;
		all.waited = parse_field(text, 1);
		all.known = all.waited != PARSE_UNKNOWN;
	}
	if (!getrusage(OWN, &usage)) {
		all.voluntary = (uint64_t)usage.ru_nvcsw;
		all.involuntary = (uint64_t)usage.ru_nivcsw;
	}
	return all;
}

void own_open(struct own *own, const char *root)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof path, "%s/proc/thread-self/schedstat", root);
	own->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	own->last = read_all(own->fd);
}

void own_close(struct own *own)
{
	if (own->fd >= 0)
		close(own->fd);
}

struct own_rise own_read(struct own *own)
{
	const struct own_rise now = read_all(own->fd), last = own->last;

	own->last = now;
	return (struct own_rise){
		.known = now.known && last.known && now.waited >= last.waited,
		.waited = now.known && last.known ? parse_rise(last.waited, now.waited) : 0,
		.voluntary = now.voluntary - last.voluntary,
		.involuntary = now.involuntary - last.involuntary,
	};
}
