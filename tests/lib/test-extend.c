/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A register of 32 bits becomes a count of 64 bits. Some tests use made ticks and a made clock. In
 * others, threads, a child process and a signal handler read a register that is made of a real
 * clock. */

#include "config.h"

#include "unit.h"
#include "os/extend.h"
#include "stepped.h"

#include <pthread.h>
#include <sys/time.h>

#define ROUNDS 300
#define READS 1000
#define W EXTEND_WRAP
#define NS_PER_S UINT64_C(1000000000)

/* A made core, whose register shows 32 bits of what it has really counted. */
struct core {
	uint64_t ns; /* the clock */
	uint64_t count;
	uint64_t hz; /* estimated */
	struct extend x;
	struct extend_thread thread;
};

/* The counts that pass in these ns at this rate. */
static uint64_t counts(uint64_t ns, uint64_t hz)
{
	return ns / NS_PER_S * hz + ns % NS_PER_S * hz / NS_PER_S;
}

/* The ns in which these counts pass at this rate, rounded down. */
static uint64_t ns_of(uint64_t passed, uint64_t hz)
{
	return passed / hz * NS_PER_S + passed % hz * NS_PER_S / hz;
}

/* From 1 MHz to 10 GHz. */
static uint64_t random_hz(void)
{
	return 1000000 + unit_random_bits(34) % UINT64_C(9999000000);
}

/* Up to 39 hours. Many pauses are a few wraps long. */
static uint64_t random_pause(void)
{
	return unit_random() & 1 ? unit_random_bits(47) : unit_random() % (20 * NS_PER_S);
}

/* What extend_read does in this thread, with this register and this clock. */
static uint64_t step_with(struct extend *x, struct extend_thread *thread, uint32_t ticks,
			  uint64_t ns)
{
	const struct extend_last last = extend_load(thread);
	uint64_t count = extend_count(x, &last, ticks, ns);

	extend_store(x, thread, &last, count, ns);
	return count;
}

static uint64_t step(struct core *core)
{
	return step_with(&core->x, &core->thread, (uint32_t)core->count, core->ns);
}

/* Begins with a first read. The core's count is then the count that was read: they may have
 * differed by whole wraps. */
static void core_begin(struct core *core, uint64_t hz)
{
	uint64_t first;

	memset(core, 0, sizeof *core);
	core->ns = 1 + unit_random_bits(50);
	core->count = unit_random_bits(32);
	core->hz = hz;
	extend_begin(&core->x, hz, (uint32_t)core->count, core->ns);
	first = step(core);
	assert_int_equal((uint32_t)first, (uint32_t)core->count);
	core->count = first;
}

static void fail_count(const struct core *core, uint64_t got, uint64_t pause, uint64_t passed)
{
	fail_msg("got %llu, expected %llu, %llu counts after %llu ns, %llu Hz estimated",
		 (unsigned long long)got, (unsigned long long)core->count,
		 (unsigned long long)passed, (unsigned long long)pause,
		 (unsigned long long)core->hz);
}

TEST(begins)
{
	static const struct {
		uint64_t hz;
		unsigned shift;
	} cases[] = {
		{ 1000, 30 },
		{ 62500000, 30 },
		{ 250000000, 30 },
		{ 251000000, 29 },
		{ 1000000000, 28 },
		{ 4000000000, 26 },
		{ UINT64_C(100000000000), 21 },
		{ UINT64_C(1000000000000), 18 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const uint32_t ticks = (uint32_t)unit_random();
		struct extend x;

		extend_begin(&x, cases[i].hz, ticks, 1);
		unit_in_range(ticks - extend_drift(x.drift), 0, W / 16 - 1);
		assert_int_equal(x.time_shift, cases[i].shift);
		unit_in_range(extend_scale(&x, NS_PER_S), cases[i].hz, cases[i].hz + 1);
	}
}

/* At the estimated rate every count is exact, whatever the pauses. */
TEST(pauses)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct core core;

		core_begin(&core, random_hz());
		for (int j = 0; j < READS; j++) {
			uint64_t pause = random_pause(), passed = counts(pause, core.hz), got;

			core.ns += pause;
			core.count += passed;
			got = step(&core);
			if (got != core.count)
				fail_count(&core, got, pause, passed);
		}
	}
}

/* Checks what extend.c promises for every rate up to 3/2 of the estimated one, after a pause in
 * which e counts were estimated and a have passed. The core then goes on from the count that was
 * read. */
