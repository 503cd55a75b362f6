/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * spend PROGRAM ARGUMENT...: runs the program and prints its time and its memory.
 *
 * The kernel counts a process's largest resident size from the fork on, so the memory of the parent
 * is counted too (fs/exec.c, exec_mmap). This parent is small for that reason.
 */

#include "config.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char *argv[])
{
	struct rusage usage, own;
	double start = now_ms();
	int status;
	pid_t child;

	if (argc < 2)
		return 2;
	child = fork();
	if (child == 0) {
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return 3;
	start = now_ms() - start;
	getrusage(RUSAGE_SELF, &own);
	printf("spent wall %.3f cpu %.3f resident %ld own %ld status %d\n", start,
	       ms(usage.ru_utime) + ms(usage.ru_stime), usage.ru_maxrss, own.ru_maxrss, status);
	return fflush(stdout) ? 3 : 0;
}
