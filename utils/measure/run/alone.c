/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "alone.h"
#include "streams.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_DL_ITERATE_PHDR
#include <link.h>
#endif

/* Room for the paths of libraries. Those beyond it are not compared. */
#define PATHS 16384

/* The two ends of a pipe. */
enum { HERE, THERE };

struct answer {
	bool known;
	struct state state;
	size_t bytes; /* of the paths */
	char paths[PATHS];
};

/* Whole, or not at all. The other end may be closed, because its process has ended. */
static bool get(int fd, void *data, size_t bytes)
{
	char *next = data;

	while (bytes > 0) {
		ssize_t n = read(fd, next, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		next += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool put(int fd, const void *data, size_t bytes)
{
	return write(fd, data, bytes) == (ssize_t)bytes;
}

/* What the constructors print comes from the loading that counts. */
static void be_silent(void)
{
	const int null = open("/dev/null", O_WRONLY);

	if (null < 0)
		return;
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
}

#ifdef HAVE_DL_ITERATE_PHDR
/* The program, and what the kernel provides, have no path. */
static int add_path(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct answer *answer = argument;
	const size_t bytes = strlen(info->dlpi_name) + 1;

	(void)size;
	if (strchr(info->dlpi_name, '/') && bytes <= PATHS - answer->bytes) {
		memcpy(answer->paths + answer->bytes, info->dlpi_name, bytes);
		answer->bytes += bytes;
	}
	return 0;
}
#endif

/* All that is loaded, in the order of loading. */
static void list_paths(struct answer *answer)
{
	answer->bytes = 0;
#ifdef HAVE_DL_ITERATE_PHDR
	dl_iterate_phdr(add_path, answer);
#endif
}

static _Noreturn void load(const char *library, int answers)
{
	struct answer answer = { .known = true };
	size_t before;

	be_silent();
	list_paths(&answer);
	before = answer.bytes;
	if (!dlopen(library, RTLD_NOW | RTLD_LOCAL))
		_exit(1);
	state_clear_direction();
	answer.state = state_get();
	list_paths(&answer);
	answer.bytes -= before;
	memmove(answer.paths, answer.paths + before, answer.bytes);
	_exit(put(answers, &answer, sizeof answer) ? 0 : 1);
}

static void load_apart(const char *library, int answers)
{
	static const struct answer unknown = { .known = false };
	const pid_t child = fork();
	int status = 1;

	if (child == 0)
		load(library, answers);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		put(answers, &unknown, sizeof unknown);
}

/* Questions are addresses of strings that were there at the fork. */
static _Noreturn void serve(int questions, int answers)
{
	const char *library;

	while (get(questions, &library, sizeof library))
		load_apart(library, answers);
	_exit(0);
}

void alone_begin(struct alone *alone)
{
	int questions[2], answers[2];

	alone->process = -1;
	if (streams_pipe(questions))
		return;
	if (streams_pipe(answers)) {
		close(questions[HERE]);
		close(questions[THERE]);
		return;
	}
	alone->process = fork();
	if (alone->process == 0) {
		close(questions[THERE]);
		close(answers[HERE]);
		serve(questions[HERE], answers[THERE]);
	}
	close(questions[HERE]);
	close(answers[THERE]);
	alone->questions = questions[THERE];
	alone->answers = answers[HERE];
	if (alone->process < 0) {
		close(alone->questions);
		close(alone->answers);
	}
}

/* The first path of a library that this process has not loaded. */
static const char *find_missing(const struct answer *answer)
{
	for (size_t at = 0; at < answer->bytes; at += strlen(answer->paths + at) + 1) {
		void *const library = dlopen(answer->paths + at, RTLD_LAZY | RTLD_NOLOAD);

		if (!library)
			return answer->paths + at;
		dlclose(library);
	}
	return NULL;
}

const char *alone_ask(const struct alone *alone, const char *library, struct state *state)
{
	static struct answer answer;

	if (alone->process < 0 || !put(alone->questions, &library, sizeof library) ||
	    !get(alone->answers, &answer, sizeof answer) || !answer.known)
		return NULL;
	*state = answer.state;
	return find_missing(&answer);
}

void alone_end(struct alone *alone)
{
	if (alone->process < 0)
		return;
	close(alone->questions);
	close(alone->answers);
	/* It may never see the end of the questions: what a constructor has forked holds the pipe,
	 * too. */
	kill(alone->process, SIGKILL);
	while (waitpid(alone->process, NULL, 0) < 0 && errno == EINTR)
		;
	alone->process = -1;
}
