/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The counters of Apple silicon, through macOS's private framework kperf, which has no manual. They
 * are one resource of the whole machine. So a lock file keeps other processes with this library
 * away, and kpc_force_all_ctrs_set all others. What was set before is put back after the last use.
 * kperf_reset is never called: it would end what other programs trace.
 *
 * This file has been compiled against declarations that the tests make, and was given made answers.
 * It has not run on macOS.
 *
 * Source: Apple's published kernel, in XNU osfmk/kern/kpc.h, osfmk/arm64/kpc.c,
 * osfmk/kern/kpc_thread.c and bsd/kern/kern_kpc.c (who may do what).
 */

#include "config.h"

#if !defined(__APPLE__) || !defined(__arm64__)
#error "macOS on Apple silicon only"
#endif

#include "kperf.h"
#include "kperf-counters.h"
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

/* The kernel gives a thread its counts when a call returns, so a second call has them. */
#define READ_TRIES 3

/* Counters with codes: every CPU of Apple has the first six at least. */
#define CONFIGS_MIN 6

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
	const void *configured; /* the one user that has codes */
	int lock;
	int forced;
	uint32_t counting, thread_counting;
	uint64_t before[KPERF_COUNTERS_MAX];
} kperf = { .mutex = PTHREAD_MUTEX_INITIALIZER };

uint32_t kperf_counters, kperf_configs;

static int load(struct reason_text *reason)
{
	void *library = dlopen(FRAMEWORK, RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return reason_say(reason, ENOTSUP, "this macOS has no framework kperf");
	for (size_t i = 0; i < N(functions); i++) {
		void *const symbol = dlsym(library, functions[i].name);

		if (!symbol)
			return reason_say(reason, ENOTSUP, "kperf of this macOS has no function %s",
					  functions[i].name);
		memcpy(functions[i].function, &symbol, sizeof symbol);
	}
	return 0;
}

static int say_why(const char *what, int error, struct reason_text *reason)
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
static int lock(struct reason_text *reason)
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

/* After kpc_force_all_ctrs_set, because only then all counters are there. */
static int count_counters(struct reason_text *reason)
{
	kperf_counters = kpc.get_counter_count(CLASSES);
	kperf_configs = kpc.get_config_count(CLASS_CONFIGURABLE);
	if (kpc.get_counter_count(CLASS_FIXED) != KPERF_FIXED ||
	    kperf_counters > KPERF_COUNTERS_MAX || kperf_configs != kperf_counters - KPERF_FIXED ||
	    kperf_configs < CONFIGS_MIN)
		return reason_say(
			reason, ENOTSUP,
			"kperf: %u counters with %u configurations, which the library does not "
			"know",
			(unsigned)kperf_counters, (unsigned)kperf_configs);
	kperf.counting = kpc.get_counting();
	kperf.thread_counting = kpc.get_thread_counting();
	if (kpc.get_config(CLASS_CONFIGURABLE, kperf.before))
		return say_why("reading the configuration", errno, reason);
	return 0;
}

/* Give the counters these codes, and let them count. */
static int count(const uint64_t config[KPERF_COUNTERS_MAX], struct reason_text *reason)
{
	if (kpc.set_config(CLASS_CONFIGURABLE, (void *)(uintptr_t)config))
		return say_why("setting the configuration", errno, reason);
	if (kpc.set_counting(CLASSES) || kpc.set_thread_counting(CLASSES))
		return say_why("starting the counters", errno, reason);
	return 0;
}

static int take_counters(struct reason_text *reason)
{
	uint64_t none[KPERF_COUNTERS_MAX] = { 0 };
	int error = lock(reason);

	if (error)
		return error;
	if (kpc.force_all_ctrs_get(&kperf.forced) || kpc.force_all_ctrs_set(1)) {
		error = say_why("taking the counters", errno, reason);
		close(kperf.lock);
		return error;
	}
	error = count_counters(reason);
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
static int acquire(struct reason_text *reason)
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
		error = take_counters(reason);
	if (error)
		return error;
	kperf.process = getpid();
	kperf.users = 1;
	return 0;
}

int kperf_read(uint64_t counts[KPERF_COUNTERS_MAX])
{
	return kpc.get_thread_counters(0, kperf_counters, counts) ? -EAGAIN : 0;
}

static int read_first(uint64_t counts[KPERF_COUNTERS_MAX], struct reason_text *reason)
{
	for (int i = 0; i < READ_TRIES; i++)
		if (!kperf_read(counts))
			return 0;
	return say_why("reading the thread's counters", errno ? errno : EIO, reason);
}

bool kperf_is_counting(void)
{
	int forced = 0;

	return !kpc.force_all_ctrs_get(&forced) && forced &&
	       (kpc.get_counting() & CLASSES) == CLASSES &&
	       (kpc.get_thread_counting() & CLASSES) == CLASSES;
}

/* The mutex is held. */
static int configure(const void *user, const uint64_t config[], size_t codes,
		     struct reason_text *reason)
{
	int error = 0;

	if (codes > kperf_configs || codes > KPERF_CONFIGS_MAX) {
		error = reason_say(reason, ENOSPC,
				   "kperf: %zu codes, but the CPU has %u counters for them", codes,
				   (unsigned)kperf_configs);
		reason_remedy(reason, "ask for fewer events, or for some of them in another run");
	} else if (codes && kperf.configured) {
		error = reason_say(reason, ENOSPC,
				   "kperf: another meter of this process has the counters "
				   "with codes");
		reason_remedy(reason, "close the other meter first");
	} else if (codes) {
		error = count(config, reason);
		kperf.configured = error ? NULL : user;
	}
	return error;
}

/* One user less, without codes again, which others do not have. The mutex is held. */
static void leave(const void *user)
{
	uint64_t none[KPERF_COUNTERS_MAX] = { 0 };

	if (!kperf.users || kperf.process != getpid())
		return;
	if (user && kperf.configured == user) {
		kperf.configured = NULL;
		kpc.set_config(CLASS_CONFIGURABLE, none);
	}
	if (--kperf.users == 0)
		put_back(true);
}

int kperf_open(const void *user, const uint64_t config[], size_t codes, uint64_t begin[],
	       struct reason_text *reason)
{
	int error;

	pthread_mutex_lock(&kperf.mutex);
	error = acquire(reason);
	if (!error) {
		error = configure(user, config, codes, reason);
		if (!error)
			error = read_first(begin, reason);
		if (error)
			leave(user);
	}
	pthread_mutex_unlock(&kperf.mutex);
	return error;
}

void kperf_close(const void *user)
{
	pthread_mutex_lock(&kperf.mutex);
	leave(user);
	pthread_mutex_unlock(&kperf.mutex);
}

/* Cycles alone */

static long long read_cycles(void)
{
	uint64_t counts[KPERF_COUNTERS_MAX];

	return kperf_read(counts) ? -1 : (long long)counts[KPERF_CYCLES];
}

int kperf_cycles_ready(long long (**read)(void), struct reason_text *reason)
{
	uint64_t counts[KPERF_COUNTERS_MAX];
	const int error = kperf_open(NULL, NULL, 0, counts, reason);

	*read = error ? NULL : read_cycles;
	return error;
}

void kperf_cycles_close(void)
{
	kperf_close(NULL);
}
