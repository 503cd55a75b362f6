/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The life of each thread's events. They are real ones of the kernel's task clock, which need no
 * counting hardware. */

#include "config.h"

#include "unit.h"
#include "faults.h"
#include "guard.h"
#include "os/clock.h"
#include "os/core-pmus.h"
#include "os/perfevent.h"
#include "syscall-arguments.h"
#include "task-clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define HZ UINT64_C(1000000000)
#define THREADS (unit_is_slow() ? 1000 : 10000)
#define CROWD 1100 /* threads at once */
#define CROWD_STACK (256 * 1024)
#define ENDINGS 200
#define KINDS 3 /* of cores, or what stands in for them */

static const struct perfevent_kinds task_clock = {
	.n = 1,
	.of[0] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
};

/* Stands in for a register that is closed, or that another counter reads. */
static bool read_nothing(uint32_t number, uint64_t *value)
{
	(void)number, (void)value;
	return false;
}

TEST(never_less)
{
	struct perfevent event = { .base = 100 };

	assert_int_equal(perfevent_advance(&event, 5), 105);
	assert_int_equal(perfevent_advance(&event, 3), 105);
	assert_int_equal(perfevent_advance(&event, 6), 106);
}

/* Each of the following tests runs in a process of its own. */

static void need_events(const struct perfevent_kinds *kinds)
{
	int error = perfevent_setup(kinds, HZ);

	if (error)
		unit_skip_child("perf_event_open: %s", strerror(-error));
}

static void need_event(void)
{
	need_events(&task_clock);
}

static long long count(void)
{
	return perfevent_read(perfevent_mine());
}

/* Counts are in ns of this thread's time or of a clock. Both move while the thread works. */
static void expect_moving(const char *what)
{
	long long last = count();

	for (int moved = 0, i = 0; moved < 3; i++) {
		long long next = count();

		unit_expect(next >= last, "counts never decrease");
		unit_expect(i < 100000000, what);
		moved += next > last;
		last = next;
	}
}

static unsigned mappings_of_events(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned n = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof line, file))
		n += strstr(line, "perf_event") != NULL;
	fclose(file);
	return n;
}

TEST_IN_CHILD(lifecycle)
{
	unsigned before = unit_open_descriptors();

	need_event();
	unit_expect(unit_open_descriptors() == before + 1, "one descriptor");
	unit_expect(mappings_of_events() == 1, "one page");
	unit_expect(fcntl(perfevent_mine()->fds[0], F_GETFD) == FD_CLOEXEC, "closed by exec");
	expect_moving("it counts");
	perfevent_teardown();
	unit_expect(unit_open_descriptors() == before, "given back");
	unit_expect(mappings_of_events() == 0, "and the page too");
	perfevent_teardown();
}

#define BURNT_NS 50000000

static void burn(void)
{
	const int fd = task_clock_open(0);

	task_clock_burn(fd, BURNT_NS);
	close(fd);
}

/* How far a task clock moves while this thread works; *sum: how far the thread's count moves. */
static long long compare_clock(int fd, long long *sum)
{
	long long one;

	*sum = -count();
	one = -task_clock_ns(fd);
	task_clock_burn(fd, BURNT_NS);
	one += task_clock_ns(fd);
	*sum += count();
	return one;
}

/*
 * While this thread works, its count moves as far as n task clocks. (CPU time would not do: it
 * leaves out what a virtual machine's host steals.) What the host steals between the reads of count
 * and clock is in one of them only; then the comparison is made again.
 */
#define COMPARISONS 10

static void expect_sum(int n, const char *what)
{
	const int fd = task_clock_open(0);
	bool good = false;

	for (int i = 0; i < COMPARISONS && !good; i++) {
		long long sum, one = compare_clock(fd, &sum);

		good = sum > one / 10 * (10 * n - 1) && sum < one / 10 * (10 * n + 1);
	}
	close(fd);
	unit_expect(good, what);
}

static void *first_count(void *own)
{
	*(long long *)own = count();
	expect_moving("a second thread counts");
	return NULL;
}

/* A new thread starts near zero however long the first has run. */
TEST_IN_CHILD(second_thread)
{
	pthread_t thread;
	long long mine, its;
	int fd;

	need_event();
	fd = perfevent_mine()->fds[0];
	burn();
	mine = count();
	pthread_create(&thread, NULL, first_count, &its);
	pthread_join(thread, NULL);
	unit_expect(its < mine, "its count is its own");
	unit_expect(perfevent_mine()->fds[0] == fd, "the first thread's event is untouched");
	expect_moving("and still counts");
}

/* A counter that uses read(2) only, and one with a page in between. */
TEST_IN_CHILD(by_call)
{
	struct perfevent_kinds by_call = task_clock;
	const struct perf_event_mmap_page *own;

	by_call.by_call = true;
	need_events(&by_call);
	unit_expect(perfevent_mine()->n == 1 && mappings_of_events() == 0, "an event, and no page");
	expect_moving("it counts");
	need_event();
	own = perfevent_this.pages[0];
	unit_expect(own && mappings_of_events() == 1, "a counter with a page behind it");
	need_events(&by_call);
	unit_expect(mappings_of_events() == 0, "and again one without");
	unit_expect(*(const volatile uint32_t *)&own->index == 0,
		    "whose earlier reader finds an empty one");
	expect_moving("it counts on");
}

