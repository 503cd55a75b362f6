/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The same work in the main thread, in two threads at once, in a child, in a thread of
 * the child, and in 500 threads one after the other: what each of them counts, and the
 * descriptors that are open before and after. For a counter that counts per thread. */

#include <cpucycles.h>

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 1000000
#define THREADS 500

static long long work(void)
{
	long long start = cpucycles();

	for (volatile int i = 0; i < ROUNDS; i++)
		;
	return cpucycles() - start;
}

static void *work_in_thread(void *count)
{
	*(long long *)count = work();
	return NULL;
}

static void start(pthread_t *thread, long long *count)
{
	if (pthread_create(thread, NULL, work_in_thread, count)) {
		puts("no thread can be made");
		exit(1);
	}
}

static void two_at_once(const char *name)
{
	pthread_t threads[2];
	long long counts[2];

	start(&threads[0], &counts[0]);
	start(&threads[1], &counts[1]);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%s %lld %lld\n", name, counts[0], counts[1]);
	fflush(stdout);
}

static void in_a_child(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		printf("child %lld\n", work());
		two_at_once("child-threads");
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("child-status %d\n", status);
}

static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

static void one_by_one(void)
{
	int before = descriptors();

	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		long long count;

		start(&thread, &count);
		pthread_join(thread, NULL);
	}
	printf("descriptors %d %d\n", before, descriptors());
}

int main(void)
{
	cpucycles();
	printf("counter %s\n", cpucycles_implementation());
	printf("main %lld\n", work());
	two_at_once("threads");
	in_a_child();
	one_by_one();
	printf("main-again %lld\n", work());
	return 0;
}
