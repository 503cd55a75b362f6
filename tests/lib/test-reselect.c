/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Repeated selections while other threads read, with the real library. Each test runs in a process
 * of its own. RESELECT_ROUNDS is the length; tests/reliability/reselect.sh runs more rounds.
 */

#include "config.h"

#include "unit.h"
#include "cpucycles.h"
#include "faults.h"
#include "made-cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/time.h>

#define THREADS 8
#define ROUNDS 400

/* Without this option, ThreadSanitizer ends the child of a process with threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

static int rounds(void)
{
	const char *text = getenv("RESELECT_ROUNDS");
	const int n = text ? atoi(text) : ROUNDS;

	alarm(UNIT_CHILD_SECONDS + (unsigned)n / 50);
	return n;
}

/* An atomic load, because another thread writes the pointer: see race.c. */
static long long (*pointer(void))(void)
{
	return __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE);
}

static long long count(void)
{
	return pointer()();
}

static void set(const char *name, const char *value)
{
	if (value ? setenv(name, value, 1) : unsetenv(name))
		_exit(99);
}

/* The answers of one selection. */

#define DIFFERENCE 1000000000000

struct answers {
	const char *implementation, *selection_source, *cache_status, *persecond_source;
	long long persecond, hz, ppm, ns;
};

static struct answers ask(void)
{
	return (struct answers){
		cpucycles_implementation(), cpucycles_selection_source(),
		cpucycles_cache_status(),   cpucycles_persecond_source(),
		cpucycles_persecond(),      cpucycles_hz(),
		cpucycles_hz_ppm(),         cpucycles_nanoseconds(DIFFERENCE),
	};
}

static bool are_same(const struct answers *a, const struct answers *b)
{
	return !strcmp(a->implementation, b->implementation) &&
	       !strcmp(a->selection_source, b->selection_source) &&
	       !strcmp(a->cache_status, b->cache_status) &&
	       !strcmp(a->persecond_source, b->persecond_source) && a->persecond == b->persecond &&
	       a->hz == b->hz && a->ppm == b->ppm && a->ns == b->ns;
}

static void show(const char *what, const struct answers *a)
{
	printf("# %s: %s %s %s %lld %s, %lld Hz, %lld ppm, %lld ns\n", what, a->implementation,
	       a->selection_source, a->cache_status, a->persecond, a->persecond_source, a->hz,
	       a->ppm, a->ns);
}

static void expect_same(const struct answers *a, const struct answers *expected, const char *what)
{
	if (!are_same(a, expected)) {
		show("got", a);
		show("expected", expected);
	}
	unit_expect(are_same(a, expected), what);
}

/* Settings that lead to different selections, and the answers of each. */

static char caches[2][PATH_MAX];

static struct setting {
	const char *cache, *counter;
	struct answers answers;
	long long (*read)(void);
} settings[] = {
	{ .cache = caches[0] },
	{ .cache = "none", .counter = "default-monotonic" },
	{ .cache = caches[1] },
	{ .cache = "none", .counter = "default-gettimeofday" },
	{ .cache = "none", .counter = "default-zero" },
};

#define SETTINGS (sizeof settings / sizeof settings[0])

static void use(const struct setting *setting)
{
	set("CPUCYCLES_CACHE", setting->cache);
	set("CPUCYCLES_COUNTER", setting->counter);
	cpucycles_reselect();
}

/* Two rates of one counter, which differ in both halves of the word. The caches also state the
 * frequency of the core. Without that, a counter of core cycles has it measured by the selection,
 * and may fail once where the thread is interrupted: then a later selection gives other times. */
static void make_caches(void)
{
	static const char *const rates[] = { "measured=1000000001,3 core=3000000007,5",
					     "measured=5000000003,7 core=3000000007,5" };

	for (size_t i = 0; i < 2; i++) {
		const char *path = make_cache(i ? "b" : "a", rates[i]);

		if (!path)
			unit_skip_child("no cache can be made here");
		snprintf(caches[i], sizeof caches[i], "%s", path);
	}
}

