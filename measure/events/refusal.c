/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "refusal.h"
#include "reason.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since Linux 5.8; older headers do not have it. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* Whether a program gets the kernel by this capability. It needs a kernel that has the capability,
 * and a process tree that may get it. Where users may not even count user mode, kernels of Debian
 * ask for CAP_SYS_ADMIN instead. Source: kernel, admin-guide/perf-security.rst; Debian's patch
 * "security,perf: Allow further restriction of perf_event_open". */
static bool capability_helps(void)
{
	struct perf_event_attr user = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof user,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &user, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return prctl(PR_CAPBSET_READ, CAP_PERFMON) == 1;
}

/* What lets a user count the kernel, by root's hand: first what opens it to one program only. */
static const char *what_opens_the_kernel(void)
{
	return capability_helps() ?
		       "setcap cap_perfmon+ep PROGRAM (of cpucycles-measure, a private copy), or "
		       "for all: sysctl kernel.perf_event_paranoid=1" :
		       "sysctl kernel.perf_event_paranoid=1";
}

/* Why an event that the system knows cannot be opened with these modes. */
static void say_mode(const struct event *event, int error, struct reason_text *reason)
{
	const char *const name = event->ask.text;

	if (error == EACCES && event->by_default) {
		reason_say(reason, error, "%s: it happens in the kernel, which may not be counted",
			   name);
		reason_remedy(reason, "run as root, or as root: %s", what_opens_the_kernel());
	} else if (error == EACCES) {
		reason_say(reason, error, "%s: the kernel (k) may not be counted", name);
		reason_remedy(reason, "ask for user mode (u), or as root: %s",
			      what_opens_the_kernel());
	} else {
		reason_say(reason, error, "%s: the PMU cannot count %s%s only", name,
			   event->user ? "user mode (u)" : "",
			   event->kernel ? "the kernel (k)" : "");
		reason_remedy(reason, "ask for both: name it with the letters uk");
	}
}

void event_refusal_limit(const char *name, int error, struct reason_text *reason)
{
	struct rlimit limit;

	if (error == EMFILE && !getrlimit(RLIMIT_NOFILE, &limit))
		reason_say(reason, error, "%s: all %llu descriptors of this process are in use",
			   name, (unsigned long long)limit.rlim_cur);
	else
		reason_say(reason, error, "%s: %s", name, strerror(error));
	reason_advise(reason, error);
}

void event_refusal_say(const struct event *event, int error, struct reason_text *reason)
{
	const char *const name = event->ask.text;

	if (event->ask.source == EVENT_BREAKPOINT && error == EINVAL) {
		reason_say(reason, error, "%s: this CPU cannot watch such an access", name);
		reason_remedy(reason, "watch writes (w) or all accesses (rw), and 1, 2, 4 or 8 "
				      "bytes at a multiple of that");
	} else if ((error == EACCES && event->kernel) ||
		   ((error == EINVAL || error == EOPNOTSUPP) && event->user != event->kernel)) {
		say_mode(event, error, reason);
	} else if (event->hardware && event->has_pmu && error == ENOENT) {
		reason_say(reason, error, "%s: this machine's PMU does not have it", name);
		reason_remedy(reason, "see which events it has: cpucycles-measure -l");
	} else if (event->ask.source == EVENT_BREAKPOINT && error == ENOSPC) {
		reason_say(reason, error, "%s: all breakpoints of the CPU are in use", name);
		reason_remedy(reason, "ask for fewer breakpoints, or end debuggers that have some");
	} else if (event->hardware && (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)) {
		reason_say(reason, error, "%s: no PMU of this machine counts it", name);
		reason_advise(reason, error);
	} else {
		event_refusal_limit(name, error, reason);
	}
}
