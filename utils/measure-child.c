/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "measure-child.h"
#include "reason.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The meter begins at a cache line of its own. */
#define ALIGNMENT 64
#define HEAD_BYTES ((sizeof(struct child_memory) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

/* Memory is taken up by its first use only, so a long run may be planned that ends early. */
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

int child_map(const struct child_job *job, struct child_memory **memory,
	      struct cpucycles_reason *reason)
{
	size_t meter = meter_bytes(&job->options, reason);
	struct child_memory *map;

	if (!meter)
		return -EINVAL;
	map = mmap(NULL, HEAD_BYTES + meter, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED) {
		int error = errno;

		reason_say(reason, error, "there is no memory for so many samples: %s",
			   strerror(error));
		reason_remedy(reason, "ask for fewer by -n");
		return -error;
	}
	map->bytes = HEAD_BYTES + meter;
	map->meter = (struct cpucycles_meter *)((char *)map + HEAD_BYTES);
	map->meter_bytes = meter;
	map->reason.size = sizeof map->reason;
	map->info.size = sizeof map->info;
	*memory = map;
	return 0;
}

void child_unmap(struct child_memory *memory)
{
	if (memory)
		munmap(memory, memory->bytes);
}

size_t child_is_at(const struct child_job *job, const struct child_memory *memory)
{
	int phase = memory->phase, at = memory->meter->run.at;

	if (phase == CHILD_LOADS || phase == CHILD_SETS_UP)
		return memory->which;
	if (phase != CHILD_MEASURES)
		return job->n;
	/* One target: also what happens between two calls is due to it. */
	if (job->n == 1)
		return 0;
	return at >= 0 && (size_t)at < job->n ? (size_t)at : job->n;
}

static void begin(struct child_memory *memory, enum child_phase phase, size_t which)
{
	memory->which = which;
	memory->phase = phase;
}

/* The child has finished its job, or cannot go on. */
static _Noreturn void end(struct child_memory *memory, int error)
{
	memory->last = memory->phase;
	memory->error = error;
	memory->phase = CHILD_IS_DONE;
	/* What the functions have printed so far may stand in a buffer. Nothing else of them is
	 * run any more: their destructors might crash. */
	fflush(NULL);
	_exit(0);
}

/* The address of a function, or NULL. POSIX lets a pointer of dlsym become one to a function. */
static void (*find(void *library, const char *name))(void)
{
	union {
		void *object;
		void (*function)(void);
	} address = { .object = dlsym(library, name) };

	return address.function;
}

/* dlopen(3) has failed. A file here is a likely mistake: without a slash, the name is searched for
 * in the system's folders. */
static void say_not_loaded(const struct target *target, struct cpucycles_reason *reason)
{
	const char *why = dlerror();

	reason_say(reason, 0, "does not load: %s", why ? why : "dlopen(3) gives no reason");
	if (!strchr(target->library, '/') && !access(target->library, F_OK))
		reason_remedy(reason, "a file of this folder needs its path: ./%s",
			      target->argument);
	else
		reason_remedy(reason, "expected LIB.so:FUNCTION, where LIB.so is a shared object "
				      "for this machine");
}

struct loaded {
	void (*function)(void);
	void (*setup)(void); /* NULL: there is none, or it is called for an earlier target */
};

static bool is_first(const struct loaded loaded[], size_t i)
{
	for (size_t earlier = 0; earlier < i; earlier++)
		if (loaded[earlier].function == loaded[i].function)
			return false;
	return true;
}

static void load(const struct child_job *job, struct child_memory *memory, struct loaded loaded[])
{
	for (size_t i = 0; i < job->n; i++) {
		const struct target *target = job->targets[i];
		void *library;

		begin(memory, CHILD_LOADS, i);
		library = dlopen(target->library, RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			say_not_loaded(target, &memory->reason);
			end(memory, -ENOENT);
		}
		loaded[i].function = find(library, target->function);
		if (!loaded[i].function) {
			reason_say(&memory->reason, 0, "there is no function %s in %s",
				   target->function, target->library);
			reason_remedy(&memory->reason,
				      "expected one that is not static: void "
				      "%s(void)",
				      target->function);
			end(memory, -ENOENT);
		}
		loaded[i].setup = is_first(loaded, i) ? find(library, target->setup) : NULL;
	}
}

static void set_up(const struct child_job *job, struct child_memory *memory,
		   const struct loaded loaded[])
{
	for (size_t i = 0; i < job->n; i++) {
		if (!loaded[i].setup)
			continue;
		begin(memory, CHILD_SETS_UP, i);
		loaded[i].setup();
	}
}

/*
 * A meter passes an argument to each function, and void f(void) takes none. The caller removes
 * arguments in the C calling conventions of all systems that have dlopen, so calling f in this way
 * does no harm. A function in between would add its own time, and one more jump that the processor
 * cannot predict.
 */
static void (*as_call(void (*function)(void)))(void *)
{
	return (void (*)(void *))function;
}

static int measure(const struct child_job *job, struct child_memory *memory,
		   const struct loaded loaded[], struct cpucycles_work works[])
{
	if (!job->n)
		return cpucycles_meter_check(memory->meter, &memory->warnings, &memory->reason);
	for (size_t i = 0; i < job->n; i++)
		works[i] = (struct cpucycles_work){ .name = job->targets[i]->label,
						    .call = as_call(loaded[i].function) };
	return cpucycles_meter_run(memory->meter, works, job->n, &job->plan, &memory->reason);
}

static void open_meter(const struct child_job *job, struct child_memory *memory)
{
	int error;

	begin(memory, CHILD_OPENS, 0);
	error = meter_open_in(memory->meter, memory->meter_bytes, &job->options, &memory->reason);
	if (!error)
		error = cpucycles_meter_info(memory->meter, &memory->info);
	if (error)
		end(memory, error);
	memory->next_best = memory->reason;
	memory->opened = true;
}

void child_work(const struct child_job *job, struct child_memory *memory)
{
	struct loaded *loaded = calloc(job->n + 1, sizeof *loaded);
	struct cpucycles_work *works = calloc(job->n + 1, sizeof *works);

	if (!loaded || !works) {
		reason_say(&memory->reason, ENOMEM, "%s", strerror(ENOMEM));
		end(memory, -ENOMEM);
	}
	load(job, memory, loaded);
	open_meter(job, memory);
	set_up(job, memory, loaded);
	begin(memory, CHILD_MEASURES, 0);
	end(memory, measure(job, memory, loaded, works));
}