/* As on a CPU with cores of three kinds, except that here each event counts all the time. */
static const struct perfevent_kinds three_clocks = {
	.n = KINDS, .of = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
	},
};

TEST_IN_CHILD(several_events)
{
	unsigned before = unit_open_descriptors();

	need_events(&three_clocks);
	unit_expect(unit_open_descriptors() == before + KINDS, "a descriptor for each");
	unit_expect(mappings_of_events() == KINDS, "a page for each");
	expect_sum(KINDS, "the count is their sum");
	perfevent_teardown();
	unit_expect(unit_open_descriptors() == before && mappings_of_events() == 0,
		    "all given back");
}

TEST_IN_CHILD(several_forked)
{
	int status = -1;
	pid_t pid;

	need_events(&three_clocks);
	burn();
	pid = fork();
	if (pid == 0) {
		unsigned before = unit_open_descriptors();

		alarm(UNIT_CHILD_SECONDS / 2);
		expect_sum(KINDS, "the child goes on from its parent's count");
		unit_expect(mappings_of_events() == KINDS, "by pages of its own");
		unit_expect(unit_open_descriptors() == before, "having closed its parent's");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	unit_expect(status == 0, "the child lives");
	expect_moving("the parent still counts");
}

/* If one event cannot be opened, the others would not count everything. */
TEST_IN_CHILD(one_missing)
{
	const unsigned before = unit_open_descriptors();
	struct perfevent_kinds kinds = three_clocks;

	need_event();
	perfevent_teardown();
	kinds.of[KINDS - 1].type = 0x7fffffff;
	unit_expect(perfevent_setup(&kinds, HZ) < 0, "no setup without all of them");
	unit_expect(unit_open_descriptors() == before && mappings_of_events() == 0,
		    "and nothing is left");
	kinds.of[KINDS - 1].type = PERF_TYPE_SOFTWARE;
	need_events(&kinds);
	close(perfevent_mine()->fds[1]);
	expect_moving("one descriptor is lost: the count goes on by a clock");
	unit_expect(perfevent_mine()->n == 0, "without the others");
	unit_expect(unit_open_descriptors() == before, "which are closed");
}

/* The size of the address space, in pages. False: it is not known here. */
static bool address_space(unsigned long *pages)
{
	FILE *file = fopen("/proc/self/statm", "r");
	bool known = file && fscanf(file, "%lu", pages) == 1;

	if (file)
		fclose(file);
	return known;
}

/* From now on, only so many more pages can be mapped. */
static void leave_room(unsigned long more)
{
	struct rlimit limit;
	unsigned long pages = 0;

	unit_expect(address_space(&pages), "the size of the address space");
	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = (rlim_t)(pages + more) * (rlim_t)sysconf(_SC_PAGESIZE);
	unit_expect(!setrlimit(RLIMIT_AS, &limit), "a limit");
}

static void end_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_AS, &limit);
}

/* If only some events' pages can be mapped, none is read: a sum of some pages would stand still on
 * some cores. */
TEST_IN_CHILD(pages_missing)
{
	const unsigned before = unit_open_descriptors();
	unsigned long pages;

	if (!address_space(&pages))
		unit_skip_child("no /proc tells the size of the address space");
	need_event();
	perfevent_teardown();
	for (unsigned room = 0; room < KINDS - 1; room++) {
		leave_room(room);
		need_events(&three_clocks);
		end_limit();
		printf("# %u of %d pages\n", mappings_of_events(), KINDS);
		unit_expect(mappings_of_events() < KINDS, "not all pages can be mapped");
		unit_expect(mappings_of_events() > 0, "but one can");
		unit_expect(perfevent_mine()->readable == 0, "then none is read");
		unit_expect(!perfevent_register_is_open(perfevent_mine(), read_nothing),
			    "no register is open");
		unit_expect(perfevent_mine()->n == KINDS, "but all events are there");
		expect_sum(KINDS, "and by read(2) the count is their sum");
		perfevent_teardown();
		unit_expect(unit_open_descriptors() == before, "no descriptor is left");
		unit_expect(mappings_of_events() == 0, "and no page");
	}
	need_events(&three_clocks);
	unit_expect(perfevent_mine()->readable == KINDS, "with room, all pages are read again");
	expect_sum(KINDS, "the count is the sum still");
}

/*
 * From sysfs to the counts. The tree of sysfs is a made one, and task clocks stand in for its two
 * PMUs, which this machine does not have. The linker has the library call these two functions in
 * the place of its own (--wrap).
 */

#define ASKED_MAX 64
#define CONFIG1 3

static const char *made_root; /* NULL: the machine's own sysfs and PMUs */
static bool exclusion_refused;
static struct perf_event_attr asked[ASKED_MAX];
static unsigned asked_n;

