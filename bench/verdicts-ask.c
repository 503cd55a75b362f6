/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Each comparison has a process of its own. */

#include "config.h"

#include "verdicts.h"

#include "child.h"
#include "series.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

/* Repetitions of one function, and the standard score beyond which google/benchmark's compare.py
 * tells a difference at 1 %, by the U test of Mann and Whitney. */
#define REPETITIONS 12
#define SCORE_1_PERCENT 2.5758

/* Exit statuses of cpucycles-measure --gate. */
#define ALARM 11
#define UNDECIDED 12

/* Reads an answer. why: the reason of TOO_FAST. */
typedef enum answer reader(FILE *from, char why[VERDICTS_WHY]);

static bool is_success(int status)
{
	return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == ALARM ||
				     WEXITSTATUS(status) == UNDECIDED);
}

/* Run a program, and read its answer. */
static enum answer ask(const char *const words[], reader *read_answer, char why[VERDICTS_WHY])
{
	enum answer answer;
	int status;
	pid_t child;
	FILE *from = child_start(words, &child);

	if (!from) {
		snprintf(why, VERDICTS_WHY, "%s: %s", words[0], strerror(errno));
		return FAILED;
	}
	answer = read_answer(from, why);
	status = child_finish(from, child);
	/* cpucycles-measure tells also by its exit status that a function is too fast, and what its
	 * gate says. */
	if (answer == TOO_FAST || (answer != FAILED && is_success(status)))
		return answer;
	if (WIFSIGNALED(status))
		snprintf(why, VERDICTS_WHY, "%s: killed by signal %d", words[0], WTERMSIG(status));
	else
		snprintf(why, VERDICTS_WHY, "%s: no answer, exit status %d", words[0],
			 WEXITSTATUS(status));
	return FAILED;
}

/* The path of a file relative to this program's folder. It has a slash, without which dlopen(3)
 * looks in the system's folders. */
static void path_of(const char *program, const char *file, char path[PATH_MAX])
{
	const char *slash = strrchr(program, '/');

	snprintf(path, PATH_MAX, "%.*s%s%s", slash ? (int)(slash - program + 1) : 0, program,
		 slash ? "" : "./", file);
}

static enum answer answer_named(const char *word)
{
	if (strcmp(word, "faster") == 0)
		return FASTER;
	if (strcmp(word, "slower") == 0)
		return SLOWER;
	if (strcmp(word, "same") == 0)
		return SAME;
	return strcmp(word, "cannot tell") == 0 ? CANNOT_TELL : FAILED;
}

/* What verdicts_one() prints. */
static enum answer read_own(FILE *from, char why[VERDICTS_WHY])
{
	static const char too_fast[] = "too fast: ";
	char line[VERDICTS_WHY + sizeof too_fast - 1];

	if (!fgets(line, sizeof line, from))
		return FAILED;
	line[strcspn(line, "\n")] = 0;
	if (strncmp(line, too_fast, strlen(too_fast)) != 0)
		return answer_named(line);
	snprintf(why, VERDICTS_WHY, "%s", line + strlen(too_fast));
	return TOO_FAST;
}

static enum answer ask_library(const char *program, const struct comparison *c,
			       char why[VERDICTS_WHY])
{
	char budget[16], seed[16];
	const char *const words[] = {
		program, VERDICTS_ONE, c->first, c->second, budget, seed, NULL
	};

	snprintf(budget, sizeof budget, "%u", c->budget_ms);
	snprintf(seed, sizeof seed, "%u", c->seed);
	return ask(words, read_own, why);
}

#ifdef HAVE_JANSSON

/* Copy how a sentence ends: "If they are equal, about 80 layouts would tell, in about 30 s", or
 * else "40 layouts, 3 s". */
static void copy_end(const char *sentence, char why[VERDICTS_WHY])
{
	const char *found = sentence ? strstr(sentence, "If they are equal, ") : NULL;

	if (sentence && !found) {
		found = strstr(sentence, " layouts, ");
		while (found && found > sentence && isdigit((unsigned char)found[-1]))
			found--;
	}
	snprintf(why, VERDICTS_WHY, "%s", found ? found : "");
}

/* What cpucycles-measure --json prints. */
static enum answer read_tool(FILE *from, char why[VERDICTS_WHY])
{
	json_t *root = json_loadf(from, 0, NULL);
	const json_t *functions = json_object_get(root, "functions"), *function, *verdict;
	const char *word, *fate, *text;
	enum answer answer = FAILED;
	size_t i;

