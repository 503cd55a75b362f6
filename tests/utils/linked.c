/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Links functions by measure-link, and runs the program. link.sh starts it:
 *     linked [-f FLAGS] [-w WITH]... [-s SECONDS] [-p PLACE]... [-g GAP]... [-o ORDER]...
 * [-d PADDING] [-c COPIES] [-m MADE] [-t] HARNESS TARGET... Each -p is the place of a side, and
 * each -g the gap between its section and the rest of its code, 0 if there are less. Each -o is the
 * number of a target, in the order of memory; without any, all of them. Of the copies, so many are
 * made. It prints whether each file is linked or loaded, the alignment of each target's code, the
 * path of the program, and what that prints. -t: when all has been prepared, wait for a signal.
 */

#include "config.h"

#include "log.h"
#include "measure/files/target.h"
#include "measure/link/command.h"
#include "measure/link/link.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 8

struct request {
	struct link_options options;
	const char *with[MOST];
	size_t place[MOST], places, gap[MOST], gaps, order[MOST], ordered, padding, made;
	bool wait;
	struct target targets[MOST];
	size_t n;
};

static struct command command;

static void parse_options(int argc, char *argv[], struct request *request)
{
	int option;

	while ((option = getopt(argc, argv, "f:w:s:p:g:o:d:c:m:t")) != -1) {
		if (option == 'f')
			request->options.flags = optarg;
		else if (option == 'w' && request->options.with_count < MOST)
			request->with[request->options.with_count++] = optarg;
		else if (option == 's')
			request->options.seconds = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'p' && request->places < MOST)
			request->place[request->places++] = strtoul(optarg, NULL, 10);
		else if (option == 'g' && request->gaps < MOST)
			request->gap[request->gaps++] = strtoul(optarg, NULL, 10);
		else if (option == 'o' && request->ordered < MOST)
			request->order[request->ordered++] = strtoul(optarg, NULL, 10);
		else if (option == 'd')
			request->padding = strtoul(optarg, NULL, 10);
		else if (option == 'c')
			request->options.copies = strtoul(optarg, NULL, 10);
		else if (option == 'm')
			request->made = strtoul(optarg, NULL, 10);
		else if (option == 't')
			request->wait = true;
		else
			exit(2);
	}
	request->options.with = request->with;
}

/* Sides that -o does not name come last. */
static void order_others(struct request *request)
{
	size_t last = request->ordered;

	for (size_t i = 0; i < MOST; i++) {
		size_t k = 0;

		while (k < request->ordered && request->order[k] != i)
			k++;
		if (k == request->ordered)
			request->order[last++] = i;
	}
}

static void parse_targets(int argc, char *argv[], struct request *request)
{
	if (argc - optind < 2 || argc - optind > MOST)
		exit(2);
	request->options.harness = argv[optind++];
	for (; optind < argc; optind++, request->n++)
		if (target_parse(argv[optind], request->targets, request->n))
			exit(2);
	order_others(request);
	request->ordered = request->ordered ? request->ordered : request->n;
}

/* Also that it can be linked again. */
static int link_twice(struct link *link, struct request *request, struct reason_text *reason)
{
	const struct placement placement = { .starts = request->place,
					     .gaps = request->gap,
					     .order = request->order,
					     .padding = request->padding };
	const size_t copies = request->made ? request->made : link_copies(link);
	struct target *parts[MOST];
	int error = 0;

	for (size_t i = 0; i < request->ordered; i++)
		parts[i] = &request->targets[request->order[i]];

	for (int i = 0; i < 2 && !error; i++)
		error = link_make(link, &placement, parts, request->ordered, copies, reason);
	return error;
}

static int run_program(const char *program)
{
	struct words words = { 0 };
	int error;

	words_add(&words, program);
	error = command_run(&words, "/nonexistent", 60, false, &command);
	words_free(&words);
	printf("program %s\n", program);
	if (error)
		printf("error %d\n", error);
	else
		printf("%sstatus %d\n", command.output, command.status);
	return error;
}

static void print_inputs(const struct request *request)
{
	for (size_t i = 0; i < request->n; i++)
		printf("%s %s\n", request->targets[i].library,
		       link_is_input(request->targets[i].library) ? "is linked" : "is loaded");
}

static int work(struct request *request)
{
	struct reason_text reason;
	struct link *link;
	size_t which;
	int error =
		link_begin(&link, request->targets, request->n, &request->options, &which, &reason);

	/* ThreadSanitizer runs a handler at the next call that it knows, and pselect(2) is none. */
	while (!error && request->wait && !signals_asked()) {
		signals_sleep(100000000);
		nanosleep(&(struct timespec){ 0 }, NULL);
	}
	for (size_t i = 0; i < request->n && !error; i++)
		printf("alignment %zu\n", link_alignment(link, i));
	if (!error && request->options.copies)
		printf("copies %zu\n", link_copies(link));
	if (!error)
		error = link_twice(link, request, &reason);
	if (!error)
		error = run_program(link_program(link));
	else
		log_line(LOG_ERROR, "%zu: %s; %s", which, reason.what, reason.remedy);
	link_end(link);
	return error;
}

int main(int argc, char *argv[])
{
	static struct request request;
	int error;

	log_set_name("linked");
	parse_options(argc, argv, &request);
	parse_targets(argc, argv, &request);
	signals_prepare();
	print_inputs(&request);
	error = work(&request);
	fflush(stdout);
	target_free(request.targets, request.n);
	signals_release();
	return error ? 1 : 0;
}