/* Learn the answers, before other threads run. */
static size_t learn_settings(void)
{
	size_t n = SETTINGS;

	make_caches();
	for (size_t i = 0; i < n; i++) {
		use(&settings[i]);
		settings[i].answers = ask();
		settings[i].read = pointer();
		show(settings[i].counter ? settings[i].counter : settings[i].cache,
		     &settings[i].answers);
	}
	unit_expect(!are_same(&settings[0].answers, &settings[1].answers), "two selections differ");
	return n;
}

static atomic_bool stop; /* ends the other threads */

/* The calling thread's selection */

TEST_IN_CHILD(first_call)
{
	struct answers answers;
	long long last;

	set("CPUCYCLES_CACHE", "none");
	errno = 42;
	cpucycles_reselect();
	unit_expect(errno == 42, "errno is kept");
	answers = ask();
	show("first", &answers);
	unit_expect(strcmp(answers.implementation, "default-zero"), "a counter is selected");
	last = cpucycles();
	for (int i = 0; cpucycles() == last; i++)
		unit_expect(i < 100000000, "it counts");
	unit_expect(cpucycles_persecond() == answers.persecond,
		    "the first call selects nothing else");
}

TEST_IN_CHILD(named_again)
{
	static const char *const names[] = { "default-monotonic", "default-gettimeofday",
					     "default-zero" };
	const char *before;
	sigset_t mask, now;

	set("CPUCYCLES_CACHE", "none");
	before = cpucycles_implementation();
	sigemptyset(&mask);
	sigaddset(&mask, SIGSEGV);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		set("CPUCYCLES_COUNTER", names[i]);
		unit_expect(strcmp(cpucycles_implementation(), names[i]) ||
				    !strcmp(before, names[i]),
			    "nothing changes before");
		cpucycles_reselect();
		before = cpucycles_implementation();
		unit_expect(!strcmp(before, names[i]), names[i]);
	}
	unit_expect(cpucycles() == 0 && cpucycles() == 0, "the pointer leads to default-zero");
	sigprocmask(SIG_BLOCK, NULL, &now);
	unit_expect(sigismember(&now, SIGSEGV) == 1 && sigismember(&now, SIGILL) == 0,
		    "the mask is kept");
	set("CPUCYCLES_COUNTER", NULL);
	cpucycles_reselect();
	unit_expect(strcmp(cpucycles_implementation(), "default-zero"), "and back");
	unit_expect(cpucycles() != 0, "to one that counts");
}

/* persecond stays, because all threads scale clocks by it. */
TEST_IN_CHILD(persecond_stays)
{
	char other[64];
	const char *cache;
	struct answers before, after;

	set("CPUCYCLES_CACHE", "none");
	before = ask();
	cache = make_cache("same", "");
	use_cache(cache);
	cpucycles_reselect();
	after = ask();
	show("same", &after);
	unit_expect(!strcmp(after.selection_source, "cache"),
		    "a cache of the same persecond is used");
	unit_expect(after.persecond == before.persecond &&
			    !strcmp(after.persecond_source, before.persecond_source),
		    "persecond stays");
	snprintf(other, sizeof other, "persecond=%lld", before.persecond / 2);
	use_cache(make_cache("other", other));
	cpucycles_reselect();
	after = ask();
	show("other", &after);
	unit_expect(!strcmp(after.cache_status, "stale-persecond"), "a cache of another is stale");
	unit_expect(after.persecond == before.persecond &&
			    !strcmp(after.persecond_source, before.persecond_source),
		    "persecond still stays");
	set("CPUCYCLES_COUNTER", "default-monotonic");
	cpucycles_reselect();
	unit_expect(cpucycles_hz() == before.persecond, "a clock is scaled by it");
}

