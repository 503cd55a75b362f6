/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What takes the time of programs: lines for people, and JSON. */

#include "config.h"

#include "blame.h"
#include "look.h"
#include "printable.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_JANSSON
#include "json-text.h"
#endif

#define NS_PER_S 1000000000u
#define NS_PER_MS 1e6
#define DIGITS 6

/* Large, so not on the stack. */
static struct look look;

void report_noise_look(unsigned seconds)
{
	look_at_machine("", (uint64_t)seconds * NS_PER_S, &look);
}

/* Names of programs and of cgroups come from outside. */
static void print_text(const char *before, const char *text)
{
	char line[NOISE_TEXT];

	strcpy(line, text);
	printable_line(line);
	printf("%s%s", before, line);
}

static void print_cause(const struct noise_line *line)
{
	printf("cpucycles noise %.2f%% %s", 100 * line->share, blame_name(line->cause));
	print_text(": ", line->proof);
	if (line->remedy[0])
		print_text("\n    helps: ", line->remedy);
	printf("\n");
}

static void print_others(const char *what, enum noise_known known)
{
	const char *before = what;

	for (size_t i = 0; i < look.n; i++) {
		const struct noise_line *line = &look.lines[i];

		if (line->known != known || line->cause == NOISE_UNEXPLAINED)
			continue;
		printf("%s%s", before, blame_name(line->cause));
		if (known == NOISE_NOT_KNOWN) {
			print_text(" (", line->proof);
			printf(")");
		}
		before = ", ";
	}
	if (before != what)
		printf("\n");
}

void report_noise_text(void)
{
	bool rest = false;

	printf("cpucycles noise lost %.2f%% of the time on %zu of %zu CPUs in %.1f seconds, "
	       "longest gap %.2f ms\n",
	       100 * look.lost, look.cpus, look.allowed, look.seconds,
	       (double)look.longest / NS_PER_MS);
	if (look.refused)
		printf("cpucycles noise CPUs that went offline, or are not this cgroup's: %zu\n",
		       look.refused);
	for (size_t i = 0; i < look.n; i++) {
		if (look.lines[i].known != NOISE_SEEN)
			continue;
		if (!rest && blame_is_of_rest(look.lines[i].cause)) {
			printf("cpucycles noise of the rest of the time, in which nothing took the "
			       "CPU:\n");
			rest = true;
		}
		print_cause(&look.lines[i]);
	}
	print_others("cpucycles noise not seen: ", NOISE_NOT_SEEN);
	print_others("cpucycles noise not known: ", NOISE_NOT_KNOWN);
}

#ifdef HAVE_JANSSON
static json_t *causes_value(void)
{
	static const char *const known[] = {
		[NOISE_SEEN] = "seen",
		[NOISE_NOT_SEEN] = "not seen",
		[NOISE_NOT_KNOWN] = "not known",
	};
	json_t *array = json_array();

	for (const struct noise_line *line = look.lines; line < look.lines + look.n; line++)
		array = json_append(
			array, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "cause",
					 blame_key(line->cause), "known", known[line->known], "of",
					 blame_is_of_rest(line->cause) ? "rest" : "time", "share",
					 line->known == NOISE_NOT_KNOWN ? json_null() :
									  json_real(line->share),
					 "proof", json_of_sentence(line->proof), "remedy",
					 json_of_sentence(line->remedy)));
	return array;
}

static json_t *cpus_value(void)
{
	json_t *array = json_array();

	for (const struct look_cpu *cpu = look.cpu; cpu < look.cpu + look.cpus; cpu++)
		array = json_append(array, json_pack("{s:i, s:I, s:I}", "cpu", cpu->cpu, "ns",
						     (json_int_t)cpu->ns, "lost_ns",
						     (json_int_t)cpu->lost));
	return array;
}

bool report_noise_json(void)
{
	json_t *root =
		json_pack("{s:f, s:f, s:I, s:I, s:I, s:o, s:o}", "seconds", look.seconds, "lost",
			  look.lost, "longest_ns", (json_int_t)look.longest, "cpus_allowed",
			  (json_int_t)look.allowed, "cpus_skipped", (json_int_t)look.refused,
			  "cpus", cpus_value(), "causes", causes_value());

	return json_print(root, DIGITS, stdout);
}
#endif
