/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Read the counter again and again while something happens to it:
 *   reader knob FILE VALUE...  another process writes the values in turns (two threads read)
 *   reader migrate             another process moves this thread from CPU to CPU
 *   reader crowd EVENTS        so many more events in this thread come and go
 *   reader signals             the handler of a timer reads too
 *   reader clock               another process sets the wall clock on or back by an hour
 *   reader stop                the event that opens the register to this thread comes and goes
 *   reader shut                the same, and another takes its place that does not open it
 * Each such event begins a phase. For each thread, the program prints how often a count was less
 * than one before (backwards), in how many phases the counts stood still (stalls), the counts of
 * the same work in each phase (work), and in how many phases the wall clock was half an hour or
 * more away from that of the phase before (jumps). The exit status tells of a signal that killed
 * it.
 *
 * Without reading the counter:
 *   reader rearm               start an event on each CPU, so that ARM64 closes the register to all
 *                              threads without an event that opens it (drivers/perf/arm_pmuv3.c)
 *   reader jump FILE           set the wall clock on and back by an hour, every ms as long as FILE
 *                              exists; then print how often (jumps)
 *   reader hog COMMAND...      take all counters of each CPU's PMU, print how many (taken), and run
 *                              the command. The events of other programs then count nothing. */

#define _GNU_SOURCE
#include <cpucycles.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PHASES 20
#define READS 200         /* in each phase, at least */
#define PATIENCE 2000000L /* so many equal counts are a counter that stands still */
#define ROUNDS 50000
/* Many times perf_event_mux_interval_ms, 4: events that share a register take turns meanwhile. */
#define ROUNDS_SHARED 1000000
#define MOVES 50
#define EVENTS_MAX 256
#define COUNTERS_MAX 40 /* more than any CPU's PMU has */
#define HOUR 3600
#define THREADS_MAX 2

struct reader {
	volatile long long highest;
	volatile long reads, backwards, handled;
	long stalls, jumps;
	time_t wall;
	long long work[PHASES + 1];
};

/* The other process's number of the phase, and what each thread answers. */
struct talk {
	atomic_int happened, seen[THREADS_MAX];
};

struct mode {
	const char *name;
	int threads;
	long rounds;               /* of work in a phase */
	void (*beside)(int phase); /* done by another process */
	void (*within)(int phase); /* done by the reader between its reads */
};

static struct reader readers[THREADS_MAX];
static _Thread_local struct reader *mine;
static struct talk *talk;
static const struct mode *mode;
static char **arguments;
static int n_arguments;

static void die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

/* Read the counter and note whether the count is higher than all before. A handler, which does the
 * same, may interrupt this anywhere. */
static bool read_once(void)
{
	long long before = mine->highest, count = cpucycles();

	mine->reads++;
	if (count < before)
		mine->backwards++;
	if (count > mine->highest)
		mine->highest = count;
	return count > before;
}

static bool goes_on(void)
{
	for (long i = 0; i < PATIENCE; i++)
		if (read_once())
			return true;
	return false;
}

static long long work(void)
{
	long long start = cpucycles();

	for (volatile long i = 0; i < mode->rounds; i++)
		;
	return cpucycles() - start;
}

static void look_at_wall(void)
{
	time_t now = time(NULL);

	mine->jumps += mine->wall && labs((long)(now - mine->wall)) > HOUR / 2;
	mine->wall = now;
}

static void live_through(int phase)
{
	look_at_wall();
	for (int i = 0; i < READS; i++)
		read_once();
	mine->stalls += !goes_on();
	mine->work[phase] = work();
}

static long event_open(struct perf_event_attr *attr, int pid, int cpu)
{
	attr->size = sizeof *attr;
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0);
}

static int plain_event(int pid, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES };
	long fd = event_open(&attr, pid, cpu);

	if (fd < 0)
		die("perf_event_open");
	return (int)fd;
}

/* An event of 64 bits that user space can read: Documentation/arch/arm64/perf.rst. */
#define ARM64_USER_ACCESS 3

/* Opens the register to this thread as long as its page is mapped. */
static void *user_event(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.config1 = ARM64_USER_ACCESS };
	int fd = (int)event_open(&attr, 0, -1);
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	if (fd < 0 || page == MAP_FAILED)
		die("an event that the user may read");
	close(fd);
	return page;
}

static void write_knob(int phase)
{
	const char *value = arguments[1 + phase % (n_arguments - 1)];
	int fd = open(arguments[0], O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die(arguments[0]);
	close(fd);
}

static void stay_on(int pid, size_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof set, &set))
		die("sched_setaffinity");
}

/* Move the clock by exactly this. clock_settime would lose the time since the clock was read. */
static void set_wall(int phase)
{
	struct timex set = { .modes = ADJ_SETOFFSET, .time.tv_sec = phase & 1 ? HOUR : -HOUR };

	if (adjtimex(&set) < 0)
		die("adjtimex");
}

static void jump(const char *file)
{
	int jumps = 0;

	for (; !access(file, F_OK); usleep(1000))
		set_wall(++jumps);
	printf("jumps %d\n", jumps);
}

static void move_parent(int phase)
{
	for (int i = 0; i < MOVES; i++)
		stay_on(getppid(), (unsigned)(phase + i) & 1);
}

