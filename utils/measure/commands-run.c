/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "commands-run.h"
#include "log.h"
#include "output.h"
#include "files/words.h"
#include "link/command.h"
#include "result/gate.h"
#include "run/alternate.h"
#include "run/execute.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* What the runs need. */
struct commands {
	const struct wanted *wanted;
	struct words prepare; /* the command before each run; empty: there is none */
	struct words *words;  /* of each command */
	struct target *targets;
	size_t n;
};

/* Terminal */

/* The modes of the terminal, which a program may change. */
struct terminal {
	int fd; /* below 0: there is none */
	struct termios modes;
};

static void keep_terminal(struct terminal *terminal)
{
	for (terminal->fd = STDERR_FILENO; terminal->fd >= 0; terminal->fd--)
		if (!tcgetattr(terminal->fd, &terminal->modes))
			return;
}

/* From the background, where others have the terminal, SIGTTOU would stop this program. */
static void restore_terminal(const struct terminal *terminal)
{
	if (terminal->fd >= 0 && tcgetpgrp(terminal->fd) == getpgrp())
		tcsetattr(terminal->fd, TCSANOW, &terminal->modes);
}

/* Failures */

/* The last lines are whole, unless there is one alone. */
static void put_last(const struct executed *executed)
{
	const char *const first = strchr(executed->last, '\n');
	const bool cut = executed->length == EXECUTE_LAST && first && first[1];
	const char *const text = cut ? first + 1 : executed->last;

	command_put(text, executed->length - (size_t)(text - executed->last));
}

/* Whether a run did not end as it should. why: a part of a sentence. *state: what that makes of its
 * target. prepares: it is the command of --prepare. */
static enum outcome_status judge_end(const struct wanted *wanted, bool prepares,
				     const struct executed *executed, char why[256],
				     enum target_state *state)
{
	*state = TARGET_FAILED;
	switch (executed->end) {
	case EXECUTE_EXITED:
		snprintf(why, 256, "exit status %d; expected 0%s", executed->status,
			 prepares ? "" : ", or --ignore-failure");
		return executed->status && (prepares || !wanted->ignore_failure) ? OUTCOME_CRASHED :
										   OUTCOME_OK;
	case EXECUTE_SIGNALLED:
		*state = TARGET_CRASHED;
		snprintf(why, 256, "ended by signal %d (%s)", executed->status,
			 strsignal(executed->status));
		return OUTCOME_CRASHED;
	case EXECUTE_TIMED_OUT:
		*state = TARGET_HUNG;
		snprintf(why, 256, "took longer than %.3g s, and was ended; --timeout gives more",
			 (double)wanted->timeout_ns * 1e-9);
		return OUTCOME_HUNG;
	case EXECUTE_INTERRUPTED:
		return OUTCOME_INTERRUPTED;
	default:
		snprintf(why, 256, "does not start: %s%s", strerror(-executed->status),
			 executed->status == -ENOENT ?
				 ": the program, or the interpreter that a script names" :
				 "");
		return OUTCOME_NOT_FOUND;
	}
}

/* Run one program, and say what goes wrong. target: NULL: it is the command of --prepare. */
static enum outcome_status run_one(const struct commands *commands, const struct words *words,
				   size_t padding, struct target *target, struct executed *executed)
{
	const struct wanted *const wanted = commands->wanted;
	const struct execute how = {
		.arguments = words->list,
		.input = target ? wanted->input : NULL,
		.output = -1,
		.shown = wanted->show_output,
		.padding = padding,
		.timeout_ns = wanted->timeout_ns,
		.counts = target ? &counts_hardware : NULL,
	};
	enum target_state state;
	enum outcome_status status;
	char why[256];

	execute(&how, executed);
	status = judge_end(wanted, !target, executed, why, &state);
	if (status == OUTCOME_OK || status == OUTCOME_INTERRUPTED)
		return status;
	log_line(LOG_ERROR, "%s%s: %s%s", target ? "" : "--prepare ",
		 target ? target->label : wanted->prepare, why,
		 executed->length > 0 ? "; its last lines:" : "");
	put_last(executed);
	if (target) {
		target->state = state;
		reason_say(&target->reason, 0, "%s", why);
	}
	return status;
}

static enum outcome_status run_side(void *context, size_t side, size_t padding,
				    struct alternate_values *values)
{
	const struct commands *const commands = context;
	struct executed executed;
	enum outcome_status status = OUTCOME_OK;

