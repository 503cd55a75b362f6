/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "reason.h"
#include "sized.h"
#include "letters.h"
#include "printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void reason_clear(struct reason_text *reason)
{
	if (reason)
		*reason = (struct reason_text){ 0 };
}

int reason_say(struct reason_text *reason, int error, const char *format, ...)
{
	va_list list;

	if (!reason)
		return -error;
	reason_clear(reason);
	reason->error = error;
	va_start(list, format);
	letters_print(reason->what, sizeof reason->what, format, list);
	va_end(list);
	return -error;
}

void reason_remedy(struct reason_text *reason, const char *format, ...)
{
	va_list list;

	if (!reason)
		return;
	va_start(list, format);
	letters_print(reason->remedy, sizeof reason->remedy, format, list);
	va_end(list);
}

/* Linux says EACCES where the setting perf_event_paranoid forbids events, and filters of containers
 * say EPERM. CAP_PERFMON for one program is no remedy for EACCES in user mode: the kernels that
 * forbid it ask for CAP_SYS_ADMIN. Without a PMU there is ENOENT or ENODEV (perf_event_open(2)). */
void reason_advise(struct reason_text *reason, int error)
{
	switch (error) {
	case EACCES:
		reason_remedy(reason,
			      "run as root: cpucycles-open; if that opens nothing, a security "
			      "module refuses it, see cpucycles-sandbox(7)");
		break;
	case EPERM:
	case ENOSYS:
		reason_remedy(reason, "allow perf_event_open(2) in this container or unit, see "
				      "cpucycles-sandbox(7)");
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		reason_remedy(reason, "this machine shows no PMU: if it is virtual, only its host "
				      "can give it one");
		break;
	case EMFILE:
		reason_remedy(reason, "close files, or raise the limit: ulimit -n");
		break;
	default:
		reason_remedy(reason, "see cpucycles-counters(7), and run: cpucycles-info --probe");
		break;
	}
}

static void make_line(char text[], size_t size)
{
	text[size - 1] = 0;
	printable_line(text);
}

void reason_tidy(struct reason_text *reason)
{
	make_line(reason->what, sizeof reason->what);
	make_line(reason->remedy, sizeof reason->remedy);
}

static void give_text(char *room, size_t size, const char *text)
{
	if (room && size > 0)
		snprintf(room, size, "%.*s", letters_within(text, size - 1), text);
}

int reason_give(struct cpucycles_reason *to, const struct reason_text *from)
{
	struct cpucycles_reason reason;
	const int error = to ? sized_copy_in(&reason, to, sizeof reason) : 0;

	if (!to || error)
		return error;
	reason.error = from->error;
	give_text(reason.what, reason.what_size, from->what);
	give_text(reason.remedy, reason.remedy_size, from->remedy);
	sized_copy_out(to, &reason, sizeof reason);
	return 0;
}