static void expect_bounds(struct core *core, uint64_t pause, uint64_t e, uint64_t a)
{
	uint64_t before = core->count - a, got = step(core), advance = got - before;

	if (got < before || (uint32_t)got != (uint32_t)core->count || advance < a - a % W ||
	    (a >= W && advance < W))
		fail_count(core, got, pause, a);
	if (advance != a && (advance < a || advance > e + W / 8 + W / 3 * 2))
		fail_count(core, got, pause, a);
	if (advance != a &&
	    ((a < W && e + W / 8 <= W / 3 * 2) || (e <= a + W / 8 && a <= e + W / 3)))
		fail_count(core, got, pause, a);
	core->count = got;
}

TEST(rates_that_are_wrong)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct core core;

		core_begin(&core, random_hz());
		for (int j = 0; j < READS; j++) {
			/* In thousandths of the estimated rate; 0: the core stood still. */
			uint64_t part = unit_random() % 4 ? unit_random() % 1500 : 0;
			uint64_t pause = unit_random() % ns_of(10 * W, core.hz);
			uint64_t e = counts(pause, core.hz), a = e / 1000 * part;

			/* Of a core that is faster than estimated, only the first wrap is
			 * promised. */
			if (a > e + W / 3 * 2)
				a = e + W / 3 * 2;
			core.ns += pause;
			core.count += a;
			expect_bounds(&core, pause, e, a);
		}
	}
}

/* At twice the estimated rate, or half of it, counts are exact as long as the thread reads often
 * enough. */
TEST(rates_off_by_two)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct core core;
		bool twice = i & 1;

		core_begin(&core, random_hz());
		for (int j = 0; j < READS; j++) {
			uint64_t most = ns_of(twice ? W / 2 : W / 3 * 2 - W / 8, core.hz);
			uint64_t pause = unit_random() % most;
			uint64_t a = counts(pause, twice ? core.hz * 2 : core.hz / 2), got;

			core.ns += pause;
			core.count += a;
			got = step(&core);
			if (got != core.count)
				fail_count(&core, got, pause, a);
		}
	}
}

/* After W + x counts a read never adds x alone, however long the pause was. */
TEST(a_wrap_is_seen)
{
	for (int i = 0; i < ROUNDS * 100; i++) {
		uint64_t a = W + unit_random_bits(32), slowest, pause, got, before;
		struct core core;

		core_begin(&core, random_hz());
		before = core.count;
		slowest = a / 3 * 2 + 1; /* it ran at 3/2 of the estimate at most */
		pause = ns_of(slowest + unit_random_bits(34), core.hz) + 1;
		core.ns += pause;
		core.count += a;
		got = step(&core);
		if (got - before < W)
			fail_count(&core, got, pause, a);
	}
}

/* With a clock that is set or fails, counts never step back and are never too low. They are exact
 * if the clock has not gone forward since it was last read. */
TEST(clocks_that_are_wrong)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct core core;
		uint64_t seen;

		core_begin(&core, random_hz());
		seen = core.ns;
		for (int j = 0; j < READS; j++) {
			uint64_t a = unit_random_bits(32), jump = unit_random_bits(42), got;
			bool fails = unit_random() % 4 == 0;

			if (unit_random() & 1)
				core.ns += unit_random() & 1 ? jump : -(jump % core.ns);
			core.count += a;
			got = step_with(&core.x, &core.thread, (uint32_t)core.count,
					fails ? 0 : core.ns);
			if (got < core.count || (uint32_t)got != (uint32_t)core.count ||
			    (got != core.count && (fails || core.ns <= seen)))
				fail_count(&core, got, jump, a);
			core.count = got;
			if (!fails)
				seen = core.ns;
		}
	}
}

/* Without any clock, the counts of a thread that reads once per wrap are exact. */
TEST(no_clock)
{
	struct core core;

	memset(&core, 0, sizeof core);
	extend_begin(&core.x, NS_PER_S, 5, NS_PER_S);
	core.count = step_with(&core.x, &core.thread, 5, 0);
	for (int i = 0; i < READS; i++) {
		core.count += unit_random() % W;
		assert_int_equal(step_with(&core.x, &core.thread, (uint32_t)core.count, 0),
				 core.count);
	}
}

/* A register with any value, as when the thread moves to other cores: the count never steps back,
 * and a move adds less than a wrap. */
