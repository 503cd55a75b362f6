/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "persecond.h"

#include <errno.h>

#define THIS "01234567-89ab-cdef-0123-456789abcdef"
#define OTHER "fedcba98-7654-3210-fedc-ba9876543210"

#define OURS PERSECOND_MARK THIS PERSECOND_MARK_SOURCE "cpuinfo-mhz"
#define HINT(number) PERSECOND_HINT number PERSECOND_HINT_END

static void expect_file(const void *text, size_t length, uint64_t hz, bool ours)
{
	struct persecond_file file, read;

	persecond_parse(text, length, "", &file);
	if (file.said.hz != hz || file.ours != ours || !file.exists)
		fail_msg("\"%s\": got %llu ours %d, expected %llu ours %d", (const char *)text,
			 (unsigned long long)file.said.hz, file.ours, (unsigned long long)hz, ours);
	assert_int_equal(file.said.source, ours ? PERSECOND_CPUINFO_MHZ : PERSECOND_FILE);
	if (ours)
		assert_string_equal(file.boot, THIS);
	if (strlen(text) == length)
		assert_int_equal(file.flaw, hz ? FLAW_NONE : FLAW_NOT_A_NUMBER);
	else
		assert_int_equal(file.flaw, FLAW_NOT_A_TEXT);
	persecond_read(unit_write("persecond", text, length), NULL, &read);
	assert_memory_equal(&read, &file, sizeof file);
	/* A boot that is known makes no difference, whether it is the file's or another one. */
	persecond_parse(text, length, THIS, &read);
	assert_memory_equal(&read, &file, sizeof file);
	persecond_parse(text, length, OTHER, &read);
	assert_memory_equal(&read, &file, sizeof file);
}

static void expect_text(const char *text, uint64_t hz, bool ours)
{
	expect_file(text, strlen(text), hz, ours);
}

TEST(file_contents)
{
	expect_text("2400000000\n", 2400000000, false);
	expect_text("2400000000", 2400000000, false);
	expect_text("2.4e9\n# by hand\n", 2400000000, false);
	expect_text("2400000000\n" OURS "\n" HINT("2400000000"), 2400000000, true);
	/* As an earlier version wrote it. */
	expect_text("2400000000\n" OURS "\n", 2400000000, true);
	expect_text("2400000000\n" OURS, 2400000000, false);
	expect_text("2400000000\n" OURS "\nmore\n", 2400000000, false);
	expect_text("2400000000\n" OURS " \n", 2400000000, false);
	expect_text("2400000000\n" OURS " ", 2400000000, false);
	expect_text("2400000000\n" PERSECOND_MARK THIS "\n", 2400000000, false);
	expect_text("2400000000\n" PERSECOND_MARK THIS PERSECOND_MARK_SOURCE "\n", 2400000000,
		    false);
	expect_text("2400000000\n" PERSECOND_MARK "unknown" PERSECOND_MARK_SOURCE "cpuinfo-mhz\n",
		    2400000000, false);
	expect_text("2400000000\n\n" OURS "\n", 2400000000, false);
	expect_text("nonsense\n" OURS "\n", 0, true);
	/* An edited first line, or another third line. */
	expect_text("2500000000\n" OURS "\n" HINT("2400000000"), 2500000000, false);
	expect_text("240000000\n" OURS "\n" HINT("2400000000"), 240000000, false);
	expect_text("24000000000\n" OURS "\n" HINT("2400000000"), UINT64_C(24000000000), false);
	expect_text("2400000000 # mine\n" OURS "\n" HINT("2400000000"), 2400000000, false);
	expect_text("2.4e9\n" OURS "\n" HINT("2400000000"), 2400000000, false);
	expect_text("2400000000\r\n" OURS "\n" HINT("2400000000"), 2400000000, false);
	expect_text("nonsense\n" OURS "\n" HINT("2400000000"), 0, false);
	expect_text("\n" OURS "\n" HINT("2400000000"), 0, false);
	expect_text("2400000000\n" OURS "\n" HINT("2400000000") "\n", 2400000000, false);
	expect_text("2400000000\n" OURS "\n" HINT("2400000000") "more", 2400000000, false);
	expect_text("2400000000\n" OURS "\n" PERSECOND_HINT "2400000000\n", 2400000000, false);
	expect_text("2400000000\n" OURS "\n" PERSECOND_HINT, 2400000000, false);
	expect_text("2400000000\n" HINT("2400000000") OURS "\n", 2400000000, false);
	/* The same edit in both lines. */
	expect_text("nonsense\n" OURS "\n" HINT("nonsense"), 0, true);
	expect_text("2.4e9\n" OURS "\n" HINT("2.4e9"), 2400000000, true);
	expect_text("2500000000\n" OURS "\n" HINT("2500000000"), 2500000000, true);
	/* Sources that the calibrator never writes. */
	expect_text("2400000000\n" PERSECOND_MARK THIS PERSECOND_MARK_SOURCE "default\n",
		    2400000000, false);
	expect_text("2400000000\n" PERSECOND_MARK THIS PERSECOND_MARK_SOURCE "environment\n",
		    2400000000, false);
	expect_text("2400000000\n" PERSECOND_MARK THIS PERSECOND_MARK_SOURCE "persecond-file\n",
		    2400000000, false);
	expect_text("2400000000\n" PERSECOND_MARK THIS PERSECOND_MARK_SOURCE "somewhere\n",
		    2400000000, false);
	expect_text("", 0, false);
	expect_text("\n", 0, false);
	expect_text("0\n", 0, false);
	expect_text("-2400000000\n", 0, false);
	expect_text("inf\n", 0, false);
	expect_text("nan\n", 0, false);
	expect_text("2400000000 Hz\n", 2400000000, false);
	expect_text("2400000000 # set by ops", 2400000000, false);
	expect_text("3.5 GHz\n", 0, false);
	expect_text("2400000000 2\n", 0, false);
	expect_text("999\n", 0, false);
	expect_text("1000\n", 1000, false);
	expect_text("100000000000\n", UINT64_C(100000000000), false);
	expect_text("100000000001\n", 0, false);
	expect_file("2400000000\n\0", 12, 0, false);
	expect_file("24\000000000\n", 11, 0, false);
}

