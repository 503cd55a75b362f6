/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which cause is named for which figures. "Recorded" ones are of a virtual machine with 2 CPUs. */

#include "config.h"

#include "unit.h"
#include "blame.h"

#define MS 1000000u
#define S (1000 * (uint64_t)MS)

static struct noise_line lines[NOISE_CAUSES];
static size_t n;

/* A second on a CPU that only has its tick: recorded. */
static struct seen *idle(void)
{
	static struct seen seen;

	memset(&seen, 0, sizeof seen);
	seen.gaps = (struct gaps){
		.ns = S, .number = 255, .lost = 2 * MS, .longest = 80000, .own = { .known = true }
	};
	seen.counted = true;
	seen.interrupts = 258;
	seen.names = 2;
	seen.name[0] = (struct parse_row){ "RES", "Rescheduling interrupts", 7 };
	seen.name[1] = (struct parse_row){ "LOC", "Local timer interrupts", 251 };
	seen.quota.known = true;
	seen.ticks_per_second = 100;
	seen.cpus = 2;
	seen.quiet = -1;
	seen.moved_of = S / 10;
	return &seen;
}

static const struct noise_line *line_of(enum noise_cause cause)
{
	for (size_t i = 0; i < n; i++)
		if (lines[i].cause == cause)
			return &lines[i];
	fail();
	return NULL;
}

static void blame(const struct seen *seen)
{
	n = blame_gaps(seen, lines);
	blame_sort(lines, n);
}

/* The share of a cause, in thousandths. */
static long share(enum noise_cause cause)
{
	return (long)(line_of(cause)->share * 1000 + 0.5);
}

static void says(const char *text, const char *part)
{
	if (strstr(text, part))
		return;
	print_error("# \"%s\" does not have \"%s\"\n", text, part);
	fail();
}

TEST(nothing_but_the_tick)
{
	blame(idle());
	assert_int_equal(lines[0].cause, NOISE_INTERRUPTS);
	assert_int_equal(lines[0].known, NOISE_SEEN);
	assert_int_equal(share(NOISE_INTERRUPTS), 2);
	says(lines[0].proof, "258: Local timer interrupts 251, Rescheduling");
	says(lines[0].remedy, "without nohz_full");
	for (size_t i = 1; i < n; i++)
		assert_int_equal(lines[i].known, NOISE_NOT_SEEN);
}

/* Recorded beside a busy loop, in 2 s. */
TEST(a_busy_program)
{
	struct seen *seen = idle();

	seen->gaps.ns = 2 * S;
	seen->gaps.lost = 1820680000;
	seen->gaps.number = 132;
	seen->gaps.own = (struct own_rise){ true, 1816740000, 0, 71 };
	seen->gaps.switching = (struct gaps_rest){ 61, 2200000 };
	seen->interrupts = 822;
	seen->most.program[0] = (struct parse_program){ 7, 0, "sh", 181, 0 };
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_PROGRAMS);
	assert_int_equal(share(NOISE_PROGRAMS), 909);
	says(lines[0].proof, "waited 1816.7 ms, 71 switches; most ran: sh (7) 1.81 s");
	says(lines[0].remedy, "end these programs");
	assert_int_equal(share(NOISE_UNEXPLAINED), 0);

	seen->quiet = 1;
	seen->quiet_lost = 0.004;
	blame(seen);
	says(lines[0].remedy, "taskset -c 1 COMMAND: CPU 1 lost 0.4%");
	/* The programs that had the CPU have ended, or are in another container. */
	seen->quiet = -1;
	seen->most.program[0].ticks = 3;
	blame(seen);
	says(lines[0].remedy, "not all processes could be looked at");
	seen->most.whole = true;
	blame(seen);
	says(lines[0].remedy, "a program that starts many short ones");
	seen->quota.known = false;
	blame(seen);
	says(lines[0].proof, "71 switches, for other programs or a quota; most ran: ");
}