TEST(moves)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct core core;

		core_begin(&core, random_hz());
		for (int j = 0; j < READS; j++) {
			uint64_t pause = unit_random_bits(20), got;
			uint32_t ticks = (uint32_t)unit_random();

			core.ns += pause;
			got = step_with(&core.x, &core.thread, ticks, core.ns);
			assert_int_equal((uint32_t)got, ticks);
			if (got < core.count || got - core.count >= W)
				fail_count(&core, got, pause, 0);
			core.count = got;
		}
	}
}

/* A thread that has no count yet starts where the other threads are, however far the core has
 * fallen behind the estimate or run ahead of it. */
TEST(a_thread_starts)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t part = unit_random() % 1400;
		struct core core;

		core_begin(&core, random_hz());
		for (int j = 0; j < READS; j++) {
			uint64_t pause = unit_random() % ns_of(W / 3, core.hz);
			uint64_t a = counts(pause, core.hz) / 1000 * part;
			struct extend_thread new = { 0 };

			core.ns += pause;
			core.count += a;
			assert_int_equal(step(&core), core.count);
			assert_int_equal(step_with(&core.x, &new, (uint32_t)core.count, core.ns),
					 core.count);
		}
	}
}

/* Where a thread's counts begin if it has no count of its own, and where they go on if its register
 * was closed. In both cases the last count is known in units of W/16, and its time in units in
 * which less than W/16 counts pass. */
static void expect_likely(struct core *core, uint64_t pause, uint64_t passed)
{
	uint64_t likely = extend_first(&core->x, core->ns);

	/* extend_first has taken half a wrap off, if the count is that large. The drift is rounded
	 * down, so this is never above the count. */
	likely += likely ? W / 2 : 0;
	if (likely > core->count || (likely && core->count - likely >= W / 16))
		fail_count(core, likely, pause, passed);
}

static void expect_left(struct core *core, uint64_t pause, uint64_t passed)
{
	const struct extend_last last = extend_load(&core->thread);
	struct extend_thread left = { 0 };
	uint64_t count;

	extend_leave(&core->x, &left, &last, core->ns);
	count = extend_estimate(&core->x, core->ns) + extend_drift(left.drift);
	/* The thread's counts may never step back, so the clock begins above the last count. */
	if (count <= core->count || count - core->count > W / 8)
		fail_count(core, count, pause, passed);
}

TEST(drift_is_within_its_unit)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t part = unit_random() % 1000;
		struct core core;

		core_begin(&core, random_hz());
		for (int j = 0; j < READS; j++) {
			uint64_t pause = unit_random() % ns_of(W / 3, core.hz);
			uint64_t a = counts(pause, core.hz) / 1000 * part;

			uint32_t time = core.thread.time;

			core.ns += pause;
			core.count += a;
			assert_int_equal(step(&core), core.count);
			expect_left(&core, pause, a);
			/* The drift for other threads is stored at most once in a unit of time. */
			if (core.thread.time != time)
				expect_likely(&core, pause, a);
		}
	}
}

/* A handler has read between two of the stores, after a pause of any length. No count is lost, and
 * none is added if the pause was short. */
TEST(words_of_two_reads)
{
	for (int i = 0; i < ROUNDS * 100; i++) {
		uint64_t pause, a, got;
		struct extend_thread outer;
		struct core core;
		unsigned stored = (unsigned)unit_random() % 3;

		core_begin(&core, random_hz());
		pause = unit_random() & 1 ? unit_random() % ns_of(W / 4, core.hz) : random_pause();
		outer = core.thread;
		core.ns += pause;
		core.count += counts(pause, core.hz);
		assert_int_equal(step(&core), core.count);
		/* The thread goes on and stores the words that it had not stored yet. */
		core.thread.time = outer.time;
		if (stored < 2)
			core.thread.low = outer.low;
		if (stored < 1)
			core.thread.high = outer.high;
		a = unit_random_bits(31);
		core.ns += ns_of(a, core.hz);
		core.count += a;
		got = step(&core);
		if (got < core.count || (uint32_t)got != (uint32_t)core.count ||
		    (got != core.count && counts(pause, core.hz) < W / 4 && a < W / 4))
			fail_count(&core, got, pause, a);
	}
}

/* A handler comes after a read, before the thread has stored that read, and stays for any time. No
 * count of the thread is lost. */
