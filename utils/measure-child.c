/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "measure-alone.h"
#include "measure-child.h"
#include "measure-loaded.h"
#include "measure-mask.h"
#include "measure-mistake.h"
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
#define HEAD_BYTES ((sizeof(struct child_shared) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

/* Memory is taken up by its first use only, so a long run may be planned that ends early. */
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* How far libraries, heap and stack are moved: 0 to 4,095 times so many pages, which a small
 * address space has, too; and fewer than so many bytes. */
#define PAGES 7
#define HEAP 4096
#define STACK 4096

/* A constant of this name behind that of a function has the bytes of one call. */
#define BYTES "_bytes"

/* A function gets its size as what a meter calls its context. */
_Static_assert(sizeof(size_t) == sizeof(void *), "a size has the room of a pointer");

int child_map(const struct child_job *job, struct child_memory *memory,
	      struct cpucycles_reason *reason)
{
	const size_t meter = meter_bytes(&job->options, reason);
	void *map;

	if (!meter)
		return -EINVAL;
	map = mmap(NULL, HEAD_BYTES + meter, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED) {
		int error = errno;

		reason_say(reason, error, "there is no memory for so many samples: %s",
			   strerror(error));
		reason_remedy(reason, "ask for fewer samples by -n");
		return -error;
	}
	*memory = (struct child_memory){
		.shared = map,
		.meter = (struct cpucycles_meter *)((char *)map + HEAD_BYTES),
		.bytes = HEAD_BYTES + meter,
		.meter_bytes = meter,
	};
	memory->shared->reason.size = sizeof memory->shared->reason;
	memory->shared->info.size = sizeof memory->shared->info;
	return 0;
}

void child_unmap(struct child_memory *memory)
{
	munmap(memory->shared, memory->bytes);
}

size_t child_is_at(const struct child_job *job, const struct child_memory *memory)
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

static void begin(struct child_shared *shared, enum child_phase phase, size_t which)
{
	shared->which = which;
	shared->phase = phase;
}

/* The child has finished its job, or cannot go on. */
static _Noreturn void end(struct child_shared *shared, int error)
{
	shared->last = shared->phase;
	shared->error = error;
	shared->phase = CHILD_IS_DONE;
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
	if (strchr(target->library, '/') && mistake_in_file(target, reason))
		return;
	if (!strchr(target->library, '/') && !access(target->library, F_OK))
		reason_remedy(reason, "a file of this folder needs its path: ./%s",
			      target->argument);
	else
		reason_remedy(reason, "expected LIB.so:FUNCTION, where LIB.so is a shared object "
				      "for this machine");
}

/*
 * A meter passes a pointer to each function. void f(void) takes no argument: the caller removes
 * arguments in the C calling conventions of all systems that have dlopen, so calling f in this way
 * does no harm. void f(size_t) takes a size: on all these systems it is passed as a pointer is. A
 * function in between would add its own time, and one more jump that the processor cannot predict.
 */
static void (*as_call(void (*function)(void)))(void *)
{
	return (void (*)(void *))function;
}

static void *context_of(const struct target *target)
{
	return (void *)target->size;
}

/* The bytes that the library states. Whatever lies there is only a number, and if nothing can be
 * read there, the loading of the library has crashed. */
static size_t stated_bytes(void *library, const struct target *target)
{
	const size_t room = strlen(target->function) + sizeof BYTES;
	char *const name = malloc(room);
	const void *place;
	size_t bytes = 0;

	if (!name)
		return 0;
	snprintf(name, room, "%s%s", target->function, BYTES);
	place = dlsym(library, name);
	if (place)
		memcpy(&bytes, place, sizeof bytes);
	free(name);
	return bytes;
}

struct loaded {
	void *library;
	void (*function)(void);
	void (*setup)(void);  /* NULL: there is none, or it is called for an earlier target */
	void (*before)(void); /* NULL: there is none */
	size_t bytes;
};

/* The first target with the function of target i. */
static size_t first_of(const struct loaded loaded[], size_t i)
{
	size_t first = 0;

	while (loaded[first].function != loaded[i].function)
		first++;
	return first;
}

/* What a file's constructors or a setup have left. Whatever comes next does not find it. */
static struct state take_state(const struct state *own)
{
	struct state left;

	state_clear_direction();
	left = state_get();
	state_set(own);
	return left;
}

/*
 * What the loading of file i has left. The constructors of a file run when it is loaded for the
 * first time only, and so do those of the libraries that it needs. So if an earlier file has
 * changed the state, a library of both may have done that.
 */
static void keep_state(const struct alone *alone, const struct target *target,
		       const struct loaded loaded[], size_t i, const struct state *own,
		       struct state states[])
{
	bool changed = false;

	states[i] = take_state(own);
	for (size_t earlier = 0; earlier < i; earlier++) {
		if (loaded[earlier].library == loaded[i].library) {
			states[i] = states[earlier];
			return;
		}
		changed = changed || !state_is(&states[earlier], own);
	}
	if (changed)
		alone_ask(alone, target->library, &states[i]);
}