	json_array_foreach(functions, i, function) {
		fate = json_string_value(json_object_get(function, "fate"));
		text = json_string_value(json_object_get(function, "text"));
		if (fate && strcmp(fate, "too fast") == 0) {
			snprintf(why, VERDICTS_WHY, "%s", text ? text : "");
			answer = TOO_FAST;
		}
	}
	verdict = json_object_get(json_object_get(json_array_get(functions, 1), "figures"),
				  "verdict");
	word = json_string_value(json_object_get(verdict, "word"));
	if (word) {
		answer = answer_named(word);
		copy_end(json_string_value(json_object_get(verdict, "sentence")), why);
	}
	json_decref(root);
	return answer;
}

/* What its gate says. */
static enum answer read_gate(FILE *from, char why[VERDICTS_WHY])
{
	json_t *root = json_loadf(from, 0, NULL);
	const char *word =
		json_string_value(json_object_get(json_object_get(root, "plan"), "gate"));
	enum answer answer = FAILED;

	(void)why;
	if (word)
		answer = strcmp(word, "alarm") == 0 ? SLOWER : CANNOT_TELL;
	json_decref(root);
	return answer;
}

/* A function in a file, as a word of the tool. */
#define FUNCTION_WORD (PATH_MAX + 24)

static void name_function(const char *program, const char *file, const char *function,
			  char word[FUNCTION_WORD])
{
	char path[PATH_MAX];

	path_of(program, file, path);
	snprintf(word, FUNCTION_WORD, "%s:%s", path, function);
}

static enum answer ask_tool(const char *program, const struct comparison *c, char why[VERDICTS_WHY])
{
	static char tool[PATH_MAX], first[FUNCTION_WORD], second[FUNCTION_WORD];
	char seed[16], within[24], seconds[24];
	/* Rows of equal functions prove something only if these are measured. */
	const char *words[11] = { tool,  "--json", "--measure-unchanged", "--seed", seed,
				  first, second };
	size_t n = 7;

	path_of(program, "../utils/cpucycles-measure", tool);
	name_function(program, c->files[0], c->first, first);
	name_function(program, c->files[1], c->second, second);
	snprintf(seed, sizeof seed, "%u", c->seed);
	snprintf(within, sizeof within, "--within=%s", c->within ? c->within : "");
	snprintf(seconds, sizeof seconds, "--time=%.1f", c->seconds);
	if (c->means == BY_GATE)
		words[n++] = "--gate=1%";
	if (c->within)
		words[n++] = within;
	if (c->seconds > 0)
		words[n++] = seconds;
	return ask(words, c->means == BY_GATE ? read_gate : read_tool, why);
}

#else

static enum answer ask_tool(const char *program, const struct comparison *c, char why[VERDICTS_WHY])
{
	(void)program;
	(void)c;
	snprintf(why, VERDICTS_WHY, "built without jansson, which reads the tool's answer");
	return FAILED;
}

#endif

/* Read the times of both functions, and take the verdict of compare.py. */
static enum answer read_google(FILE *from, char why[VERDICTS_WHY])
{
	double times[2 * REPETITIONS], score;

	(void)why;
	for (size_t i = 0; i < 2 * REPETITIONS; i++)
		if (fscanf(from, "%lf", &times[i]) != 1)
			return FAILED;
	score = rank_score(times + REPETITIONS, REPETITIONS, times, REPETITIONS);
	if (score > SCORE_1_PERCENT)
		return SLOWER;
	return score < -SCORE_1_PERCENT ? FASTER : CANNOT_TELL;
}

static enum answer ask_google(const char *program, const struct comparison *c,
			      char why[VERDICTS_WHY])
{
	static char google[PATH_MAX];
	const char *const words[] = { google, c->first, c->second,
				      c->means == BY_GOOGLE_INTERLEAVED ?
					      "--benchmark_enable_random_interleaving=true" :
					      "--benchmark_enable_random_interleaving=false",
				      NULL };

	path_of(program, "verdicts-google", google);
	if (access(google, X_OK)) {
		snprintf(why, VERDICTS_WHY, "verdicts-google was not built");
		return FAILED;
	}
	return ask(words, read_google, why);
}

enum answer verdicts_ask(const char *program, const struct comparison *comparison,
			 char why[VERDICTS_WHY])
{
	switch (comparison->means) {
	case BY_LIBRARY:
		return ask_library(program, comparison, why);
	case BY_TOOL:
	case BY_LINKING:
	case BY_GATE:
		return ask_tool(program, comparison, why);
	default:
		return ask_google(program, comparison, why);
	}
}
