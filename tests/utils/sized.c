/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions of a size, for measure-sizes.sh. */

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static size_t wanted;

static void spin(size_t turns)
{
	for (volatile size_t i = 0; i < turns; i++)
		;
}

/* Each process says its size. */
void work_setup(size_t n)
{
	wanted = n;
	fprintf(stderr, "size %zu\n", n);
}

void work(size_t n)
{
	if (n != wanted)
		abort();
	spin(1000);
}

/* Takes longer the more there is. */
void linear(size_t n)
{
	spin(300 + n);
}

void crash(size_t n)
{
	spin(1000);
	if (n == 64)
		abort();
}

void closes(size_t n)
{
	for (int fd = 3; fd < 64 && n == 64; fd++)
		close(fd);
	spin(1000);
}

void crash_in_setup_setup(size_t n)
{
	if (n == 64)
		abort();
}

void crash_in_setup(size_t n)
{
	(void)n;
	spin(1000);
}

void hang(size_t n)
{
	spin(1000);
	while (n == 64)
		;
}

/* Ctrl-C. */
void interrupt(size_t n)
{
	if (n == 64) {
		kill(getppid(), SIGINT);
		for (;;)
			pause();
	}
	spin(1000);
}

void nothing(size_t n)
{
	if (n > 0)
		spin(1000);
}

/* Without a size. */
const size_t plain_bytes = 4096;

void plain_setup(void)
{
	spin(1);
}

void plain(void)
{
	spin(1000);
}

void bare(void)
{
	spin(1000);
}

const size_t stated_bytes = 4096;

void stated(size_t n)
{
	spin(1000 + n);
}

/* A constant that does not say its bytes. */
const char wild_bytes[sizeof(size_t)] = "\xff\xff\xff\xff\xff\xff\xff";

void wild(void)
{
	spin(1000);
}
