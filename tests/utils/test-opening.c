/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Knobs and their record, opening and restoring, in folders with made knobs. */

#include "config.h"

#include "unit.h"
#include "knobs.h"
#include "machine.h"
#include "open/asker.h"
#include "open/opened.h"
#include "open/opening.h"
#include "quiet.h"

#include <errno.h>

#define KERNEL "proc/sys/kernel/"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define USER_ACCESS "/proc/sys/kernel/perf_user_access"
#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"
#define RDPMC "/sys/devices/cpu/rdpmc"
#define GOVERNOR "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
#define IRQ "/proc/irq/24/smp_affinity"
#define RECORD "run/cpucycles/opened"
#define THIS_BOOT "01234567-89ab-cdef-0123-456789abcdef"

static struct opening opening;
static char this_boot[MACHINE_BOOT_SIZE];

static int new_tree(void **state)
{
	static char record[PATH_MAX], calibrator[PATH_MAX];
	char script[512];

	if (unit_folder_make(state))
		return -1;
	unit_write_text("run/empty", "");
	snprintf(script, sizeof script,
		 "#!/bin/sh\nset >%s/environment\necho \"$0 $*\" >>%s/calls\n", unit_folder,
		 unit_folder);
	strcpy(calibrator, unit_write_text("calibrator", script));
	strcpy(record, unit_path(RECORD));
	opening =
		(struct opening){ .root = unit_folder, .record = record, .calibrator = calibrator };
	return chmod(calibrator, 0755);
}

/* A hybrid Intel machine with all knobs closed. */
static void closed_tree(void)
{
	unit_write_text(KERNEL "perf_event_paranoid", "4\n");
	unit_write_text(KERNEL "nmi_watchdog", "1\n");
	unit_write_text("sys/devices/cpu_core/rdpmc", "0\n");
	unit_write_text("sys/devices/cpu_atom/rdpmc", "0\n");
	unit_write_text("sys/devices/uncore_imc/type", "12\n");
}

/* The record needs a folder that only root can write. */
static void need_root(void)
{
	if (geteuid() != 0)
		unit_skip("opening writes into a folder that only root can write");
	if (machine_boot(this_boot))
		unit_skip("this system has no boot id");
}

