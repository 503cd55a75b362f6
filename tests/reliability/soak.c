/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Programs like those of users, which run for a long time:
 *   soak one [NAME=HZ...]                 a first call; the exit status tells the cache's status
 *   soak storm SECONDS RATE [NAME=HZ...]  so many short processes a second: every other one is
 *                                         started afresh, every other one is a child
 *   soak threads SECONDS                  a process in which threads come and go
 *   soak forks SECONDS                    a process that has counted, and has children
 *   soak reselect SECONDS                 a process that selects anew while its threads count
 *   soak replace SECONDS CACHE FILE...    the files take the cache's place in turns
 * NAME=HZ describes a valid cache: it ranks this counter only, and has this frequency.
 * Each mode prints its sums. Exit status: 0, 1 if a promise is broken, 2 usage. */

#include "config.h"

#include "cpucycles.h"
#include "soak.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

/* A process that takes longer hangs, and is killed. */
#define PROCESS_SECONDS 240

#define IN_FLIGHT 8
#define THREADS 4
#define READS 10
#define STEPS 100000000
#define COUNT_PAUSE_NS 10000
#define STORM_PAUSE_NS 100000
#define THREADS_PAUSE_NS 500000
#define FORKS_PAUSE_NS 2000000
#define RESELECT_PAUSE_NS 1000000
#define REPLACE_PAUSE_NS 3000000

/* The exit status of a short process: this, plus the index of the cache's status in words. */
#define STATUS_FIRST 10
static const char *const words[] = {
	"used",      "missing",   "stale-boot", "stale-machine", "stale-persecond",
	"untrusted", "malformed", "no-counter", "disabled",
};
#define WORDS ((int)(sizeof words / sizeof words[0]))

static char **pairs; /* NAME=HZ, up to NULL */

/* Counts never fall, and they rise within a bounded number of calls. */
static void expect_counts(void)
{
	long long first = cpucycles(), last = first;

	for (int i = 0; last == first; i++) {
		long long next = cpucycles();

		if (next < last || i == STEPS)
			soak_broken(next < last ? "counts decrease" : "counts stand still");
		last = next;
	}
}

static bool is_named(const char *pair, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(pair, name, length) && pair[length] == '=';
}

/* Counter and frequency must not come from two different caches. */
static void expect_one_file(void)
{
	const char *name = cpucycles_implementation();
	long long hz = cpucycles_persecond();

	for (char **pair = pairs; *pair; pair++) {
		const char *value = strchr(*pair, '=');

		if (is_named(*pair, name) != (value && hz == strtoll(value + 1, NULL, 10))) {
			printf("from the cache: %s at %lld Hz\n", name, hz);
			soak_broken("no such cache was ever there");
		}
	}
}

static int status_of(const char *word)
{
	for (int i = 0; i < WORDS; i++)
		if (!strcmp(word, words[i]))
			return STATUS_FIRST + i;
	soak_broken("a word for the cache's state that is none");
}

/* The descriptor that the next file gets. It has grown if a file was left open. */
static int next_descriptor(void)
{
	int fd = dup(STDOUT_FILENO);

	close(fd);
	return fd;
}

static void expect_nothing_left(void)
{
	const int fd = next_descriptor();

	errno = 42;
	expect_counts();
	if (errno != 42)
		soak_broken("errno");
	if (next_descriptor() != fd)
		soak_broken("a file was left open");
}

/* The whole work of a short process. */
static int one(void)
{
	const char *word;
	bool used;

	alarm(PROCESS_SECONDS);
	expect_nothing_left();
	word = cpucycles_cache_status();
	used = !strcmp(word, "used");
	if (!strcmp(cpucycles_implementation(), "default-zero") || cpucycles_persecond() <= 0)
		soak_broken("nothing counts");
	if (strcmp(cpucycles_selection_source(), used ? "cache" : "probe"))
		soak_broken("the choice is not from where the cache's state says");
	if (used)
		expect_one_file();
	return status_of(word);
}

static int one_alone(char *argv[])
{
	pairs = argv;
	return one();
}

/* A storm of processes */

static char self[4096];
static unsigned long started, afresh, failed, seen[WORDS];
static int running;

static void find_self(void)
{
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		soak_broken("no /proc/self/exe");
	self[length] = 0;
}

static void start_one(char *argv[])
{
	bool fresh = started % 2;
	pid_t child = fresh ? vfork() : fork();

	if (child == 0 && !fresh)
		_exit(one());
	if (child == 0) {
		execv(self, argv);
		_exit(127);
	}
	if (child < 0)
		soak_broken("no process can be made");
	started++;
	afresh += fresh;
	running++;
}

