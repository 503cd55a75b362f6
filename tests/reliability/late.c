/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* First calls and a selection anew in four threads that nothing puts in order. Two threads call
 * when the others have most likely selected. Each thread has only variables of its own, so that a
 * checker finds no race in this program. */

#include <cpucycles.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 4

static void *count(void *answer)
{
	long long *const n = answer;

	if (*n >= THREADS / 2)
		usleep(300000);
	if (*n == THREADS - 1)
		cpucycles_reselect();
	*n = cpucycles() != 0 && cpucycles_persecond() > 0 && cpucycles_hz() >= 0;
	return NULL;
}

int main(void)
{
	long long answers[THREADS][64] = { { 0 } }; /* each in a line of the CPU's caches */
	pthread_t threads[THREADS];
	int good = 0;

	for (int i = 0; i < THREADS; i++) {
		answers[i][0] = i;
		if (pthread_create(&threads[i], NULL, count, answers[i]))
			return 1;
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		good += answers[i][0] == 1;
	}
	puts(cpucycles_implementation());
	return good != THREADS;
}