	if (commands->prepare.n)
		status = run_one(commands, &commands->prepare, 0, NULL, &executed);
	if (status != OUTCOME_OK)
		return status == OUTCOME_INTERRUPTED ? status : OUTCOME_FAILED;
	status = run_one(commands, &commands->words[side], padding, &commands->targets[side],
			 &executed);
	*values = (struct alternate_values){ executed.cpu_ns, executed.wall_ns, executed.memory,
					     executed.counts };
	return status;
}

/* The command line */

/* Split a text of this option. */
static enum outcome_status split(const char *option, const char *text, struct words *words)
{
	const char *const wrong = words_split_quoted(words, text);

	if (words->failed) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
		return OUTCOME_FAILED;
	}
	if (!wrong && words->n > 0 && words->list[0][0])
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s '%s': %s", option, text,
		 wrong ? wrong : "expected a program and its arguments");
	return OUTCOME_USAGE;
}

static enum outcome_status parse(struct commands *commands)
{
	const struct wanted *const wanted = commands->wanted;
	enum outcome_status status = OUTCOME_OK;

	if (wanted->prepare)
		status = split("--prepare", wanted->prepare, &commands->prepare);
	for (size_t i = 0; status == OUTCOME_OK && i < commands->n; i++) {
		const char *const text = wanted->commands[i];

		status = split("--command", text, &commands->words[i]);
		if (status == OUTCOME_OK &&
		    target_name(commands->targets, i, text, commands->words[i].list[0], text)) {
			log_line(LOG_ERROR, "%s", strerror(ENOMEM));
			status = OUTCOME_FAILED;
		}
	}
	return status;
}

/* A pipe would be empty after the first run. */
static enum outcome_status try_input(const char *path)
{
	struct stat info;

	if (!path || (!stat(path, &info) && S_ISREG(info.st_mode) && !access(path, R_OK)))
		return OUTCOME_OK;
	log_line(LOG_ERROR, "--input %s: expected a file that can be read", path);
	return OUTCOME_NOT_FOUND;
}

static void begin_outcome(const struct wanted *wanted, size_t n, struct outcome *outcome)
{
	*outcome = (struct outcome){
		.subject = OUTCOME_COMMANDS,
		.wall = wanted->wall,
		.alone = wanted->alone || n == 1,
		.number = 1,
		.all = 1,
		.named = true,
	};
	options_plan(wanted, outcome);
}

/* Measure, and print what there is. */
static enum outcome_status run(struct commands *commands)
{
	const struct wanted *const wanted = commands->wanted;
	const struct alternate alternate = { run_side, commands };
	struct machine machine;
	struct terminal terminal;
	struct outcome outcome;
	enum outcome_status status, layouts;

	/* Before this program adds to the load, and before it blocks signals. */
	machine_look("", &machine);
	signals_prepare();
	if (output_try_layouts(wanted->layouts) != OUTCOME_OK)
		return OUTCOME_OUTPUT;
	keep_terminal(&terminal);
	begin_outcome(wanted, commands->n, &outcome);
	output_note_machine(&machine, &outcome);
	status = alternate_run(&alternate, commands->targets, commands->n, &outcome);
	restore_terminal(&terminal);
	if (status == OUTCOME_OK)
		status = gate_status(&outcome, 1);
	layouts = output_put_layouts(wanted->layouts, &(struct layouts){ &outcome, 1 });
	/* From here on, signals end this program: the reader of its output may have stopped. */
	if (signals_release() && status == OUTCOME_OK) {
		outcome.interrupted = true;
		status = OUTCOME_INTERRUPTED;
	}
	status = status_of_both(status, output_print(wanted, &outcome, 1));
	outcome_free(&outcome);
	return status_of_both(status, layouts);
}

enum outcome_status measure_commands(const struct wanted *wanted)
{
	const size_t n = wanted->commands_count;
	struct commands commands = {
		.wanted = wanted,
		.words = calloc(n, sizeof *commands.words),
		.targets = calloc(n, sizeof *commands.targets),
		.n = n,
	};
	enum outcome_status status = OUTCOME_FAILED;

	if (!commands.words || !commands.targets)
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	else
		status = parse(&commands);
	if (status == OUTCOME_OK)
		status = try_input(wanted->input);
	if (status == OUTCOME_OK)
		status = run(&commands);
	for (size_t i = 0; commands.words && i < n; i++)
		words_free(&commands.words[i]);
	if (commands.targets)
		target_free(commands.targets, n);
	words_free(&commands.prepare);
	free(commands.words);
	free(commands.targets);
	return status;
}