static void crowd(int phase)
{
	static int events[EVENTS_MAX];
	int wanted = atoi(arguments[0]);

	for (int i = 0; i < wanted && i < EVENTS_MAX; i++) {
		if (phase & 1)
			events[i] = plain_event(0, -1);
		else if (phase > 0)
			close(events[i]);
	}
}

static void handler(int signal)
{
	(void)signal;
	mine->handled++;
	read_once();
}

static void start_timer(int phase)
{
	const struct itimerval each_ms = { { 0, 1000 }, { 0, 1000 } };

	if (phase != 1)
		return;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &each_ms, NULL);
}

static void *opener; /* the user event's page */

/* Close or open the user event. Without it, the register may stand still. */
static void stop(int phase)
{
	stay_on(0, 0);
	if (phase & 1)
		munmap(opener, (size_t)sysconf(_SC_PAGESIZE));
	else
		opener = user_event();
}

/* Start an event that is not a user event, which closes the register on this CPU. */
static void shut(int phase)
{
	static int plain = -1;

	stop(phase);
	if (phase & 1)
		plain = plain_event(0, -1);
	else if (phase)
		close(plain);
}

static void rearm(int phase)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	(void)phase;
	for (int cpu = 0; cpu < cpus; cpu++)
		close(plain_event(-1, cpu));
}

/* A pinned event is always on the PMU, or it is in error and a read gives 0 bytes. More of them
 * than any PMU has counters are opened, and those that count are kept open for the command. */
static void hog(char *command[])
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.pinned = 1 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int taken = 0;

	for (int i = 0; i < cpus * COUNTERS_MAX; i++) {
		long long count;
		int fd = (int)event_open(&attr, -1, i / COUNTERS_MAX);

		if (fd < 0)
			die("perf_event_open");
		if (read(fd, &count, sizeof count) == sizeof count)
			taken++;
		else
			close(fd);
	}
	printf("taken %d\n", taken);
	fflush(stdout);
	execvp(command[0], command);
	die(command[0]);
}

static const struct mode modes[] = {
	{ "knob", 2, ROUNDS, write_knob, NULL },     { "migrate", 1, ROUNDS, move_parent, NULL },
	{ "clock", 1, ROUNDS, set_wall, NULL },      { "crowd", 1, ROUNDS_SHARED, NULL, crowd },
	{ "signals", 1, ROUNDS, NULL, start_timer }, { "stop", 1, ROUNDS, NULL, stop },
	{ "shut", 1, ROUNDS, NULL, shut },
};

/* The other process: begin the next phase while all threads go on reading. */
static void happen_beside(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int phase = 1; phase <= PHASES; phase++) {
		mode->beside(phase);
		atomic_store(&talk->happened, phase);
		for (int i = 0; i < mode->threads; i++)
			while (atomic_load(&talk->seen[i]) < phase)
				usleep(200);
	}
	_exit(0);
}

static void *read_on(void *reader)
{
	atomic_int *seen = &talk->seen[(struct reader *)reader - readers];
	int phase = 0;

	mine = reader;
	while (phase < PHASES) {
		read_once();
		if (atomic_load(&talk->happened) == phase)
			continue;
		live_through(++phase);
		atomic_store(seen, phase);
	}
	return NULL;
}

static void read_beside(void)
{
	int status;
	pthread_t thread;
	pid_t child = fork();

	if (child == 0)
		happen_beside();
	if (mode->threads > 1 && pthread_create(&thread, NULL, read_on, &readers[1]))
		die("pthread_create");
	read_on(&readers[0]);
	if (mode->threads > 1)
		pthread_join(thread, NULL);
	waitpid(child, &status, 0);
	if (status)
		exit(1);
}

static void read_within(void)
{
	mode->within(0);
	for (int phase = 1; phase <= PHASES; phase++) {
		live_through(phase);
		mode->within(phase);
	}
}

static void print(const struct reader *reader)
{
	printf("reads %ld\nbackwards %ld\nstalls %ld\nhandled %ld\njumps %ld\nwork", reader->reads,
	       reader->backwards, reader->stalls, reader->handled, reader->jumps);
	for (int phase = 1; phase <= PHASES; phase++)
		printf(" %lld", reader->work[phase]);
	puts("");
}

int main(int argc, char *argv[])
{
	if (argc > 1 && !strcmp(argv[1], "rearm"))
		return rearm(0), 0;
	if (argc > 2 && !strcmp(argv[1], "jump"))
		return jump(argv[2]), 0;
	if (argc > 2 && !strcmp(argv[1], "hog"))
		hog(argv + 2);
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
		if (!strcmp(argv[1], modes[i].name))
			mode = &modes[i];
	if (!mode)
		return puts("usage: reader MODE [ARGUMENT]..."), 2;
	arguments = argv + 2;
	n_arguments = argc - 2;
	mine = &readers[0];
	talk = mmap(NULL, sizeof *talk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (talk == MAP_FAILED)
		die("mmap");
	if (mode->beside)
		read_beside();
	else
		read_within();
	printf("counter %s\n", cpucycles_implementation());
	for (int i = 0; i < mode->threads; i++)
		print(&readers[i]);
	return 0;
}