TEST(stored_late)
{
	for (int i = 0; i < ROUNDS * 100; i++) {
		uint64_t pause = unit_random() & 1 ? 0 : random_pause(), read, read_ns, got;
		struct extend_last last;
		struct core core;

		core_begin(&core, random_hz());
		core.ns += pause;
		core.count += counts(pause, core.hz);
		last = extend_load(&core.thread);
		read = extend_count(&core.x, &last, (uint32_t)core.count, core.ns);
		assert_int_equal(read, core.count);
		read_ns = core.ns;
		pause = random_pause();
		core.ns += pause;
		core.count += counts(pause, core.hz);
		assert_int_equal(step(&core), core.count);
		extend_store(&core.x, &core.thread, &last, read, read_ns);
		got = step(&core);
		if (got != core.count)
			fail_count(&core, got, pause, 0);
	}
}

/* A handler reads between any two instructions of a read. Before that the thread has paused, and a
 * first handler may have read between the thread's read of the register and its stores. */

#define SHORT (W / 16 + 12345)
#define LONG (5 * W + W / 3)

static struct core between; /* counts once per ns, so a pause in ns is the same number of counts */
static uint64_t pause_before, pause_at_store, pause_anywhere;
static struct extend_last last_between;
static uint64_t in_register, ns_between; /* register and clock, as the thread has read them */
static uint64_t in_thread;               /* the count from these two */
static bool clock_fails;                 /* in the handler */
static uint64_t answered;                /* the thread's count before that */

static void pass(uint64_t pause)
{
	between.ns += pause;
	between.count += pause;
}

/* At the estimated rate no count is lost. None is added if all pauses together are short. */
static void expect_between(uint64_t got, uint64_t least, const char *what)
{
	const bool exact = pause_before + pause_at_store + pause_anywhere <= W / 2;

	if (got < least || (uint32_t)got != (uint32_t)least || (exact && got != least))
		printf("# got %llu, expected %llu; %llu counts before the read, %llu between "
		       "register and "
		       "store, %llu in the handler\n",
		       (unsigned long long)got, (unsigned long long)least,
		       (unsigned long long)pause_before, (unsigned long long)pause_at_store,
		       (unsigned long long)pause_anywhere);
	unit_expect(got >= least, what);
	unit_expect((uint32_t)got == (uint32_t)least, "the lower half is the register's");
	unit_expect(!exact || got == least, "after a short time the count is exact");
}

static void prepare_read(void)
{
	core_begin(&between, NS_PER_S);
	pass(1000);
	answered = step(&between);
	pass(pause_before);
}

/* Loads a word that the handler may have changed. */
static uint64_t as_it_is(const volatile uint64_t *word)
{
	return *word;
}

/* extend_read up to its stores, with a made register and clock. */
static void read_between(void)
{
	last_between = extend_load(&between.thread);
	atomic_signal_fence(memory_order_seq_cst);
	do {
		in_register = as_it_is(&between.count);
		ns_between = as_it_is(&between.ns);
		/* Every pause of the handler is longer than EXTEND_HELD_UP. */
	} while (as_it_is(&between.count) != in_register);
	in_thread = extend_count(&between.x, &last_between, (uint32_t)in_register, ns_between);
}

static void store_between(void)
{
	extend_store(&between.x, &between.thread, &last_between, in_thread, ns_between);
}

static void run_read(void)
{
	read_between();
	store_between();
}

static void prepare_store(void)
{
	prepare_read();
	read_between();
	pass(pause_at_store);
	step(&between);
}

static void interrupt_between(void)
{
	pass(pause_anywhere);
	if (clock_fails)
		unit_expect(step_with(&between.x, &between.thread, (uint32_t)between.count, 0) >=
				    answered,
			    "a handler without a clock does not step back");
	else
		expect_between(step(&between), between.count, "a handler loses no count");
}

static void check_between(void)
{
	if (clock_fails)
		return; /* the handler may have lost wraps */
	expect_between(in_thread, in_register, "the interrupted read loses no count");
	pass(SHORT);
	/* Counted from the thread's own answer, which may be more than the truth. */
	expect_between(step(&between), in_thread + (between.count - in_register),
		       "nor does the next one");
}