TEST(file_long)
{
	static char text[100000];
	struct persecond_file file;

	memset(text, '2', sizeof text - 1);
	persecond_read(unit_write_text("long", text), NULL, &file);
	assert_int_equal(file.said.hz, 0);
	memcpy(text, "2400000000\n", 11);
	persecond_read(unit_write_text("long", text), NULL, &file);
	assert_int_equal(file.said.hz, 2400000000);
	assert_false(file.ours);
	/* A first line that goes on behind what is read: a comment may, anything else may not. */
	memset(text, ' ', sizeof text - 1);
	memcpy(text, "2400000000", 10);
	persecond_read(unit_write_text("long", text), NULL, &file);
	assert_int_equal(file.said.hz, 0);
	assert_int_equal(file.flaw, FLAW_NOT_A_NUMBER);
	text[PERSECOND_TEXT_SIZE - 2] = '#';
	persecond_read(unit_write_text("long", text), NULL, &file);
	assert_int_equal(file.said.hz, 2400000000);
	text[PERSECOND_TEXT_SIZE - 2] = 0; /* the line ends here */
	persecond_read(unit_write_text("long", text), NULL, &file);
	assert_int_equal(file.said.hz, 2400000000);
}

static void expect_no_answer(const char *path, bool exists, enum persecond_flaw flaw)
{
	struct persecond_file file;

	persecond_read(path, NULL, &file);
	assert_int_equal(file.said.hz, 0);
	assert_int_equal(file.exists, exists);
	assert_int_equal(file.flaw, flaw);
	assert_false(file.ours);
}

/* None of these may be waited for, or be taken for a number of the sysadmin's. */
TEST(file_is_something_else)
{
	char bytes[32];
	int fifo;

	expect_no_answer(unit_path("nothing"), false, FLAW_NONE);
	unit_write_text("plain", "2400000000\n");
	expect_no_answer(unit_path("plain/below"), false, FLAW_NONE);
	assert_int_equal(mkdir(unit_path("folder"), 0755), 0);
	expect_no_answer(unit_path("folder"), true, FLAW_NOT_A_FILE);
	assert_int_equal(mkfifo(unit_path("fifo"), 0644), 0);
	expect_no_answer(unit_path("fifo"), true, FLAW_NOT_A_FILE);
	fifo = open(unit_path("fifo"), O_RDWR | O_NONBLOCK);
	assert_int_equal(write(fifo, "2400000000\n", 11), 11);
	expect_no_answer(unit_path("fifo"), true, FLAW_NOT_A_FILE);
	assert_int_equal(read(fifo, bytes, sizeof bytes), 11); /* nobody has read from it */
	close(fifo);
	expect_no_answer("/dev/zero", true, FLAW_NOT_A_FILE);
	expect_no_answer("/dev/null", true, FLAW_NOT_A_FILE);
	assert_int_equal(symlink("nowhere", unit_path("dangling")), 0);
	expect_no_answer(unit_path("dangling"), false, FLAW_NONE);
}