/* A selection is traced if tracing is asked for, and only then. */
TEST_IN_CHILD(traced)
{
	const int out = dup(STDOUT_FILENO);
	char text[8192] = "";
	unsigned lines = 0;
	FILE *file;

	set("CPUCYCLES_CACHE", "none");
	unit_expect(freopen(unit_path("trace"), "w", stdout) != NULL, "a file for the trace");
	cpucycles();
	cpucycles_reselect();
	cpucycles_tracesetup();
	cpucycles_reselect();
	cpucycles_reselect();
	cpucycles_tracesetup();
	cpucycles_reselect();
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	file = fopen(unit_path("trace"), "r");
	unit_expect(file && fread(text, 1, sizeof text - 1, file) > 0, "a trace");
	for (const char *p = text; (p = strstr(p, "cpucycles tracesetup 0 ")); p++)
		lines++;
	printf("# %u tables\n", lines);
	unit_expect(lines == 2, "two tables");
}

/* prctl(PR_SET_TSC) */

#if defined(PR_SET_TSC) && (defined(__x86_64__) || defined(__i386__))
static bool reads_tsc(const char *name)
{
	return strstr(name, "-tsc") || !strcmp(name, "default-monotonic") ||
	       !strcmp(name, "default-gettimeofday");
}

static void take_tsc(void)
{
	if (THREAD_SANITIZED)
		unit_skip_child("ThreadSanitizer reads the clock itself");
	if (!forbid_tsc())
		unit_skip_child("RDTSC can't be made fault");
}

static void give_tsc(void)
{
	unit_expect(!prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0), "the TSC is back");
}

static void expect_counts(void)
{
	long long last = count();

	for (int moved = 0, i = 0; moved < 3; i++) {
		const long long next = count();

		unit_expect(next >= last, "counts never decrease");
		unit_expect(i < 100000000, "counts move");
		moved += next > last;
		last = next;
	}
}

TEST_IN_CHILD(tsc_taken_away)
{
	const int n = rounds() / 20;
	char before[64];
	int result;

	set("CPUCYCLES_CACHE", "none");
	expect_counts();
	snprintf(before, sizeof before, "%s", cpucycles_implementation());
	for (int i = 0; i < n; i++) {
		take_tsc();
		cpucycles_reselect();
		unit_expect(!reads_tsc(cpucycles_implementation()), "a counter without the TSC");
		unit_expect(strcmp(cpucycles_implementation(), "default-zero"), "that counts");
		expect_counts();
		unit_expect(!prctl(PR_GET_TSC, &result) && result == PR_TSC_SIGSEGV,
			    "the TSC still faults");
		give_tsc();
		cpucycles_reselect();
		unit_expect(reads_tsc(cpucycles_implementation()) == reads_tsc(before),
			    "the TSC again");
		expect_counts();
	}
	printf("# %d times from %s to another and back\n", n, before);
}

static void *count_on(void *unused)
{
	while (!atomic_load(&stop))
		count(); /* of any counter, so that counts cannot be compared */
	return unused;
}

static void *without_tsc(void *unused)
{
	take_tsc();
	cpucycles_reselect();
	unit_expect(!reads_tsc(cpucycles_implementation()), "the thread's own selection");
	expect_counts();
	give_tsc(); /* a sanitizer reads the TSC at its end */
	return unused;
}

/* The whole process uses the choice, which is made by what works in the selecting thread. */
TEST_IN_CHILD(tsc_of_one_thread)
{
	const int n = rounds() / 20;
	pthread_t readers[THREADS], thread;

	set("CPUCYCLES_CACHE", "none");
	cpucycles();
	for (int i = 0; i < THREADS; i++)
		unit_expect(!pthread_create(&readers[i], NULL, count_on, NULL), "a thread");
	for (int i = 0; i < n; i++) {
		unit_expect(!pthread_create(&thread, NULL, without_tsc, NULL), "a thread");
		pthread_join(thread, NULL);
		unit_expect(!reads_tsc(cpucycles_implementation()), "it is everybody's");
		cpucycles_reselect();
	}
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(readers[i], NULL);
}
#endif

/* Beside readers */

