/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* events_run: libpfm4=made
 *
 * Names of libpfm4, with tables that the tests choose, so that every machine has the same ones. It
 * looks for tables once in a process, so each test is a child. */

#include "config.h"

#include "unit.h"
#include "events/pfm.h"
#include "reason.h"

#include <errno.h>

static struct reason_text reason;

#ifdef HAVE_LIBPFM

#define TYPE_SOFTWARE 1
#define TYPE_RAW 4

static void expect_text(const char *got, const char *expected)
{
	if (strcmp(got, expected) == 0)
		return;
	printf("# expected: %s\n# got:      %s\n", expected, got);
	unit_expect(false, "the text is the expected one");
}

/* Choose the table. New versions of libpfm4 have none without the kernel's list of PMUs, which a
 * process without /sys does not see. */
static void force(const char *table)
{
	struct event_config config;
	uint32_t type;

	setenv("LIBPFM_FORCE_PMU", table, 1);
	if (event_pfm_code("no-such", &type, &config, &reason) &&
	    strstr(reason.what, "libpfm4 finds no perf events here"))
		unit_skip_child("this libpfm4 needs /sys/bus/event_source/devices");
}

static void expect_code(const char *name, uint32_t type, uint64_t code)
{
	struct event_config config;
	uint32_t got = 99;
	const int error = event_pfm_code(name, &got, &config, &reason);

	if (!error && got == type && config.value[0] == code && !config.value[1] &&
	    !config.value[2])
		return;
	printf("# %s: expected 0, type %u, config 0x%llx\n", name, (unsigned)type,
	       (unsigned long long)code);
	printf("# got %d, type %u, config 0x%llx: %s\n", error, (unsigned)got,
	       error ? 0 : (unsigned long long)config.value[0], reason.what);
	unit_expect(false, "the name has this code");
}

static void expect_none(const char *name, const char *what)
{
	struct event_config config;
	uint32_t type;
	const int error = event_pfm_code(name, &type, &config, &reason);

	if (error != -ENOENT)
		printf("# %s: expected %d, got %d\n", name, -ENOENT, error);
	unit_expect(error == -ENOENT, "it is no name");
	unit_expect(reason.error == ENOENT, "the reason's error");
	expect_text(reason.what, what);
}

/* The codes are those of the Intel SDM and of AMD's manuals. */
TEST_IN_CHILD(names_of_core)
{
	force("core");
	expect_code("INST_RETIRED:ANY_P", TYPE_RAW, 0xc0);
	expect_code("INST_RETIRED", TYPE_RAW, 0xc0);
	expect_code("inst_retired:loads", TYPE_RAW, 0x1c0);
	expect_code("UNHALTED_CORE_CYCLES", TYPE_RAW, 0x3c);
	expect_code("core::UNHALTED_CORE_CYCLES", TYPE_RAW, 0x3c);
	/* As pctr's parts: counter mask 2, edge. */
	expect_code("UNHALTED_CORE_CYCLES:c=2:e", TYPE_RAW, 0x204003c);
	expect_text(event_pfm_tables(), "libpfm4: core");
}

TEST_IN_CHILD(names_of_zen2)
{
	force("amd64_fam17h_zen2");
	expect_code("RETIRED_INSTRUCTIONS", TYPE_RAW, 0xc0);
	expect_code("CYCLES_NOT_IN_HALT", TYPE_RAW, 0x76);
}

TEST_IN_CHILD(names_of_the_kernel)
{
	force("perf");
	expect_code("PERF_COUNT_SW_PAGE_FAULTS", TYPE_SOFTWARE, 2);
}

TEST_IN_CHILD(unknown_names)
{
	force("core");
	expect_none("NO_SUCH", "NO_SUCH: no such event of libpfm4: core");
	expect_none("", ": no such event of libpfm4: core");
	expect_none("msr/tsc/", "msr/tsc/: no such event of libpfm4: core");
	expect_none("INST_RETIRED:NO_SUCH", "INST_RETIRED:NO_SUCH: libpfm4 knows the event, but "
					    "not what stands after it");
	expect_text(reason.remedy,
		    "names of these tables: cpucycles-measure -l WORD (libpfm4: core)");
	expect_none("INST_RETIRED,UNHALTED_CORE_CYCLES",
		    "INST_RETIRED,UNHALTED_CORE_CYCLES: libpfm4 says: invalid parameters");
}

