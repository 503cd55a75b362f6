/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Events of macOS on Apple silicon, through the private framework kperf, which has no manual. The
 * kernel adds up the counters of all cores for each thread. Two counters are fixed: cycles and
 * instructions, of user mode and of the kernel together. The others take a code and two bits for
 * the modes.
 *
 * The counters are one resource of the whole machine. So a lock file keeps other processes with
 * this library away, and kpc_force_all_ctrs_set all others. What was set before is put back after
 * the last use. kperf_reset is never called: it would end what other programs trace.
 *
 * This file has been compiled against declarations that the tests make, and was given made answers.
 * It has not run on macOS.
 *
 * Source: Apple's published kernel, in XNU osfmk/kern/kpc.h, osfmk/arm64/kpc.c (CFGWORD_*, the
 * modes of the fixed counters), osfmk/kern/kpc_thread.c and bsd/kern/kern_kpc.c (who may do what).
 * In Linux, the comments of drivers/perf/apple_m1_cpu_pmu.c (which counters count which events).
 */

#include "config.h"

#if !defined(__APPLE__) || !defined(__arm64__)
#error "macOS on Apple silicon only"
#endif

#include "group.h"
#include "kperf.h"
#include "reason.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define FRAMEWORK "/System/Library/PrivateFrameworks/kperf.framework/kperf"
#define LOCK_FILE "/var/run/cpucycles-kperf.lock"

#define CLASS_FIXED 1u
#define CLASS_CONFIGURABLE 2u
#define CLASSES (CLASS_FIXED | CLASS_CONFIGURABLE)

/* Before those with a code, counts of both classes have these. */
enum { FIXED_CYCLES, FIXED_INSTRUCTIONS, FIXED };

/* A configuration: a code, and the modes that it counts in. */
#define CODE_MAX 0xffff
#define MODE_USER 0x20000
#define MODE_KERNEL 0x40000

#define COUNTERS_MAX 32 /* of both classes: XNU's KPC_MAX_COUNTERS */

/* The kernel gives a thread its counts when a call returns, so a second call has them. */
#define READ_TRIES 3

/* Counters with codes: every CPU of Apple has the first six at least. */
#define CONFIGS_MIN 6
#define CONFIGS_MAX 8

#define N(array) (sizeof(array) / sizeof(array)[0])

static struct {
	int (*force_all_ctrs_get)(int *value);
	int (*force_all_ctrs_set)(int value);
	uint32_t (*get_counter_count)(uint32_t classes);
	uint32_t (*get_config_count)(uint32_t classes);
	int (*get_config)(uint32_t classes, void *config);
	int (*set_config)(uint32_t classes, void *config);
	uint32_t (*get_counting)(void);
	int (*set_counting)(uint32_t classes);
	uint32_t (*get_thread_counting)(void);
	int (*set_thread_counting)(uint32_t classes);
	int (*get_thread_counters)(uint32_t thread, uint32_t n, uint64_t *counts);
} kpc;

static const struct {
	const char *name;
	void *function; /* points to a member of kpc */
} functions[] = {
	{ "kpc_force_all_ctrs_get", &kpc.force_all_ctrs_get },
	{ "kpc_force_all_ctrs_set", &kpc.force_all_ctrs_set },
	{ "kpc_get_counter_count", &kpc.get_counter_count },
	{ "kpc_get_config_count", &kpc.get_config_count },
	{ "kpc_get_config", &kpc.get_config },
	{ "kpc_set_config", &kpc.set_config },
	{ "kpc_get_counting", &kpc.get_counting },
	{ "kpc_set_counting", &kpc.set_counting },
	{ "kpc_get_thread_counting", &kpc.get_thread_counting },
	{ "kpc_set_thread_counting", &kpc.set_thread_counting },
	{ "kpc_get_thread_counters", &kpc.get_thread_counters },
};

/* What this process has set, and what it found. */
static struct {
	pthread_mutex_t mutex;
	pid_t process; /* a child of fork has a copy of all this, and sets nothing */
	unsigned users;
	const struct event_group *configured; /* the one user that has codes */
	int lock;
	int forced;
	uint32_t counting, thread_counting;
	uint32_t counters, configs;
	uint64_t before[COUNTERS_MAX];
} kperf = { .mutex = PTHREAD_MUTEX_INITIALIZER };

struct event_group {
	size_t n, codes;
	bool open, lost;
	/* Of each event: the first of its counters, and the distance of the next one, or 0. */
	struct {
		uint32_t first, step;
	} places[EVENTS_MAX + 1];
	uint64_t begin[COUNTERS_MAX];
};

/* Names */

enum type { TYPE_FIXED, TYPE_CODE };

