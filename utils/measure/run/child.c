/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "child.h"
#include "reason.h"
#include "record.h"

#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* How far libraries, heap and stack are moved: libraries by 0 to 4,095 times PAGES pages, which a
 * small address space has, too; the others by fewer bytes than these. */
#define PAGES 7
#define HEAP 4096
#define STACK 4096

/* A process measures until it had the CPU for this part of its slice: 5 ms of 20. One that other
 * programs leave too little time has a ratio that is far off. */
#define CPU_PART 4

/* POSIX has no name for the largest number. */
#if !defined(NSIG)
#define NSIG 32
#endif

/* A function gets its size as what a meter calls its context. */
_Static_assert(sizeof(size_t) == sizeof(void *), "a size has the room of a pointer");

static struct child_shared *shared_by_all;
static pid_t first_process;

/* Where the handler below runs, because the process's own stack may be at its end. Large processors
 * save some kilobytes of registers there. */
static char handler_stack[1 << 16];

/* Then the process ends as without this handler: SA_RESETHAND has removed it. */
static void keep_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	/* A process that a function has forked does not share the memory. */
	if (getpid() != first_process)
		_exit(EXIT_FAILURE);
	shared_by_all->fault = info->si_addr;
	raise(number);
}

/* A handler that is there already, of a preloaded library, stays. */
static void see_faults(struct child_shared *shared)
{
	static const int numbers[] = { SIGSEGV, SIGBUS };
	const stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof handler_stack };
	const struct sigaction action = { .sa_sigaction = keep_fault,
					  .sa_flags =
						  (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND) };
	struct sigaction before;

	shared_by_all = shared;
	first_process = getpid();
	if (sigaltstack(&stack, NULL))
		return;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (!sigaction(numbers[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}

void child_begin(struct child_shared *shared, enum child_phase phase, size_t which)
{
	shared->which = which;
	shared->phase = phase;
}

void child_end(struct child_shared *shared, int error)
{
	shared->last = shared->phase;
	shared->error = error;
	shared->phase = CHILD_IS_DONE;
	/* What the functions have printed so far may stand in a buffer. Nothing else of them is
	 * run any more: their destructors might crash. */
	fflush(NULL);
	_exit(0);
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

size_t child_first_of(const struct loaded loaded[], size_t i)
{
	size_t first = 0;

	while (loaded[first].function != loaded[i].function)
		first++;
	return first;
}

struct state child_take_state(const struct state *before)
{
	struct state left;

	state_clear_direction();
	left = state_get();
	state_set(before);
	return left;
}

static void set_up(const struct child_job *job, struct child_shared *shared,
		   const struct loaded loaded[], struct state states[])
{
	const struct state own = state_get();

	for (size_t i = 0; i < job->n; i++) {
		states[i] = states[child_first_of(loaded, i)];
		if (!loaded[i].setup)
			continue;
		child_begin(shared, CHILD_SETS_UP, i);
		state_set(&states[i]);
		as_call(loaded[i].setup)((void *)job->targets[i]->size);
		states[i] = child_take_state(&own);
	}
}

size_t child_stated(const void *place)
{
	size_t bytes = 0;

	if (place)
		memcpy(&bytes, place, sizeof bytes);
	return bytes;
}

static int check_bytes(const struct target *target, const struct loaded *loaded,
		       struct reason_text *reason)
{
	const size_t bytes = child_stated(loaded->input_bytes);

	if (bytes >= 1 && bytes <= CPUCYCLES_LEAK_BYTES_MAX)
		return 0;
	if (!loaded->input_bytes)
		reason_say(reason, 0, "its file does not say how many bytes its input has");
	else
		reason_say(reason, 0, "its input has %zu bytes, expected 1 to %d", bytes,
			   CPUCYCLES_LEAK_BYTES_MAX);
	reason_remedy(reason, "%s, with the right number%s: const size_t %s_bytes = 32;",
		      loaded->input_bytes ? "correct this line" : "add this line",
		      loaded->input_bytes ? "" : " and, in C++, extern \"C\" before it",
		      target->input);
	return -EDOM;
}

/* Whether the file has what a test for leaks needs, and nothing that makes no sense there. */
static void check_leak(const struct child_job *job, struct child_shared *shared,
		       const struct loaded *loaded)
{
	int error = -EINVAL;

	if (loaded->before) {
		reason_say(&shared->reason, 0,
			   "--leak makes each input anew, and does not call %s_before",
			   job->targets[0]->function);
		reason_remedy(&shared->reason, "move what it does into the function, or into "
					       "its _setup");
	} else if (loaded->input && job->leak_flags & CPUCYCLES_LEAK_PAIRS) {
		reason_say(&shared->reason, 0, "--pairs draws both inputs, but there is %s",
			   job->targets[0]->input);
		reason_remedy(&shared->reason, "leave out one of both");
	} else {
		error = check_bytes(job->targets[0], loaded, &shared->reason);
	}
	if (error)
		child_end(shared, error);
}

static int test_leak(const struct child_job *job, const struct child_memory *memory,
		     const struct loaded *loaded)
{
	const struct cpucycles_leak leak = {
		.size = sizeof leak,
		.name = job->targets[0]->label,
		/* They ignore the context, which comes after their own arguments. */
		.call = (void (*)(const unsigned char *, void *))loaded->function,
		.prepare = (void (*)(int, unsigned char *, void *))loaded->input,
		.bytes = child_stated(loaded->input_bytes),
		.threshold = job->threshold,
		.flags = job->leak_flags,
	};

	memory->record->leak.prepared = loaded->input;
	return meter_run(memory->meter, &(struct meter_order){ .leak = &leak, .plan = &job->plan },
			 &memory->shared->reason);
}

int child_mask_difference(const sigset_t *before, const sigset_t *after)
{
	for (int number = 1; number < NSIG; number++) {
		const bool was = sigismember(before, number) == 1;

		if (was != (sigismember(after, number) == 1))
			return was ? -number : number;
	}
	return 0;
}

int child_mask_see(void)
{
	static sigset_t last;
	static bool seen;
	sigset_t before;

	if (!seen)
		sigemptyset(&last);
	seen = true;
	before = last;
	sigprocmask(SIG_SETMASK, NULL, &last);
	return child_mask_difference(&before, &last);
}

/* The call of function number i, and its argument. */
static void prepare_call(const struct child_job *job, struct child_shared *shared, size_t i,
			 const struct loaded *loaded, struct buffer_call *buffer,
			 struct cpucycles_work *work)
{
	const struct target *const target = job->targets[i];

	work->size = sizeof *work;
	work->call = as_call(loaded->function);
	work->context = (void *)target->size;
	if (!target->sized || !signature_has_buffer(&target->signature))
		return;
	work->call = buffer_call;
	work->context = buffer;
	if (!buffer_prepare(target, loaded->function, job->plan.seed, i, &job->input, buffer)) {
		reason_say(&shared->reason, ENOMEM, "there is no memory of %zu bytes for %s",
			   target->size, target->function);
		child_end(shared, -ENOMEM);
	}
}

static int measure_works(const struct child_job *job, const struct child_memory *memory,
			 const struct loaded loaded[], const struct state states[],
			 struct buffer_call buffers[], struct cpucycles_work works[])
{
	if (!job->n)
		return meter_run_check(memory->meter, &memory->shared->reason);
	for (size_t i = 0; i < job->n; i++) {
		works[i] = (struct cpucycles_work){ .name = job->targets[i]->label,
						    .before = as_call(loaded[i].before),
						    .bytes = loaded[i].bytes };
		prepare_call(job, memory->shared, i, &loaded[i], &buffers[i], &works[i]);
	}
	memory->meter->run.states = states;
	memory->meter->run.see_mask = child_mask_see;
	memory->meter->run.iterations_given = job->iterations;
	memory->meter->run.cpu_part = CPU_PART;
	/* In one layout or in several, blocks are equally long. */
	memory->meter->run.blocks_wanted = RUN_BLOCKS / job->layouts;
#ifdef MADV_DONTFORK
	/* A process that a function forks, and that comes back from it, would go on with the run.
	 * Without this memory it ends by a fault. */
	madvise(memory->map, memory->bytes, MADV_DONTFORK);
#endif
	if (child_tests_leak(job))
		return test_leak(job, memory, &loaded[0]);
	return meter_run(memory->meter,
			 &(struct meter_order){ .works = works, .n = job->n, .plan = &job->plan },
			 &memory->shared->reason);
}

static void open_meter(const struct child_job *job, const struct child_memory *memory)
{
	struct child_shared *shared = memory->shared;
	int error;

	child_begin(shared, CHILD_OPENS, 0);
	error = meter_open_in(memory->meter, memory->meter_bytes, &job->options, &job->known,
			      &shared->reason);
	if (!error)
		error = record_counter(memory->record, memory->meter, &shared->reason);
	if (error)
		child_end(shared, error);
}

/* What this process needs for each target. */
struct rooms {
	struct loaded *loaded;
	struct cpucycles_work *works;
	struct state *states;
	struct buffer_call *buffers;
};

/* Measure in one layout. For the first one, the meter is opened after the files were loaded. *took:
 * the time of the CPU, without that. */
static int measure_layout(const struct child_job *job, const struct child_memory *memory,
			  child_load *load, const struct rooms *r, clock_t *took)
{
	struct child_shared *const shared = memory->shared;
	int error;

	*took = -clock();
	load(job, shared, r->loaded, r->states);
	if (child_tests_leak(job))
		check_leak(job, shared, &r->loaded[0]);
	*took += clock();
	if (!memory->record->opened)
		open_meter(job, memory);
	*took -= clock();
	set_up(job, shared, r->loaded, r->states);
	child_begin(shared, CHILD_MEASURES, 0);
	error = measure_works(job, memory, r->loaded, r->states, r->buffers, r->works);
	if (error == -ERANGE && job->n > 0)
		shared->which = memory->meter->run.too_fast;
	/* Without its events, a run has results all the same. That they are void stands in the
	 * meter. */
	if (error == -EAGAIN && !memory->meter->run.watch.lost)
		error = 0;
	if (!error) {
		/* Judge in the state that a program begins with: a function may have left another
		 * one, in which numbers are rounded otherwise. */
		state_clear_direction();
		fesetenv(FE_DFL_ENV);
		child_begin(shared, CHILD_JUDGES, 0);
		record_run(job, memory);
	}
	*took += clock();
	return error;
}

static _Noreturn void work(const struct child_job *job, const struct child_memory *memory,
			   child_load *load)
{
	const struct rooms rooms = { calloc(job->n + 1, sizeof *rooms.loaded),
				     calloc(job->n + 1, sizeof *rooms.works),
				     calloc(job->n + 1, sizeof *rooms.states),
				     calloc(job->n + 1, sizeof *rooms.buffers) };
	struct child_memory of_layout = *memory;
	struct child_job layout = *job;
	size_t layouts = job->layouts;
	sigset_t mask;
	clock_t took;
	int error = 0;

	if (!rooms.loaded || !rooms.works || !rooms.states || !rooms.buffers) {
		reason_say(&memory->shared->reason, ENOMEM, "%s", strerror(ENOMEM));
		child_end(memory->shared, -ENOMEM);
	}
	see_faults(memory->shared);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < layouts && !error; i++) {
		layout.first_side = job->first_side + i * job->sides;
		layout.plan.seed = child_seed(job->plan.seed, i);
		of_layout.record = record_begin(job, memory, i);
		/* Signals that a function has blocked are to be seen in each layout. */
		sigprocmask(SIG_SETMASK, &mask, NULL);
		child_mask_see();
		error = measure_layout(&layout, &of_layout, load, &rooms, &took);
		layout.iterations = memory->meter->run.iterations;
		memory->meter->run.frequency_given[0] = memory->meter->run.watch.before;
		memory->meter->run.frequency_given[1] = memory->meter->run.watch.after;
		if (memory->meter->run.stop)
			break;
		if (i == 0 && job->may_be_slow)
			layouts = child_layouts(job, memory->meter->run.rounds,
						memory->meter->run.faults,
						(double)took / CLOCKS_PER_SEC * 1e9);
	}
	child_end(memory->shared, error);
}

/* Work deeper in the stack, by `bytes`. */
static void descend(size_t bytes, const struct child_job *job, const struct child_memory *memory,
		    child_load *load)
{
	volatile char room[bytes];

	memory->shared->deeper = room;
	work(job, memory, load);
}

/*
 * A child of fork has all in the same places as its parent. A fresh program would have it
 * elsewhere, because the system draws the places of stack, heap and libraries. So here they are
 * drawn, too: from the seed, so that a run can be repeated. What this takes stays until the process
 * ends.
 */
void child_work(const struct child_job *job, const struct child_memory *memory, child_load *load)
{
	const uint64_t drawn = job->plan.seed * UINT64_C(0x9e3779b97f4a7c15);
	const size_t pages = (size_t)(drawn >> 52) * PAGES + 1;

	if (job->n > 0) {
		mmap(NULL, pages * (size_t)sysconf(_SC_PAGESIZE), PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		memory->shared->kept = malloc((size_t)(drawn >> 40) % HEAP + 1);
	}
	descend((size_t)(drawn >> 28) % STACK + 1, job, memory, load);
	_exit(EXIT_FAILURE);
}
