/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "asker.h"
#include "command.h"
#include "log.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* As a shell's. */
#define CANNOT_RUN 126
#define NOT_FOUND 127

static const int passed[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2 };

static volatile sig_atomic_t child;

/* A signal without a sender is the terminal's. Ctrl-C sends it to the whole group, which has the
 * command in it. But the loss of the terminal is told to the leader of the session only, which may
 * be this process. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_pid || number == SIGHUP)
		kill((pid_t)child, number);
}

/* Block the signals that are passed on, and handle them. One that is ignored stays so, here and in
 * the command: nohup(1) ignores SIGHUP. */
static void take_signals(sigset_t *ours, sigset_t *before)
{
	struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction old;

	sigemptyset(&action.sa_mask);
	sigemptyset(ours);
	for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
		if (sigaction(passed[i], NULL, &old) || old.sa_handler == SIG_IGN)
			continue;
		sigaddset(ours, passed[i]);
		sigaction(passed[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, ours, before);
}

/* At 0 microseconds of latency, CPUs do not sleep, as long as the file is open. Source: kernel,
 * power/pm_qos_interface.rst. */
static int keep_awake(const char *path)
{
	const int32_t none = 0;
	const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 || write(fd, &none, sizeof none) != (ssize_t)sizeof none)
		log_line(LOG_INFO, "%s: left: %s", path, strerror(errno));
	return fd;
}

/* The parent may have been killed before this process asked to end with it. */
static void end_with(pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(CANNOT_RUN);
}

static void become_command(const struct command *command, pid_t parent, const sigset_t *mask)
{
	const char *name = command->arguments[0];
	const bool pinned = affinity_pin(command->cpu);
	const int error = asker_become(command->user);

	/* After it has become another user, which ends that wish. */
	end_with(parent);
	if (!pinned || error) {
		log_line(LOG_ERROR, "%s: not run: %s", name,
			 pinned ? strerror(-error) : "it may not run on the quiet CPU");
		_exit(CANNOT_RUN);
	}
	streams_give_back();
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(name, command->arguments);
	log_line(LOG_ERROR, "%s: %s%s", name, strerror(errno),
		 errno == ENOENT ? ": the command, or the interpreter that a script names" : "");
	_exit(errno == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

/* It stays a zombie, so that no signal is passed on to another process with its number. */
static void wait_for_end(pid_t process)
{
	siginfo_t info;

	while (waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT) && errno == EINTR)
		;
}

void command_run(void *argument)
{
	struct command *command = argument;
	const pid_t parent = getpid();
	const int awake = keep_awake(command->latency);
	sigset_t ours, before;
	pid_t process;

	take_signals(&ours, &before);
	process = fork();
	if (process == 0)
		become_command(command, parent, &before);
	child = (sig_atomic_t)process;
	command->status = CANNOT_RUN << 8;
	if (process < 0) {
		log_line(LOG_ERROR, "%s: %s", command->arguments[0], strerror(errno));
	} else {
		sigprocmask(SIG_SETMASK, &before, NULL);
		wait_for_end(process);
		sigprocmask(SIG_BLOCK, &ours, NULL);
		waitpid(process, &command->status, 0);
	}
	if (awake >= 0)
		close(awake);
}

int command_status(const struct command *command)
{
	const struct rlimit no_core = { 0, 0 };
	const int number = WTERMSIG(command->status);
	sigset_t only;

	if (!WIFSIGNALED(command->status))
		return WEXITSTATUS(command->status);
	setrlimit(RLIMIT_CORE, &no_core);
	signal(number, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(number);
	return 128 + number;
}