static int refuse(const struct event *event, const char *why, const char *remedy,
		  struct cpucycles_reason *reason)
{
	reason_say(reason, ENOTSUP, "%.60s: %s", event->ask.text, why);
	reason_remedy(reason, "%s", remedy);
	return -ENOTSUP;
}

static void give(struct event *event, enum type type, uint64_t config)
{
	event->hardware = event->has_pmu = true;
	event->kinds = event->n = 1;
	event->codes[0] = (struct event_code){ .type = type, .config = { config } };
}

/* The fixed counters count both modes, whatever is set. */
static int fixed(struct event *event, struct cpucycles_reason *reason)
{
	if (event->ask.number > FIXED_INSTRUCTIONS)
		return refuse(event,
			      "of the kernel's generic events, kperf has cycles and "
			      "instructions only",
			      "name the event by its code in the CPU's manual, as in r8d", reason);
	if (event->ask.user != event->ask.kernel)
		return refuse(event, "its counter counts user mode and the kernel together",
			      "leave out the letter", reason);
	event->by_default = !event->ask.user;
	event->user = event->kernel = true;
	give(event, TYPE_FIXED, event->ask.number);
	return 0;
}

static int code(struct event *event, struct cpucycles_reason *reason)
{
	const struct event_parts *parts = &event->ask.parts;

	if (parts->has_mask || parts->edge || parts->invert || parts->count)
		return refuse(event, "this CPU has neither unit masks nor other parts of an event",
			      "ask for the code alone, as in r8d", reason);
	if (event->ask.number == 0 || event->ask.number > CODE_MAX)
		return refuse(event, "a code of this CPU is from 1 to ffff",
			      "look the code up in the CPU's manual", reason);
	event->by_default = !event->ask.user && !event->ask.kernel;
	event->user = event->ask.user || event->by_default;
	event->kernel = event->ask.kernel;
	give(event, TYPE_CODE,
	     event->ask.number | (event->user ? MODE_USER : 0) | (event->kernel ? MODE_KERNEL : 0));
	return 0;
}

int event_resolve(struct event *event, struct cpucycles_reason *reason)
{
	switch (event->ask.source) {
	case EVENT_HARDWARE:
		return fixed(event, reason);
	case EVENT_RAW:
		return code(event, reason);
	default:
		return refuse(event, "kperf counts cycles, instructions and codes only",
			      "name the event by its code in the CPU's manual, as in r8d", reason);
	}
}

int event_resolve_cycles(struct event *event, bool user, bool kernel,
			 struct cpucycles_reason *reason)
{
	(void)user;
	(void)kernel;
	*event = (struct event){ .ask = { .text = "cpu-cycles", .source = EVENT_HARDWARE } };
	return event_resolve(event, reason);
}

/* The machine's counters */

static int load(struct cpucycles_reason *reason)
{
	void *library = dlopen(FRAMEWORK, RTLD_LAZY | RTLD_LOCAL);

	if (!library) {
		reason_say(reason, ENOTSUP, "this macOS has no framework kperf");
		return -ENOTSUP;
	}
	for (size_t i = 0; i < N(functions); i++) {
		void *const symbol = dlsym(library, functions[i].name);

		if (!symbol) {
			reason_say(reason, ENOTSUP, "kperf of this macOS has no function %s",
				   functions[i].name);
			return -ENOTSUP;
		}
		memcpy(functions[i].function, &symbol, sizeof symbol);
	}
	return 0;
}

static int say_why(const char *what, int error, struct cpucycles_reason *reason)
{
	reason_say(reason, error, "kperf: %s: %s", what, strerror(error));
	if (error == EACCES || error == EPERM)
		reason_remedy(reason, "run as root, and end other programs that use the counters, "
				      "such as Instruments");
	return -error;
}