static const char *content(const char *name)
{
	static char texts[4][4096];
	static unsigned next;
	char *text = texts[next++ % 4];
	int fd = open(unit_path(name), O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof texts[0] - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return fd < 0 ? "(none)" : text;
}

static void expect_tree(const char *knob, const char *rdpmc, const char *watchdog)
{
	assert_string_equal(content(KERNEL "perf_event_paranoid"), knob);
	assert_string_equal(content("sys/devices/cpu_core/rdpmc"), rdpmc);
	assert_string_equal(content("sys/devices/cpu_atom/rdpmc"), rdpmc);
	assert_string_equal(content(KERNEL "nmi_watchdog"), watchdog);
}

static unsigned calls(void)
{
	unsigned n = 0;

	for (const char *p = content("calls"); (p = strstr(p, "calibrator --force\n")); p++)
		n++;
	return n;
}

/* The standard output of one call. */
static const char *output_of(enum opening_status (*call)(const struct opening *),
			     enum opening_status expected)
{
	int old = dup(STDOUT_FILENO), fd;
	enum opening_status status;

	fflush(stdout);
	fd = open(unit_path("output"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDOUT_FILENO);
	status = call(&opening);
	fflush(stdout);
	dup2(old, STDOUT_FILENO);
	close(old);
	close(fd);
	assert_int_equal(status, expected);
	return content("output");
}

static void expect_in(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_message("# no '%s' in: %s\n", part, text);
	assert_non_null(strstr(text, part));
}

/* Pure. */

TEST(test_names)
{
	static const char *const none[] = {
		"",
		"/",
		"/etc/passwd",
		"/proc/sys/kernel/core_pattern",
		PARANOID "x",
		PARANOID "/",
		"/sys/devices//rdpmc",
		"/sys/devices/../rdpmc",
		"/sys/devices/./rdpmc",
		"/sys/devices/a/b/rdpmc",
		"/sys/devices/cpu/rdpmc/",
		"/sys/devices/cpu/rdpmcs",
		"/sys/devices/c pu/rdpmc",
		"/sys/devices/*/rdpmc/x",
		"sys/devices/cpu/rdpmc",
	};

	assert_non_null(knob_kind_of(PARANOID));
	assert_non_null(knob_kind_of(USER_ACCESS));
	assert_non_null(knob_kind_of(WATCHDOG));
	assert_non_null(knob_kind_of(RDPMC));
	assert_ptr_equal(knob_kind_of(RDPMC), knob_kind_of("/sys/devices/cpu_atom/rdpmc"));
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		assert_null(knob_kind_of(none[i]));
}

TEST(test_values)
{
	static const struct {
		const char *path;
		int value;
		bool open;
	} cases[] = {
		{ PARANOID, -1, true },    { PARANOID, 0, true },    { PARANOID, 1, true },
		{ PARANOID, 2, true },     { PARANOID, 3, false },   { PARANOID, 4, false },
		{ USER_ACCESS, 0, false }, { USER_ACCESS, 1, true }, { USER_ACCESS, 2, true },
		{ RDPMC, 0, false },       { RDPMC, 1, true },       { RDPMC, 2, true },
		{ WATCHDOG, 0, true },     { WATCHDOG, 1, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct knob_kind *kind = knob_kind_of(cases[i].path);

		assert_int_equal(knob_is_open(kind, cases[i].value), cases[i].open);
		assert_true(knob_is_open(kind, kind->open));
	}
	assert_int_equal(knob_kind_of(PARANOID)->open, 2);
	assert_int_equal(knob_kind_of(RDPMC)->open, 1);
	assert_int_equal(knob_kind_of(USER_ACCESS)->open, 1);
}

static void expect_number(const char *text, bool good, int expected)
{
	const char *end = text;
	int value = 0;

	assert_int_equal(knob_parse(&end, &value), good);
	assert_int_equal(value, expected);
}

TEST(test_numbers)
{
	expect_number("0\n", true, 0);
	expect_number("-1\n", true, -1);
	expect_number("999999999", true, 999999999);
	expect_number("", false, 0);
	expect_number("-", false, 0);
	expect_number("-0", false, 0);
	expect_number("+1", false, 0);
	expect_number(" 1", false, 0);
	expect_number("01", false, 0);
	expect_number("0x1", true, 0); /* what is behind it is the caller's to see */
	expect_number("1000000000", false, 0);
}

static struct knob knob_of(const char *path, int error, int value)
{
	struct knob knob = { .kind = knob_kind_of(path), .error = error, .value = value };

	strcpy(knob.path, path);
	return knob;
}

TEST(test_states)
{
	struct knobs knobs = { .count = 3 };

	knobs.knob[0] = knob_of(PARANOID, 0, 3);
	knobs.knob[1] = knob_of(WATCHDOG, 0, 1);
	knobs.knob[2] = knob_of(USER_ACCESS, -ENOENT, 0);
	assert_int_equal(knob_state(&knobs, &knobs.knob[0]), KNOB_CLOSED);
	assert_int_equal(knob_state(&knobs, &knobs.knob[1]), KNOB_NEEDLESS);
	assert_int_equal(knob_state(&knobs, &knobs.knob[2]), KNOB_ABSENT);
	knobs.knob[2] = knob_of(RDPMC, 0, 2);
	assert_int_equal(knob_state(&knobs, &knobs.knob[1]), KNOB_CLOSED);
	assert_int_equal(knob_state(&knobs, &knobs.knob[2]), KNOB_OPEN);
	knobs.knob[0].error = -EACCES;
	assert_int_equal(knob_state(&knobs, &knobs.knob[0]), KNOB_UNREADABLE);
}

/* A record with room for a few settings. */
#define ROOM 8
#define OPENED(space) \
	{ \
		.boot = THIS_BOOT, .size = ROOM, .setting = (space) \
	}

/* One that this program reads and would change, or finds as it wants it. */
static struct setting setting_of(const char *path, const char *found, const char *wanted)
{
	struct setting setting = { .state = strcmp(found, wanted) ? SETTING_OTHER :
								    SETTING_AS_WANTED };

	strcpy(setting.path, path);
	strcpy(setting.found, found);
	strcpy(setting.wanted, wanted);
	return setting;
}

TEST(test_add_and_drop)
{
	struct opened_setting space[ROOM];
	struct opened opened = OPENED(space);
	struct setting setting[] = { setting_of(PARANOID, "4", "2"),
				     setting_of(USER_ACCESS, "1", "1") };
	const struct settings settings = { .count = 2, .setting = setting };

	assert_int_equal(opened_add(&opened, &settings), 1);
	setting[0] = setting_of(PARANOID, "2", "2");
	setting[1] = setting_of(USER_ACCESS, "0", "1");
	assert_int_equal(opened_add(&opened, &settings), 1);
	assert_int_equal(opened.count, 2);
	assert_string_equal(opened_find(&opened, PARANOID)->found, "4");
	assert_string_equal(opened_find(&opened, USER_ACCESS)->found, "0");
	opened_drop(&opened, PARANOID);
	opened_drop(&opened, WATCHDOG);
	assert_null(opened_find(&opened, PARANOID));
	assert_non_null(opened_find(&opened, USER_ACCESS));
	assert_int_equal(opened.count, 1);
}

/* What is not recorded is not written. */
TEST(test_full_record)
{
	struct opened_setting space[1];
	struct opened opened = { .boot = THIS_BOOT, .size = 1, .setting = space };
	struct setting setting[] = { setting_of(PARANOID, "4", "2"),
				     setting_of(USER_ACCESS, "0", "1") };

	opened_add(&opened, &(struct settings){ .count = 2, .setting = setting });
	assert_int_equal(opened.count, 1);
	assert_null(opened_find(&opened, USER_ACCESS));
}

/* What an entry becomes in the next run, by the value that its setting has then. */
TEST(test_set_since)
{
	struct opened_setting space[ROOM];
	struct opened opened = OPENED(space);
	struct setting setting = setting_of(PARANOID, "3", "2");
	const struct settings settings = { .count = 1, .setting = &setting };

	assert_int_equal(opened_add(&opened, &settings), 1);
	setting = setting_of(PARANOID, "4", "2");
	assert_int_equal(opened_add(&opened, &settings), 1);
	assert_int_equal(opened.count, 1);
	assert_string_equal(opened_find(&opened, PARANOID)->found, "4");
	setting.state = SETTING_UNREADABLE;
	setting.error = -EACCES;
	assert_int_equal(opened_add(&opened, &settings), 0);
	setting.state = SETTING_ABSENT;
	setting.error = -ENOENT;
	assert_int_equal(opened_add(&opened, &settings), 0);
	assert_string_equal(opened_find(&opened, PARANOID)->found, "4");
	setting = setting_of(PARANOID, "1", "2");
	setting.state = SETTING_AS_WANTED;
	assert_int_equal(opened_add(&opened, &settings), 0);
	assert_int_equal(opened.count, 0);
}

/*
 * All sequences of up to LONGEST steps on one knob. A step opens, restores, reboots, or is the
 * admin's and sets the knob to a value. Runs that are killed are among them: one that opens may
 * write nothing but the record, and one that restores may write nothing but the knob.
 */

#define LONGEST 5

enum { OPEN, RESTORE, KILLED_OPEN, KILLED_RESTORE, REBOOT, RUNS };

struct model {
	struct opened_setting space[1];
	size_t count; /* of the settings in the record */
	struct knob knob;
	int boots; /* the value at boot */
	int last;  /* the value that the boot or the admin set last */
};

static const int paranoid_values[] = { -1, 1, 2, 3, 4 };
static const int access_values[] = { 0, 1, 2 };

static struct opened record_of(struct model *m)
{
	return (struct opened){
		.boot = THIS_BOOT, .count = m->count, .size = 1, .setting = m->space
	};
}

static void open_model(struct model *m, bool killed)
{
	const struct knob_kind *kind = m->knob.kind;
	struct opened opened = record_of(m);
	struct setting setting;
	char found[16], wanted[16];

	snprintf(found, sizeof found, "%d", m->knob.value);
	snprintf(wanted, sizeof wanted, "%d", kind->open);
	setting = setting_of(m->knob.path, found, wanted);
	if (knob_is_open(kind, m->knob.value))
		setting.state = SETTING_AS_WANTED;
	if (opened_add(&opened, &(struct settings){ .count = 1, .setting = &setting }) > 0 &&
	    !killed)
		m->knob.value = kind->open;
	m->count = opened.count;
	if (!killed)
		assert_true(knob_is_open(kind, m->knob.value));
	if (!killed && knob_is_open(kind, m->last))
		assert_true(m->knob.value == m->last || m->last == kind->open);
}

/* The admin's last word holds. If it is the value that this program writes, nothing tells who wrote
 * it. Then a value of before may come back, which closes the knob. */
static void restore_model(struct model *m, bool killed)
{
	struct opened opened = record_of(m);
	const struct opened_setting *old = opened_find(&opened, m->knob.path);
	char value[16];

	snprintf(value, sizeof value, "%d", m->knob.value);
	if (old && opened_state(old, 0, value) == OPENED_OURS)
		m->knob.value = atoi(old->found);
	if (!killed)
		m->count = 0;
	if (m->last != m->knob.kind->open)
		assert_int_equal(m->knob.value, m->last);
	else if (m->knob.value != m->last)
		assert_false(knob_is_open(m->knob.kind, m->knob.value));
}

static void step_model(struct model *m, size_t step, const int values[])
{
	switch (step) {
	case OPEN:
	case KILLED_OPEN:
		open_model(m, step == KILLED_OPEN);
		break;
	case RESTORE:
	case KILLED_RESTORE:
		restore_model(m, step == KILLED_RESTORE);
		break;
	case REBOOT:
		m->count = 0; /* load() ignores a record of another boot */
		m->knob.value = m->last = m->boots;
		break;
	default:
		m->knob.value = m->last = values[step - RUNS];
	}
}

static unsigned long walk_model(const struct model *from, const int values[], size_t n,
				unsigned length)
{
	unsigned long walks = 1;

	for (size_t step = 0; length > 0 && step < RUNS + n; step++) {
		struct model m = *from;

		step_model(&m, step, values);
		walks += walk_model(&m, values, n, length - 1);
	}
	return walks;
}

static void walk_from_each(const char *path, const int values[], size_t n)
{
	unsigned long walks = 0;

	for (size_t i = 0; i < n; i++) {
		struct model m = { .boots = values[i], .last = values[i] };

		m.knob = knob_of(path, 0, values[i]);
		walks += walk_model(&m, values, n, LONGEST);
	}
	printf("# %lu sequences with %s\n", walks, path);
}

TEST(test_sequences)
{
	walk_from_each(PARANOID, paranoid_values, 5);
	walk_from_each(USER_ACCESS, access_values, 3);
}

TEST(test_opened_states)
{
	const struct opened_setting setting = { .path = PARANOID, .found = "3", .wrote = "2" };

	assert_int_equal(opened_state(&setting, 0, "2"), OPENED_OURS);
	assert_int_equal(opened_state(&setting, 0, "3"), OPENED_BACK);
	assert_int_equal(opened_state(&setting, 0, "4"), OPENED_CHANGED);
	assert_int_equal(opened_state(&setting, 0, "-1"), OPENED_CHANGED);
	assert_int_equal(opened_state(&setting, -ENOENT, "2"), OPENED_GONE);
	assert_int_equal(opened_state(&setting, -EACCES, "2"), OPENED_UNKNOWN);
}

#define GOOD \
	"cpucycles-opened 1\nboot " THIS_BOOT "\n" \
	"knob " PARANOID " found 3 wrote 2\nknob " RDPMC " found 0 wrote 1\n" \
	"knob " GOVERNOR " found schedutil wrote performance\n" \
	"knob " IRQ " found ff,ffffffff wrote fe,ffffffff\n"

TEST(test_record)
{
	struct opened_setting space[ROOM];
	struct opened opened = OPENED(space);
	char text[1024];

	assert_int_equal(opened_parse(GOOD, &opened), 0);
	assert_int_equal(opened.count, 4);
	assert_int_equal(opened_format(&opened, text, sizeof text), strlen(GOOD));
	assert_string_equal(text, GOOD);
	assert_int_equal(opened_format(&opened, text, strlen(GOOD)), 0);
}

static void expect_wrong(const char *text, unsigned line)
{
	struct opened_setting space[ROOM];
	struct opened opened = OPENED(space);

	assert_int_equal(opened_parse(text, &opened), line);
}

TEST(test_wrong_records)
{
#define HEAD "cpucycles-opened 1\nboot " THIS_BOOT "\n"
	expect_wrong("", 1);
	expect_wrong("cpucycles-opened 2\nboot " THIS_BOOT "\n", 1);
	expect_wrong("cpucycles-opened 1\nboot me\n", 2);
	expect_wrong(HEAD, 3);
	expect_wrong(HEAD "knob /etc/passwd found 3 wrote 2\n", 3);
	expect_wrong(HEAD "knob /sys/devices/../rdpmc found 0 wrote 1\n", 3);
	expect_wrong(HEAD "knob " PARANOID " found 3 wrote 1\n", 3);
	expect_wrong(HEAD "knob " PARANOID " found 2 wrote 2\n", 3);
	expect_wrong(HEAD "knob " PARANOID " found 3 wrote 2", 3);
	expect_wrong(HEAD "knob " PARANOID " found 3 wrote 2 \n", 3);
	expect_wrong(HEAD "knob " GOVERNOR " found powersave wrote powersave\n", 3);
	expect_wrong(HEAD "knob " GOVERNOR " found performance wrote performance\n", 3);
	expect_wrong(HEAD "knob " GOVERNOR " found userspace wrote performance\n", 3);
	expect_wrong(HEAD "knob " GOVERNOR " found power save wrote performance\n", 3);
	expect_wrong(HEAD "knob " GOVERNOR " found \033[2J wrote performance\n", 3);
	expect_wrong(HEAD "knob " IRQ " found ff wrote 0\n", 3);
	expect_wrong(HEAD "knob " IRQ " found ff wrote 00\n", 3);
	expect_wrong(HEAD "knob " IRQ " found ff wrote fg\n", 3);
	expect_wrong(HEAD "knob /proc/irq/../smp_affinity found ff wrote fe\n", 3);
	expect_wrong(HEAD "knob /proc/sys/kernel/numa_balancing found 1 wrote 2\n", 3);
	expect_wrong(GOOD "knob " PARANOID " found 4 wrote 2\n", 7);
	expect_wrong(GOOD "\n", 7);
}

/* If a changed record is accepted, it is written again byte for byte. */
TEST(test_strict)
{
	const size_t length = strlen(GOOD);
	char text[] = GOOD, again[1024];
	struct opened_setting space[ROOM];
	struct opened opened = OPENED(space);
	unsigned taken = 0;

	for (unsigned i = 0; i < 200000; i++) {
		size_t at = (size_t)(unit_random() % length);
		char old = text[at];

		text[at] = unit_random() % 2 ? (char)('0' + unit_random() % 10) :
					       (char)(unit_random() % 255 + 1);
		if (opened_parse(text, &opened) == 0) {
			assert_true(opened_format(&opened, again, sizeof again) > 0);
			assert_string_equal(again, text);
			taken++;
		}
		text[at] = old;
	}
	assert_true(taken > 0);
	for (size_t i = 0; i < length; i++) {
		text[i] = 0;
		assert_true((opened_parse(text, &opened) == 0) ==
			    (i > 0 && GOOD[i - 1] == '\n' && strstr(text, "knob")));
		text[i] = GOOD[i];
	}
}

static void expect_taken(const char *mask, int cpu, bool taken, const char *expected)
{
	char text[64];

	strcpy(text, mask);
	assert_int_equal(quiet_take_out(text, cpu), taken);
	assert_string_equal(text, expected);
}

TEST(test_take_out)
{
	expect_taken("f", 0, true, "e");
	expect_taken("f", 3, true, "7");
	expect_taken("f", 4, false, "f");
	expect_taken("0", 0, false, "0");
	expect_taken("10", 4, true, "00");
	expect_taken("3,ffffffff", 31, true, "3,7fffffff");
	expect_taken("3,ffffffff", 32, true, "2,ffffffff");
	expect_taken("3,ffffffff", 33, true, "1,ffffffff");
	expect_taken("3,ffffffff", 34, false, "3,ffffffff");
	expect_taken("3,ffffffff", 8191, false, "3,ffffffff");
	expect_taken("ffffffff,00000000,ffffffff", 64, true, "fffffffe,00000000,ffffffff");
	expect_taken("", 0, false, "");
	expect_taken(",", 0, false, ",");
	expect_taken("F", 0, false, "F");
	expect_taken("0-3", 0, false, "0-3");
}

static void expect_moved(const char *mask, const char *usual, enum setting_state state,
			 const char *expected)
{
	char wanted[SETTING_VALUE_SIZE];

	assert_int_equal(quiet_move(mask, usual, 1, wanted), state);
	if (state == SETTING_OTHER)
		assert_string_equal(wanted, expected);
}

TEST(test_move)
{
	expect_moved("f", "f", SETTING_OTHER, "d");
	expect_moved("d", "f", SETTING_AS_WANTED, "");
	expect_moved("2", "f", SETTING_OTHER, "d");
	expect_moved("2", "c", SETTING_OTHER, "c");
	expect_moved("2", "2", SETTING_LEFT, "");
	expect_moved("2", "", SETTING_LEFT, "");
	expect_moved("2", "ff", SETTING_LEFT, "");
	expect_moved("00,00000002", "ff,ffffffff", SETTING_OTHER, "ff,fffffffd");
}

/* What would be written is what a record may have, and nothing else of the kind. */
TEST(test_quiet_record)
{
	assert_true(quiet_would_write(GOVERNOR, "schedutil", "performance"));
	assert_false(quiet_would_write(GOVERNOR, "schedutil", "powersave"));
	assert_true(quiet_would_write("/sys/devices/system/cpu/cpufreq/boost", "1", "0"));
	assert_false(quiet_would_write("/sys/devices/system/cpu/cpufreq/boost", "0", "1"));
	assert_true(quiet_would_write("/sys/devices/system/cpu/cpufreq/policy3/boost", "1", "0"));
	assert_true(quiet_would_write("/sys/devices/system/cpu/intel_pstate/no_turbo", "0", "1"));
	assert_true(quiet_would_write("/proc/sys/kernel/numa_balancing", "1", "0"));
	assert_true(quiet_would_write(IRQ, "ff", "fd"));
	assert_true(quiet_would_write(IRQ, "ff", "ff"));
	assert_false(quiet_would_write(IRQ, "ff", "0,fd"));
	assert_false(quiet_would_write("/proc/sys/kernel/core_pattern", "1", "0"));
}

TEST(test_refuses)
{
	static const int refusals[] = { EPERM, EIO, EINVAL, ENOSPC, EBUSY, ENOENT };
	static const int failures[] = { 0, EROFS, EACCES, ELOOP, ENOMEM };

	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		assert_true(quiet_refuses(IRQ, -refusals[i]));
		assert_false(quiet_refuses(GOVERNOR, -refusals[i]));
	}
	for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
		assert_false(quiet_refuses(IRQ, -failures[i]));
	assert_string_equal(quiet_interrupt(IRQ), "24/smp_affinity");
	assert_null(quiet_interrupt("/proc/irq/*/smp_affinity"));
}

static void expect_asker(uid_t real, const char *sudo, const char *pkexec, int error,
			 uid_t expected)
{
	uid_t user;

	assert_int_equal(asker_choose(real, sudo, pkexec, &user), error);
	if (!error)
		assert_int_equal(user, expected);
}

TEST(test_asker)
{
	expect_asker(0, NULL, NULL, 0, 0);
	expect_asker(0, "1000", NULL, 0, 1000);
	expect_asker(0, NULL, "1000", 0, 1000);
	expect_asker(0, "1000", "1000", 0, 1000);
	expect_asker(0, "1000", "0", -EINVAL, 0);
	expect_asker(0, "0", NULL, 0, 0);
	expect_asker(0, "", NULL, -EINVAL, 0);
	expect_asker(0, "-1", NULL, -EINVAL, 0);
	expect_asker(0, " 1", NULL, -EINVAL, 0);
	expect_asker(0, "1000x", NULL, -EINVAL, 0);
	expect_asker(0, "4294967294", NULL, 0, 4294967294);
	expect_asker(0, "4294967295", NULL, -EINVAL, 0);
	expect_asker(0, "4294968296", NULL, -EINVAL, 0); /* 1000 in 32 bits */
	expect_asker(1000, NULL, NULL, 0, 1000);
	/* Nobody else is believed. */
	expect_asker(1000, "0", "0", 0, 1000);
	expect_asker(1000, "1001", "x", 0, 1000);
}

/* Trees. */

TEST_WITH(test_read, new_tree, unit_folder_remove)
{
	struct knobs knobs;

	closed_tree();
	unit_write_text("sys/devices/a b/rdpmc", "0\n");
	knobs_read(unit_folder, &knobs);
	assert_int_equal(knobs.count, 5);
	assert_string_equal(knobs.knob[0].path, PARANOID);
	assert_int_equal(knobs.knob[0].value, 4);
	assert_string_equal(knobs.knob[1].path, USER_ACCESS);
	assert_int_equal(knobs.knob[1].error, -ENOENT);
	assert_string_equal(knobs.knob[2].path, "/sys/devices/cpu_atom/rdpmc");
	assert_string_equal(knobs.knob[3].path, "/sys/devices/cpu_core/rdpmc");
	assert_string_equal(knobs.knob[4].path, WATCHDOG);
	unit_write_text(KERNEL "perf_event_paranoid", "2 or so\n");
	knobs_read(unit_folder, &knobs);
	assert_int_equal(knobs.knob[0].error, -EINVAL);
}

TEST_WITH(test_set, new_tree, unit_folder_remove)
{
	char value[SETTING_VALUE_SIZE];

	unit_write_text(KERNEL "perf_event_paranoid", "3\n");
	assert_int_equal(setting_set(unit_folder, PARANOID, "2"), 0);
	assert_int_equal(setting_get(unit_folder, PARANOID, value), 0);
	assert_string_equal(value, "2");
	assert_int_equal(setting_set(unit_folder, WATCHDOG, "0"), -ENOENT);
	/* Like a kernel that accepts the write and ignores it. */
	unit_write_text(KERNEL "nmi_watchdog", "1\n1\n");
	assert_int_not_equal(setting_set(unit_folder, WATCHDOG, "0"), 0);
	assert_int_equal(symlink("perf_event_paranoid", unit_path(KERNEL "perf_user_access")), 0);
	assert_int_equal(setting_set(unit_folder, USER_ACCESS, "1"), -ELOOP);
	assert_string_equal(content(KERNEL "perf_event_paranoid"), "2\n");
}

/* A value is one word. A text that may be cut off is none. */
TEST_WITH(test_get, new_tree, unit_folder_remove)
{
	static const char *const none[] = {
		"", "\n", "two words\n", "2\n\n", "\t", "caf\303\251\n"
	};
	char value[SETTING_VALUE_SIZE], longest[SETTING_VALUE_SIZE + 1];

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		unit_write_text(KERNEL "perf_event_paranoid", none[i]);
		assert_int_equal(setting_get(unit_folder, PARANOID, value), -EINVAL);
	}
	memset(longest, 'f', sizeof longest);
	longest[SETTING_VALUE_SIZE - 1] = 0;
	unit_write_text(KERNEL "perf_event_paranoid", longest);
	assert_int_equal(setting_get(unit_folder, PARANOID, value), -EFBIG);
	longest[SETTING_VALUE_SIZE - 2] = 0;
	unit_write_text(KERNEL "perf_event_paranoid", longest);
	assert_int_equal(setting_get(unit_folder, PARANOID, value), 0);
	assert_string_equal(value, longest);
}

TEST_WITH(test_dry, new_tree, unit_folder_remove)
{
	const char *text;

	closed_tree();
	text = output_of(opening_dry_open, OPENING_OK);
	expect_in(text, PARANOID ": 4 -> 2: users may count");
	expect_in(text, USER_ACCESS ": not there\n");
	expect_in(text, "/sys/devices/cpu_core/rdpmc: 0 -> 1: ");
	expect_in(text, WATCHDOG ": 1 -> 0: ");
	expect_tree("4\n", "0\n", "1\n");
	assert_string_equal(content("calls"), "(none)");
	assert_int_not_equal(access(unit_path("run/cpucycles"), F_OK), 0);
	unlink(unit_path("sys/devices/cpu_core/rdpmc"));
	unlink(unit_path("sys/devices/cpu_atom/rdpmc"));
	expect_in(output_of(opening_dry_open, OPENING_OK), WATCHDOG ": 1: left: no counter");
}

TEST_WITH(test_check, new_tree, unit_folder_remove)
{
	closed_tree();
	expect_in(output_of(opening_check, OPENING_NOT_ALL),
		  PARANOID ": 4: closed\n    gain: users");
	unit_write_text(KERNEL "perf_event_paranoid", "-1\n");
	unit_write_text(KERNEL "nmi_watchdog", "0\n");
	unit_write_text("sys/devices/cpu_core/rdpmc", "2\n");
	unit_write_text("sys/devices/cpu_atom/rdpmc", "1\n");
	expect_in(output_of(opening_check, OPENING_OK), PARANOID ": -1: open\n");
	unit_write_text("sys/devices/cpu_atom/rdpmc", "yes\n");
	expect_in(output_of(opening_check, OPENING_FAILED),
		  "/sys/devices/cpu_atom/rdpmc: Invalid argument\n");
}

TEST_WITH(test_sysctl, new_tree, unit_folder_remove)
{
	const char *text;

	closed_tree();
	unit_write_text(KERNEL "nmi_watchdog", "0\n");
	text = output_of(opening_print_sysctl, OPENING_OK);
	expect_in(text, "\nkernel.perf_event_paranoid = 2\n");
	expect_in(text, "\n# w /sys/devices/cpu_core/rdpmc - - - - 1\n");
	expect_in(text, "\n# kernel.nmi_watchdog: 0: open as it is\n");
	assert_null(strstr(text, "perf_user_access"));
	unit_write_text(KERNEL "perf_event_paranoid", "1\n");
	assert_null(strstr(output_of(opening_print_sysctl, OPENING_OK), "paranoid = "));
}

/* These tests need root, because only root's record is used. */

TEST_WITH(test_open_and_restore, new_tree, unit_folder_remove)
{
	char expected[1024];

	need_root();
	closed_tree();
	setenv("MARK_OF_THE_CALLER", "1", 1);
	assert_int_equal(opening_open(&opening), OPENING_OK);
	expect_tree("2\n", "1\n", "0\n");
	snprintf(expected, sizeof expected,
		 "cpucycles-opened 1\nboot %s\n"
		 "knob " PARANOID " found 4 wrote 2\n"
		 "knob /sys/devices/cpu_atom/rdpmc found 0 wrote 1\n"
		 "knob /sys/devices/cpu_core/rdpmc found 0 wrote 1\n"
		 "knob " WATCHDOG " found 1 wrote 0\n",
		 this_boot);
	assert_string_equal(content(RECORD), expected);
	assert_int_equal(calls(), 1);
	assert_null(strstr(content("environment"), "MARK_OF_THE_CALLER"));
	expect_in(output_of(opening_check, OPENING_OK),
		  PARANOID ": 2: open by cpucycles-open, which found 4\n");
	expect_in(output_of(opening_print_sysctl, OPENING_OK), "kernel.perf_event_paranoid = 2\n");
	expect_in(output_of(opening_dry_restore, OPENING_OK),
		  PARANOID ": 2 -> 4: as it was found\n");
	expect_tree("2\n", "1\n", "0\n");

	assert_int_equal(opening_restore(&opening), OPENING_OK);
	expect_tree("4\n", "0\n", "1\n");
	assert_string_equal(content(RECORD), "(none)");
	assert_int_equal(calls(), 2);
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	assert_int_equal(calls(), 2);
	expect_in(output_of(opening_dry_restore, OPENING_OK), "nothing was opened in this boot");
	assert_int_equal(rmdir(unit_path("run/cpucycles")), 0); /* nothing is left in it */
}

TEST_WITH(test_never_closes, new_tree, unit_folder_remove)
{
	need_root();
	closed_tree();
	unit_write_text(KERNEL "perf_event_paranoid", "-1\n");
	unit_write_text(KERNEL "perf_user_access", "2\n");
	unit_write_text("sys/devices/cpu_core/rdpmc", "2\n");
	unit_write_text("sys/devices/cpu_atom/rdpmc", "2\n");
	assert_int_equal(opening_open(&opening), OPENING_OK);
	expect_tree("-1\n", "2\n", "0\n");
	assert_string_equal(content(KERNEL "perf_user_access"), "2\n");
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	expect_tree("-1\n", "2\n", "1\n");
}

TEST_WITH(test_nothing_to_open, new_tree, unit_folder_remove)
{
	need_root();
	assert_int_equal(opening_open(&opening), OPENING_OK);
	assert_string_equal(content(RECORD), "(none)");
	assert_int_equal(calls(), 0);
}

TEST_WITH(test_twice, new_tree, unit_folder_remove)
{
	need_root();
	closed_tree();
	unit_write_text(KERNEL "perf_event_paranoid", "3\n");
	assert_int_equal(opening_open(&opening), OPENING_OK);
	unit_write_text(KERNEL "perf_event_paranoid", "4\n");
	assert_int_equal(opening_open(&opening), OPENING_OK);
	expect_tree("2\n", "1\n", "0\n");
	assert_int_equal(opening_open(&opening), OPENING_OK);
	assert_int_equal(calls(), 3);
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	expect_tree("4\n", "0\n", "1\n");
}

#ifdef __linux__
/* The linker puts this in fsync's place (--wrap): somebody sets a knob while the record is written,
 * after the knobs were read. */
static const char *set_meanwhile;

/* A file that goes at that time. */
static const char *gone_meanwhile;

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	if (set_meanwhile)
		unit_write_text(KERNEL "perf_event_paranoid", set_meanwhile);
	set_meanwhile = NULL;
	if (gone_meanwhile)
		unlink(unit_path(gone_meanwhile));
	gone_meanwhile = NULL;
	return __real_fsync(fd);
}

