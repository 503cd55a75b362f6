/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "raw.h"
#include "log.h"
#include "signals.h"
#include "streams.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_sample(size_t process, size_t round, const char *label, double value, FILE *to)
{
	fprintf(to, "%zu\t%zu\t", process, round);
	table_put(label, TABLE_TEXT, to);
	fprintf(to, "\t%.10g\n", value);
}

void raw_put_samples(const void *argument, FILE *to)
{
	const struct raw_samples *s = argument;
	const struct outcome *outcome = s->outcome;
	const size_t process = outcome->layouts;

	if (process == 0)
		fprintf(to, "process\tround\tfunction\t%s_per_call\n", outcome_unit(outcome));
	for (size_t round = 0; round < s->rounds; round++)
		for (size_t i = 0; i < outcome->count; i++)
			for (size_t place = 0; place < s->places; place++)
				put_sample(process, round, outcome->functions[i].target->label,
					   s->samples[i][round * s->places + place], to);
}

/* A device or a link would be replaced by a file. */
static bool may_replace(const char *path)
{
	struct stat status;

	return lstat(path, &status) || S_ISREG(status.st_mode);
}

static int open_place(struct raw *raw)
{
	int error = may_replace(raw->path) ? publish_open(raw->path, 0, &raw->place) : -ENOTSUP;
	mode_t mask = umask(0);

	umask(mask);
	raw->place.mode = 0666 & ~mask;
	raw->place.wait_ms = 0;
	if (error)
		return error;
	raw->lock = publish_lock(&raw->place);
	if (raw->lock < 0)
		return raw->lock;
	raw->fd = publish_begin(&raw->place);
	return raw->fd < 0 ? raw->fd : 0;
}

int raw_open(struct raw *raw, const char *path)
{
	*raw = (struct raw){ .path = path, .place.folder = -1, .lock = -1, .fd = -1 };
	if (!path)
		return 0;
	raw->error = open_place(raw);
	if (raw->error)
		raw_close(raw);
	return raw->error;
}

static bool is_open(const struct raw *raw)
{
	return raw->path && raw->fd >= 0;
}

void raw_keep(struct raw *raw, int error)
{
	if (!is_open(raw) || !error)
		return;
	/* The disk may be full, and others need it. */
	raw_close(raw);
	raw->error = error;
}

void raw_begin(struct raw *raw)
{
	if (is_open(raw) && (ftruncate(raw->fd, 0) || lseek(raw->fd, 0, SEEK_SET) < 0))
		raw_keep(raw, -errno);
}

void raw_leave(const struct raw *raw)
{
	if (!raw->path)
		return;
	close(raw->fd);
	close(raw->lock);
	close(raw->place.folder);
}

void raw_close(struct raw *raw)
{
	if (is_open(raw))
		publish_cancel(&raw->place, raw->fd);
	if (raw->path && raw->lock >= 0)
		publish_unlock(&raw->place, raw->lock);
	if (raw->path)
		publish_close(&raw->place);
	raw->fd = raw->lock = -1;
}

static const char *words_of(int error)
{
	switch (error) {
	case -ENOTSUP:
		return "expected a new file or a regular one";
	case -ETIMEDOUT:
		return "another run is writing it";
	default:
		return strerror(-error);
	}
}

enum outcome_status raw_status(const char *option, const struct raw *raw, int error)
{
	if (!error)
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s %s: %s", option, raw->path, words_of(error));
	return OUTCOME_OUTPUT;
}

static int write_file(const struct raw *raw, void (*write)(const void *, FILE *),
		      const void *argument)
{
	int fd;
	FILE *to;

	if (!is_open(raw))
		return 0;
	fd = dup(raw->fd);
	if (fd < 0)
		return -errno;
	to = fdopen(fd, "w");
	if (!to) {
		const int error = errno;

		close(fd);
		return -error;
	}
	errno = 0;
	write(argument, to);
	return streams_close(to);
}

static int publish(struct raw *raw, bool wait)
{
	int error = raw->error;

	if (!is_open(raw))
		return error;
	if (!may_replace(raw->path))
		return -ENOTSUP;
	error = publish_end(&raw->place, raw->fd, wait);
	raw->fd = -1;
	return error;
}

/* Work that may block on I/O. */
struct disk_work {
	struct raw *raw;
	void (*write)(const void *, FILE *); /* of this argument; NULL: put it in its place */
	const void *argument;
	bool wait;  /* for the disk */
	int *error; /* shared with the process that does it */
};

static void do_work(void *argument)
{
	const struct disk_work *w = argument;

	*w->error = w->write ? write_file(w->raw, w->write, w->argument) : publish(w->raw, w->wait);
}

/* Do that in a process of its own. 0 or a negative errno. -EINTR: this program must end. */
static int do_apart(struct disk_work *w)
{
	int error;

	w->error =
		mmap(NULL, sizeof error, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->error == MAP_FAILED)
		return -errno;
	*w->error = -ECHILD;
	error = signals_apart(do_work, w) ? *w->error : -EINTR;
	munmap(w->error, sizeof error);
	return error;
}

void raw_append(struct raw *raw, void (*write)(const void *, FILE *), const void *argument)
{
	if (raw->path && !raw->error)
		raw_keep(raw, do_apart(&(struct disk_work){
				      .raw = raw, .write = write, .argument = argument }));
}

enum outcome_status raw_end(const char *option, struct raw *raw, bool measured, bool interrupted,
			    void (*write)(const void *, FILE *), const void *argument)
{
	int error;

	if (measured)
		raw_append(raw, write, argument);
	error = raw->error;
	/* An interrupted run does not wait for the disk. */
	if (raw->path && !error && measured)
		error = do_apart(&(struct disk_work){ .raw = raw, .wait = !interrupted });
	raw_close(raw);
	return signals_must_end() ? OUTCOME_INTERRUPTED : raw_status(option, raw, error);
}
