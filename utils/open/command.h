/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A command that runs on the quiet CPU, as the user who asked for it. */

#ifndef CPUCYCLES_COMMAND_H
#define CPUCYCLES_COMMAND_H

#include <pwd.h>

struct command {
	char *const *arguments; /* the last one is NULL */
	const struct passwd *user;
	int cpu;
	const char *latency; /* path of the kernel's file that keeps CPUs from deep sleep */
	int status;          /* as waitpid(2) has it, after the run */
};

/* Run the command (struct command *) to its end. Meanwhile CPUs do not sleep deeply, and signals
 * that others send to this process are passed on. The process of the command does not outlive this
 * one, unless it has taken other rights. Those that it has started do. */
void command_run(void *command);

/* The exit status of a program that ended as the command did. If a signal ended the command, this
 * process ends by the same signal. */
int command_status(const struct command *command);

#endif
