/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "service.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "cpucycles-calibrate"
#define SYSADMINS_UNITS "/etc/systemd/system/"

/* The mode of a file, of a link's own; 0 if there is no such file. */
static mode_t mode_of(const char *root, const char *path)
{
	char whole[PATH_MAX];
	struct stat status;

	snprintf(whole, sizeof whole, "%s%s", root, path);
	return lstat(whole, &status) ? 0 : status.st_mode;
}

/* systemctl mask links the unit's name to /dev/null. Source: systemctl(1). */
static bool is_masked(const char *root)
{
	char whole[PATH_MAX], target[sizeof "/dev/null"];
	ssize_t n;

	snprintf(whole, sizeof whole, "%s" SYSADMINS_UNITS NAME ".service", root);
	n = readlink(whole, target, sizeof target);
	return n == sizeof target - 1 && !memcmp(target, "/dev/null", sizeof target - 1);
}

void service_look(const char *root, struct service *service)
{
	service->calibrator = mode_of(root, CALIBRATOR_PATH) != 0;
	service->systemd = S_ISDIR(mode_of(root, "/run/systemd/system"));
	service->unit = *UNIT_PATH && mode_of(root, UNIT_PATH) && !is_masked(root);
	service->enabled =
		mode_of(root, SYSADMINS_UNITS "multi-user.target.wants/" NAME ".service") != 0;
	/* systemd keeps this link for each unit that it has started, until the unit stops. */
	service->active = mode_of(root, "/run/systemd/units/invocation:" NAME ".service") != 0;
}

/* The unit stays active after its run, and systemd starts no active unit. So one that has run has
 * to be restarted. The package that has the calibrator also has the unit. */
const char *service_command(const struct service *service)
{
	if (!service->systemd || (service->calibrator && !service->unit))
		return NULL;
	if (service->enabled)
		return "systemctl restart " NAME;
	if (service->active)
		return "systemctl enable " NAME " && systemctl restart " NAME;
	return "systemctl enable --now " NAME;
}
