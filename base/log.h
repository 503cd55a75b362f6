/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One line per decision on standard error, with a priority if systemd's journal reads it. */

#ifndef CPUCYCLES_LOG_H
#define CPUCYCLES_LOG_H

enum log_priority {
	/* The numbers of sd-daemon(3). */
	LOG_ERROR = 3,
	LOG_WARNING = 4,
	LOG_INFO = 6,
	LOG_DEBUG = 7 /* printed after log_set_verbose only */
};

/* Each line begins with the program's name, except in the journal. To be called first. */
void log_set_name(const char *program);

void log_set_verbose(void);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void log_line(enum log_priority priority, const char *format, ...);

#endif
