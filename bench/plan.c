/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Puts bytes in hexadecimal into the plan, and their address into argument. NULL: not hexadecimal,
 * or too many. */
static const char *parse_bytes(const char *text, struct plan *plan, long *argument)
{
	*argument = (long)(plan->bytes + plan->used);
	for (; *text != ','; text += 2) {
		if (plan->used >= PLAN_BYTES - 16 || digit(text[0]) < 0 || digit(text[1]) < 0)
			return NULL;
		plan->bytes[plan->used++] = (char)(digit(text[0]) << 4 | digit(text[1]));
	}
	plan->used = (plan->used + 15) & ~(size_t)15;
	return text;
}

static const char *parse_argument(const char *text, struct plan *plan, long *argument)
{
	char *end;

	switch (*text++) {
	case 'n':
		*argument = (long)strtoul(text, &end, 16);
		text = end;
		break;
	case 'o':
		*argument = (long)plan->out;
		break;
	case 'i':
		text = parse_bytes(text, plan, argument);
		break;
	default:
		return NULL;
	}
	return text && *text == ',' ? text + 1 : NULL;
}

static const char *parse_call(const char *text, struct plan *plan)
{
	struct plan_call *call = &plan->calls[plan->n++];
	char *end;

	call->number = strtol(text, &end, 10);
	if (end == text || *end != ':')
		return NULL;
	text = end + 1;
	for (size_t i = 0; text && *text != ';'; i++) {
		if (i == PLAN_ARGUMENTS)
			return NULL;
		text = parse_argument(text, plan, &call->arguments[i]);
	}
	return text ? text + 1 : NULL;
}

bool plan_parse(const char *text, struct plan *plan)
{
	memset(plan, 0, sizeof *plan);
	/* Touched now, so that no page fault is timed with the calls. */
	memset(plan->out, 1, sizeof plan->out);
	while (text && *text) {
		if (plan->n == PLAN_CALLS)
			return false;
		text = parse_call(text, plan);
	}
	return text && plan->n > 0;
}

void plan_run(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct plan_call *c = &plan->calls[i];
		const long *a = c->arguments;

		syscall(c->number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

void plan_mark(void)
{
	syscall(SYS_close, PLAN_MARK);
}
