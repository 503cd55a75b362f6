/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Run a command for which the kernel refuses perf_event_open, as containers do:
 *   refuse-perf COMMAND...
 * Needs root. The command may be setpriv(1). Exit status: that of the command, or 125. */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	struct sock_filter lines[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof lines / sizeof lines[0], lines };

	if (argc < 2 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("refuse-perf");
		return 125;
	}
	if (syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) != -1 || errno != EACCES) {
		fputs("refuse-perf: perf_event_open is not refused\n", stderr);
		return 125;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 125;
}
