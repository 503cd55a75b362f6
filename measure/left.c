/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "left.h"
#include "letters.h"
#include "reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than what there is to say. */
#define LEFT_TEXT 150

void left_look(struct left *left, const struct state *before, const struct state *after)
{
	if (left->control || state_is(before, after))
		return;
	left->control = true;
	left->before = *before;
	left->after = *after;
}

bool left_any(const struct left *left)
{
	return left->direction || left->control || left->signal;
}

#define add(text, ...) letters_add(text, LEFT_TEXT, __VA_ARGS__)

static void add_control(const struct left *left, char text[LEFT_TEXT])
{
	const struct state *before = &left->before, *after = &left->after;

	if (before->simd != after->simd)
		add(text, ", " STATE_SIMD " 0x%" PRIx64 " in the place of 0x%" PRIx64, after->simd,
		    before->simd);
	if (before->x87 != after->x87)
		add(text, ", x87 control 0x%x in the place of 0x%x", after->x87, before->x87);
}

void left_say(const struct left *left, struct cpucycles_reason *reason)
{
	char text[LEFT_TEXT] = "";

	if (left->direction)
		add(text, ", the direction flag set");
	if (left->control)
		add_control(left, text);
	if (left->signal)
		add(text, ", signal %d %s", abs(left->signal),
		    left->signal > 0 ? "blocked" : "no longer blocked");
	reason_say(reason, 0, "%s with%s",
		   left->by_any ? "one of the functions returned" : "it returned",
		   text[0] ? text + 1 : " all as before");
	reason_remedy(reason, "let it put back what it changes before it returns");
}