static void expect_meanwhile(const char *text, enum opening_status expected, const char *after,
			     const char *restored)
{
	closed_tree();
	set_meanwhile = text;
	assert_int_equal(opening_open(&opening), expected);
	expect_tree(after, "1\n", "0\n");
	opening_restore(&opening);
	expect_tree(restored, "0\n", "1\n");
}

TEST_WITH(test_set_meanwhile, new_tree, unit_folder_remove)
{
	need_root();
	expect_meanwhile("5\n", OPENING_NOT_ALL, "5\n", "5\n");
	expect_meanwhile("3\n", OPENING_NOT_ALL, "3\n", "3\n");
	expect_meanwhile("1\n", OPENING_NOT_ALL, "1\n", "1\n");
	expect_meanwhile("2\n", OPENING_OK, "2\n", "4\n");
	expect_meanwhile("4\n", OPENING_OK, "2\n", "4\n");
}

#define CPUFREQ "sys/devices/system/cpu/cpufreq/"
#define AVAILABLE "performance schedutil powersave\n"

/* A policy goes with its last CPU. The other settings are changed. */
TEST_WITH(test_gone_meanwhile, new_tree, unit_folder_remove)
{
	need_root();
	opening.quiet = true;
	opening.cpu = 1;
	opening.calibrator = NULL;
	unit_write_text(CPUFREQ "policy0/scaling_available_governors", AVAILABLE);
	unit_write_text(CPUFREQ "policy1/scaling_available_governors", AVAILABLE);
	unit_write_text(CPUFREQ "policy0/scaling_governor", "interactive\n");
	unit_write_text(CPUFREQ "policy1/scaling_governor", "interactive\n");
	gone_meanwhile = CPUFREQ "policy0/scaling_governor";
	assert_int_equal(opening_open(&opening), OPENING_NOT_ALL);
	assert_string_equal(content(CPUFREQ "policy1/scaling_governor"), "performance\n");
	assert_null(strstr(content(RECORD), "policy0"));
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	assert_string_equal(content(CPUFREQ "policy1/scaling_governor"), "interactive\n");
	assert_string_equal(content(RECORD), "(none)");
}
#endif