static void handlers_anywhere(void)
{
	static const struct stepped read = { prepare_read, run_read, interrupt_between,
					     check_between };
	static const struct stepped store = { prepare_store, store_between, interrupt_between,
					      check_between };
	static const struct {
		const struct stepped *stepped;
		uint64_t before, at_store, anywhere;
		bool clock_fails;
	} rows[] = {
		/* No first handler. If the thread stored its time before its count, the second one
		 * would not see the pause before the read. */
		{ &read, LONG, 0, 0, false },
		{ &read, SHORT, 0, SHORT, false },
		/* The handler comes between the thread's loads. If the thread loaded the time last,
		 * it would not see the handler's pause. */
		{ &read, SHORT, 0, LONG, false },
		/* The thread is behind a first handler. If it stored its count beside that
		 * handler's time, the second handler would not see the first one's pause. */
		{ &store, SHORT, LONG, 0, false },
		{ &store, SHORT, SHORT, SHORT, false },
		{ &store, LONG, LONG, LONG, false },
		/* The lower word becomes a little less than it was, the upper one some wraps more.
		 * If the lower one were stored first, both together would be less than the last
		 * count. */
		{ &read, 5 * W - 100, 0, 0, true },
	};
	long instructions = 0;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		pause_before = rows[i].before;
		pause_at_store = rows[i].at_store;
		pause_anywhere = rows[i].anywhere;
		clock_fails = rows[i].clock_fails;
		instructions += stepped_through(rows[i].stepped);
	}
	printf("# a handler before each of %ld instructions\n", instructions);
}

TEST_IN_CHILD(a_handler_anywhere)
{
	stepped_in_child(handlers_anywhere);
}

/* The linker replaces clock_gettime by this function (--wrap), unless libc calls it by another
 * name. The wall clock is set forward or back by an hour at every look. */

#define HOUR 3600

static atomic_uint looks, wall_looks;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int error = __real_clock_gettime(clock, now);

	atomic_fetch_add(&looks, 1);
	if (clock != CLOCK_MONOTONIC)
		now->tv_sec += atomic_fetch_add(&wall_looks, 1) % 2 ? HOUR : -HOUR;
	return error;
}

/* A register that is made of the real clock, and counts so fast that it wraps every 4 ms. */

#define PER_NS 1000
#define REAL_HZ (PER_NS * NS_PER_S)
#define THREADS 8

static struct extend real;
static _Thread_local struct extend_thread mine;
static _Thread_local uint64_t skew; /* the register of this thread's core is ahead by this */

static uint64_t truth(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return clock_ns(&now) * PER_NS + skew;
}

static uint64_t read_real(void)
{
	errno = EINVAL; /* as a system call in it would */
	return (uint32_t)truth();
}

static uint64_t count_real(void)
{
	return extend_read(&real, &mine, read_real);
}

static void begin_real(void)
{
	uint64_t now = truth();

	extend_begin(&real, REAL_HZ, (uint32_t)now, now / PER_NS);
	memset(&mine, 0, sizeof mine);
}

struct reader {
	unsigned long reads, raised;
	uint64_t base; /* truth minus count, at the first call */
	uint64_t last;
	uint64_t extra; /* wraps that the counts have gained since */
	bool held;      /* a call took so long that the register may have wrapped meanwhile */
	const char *wrong;
};

/* The truth and the counts differ by the same number of whole wraps from the first call on. A first
 * call that took long does not tell how many these are, so another one is made. */
static void start_real(struct reader *r)
{
	uint64_t before, count, after;

	for (;; r->raised++) {
		before = truth();
		count = count_real();
		after = truth();
		if (after - before < W / 8)
			break;
	}
	r->base = (before - count + W / 2) / W * W;
	r->last = count;
}

/* Compares one count with the truth. It is never less. It is more only if the call took so long
 * that the register may have wrapped between its read and the clock's. */
static void check_real(struct reader *r)
{
	uint64_t before = truth() - r->base, count = count_real(), after = truth() - r->base;

	r->reads++;
	if (count < r->last)
		r->wrong = "it stepped back";
	else if (count < before + r->extra)
		r->wrong = "it lost counts";
	else if (count > after + r->extra && after - before < W / 4)
		r->wrong = "it gained counts";
	r->held = r->held || after - before > W / 2;
	for (; count > after + r->extra; r->raised++)
		r->extra += W;
	r->last = count;
}

static struct reader readers[THREADS];

static void pause_randomly(uint64_t random)
{
	const struct timespec pause = { 0, (long)(random % 30000000) };

	if (random >> 32 & 3)
		nanosleep(&pause, NULL);
}

static _Alignas(8) pthread_barrier_t barrier; /* a futex wants 4; m68k aligns it to 2 */
static uint64_t skew_of_next;

