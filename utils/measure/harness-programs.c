/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "harness-programs.h"
#include "log.h"
#include "files/map.h"
#include "run/execute.h"
#include "run/failure.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A time of 0 is a run that was disturbed, or a benchmark that is too short. Run up to TRIES times
 * before a time of 0 counts. */
#define TRIES 3

/* To list benchmarks, some harnesses run each of them once, so a list may take LIST_TIMES times as
 * long as one run. */
#define LIST_TIMES 10

/* A line of what a program has printed. */
#define LINE 200

/* What a program has said */

/* All of a file, as a text, to be freed. Without the file, it is empty. NULL: memory ran out. */
static char *read_text(const char *path)
{
	struct symbols_file file;
	const bool read = !map_file(path, &file);
	char *const text = malloc((read ? file.size : 0) + 1);

	if (text && read)
		memcpy(text, file.bytes, file.size);
	if (text)
		text[read ? file.size : 0] = 0;
	if (read)
		map_end(&file);
	return text;
}

/* Whether a line says what went wrong. */
static bool complains(const char *line, const char *const complaints[2])
{
	bool found = strstr(line, "error: ");

	for (size_t i = 0; i < 2 && complaints[i]; i++)
		found |= !strncmp(line, complaints[i], strlen(complaints[i]));
	return found;
}

/* Copy the first line of a text that complains, else the last one that is not empty. True: it
 * complains. */
static bool copy_line(const char *text, const char *const complaints[2], char line[LINE])
{
	for (const char *at = text, *end; *at; at = end + (*end == '\n')) {
		char copy[LINE];

		end = at + strcspn(at, "\n");
		snprintf(copy, sizeof copy, "%.*s", (int)(end - at < LINE ? end - at : LINE), at);
		if (copy[strspn(copy, " \t\r")])
			memcpy(line, copy, LINE);
		if (complains(copy, complaints))
			return true;
	}
	return false;
}

/* The line that says best what went wrong; it may be empty. */
static void copy_best(const struct harness *harness, const struct executed *executed,
		      char line[LINE])
{
	const char *const *const complaints = harness->driver->complaints;
	char *const printed = read_text(harness->output);
	char last[LINE] = "";

	line[0] = 0;
	if (!printed || !copy_line(printed, complaints, line))
		copy_line(executed->last, complaints, last);
	if (last[0])
		memcpy(line, last, sizeof last);
	free(printed);
}

/* A run */

static struct driver_run describe(const struct harness *harness, const struct side *side)
{
	return (struct driver_run){ .path = side->path,
				    .result = harness->result,
				    .wall = harness->wanted->wall };
}

/* Run a command of this side. */
static void execute_one(const struct harness *harness, const struct side *side,
			const struct words *command, size_t padding, uint64_t timeout_ns,
			struct executed *executed)
{
	const int output =
		open(harness->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	const struct execute how = {
		.arguments = command->list,
		.folder = side->folder,
		.output = output,
		.padding = padding,
		.timeout_ns = timeout_ns,
	};

	unlink(harness->result);
	if (command->failed) {
		executed->end = EXECUTE_NOT_STARTED;
		executed->status = -ENOMEM;
	} else {
		execute(&how, executed);
	}
	if (output >= 0)
		close(output);
}

/* Whether a run did not end well, or did not answer as it should. */
static enum outcome_status judge(const struct harness *harness, const struct executed *executed,
				 enum driver_answer answer, struct reason_text *reason)
{
	const char *const name = harness->driver->name;
	char line[LINE];

	if (executed->end == EXECUTE_EXITED && !executed->status && answer == DRIVER_READ)
		return OUTCOME_OK;
	copy_best(harness, executed, line);
	switch (executed->end) {
	case EXECUTE_EXITED:
		if (answer == DRIVER_FAILED)
			break;
		if (executed->status)
			reason_say(reason, 0, "exit status %d%s%s", executed->status,
				   *line ? ": " : "", line);
		else if (answer == DRIVER_FOREIGN)
			reason_say(reason, 0, "it does not answer as a program of %s does%s%s",
				   name, *line ? ": " : "", line);
		else if (answer == DRIVER_ABSENT)
			reason_say(reason, 0, "it is listed, but does not run");
		return executed->status      ? OUTCOME_CRASHED :
		       answer == DRIVER_READ ? OUTCOME_OK :
					       OUTCOME_FAILED;
	case EXECUTE_SIGNALLED:
		reason_say(reason, 0, "ended by signal %d (%s)%s%s", executed->status,
			   strsignal(executed->status), *line ? ": " : "", line);
		return OUTCOME_CRASHED;
	case EXECUTE_TIMED_OUT:
		reason_say(reason, 0, "took too long, and was ended; --timeout gives more");
		return OUTCOME_HUNG;
	case EXECUTE_INTERRUPTED:
		return OUTCOME_INTERRUPTED;
	default:
		reason_say(reason, 0, "does not start: %s", strerror(-executed->status));
		return OUTCOME_NOT_FOUND;
	}
	return OUTCOME_CRASHED;
}

static enum target_state state_of(const struct executed *executed)
{
	return executed->end == EXECUTE_TIMED_OUT ? TARGET_HUNG :
	       executed->end == EXECUTE_SIGNALLED ? TARGET_CRASHED :
						    TARGET_FAILED;
}

enum outcome_status harness_run_once(struct bench *bench, size_t side, size_t padding,
				     struct driver_time *time)
{
	const struct harness *const harness = bench->harness;
	const struct driver *const driver = harness->driver;
	struct target *const target = &bench->targets[side];
	struct driver_run run = describe(harness, &harness->sides[side]);
	struct words command = { 0 };
	struct executed executed;
	enum driver_answer answer = DRIVER_FOREIGN;
	enum outcome_status status;
	char *text;