/* The linker puts this in the place of what writes a setting (--wrap). Older kernels give root the
 * right to write the file of an interrupt that cannot move, and then refuse the mask. */
static int refusal;

/* Makefile.inc gives this function another name, in opening.c, too. The other name is the real one.
 */
#undef setting_set
int setting_set(const char *root, const char *path, const char *value);

int fake_setting_set(const char *root, const char *path, const char *value)
{
	return refusal && !strcmp(path, IRQ) ? refusal : setting_set(root, path, value);
}

/* A refusal is remembered, so that --check does not ask for what the kernel does not let be. */
TEST_WITH(test_refused_interrupt, new_tree, unit_folder_remove)
{
	need_root();
	opening.quiet = true;
	opening.cpu = 1;
	opening.calibrator = NULL;
	unit_write_text(&IRQ[1], "f\n");
	unit_write_text("proc/irq/25/smp_affinity", "f\n");
	output_of(opening_check, OPENING_NOT_ALL);
	refusal = -EIO;
	assert_int_equal(opening_open(&opening), OPENING_OK);
	expect_in(content(RECORD), IRQ " found f wrote f\n");
	expect_in(output_of(opening_check, OPENING_OK), IRQ ": f: left: the kernel did not let");
	/* Somebody else's mask is another question. */
	unit_write_text(&IRQ[1], "e\n");
	output_of(opening_check, OPENING_NOT_ALL);
	unit_write_text(&IRQ[1], "f\n");
	assert_int_equal(opening_open(&opening), OPENING_OK);
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	assert_string_equal(content(RECORD), "(none)");
	assert_string_equal(content("proc/irq/25/smp_affinity"), "f\n");
	/* It moves now. */
	refusal = 0;
	assert_int_equal(opening_open(&opening), OPENING_OK);
	assert_string_equal(content(&IRQ[1]), "d\n");
	assert_int_equal(opening_restore(&opening), OPENING_OK);
}