int __real_cpucycles_i_core_pmus_find(const char *root, struct perfevent_kinds *kinds);
int __wrap_cpucycles_i_core_pmus_find(const char *root, struct perfevent_kinds *kinds);

int __wrap_cpucycles_i_core_pmus_find(const char *root, struct perfevent_kinds *kinds)
{
	return __real_cpucycles_i_core_pmus_find(made_root ? made_root : root, kinds);
}

static long stand_in(const struct perf_event_attr *attr, long pid, long cpu, long group, long flags)
{
	if (asked_n < ASKED_MAX)
		asked[asked_n++] = *attr;
	if (exclusion_refused && attr->exclude_kernel) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return task_clock_stand_in(attr, pid, cpu, group, flags);
}

long __wrap_syscall(long number, ...)
{
	long of[SYSCALL_ARGUMENTS];
	va_list list;

	va_start(list, number);
	syscall_arguments(list, of);
	va_end(list);
	if (number == SYS_perf_event_open && made_root)
		return stand_in((const void *)of[0], (int)of[1], (int)of[2], (int)of[3], of[4]);
	return __real_syscall(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}

static void pmu(const char *name, const char *type)
{
	char path[64];

	snprintf(path, sizeof path, "%s/cpus", name);
	unit_write_text(path, "0-3\n");
	snprintf(path, sizeof path, "%s/type", name);
	unit_write_text(path, type);
}

/* As a probe does it, under the guard. */
static void setup_cycles(void)
{
	struct guard guard;
	int error;

	need_event();
	perfevent_teardown();
	made_root = unit_folder;
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard");
	guard_install(&guard, GUARD_ALL);
	error = perfevent_setup_cycles(CONFIG1, false, HZ);
	guard_release(&guard);
	unit_expect(!error, "cycles can be set up");
}

/* A call that keeps the register out of reach is the reason, not the kernel. */
TEST_IN_CHILD_WITH(no_page, unit_folder_make, unit_folder_remove)
{
	const struct counter_conditions conditions = { .persecond = HZ };
	struct perfevent_kinds by_call = task_clock;
	unsigned long pages;
	struct guard guard;
	int without, with;

	if (!address_space(&pages))
		unit_skip_child("no /proc tells the size of the address space");
	by_call.by_call = true; /* a thread keeps the place of a page that it has had */
	need_events(&by_call);
	perfevent_teardown();
	made_root = unit_folder;
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard");
	guard_install(&guard, GUARD_ALL);
	leave_room(0);
	without = perfevent_setup_register(CONFIG1, &conditions, read_nothing);
	end_limit();
	perfevent_teardown();
	with = perfevent_setup_register(CONFIG1, &conditions, read_nothing);
	perfevent_teardown();
	guard_release(&guard);
	unit_expect(without == COUNTER_CLOSED - ENOMEM, "mmap's errno, if it fails");
	unit_expect(with == COUNTER_CLOSED, "none, if a page can be mapped again");
}

/* n events were asked for, and the last two are one of each PMU, in any order. */
static void expect_asked(unsigned n, const char *what)
{
	uint64_t types = 0;

	unit_expect(asked_n == n, what);
	for (unsigned i = n - 2; i < n; i++) {
		unit_expect(asked[i].type == PERF_TYPE_HARDWARE &&
				    (uint32_t)asked[i].config == PERF_COUNT_HW_CPU_CYCLES,
			    "of cycles");
		unit_expect(asked[i].config1 == CONFIG1, "read as the counter wants it");
		unit_expect(asked[i].exclude_kernel, "in user space");
		types |= UINT64_C(1) << (asked[i].config >> 32);
	}
	unit_expect(types == (1 << 4 | 1 << 10), "one on each kind of core");
}

static void *sum_in_thread(void *unused)
{
	expect_sum(2, "a thread's count is the sum of its own");
	expect_asked(5, "a thread opens both");
	return unused;
}

TEST_IN_CHILD_WITH(hybrid, unit_folder_make, unit_folder_remove)
{
	int status = -1;
	pthread_t thread;
	pid_t pid;

#ifdef LINK_TIME_OPTIMIZATION
	unit_skip_child("link-time optimization binds the search for PMUs before --wrap can");
#endif
	pmu("cpu_core", "4\n");
	pmu("cpu_atom", "10\n");
	setup_cycles();
	unit_expect(asked[0].type == PERF_TYPE_HARDWARE, "the generic event first");
	unit_expect(asked[0].config == PERF_COUNT_HW_CPU_CYCLES, "which is of cycles");
	expect_asked(3, "then both");
	unit_expect(mappings_of_events() == 2, "the first is gone");
	expect_sum(2, "the count is the sum");
	pthread_create(&thread, NULL, sum_in_thread, NULL);
	pthread_join(thread, NULL);
	unit_expect(mappings_of_events() == 2, "the thread has closed its own");
	pid = fork();
	if (pid == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		expect_sum(2, "a child's count goes on by the sum of its own");
		expect_asked(7, "a child opens both");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	unit_expect(status == 0, "the child lives");
	expect_sum(2, "the parent goes on");
	made_root = NULL;
	setup_cycles();
	expect_asked(7, "set up again: sysfs is not asked again");
}

TEST_IN_CHILD_WITH(one_pmu, unit_folder_make, unit_folder_remove)
{
	pmu("cpu_core", "4\n");
	setup_cycles();
	unit_expect(asked_n == 1 && perfevent_mine()->n == 1,
		    "one kind of cores: the generic event");
}

/* A PMU that can't tell the kernel's cycles from the user's. */
TEST_IN_CHILD_WITH(kernel_too, unit_folder_make, unit_folder_remove)
{
	exclusion_refused = true;
	setup_cycles();
	unit_expect(asked_n == 2, "asked for twice");
	unit_expect(asked[0].exclude_kernel && asked[0].exclude_hv, "first without the kernel");
	unit_expect(!asked[1].exclude_kernel && !asked[1].exclude_hv, "then with it");
	expect_moving("it counts");
}

/* The read of a counter that reads registers; a task clock has none. */
static long long count_without_register(void)
{
	return perfevent_read_register(read_nothing);
}

static atomic_int turn;

static void wait_for_turn(int wanted)
{
	while (atomic_load(&turn) != wanted)
		usleep(100);
}

static void *count_by_turns(void *unused)
{
	const long long first = count_without_register();
	const unsigned before = unit_open_descriptors();
	uint64_t id = perfevent_this.ids[0];
	long long last;

	unit_expect(count_without_register() >= first && perfevent_this.ids[0] == id,
		    "its event stays its event");
	atomic_store(&turn, 1);
	wait_for_turn(2);
	last = count_without_register();
	unit_expect(perfevent_this.ids[0] != id, "after the setup it has another");
	unit_expect(last >= first, "its count goes on");
	unit_expect(count_without_register() >= last && perfevent_this.n == 1, "and counts");
	unit_expect(unit_open_descriptors() == before && mappings_of_events() == 2,
		    "the first is closed");
	id = perfevent_this.ids[0];
	atomic_store(&turn, 3);
	wait_for_turn(4);
	unit_expect(count_without_register() >= last, "none can be opened: the count goes on");
	unit_expect(perfevent_this.n == 1 && perfevent_this.ids[0] == id, "by the one that it has");
	return unused;
}

/* Another thread selects again: a register may be open then, or the kinds of events be others. */
TEST_IN_CHILD(set_up_again)
{
	struct perfevent_kinds none = task_clock;
	pthread_t thread;

	need_event();
	pthread_create(&thread, NULL, count_by_turns, NULL);
	wait_for_turn(1);
	unit_expect(!perfevent_setup(&task_clock, HZ), "set up again");
	atomic_store(&turn, 2);
	wait_for_turn(3);
	none.of[0].type = 0x7fffffff;
	unit_expect(perfevent_setup(&none, HZ) < 0, "and again, where nothing can be opened");
	atomic_store(&turn, 4);
	pthread_join(thread, NULL);
}

/* A signal handler over a read makes a selection: the read goes on with pages that are released. */
static void (*over_read)(void);
static const struct perf_event_mmap_page *own_page;

static bool read_over(uint32_t number, uint64_t *value)
{
	(void)number;
	*value = 1000000000000;
	perfevent_this.pages[0] = own_page;
	if (over_read)
		over_read();
	over_read = NULL;
	return true;
}

static void set_up_over_read(void)
{
	unit_expect(!perfevent_setup(&task_clock, HZ), "set up again");
}

static void expect_read_over(void (*handler)(void), const char *what)
{
	static struct perf_event_mmap_page made = {
		.cap_user_rdpmc = 1,
		.index = 1,
		.pmc_width = 48,
	};
	const long long before = count();
	long long next;

	own_page = perfevent_this.pages[0];
	/* The worst case: the next page has the same lock by chance. */
	made.lock = *(const volatile uint32_t *)&own_page->lock;
	perfevent_this.pages[0] = &made; /* a task clock's own page names no register */
	over_read = handler;
	next = perfevent_read_register(read_over);
	unit_expect(next >= before && next < before + 100000000000, what);
	expect_moving(what);
}

TEST_IN_CHILD(released_over_read)
{
	const struct perf_event_mmap_page *own;
	uint32_t index;

	need_event();
	expect_moving("it counts");
	own = perfevent_this.pages[0];
	perfevent_teardown();
	index = *(const volatile uint32_t *)&own->index;
	unit_expect(index == 0, "a page is there, and has no register");
	unit_expect(mappings_of_events() == 0, "but the event's own is not");
	need_event();
	unit_expect(perfevent_this.pages[0] == own && mappings_of_events() == 1,
		    "the next is in its place");
	expect_read_over(perfevent_teardown, "released under a read, the count goes on");
	expect_read_over(set_up_over_read, "opened anew under a read, too");
}

TEST_IN_CHILD(many_threads)
{
	unsigned before, pages;

	need_events(&three_clocks);
	before = unit_open_descriptors();
	pages = mappings_of_events();
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		long long its;

		pthread_create(&thread, NULL, first_count, &its);
		pthread_join(thread, NULL);
	}
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
	unit_expect(mappings_of_events() == pages, "no page is left");
}

/* Memory of the program's own, in a place where something else was. */
static volatile int *take_place(const volatile void *place)
{
	int *taken = mmap((void *)(uintptr_t)place, sizeof *taken, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	unit_expect(taken == place, "memory in that place");
	*taken = 4711;
	return taken;
}

TEST_IN_CHILD(forked)
{
	int status = -1, fd;
	pid_t pid;

	need_event();
	expect_moving("the parent counts");
	fd = perfevent_mine()->fds[0];
	pid = fork();
	if (pid == 0) {
		const volatile int *own = take_place(perfevent_this.pages[0]);

		alarm(UNIT_CHILD_SECONDS / 2);
		expect_moving("the child counts");
		unit_expect(*own == 4711, "the place of its parent's page is its own");
		unit_expect(mappings_of_events() == 1, "the child has a page of its own");
		unit_expect(perfevent_mine()->pages[0] != NULL, "and knows it");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	unit_expect(status == 0, "the child lives");
	unit_expect(perfevent_mine()->fds[0] == fd, "the parent keeps its event");
	expect_moving("the parent still counts");
}

/* Threads that fault for reasons of their own while others open and release their events. */

#define FAULTING 4
#define AT_ONCE 4
#define ROUNDS 250

static _Thread_local sigjmp_buf away;
static atomic_bool faults_end;
static atomic_ulong faults_n;

static void jump_away(int sig)
{
	(void)sig;
	atomic_fetch_add(&faults_n, 1);
	siglongjmp(away, 1);
}

static void *fault_all_the_time(void *unused)
{
	while (!atomic_load(&faults_end))
		if (sigsetjmp(away, 1) == 0)
			fault_segv(NULL);
	return unused;
}

static void count_in_new_threads(void)
{
	pthread_t threads[AT_ONCE];
	long long own[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++)
		unit_expect(!pthread_create(&threads[i], NULL, first_count, &own[i]), "a thread");
	for (int i = 0; i < AT_ONCE; i++)
		pthread_join(threads[i], NULL);
}

TEST_IN_CHILD(faults_beside)
{
	struct sigaction now, action = { .sa_handler = jump_away };
	pthread_t threads[FAULTING];
	unsigned before;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	unit_skip_child("sanitizers do not bear such jumps");
#endif
	need_event();
	unit_expect(!fault_prepare(), "a page to fault on");
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, NULL);
	before = unit_open_descriptors();
	for (int i = 0; i < FAULTING; i++)
		unit_expect(!pthread_create(&threads[i], NULL, fault_all_the_time, NULL),
			    "a thread");
	for (int i = 0; i < ROUNDS; i++)
		count_in_new_threads();
	atomic_store(&faults_end, true);
	for (int i = 0; i < FAULTING; i++)
		pthread_join(threads[i], NULL);
	unit_expect(atomic_load(&faults_n) > ROUNDS, "there were faults");
	sigaction(SIGSEGV, NULL, &now);
	unit_expect(now.sa_handler == jump_away, "their handler is still there");
	unit_expect(unit_open_descriptors() == before && mappings_of_events() == 1,
		    "all events are closed");
	expect_moving("the first thread counts");
}

/* A child of vfork has its parent's memory, and descriptors of its own. */

static volatile long long vfork_counts[2];
static volatile unsigned vfork_readable;
static volatile bool vfork_shares;
static bool vfork_closes;

__attribute__((noinline)) static pid_t vfork_and_count(void)
{
	pid_t child = vfork();

	if (child == 0) {
		vfork_shares = true;
		if (vfork_closes)
			for (int fd = 3; fd < 1024; fd++)
				close(fd);
		vfork_counts[0] = count();
		for (volatile int i = 0; i < 1000000; i++)
			;
		vfork_counts[1] = count();
		vfork_readable = perfevent_mine()->readable;
		_exit(0);
	}
	return child;
}

static void expect_vfork(void)
{
	int status = -1;
	pid_t child = vfork_and_count();

	unit_expect(child > 0 && waitpid(child, &status, 0) == child, "a child");
	unit_expect(status == 0, "the child lives");
	if (!vfork_shares)
		unit_skip_child("vfork is a fork here");
	unit_expect(vfork_counts[1] >= vfork_counts[0], "its counts never decrease");
}

/* A thread that has not counted before its child of vfork does. */
static void *vfork_first(void *unused)
{
	unsigned pages = mappings_of_events();

	vfork_closes = false;
	expect_vfork();
	unit_expect(vfork_counts[1] > vfork_counts[0], "the child counts, from a clock");
	expect_vfork();
	unit_expect(vfork_counts[1] > vfork_counts[0], "and so does the next");
	unit_expect(perfevent_this.n == 0 && mappings_of_events() == pages, "neither has an event");
	unit_expect(count() >= vfork_counts[1], "the parent goes on from there");
	unit_expect(perfevent_mine()->n == 1 && perfevent_mine()->readable == 1,
		    "by an event of its own");
	expect_moving("which counts");
	return unused;
}

TEST_IN_CHILD(vforked)
{
	unsigned before = unit_open_descriptors();
	pthread_t thread;
	int fd;

	need_event();
	expect_moving("the parent counts");
	fd = perfevent_mine()->fds[0];
	for (int i = 0; i < 2; i++) {
		vfork_closes = i;
		expect_vfork();
		unit_expect(perfevent_mine()->n == 1 && perfevent_mine()->fds[0] == fd,
			    "the parent has its event");
		unit_expect(mappings_of_events() == 1, "and its page");
		expect_moving("and counts by it");
	}
	pthread_create(&thread, NULL, vfork_first, NULL);
	pthread_join(thread, NULL);
	unit_expect(unit_open_descriptors() == before + 1, "the thread's descriptor is closed");
}

/* A child of fork has not counted before its own child of vfork does: both find the event of the
 * first process. */
TEST_IN_CHILD(vforked_after_fork)
{
	int status = -1;
	pid_t pid;

	need_event();
	expect_moving("the parent counts");
	pid = fork();
	if (pid == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		vfork_closes = false;
		expect_vfork();
		unit_expect(vfork_readable == 0, "a page that is not there is not read");
		expect_moving("the child counts");
		unit_expect(mappings_of_events() == 1, "by an event of its own");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (unit_child_skipped(status))
		_exit(UNIT_CHILD_SKIPPED);
	unit_expect(status == 0, "the child lives");
	expect_moving("the parent still counts");
}

/* Numbers of descriptors */

static void limit_descriptors(rlim_t soft)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = soft;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		unit_skip_child("no limit of %lu descriptors", (unsigned long)soft);
}

static int lowest_expected(rlim_t soft)
{
	return soft < 1000 ? (int)(soft + 1) / 2 : 500;
}

static void *count_without_descriptors(void *moving)
{
	struct perfevent *event = perfevent_mine();

	unit_expect(event->n == 0, "there is no descriptor for it");
	expect_moving("it counts from a clock");
	return moving;
}

static void in_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	unit_expect(!pthread_create(&thread, NULL, run, argument), "a thread");
	pthread_join(thread, NULL);
}

TEST_IN_CHILD(no_descriptors)
{
	need_event();
	limit_descriptors(0);
	in_thread(count_without_descriptors, NULL);
	expect_moving("the first thread counts too");
}

/* Under each limit, an event is in the upper half, or there is none. */
TEST_IN_CHILD(low_limits)
{
	static const rlim_t limits[] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 64, 501, 600, 999, 1000, 1024 };

	need_event();
	perfevent_teardown();
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		const unsigned before = unit_open_descriptors();
		int error, fd;

		limit_descriptors(limits[i]);
		error = perfevent_setup(&task_clock, HZ);
		fd = perfevent_this.fds[0];
		printf("# limit %d: %s %d\n", (int)limits[i], error ? "error" : "descriptor",
		       error ? -error : fd);
		unit_expect(error == 0 || error == -EMFILE, "an event, or none is to be had");
		unit_expect(error || fd >= lowest_expected(limits[i]), "the lower half is free");
		unit_expect(error || fd > STDERR_FILENO, "so are the standard streams");
		unit_expect(!error || limits[i] < 64, "there is room for an event");
		perfevent_teardown();
		unit_expect(unit_open_descriptors() == before, "no descriptor is left");
	}
}

