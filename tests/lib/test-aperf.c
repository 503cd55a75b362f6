/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How APERF, a register of each CPU, becomes the count of a thread, on two made CPUs. Their
 * registers differ, the thread moves between them, sleeps, and is interrupted. */

#include "config.h"

#include "unit.h"
#include "arch/x86/aperf-thread.h"
#include "stepped.h"

/* What a read of a pair takes: ticks to the time-stamp counter, and from there to APERF. */
#define READ_TICKS 20

/* By how much the registers of the two CPUs differ: as seen on a machine of two CPUs. */
#define APART UINT64_C(80000000000000)

static struct {
	uint64_t tsc;
	uint64_t aperf[2];
	unsigned cpu;
	bool told;            /* the kernel tells the CPU */
	double rate;          /* cycles per tick */
	unsigned step;        /* of the time-stamp counter, in ticks */
	unsigned interrupted; /* so many of the next reads, between their two registers, */
	unsigned interrupt;   /* for so many ticks */
	uint64_t true_cycles; /* what the thread's CPUs have counted while it was on them */
	unsigned reads;
} made;

static struct aperf_thread mine = APERF_THREAD;

static void begin_thread(void)
{
	mine = (struct aperf_thread)APERF_THREAD;
}

/* Ticks pass in which the CPU works, or is idle. */
static void work(uint64_t ticks)
{
	const uint64_t cycles = (uint64_t)((double)ticks * made.rate + 0.5);

	made.tsc += ticks;
	made.aperf[made.cpu] += cycles;
	made.true_cycles += cycles;
}

static void sleep_for(uint64_t ticks)
{
	made.tsc += ticks;
}

static struct aperf_pair read_made(void)
{
	struct aperf_pair pair;

	work(READ_TICKS);
	pair.tsc = made.tsc - made.tsc % made.step;
	if (made.interrupted > 0) {
		made.interrupted--;
		work(made.interrupt);
	}
	pair.aperf = made.aperf[made.cpu];
	pair.cpu = made.told ? made.cpu : 0;
	made.reads++;
	return pair;
}

static uint64_t read_tsc(void)
{
	work(READ_TICKS);
	return made.tsc;
}

/* As the counters read. */
static inline uint64_t read_by(const struct aperf_reader *read)
{
	const struct aperf_pair pair = read->pair();
	uint64_t usual;

	return aperf_count_usual(&mine, &pair, &usual) ? usual : aperf_count_at(&mine, pair, read);
}

static uint64_t count(void)
{
	static const struct aperf_reader read = { read_made, read_tsc };

	return read_by(&read);
}

static uint64_t last_count(void)
{
	struct aperf_count count;

	aperf_load(&mine, &count);
	return aperf_value(&count);
}

static uint64_t last_tsc(void)
{
	struct aperf_count count;

	aperf_load(&mine, &count);
	return aperf_last(&count).tsc;
}

/* From the last pair on, all cycles are counted in true_cycles. */
static void begin_true(void)
{
	struct aperf_count count;

	aperf_load(&mine, &count);
	made.true_cycles = made.aperf[made.cpu] - aperf_last(&count).aperf;
	made.reads = 0;
}

/* The CPUs are set up, and the thread has read once. */
static void begin(double rate, bool told)
{
	memset(&made, 0, sizeof made);
	begin_thread();
	made.tsc = 5000000000;
	made.aperf[0] = 7000000000;
	made.aperf[1] = made.aperf[0] + APART;
	made.rate = rate;
	made.step = 1;
	made.told = told;
	made.interrupt = 1000000;
	assert_int_equal(count(), 1);
	begin_true();
}

/* The count, less what it was, is that of all cycles, but for the time-stamp counter that is read
 * behind the pair where a window ends. */
static void expect_all(uint64_t counted)
{
	const uint64_t pair = (uint64_t)(READ_TICKS * made.rate) + 1;

	unit_in_range(counted, made.true_cycles - (made.true_cycles < pair ? 0 : pair),
		      made.true_cycles);
}