/* An entry is dropped as soon as a run sees that somebody else opened the knob further. */
TEST_WITH(test_taken_over, new_tree, unit_folder_remove)
{
	need_root();
	unit_write_text(KERNEL "perf_event_paranoid", "3\n");
	assert_int_equal(opening_open(&opening), OPENING_OK);
	unit_write_text(KERNEL "perf_event_paranoid", "1\n");
	assert_int_equal(opening_open(&opening), OPENING_OK);
	assert_string_equal(content(RECORD), "(none)");
	unit_write_text(KERNEL "perf_event_paranoid", "2\n");
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	assert_string_equal(content(KERNEL "perf_event_paranoid"), "2\n");
}

TEST_WITH(test_changed_by_others, new_tree, unit_folder_remove)
{
	need_root();
	closed_tree();
	assert_int_equal(opening_open(&opening), OPENING_OK);
	unit_write_text(KERNEL "perf_event_paranoid", "1\n");
	unit_write_text("sys/devices/cpu_core/rdpmc", "0\n");
	unlink(unit_path(KERNEL "nmi_watchdog"));
	expect_in(output_of(opening_dry_restore, OPENING_NOT_ALL),
		  PARANOID ": 1: left: somebody set it");
	assert_int_equal(opening_restore(&opening), OPENING_NOT_ALL);
	expect_tree("1\n", "0\n", "(none)");
	assert_string_equal(content(RECORD), "(none)");
	assert_int_equal(calls(), 2);
}