static void *expect_event_from(void *lowest)
{
	unit_expect(perfevent_mine()->n == 1, "a thread has an event");
	unit_expect(perfevent_mine()->fds[0] >= *(const int *)lowest, "in the upper half");
	expect_moving("it counts");
	return NULL;
}

/* Only events opened from then on go by the new limit. */
TEST_IN_CHILD(limit_changes)
{
	static const rlim_t limits[] = { 1024, 64, 600, 1024 };
	int fd;

	need_event();
	fd = perfevent_mine()->fds[0];
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		int lowest = lowest_expected(limits[i]);

		limit_descriptors(limits[i]);
		in_thread(expect_event_from, &lowest);
		expect_moving("the first thread counts on");
		unit_expect(perfevent_mine()->n == 1 && perfevent_mine()->fds[0] == fd,
			    "by its event");
	}
}

/* The upper half is the program's too, if it takes it first. */
TEST_IN_CHILD(upper_half_taken)
{
	int null, fd, top = -1;
	unsigned before;

	need_event();
	perfevent_teardown();
	limit_descriptors(64);
	null = open("/dev/null", O_RDONLY);
	while ((fd = fcntl(null, F_DUPFD, 32)) >= 0)
		top = fd;
	unit_expect(top == 63, "the upper half is taken");
	before = unit_open_descriptors();
	unit_expect(perfevent_setup(&task_clock, HZ) == -EMFILE, "then there is no event");
	unit_expect(unit_open_descriptors() == before, "in the lower half either");
	close(top);
	need_event();
	unit_expect(perfevent_mine()->fds[0] == top, "one is free: there is an event");
	in_thread(count_without_descriptors, NULL);
	unit_expect(unit_open_descriptors() == before, "a thread without one takes nothing");
	unit_expect(perfevent_setup(&three_clocks, HZ) == -EMFILE, "not all kinds have room");
	unit_expect(unit_open_descriptors() == before - 1, "so none of them stays");
}