/* On one CPU every cycle counts, whatever the rate. */
TEST(one_cpu)
{
	static const double rates[] = { 0.1, 0.5, 1, 1.7, 3.9 };

	for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
		for (int told = 0; told < 2; told++) {
			uint64_t start;

			begin(rates[i], told);
			start = last_count();
			for (unsigned n = 0; n < 40; n++) {
				uint64_t now;

				work(UINT64_C(1) << n);
				now = count();
				expect_all(now - start);
			}
			assert_int_equal(made.reads, 40);
		}
	}
}

/* The time-stamp counter of some CPUs moves in steps. Between two steps APERF rises alone. */
TEST(coarse)
{
	uint64_t start, now;

	begin(3.9, false);
	made.step = 100;
	start = count();
	begin_true();
	for (int n = 0; n < 1000; n++) {
		now = count();
		expect_all(now - start);
	}
	assert_int_equal(made.reads, 1000);
}

/* A time-stamp counter that stands still for long: the cycles of the window still fit into the
 * thread's word. */
TEST(standing)
{
	uint64_t start;

	begin(3.9, false);
	made.step = 1u << 31;
	start = count();
	begin_true();
	while (made.true_cycles < 3 * APERF_WINDOW_CYCLES)
		expect_all(count() - start);
}

/* An idle CPU stands still, and so does the count. */
TEST(idle)
{
	uint64_t before;

	begin(1.7, false);
	before = count();
	sleep_for(4000000000);
	unit_in_range(count() - before, 1, 100);
}

#ifdef __m68k__
#define SKIP_RATES() unit_skip("gcc 12 for the 68000 makes comparisons of 64 bits false with -Os")
#else
#define SKIP_RATES() ((void)0)
#endif

/* How many cycles the thread counts for a million ticks of work in which it moves. */
static uint64_t move_and_count(void)
{
	const uint64_t before = count();

	work(500000);
	made.cpu = !made.cpu;
	work(500000);
	return count() - before;
}

/* The thread moves: the registers jump, and the count goes on by the ticks, at the rate at which
 * the thread was last busy. */
TEST(moves)
{
	SKIP_RATES();
	for (int told = 0; told < 2; told++) {
		begin(1.7, told);
		work(100000);
		count();
		for (int n = 0; n < 10; n++)
			unit_in_range(move_and_count(), 1690000, 1710000);
	}
}

/* Reads that are close together show the rate, too, and interrupts between the two registers of a
 * pair do not spoil it: some of them are too short to look like a move. */
TEST(often)
{
	SKIP_RATES();
	for (unsigned apart = 100; apart < 100000; apart = apart * 3 / 2) {
		begin(1.7, true);
		made.interrupt = 3 * apart / 2;
		for (unsigned n = 0; n < 200000 / apart + 100; n++) {
			made.interrupted = n % 7 == 0;
			work(apart);
			count();
		}
		made.interrupted = 0;
		unit_in_range(move_and_count(), 1660000, 1760000);
	}
}

/* A window shows no rate if an interrupt came into its first pair, or into its last one, although
 * both follow the pair before. Such a pair is not read again. */
TEST(stretched)
{
	SKIP_RATES();
	begin(1.7, true);
	made.interrupt = 10000;
	work(100000);
	made.reads = 0;
	count();
	work(70000);
	made.interrupted = 1;
	count();
	unit_in_range(move_and_count(), 1690000, 1710000);
	work(70000);
	made.interrupted = 1;
	count();
	work(70000);
	count();
	assert_int_equal(made.reads, 7); /* two for the move */
	unit_in_range(move_and_count(), 1690000, 1710000);
}

/* A long interrupt in the pair with which a window begins: its time counts once, although the
 * thread moves then, and the next count is by the ticks from that pair on. */
TEST(paused)
{
	uint64_t before;

	SKIP_RATES();
	begin(1.7, true);
	work(100000);
	before = count();
	work(8000000);
	made.interrupt = 3000000;
	made.interrupted = 1;
	count();
	made.cpu = 1;
	work(100000);
	unit_in_range(count() - before, 18800000, 18900000);
}