/* The knob is on a read-only file system, as in a container. */
static void make_unwritable(const char *knob, const char *value)
{
	unlink(unit_path(knob));
	unit_write_text("elsewhere", value);
	assert_int_equal(symlink(unit_path("elsewhere"), unit_path(knob)), 0);
}

TEST_WITH(test_unwritable, new_tree, unit_folder_remove)
{
	need_root();
	closed_tree();
	make_unwritable(KERNEL "perf_event_paranoid", "3\n");
	assert_int_equal(opening_open(&opening), OPENING_FAILED);
	expect_tree("3\n", "1\n", "0\n");
	assert_null(strstr(content(RECORD), "paranoid"));
	assert_int_equal(calls(), 1); /* for what was opened */

	/* A knob that was not put back stays in the record. */
	make_unwritable("sys/devices/cpu_core/rdpmc", "1\n");
	assert_int_equal(opening_restore(&opening), OPENING_FAILED);
	assert_string_equal(content(KERNEL "nmi_watchdog"), "1\n");
	assert_string_equal(content("sys/devices/cpu_atom/rdpmc"), "0\n");
	expect_in(content(RECORD), "cpu_core");
	assert_null(strstr(content(RECORD), "cpu_atom"));
	unit_write_text("sys/devices/cpu_core/rdpmc", "1\n");
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	assert_string_equal(content("sys/devices/cpu_core/rdpmc"), "0\n");
	assert_string_equal(content(RECORD), "(none)");
}