static atomic_int counting;
static pthread_mutex_t crowd_stays = PTHREAD_MUTEX_INITIALIZER;

static void *count_in_crowd(void *events)
{
	expect_moving("each thread counts");
	atomic_fetch_add((atomic_int *)events, (int)perfevent_this.n);
	atomic_fetch_add(&counting, 1);
	pthread_mutex_lock(&crowd_stays);
	pthread_mutex_unlock(&crowd_stays);
	return NULL;
}

/* More threads than descriptors. */
TEST_IN_CHILD(crowd)
{
	static pthread_t threads[CROWD];
	static atomic_int events;
	pthread_attr_t attr;
	unsigned before;
	int opened = 0;

	need_event();
	limit_descriptors(1024);
	before = unit_open_descriptors();
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, CROWD_STACK);
	pthread_mutex_lock(&crowd_stays);
	for (int i = 0; i < CROWD; i++)
		if (pthread_create(&threads[i], &attr, count_in_crowd, &events))
			unit_skip_child("%d threads are too many here", CROWD);
	while (atomic_load(&counting) < CROWD)
		usleep(1000);
	while (open("/dev/null", O_RDONLY) >= 0)
		opened++;
	printf("# %d events in %d threads, and the program can open %d files\n",
	       atomic_load(&events), CROWD, opened);
	unit_expect(atomic_load(&events) > CROWD / 4, "many threads have events");
	unit_expect(opened + (int)before >= 500, "500 descriptors are the program's");
	pthread_mutex_unlock(&crowd_stays);
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
	unit_expect(unit_open_descriptors() == before + (unsigned)opened,
		    "no thread's descriptor is left");
}