/* A read that is tried again does not end the window early: so short a window shows no rate. */
TEST(tried_again)
{
	SKIP_RATES();
	begin(1.7, true);
	work(100000);
	count();
	made.rate = 3;
	made.interrupt = 3000;
	made.interrupted = 1;
	work(100);
	count();
	made.rate = 1.7;
	unit_in_range(move_and_count(), 1690000, 1710000);
	/* But the second try may be behind the window's end. */
	begin(1.7, true);
	made.interrupt = 200000;
	made.interrupted = 1;
	work(1000);
	count();
	unit_in_range(made.tsc - last_tsc(), 0, READ_TICKS);
}

/* A wait in a window lowers the rate by a part at most, and the next window shows it again. */
TEST(waits)
{
	SKIP_RATES();
	begin(1.7, true);
	work(100000);
	count();
	work(40000);
	sleep_for(40000);
	count();
	unit_in_range(move_and_count(), 1590000, 1600000);
	work(100000);
	count();
	unit_in_range(move_and_count(), 1690000, 1710000);
}

/* A core that becomes slower is known after some windows. */
TEST(slower)
{
	SKIP_RATES();
	begin(1.7, true);
	work(100000);
	count();
	made.rate = 0.85;
	for (int n = 0; n < 12; n++) {
		work(100000);
		count();
	}
	unit_in_range(move_and_count(), 840000, 860000);
}

/* Reads that are far apart: half of the time may have been sleep, or the core is slower. */
TEST(seldom)
{
	SKIP_RATES();
	begin(1.7, true);
	work(1000000);
	count();
	unit_in_range(move_and_count(), 1690000, 1710000);
	for (int n = 0; n < 4; n++) {
		work(500000);
		sleep_for(500000);
		count();
	}
	unit_in_range(move_and_count(), 1590000, 1600000);
	made.rate = 1;
	for (int n = 0; n < 60; n++) {
		work(1000000);
		count();
	}
	unit_in_range(move_and_count(), 990000, 1010000);
	made.rate = 2;
	work(1000000);
	count();
	unit_in_range(move_and_count(), 1990000, 2010000);
}

/* Reads that are very far apart, as around functions of some ms. A sleep in between lowers
 * nothing. */
TEST(very_seldom)
{
	static const uint64_t apart[] = { 17000000, 500000000, 4000000000 };

	SKIP_RATES();
	for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
		begin(1.7, true);
		work(apart[i]);
		count();
		unit_in_range(move_and_count(), 1690000, 1710000);
		work(apart[i] / 5 * 4);
		sleep_for(apart[i] / 5);
		count();
		unit_in_range(move_and_count(), 1690000, 1710000);
	}
	/* Nor does it make a thread slow of which nothing is known. */
	begin(1.7, true);
	work(17000000);
	sleep_for(17000000);
	count();
	unit_in_range(move_and_count(), 1000000, 1000100);
	/* So long a time shows nothing: the cycles of a faster core would not fit into 64 bits. */
	work(UINT64_C(3) << 32);
	count();
	unit_in_range(move_and_count(), 1000000, 1000100);
}

/* A rate is learned from what was counted, and not from an estimate. */
TEST(estimates)
{
	SKIP_RATES();
	begin(1.7, true);
	made.cpu = 1;
	work(APERF_WINDOW - 1000);
	count();
	work(APERF_WINDOW);
	count();
	unit_in_range(move_and_count(), 1690000, 1710000);
	/* From one register to the other, the cycles are what a fast core could run. */
	begin(1, true);
	made.aperf[1] = made.aperf[0] + 150000;
	work(APERF_WINDOW + 5000);
	count();
	made.cpu = 1;
	work(APERF_WINDOW + 5000);
	count();
	made.aperf[0] = made.aperf[1] + APART;
	unit_in_range(move_and_count(), 990000, 1010000);
}

/* Before the thread was ever busy, a tick passes for a cycle. What a sleep shows is not the rate of
 * a busy core. */
TEST(not_busy_yet)
{
	uint64_t before;

	begin(1.7, false);
	work(2000);
	sleep_for(100000);
	count();
	work(10000000);
	sleep_for(10000000); /* so much may be anything */
	count();
	sleep_for(4000000000);
	before = count();
	made.cpu = 1;
	work(100000);
	unit_in_range(count() - before, 100000, 100100);
}