	run.name = target->function;
	run.seconds = bench->seconds;
	driver->run(&run, &command);
	execute_one(harness, &harness->sides[side], &command, padding, harness->wanted->timeout_ns,
		    &executed);
	words_free(&command);
	bench->run_ns = executed.wall_ns;
	*time = (struct driver_time){ NAN, NAN };
	text = read_text(driver->runs_in_file ? harness->result : harness->output);
	if (text)
		answer = driver->read(text, run.name, time, &target->reason);
	free(text);
	status = judge(harness, &executed, answer, &target->reason);
	bench->absent = status == OUTCOME_FAILED && answer == DRIVER_ABSENT;
	if (status != OUTCOME_OK && status != OUTCOME_INTERRUPTED)
		target->state = state_of(&executed);
	return status;
}

enum outcome_status harness_run_side(void *context, size_t side, size_t padding,
				     struct alternate_values *values)
{
	struct bench *const bench = context;
	struct target *const target = &bench->targets[side];
	enum outcome_status status = OUTCOME_OK;

	for (unsigned i = 0; i < TRIES && status == OUTCOME_OK; i++) {
		struct driver_time time;

		status = harness_run_once(bench, side, padding, &time);
		*values = (struct alternate_values){ .cpu_ns = time.cpu_ns,
						     .wall_ns = time.wall_ns,
						     .memory = NAN };
		if (status == OUTCOME_OK && (bench->wall ? time.wall_ns : time.cpu_ns) > 0)
			return OUTCOME_OK;
	}
	if (status == OUTCOME_OK) {
		reason_say(&target->reason, 0, "its time is 0: it is too short for this harness");
		target->state = TARGET_TOO_FAST;
		status = OUTCOME_TOO_FAST;
	}
	if (status != OUTCOME_INTERRUPTED)
		failure_complain(target->label, &target->reason);
	return status;
}

enum outcome_status harness_list(struct harness *harness, size_t i)
{
	const struct driver *const driver = harness->driver;
	const struct side *const side = &harness->sides[i];
	struct words *const names = &harness->pairs.names[i];
	const struct driver_run run = describe(harness, side);
	struct words command = { 0 };
	struct executed executed;
	struct reason_text reason;
	enum driver_answer answer = DRIVER_FOREIGN;
	enum outcome_status status;
	char *text;

	driver->list(&run, &command);
	execute_one(harness, side, &command, 0, harness->wanted->timeout_ns * LIST_TIMES,
		    &executed);
	words_free(&command);
	text = read_text(driver->lists_in_file ? harness->result : harness->output);
	if (text)
		answer = driver->read_list(text, names);
	free(text);
	words_sort(names);
	status = judge(harness, &executed, answer, &reason);
	if (status == OUTCOME_INTERRUPTED)
		return status;
	if (status == OUTCOME_CRASHED && executed.end == EXECUTE_EXITED && names->n > 0) {
		log_line(LOG_WARNING, "%s: not all benchmarks can be listed: %s", side->given,
			 reason.what);
		return OUTCOME_OK;
	}
	if (status != OUTCOME_OK)
		log_line(LOG_ERROR, "%s: its benchmarks cannot be listed: %s", side->given,
			 reason.what);
	else if (names->n == 0)
		log_line(LOG_ERROR, "%s: it has no benchmark of %s", side->given, driver->name);
	return status != OUTCOME_OK ? status :
	       names->n == 0        ? OUTCOME_NOT_FOUND :
	       names->failed        ? OUTCOME_FAILED :
				      OUTCOME_OK;
}
