/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "memory.h"
#include "letters.h"
#include "reason.h"
#include "record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory is taken up by its first use only, so a long run may be planned that ends early. */
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* Each part begins at a cache line of its own. */
#define ALIGNMENT 64

static size_t aligned(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t head_bytes(const struct child_job *job)
{
	return aligned(sizeof(struct child_shared)) + aligned(record_bytes(job) * job->layouts);
}

/* A target's names, for messages. A longer one is cut. */
#define LABEL 256

/* The job, without pointers into this program. */
struct order {
	char version[32];     /* of the tool: this structure is valid for this version only */
	size_t bytes;         /* of all of this, with the names of events */
	struct child_job job; /* all its pointers are NULL */
	struct {
		struct target target; /* its pointers are of another process */
		char label[LABEL], function[LABEL], input[LABEL];
	} targets[CHILD_SIDES];
	bool has_events;
	char events[]; /* and after their end the bytes of the job's input */
};

static size_t order_bytes(const struct child_job *job)
{
	const char *const events = job->options.events;

	return job->program ? aligned(sizeof(struct order) + (events ? strlen(events) : 0) + 1 +
				      job->input.n) :
			      0;
}

static void give_name(const char *name, char text[LABEL])
{
	snprintf(text, LABEL, "%.*s", letters_within(name, LABEL - 1), name);
}

static void give_order(const struct child_job *job, struct order *order)
{
	snprintf(order->version, sizeof order->version, "%s", PACKAGE_VERSION);
	order->bytes = order_bytes(job);
	order->job = *job;
	order->job.program = order->job.pair = order->job.options.events = NULL;
	order->job.targets = NULL;
	order->job.input.bytes = NULL;
	for (size_t i = 0; i < job->n; i++) {
		order->targets[i].target = *job->targets[i];
		give_name(job->targets[i]->label, order->targets[i].label);
		give_name(job->targets[i]->function, order->targets[i].function);
		give_name(job->targets[i]->input, order->targets[i].input);
	}
	order->has_events = job->options.events;
	if (order->has_events)
		memcpy(order->events, job->options.events, strlen(job->options.events) + 1);
	if (job->input.n)
		memcpy(order->events + strlen(order->events) + 1, job->input.bytes, job->input.n);
}

/* A file without a name. */
static int open_nameless(void)
{
	FILE *file;
	int fd = -1;

#ifdef HAVE_MEMFD_CREATE
	fd = memfd_create("cpucycles-measure", 0);
#endif
	if (fd >= 0)
		return fd;
	file = tmpfile();
	if (!file)
		return -1;
	fd = dup(fileno(file));
	fclose(file);
	return fd;
}

/* Memory that a program can be given, or that only children have. */
static void *map_shared(size_t bytes, bool for_program, int *fd)
{
	const int flags = MAP_SHARED | MAP_NORESERVE | (for_program ? 0 : MAP_ANONYMOUS);
	void *map = MAP_FAILED;
	int error;

	*fd = for_program ? open_nameless() : -1;
	if (!for_program || (*fd >= 0 && !ftruncate(*fd, (off_t)bytes)))
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, *fd, 0);
	error = errno;
	if (map == MAP_FAILED && *fd >= 0)
		close(*fd);
	errno = error;
	return map;
}

static void lay_out(const struct child_job *job, size_t order, struct child_memory *memory)
{
	const size_t before = order + head_bytes(job);
	char *const map = memory->map;

	memory->shared = (struct child_shared *)(map + order);
	memory->record = (struct record *)(map + order + aligned(sizeof(struct child_shared)));
	memory->meter = (struct cpucycles_meter *)(map + before);
	memory->meter_bytes = memory->bytes - before;
}

/* A test for leaks keeps the same number of samples, whatever -n says. */
static void say_no_memory(const struct child_job *job, size_t bytes, int error,
			  struct reason_text *reason)
{
	if (error == EFBIG)
		reason_say(reason, error,
			   "the samples take a file of %zu bytes in memory, and this process may "
			   "write no file so large",
			   bytes);
	else
		reason_say(reason, error, "there is no memory of %zu bytes for samples: %s", bytes,
			   strerror(error));
	reason_remedy(reason, "raise the limit, which ulimit -%c shows%s",
		      error == EFBIG ? 'f' : 'v',
		      child_tests_leak(job) ? "" : ", or ask for fewer samples by -n");
}

