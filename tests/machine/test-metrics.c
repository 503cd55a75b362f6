/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The text of the metrics, from made inspections. */

#include "config.h"

#include "cpucycles.h"
#include "metrics.h"
#include "unit.h"

#include <errno.h>

static struct inspection in;
static struct metrics_setting setting;
static char text[METRICS_SIZE];

/* A cache in use with two usable counters. The others do not work. */
static int set_up(UNIT_UNUSED void **state)
{
	memset(&in, 0, sizeof in);
	in.implementation = counters_list[0]->name;
	in.selection = "cache";
	in.status = "used";
	in.persecond.hz = 3000000000;
	in.persecond.source = "cpuinfo-mhz";
	in.persecond.ppm = -1;
	in.tsc = MACHINE_TSC_INVARIANT;
	strcpy(in.cache.library, "0.1.0");
	in.cache.usable = 2;
	for (size_t i = 0; i < counters_count; i++)
		in.cache.candidates[i] = (struct candidate){
			.counter = counters_list[i],
			.reason = i < 2 ? REASON_NONE : REASON_STILL,
			.precision = 100 + i,
		};
	in.cache.candidates[0].measured = (struct rate){ 2445428014, 12 };
	in.exists = true;
	in.file.st_mtime = 1764040000;
	setting = (struct metrics_setting){
		.now = 1764043600,
		.kernel = "6.1.0",
		.model = "A CPU",
	};
	return 0;
}

static const char *format(void)
{
	const size_t length = metrics_format(&in, &setting, text, sizeof text);

	assert_true(length > 0);
	assert_int_equal(strlen(text), length);
	return text;
}