/* A move that looks like the fastest core, because the register of the other CPU is a little ahead,
 * says nothing about the rate. */
TEST(too_fast)
{
	uint64_t before;

	begin(1, false);
	work(APERF_WINDOW);
	made.aperf[0] += 3 * (APERF_WINDOW + READ_TICKS) + APERF_SLACK;
	count();
	before = count();
	made.cpu = 1;
	work(1000000);
	unit_in_range(count() - before, 1000000, 1000100);
}

/* A jump that a core can run in the time is seen only where the kernel tells the CPU. */
TEST(small_jumps)
{
	for (int told = 0; told < 2; told++) {
		uint64_t before;

		begin(1, told);
		before = count();
		made.aperf[1] = made.aperf[0] + 30000;
		made.cpu = 1;
		work(10000);
		before = count() - before;
		unit_in_range(before, told ? 10000 : 40000, told ? 10100 : 40100);
	}
}

/* An interrupt between the two registers makes APERF look too high. The second try is right. */
TEST(interrupts)
{
	uint64_t before;

	begin(1.7, true);
	before = count();
	begin_true();
	made.interrupted = 1;
	expect_all(count() - before);
	/* In both tries: an estimate, which is no more than a core can run, and no loss later. */
	before = count();
	begin_true();
	made.interrupted = 2;
	unit_in_range(count() - before, 1000000, APERF_RATIO_MAX * 2100000);
	before = count();
	work(10000);
	unit_in_range(count() - before, 17000, 18000);
}

TEST(wrap)
{
	uint64_t before;

	begin(1, false);
	made.aperf[0] = UINT64_MAX - 5000;
	count();
	before = count();
	work(10000);
	unit_in_range(count() - before, 10000, 10100);
}

static struct aperf_pair read_nothing(void)
{
	made.tsc += READ_TICKS;
	return (struct aperf_pair){ 0, 0, 0 };
}

/* The instructions fault: nothing is counted, until they work again. */
TEST(faults)
{
	static const struct aperf_reader nothing = { read_nothing, read_tsc };
	uint64_t before;

	begin(1.7, true);
	before = count();
	begin_true();
	work(1000);
	assert_int_equal(read_by(&nothing), before);
	work(100000);
	assert_int_equal(read_by(&nothing), before);
	expect_all(count() - before);
}

/* Another CPU's time-stamp counter may be behind. */
TEST(tsc_set_back)
{
	uint64_t before;

	begin(1, true);
	before = count();
	made.tsc -= 1000000;
	made.cpu = 1;
	assert_int_equal(count(), before);
	work(10000);
	unit_in_range(count() - before, 10000, 10100);
	/* By so little that the window is still the same one, and the CPU is not told. */
	begin(1, false);
	work(10000);
	before = count();
	made.tsc -= 5000;
	made.aperf[0] += 2 * APERF_SLACK;
	assert_int_equal(count(), before);
}

/* The frequency, from a short time in which the thread is busy. An interrupt spoils a try. Where
 * the thread moves all the time, nothing is known. */
static unsigned moving, moving_once;

static struct aperf_pair read_often(void)
{
	if (moving_once && made.reads == moving_once)
		made.cpu = !made.cpu;
	if (moving && made.reads % moving == 0)
		made.cpu = !made.cpu;
	return read_made();
}

/* The clock of a machine whose time-stamp counter has 2 GHz. */
static uint64_t two_ghz(void)
{
	return made.tsc / 2;
}

/* A clock that takes longer at times, and is read somewhere in that time. */
static uint64_t two_ghz_uneven(void)
{
	uint64_t ns;

	work(200 + (unit_random() % 8 ? 0 : unit_random() % 1500));
	ns = made.tsc / 2;
	work(200 + (unit_random() % 8 ? 0 : unit_random() % 1500));
	return ns;
}

/* One that moves in steps of a millisecond. */
static uint64_t two_ghz_coarse(void)
{
	work(200);
	return made.tsc / 2 / 1000000 * 1000000;
}

