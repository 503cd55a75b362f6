/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "put.h"
#include "log.h"
#include "signals.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

static const char *raw_words(int error)
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

enum outcome_status put_status(const char *option, const struct raw *raw, int error)
{
	if (!error)
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s %s: %s", option, raw->path, raw_words(error));
	return OUTCOME_OUTPUT;
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

	*w->error =
		w->write ? raw_write(w->raw, w->write, w->argument) : raw_publish(w->raw, w->wait);
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

void put_part(struct raw *raw, void (*write)(const void *, FILE *), const void *argument)
{
	if (raw->path && !raw->error)
		raw_keep(raw, do_apart(&(struct disk_work){
				      .raw = raw, .write = write, .argument = argument }));
}

enum outcome_status put_end(const char *option, struct raw *raw, bool measured, bool interrupted,
			    void (*write)(const void *, FILE *), const void *argument)
{
	int error;

	if (measured)
		put_part(raw, write, argument);
	error = raw->error;
	/* An interrupted run does not wait for the disk. */
	if (raw->path && !error && measured)
		error = do_apart(&(struct disk_work){ .raw = raw, .wait = !interrupted });
	raw_close(raw);
	return signals_must_end() ? OUTCOME_INTERRUPTED : put_status(option, raw, error);
}