static void judge(int status)
{
	int word = WIFEXITED(status) ? WEXITSTATUS(status) - STATUS_FIRST : -1;

	if (word >= 0 && word < WORDS) {
		seen[word]++;
		return;
	}
	failed++;
	printf("a process ended by %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Judge a child that has ended. False: none has. */
static bool reap(int flags)
{
	int status;

	if (running == 0 || waitpid(-1, &status, flags) <= 0)
		return false;
	judge(status);
	running--;
	return true;
}

static void report_storm(unsigned long ms, unsigned long rate)
{
	printf("processes %lu afresh %lu failed %lu per-second %lu wanted %lu\n", started, afresh,
	       failed, started * 1000 / (ms + 1), rate);
	for (int i = 0; i < WORDS; i++)
		if (seen[i])
			printf("cache %s %lu\n", words[i], seen[i]);
}

static int storm(char *argv[])
{
	static char one[] = "one";
	struct soak soak = soak_begin(argv[0]);
	unsigned long rate = strtoul(argv[1], NULL, 10), ms = 0;

	find_self();
	pairs = argv + 2;
	argv[0] = self;
	argv[1] = one;
	while (soak_goes_on(&soak)) {
		ms = (unsigned long)((soak_now() - soak.start) / 1000000);
		if (running < IN_FLIGHT && started < ms * rate / 1000)
			start_one(argv);
		else if (!reap(WNOHANG))
			soak_sleep(STORM_PAUSE_NS);
	}
	while (reap(0))
		;
	report_storm(ms, rate);
	soak_report(&soak, "storm", started);
	return failed != 0;
}

/* Long processes */

static void *a_thread(void *unused)
{
	long long last = cpucycles();

	for (int i = 0; i < READS; i++) {
		long long now = cpucycles();

		if (now < last)
			soak_broken("a thread's counts decrease");
		last = now;
	}
	return unused;
}

static void some_threads(void)
{
	pthread_t of[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&of[i], NULL, a_thread, NULL))
			soak_broken("no thread can be made");
	for (int i = 0; i < THREADS; i++)
		pthread_join(of[i], NULL);
}

static void a_child(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		alarm(PROCESS_SECONDS);
		expect_counts();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		soak_broken("a child of a process that has counted");
}

/* A process that counts, and calls this function again and again. */
static int live(const char *seconds, const char *what, unsigned long n, void (*some)(void),
		long pause_ns)
{
	struct soak soak = soak_begin(seconds);
	unsigned long sum = 0;

	expect_counts();
	printf("counter %s\n", cpucycles_implementation());
	fflush(stdout);
	for (; soak_goes_on(&soak); sum += n) {
		some();
		expect_counts();
		soak_sleep(pause_ns);
	}
	soak_report(&soak, what, sum);
	return 0;
}

static int threads(char *argv[])
{
	return live(argv[0], "threads", THREADS, some_threads, THREADS_PAUSE_NS);
}

static int forks(char *argv[])
{
	return live(argv[0], "forks", 1, a_child, FORKS_PAUSE_NS);
}

/* The number of selections, twice; odd during one. Counts of two selections cannot be compared. */
static atomic_uint selections;

static void a_selection(void)
{
	atomic_fetch_add(&selections, 1);
	cpucycles_reselect();
	atomic_fetch_add(&selections, 1);
}

static _Noreturn void *count_on(void *unused)
{
	unsigned of = 1; /* the selection that last belongs to */
	unsigned long reads = 0;
	long long last = 0;

	(void)unused;
	for (;;) {
		unsigned before = atomic_load(&selections);
		long long count = __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE)();

		if (before % 2 || before != atomic_load(&selections))
			continue;
		if (before == of && count < last)
			soak_broken("counts decrease between two selections");
		of = before;
		last = count;
		if (++reads % READS == 0)
			soak_sleep(COUNT_PAUSE_NS);
	}
}

static int reselect(char *argv[])
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, count_on, NULL))
		soak_broken("no thread can be made");
	return live(argv[0], "selections", 1, a_selection, RESELECT_PAUSE_NS);
}

/* Replace the cache like the calibrator does: by renaming a whole file. After the last file, the
 * cache is removed once. */
static int replace(char *argv[])
{
	struct soak soak = soak_begin(argv[0]);
	const char *cache = argv[1];
	char **file = argv + 2, beside[4096];
	unsigned long n = 0;

	snprintf(beside, sizeof beside, "%s.beside", cache);
	for (; soak_goes_on(&soak); n++) {
		if (!*file) {
			unlink(cache);
			file = argv + 2;
		} else if (link(*file++, beside) || rename(beside, cache)) {
			soak_broken("the cache can't be replaced");
		}
		unlink(beside); /* rename(2) leaves it if both names are the same file */
		soak_sleep(REPLACE_PAUSE_NS);
	}
	printf("replacements %lu\n", n);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(char *argv[]);
	int arguments; /* at least */
} modes[] = {
	{ "one", one_alone, 0 }, { "storm", storm, 2 },       { "threads", threads, 1 },
	{ "forks", forks, 1 },   { "reselect", reselect, 1 }, { "replace", replace, 3 },
};

int main(int argc, char *argv[])
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
		if (!strcmp(argv[1], modes[i].name) && argc >= 2 + modes[i].arguments)
			return modes[i].run(argv + 2);
	fputs("usage: soak one|storm|threads|forks|reselect|replace ARGUMENT...\n", stderr);
	return 2;
}