/* Recorded: /proc/thread-self/schedstat has the time in which a quota was used up, too. */
TEST(a_quota)
{
	struct seen *seen = idle();

	seen->gaps.lost = 810 * MS;
	seen->gaps.own = (struct own_rise){ true, 805 * MS, 0, 30 };
	seen->quota = (struct quota){ true, 780 * MS, 0.2, "/sys/fs/cgroup/a/cpu.max", true };
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_QUOTA);
	assert_int_equal(share(NOISE_QUOTA), 780);
	assert_int_equal(share(NOISE_PROGRAMS), 25);
	says(lines[0].proof, "may use 0.20 CPUs, and had to stop for 780.0 ms");
	says(lines[0].remedy, "echo max >/sys/fs/cgroup/a/cpu.max");
	seen->quota.unified = false;
	blame(seen);
	says(lines[0].remedy, "echo -1 >");
	/* Other threads of the group were throttled, on other CPUs: never more than was lost. */
	seen->quota.throttled = 50 * S;
	blame(seen);
	assert_int_equal(share(NOISE_QUOTA), 805);
}

/* A virtual machine is stopped for 5 ms, 20 times: no account inside has it. */
TEST(the_host_without_steal)
{
	struct seen *seen = idle();

	seen->gaps.lost += 100 * MS;
	seen->gaps.number += 20;
	seen->gaps.uncounted = (struct gaps_rest){ 20, 100 * MS };
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_HOST);
	assert_int_equal(share(NOISE_HOST), 100);
	says(lines[0].proof, "20 gaps of over 2 ms, 100.0 ms in all");
	says(lines[0].remedy, "only the owner of the host");
	/* Without /proc it is as sure. */
	seen->steal = PARSE_UNKNOWN;
	seen->gaps.own.known = false;
	seen->counted = false;
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_HOST);
}

/* The host takes short pieces, and says so. */
TEST(steal)
{
	struct seen *seen = idle();

	seen->gaps.lost += 60 * MS;
	seen->gaps.number += 150;
	seen->gaps.middle = (struct gaps_rest){ 150, 60 * MS };
	seen->steal = 60 * MS;
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_HOST);
	assert_int_equal(share(NOISE_HOST), 60);
	says(lines[0].proof, "steal 60 ms, as the host says");
	/* The host does not tell: nobody can be named. */
	seen->steal = 0;
	blame(seen);
	assert_int_equal(line_of(NOISE_HOST)->known, NOISE_NOT_SEEN);
	assert_int_equal(share(NOISE_UNEXPLAINED), 60);
	/* As many softirqs with work can have taken it. */
	seen->softirqs = 150;
	blame(seen);
	assert_int_equal(share(NOISE_INTERRUPTS), 62);
	/* More steal than time was lost: the rest was taken from others. */
	seen->softirqs = 0;
	seen->steal = 900 * MS;
	blame(seen);
	assert_int_equal(share(NOISE_HOST), 60);
}

/* Root is told how often the firmware had the CPU. */
TEST(the_firmware)
{
	struct seen *seen = idle();

	seen->gaps.lost += 12 * MS;
	seen->gaps.number += 40;
	seen->gaps.middle = (struct gaps_rest){ 40, 12 * MS };
	seen->smi = 40;
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_HOST);
	assert_int_equal(share(NOISE_HOST), 12);
	says(lines[0].proof, "system management interrupts: 40");
	seen->smi = 39;
	blame(seen);
	assert_int_equal(share(NOISE_UNEXPLAINED), 12);
	seen->smi = PARSE_UNKNOWN;
	blame(seen);
	assert_int_equal(share(NOISE_UNEXPLAINED), 12);
}

