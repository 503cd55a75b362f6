/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "files.h"
#include "parse.h"
#include "smi.h"

#include <unistd.h>

#ifdef HAVE_LINUX_PERF_EVENT_H
#include <linux/perf_event.h>
#include <sys/syscall.h>

#define PMU "/sys/bus/event_source/devices/msr"
#define SMI_CONFIG 4 /* what its file events/smi says, "event=0x04"; arch/x86/events/msr.c */
#define TEXT_SIZE 64

int smi_open(const char *root, int cpu)
{
	struct perf_event_attr attr = { .size = sizeof attr, .config = SMI_CONFIG };
	char type[TEXT_SIZE], event[TEXT_SIZE];

	if (!files_read(root, PMU "/type", type, sizeof type) ||
	    !files_read(root, PMU "/events/smi", event, sizeof event) ||
	    parse_field(type, 0) > UINT32_MAX)
		return -1;
	attr.type = (uint32_t)parse_field(type, 0);
	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

#else

int smi_open(const char *root, int cpu)
{
	(void)root, (void)cpu;
	return -1;
}

#endif

uint64_t smi_count(int fd)
{
	uint64_t count;

	return fd >= 0 && read(fd, &count, sizeof count) == sizeof count ? count : PARSE_UNKNOWN;
}

void smi_close(int fd)
{
	if (fd >= 0)
		close(fd);
}
