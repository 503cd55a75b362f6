/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How the calibrator is started on this system, and which command starts it so that it also starts
 * at each later boot. */

#ifndef CPUCYCLES_SERVICE_H
#define CPUCYCLES_SERVICE_H

#include <stdbool.h>

struct service {
	bool calibrator; /* the program is installed */
	bool systemd;    /* systemd runs this system, as sd_booted(3) finds out */
	bool unit;       /* the calibrator's unit is installed, and nobody has masked it */
	bool enabled;    /* systemd starts the unit at each boot */
	bool active;     /* systemd has started the unit in this boot */
};

/* Look at the files of this system. root: "", in tests a folder with files in their place. */
void service_look(const char *root, struct service *service);

/* The command of systemd that lets the calibrator run now and at each boot, once the calibrator is
 * installed. NULL: systemd cannot start it. Pure. */
const char *service_command(const struct service *service);

#endif