TEST(frequency)
{
	moving = 0;
	begin(1.7, false);
	unit_in_range(aperf_core_hz(read_often, two_ghz), 3390000000, 3410000000);
	assert_true(made.tsc - 5000000000 < 2 * APERF_TICKS);
	for (int i = 0; i < 100; i++)
		unit_in_range(aperf_core_hz(read_often, two_ghz_uneven), 3366000000, 3434000000);
	begin(1.7, false);
	made.tsc = 6000000000 - APERF_TICKS / 2; /* it moves once in that time */
	assert_int_equal(aperf_core_hz(read_often, two_ghz_coarse), 0);
	made.interrupted = 1;
	unit_in_range(aperf_core_hz(read_often, two_ghz), 3350000000, 3450000000);
	/* The thread moves when it has been busy, to a register that is a little ahead. */
	begin(1.7, true);
	made.aperf[1] = made.aperf[0] + 50000;
	moving_once = APERF_TICKS / READ_TICKS + 2;
	unit_in_range(aperf_core_hz(read_often, two_ghz), 3390000000, 3410000000);
	assert_int_equal(made.cpu, 1);
	/* A time-stamp counter that stands still from now on. */
	moving_once = 0;
	begin(1.7, true);
	made.step = 1u << 31;
	aperf_core_hz(read_often, two_ghz);
	assert_true(made.reads < 2 * APERF_READS_MAX);
	moving = 50;
	assert_int_equal(aperf_core_hz(read_often, two_ghz), 0);
	moving = 1500; /* away and back while it is busy */
	made.reads = 0;
	assert_int_equal(aperf_core_hz(read_often, two_ghz), 0);
	assert_int_equal(aperf_core_hz(read_nothing, two_ghz), 0);
}

/* Whatever happens, the count does not fall, and rises by no more than a core can run. */
TEST(anything)
{
	begin(1, false);
	made.told = unit_random() % 2;
	for (int n = 0; n < 200000; n++) {
		const uint64_t before = count(), tsc = last_tsc();
		uint64_t after;

		made.rate = (double)(unit_random() % 3900) / 1000;
		if (unit_random() % 4 == 0)
			made.cpu = unit_random() % 2;
		if (unit_random() % 64 == 0)
			made.aperf[made.cpu] = unit_random_bits(64);
		made.interrupted = unit_random() % 16 ? 0 : (unsigned)(unit_random() % 3);
		if (unit_random() % 2)
			work(unit_random_bits(40));
		else
			sleep_for(unit_random_bits(40));
		after = count();
		assert_true(after >= before);
		unit_in_range(after - before, 0, (made.tsc - tsc) * APERF_RATIO_MAX + APERF_SLACK);
	}
}

#ifdef __x86_64__
/* Handlers */

/* On a CPU that adds to 64 bits by one instruction, as the registers of the time-stamp counter and
 * of APERF are read. Ticks and cycles of one CPU that is never idle: a handler may read between any
 * two instructions of a read, so the two registers come from one number, which one instruction
 * changes. */
static _Atomic(uint64_t) ticking = 5000000000;

/* The other CPU runs so much faster. A count that has gone back to a moment before the move would
 * be too low. */
#define OTHER_RATE 3u

/* As many reads as there are places for windows, and more. */
#define READS_IN_HANDLER (2 * APERF_PLACES + 1)
/* The first of some reads ends the window, or each of them does: reads are far apart. */
static bool ends, far;
#define RATE (moved ? OTHER_RATE : 1u)
#define READ_COUNTS ((2 * READ_TICKS + (far ? APERF_WINDOW : 0u)) * RATE)
/* Where a window begins, the time-stamp counter is read once more. */
#define READ_COUNTS_MOST (READ_COUNTS + (ends || far || moved ? READ_TICKS * RATE : 0))
#include "stepped-count.h"

static struct aperf_pair read_ticking(void)
{
	struct aperf_pair pair = { .tsc = atomic_fetch_add(&ticking, READ_TICKS) };
	const uint64_t ticks = atomic_fetch_add(&ticking, READ_TICKS);

	pair.aperf = moved ? 2 * APART + OTHER_RATE * ticks : APART + ticks;
	return pair;
}

static uint64_t tsc_ticking(void)
{
	return atomic_fetch_add(&ticking, READ_TICKS);
}