TEST(an_interrupt_storm)
{
	struct seen *seen = idle();

	seen->gaps.lost = 100 * MS;
	seen->gaps.number = seen->interrupts = 20000;
	seen->name[1] = (struct parse_row){ "42", "eth0-rx", 19500 };
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_INTERRUPTS);
	assert_int_equal(share(NOISE_INTERRUPTS), 100);
	says(lines[0].remedy, "cpucycles-open --quiet -- COMMAND");
	seen->name[1] = (struct parse_row){ "17", "arch_timer", 19500 };
	blame(seen);
	says(lines[0].remedy, "short timers");
	seen->name[1].count = 1000;
	seen->tickless = true;
	blame(seen);
	says(lines[0].remedy, "nohz_full=");
	/* Interrupts explain as many short gaps as there were interrupts. */
	seen->interrupts = 5000;
	blame(seen);
	assert_int_equal(share(NOISE_INTERRUPTS), 25);
	assert_int_equal(share(NOISE_UNEXPLAINED), 75);
	/* Half of them came while another program had the CPU. */
	seen->gaps.lost += 500 * MS;
	seen->gaps.own.waited = 500 * MS;
	seen->interrupts = 10000;
	blame(seen);
	assert_int_equal(share(NOISE_INTERRUPTS), 25);
	assert_int_equal(share(NOISE_UNEXPLAINED), 75);
}

/* Recorded: 40,000 interrupts in a second, many of them without a pause in between. */
TEST(a_storm_that_leaves_no_pause)
{
	struct seen *seen = idle();

	seen->gaps.number = 27000;
	seen->gaps.lost = 880 * MS;
	seen->gaps.middle = (struct gaps_rest){ 1000, 200 * MS };
	seen->gaps.uncounted = (struct gaps_rest){ 2, 10 * MS };
	seen->interrupts = 40000;
	blame(seen);
	assert_int_equal(share(NOISE_INTERRUPTS), 880);
	assert_int_equal(line_of(NOISE_HOST)->known, NOISE_NOT_SEEN);
}

/* Shares without gaps are of another time, so they are not compared with the others. */
TEST(two_groups)
{
	struct noise_line mixed[] = {
		{ .cause = NOISE_MEMORY, .share = 0.3 },    { .cause = NOISE_UNEXPLAINED },
		{ .cause = NOISE_FREQUENCY, .share = 0.4 }, { .cause = NOISE_QUOTA, .share = 0.1 },
		{ .cause = NOISE_HOST, .share = 0.2 },
	};

	blame_sort(mixed, 5);
	assert_int_equal(mixed[0].cause, NOISE_HOST);
	assert_int_equal(mixed[1].cause, NOISE_QUOTA);
	assert_int_equal(mixed[2].cause, NOISE_UNEXPLAINED);
	assert_int_equal(mixed[3].cause, NOISE_FREQUENCY);
	assert_int_equal(mixed[4].cause, NOISE_MEMORY);
}

TEST(migration)
{
	struct seen *seen = idle();

	seen->moved = (struct gaps_rest){ 3, MS };
	blame(seen);
	assert_int_equal(line_of(NOISE_MIGRATION)->known, NOISE_SEEN);
	assert_int_equal(share(NOISE_MIGRATION), 10);
	says(line_of(NOISE_MIGRATION)->proof, "moved 3 times in 100.0 ms");
	seen->usable = 5;
	blame(seen);
	says(line_of(NOISE_MIGRATION)->remedy, "taskset -c 5");
	seen->moved = (struct gaps_rest){ 1, 600 };
	blame(seen);
	assert_int_equal(line_of(NOISE_MIGRATION)->known, NOISE_NOT_SEEN);
	says(line_of(NOISE_MIGRATION)->proof, "moved 1 time in");
	seen->moved = (struct gaps_rest){ 0, 0 };
	seen->moved_of = 0;
	blame(seen);
	says(line_of(NOISE_MIGRATION)->proof, "one CPU only");
}

/* All CPUs went offline, or are not this cgroup's. */
TEST(no_cpu_was_looked_at)
{
	struct seen *seen = idle();

	seen->gaps.ns = seen->gaps.lost = 0;
	blame(seen);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(lines[i].known, NOISE_NOT_KNOWN);
}

