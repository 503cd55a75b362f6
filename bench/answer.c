/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "answer.h"

#include <stdio.h>

bool answer_parse(const char *line, struct answer *answer)
{
	return sscanf(line,
		      "ns %lld clock %lld faults %ld implementation %63s source %31s status %31s",
		      &answer->ns, &answer->clock, &answer->faults, answer->implementation,
		      answer->source, answer->status) == 6;
}

bool answer_ask(const struct bench *bench, const struct command *command, struct answer *answer,
		char why[SERIES_WHY])
{
	static struct ended ended;

	if (spawn_run(bench, command, &ended) && answer_parse(ended.text, answer))
		return true;
	spawn_explain(&ended, why);
	return false;
}
