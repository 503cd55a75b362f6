/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "service.h"
#include "unit.h"

static void expect_command(struct service service, const char *expected)
{
	const char *command = service_command(&service);

	if (!expected)
		assert_null(command);
	else
		assert_string_equal(command, expected);
}

/* systemctl enable --now starts no unit that is active already. */
TEST(test_commands)
{
	const char *start = "systemctl enable --now cpucycles-calibrate";
	const char *restart = "systemctl restart cpucycles-calibrate";
	const char *both =
		"systemctl enable cpucycles-calibrate && systemctl restart cpucycles-calibrate";

	expect_command((struct service){ 0 }, NULL);
	expect_command((struct service){ .calibrator = true, .unit = true }, NULL);
	expect_command((struct service){ .calibrator = true, .systemd = true }, NULL);
	expect_command((struct service){ .systemd = true }, start);
	expect_command((struct service){ .calibrator = true, .systemd = true, .unit = true },
		       start);
	expect_command((struct service){ .calibrator = true,
					 .systemd = true,
					 .unit = true,
					 .enabled = true },
		       restart);
	expect_command((struct service){ .calibrator = true,
					 .systemd = true,
					 .unit = true,
					 .enabled = true,
					 .active = true },
		       restart);
	expect_command((struct service){ .calibrator = true,
					 .systemd = true,
					 .unit = true,
					 .active = true },
		       both);
}

/* Run a command of the shell, which has the folder of the files and a path in it. */
static void run(const char *format, const char *root, const char *path)
{
	char text[4096];

	snprintf(text, sizeof text, format, root, path);
	assert_int_equal(system(text), 0);
}

#define UNITS "/etc/systemd/system/"

TEST(test_look)
{
	char root[] = "/tmp/cpucycles-service.XXXXXX";
	struct service s;

	assert_non_null(mkdtemp(root));
	service_look(root, &s);
	assert_false(s.calibrator || s.systemd || s.unit || s.enabled || s.active);
	run("mkdir -p '%s%s'", root, "/run/systemd/system");
	run("install -D /dev/null '%s%s'", root, CALIBRATOR_PATH);
	run("install -D /dev/null '%s%s'", root, UNIT_PATH);
	service_look(root, &s);
	assert_true(s.calibrator && s.systemd);
	assert_int_equal(s.unit, *UNIT_PATH != 0);
	assert_false(s.enabled || s.active);
	run("mkdir -p '%s%s'", root, UNITS "multi-user.target.wants");
	run("ln -s /nowhere '%s%s'", root,
	    UNITS "multi-user.target.wants/cpucycles-calibrate.service");
	run("mkdir '%s%s'", root, "/run/systemd/units");
	run("ln -s 0123456789 '%s%s'", root,
	    "/run/systemd/units/invocation:cpucycles-calibrate.service");
	service_look(root, &s);
	assert_true(s.enabled && s.active);
	run("ln -s /dev/null '%s%s'", root, UNITS "cpucycles-calibrate.service");
	service_look(root, &s);
	assert_false(s.unit);
	run("rm -r '%s'%s", root, "");
}

UNIT_MAIN("service", NULL, NULL)