static size_t settings_n;
static atomic_uint epoch; /* odd during a selection; epoch / 2 selections have ended */
static atomic_ulong asked, asked_in_one;

static const struct setting *setting_at(unsigned when)
{
	return &settings[when / 2 % settings_n];
}

/* A time is computed by one selection, and each other answer is that of one selection. */
static void expect_known(const struct answers *a)
{
	unsigned known = 0;

	for (size_t i = 0; i < settings_n; i++) {
		const struct answers *b = &settings[i].answers;

		known |= !strcmp(a->implementation, b->implementation) ? 1u : 0;
		known |= !strcmp(a->selection_source, b->selection_source) ? 2u : 0;
		known |= !strcmp(a->cache_status, b->cache_status) ? 4u : 0;
		known |= !strcmp(a->persecond_source, b->persecond_source) ? 8u : 0;
		known |= a->persecond == b->persecond ? 16u : 0;
		known |= a->hz == b->hz ? 32u : 0;
		known |= a->ppm == b->ppm ? 64u : 0;
		known |= a->ns == b->ns ? 128u : 0;
	}
	if (known != 255)
		show("unknown", a);
	unit_expect(known == 255, "each answer is one of a selection that was made");
}

static void expect_setting(const struct setting *setting, const struct answers *a, long long first,
			   long long second)
{
	expect_same(a, &setting->answers, "between two selections all answers are of the first");
	/* Except by the wall clock, which may be set back. */
	unit_expect(second >= first || !strcmp(a->implementation, "default-gettimeofday"),
		    "counts never decrease");
}

static void *read_all(void *unused)
{
	while (!atomic_load(&stop)) {
		const unsigned before = atomic_load(&epoch);
		const long long first = count();
		const struct answers answers = ask();
		const long long second = count();

		expect_known(&answers);
		atomic_fetch_add(&asked, 1);
		if (before % 2 || atomic_load(&epoch) != before)
			continue;
		expect_setting(setting_at(before), &answers, first, second);
		atomic_fetch_add(&asked_in_one, 1);
	}
	return unused;
}

static void start_threads(pthread_t threads[THREADS], void *(*run)(void *))
{
	atomic_store(&stop, false);
	for (int i = 0; i < THREADS; i++)
		unit_expect(!pthread_create(&threads[i], NULL, run, NULL), "a thread");
}

static void join_threads(const pthread_t threads[THREADS])
{
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

TEST_IN_CHILD(beside_readers)
{
	const int n = rounds();
	pthread_t threads[THREADS];

	settings_n = learn_settings();
	use(&settings[0]);
	start_threads(threads, read_all);
	for (int i = 0; i < n || atomic_load(&asked_in_one) < THREADS; i++) {
		const unsigned now = atomic_load(&epoch);

		atomic_store(&epoch, now + 1);
		use(setting_at(now + 2));
		unit_expect(pointer() == setting_at(now + 2)->read,
			    "the pointer is the new counter's");
		atomic_store(&epoch, now + 2);
		if (i % 16 == 0)
			usleep(100);
	}
	join_threads(threads);
	printf("# %u selections beside %d threads that asked all %lu times, %lu of them in one "
	       "selection\n",
	       atomic_load(&epoch) / 2, THREADS, atomic_load(&asked), atomic_load(&asked_in_one));
}

/* All at once, each for itself */

static struct answers only;
static atomic_int selections;

static void *reselect_often(void *unused)
{
	for (int n = rounds(); n > 0; n--) {
		struct answers answers;

		cpucycles_reselect();
		answers = ask();
		expect_same(&answers, &only, "all select the same");
		atomic_fetch_add(&selections, 1);
	}
	return unused;
}

TEST_IN_CHILD(all_at_once)
{
	pthread_t threads[THREADS];

	make_caches();
	use_cache(caches[0]);
	cpucycles_reselect();
	only = ask();
	start_threads(threads, reselect_often);
	join_threads(threads);
	printf("# %d selections by %d threads at once\n", atomic_load(&selections), THREADS);
}

/* In signal handlers */

static atomic_int handled;

static void on_signal(int sig)
{
	const int saved_errno = errno;
	struct answers answers;

	errno = 4711 + sig;
	answers = ask();

	expect_same(&answers, &only, "a handler gets whole answers");
	count();
	cpucycles_reselect();
	answers = ask();
	expect_same(&answers, &only, "and selects the same");
	unit_expect(errno == 4711 + sig, "errno is kept in a handler");
	errno = saved_errno;
	atomic_fetch_add(&handled, 1);
}

static void *shoot(void *target)
{
	while (!atomic_load(&stop)) {
		pthread_kill(*(pthread_t *)target, SIGUSR1);
		usleep(1000);
	}
	return NULL;
}

TEST_IN_CHILD(in_handlers)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	const int n = rounds();
	pthread_t self = pthread_self(), shooter;
	int made = 0;

	make_caches();
	use_cache(caches[1]);
	cpucycles_reselect();
	only = ask();
	sigaction(SIGUSR1, &action, NULL);
	unit_expect(!pthread_create(&shooter, NULL, shoot, &self), "a thread");
	/* ThreadSanitizer delivers signals only at a call that may wait. */
	for (; atomic_load(&handled) < n / 4; made++) {
		struct answers answers;

		errno = 42;
		cpucycles_reselect();
		unit_expect(errno == 42, "errno is kept");
		answers = ask();
		expect_same(&answers, &only, "whole answers under handlers");
		if (THREAD_SANITIZED)
			usleep(1);
	}
	atomic_store(&stop, true);
	pthread_join(shooter, NULL);
	printf("# %d selections under %d handlers that select too\n", made, atomic_load(&handled));
}