/*
 * Counts at the end of a thread. The program has a destructor that is called again and again, as
 * often as libc does this. The library's is called before it in each of these rounds, because its
 * key is the older one.
 */

static pthread_key_t late_key;
static void (*in_round)(int round);
static _Thread_local long long late_last;
static _Thread_local int late_round;

static void count_late(void *again)
{
	unit_expect(count() >= late_last, "counts never decrease");
	expect_moving("a destructor counts");
	unit_expect(perfevent_this.n == 0, "from a clock");
	if (in_round)
		in_round(late_round);
	late_last = count();
	if (++late_round < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(late_key, again);
}

static void *count_to_the_end(void *unused)
{
	expect_moving("a thread counts");
	unit_expect(perfevent_this.n == 1, "by an event");
	late_last = count();
	pthread_setspecific(late_key, &late_key);
	return unused;
}

static void need_late_key(void)
{
	need_event();
	unit_expect(!pthread_key_create(&late_key, count_late), "a key");
}

TEST_IN_CHILD(destructors)
{
	unsigned before, pages;

	need_late_key();
	before = unit_open_descriptors();
	pages = mappings_of_events();
	for (int i = 0; i < ENDINGS; i++)
		in_thread(count_to_the_end, NULL);
	printf("# %u descriptors more after %d threads\n", unit_open_descriptors() - before,
	       ENDINGS);
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
	unit_expect(mappings_of_events() == pages, "no page is left");
	expect_moving("the first thread counts");
}

/* A dying thread selects for those that live, so it tries an event. */
static void select_in_first(int round)
{
	if (round > 0)
		return;
	unit_expect(!perfevent_setup(&task_clock, HZ), "a selection finds an event");
	expect_moving("which counts");
	unit_expect(perfevent_this.n == 1, "by the event");
}

TEST_IN_CHILD(destructor_selects)
{
	unsigned before;

	need_late_key();
	before = unit_open_descriptors();
	in_round = select_in_first;
	in_thread(count_to_the_end, NULL);
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
}

static void *count_by_event(void *unused)
{
	unit_expect(perfevent_mine()->n == 1, "a new thread has an event");
	expect_moving("and counts");
	return unused;
}

static void fork_in_round(int round)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		unit_expect(count() >= late_last, "the child goes on from its parent's count");
		expect_moving("from a clock");
		unit_expect(perfevent_this.n == 0, "without an event");
		in_thread(count_by_event, NULL);
		_exit(round);
	}
	waitpid(pid, &status, 0);
	unit_expect(WIFEXITED(status) && WEXITSTATUS(status) == round, "the child lives");
}

