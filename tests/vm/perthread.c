/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* perthread [THREADS]: print the counts of a counter that counts each thread's cycles, for
 * - the same work in the main thread, in two threads at once, in a child, and in two threads of it;
 * - two threads on one CPU, of which the second one does three times the work;
 * - a thread that sleeps while the main thread is busy;
 * and the number of open descriptors before and after that many threads came and went. */

#define _GNU_SOURCE
#include <cpucycles.h>

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 200000
#define THREADS 500
#define SLEEP_US 20000
#define SLEEPS 5

struct job {
	long rounds;
	long long count;
};

static atomic_int slept;

static long long work(long rounds)
{
	long long start = cpucycles();

	for (volatile long i = 0; i < rounds; i++)
		;
	return cpucycles() - start;
}

static void *do_job(void *argument)
{
	struct job *job = argument;

	job->count = work(job->rounds);
	return NULL;
}

static void *do_sleep(void *argument)
{
	struct job *job = argument;
	long long start = cpucycles();

	usleep(SLEEP_US);
	job->count = cpucycles() - start;
	atomic_store(&slept, 1);
	return NULL;
}

static void start(pthread_t *thread, void *(*run)(void *), struct job *job)
{
	if (pthread_create(thread, NULL, run, job)) {
		puts("no thread can be made");
		exit(1);
	}
}

static void two_at_once(const char *name, long second)
{
	pthread_t threads[2];
	struct job jobs[2] = { { ROUNDS, 0 }, { second * ROUNDS, 0 } };

	for (int i = 0; i < 2; i++)
		start(&threads[i], do_job, &jobs[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s %lld %lld\n", name, jobs[0].count, jobs[1].count);
	fflush(stdout);
}

/* The two threads take turns, so a counter of the CPU's cycles would count the work of both. */
static void on_one_cpu(void)
{
	cpu_set_t before, one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_getaffinity(0, sizeof before, &before) ||
	    sched_setaffinity(0, sizeof one, &one)) {
		puts("no CPU can be chosen");
		exit(1);
	}
	two_at_once("one-cpu", 3);
	sched_setaffinity(0, sizeof before, &before);
}

/* The main thread's count while the other one, which counts too, sleeps. */
static long long busy_beside(struct job *job)
{
	pthread_t thread;
	long long begin = cpucycles();

	atomic_store(&slept, 0);
	start(&thread, do_sleep, job);
	while (!atomic_load(&slept))
		;
	pthread_join(thread, NULL);
	return cpucycles() - begin;
}

/* The best of a few tries. The emulated counter counts the host's time, so a host that stalls the
 * machine just before or after the sleep makes the sleeping thread count too. */
static void idle_and_busy(void)
{
	struct job job = { 0, 0 };
	long long busy = busy_beside(&job), idle = job.count;

	for (int i = 1; i < SLEEPS; i++) {
		const long long now = busy_beside(&job);

		if (job.count < idle) {
			idle = job.count;
			busy = now;
		}
	}
	printf("idle %lld\nbusy %lld\n", idle, busy);
	fflush(stdout);
}

static void in_a_child(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		printf("child %lld\n", work(ROUNDS));
		two_at_once("child-threads", 1);
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

/* A few threads at a time: each opens an event of its own, and closes it at its end. */
static void come_and_go(long n)
{
	int before = descriptors();

	for (long i = 0; i < n; i += 2) {
		pthread_t threads[2];
		struct job jobs[2] = { { 1, 0 }, { 1, 0 } };

		for (int j = 0; j < 2; j++)
			start(&threads[j], do_job, &jobs[j]);
		for (int j = 0; j < 2; j++)
			pthread_join(threads[j], NULL);
	}
	printf("came %ld\ndescriptors %d %d\n", n, before, descriptors());
}

int main(int argc, char *argv[])
{
	long n = argc > 1 ? atol(argv[1]) : THREADS;

	cpucycles();
	printf("counter %s\n", cpucycles_implementation());
	printf("main %lld\n", work(ROUNDS));
	two_at_once("threads", 1);
	on_one_cpu();
	idle_and_busy();
	in_a_child();
	come_and_go(n);
	printf("main-again %lld\n", work(ROUNDS));
	return 0;
}