/* Fork */

static struct setting forked[2];
static char used_cache[PATH_MAX];

/* Replace the cache, like a calibrator does. The environment must not change while others read
 * it. */
static void put_cache(const char *path)
{
	char new[PATH_MAX];

	snprintf(new, sizeof new, "%s/new", unit_folder);
	unlink(new);
	if (link(path, new) || rename(new, used_cache))
		unit_skip_child("no cache can be put in another's place");
}

static void *switch_caches(void *unused)
{
	for (int i = 0; !atomic_load(&stop); i++) {
		put_cache(caches[i % 2]);
		cpucycles_reselect();
	}
	return unused;
}

static void expect_one_of_two(const char *what)
{
	const struct answers answers = ask();
	const struct setting *setting = &forked[0];

	if (strcmp(setting->answers.implementation, answers.implementation))
		setting++;
	expect_same(&answers, &setting->answers, what);
	unit_expect(pointer() == setting->read, "and the pointer is that counter's");
}

static void fork_one(void)
{
	const pid_t child = fork();
	int status = -1;

	unit_expect(child >= 0, "a child");
	if (child == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		expect_one_of_two("a child's answers are of one selection");
		cpucycles_reselect();
		expect_one_of_two("and so after its own");
		count();
		_exit(0);
	}
	waitpid(child, &status, 0);
	unit_expect(status == 0,
		    WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "the child's status");
}

TEST_IN_CHILD(beside_forks)
{
	const int n = rounds() / 4;
	pthread_t thread;

	make_caches();
	snprintf(caches[1], sizeof caches[1], "%s", make_cache("c", "only=default-monotonic"));
	snprintf(used_cache, sizeof used_cache, "%s", unit_path("used"));
	use_cache(used_cache);
	for (size_t i = 0; i < 2; i++) {
		put_cache(caches[i]);
		cpucycles_reselect();
		forked[i] = (struct setting){ .answers = ask(), .read = pointer() };
		show(caches[i], &forked[i].answers);
	}
	unit_expect(!pthread_create(&thread, NULL, switch_caches, NULL), "a thread");
	for (int i = 0; i < n; i++)
		fork_one();
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	printf("# %d children of a process that selects all the time\n", n);
}

UNIT_MAIN("reselect", unit_folder_make, unit_folder_remove)
