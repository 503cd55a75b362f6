/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Print the frequency and its source, as lines "persecond<TAB>source" or "-<TAB>nobody":
 *   frequency-replay ROOT ARCHITECTURE   by the files of Linux below ROOT, for this architecture
 *   frequency-replay --cpu               by each source of this CPU
 *   frequency-replay --system            by all sources of this machine, in their order */

#include "config.h"

#include "environment.h"
#include "frequency.h"
#include "guard.h"
#include "rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print(bool answered, const struct persecond *answer)
{
	if (answered)
		printf("%" PRIu64 "\t%s\n", answer->hz, frequency_source_name(answer->source));
	else
		printf("-\tnobody\n");
}

static void call_ask(void *argument)
{
	struct persecond *answer = argument;

	answer->hz = frequency_cpu(answer->source);
	print(rate_is_sane(answer->hz), answer);
}

static int print_cpu(void)
{
	struct guard guard;

	if (guard_acquire(&guard) != LOCK_TAKEN)
		return 1;
	guard_install(&guard, GUARD_ALL);
	for (int source = PERSECOND_CPU_FIRST; source <= PERSECOND_CPU_LAST; source++) {
		struct persecond answer = { 0, (enum persecond_source)source };
		const int sig = guard_call(call_ask, &answer);

		if (sig)
			printf("-\tsignal %d\n", sig);
	}
	guard_release(&guard);
	return 0;
}

static int print_system(void)
{
	struct persecond answer;

	environment_read();
	answer = frequency_estimate(NULL, "", true);
	print(true, &answer);
	return 0;
}

#ifdef __linux__
static int print_tree(const char *root, const char *architecture)
{
	struct persecond answer = { 0, PERSECOND_DEFAULT };
	bool answered = frequency_linux(root, architecture, &answer);

	print(answered, &answer);
	return 0;
}
#else
static int print_tree(const char *root, const char *architecture)
{
	(void)root, (void)architecture;
	fprintf(stderr, "frequency-replay: this library is not for Linux\n");
	return 77;
}
#endif

int main(int argc, char *argv[])
{
	if (argc == 2 && !strcmp(argv[1], "--cpu"))
		return print_cpu();
	if (argc == 2 && !strcmp(argv[1], "--system"))
		return print_system();
	if (argc == 3)
		return print_tree(argv[1], argv[2]);
	fprintf(stderr, "usage: frequency-replay ROOT ARCHITECTURE | --cpu | --system\n");
	return 2;
}