static void load(const struct child_job *job, struct child_shared *shared, struct loaded loaded[],
		 struct state states[])
{
	const struct state own = state_get();
	struct alone alone = { .process = -1 };

	if (job->n > 1)
		alone_begin(&alone);
	for (size_t i = 0; i < job->n; i++) {
		const struct target *target = job->targets[i];
		void *library;

		begin(shared, CHILD_LOADS, i);
		library = loaded[i].library = dlopen(target->library, RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			say_not_loaded(target, &shared->reason);
			end(shared, -ENOENT);
		}
		keep_state(&alone, target, loaded, i, &own, states);
		if (!loaded_is_own(library, &shared->reason))
			end(shared, -ENOENT);
		loaded[i].function = find(library, target->function);
		if (!loaded[i].function)
			mistake_in_name(target, &shared->reason);
		if (!loaded[i].function ||
		    mistake_is_variable(target, dlsym(library, target->function), &shared->reason))
			end(shared, -ENOENT);
		loaded[i].bytes = target->sized || target->bytes ? target->bytes :
								   stated_bytes(library, target);
		loaded[i].setup = first_of(loaded, i) == i ? find(library, target->setup) : NULL;
		loaded[i].before = find(library, target->before);
	}
	alone_end(&alone);
}

static void set_up(const struct child_job *job, struct child_shared *shared,
		   const struct loaded loaded[], struct state states[])
{
	const struct state own = state_get();

	for (size_t i = 0; i < job->n; i++) {
		states[i] = states[first_of(loaded, i)];
		if (!loaded[i].setup)
			continue;
		begin(shared, CHILD_SETS_UP, i);
		state_set(&states[i]);
		as_call(loaded[i].setup)(context_of(job->targets[i]));
		states[i] = take_state(&own);
	}
}

static int measure(const struct child_job *job, const struct child_memory *memory,
		   const struct loaded loaded[], const struct state states[],
		   struct cpucycles_work works[])
{
	struct child_shared *shared = memory->shared;

	if (!job->n)
		return cpucycles_meter_check(memory->meter, &shared->warnings, &shared->reason);
	for (size_t i = 0; i < job->n; i++)
		works[i] = (struct cpucycles_work){ .name = job->targets[i]->label,
						    .call = as_call(loaded[i].function),
						    .context = context_of(job->targets[i]),
						    .before = as_call(loaded[i].before),
						    .bytes = loaded[i].bytes };
	memory->meter->run.states = states;
	memory->meter->run.see_mask = mask_see;
	memory->meter->run.batch_given = job->batch;
	return cpucycles_meter_run(memory->meter, works, job->n, &job->plan, &shared->reason);
}

static void open_meter(const struct child_job *job, const struct child_memory *memory)
{
	struct child_shared *shared = memory->shared;
	int error;

	begin(shared, CHILD_OPENS, 0);
	error = meter_open_in(memory->meter, memory->meter_bytes, &job->options, &shared->reason);
	if (!error)
		error = cpucycles_meter_info(memory->meter, &shared->info);
	if (error)
		end(shared, error);
	snprintf(shared->counter, sizeof shared->counter, "%s", shared->info.counter);
	shared->next_best = shared->reason;
	shared->opened = true;
}

static _Noreturn void work(const struct child_job *job, const struct child_memory *memory)
{
	struct child_shared *shared = memory->shared;
	struct loaded *loaded = calloc(job->n + 1, sizeof *loaded);
	struct cpucycles_work *works = calloc(job->n + 1, sizeof *works);
	struct state *states = calloc(job->n + 1, sizeof *states);

	if (!loaded || !works || !states) {
		reason_say(&shared->reason, ENOMEM, "%s", strerror(ENOMEM));
		end(shared, -ENOMEM);
	}
	load(job, shared, loaded, states);
	open_meter(job, memory);
	set_up(job, shared, loaded, states);
	begin(shared, CHILD_MEASURES, 0);
	end(shared, measure(job, memory, loaded, states, works));
}

/* Work deeper in the stack, by so many bytes. */
static void descend(size_t bytes, const struct child_job *job, const struct child_memory *memory)
{
	volatile char room[bytes];

	memory->shared->deeper = room;
	work(job, memory);
}

/*
 * A child of fork has all in the same places as its parent. A fresh program would have it
 * elsewhere, because the system draws the places of stack, heap and libraries. So here they are
 * drawn, too: from the seed, so that a run can be repeated. What this takes stays until the process
 * ends.
 */
void child_work(const struct child_job *job, const struct child_memory *memory)
{
	const uint64_t drawn = job->plan.seed * UINT64_C(0x9e3779b97f4a7c15);
	const size_t pages = (size_t)(drawn >> 52) * PAGES + 1;

	if (job->n > 0) {
		mmap(NULL, pages * (size_t)sysconf(_SC_PAGESIZE), PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		memory->shared->kept = malloc((size_t)(drawn >> 40) % HEAP + 1);
	}
	descend((size_t)(drawn >> 28) % STACK + 1, job, memory);
	_exit(EXIT_FAILURE);
}
