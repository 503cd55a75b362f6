/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "digits.h"
#include "files.h"
#include "programs.h"
#include "raw-clock.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#define PATH_SIZE 512
#define TEXT_SIZE 512

void programs_rank(struct programs_most *most, const struct parse_program *program)
{
	size_t i = PROGRAMS_MOST;

	for (; i > 0 && program->ticks > most->program[i - 1].ticks; i--)
		if (i < PROGRAMS_MOST)
			most->program[i] = most->program[i - 1];
	if (i < PROGRAMS_MOST)
		most->program[i] = *program;
}

/* Search from where the one before was found: both lists have the same order. */
static uint64_t ticks_before(const struct programs *before, size_t *next,
			     const struct parse_program *program)
{
	for (size_t i = 0; i < before->n; i++, ++*next) {
		if (*next >= before->n)
			*next = 0;
		if (before->list[*next].pid == program->pid)
			return before->list[*next].ticks;
	}
	return program->start >= before->start ? 0 : PARSE_UNKNOWN;
}

static bool look_at(const char *root, const char *pid, struct parse_program *program)
{
	char path[PATH_SIZE], text[TEXT_SIZE];

	snprintf(path, sizeof path, "/proc/%s/stat", pid);
	return files_read(root, path, text, sizeof text) && parse_program(text, program);
}

void programs_look(const char *root, uint64_t until, struct programs *seen,
		   const struct programs *before, struct programs_most *most)
{
	char path[PATH_SIZE];
	const struct dirent *entry = NULL;
	struct parse_program program;
	size_t next = 0;
	DIR *folder;

	seen->n = 0;
	seen->whole = false;
	seen->start = look_at(root, "self", &program) ? program.start : PARSE_UNKNOWN;
	snprintf(path, sizeof path, "%s/proc", root);
	folder = opendir(path);
	if (!folder)
		return;
	while (seen->n < PROGRAMS_MAX && raw_clock_ns() < until && (entry = readdir(folder))) {
		const char *end = entry->d_name;
		uint64_t pid;

		if (!digits_take(&end, 10, &pid) || *end || pid == (uint64_t)getpid() ||
		    !look_at(root, entry->d_name, &program))
			continue;
		seen->list[seen->n].pid = pid;
		seen->list[seen->n++].ticks = program.ticks;
		if (!before || (program.cpu < AFFINITY_CPUS_MAX && affinity_count() > 0 &&
				!affinity_allows((int)program.cpu)))
			continue;
		program.ticks = parse_rise(ticks_before(before, &next, &program), program.ticks);
		if (program.ticks != PARSE_UNKNOWN && program.ticks > 0)
			programs_rank(most, &program);
	}
	seen->whole = !entry && seen->n > 0;
	if (before)
		most->whole = before->whole && seen->whole;
	closedir(folder);
}
