/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "reason.h"
#include "give.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void reason_clear(struct cpucycles_reason *reason)
{
	if (reason)
		*reason = (struct cpucycles_reason){ .size = sizeof *reason };
}

void reason_say(struct cpucycles_reason *reason, int error, const char *format, ...)
{
	va_list list;

	if (!reason)
		return;
	reason_clear(reason);
	reason->error = error;
	va_start(list, format);
	vsnprintf(reason->what, sizeof reason->what, format, list);
	va_end(list);
}

void reason_remedy(struct cpucycles_reason *reason, const char *format, ...)
{
	va_list list;

	if (!reason)
		return;
	va_start(list, format);
	vsnprintf(reason->remedy, sizeof reason->remedy, format, list);
	va_end(list);
}

bool reason_give(struct cpucycles_reason *to, const struct cpucycles_reason *from)
{
	return !to || give(to, from, sizeof *from);
}