int memory_map(const struct child_job *job, struct child_memory *memory, struct reason_text *reason)
{
	const size_t meter = meter_bytes(&job->options, reason), order = order_bytes(job);

	if (!meter)
		return -EINVAL;
	memory->bytes = order + head_bytes(job) + meter;
	memory->map = map_shared(memory->bytes, job->program != NULL, &memory->fd);
	if (memory->map == MAP_FAILED) {
		const int error = errno;

		say_no_memory(job, memory->bytes, error, reason);
		return -error;
	}
	lay_out(job, order, memory);
	if (order)
		give_order(job, memory->map);
	return 0;
}

void memory_unmap(struct child_memory *memory)
{
	munmap(memory->map, memory->bytes);
	if (memory->fd >= 0)
		close(memory->fd);
}

size_t memory_at(const struct child_job *job, const struct child_memory *memory)
{
	const int phase = memory->shared->phase, at = memory->meter->run.at;
	const size_t which = memory->shared->which;

	if (phase == CHILD_LOADS || phase == CHILD_SETS_UP)
		return which < job->n ? which : job->n;
	if (phase != CHILD_MEASURES)
		return job->n;
	/* One target: also what happens between two calls is due to it. */
	if (job->n == 1)
		return 0;
	return at >= 0 && (size_t)at < job->n ? (size_t)at : job->n;
}

void memory_start(const struct child_job *job, const struct child_memory *memory)
{
	struct reason_text *const reason = &memory->shared->reason;
	char number[24], program[] = "cpucycles-measured";
	char *const arguments[] = { program, number, NULL };
	int error;

	snprintf(number, sizeof number, "%d", memory->fd);
	execv(job->program, arguments);
	error = errno;
	reason_say(reason, error, "the program that was linked does not start: %s",
		   strerror(error));
	if (error == EACCES)
		reason_remedy(reason, "set TMPDIR to a folder in which programs may run");
	child_end(memory->shared, -error);
}

/* The targets as they stand in the order. */
static int take_targets(const struct order *order, struct child_job *job)
{
	struct target *const targets = calloc(job->n + 1, sizeof *targets);

	job->targets = calloc(job->n + 1, sizeof *job->targets);
	if (!targets || !job->targets)
		return -ENOMEM;
	for (size_t i = 0; i < job->n; i++) {
		targets[i] = order->targets[i].target;
		targets[i].argument = NULL;
		targets[i].library = targets[i].setup = targets[i].before = NULL;
		targets[i].label = (char *)(uintptr_t)order->targets[i].label;
		targets[i].function = (char *)(uintptr_t)order->targets[i].function;
		targets[i].input = (char *)(uintptr_t)order->targets[i].input;
		job->targets[i] = &targets[i];
	}
	return 0;
}

/* The descriptor of a number, or -1. */
static int number_of(const char *text)
{
	char *end;
	const long number = strtol(text, &end, 10);

	return end != text && !*end && number >= 0 && number <= INT16_MAX ? (int)number : -1;
}

int memory_attach(const char *argument, struct child_job *job, struct child_memory *memory)
{
	const int fd = number_of(argument);
	const struct order *order;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) || (uint64_t)status.st_size < sizeof *order)
		return -EINVAL;
	memory->bytes = (size_t)status.st_size;
	memory->map = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (memory->map == MAP_FAILED)
		return -EINVAL;
	order = memory->map;
	if (strncmp(order->version, PACKAGE_VERSION, sizeof order->version) ||
	    order->job.n > CHILD_SIDES || order->bytes + head_bytes(&order->job) > memory->bytes)
		return -EINVAL;
	*job = order->job;
	if (order->has_events)
		job->options.events = order->events;
	if (job->input.n)
		job->input.bytes = (const unsigned char *)order->events + strlen(order->events) + 1;
	lay_out(job, order->bytes, memory);
	return take_targets(order, job);
}