static void *read_in_thread(void *argument)
{
	struct reader *r = argument;
	uint64_t random = (uint64_t)(uintptr_t)argument;

	skew = (uint64_t)(r - readers) * skew_of_next;
	pthread_barrier_wait(&barrier);
	start_real(r);
	for (int i = 0; i < 50 && !r->wrong; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		for (int j = 0; j < 500 && !r->wrong; j++)
			check_real(r);
		pause_randomly(random >> 16);
	}
	return NULL;
}

static void race(void)
{
	pthread_t threads[THREADS];

	memset(readers, 0, sizeof readers);
	begin_real();
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_in_thread, &readers[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	for (int i = 0; i < THREADS; i++) {
		printf("# thread %d: %lu reads, %lu wraps added while it was held up\n", i,
		       readers[i].reads, readers[i].raised);
		if (readers[i].wrong)
			fail_msg("thread %d, read %lu: %s", i, readers[i].reads, readers[i].wrong);
	}
}

/* One register: the threads agree, too. */
TEST(threads_race)
{
	skew_of_next = 0;
	race();
	for (int i = 1; i < THREADS; i++)
		if (!readers[i].raised && !readers[0].raised)
			assert_int_equal(readers[i].base, readers[0].base);
}

/* Registers that differ by eighths of a wrap: no thread pushes another one's count. */
TEST(cores_differ)
{
	skew_of_next = W / THREADS;
	race();
}

/* A thread that is stopped between the register and the clock. */

static int reads_to_stop;

static uint64_t read_and_stop(void)
{
	const struct timespec stop = { 0, 3500000 };
	uint64_t ticks = read_real();

	if (reads_to_stop-- > 0)
		nanosleep(&stop, NULL);
	return ticks;
}

/* The thread reads both again. A stop of whole wraps goes unseen, and a busy machine may make any
 * stop one. */
#define HELD_UP 40
TEST(held_up)
{
	int exact = 0;

	for (int i = 0; i < HELD_UP; i++) {
		struct reader r = { 0 };
		uint64_t count;

		begin_real();
		start_real(&r);
		reads_to_stop = 1;
		count = extend_read(&real, &mine, read_and_stop);
		assert_true(count >= r.last);
		exact += count <= truth() - r.base;
	}
	printf("# %d of %d exact\n", exact, HELD_UP);
	unit_in_range(exact, HELD_UP / 4, HELD_UP);
}

static struct reader in_handler;
static volatile sig_atomic_t interrupting; /* ThreadSanitizer delivers signals late */

static void on_alarm(int sig)
{
	(void)sig;
	if (interrupting)
		check_real(&in_handler);
}

/* False: the machine was too busy to tell. Either the thread or the handler was held up and has
 * added wraps, which are then in the other's counts too; or the thread was held up for a wrap
 * between its stores. */
static bool interrupt(void)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	struct reader r = { 0 };

	begin_real();
	start_real(&r);
	in_handler = r;
	interrupting = 1;
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 50000 && !r.wrong && !in_handler.wrong; i++)
		check_real(&r);
	interrupting = 0;
	setitimer(ITIMER_REAL, &never, NULL);
	printf("# %lu reads, %lu in the handler\n", r.reads, in_handler.reads);
	if (r.raised || in_handler.raised || (in_handler.wrong && r.held))
		return false;
	if (r.wrong || in_handler.wrong)
		fail_msg("%s", r.wrong ? r.wrong : in_handler.wrong);
	return in_handler.reads > 0;
}

/* The thread and its handler read and write the same state. */
TEST(a_handler_reads)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	int good = 0;

	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < 20; i++)
		good += interrupt();
	if (good == 0)
		unit_skip("this machine is too busy to tell");
}

static struct reader at_fork;

static void run_child(void)
{
	struct reader r = at_fork;

	for (int i = 0; i < 100; i++)
		check_real(&r);
	unit_expect(!r.wrong, r.wrong ? r.wrong : "");
}

TEST(a_child_goes_on)
{
	begin_real();
	memset(&at_fork, 0, sizeof at_fork);
	start_real(&at_fork);
	assert_int_equal(unit_in_child(run_child), 0);
}

/* As a register whose fault a handler has seen. */
static uint64_t read_closed(void)
{
	extend_close(&mine);
	return read_real();
}