TEST_WITH(test_all_unwritable, new_tree, unit_folder_remove)
{
	need_root();
	unit_write_text(KERNEL "nmi_watchdog", "0\n");
	make_unwritable(KERNEL "perf_event_paranoid", "3\n");
	assert_int_equal(opening_open(&opening), OPENING_FAILED);
	assert_string_equal(content(RECORD), "(none)");
	assert_int_equal(calls(), 0);
}

TEST_WITH(test_other_boot, new_tree, unit_folder_remove)
{
	need_root();
	closed_tree();
	unit_write_text(KERNEL "perf_event_paranoid", "2\n");
	unit_write_text(RECORD, GOOD);
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	assert_string_equal(content(KERNEL "perf_event_paranoid"), "2\n");
	assert_int_equal(calls(), 0);
	assert_int_equal(opening_open(&opening), OPENING_OK);
	assert_null(strstr(content(RECORD), THIS_BOOT));
	assert_null(strstr(content(RECORD), "paranoid"));
}

/* Neither opening nor restoring works, and the record stays for somebody to look at. */
static void expect_refused(void)
{
	assert_int_equal(opening_restore(&opening), OPENING_FAILED);
	assert_int_equal(opening_open(&opening), OPENING_FAILED);
	expect_tree("4\n", "0\n", "1\n");
	assert_int_equal(calls(), 0);
}

/* A folder that the group, others or both can write. */
static const mode_t writable[] = { S_IWGRP, S_IWOTH, S_IWGRP | S_IWOTH };

TEST_WITH(test_hostile_records, new_tree, unit_folder_remove)
{
	char text[512];

	need_root();
	closed_tree();
	unit_write_text(RECORD, "cpucycles-opened 1\n");
	expect_refused();
	assert_string_equal(content(RECORD), "cpucycles-opened 1\n");

	snprintf(text, sizeof text,
		 "cpucycles-opened 1\nboot %s\nknob " PARANOID " found 3 wrote 2\n", this_boot);
	for (size_t i = 0; i < sizeof writable / sizeof writable[0]; i++) {
		unit_write_text(RECORD, text);
		assert_int_equal(chmod(unit_path(RECORD), 0644 | writable[i]), 0);
		expect_refused();
	}
	unit_write_text(RECORD, text);
	if (unit_may_give_away()) {
		assert_int_equal(chown(unit_path(RECORD), 65534, 65534), 0);
		expect_refused();
	}
	unlink(unit_path(RECORD));
	unit_write_text("elsewhere", text);
	assert_int_equal(symlink(unit_path("elsewhere"), unit_path(RECORD)), 0);
	expect_refused();
	unlink(unit_path(RECORD));
	assert_int_equal(mkfifo(unit_path(RECORD), 0644), 0);
	expect_refused();
	unlink(unit_path(RECORD));
	assert_int_equal(mkdir(unit_path(RECORD), 0755), 0);
	expect_refused();
}

TEST_WITH(test_hostile_folders, new_tree, unit_folder_remove)
{
	need_root();
	closed_tree();
	unit_write_text(RECORD, "");
	unlink(unit_path(RECORD));
	for (size_t i = 0; i < sizeof writable / sizeof writable[0]; i++) {
		assert_int_equal(chmod(unit_path("run/cpucycles"), 0755 | writable[i]), 0);
		expect_refused();
	}
	assert_int_equal(chmod(unit_path("run/cpucycles"), 0755), 0);
	if (unit_may_give_away()) {
		assert_int_equal(chown(unit_path("run/cpucycles"), 65534, 65534), 0);
		expect_refused();
		assert_int_equal(chown(unit_path("run/cpucycles"), 0, 0), 0);
	}
	assert_int_equal(rename(unit_path("run/cpucycles"), unit_path("run/other")), 0);
	assert_int_equal(symlink("other", unit_path("run/cpucycles")), 0);
	expect_refused();
	unlink(unit_path("run/cpucycles"));
	unit_write_text("run/cpucycles", "");
	expect_refused();
	opening.record = unit_path("none/at/all/opened");
	expect_refused();
}

TEST_WITH(test_calibrator_fails, new_tree, unit_folder_remove)
{
	need_root();
	closed_tree();
	unit_write_text("calibrator", "#!/bin/sh\nexit 3\n");
	chmod(opening.calibrator, 0755);
	assert_int_equal(opening_open(&opening), OPENING_NOT_CALIBRATED);
	expect_tree("2\n", "1\n", "0\n");
	expect_in(content(RECORD), PARANOID " found 4 wrote 2\n");
	unit_write_text("calibrator", "#!/bin/sh\nkill -9 $$\n");
	chmod(opening.calibrator, 0755);
	assert_int_equal(opening_open(&opening), OPENING_NOT_CALIBRATED);
	/* As after a parent that ignores SIGCHLD: the kernel then keeps no status of children. */
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(opening_open(&opening), OPENING_NOT_CALIBRATED);
	unlink(opening.calibrator);
	assert_int_equal(opening_restore(&opening), OPENING_NOT_CALIBRATED);
	expect_tree("4\n", "0\n", "1\n");
	assert_string_equal(content(RECORD), "(none)");
}