/* Whether the text has this line, whole. */
static bool has(const char *line)
{
	const size_t length = strlen(line);

	for (const char *at = format(); (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && at[length] == '\n')
			return true;
	return false;
}

static bool names(const char *metric)
{
	return strstr(format(), metric) != NULL;
}

static const char *usable(size_t i, const char *reason, int value)
{
	static char line[256];

	snprintf(line, sizeof line,
		 "cpucycles_usable{counter=\"%s\",class=\"%s\",reason=\"%s\"} %d",
		 counters_list[i]->name, counter_class_name(counters_list[i]->class), reason,
		 value);
	return line;
}

/* The beginning of a sample of the counter at this rank. */
static const char *of_counter(const char *metric, size_t i)
{
	static char start[128];

	snprintf(start, sizeof start, "\ncpucycles_%s{counter=\"%s\"} ", metric,
		 counters_list[i]->name);
	return start;
}

TEST_WITH(what_is_in_use, set_up, NULL)
{
	char line[256];

	snprintf(line, sizeof line,
		 "cpucycles_in_use_info{counter=\"%s\",class=\"%s\",selection=\"cache\"} 1",
		 counters_list[0]->name, counter_class_name(counters_list[0]->class));
	assert_true(has(line));
	assert_true(
		has("cpucycles_machine_info{model=\"A CPU\",architecture=\"" MACHINE_ARCHITECTURE
		    "\"} 1"));
	snprintf(line, sizeof line, "cpucycles_build_info{version=\"%s\",kernel=\"6.1.0\"} 1",
		 cpucycles_version());
	assert_true(has(line));
	assert_true(has("cpucycles_persecond_hertz 3000000000"));
	assert_true(has("cpucycles_persecond_info{source=\"cpuinfo-mhz\"} 1"));
	assert_true(has("cpucycles_tsc_info{state=\"invariant\"} 1"));
}

TEST_WITH(each_counter_has_its_reason, set_up, NULL)
{
	in.cache.candidates[2].reason = REASON_ERRNO;
	in.cache.candidates[2].detail = EACCES;
	assert_true(has(usable(0, "", 1)));
	assert_true(has(usable(1, "", 1)));
	assert_true(has(usable(2, "errno 13", 0)));
	assert_true(has(usable(3, "still", 0)));
	/* The calibrator ranked the counter, and this process may not read it. */
	in.tried[1].reason = REASON_SIGNAL;
	in.tried[1].detail = SIGILL;
	assert_true(has(usable(1, "signal 4", 0)));
	assert_false(names("} 101\n"));
}

TEST_WITH(only_what_is_known, set_up, NULL)
{
	assert_true(names("rate_hertz{counter=\""));
	assert_true(names("\"} 2445428014\n"));
	assert_true(names("\"} 1.2e-05\n"));
	assert_false(names("} 0\n# HELP cpucycles_rate_error_ratio"));
	assert_false(names("persecond_error_ratio"));
	assert_false(names("core_hertz"));
	assert_false(names("core_slowest_hertz"));
	assert_false(names("witnesses_contradict"));
	assert_false(names("skew_seconds"));
	assert_false(names("knob_open"));
	in.persecond.ppm = 20;
	in.cache.core = (struct rate){ 3243914492, 100 };
	strcpy(in.cache.facts[FACT_SKEW], "120");
	strcpy(in.cache.facts[FACT_CHECK], "contradicts");
	strcpy(in.cache.facts[FACT_SLOWEST], "3043914492");
	assert_true(has("cpucycles_persecond_error_ratio 2e-05"));
	assert_true(has("cpucycles_core_hertz 3243914492"));
	assert_true(has("cpucycles_core_error_ratio 0.0001"));
	assert_true(has("cpucycles_core_slowest_hertz 3043914492"));
	assert_true(has("cpucycles_skew_seconds 1.2e-07"));
	assert_true(has("cpucycles_witnesses_contradict 1"));
	strcpy(in.cache.facts[FACT_CHECK], "agrees");
	assert_true(has("cpucycles_witnesses_contradict 0"));
	strcpy(in.cache.facts[FACT_SKEW], "unknown");
	strcpy(in.cache.facts[FACT_SLOWEST], "unknown");
	assert_false(names("skew_seconds"));
	assert_false(names("core_slowest_hertz"));
}

/* An error of 0 is known, and is written. */
TEST_WITH(errors_of_zero, set_up, NULL)
{
	char line[160];

	in.persecond.ppm = 0;
	in.cache.core.hz = 3243914492;
	in.cache.candidates[0].measured.ppm = 0;
	strcpy(in.cache.facts[FACT_SKEW], "0");
	assert_true(has("cpucycles_persecond_error_ratio 0"));
	assert_true(has("cpucycles_core_error_ratio 0"));
	assert_true(has("cpucycles_skew_seconds 0"));
	snprintf(line, sizeof line, "%s0\n", of_counter("rate_error_ratio", 0));
	assert_true(names(line));
}

/* An unknown rate has no error, whatever number stands in its place. */
TEST_WITH(unknown_rates, set_up, NULL)
{
	in.cache.core.ppm = 7;
	assert_true(names(of_counter("rate_hertz", 0)));
	assert_true(names(of_counter("rate_error_ratio", 0)));
	for (uint32_t ppm = 0; ppm < 8; ppm += 7) {
		in.cache.candidates[1].measured.ppm = ppm;
		assert_false(names(of_counter("rate_hertz", 1)));
		assert_false(names(of_counter("rate_error_ratio", 1)));
	}
	assert_false(names("core_hertz"));
	assert_false(names("core_error_ratio"));
}

TEST_WITH(the_cache, set_up, NULL)
{
	assert_true(has("cpucycles_cache_in_use 1"));
	assert_true(has("cpucycles_cache_status_info{status=\"used\"} 1"));
	assert_true(has("cpucycles_cache_timestamp_seconds 1764040000"));
	assert_true(has("cpucycles_cache_age_seconds 3600"));
	assert_true(has("cpucycles_disagreement 0"));
	in.disagreement = "A sentence.";
	assert_true(has("cpucycles_disagreement 1"));
	/* Without the cache, nothing that it says is told, and the fresh probe is. */
	in.status = "stale-boot";
	in.cache.core = (struct rate){ 3243914492, 100 };
	in.fresh[0] = (struct candidate){ .counter = counters_list[1], .precision = 7 };
	assert_true(has("cpucycles_cache_in_use 0"));
	assert_true(has("cpucycles_cache_status_info{status=\"stale-boot\"} 1"));
	assert_true(has(usable(1, "", 1)));
	assert_true(names("} 7\n"));
	assert_false(has(usable(0, "", 1)));
	assert_false(names("core_hertz"));
	assert_false(names("disagreement"));
	setting.now = in.file.st_mtime;
	assert_true(has("cpucycles_cache_age_seconds 0"));
	setting.now--; /* the clock was set back */
	assert_false(names("cache_age"));
	in.exists = false;
	assert_false(names("cache_timestamp"));
}

TEST_WITH(knobs, set_up, NULL)
{
	in.knobs.count = 2;
	in.knobs.knob[0].kind = knob_kind_of("/proc/sys/kernel/perf_event_paranoid");
	in.knobs.knob[0].value = 4;
	in.knobs.knob[1].kind = knob_kind_of("/sys/devices/cpu/rdpmc");
	strcpy(in.knobs.knob[1].path, "/sys/devices/cpu/rdpmc");
	in.knobs.knob[1].error = -ENOENT;
	assert_true(has("cpucycles_knob_open{knob=\"kernel.perf_event_paranoid\"} 0"));
	assert_false(names("rdpmc"));
	in.knobs.knob[0].value = 1;
	in.knobs.knob[1].error = 0;
	in.knobs.knob[1].value = 2;
	assert_true(has("cpucycles_knob_open{knob=\"kernel.perf_event_paranoid\"} 1"));
	assert_true(has("cpucycles_knob_open{knob=\"/sys/devices/cpu/rdpmc\"} 1"));
}

/* Names that could end a label, a line or the format's UTF-8. All else of ASCII stays. */
TEST_WITH(strange_names, set_up, NULL)
{
	char rest[128] = "", line[160];

	strcpy(setting.kernel, "a\"b\\c\nd\x80"
			       "e");
	assert_true(names("kernel=\"a\\\"b\\\\c?d?e\"} 1\n"));
	strcpy(setting.kernel, "\x1f\x7f");
	assert_true(names("kernel=\"??\"} 1\n"));
	for (int c = ' '; c <= '~'; c++)
		if (c != '"' && c != '\\')
			rest[strlen(rest)] = (char)c;
	strcpy(setting.model, rest);
	snprintf(line, sizeof line, "{model=\"%s\",", rest);
	assert_true(names(line));
}

/* Each metric has one HELP and one TYPE, before its first sample. */
TEST_WITH(form, set_up, NULL)
{
	char name[128], last[128] = "", help[256];
	unsigned metrics = 0;

	for (const char *line = format(); *line; line = strchr(line, '\n') + 1) {
		if (sscanf(line, "# HELP %127s", name) == 1) {
			snprintf(help, sizeof help, "# HELP %s ", name);
			assert_null(strstr(line + 1, help));
			strcpy(last, name);
			metrics++;
		} else if (sscanf(line, "# TYPE %127s", name) == 1) {
			assert_string_equal(name, last);
		} else {
			assert_int_equal(strncmp(line, last, strlen(last)), 0);
			assert_true(line[strlen(last)] == '{' || line[strlen(last)] == ' ');
		}
	}
	assert_int_equal(metrics, 15);
}

/* A text that does not fit is none, and nothing is written behind its end. */
TEST_WITH(too_small, set_up, NULL)
{
	const size_t length = strlen(format());
	static char small[METRICS_SIZE];

	for (size_t size = 1; size <= length; size += 97) {
		memset(small, '#', sizeof small);
		assert_int_equal(metrics_format(&in, &setting, small, size), 0);
		assert_int_equal(small[size], '#');
	}
	assert_int_equal(metrics_format(&in, &setting, small, length), 0);
	assert_int_equal(metrics_format(&in, &setting, small, length + 1), length);
}

UNIT_MAIN("metrics", NULL, NULL)
