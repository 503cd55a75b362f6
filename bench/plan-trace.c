/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "plan-trace.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* PTRACE_GET_SYSCALL_INFO of ptrace(2), since Linux 5.3. It is declared here because libcs disagree
 * on the name of the structure. */
#define GET_SYSCALL_INFO 0x420e
#define INFO_ENTRY 1
#define INFO_EXIT 2

struct syscall_info {
	uint8_t op, pad[3];
	uint32_t arch;
	uint64_t instruction_pointer, stack_pointer;
	union {
		struct {
			uint64_t nr, args[6];
		};
		int64_t result; /* of an exit */
	};
	uint64_t room[4];
};

/* The size of struct perf_event_attr, the largest structure that the known calls read. */
#define IN_BYTES_LARGE 136
#define IN_BYTES 32

/*
 * The system calls that a first call makes. One letter for each argument:
 *   n  a number
 *   s  a string
 *   i  NULL or an address from which the kernel reads IN_BYTES
 *   I  the same with IN_BYTES_LARGE
 *   o  NULL or an address to which the kernel writes
 */
static const struct known {
	long number;
	const char *name, *arguments;
} known[] = {
	{ SYS_openat, "openat", "nsnn" },
#ifdef SYS_open
	{ SYS_open, "open", "snn" },
#endif
	{ SYS_read, "read", "non" },
	{ SYS_pread64, "pread64", "onnn" },
	{ SYS_close, "close", "n" },
#ifdef SYS_fstat
	{ SYS_fstat, "fstat", "no" },
#endif
#ifdef SYS_newfstatat
	{ SYS_newfstatat, "newfstatat", "nson" },
#endif
#ifdef SYS_statx
	{ SYS_statx, "statx", "nsnno" },
#endif
	{ SYS_fstatfs, "fstatfs", "no" },
	{ SYS_lseek, "lseek", "nnn" },
	{ SYS_rt_sigaction, "rt_sigaction", "nion" },
	{ SYS_rt_sigprocmask, "rt_sigprocmask", "nion" },
	{ SYS_sigaltstack, "sigaltstack", "io" },
	{ SYS_gettid, "gettid", "" },
	{ SYS_getpid, "getpid", "" },
	{ SYS_geteuid, "geteuid", "" },
	{ SYS_clock_gettime, "clock_gettime", "no" },
	{ SYS_perf_event_open, "perf_event_open", "Innnn" },
};

void trace_me(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
}

static const struct known *find_known(uint64_t number)
{
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if ((uint64_t)known[i].number == number)
			return &known[i];
	return NULL;
}

static size_t peek(pid_t child, uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)from, size };
	ssize_t n = process_vm_readv(child, &local, 1, &remote, 1, 0);

	return n > 0 ? (size_t)n : 0;
}

struct line {
	char *text;
	size_t length, room;
};

static void put(struct line *line, const char *text)
{
	size_t n = strlen(text);

	if (line->length + n < line->room) {
		memcpy(line->text + line->length, text, n + 1);
		line->length += n;
	}
}

static void put_bytes(struct line *line, const char *bytes, size_t n)
{
	char pair[3];

	put(line, "i");
	for (size_t i = 0; i < n; i++) {
		snprintf(pair, sizeof pair, "%02x", (unsigned)(unsigned char)bytes[i]);
		put(line, pair);
	}
}

static void put_argument(struct line *line, pid_t child, char kind, uint64_t value,
			 char name[TRACE_NAME])
{
	char bytes[TRACE_NAME] = { 0 }, number[32];
	size_t n, used;

	snprintf(number, sizeof number, "n%llx", (unsigned long long)value);
	if (kind == 'n' || value == 0) {
		put(line, number);
	} else if (kind == 'o') {
		put(line, "o");
	} else {
		n = peek(child, value, bytes,
			 kind == 's' ? sizeof bytes - 1 :
			 kind == 'I' ? IN_BYTES_LARGE :
				       IN_BYTES);
		if (kind == 's') {
			used = strlen(name);
			n = strlen(bytes) + 1;
			snprintf(name + used, TRACE_NAME - used, " %s", bytes);
		}
		put_bytes(line, bytes, n);
	}
	put(line, ",");
}

static void record(pid_t child, const struct syscall_info *info, struct trace *trace)
{
	const struct known *k = find_known(info->nr);
	struct line line = { trace->text, strlen(trace->text), sizeof trace->text };
	char number[32];
	char *name;

	if (trace->n == PLAN_CALLS) {
		snprintf(trace->why, sizeof trace->why, "it makes more than %d system calls",
			 PLAN_CALLS);
		return;
	}
	name = trace->names[trace->n++];
	if (!k) {
		snprintf(name, TRACE_NAME, "system call %llu", (unsigned long long)info->nr);
		snprintf(trace->why, sizeof trace->why,
			 "plan-trace.c does not know how to repeat system call %llu",
			 (unsigned long long)info->nr);
		return;
	}
	snprintf(name, TRACE_NAME, "%s", k->name);
	snprintf(number, sizeof number, "%ld:", k->number);
	put(&line, number);
	for (size_t i = 0; k->arguments[i]; i++)
		put_argument(&line, child, k->arguments[i], info->args[i], name);
	put(&line, ";");
}

/* The child has stopped at the start or at the end of a system call. */
static void look(pid_t child, struct trace *trace, int *marks)
{
	struct syscall_info info;

	memset(&info, 0, sizeof info);
	if (syscall(SYS_ptrace, GET_SYSCALL_INFO, child, sizeof info, &info) < 0) {
		snprintf(trace->why, sizeof trace->why, "ptrace: PTRACE_GET_SYSCALL_INFO: %s",
			 strerror(errno));
		return;
	}
	if (info.op == INFO_EXIT && *marks == 1 && trace->n > 0)
		trace->results[trace->n - 1] = info.result;
	if (info.op != INFO_ENTRY)
		return;
	if (info.nr == SYS_close && (int)info.args[0] == PLAN_MARK)
		(*marks)++;
	else if (*marks == 1)
		record(child, &info, trace);
}

static long control(long request, pid_t child, unsigned long data)
{
	return syscall(SYS_ptrace, request, child, 0L, data);
}

int trace_follow(pid_t child, struct trace *trace)
{
	int status = 0, marks = 0;
	bool started = false;

	memset(trace, 0, sizeof *trace);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int sig = WSTOPSIG(status);

		if (sig == (SIGTRAP | 0x80)) {
			look(child, trace, &marks);
			sig = 0;
		} else if (!started) { /* the stop in trace_me() */
			control(PTRACE_SETOPTIONS, child, PTRACE_O_TRACESYSGOOD);
			started = true;
			sig = 0;
		} else if (sig == SIGTRAP) { /* the stop after exec */
			sig = 0;
		}
		if (control(PTRACE_SYSCALL, child, (unsigned long)sig) < 0)
			break;
	}
	if (!trace->why[0] && marks != 2)
		snprintf(trace->why, sizeof trace->why, "it cannot be traced");
	if (!trace->why[0] && trace->n == 0)
		snprintf(trace->why, sizeof trace->why, "it makes no system call");
	return status;
}