static struct flock whole_file(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

/* A lock of fcntl(2), because it tells who holds it, and a child of fork does not have it. */
static int lock(struct cpucycles_reason *reason)
{
	struct flock holder = whole_file();
	int error;

	kperf.lock = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (kperf.lock < 0)
		return say_why(LOCK_FILE, errno, reason);
	if (fcntl(kperf.lock, F_SETLK, &holder) == 0)
		return 0;
	error = errno;
	holder = whole_file();
	if ((error == EACCES || error == EAGAIN) && fcntl(kperf.lock, F_GETLK, &holder) == 0 &&
	    holder.l_type != F_UNLCK) {
		reason_say(reason, EBUSY, "kperf: process %ld counts already (%s)",
			   (long)holder.l_pid, LOCK_FILE);
		reason_remedy(reason, "wait until it ends: one process at a time can count");
		error = EBUSY;
	} else {
		say_why(LOCK_FILE, error, reason);
	}
	close(kperf.lock);
	return -error;
}

/* In the order in which they were set, from the end; from counting on, if all were set. */
static void put_back(bool all)
{
	if (all) {
		kpc.set_thread_counting(kperf.thread_counting);
		kpc.set_counting(kperf.counting);
		kpc.set_config(CLASS_CONFIGURABLE, kperf.before);
	}
	kpc.force_all_ctrs_set(kperf.forced);
	close(kperf.lock);
}

/* Behind kpc_force_all_ctrs_set, because only then all counters are there. */
static int look(struct cpucycles_reason *reason)
{
	kperf.counters = kpc.get_counter_count(CLASSES);
	kperf.configs = kpc.get_config_count(CLASS_CONFIGURABLE);
	if (kpc.get_counter_count(CLASS_FIXED) != FIXED || kperf.counters > COUNTERS_MAX ||
	    kperf.configs != kperf.counters - FIXED || kperf.configs < CONFIGS_MIN) {
		reason_say(reason, ENOTSUP,
			   "kperf: %u counters with %u configurations, which the library does not "
			   "know",
			   (unsigned)kperf.counters, (unsigned)kperf.configs);
		return -ENOTSUP;
	}
	kperf.counting = kpc.get_counting();
	kperf.thread_counting = kpc.get_thread_counting();
	if (kpc.get_config(CLASS_CONFIGURABLE, kperf.before))
		return say_why("reading the configuration", errno, reason);
	return 0;
}

/* Give the counters these codes, and let them count. */
static int count(uint64_t config[COUNTERS_MAX], struct cpucycles_reason *reason)
{
	if (kpc.set_config(CLASS_CONFIGURABLE, config))
		return say_why("setting the configuration", errno, reason);
	if (kpc.set_counting(CLASSES) || kpc.set_thread_counting(CLASSES))
		return say_why("starting the counters", errno, reason);
	return 0;
}

static int take(struct cpucycles_reason *reason)
{
	uint64_t none[COUNTERS_MAX] = { 0 };
	int error = lock(reason);

	if (error)
		return error;
	if (kpc.force_all_ctrs_get(&kperf.forced) || kpc.force_all_ctrs_set(1)) {
		error = say_why("taking the counters", errno, reason);
		close(kperf.lock);
		return error;
	}
	error = look(reason);
	if (error) {
		put_back(false);
		return error;
	}
	error = count(none, reason);
	if (error)
		put_back(true);
	return error;
}

/* One more user. The mutex is held. */
static int acquire(struct cpucycles_reason *reason)
{
	int error;

	if (kperf.users && kperf.process != getpid()) {
		kperf.users = 0;
		kperf.configured = NULL;
	}
	/* The kernel gives counts to the thread that asks for them, and to new ones. */
	if (kperf.users) {
		if (kpc.set_thread_counting(CLASSES))
			return say_why("counting this thread", errno, reason);
		kperf.users++;
		return 0;
	}
	error = load(reason);
	if (!error)
		error = take(reason);
	if (error)
		return error;
	kperf.process = getpid();
	kperf.users = 1;
	return 0;
}

static void release(void)
{
	if (kperf.users && kperf.process == getpid() && --kperf.users == 0)
		put_back(true);
}

static int read_counters(uint64_t counts[COUNTERS_MAX])
{
	return kpc.get_thread_counters(0, kperf.counters, counts) ? -EAGAIN : 0;
}

static int read_first(uint64_t counts[COUNTERS_MAX], struct cpucycles_reason *reason)
{
	for (int i = 0; i < READ_TRIES; i++)
		if (!read_counters(counts))
			return 0;
	return say_why("reading the thread's counters", errno ? errno : EIO, reason);
}

/* Cycles alone */

static long long read_cycles(void)
{
	uint64_t counts[COUNTERS_MAX];

	return read_counters(counts) ? -1 : (long long)counts[FIXED_CYCLES];
}

int kperf_cycles_ready(long long (**read)(void), struct cpucycles_reason *reason)
{
	uint64_t counts[COUNTERS_MAX];
	int error;

	pthread_mutex_lock(&kperf.mutex);
	error = acquire(reason);
	if (!error) {
		error = read_first(counts, reason);
		if (error)
			release();
	}
	pthread_mutex_unlock(&kperf.mutex);
	*read = error ? NULL : read_cycles;
	return error;
}

void kperf_cycles_close(void)
{
	pthread_mutex_lock(&kperf.mutex);
	release();
	pthread_mutex_unlock(&kperf.mutex);
}

/* Groups */

/*
 * Not every counter counts every event: those that do not stay at 0. So an event gets several
 * counters, from the one on that counts most events of an M1, and its count is the largest. An
 * event that is named alone gets all of them.
 */
static const uint8_t order[CONFIGS_MAX] = { 5, 4, 3, 2, 1, 0, 6, 7 };

size_t event_group_bytes(size_t events)
{
	(void)events;
	return sizeof(struct event_group);
}

static uint64_t largest(const struct event_group *group, size_t event, const uint64_t counts[])
{
	const uint32_t first = group->places[event].first, step = group->places[event].step;
	uint64_t most = 0;

	if (step == 0)
		return counts[first] - group->begin[first];
	for (uint32_t i = first; i < CONFIGS_MAX; i += step) {
		const uint32_t counter = FIXED + order[i];
		uint64_t count;

		if (order[i] >= kperf.configs)
			continue;
		count = counts[counter] - group->begin[counter];
		most = count > most ? count : most;
	}
	return most;
}

int event_group_read(struct event_group *group, uint64_t counts[])
{
	uint64_t now[COUNTERS_MAX];

	group->lost |= read_counters(now) != 0;
	for (uint32_t i = 0; !group->lost && i < kperf.counters; i++)
		group->lost = now[i] < group->begin[i];
	if (group->lost)
		return -EAGAIN;
	for (size_t i = 0; i < group->n; i++)
		counts[i] = largest(group, i, now);
	return 0;
}

/* Another program may have set the counters all the same. */
int event_group_lost(struct event_group *group)
{
	uint64_t counts[EVENTS_MAX + 1];
	int forced = 0;

	if (kpc.force_all_ctrs_get(&forced) || !forced ||
	    (kpc.get_counting() & CLASSES) != CLASSES ||
	    (kpc.get_thread_counting() & CLASSES) != CLASSES)
		group->lost = true;
	return event_group_read(group, counts);
}

const char *event_group_way(const struct event_group *group)
{
	(void)group;
	return "system call";
}

static void place(struct event_group *group, const struct event *const events[],
		  uint64_t config[COUNTERS_MAX])
{
	uint32_t next = 0;

	for (size_t i = 0; i < group->n; i++) {
		const struct event_code *code = &events[i]->codes[0];

		if (code->type == TYPE_FIXED) {
			group->places[i].first = (uint32_t)code->config[0];
			continue;
		}
		group->places[i].first = next++;
		group->places[i].step = (uint32_t)group->codes;
		for (size_t k = group->places[i].first; k < CONFIGS_MAX; k += group->codes)
			config[order[k]] = code->config[0];
	}
}

/* Counters with codes, for one group at a time. The mutex is held. */
static int configure(struct event_group *group, const struct event *const events[],
		     struct cpucycles_reason *reason)
{
	uint64_t config[COUNTERS_MAX] = { 0 };
	int error;

	if (group->codes > kperf.configs || group->codes > CONFIGS_MAX) {
		reason_say(reason, ENOSPC, "kperf: %zu codes, but the CPU has %u counters for them",
			   group->codes, (unsigned)kperf.configs);
		reason_remedy(reason, "ask for fewer events, or for some of them in another run");
		return -ENOSPC;
	}
	if (group->codes && kperf.configured) {
		reason_say(reason, ENOSPC,
			   "kperf: another meter of this process has the counters "
			   "with codes");
		reason_remedy(reason, "close the other meter first");
		return -ENOSPC;
	}
	place(group, events, config);
	if (group->codes == 0)
		return 0;
	error = count(config, reason);
	if (!error)
		kperf.configured = group;
	return error;
}

/* Without codes again, which others do not have. The mutex is held. */
static void leave(struct event_group *group)
{
	uint64_t none[COUNTERS_MAX] = { 0 };

	if (kperf.process == getpid() && kperf.configured == group) {
		kperf.configured = NULL;
		kpc.set_config(CLASS_CONFIGURABLE, none);
	}
	release();
}

int event_group_open(struct event_group *group, const struct event *const events[], size_t n,
		     size_t *which, struct cpucycles_reason *reason)
{
	int error;

	memset(group, 0, sizeof *group);
	group->n = n;
	*which = 0;
	for (size_t i = 0; i < n; i++) {
		if (events[i]->codes[0].type != TYPE_CODE)
			continue;
		group->codes++;
		*which = i;
	}
	pthread_mutex_lock(&kperf.mutex);
	error = acquire(reason);
	if (!error) {
		error = configure(group, events, reason);
		if (!error)
			error = read_first(group->begin, reason);
		if (error)
			leave(group);
	}
	pthread_mutex_unlock(&kperf.mutex);
	group->open = !error;
	return error;
}

void event_group_close(struct event_group *group)
{
	if (!group->open)
		return;
	group->open = false;
	pthread_mutex_lock(&kperf.mutex);
	leave(group);
	pthread_mutex_unlock(&kperf.mutex);
}
