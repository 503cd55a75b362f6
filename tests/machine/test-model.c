/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The processor's model, on made texts of /proc/cpuinfo. */

#include "config.h"

#include "unit.h"
#include "model.h"

#define CPUINFO "proc/cpuinfo"

static char model[MODEL_SIZE];

static void expect(const char *cpuinfo, const char *expected)
{
	unit_write_text(CPUINFO, cpuinfo);
	memset(model, 'x', sizeof model);
	model_read(unit_folder, model);
	assert_string_equal(model, expected);
}

TEST(no_text)
{
	model_read(unit_folder, model);
	assert_string_equal(model, MACHINE_ARCHITECTURE);
	expect("", MACHINE_ARCHITECTURE);
	expect("\n\n\n", MACHINE_ARCHITECTURE);
	expect("processor\t: 0\nmodel\t\t: 2", MACHINE_ARCHITECTURE);
	expect("model name\t:\nmodel name\t: \t \n", MACHINE_ARCHITECTURE);
}

TEST(model_names)
{
	expect("processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763 \n", "AMD EPYC 7763");
	expect("model name: A  B\tC", "A  B C");
	/* The best field wins wherever it stands. */
	expect("cpu model\t: M\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\nmodel name\t: N\n",
	       "N");
	expect("model names: no\nmodel name : yes\n", "yes");
}

TEST(other_processors)
{
	expect("processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n",
	       "implementer 0x41 part 0xd0c");
	expect("CPU implementer\t: 0x41\ncpu\t: c\n", "c");
	expect("machine\t: m\nuarch\t: u\ncpu\t: c\ncpu model\t: M\n", "M");
	expect("machine\t: m\nuarch\t: u\ncpu\t\t: POWER9, altivec supported\n",
	       "POWER9, altivec supported");
	expect("cpu cores\t: 4\nmachine\t: m\nuarch\t: sifive,u74-mc\n", "sifive,u74-mc");
	expect("machine\t: m\n", "m");
}

/* Another processor may be another model. */
TEST(first_block_only)
{
	expect("processor\t: 0\ncpu\t: first\n\nmodel name\t: second\n", "first");
	expect("\n\nprocessor\t: 0\nmodel name\t: first\n\nmodel name\t: second\n", "first");
}

TEST(odd_characters)
{
	expect("model name\t: a\033[31mb\177c\303\244~\n", "a?[31mb?c??~");
	expect("CPU implementer\t: \001\nCPU part\t: \002\n", "implementer ? part ?");
}

TEST(long_names)
{
	char text[40000];

	memset(text, 'n', sizeof text);
	memcpy(text, "model name: ", 12);
	text[sizeof text - 1] = 0;
	unit_write_text(CPUINFO, text);
	model_read(unit_folder, model);
	assert_int_equal(strlen(model), MODEL_SIZE - 1);
	assert_int_equal(strspn(model, "n"), MODEL_SIZE - 1);
	memcpy(text, "CPU part: 1\nCPU implementer: ", 29);
	unit_write_text(CPUINFO, text);
	model_read(unit_folder, model);
	assert_int_equal(strncmp(model, "implementer nnnn", 16), 0);
	assert_string_equal(model + strlen(model) - 7, " part 1");
}

TEST(this_machine)
{
	model_read("", model);
	printf("# %s\n", model);
	assert_true(model[0] > ' ');
	assert_true(strlen(model) < MODEL_SIZE);
}

UNIT_MAIN("model", unit_folder_make, unit_folder_remove)
