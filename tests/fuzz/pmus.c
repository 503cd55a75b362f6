/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The PMUs that sysfs lists, with any names. The PMUs of cores are found, each with its type,
 * unless there are too many. The input has such a line for each PMU, which names the other file
 * that it has, and then the text of its file "type": %pmu NAME cpus|cpumask */

#include "config.h"

#include "decimal.h"
#include "fuzz.h"
#include "os/core-pmus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE 64
#define PMUS_MAX 20

struct pmu {
	char name[NAME_SIZE];
	uint64_t type; /* 0: none that counts */
	bool cpus;
};

static struct pmu pmus[PMUS_MAX];
static size_t pmus_n;

/* A name that is possible for a file and that no other PMU has. */
static bool may_be(const char *name)
{
	for (size_t i = 0; i < pmus_n; i++)
		if (!strcmp(pmus[i].name, name))
			return false;
	return *name && *name != '.' && !strchr(name, '/');
}

static uint64_t type_in(const char *text, size_t length)
{
	size_t n = length < 31 ? length : 31; /* so many are read */
	char *copy = fuzz_copy(text, n, true);
	uint64_t type;

	if (!decimal_whole(copy, 0, &type) || type > INT32_MAX)
		type = 0;
	free(copy);
	return type;
}

static void pmu_file(const struct pmu *pmu, const char *file, const char *text, size_t length)
{
	char name[NAME_SIZE + 32];

	snprintf(name, sizeof name, "pmus/%s/%s", pmu->name, file);
	fuzz_file(name, text, length);
}

static void add_pmu(const char *words, const char *text, size_t length)
{
	struct pmu *pmu = &pmus[pmus_n];
	char with[8] = "";

	pmu->name[0] = 0;
	sscanf(words, " %63s %7s", pmu->name, with);
	if (!may_be(pmu->name))
		return;
	pmu->cpus = !strcmp(with, "cpus");
	pmu->type = type_in(text, length);
	pmu_file(pmu, "type", text, length);
	if (pmu->cpus)
		pmu_file(pmu, "cpus", "0\n", 2);
	pmus_n++;
}

static void remove_pmus(void)
{
	for (; pmus_n > 0; pmus_n--) {
		const struct pmu *pmu = &pmus[pmus_n - 1];
		char name[NAME_SIZE + 8];

		pmu_file(pmu, "type", NULL, 0);
		pmu_file(pmu, "cpus", NULL, 0);
		snprintf(name, sizeof name, "pmus/%s", pmu->name);
		FUZZ_EXPECT(!rmdir(fuzz_path(name)));
	}
}

/* The PMUs that may be found, by the names that the kernel's drivers give them. */
static unsigned expected_kinds(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < pmus_n; i++) {
		const char *name = pmus[i].name;

		if (!strcmp(name, "cpu"))
			return 0;
		n += pmus[i].cpus && pmus[i].type && strlen(name) < 48 &&
		     (!strncmp(name, "cpu_", 4) || !strncmp(name, "armv", 4) ||
		      !strncmp(name, "apple_", 6));
	}
	return n < 2 ? 0 : n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	struct perfevent_kinds kinds;
	unsigned expected;
	int error;

	while (pmus_n < PMUS_MAX) {
		const char *words;
		size_t length;
		const char *text = fuzz_section(data, (size_t)(end - data), "pmu", &length, &words);

		if (!text)
			break;
		add_pmu(words, text, length);
		data = (const uint8_t *)text;
	}
	expected = expected_kinds();
	error = core_pmus_find(fuzz_path("pmus"), &kinds);
	/* Too many names are an error, whatever they are. */
	if (error)
		FUZZ_EXPECT(error == -E2BIG && kinds.n == 0 && pmus_n > PERFEVENT_PMUS_MAX);
	else
		FUZZ_EXPECT(kinds.n == expected);
	if (kinds.n)
		fuzz_count_valid();
	remove_pmus();
	return 0;
}