TEST(file_is_a_link)
{
	struct persecond_file file;

	unit_write_text("linked", "2400000000\n");
	assert_int_equal(symlink("linked", unit_path("link")), 0);
	persecond_read(unit_path("link"), NULL, &file);
	assert_int_equal(file.said.hz, 2400000000);
}

static void expect_look(const char *path, bool exists, bool dangling)
{
	struct persecond_file file;

	memset(&file, 0xa5, sizeof file);
	persecond_look(path, &file, NULL);
	if (file.exists != exists || file.flaw != (dangling ? FLAW_DANGLING : FLAW_NONE))
		fail_msg("%s: exists %d, flaw %d", path, file.exists, (int)file.flaw);
}

/* Programs see a link to nothing, which a first call takes for no file. */
TEST(file_is_a_dangling_link)
{
	struct persecond_file file;

	expect_look(unit_path("nothing"), false, false);
	expect_look(unit_path("no-folder/nothing"), false, false);
	assert_int_equal(symlink("nothing", unit_path("to-nothing")), 0);
	expect_look(unit_path("to-nothing"), true, true);
	assert_int_equal(symlink("no-folder/nothing", unit_path("below-nothing")), 0);
	expect_look(unit_path("below-nothing"), true, true);
	unit_write_text("number", "2400000000\n");
	assert_int_equal(symlink("number/nothing", unit_path("below-a-file")), 0);
	expect_look(unit_path("below-a-file"), true, true);
	assert_int_equal(symlink("number", unit_path("to-number")), 0);
	expect_look(unit_path("to-number"), true, false);
	expect_look(unit_path("number"), true, false);
	persecond_look(unit_path("to-number"), &file, NULL);
	assert_int_equal(file.said.hz, 2400000000);
	persecond_look(unit_path("to-nothing"), &file, NULL);
	assert_int_equal(file.said.hz, 0);
	assert_false(file.ours || persecond_answer(&file, ""));
	persecond_read(unit_path("to-nothing"), NULL, &file);
	assert_false(file.exists || file.flaw);
}

/* A program can show what it has read. */
TEST(file_is_shown)
{
	char text[PERSECOND_TEXT_SIZE];
	struct persecond_file file;

	persecond_look(unit_write_text("shown", "3.5 GHz\n"), &file, text);
	assert_string_equal(text, "3.5 GHz\n");
	persecond_look(unit_path("nothing"), &file, text);
	assert_string_equal(text, "");
	chmod(unit_write_text("closed", "2400000000\n"), 0);
	if (access(unit_path("closed"), R_OK) == 0)
		return;
	persecond_look(unit_path("closed"), &file, text);
	assert_int_equal(file.flaw, FLAW_UNREADABLE);
	assert_int_equal(file.error, -EACCES);
}

TEST(file_round_trip)
{
	for (unsigned source = 0; source < PERSECOND_SOURCES; source++) {
		const struct persecond written = { 2400000000, (enum persecond_source)source };
		struct persecond_file file;
		char text[256];
		size_t length = persecond_format(&written, THIS, text, sizeof text);

		assert_int_equal(length, strlen(text));
		assert_int_equal(persecond_format(&written, THIS, text, length), 0);
		persecond_format(&written, THIS, text, sizeof text);
		persecond_parse(text, length, "", &file);
		assert_int_equal(file.said.hz, written.hz);
		assert_int_equal(file.ours, frequency_is_machines(written.source));
		assert_int_equal(file.said.source, file.ours ? written.source : PERSECOND_FILE);
	}
}

TEST(file_answers)
{
	struct persecond_file file = { .said.hz = 2400000000, .exists = true };

	assert_ptr_equal(persecond_answer(&file, THIS), &file.said);
	assert_ptr_equal(persecond_answer(&file, ""), &file.said);
	file.ours = true;
	strcpy(file.boot, THIS);
	assert_ptr_equal(persecond_answer(&file, THIS), &file.said);
	assert_null(persecond_answer(&file, OTHER));
	assert_null(persecond_answer(&file, ""));
	file.said.hz = 0;
	assert_null(persecond_answer(&file, THIS));
}

UNIT_MAIN("persecond", unit_folder_make, unit_folder_remove)