/* They would be forgotten, because only the code is taken from libpfm4. */
TEST_IN_CHILD(modes_in_a_name)
{
	static const char *const names[] = { "UNHALTED_CORE_CYCLES:k=1",
					     "UNHALTED_CORE_CYCLES:u=1" };
	char what[160];

	force("core");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(what, sizeof what, "%s: libpfm4's u= and k= cannot be used here",
			 names[i]);
		expect_none(names[i], what);
	}
	expect_code("UNHALTED_CORE_CYCLES:u=1:k=1", TYPE_RAW, 0x3c);
}

TEST_IN_CHILD(without_sysfs)
{
	if (access("/sys/bus/event_source/devices", F_OK) == 0)
		unit_skip_child("/sys/bus/event_source/devices is there");
	setenv("LIBPFM_FORCE_PMU", "core", 1);
	if (event_pfm_code("INST_RETIRED", &(uint32_t){ 0 }, &(struct event_config){ 0 },
			   &reason) == 0)
		unit_skip_child("this libpfm4 needs no /sys");
	expect_none("INST_RETIRED", "INST_RETIRED: libpfm4 finds no perf events here");
	expect_text(
		reason.remedy,
		"show this process /sys/bus/event_source/devices, which new versions of libpfm4 "
		"need, or use a name of the kernel: cpucycles-measure -l");
}

TEST_IN_CHILD(no_table)
{
	force("no-such-table");
	expect_text(event_pfm_tables(), "libpfm4, which has no table for this machine");
	expect_none("INST_RETIRED",
		    "INST_RETIRED: no such event of libpfm4, which has no table for this machine");
	event_pfm_list(NULL, NULL);
}

struct seen {
	unsigned n, whole, mask, stop;
};

static bool see(void *context, const char *pmu, const char *event, const char *what)
{
	struct seen *seen = context;
	uint32_t type;
	struct event_config config;

	seen->n++;
	unit_expect(strcmp(pmu, "core") == 0, "the table's name");
	unit_expect(strlen(what) > 0, "what it counts");
	seen->whole += strcmp(event, "UNHALTED_CORE_CYCLES") == 0;
	seen->mask += strcmp(event, "INST_RETIRED:LOADS") == 0;
	if (event_pfm_code(event, &type, &config, &reason)) {
		printf("# %s: %s\n", event, reason.what);
		unit_expect(false, "each name of the list has a code");
	}
	return seen->n != seen->stop;
}

TEST_IN_CHILD(list)
{
	struct seen seen = { .n = 0 };

	force("core");
	event_pfm_list(see, &seen);
	printf("# %u names\n", seen.n);
	unit_expect(seen.n > 133, "more names than events");
	unit_expect(seen.whole == 1 && seen.mask == 1, "with and without unit mask, once");
	seen = (struct seen){ .stop = 3 };
	event_pfm_list(see, &seen);
	unit_expect(seen.n == 3, "stopped after three names");
}

/* However many tables there are, the text ends with a whole name. */
TEST_IN_CHILD(tables_of_this_machine)
{
	unsetenv("LIBPFM_FORCE_PMU");
	printf("# %s\n", event_pfm_tables());
	unit_expect(strncmp(event_pfm_tables(), "libpfm4", 7) == 0,
		    "the text begins with the library");
}

UNIT_MAIN("pfm", NULL, NULL)

#else

TEST(without_libpfm)
{
	struct event_config config;
	uint32_t type;

	assert_int_equal(event_pfm_code("INST_RETIRED", &type, &config, &reason), -ENOSYS);
	assert_int_equal(reason.error, ENOSYS);
	assert_string_equal(reason.what, "INST_RETIRED: this library is built without libpfm4");
	assert_string_equal(event_pfm_tables(), "this library is built without libpfm4");
	event_pfm_list(NULL, NULL);
}

UNIT_MAIN("pfm", NULL, NULL)

#endif