static uint64_t tick(void)
{
	static const struct aperf_reader read = { read_ticking, tsc_ticking };

	if (far)
		atomic_fetch_add(&ticking, APERF_WINDOW);
	return read_by(&read);
}

static uint64_t first_ticks;

/* Six reads were ended by jumps, long ago, and left their claims: two places are free. */
static bool crowded;

static void claim_six(void)
{
	for (uint32_t i = 1; i < APERF_PLACES - 1; i++)
		mine.claims[(aperf_number(mine.word) + 1 + i) % APERF_PLACES] = UINTPTR_MAX;
	tick();
	tick();
}

/* The window has begun so long ago that the next read ends it. */
static void age_window(void)
{
	struct aperf_count count;
	const uint64_t number = aperf_number(aperf_load(&mine, &count));
	const uint64_t more = APERF_WINDOW - 1 - count.ticks;

	mine.windows[number % APERF_PLACES].tsc -= more;
	mine.windows[number % APERF_PLACES].aperf -= more;
	count.ticks += more;
	count.cycles += more;
	mine.word = aperf_word(number, &count);
}

static void prepare(void)
{
	moved = false;
	memset((void *)mine.claims, 0, sizeof mine.claims);
	if (crowded)
		claim_six();
	first = tick();
	first_ticks = ticking;
	last = in_handler = 0;
	if (ends)
		age_window();
}

/* There is no cycle that a handler's read makes the thread count twice, or not at all. What is
 * counted where the thread moves is an estimate. */
static void check(void)
{
	const uint64_t bound = stays() && !ends && !far ? 0 : 4 * READ_TICKS;
	const uint64_t rate = stays() ? 1 : OTHER_RATE;

	for (int i = 0; i < 3; i++) {
		const uint64_t now = tick(), ticks = ticking - first_ticks;

		unit_expect(now - first <= rate * ticks + bound && now - first + bound >= ticks,
			    "every cycle is counted once");
		unit_expect(now > in_handler && now > last, "the count has not fallen");
	}
	if ((ends || far) && stays())
		unit_in_range(mine.ratio, (1u << APERF_RATIO_SHIFT) / 100 * 99,
			      (1u << APERF_RATIO_SHIFT) / 100 * 101);
}

static void handlers_anywhere(void)
{
	static const struct stepped stepped = { prepare, run, interrupt, check };

	for (kind = RETURNS; kind < KINDS; kind++) {
		for (unsigned n = 0; n < 6; n++) {
			ends = n % 3 == 1;
			far = n % 3 == 2;
			crowded = n / 3;
			begin_thread();
			moved = false;
			tick();
			unit_expect(stepped_through(&stepped) > 20, "the read was stepped");
		}
	}
}

/* Reads that jumps have ended claim all places. The next one from the same frame takes its own
 * place. */
TEST(claims)
{
	uint64_t before;

	begin_thread();
	mine.claims[1] = 1000;
	assert_int_equal(aperf_next(&mine, 0, 1000), 1);
	assert_int_equal(aperf_next(&mine, 0, 2000), 2);
	begin_thread();
	tick();
	for (int i = 0; i < APERF_PLACES; i++) {
		assert_int_equal(mine.claims[i], 0);
		mine.claims[i] = UINTPTR_MAX;
	}
	before = tick();
	for (int i = 0; i < 3; i++) {
		const uint64_t next = tick();

		assert_int_equal(next - before, 2 * READ_TICKS);
		before = next;
	}
}

/* A thread that has counted by a clock goes on from there, with the cycles from then on. */
TEST(restart)
{
	uint64_t before;

	begin_thread();
	tick();
	before = tick();
	mine.ratio = 1000;
	aperf_restart(&mine, before + 1000000);
	assert_int_equal(mine.ratio, 1000);
	ticking += 500000;
	assert_int_equal(tick(), before + 1000000);
	assert_int_equal(tick(), before + 1000000 + 3 * READ_TICKS); /* a window has begun */
	aperf_restart(&mine, 5);
	assert_true(tick() >= before + 1000000);
}

TEST_IN_CHILD(handlers)
{
	stepped_in_child(handlers_anywhere);
}

#endif

UNIT_MAIN_SEEDED("aperf", NULL, NULL)