/* If two things go wrong, the exit status tells the worse one, whichever comes first. A knob that
 * could not be written is worse than a calibration that failed, and that is worse than a knob left
 * alone. */
TEST_WITH(test_the_worse_status, new_tree, unit_folder_remove)
{
	need_root();
	closed_tree();
	assert_int_equal(opening_open(&opening), OPENING_OK);
	unit_write_text(KERNEL "perf_event_paranoid",
			"1\n"); /* somebody else's value: left alone */
	make_unwritable(KERNEL "nmi_watchdog", "0\n");
	assert_int_equal(opening_restore(&opening), OPENING_FAILED);

	closed_tree();
	assert_int_equal(opening_open(&opening), OPENING_OK);
	make_unwritable(KERNEL "perf_event_paranoid", "2\n");
	unit_write_text(KERNEL "nmi_watchdog", "2\n");
	assert_int_equal(opening_restore(&opening), OPENING_FAILED);

	closed_tree();
	unlink(opening.calibrator);
	assert_int_equal(opening_open(&opening), OPENING_NOT_CALIBRATED);
	unit_write_text(KERNEL "perf_event_paranoid", "1\n");
	assert_int_equal(opening_restore(&opening), OPENING_NOT_CALIBRATED);

	closed_tree();
	make_unwritable(KERNEL "perf_event_paranoid", "4\n");
	assert_int_equal(opening_open(&opening), OPENING_FAILED);
	make_unwritable("sys/devices/cpu_core/rdpmc", "1\n");
	assert_int_equal(opening_restore(&opening), OPENING_FAILED);
}

/* A command in a quiet machine. */

static void quiet_tree(void)
{
	opening.quiet = true;
	opening.cpu = 1;
	opening.calibrator = NULL;
	unit_write_text("proc/sys/kernel/numa_balancing", "1\n");
	unit_write_text(&IRQ[1], "3\n");
}

static void expect_quiet(bool quiet)
{
	assert_string_equal(content("proc/sys/kernel/numa_balancing"), quiet ? "0\n" : "1\n");
	assert_string_equal(content(&IRQ[1]), quiet ? "1\n" : "3\n");
}

static void damage_record(void *text)
{
	expect_quiet(true);
	unlink(unit_path(RECORD));
	if (text)
		unit_write_text(RECORD, text);
	else
		rmdir(unit_path("run/cpucycles"));
}

/* Then it is known from memory what is to be put back. */
TEST_WITH(test_damaged_record, new_tree, unit_folder_remove)
{
	static char garbage[] = "garbage\n", other_boot[] = GOOD;

	need_root();
	quiet_tree();
	assert_int_equal(opening_around(&opening, damage_record, garbage), OPENING_OK);
	expect_quiet(false);
	assert_string_equal(content(RECORD), "(none)");
	assert_int_equal(opening_around(&opening, damage_record, other_boot), OPENING_OK);
	expect_quiet(false);
	assert_int_equal(opening_around(&opening, damage_record, NULL), OPENING_OK);
	expect_quiet(false);
}

/* Fill the pipe that is the standard error. */
static void stop_terminal(void *argument)
{
	static const char text[4096];

	(void)argument;
	fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
	while (write(STDERR_FILENO, text, sizeof text) > 0)
		;
	fcntl(STDERR_FILENO, F_SETFL, 0);
	unit_write_text("stopped", "");
}

static bool is_over(void)
{
	return access(unit_path("stopped"), F_OK) == 0 &&
	       access(unit_path("run/cpucycles/.opened.lock"), F_OK) != 0;
}

/* Everything is put back, and nothing holds the lock, also if nobody reads the lines. */
TEST_WITH(test_stopped_terminal, new_tree, unit_folder_remove)
{
	int pipes[2];
	pid_t child;

	need_root();
	quiet_tree();
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		dup2(pipes[1], STDERR_FILENO);
		close(pipes[0]);
		close(pipes[1]);
		_exit((int)opening_around(&opening, stop_terminal, NULL));
	}
	close(pipes[1]);
	for (unsigned tries = 0; tries < 1000 && !is_over(); tries++)
		usleep(10000);
	assert_true(is_over());
	expect_quiet(false);
	assert_string_equal(content(RECORD), "(none)");
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	close(pipes[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* The interrupts that stay. One whose file is on a read-only file system is no such. */
TEST_WITH(test_staying, new_tree, unit_folder_remove)
{
	need_root();
	quiet_tree();
	assert_int_equal(chmod(unit_path(&IRQ[1]), 0444), 0);
	expect_in(output_of(opening_check, OPENING_NOT_ALL),
		  IRQ ": 3: left: the kernel does not let it move\n");
	assert_int_equal(opening_open(&opening), OPENING_OK);
	assert_string_equal(content(&IRQ[1]), "3\n");
	output_of(opening_check, OPENING_OK);
	assert_int_equal(opening_restore(&opening), OPENING_OK);
	make_unwritable(&IRQ[1], "3\n");
	assert_int_equal(opening_open(&opening), OPENING_FAILED);
	assert_int_equal(opening_around(&opening, stop_terminal, NULL), OPENING_NOT_RUN);
	assert_string_equal(content("stopped"), "(none)");
}

/* A user's program has the name of one that moves interrupts. */
TEST_WITH(test_mover, new_tree, unit_folder_remove)
{
	quiet_tree();
	unit_write_text("proc/77/comm", "irqbalance\n");
	unit_write_text("proc/77/status", "Name:\tirqbalance\nUid:\t1000\t0\t0\t0\n");
	expect_in(output_of(opening_dry_open, OPENING_OK), IRQ ": 3 -> 1: ");
	unit_write_text("proc/77/status", "Name:\tirqbalance\nUid:\t0\t0\t0\t0\n");
	expect_in(output_of(opening_dry_open, OPENING_OK), "left: irqbalance runs (process 77)");
}

/* Those that do not fit are counted. And gain and risk are printed once for all of a kind. */
TEST_WITH(test_many_interrupts, new_tree, unit_folder_remove)
{
	char name[64];
	const char *text;

	quiet_tree();
	for (unsigned i = 0; i < SETTINGS_MAX; i++) {
		snprintf(name, sizeof name, "proc/irq/%u/smp_affinity", 100 + i);
		unit_write_text(name, "3\n");
	}
	output_of(opening_dry_open, OPENING_NOT_ALL);
	text = output_of(opening_check, OPENING_NOT_ALL);
	expect_in(text, "gain: the device");
	assert_null(strstr(strstr(text, "gain: the device") + 1, "gain: the device"));
}

int main(void)
{
	unit_seed();
	alarm(2 * UNIT_CHILD_SECONDS); /* a FIFO must not make it wait */
	return unit_run("opening", NULL, NULL);
}