TEST_IN_CHILD(destructor_forks)
{
	unsigned before;

#if defined(__SANITIZE_THREAD__)
	unit_skip_child("ThreadSanitizer does not bear children of threads");
#endif
	need_late_key();
	before = unit_open_descriptors();
	in_round = fork_in_round;
	in_thread(count_to_the_end, NULL);
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
}

static void vfork_in_round(int round)
{
	(void)round;
	vfork_closes = false;
	expect_vfork();
}

TEST_IN_CHILD(destructor_vforks)
{
	unsigned before;

	if (SANITIZED)
		unit_skip_child("sanitizers do not bear vfork in a destructor");
	need_late_key();
	before = unit_open_descriptors();
	in_round = vfork_in_round;
	in_thread(count_to_the_end, NULL);
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
}

static void tell_last(int round)
{
	if (round == PTHREAD_DESTRUCTOR_ITERATIONS - 1)
		atomic_store(&turn, 1);
}

static void *count_after_first(void *before)
{
	wait_for_turn(1);
	unit_expect(unit_open_descriptors() == *(const unsigned *)before,
		    "its descriptor is closed");
	count_by_event(NULL);
	fflush(stdout);
	_exit(0);
}

TEST_IN_CHILD(first_thread_ends)
{
	static unsigned before;
	pthread_t other;

	before = unit_open_descriptors();
	need_late_key();
	in_round = tell_last;
	unit_expect(!pthread_create(&other, NULL, count_after_first, &before), "a thread");
	count_to_the_end(NULL);
	pthread_exit(NULL);
}

