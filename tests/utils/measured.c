/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions that cpucycles-measure is tried with, well behaved and other ones. measure.sh makes a
 * shared object of this file. PID_FILE in the environment names a file for process numbers. */

#define _DEFAULT_SOURCE

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile uint64_t state = 1;

/* Each multiplication waits for the one before. */
static void multiply(unsigned n)
{
	uint64_t x = state;

	for (unsigned i = 0; i < n; i++)
		x = x * UINT64_C(6364136223846793005) + i;
	state = x;
}

static void write_pid(long pid)
{
	const char *path = getenv("PID_FILE");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (file) {
		fprintf(file, "%ld\n", pid);
		fclose(file);
	}
}

void thousand(void)
{
	multiply(1000);
}

void two_thousand(void)
{
	multiply(2000);
}

void empty(void) {}

void millisecond(void)
{
	usleep(1000);
}

static int set_up;

/* Crashes unless it was set up, and that once. */
void needs_setup(void)
{
	if (set_up != 1)
		abort();
	multiply(1000);
}

void needs_setup_setup(void)
{
	set_up++;
}

void prints(void)
{
	static int calls;

	if (calls++ == 0)
		printf("printed by the function\n");
	multiply(1000);
}

void closes(void)
{
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	multiply(1000);
}

void dies(void)
{
	raise(SIGKILL);
}

void leaves(void)
{
	exit(7);
}

void hangs(void)
{
	write_pid((long)getpid());
	for (;;)
		pause();
}

/* alarm(2) and its signal are the function's own. */
void alarms(void)
{
	signal(SIGALRM, SIG_IGN);
	alarm(1);
	for (;;)
		pause();
}

void stops(void)
{
	raise(SIGSTOP);
}

void dies_in_setup(void) {}

void dies_in_setup_setup(void)
{
	raise(SIGKILL);
}

void leaves_a_child(void)
{
	multiply(1000);
}

void leaves_a_child_setup(void)
{
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	write_pid((long)child);
}

/* As Ctrl-C does, after some samples. */
void interrupts(void)
{
	static int calls;

	if (++calls == 1000)
		kill(getppid(), SIGINT);
	usleep(100);
}

#ifdef DIES_IN_CONSTRUCTOR
static void __attribute__((constructor)) construct(void)
{
	raise(SIGKILL);
}
#endif
