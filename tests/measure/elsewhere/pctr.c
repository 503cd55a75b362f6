/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * An OpenBSD with pctr(4), for measure/events/group-openbsd.c. Each PCIOCRD takes the next look:
 * TSC,COUNT0,COUNT1,COUNT2,COUNT3 in hexadecimal, behind which may stand the switches of the thread
 * and the function of counter 0. In the environment, cpu=VENDOR and leaf10=EAX:EBX are the CPU.
 */

#include "config.h"

#include "driver.h"

#include <cpuid.h>
#include <errno.h>
#include <machine/pctr.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

static unsigned functions[PCTR_NUM] = { 0x111, 0x222, 0x333, 0x444 };
static unsigned long long switched;

int __get_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
	const char *cpu = getenv("cpu");
	const char *words = getenv("leaf10");
	const char *vendor = !cpu ? "GenuineIntel" : cpu;

	*a = *b = *c = *d = 0;
	if (leaf == 0) {
		memcpy(b, vendor, 4);
		memcpy(d, vendor + 4, 4);
		memcpy(c, vendor + 8, 4);
		return 1;
	}
	return leaf == 10 && sscanf(words ? words : "07000004:0", "%x:%x", a, b) == 2;
}

int made_getrusage(int who, struct rusage *usage)
{
	if (who != RUSAGE_THREAD)
		return -1;
	*usage = (struct rusage){ .ru_nvcsw = (long)switched / 2,
				  .ru_nivcsw = (long)(switched - switched / 2) };
	return 0;
}

static void take_look(struct pctrst *state)
{
	unsigned long long v[7] = { 0 };
	int got;

	memset(state, 0x55, sizeof *state);
	memcpy(state->pctr_fn, functions, sizeof functions);
	if (!*looks)
		return;
	got = sscanf(*looks++, "%llx,%llx,%llx,%llx,%llx,%llx,%llx", &v[0], &v[1], &v[2], &v[3],
		     &v[4], &v[5], &v[6]);
	state->pctr_tsc = v[0];
	for (int i = 0; i < PCTR_NUM; i++)
		state->pctr_hwc[i] = v[i + 1];
	if (got > 5)
		switched = v[5];
	if (got > 6)
		state->pctr_fn[0] = (unsigned)v[6];
}

int made_ioctl(int fd, unsigned long request, ...)
{
	char key[20];
	va_list list;
	void *data;

	va_start(list, request);
	data = va_arg(list, void *);
	va_end(list);
	snprintf(key, sizeof key, "%08lx", request);
	printf("ioctl %d %s", fd, key);
	if (request == PCIOCRD) {
		puts("");
		if (fails(key))
			return -1;
		take_look(data);
		return 0;
	}
	printf(" %08x\n", *(unsigned *)data);
	if (fails(key))
		return -1;
	functions[request - PCIOCS0] = *(unsigned *)data;
	return 0;
}

void drive(size_t n)
{
	if (open_group(0, n))
		return;
	puts(event_group_way(group(0)));
	read_and_close(n);
}