/* A file that cannot be read gives "not known", and its time stays unexplained. */
TEST(nothing_can_be_read)
{
	struct seen *seen = idle();

	seen->gaps.own.known = false;
	seen->steal = PARSE_UNKNOWN;
	seen->counted = false;
	seen->quota.known = false;
	seen->cpus = 0;
	seen->gaps.lost = 500 * MS;
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_UNEXPLAINED);
	assert_int_equal(share(NOISE_UNEXPLAINED), 500);
	for (size_t i = 1; i < n; i++) {
		assert_int_equal(lines[i].known, NOISE_NOT_KNOWN);
		assert_string_not_equal(lines[i].proof, "");
		assert_string_equal(lines[i].remedy, "");
	}
	/* The switches are the system's answer to a call, and need no file. */
	seen->gaps.own = (struct own_rise){ false, 400 * MS, 0, 40 };
	blame(seen);
	assert_int_equal(lines[0].cause, NOISE_PROGRAMS);
	says(lines[0].proof, "40 switches to other programs");
}

/* All causes together never take more than was lost, whatever the figures are. */
TEST(made_up_figures)
{
	for (int i = 0; i < 20000; i++) {
		struct seen *seen = idle();
		double sum = 0;

		seen->gaps.ns = unit_random_bits(62);
		seen->gaps.lost = unit_random() % (seen->gaps.ns + 1);
		seen->gaps.number = unit_random_bits(64);
		seen->gaps.own.waited = unit_random_bits(64);
		seen->gaps.own.involuntary = unit_random_bits(64);
		seen->gaps.middle =
			(struct gaps_rest){ unit_random_bits(64), unit_random_bits(64) };
		seen->gaps.uncounted = (struct gaps_rest){ unit_random_bits(64), unit_random() };
		seen->steal = unit_random_bits(64);
		seen->interrupts = unit_random_bits(64);
		seen->softirqs = unit_random_bits(64);
		seen->quota.throttled = unit_random_bits(64);
		seen->most.program[0] = (struct parse_program){ .pid = 1,
								.name = "x",
								.ticks = unit_random_bits(64) };
		blame(seen);
		for (size_t k = 0; k < n; k++) {
			assert_true(lines[k].share >= 0);
			sum += lines[k].share;
		}
		assert_true(sum < (double)seen->gaps.lost / (double)seen->gaps.ns + 1e-6 ||
			    seen->gaps.ns == 0);
	}
}

TEST(adding_up)
{
	static struct account before, after;
	struct seen seen = { .counted = true };

	before.interrupts = (struct account_rows){ true, 1, { { "LOC", "timer", 100 } } };
	after.interrupts =
		(struct account_rows){ true, 2, { { "4", "ttyS0", 5 }, { "LOC", "timer", 350 } } };
	before.softirqs = (struct account_rows){ true, 1, { { "RCU", "RCU", 7 } } };
	after.softirqs = (struct account_rows){
		true, 2, { { "RCU", "RCU", 9 }, { "NET_RX", "NET_RX", 4 } }
	};
	after.steal = 3;
	seen_add(&seen, &before, &after);
	assert_int_equal(seen.interrupts, 255);
	assert_int_equal(seen.softirqs, 4);
	assert_int_equal(seen.names, 2);
	assert_int_equal(seen.name[1].count, 250);
	seen_add(&seen, &before, &after);
	assert_int_equal(seen.name[1].count, 500);
	assert_int_equal(seen.steal, 6);
	/* Counts that fall are no counts. */
	seen_add(&seen, &after, &before);
	assert_int_equal(seen.interrupts, 510);
	assert_true(seen.steal == PARSE_UNKNOWN);
	after.interrupts.known = false;
	seen_add(&seen, &before, &after);
	assert_false(seen.counted);
	seen_add_smi(&seen, 2);
	seen_add_smi(&seen, 3);
	assert_int_equal(seen.smi, 5);
	seen_add_smi(&seen, PARSE_UNKNOWN);
	seen_add_smi(&seen, 3);
	assert_true(seen.smi == PARSE_UNKNOWN);
}

UNIT_MAIN_SEEDED("blame", NULL, NULL)
