/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unrestored.h"
#include "letters.h"
#include "reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void unrestored_look(struct unrestored *unrestored, const struct state *before,
		     const struct state *after)
{
	if (unrestored->control || state_is(before, after))
		return;
	unrestored->control = true;
	unrestored->before = *before;
	unrestored->after = *after;
}

bool unrestored_any(const struct unrestored *unrestored)
{
	return unrestored->direction || unrestored->control || unrestored->signal;
}

#define add(text, ...) letters_add(text, REASON_TEXT, __VA_ARGS__)

static void add_control(const struct unrestored *unrestored, char text[REASON_TEXT])
{
	const struct state *before = &unrestored->before, *after = &unrestored->after;

	if (before->simd != after->simd)
		add(text, ", " STATE_SIMD " 0x%" PRIx64 " in the place of 0x%" PRIx64, after->simd,
		    before->simd);
	if (before->x87 != after->x87)
		add(text, ", x87 control 0x%x in the place of 0x%x", after->x87, before->x87);
}

void unrestored_say(const struct unrestored *unrestored, struct reason_text *reason)
{
	char text[REASON_TEXT] = "";

	if (unrestored->direction)
		add(text, ", the direction flag set");
	if (unrestored->control)
		add_control(unrestored, text);
	if (unrestored->signal)
		add(text, ", signal %d %s", abs(unrestored->signal),
		    unrestored->signal > 0 ? "blocked" : "no longer blocked");
	reason_say(reason, 0, "%s with%s",
		   unrestored->by_any ? "one of the functions returned" : "it returned",
		   text[0] ? text + 1 : " all as before");
	reason_remedy(reason, "let it put back what it changes before it returns");
}