/* A program closes a descriptor that it does not know, and a file of its own gets the number. */
TEST_IN_CHILD(descriptor_taken)
{
	char bytes[64] = "";
	int ends[2], fd;
	long long before;

	need_event();
	expect_moving("it counts");
	fd = perfevent_mine()->fds[0];
	before = count();
	unit_expect(pipe(ends) == 0, "a pipe");
	unit_expect(write(ends[1], "0123456789abcdef0123456789abcdef", 32) == 32, "32 bytes in it");
	unit_expect(dup2(ends[0], fd) == fd, "the pipe has the event's number");
	unit_expect(count() >= before, "counts never decrease");
	expect_moving("it still counts");
	unit_expect(fcntl(fd, F_GETFD) != -1, "the program's file is open");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	unit_expect(read(ends[0], bytes, sizeof bytes) >= 16, "and was read once at most");
	perfevent_teardown();
	unit_expect(fcntl(fd, F_GETFD) != -1, "and stays open at the end");
}

/* The number goes to another perf event of the program: only the event's id tells the two apart. */
TEST_IN_CHILD(descriptor_of_another_event)
{
	int others, fd;

	need_event();
	others = task_clock_open(PERF_FORMAT_ID);
	fd = perfevent_mine()->fds[0];
	expect_moving("it counts");
	unit_expect(dup2(others, fd) == fd, "another event has the number");
	expect_moving("it still counts");
	unit_expect(perfevent_this.n == 0, "but not by that event");
	unit_expect(fcntl(fd, F_GETFD) != -1, "the other event stays open");
	perfevent_teardown();
	need_event();
	fd = perfevent_mine()->fds[0];
	unit_expect(dup2(others, fd) == fd, "another event has the number again");
	perfevent_teardown();
	unit_expect(fcntl(fd, F_GETFD) != -1, "and stays open at the end");
}

TEST_IN_CHILD(descriptor_lost)
{
	need_event();
	expect_moving("it counts");
	close(perfevent_mine()->fds[0]);
	errno = 42;
	expect_moving("it still counts");
	unit_expect(errno == 42, "errno is untouched");
}

/* A sandbox comes while the event is open. */
static void trap(long call)
{
	if (sandbox(call, SECCOMP_RET_TRAP))
		unit_skip_child("no sandbox here");
}

/* It ends the opening of an event in the middle. */
static void expect_nothing_left(long trapped)
{
	unsigned before;

	need_event();
	before = unit_open_descriptors();
	trap(trapped);
	in_thread(count_without_descriptors, NULL);
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
}

TEST_IN_CHILD(sandboxed_limit)
{
	expect_nothing_left(SYS_prlimit64);
}

TEST_IN_CHILD(sandboxed_opening)
{
	expect_nothing_left(SYS_ioctl);
}

static void *count_and_trap(void *unused)
{
	expect_moving("the thread counts");
	unit_expect(perfevent_mine()->n == 1, "by an event");
	trap(SYS_ioctl);
	return unused;
}

TEST_IN_CHILD(sandboxed_thread)
{
	pthread_t thread;

	need_event();
	pthread_create(&thread, NULL, count_and_trap, NULL);
	pthread_join(thread, NULL);
	expect_moving("the thread has ended, and the first one counts");
}

TEST_IN_CHILD(sandboxed_fork)
{
	int status = -1;
	pid_t pid;

	need_event();
	expect_moving("the parent counts");
	trap(SYS_ioctl);
	pid = fork();
	if (pid == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		expect_moving("the child counts from a clock");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	unit_expect(status == 0, "the child lives");
	expect_moving("the parent still counts");
}

UNIT_MAIN("perfevent", NULL, NULL)