TEST(errno_stays)
{
	begin_real();
	errno = ENOTTY;
	count_real();
	assert_int_equal(errno, ENOTTY);
	extend_read(&real, &mine, read_closed);
	assert_int_equal(errno, ENOTTY);
}

/* A register that is taken away. */

static bool taken;
static unsigned faults;

/* A register that was taken away raises a signal, whose handler calls extend_close and goes on
 * behind the instruction. */
static uint64_t read_until_taken(void)
{
	if (!taken)
		return read_real();
	faults++;
	extend_close(&mine);
	return unit_random();
}

/* Whether a count is near the truth. By the clock there is an error of some units of W/16, and of
 * more if the call before was held up. */
static bool is_near(uint64_t count, uint64_t before, uint64_t after, uint64_t error)
{
	return count + error >= before && count <= after + error;
}

static void *start_without(void *base)
{
	uint64_t before = truth() - *(uint64_t *)base;
	uint64_t count = extend_read(&real, &mine, read_until_taken),
		 after = truth() - *(uint64_t *)base;

	/* Near the other threads' counts, but less near than with a register. */
	return is_near(count, before, after, W / 4) ? base : NULL;
}

/* The thread goes on by the clock from its last count, however long ago that was. Another thread
 * starts by the clock. */
TEST(closes)
{
	const struct timespec wraps = { 0, 20000000 };
	struct reader r = { 0 };
	pthread_t thread;
	void *answer;

	begin_real();
	start_real(&r);
	taken = true;
	faults = 0;
	nanosleep(&wraps, NULL);
	for (int i = 0; i < 1000; i++) {
		uint64_t before = truth() - r.base,
			 count = extend_read(&real, &mine, read_until_taken);
		uint64_t after = truth() - r.base;

		assert_true(count >= r.last);
		assert_true(is_near(count, before, after, W / 8));
		r.last = count;
	}
	unit_in_range(faults, 1, 2 * EXTEND_TRIES); /* all in the first call */
	assert_int_equal(pthread_create(&thread, NULL, start_without, &r.base), 0);
	assert_int_equal(pthread_join(thread, &answer), 0);
	assert_non_null(answer);
}

/* The rate is the expected one, or that of the register if it is higher. */

static uint64_t read_one_ghz(void)
{
	return (uint32_t)(truth() / PER_NS);
}

TEST(sets_up)
{
	struct extend_thread thread = { .closed = EXTEND_CLOSED };
	struct extend x = { 0 }, before;
	uint64_t hz = 0;

	assert_int_equal(extend_setup(&x, &thread, read_one_ghz, 4 * NS_PER_S), 0);
	assert_int_equal(extend_scale(&x, NS_PER_S), 4 * NS_PER_S);
	assert_int_equal(thread.closed, EXTEND_OPEN);
	/* Set up again, while other threads may read: x stays as it is, but the register may be
	 * open again. */
	extend_close(&thread);
	before = x;
	assert_int_equal(extend_setup(&x, &thread, read_one_ghz, 4 * NS_PER_S), 0);
	assert_memory_equal(&x, &before, sizeof x);
	assert_int_equal(thread.closed, EXTEND_OPEN);
	/* On a loaded machine the rate may not be measured at once. */
	for (int i = 0; i < 50 && hz < NS_PER_S - NS_PER_S / 50; i++) {
		x.expected = 0;
		assert_int_equal(extend_setup(&x, &thread, read_one_ghz, NS_PER_S / 4), 0);
		hz = extend_scale(&x, NS_PER_S);
	}
	unit_in_range(hz, NS_PER_S - NS_PER_S / 50, NS_PER_S + NS_PER_S / 50);
}

/* Counts the looks in this test only, because cmocka may look at the wall clock between tests. */
TEST(the_wall_clock_is_set)
{
	const unsigned before = atomic_load(&wall_looks);
	struct extend_thread thread = { 0 };
	struct extend x = { 0 };
	struct reader r = { 0 };

	assert_int_equal(extend_setup(&x, &thread, read_one_ghz, NS_PER_S / 4), 0);
	begin_real();
	start_real(&r);
	if (atomic_load(&looks) == 0)
		unit_skip("the clock is not read by the function that is wrapped");
	for (int i = 0; i < READS && !r.wrong; i++)
		check_real(&r);
	if (r.wrong)
		fail_msg("%s", r.wrong);
	assert_int_equal(atomic_load(&wall_looks), before);
}

UNIT_MAIN_SEEDED("extend", NULL, NULL)
