/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One line per decision on standard error, with a priority where systemd reads it. */

#ifndef CPUCYCLES_LOG_H
#define CPUCYCLES_LOG_H

enum log_priority {
	LOG_ERROR = 3, /* sd-daemon(3) */
	LOG_WARNING = 4,
	LOG_INFO = 6,
	LOG_DEBUG = 7 /* only with --verbose */
};

/* What each line begins with, where it is not for the journal. To be called first. */
void log_set_name(const char *program);

void log_set_verbose(void);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void log_line(enum log_priority priority, const char *format, ...);

#endif
