/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* For Linux only: other systems have no sysfs. */

#include "config.h"

#include "sysfs.h"
#include "digits.h"
#include "reason.h"
#include "sysfs-files.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The kernel's numbers of PMUs begin after its own kinds of event. Of these, PERF_TYPE_HARDWARE
 * and PERF_TYPE_HW_CACHE are generic events and no PMU. */
#define TYPE_HARDWARE 0
#define TYPE_HW_CACHE 3
#define TYPE_DIGITS 10 /* at most */

static bool is_plain(const char *name)
{
	return event_name_is_plain(name, strlen(name));
}

/* PMUs */

/* PMUs of cores have the file "cpus", unless there is a single kind of core. -ENOENT: it is there,
 * but none of these cores is online. */
static int read_cpus(const char *root, struct event_pmu *pmu, struct reason_text *reason)
{
	char line[SYSFS_LINE];
	const int error = sysfs_line(root, pmu->name, "cpus", NULL, line);

	pmu->core = !error || !strcmp(pmu->name, "cpu");
	if (error == -ENOENT)
		return 0;
	if (error || line[strspn(line, "0123456789,-")])
		return reason_say(reason, error ? -error : EINVAL, "%s/%s/cpus: no list of CPUs",
				  root, pmu->name);
	if (!line[0])
		return reason_say(reason, ENOENT, "%s/%s: none of its CPUs is online", root,
				  pmu->name);
	/* A list that is too long ends in dots. */
	if (snprintf(pmu->cpus, sizeof pmu->cpus, "%s", line) >= (int)sizeof pmu->cpus)
		strcpy(pmu->cpus + sizeof pmu->cpus - sizeof "...", "...");
	return 0;
}

static int read_type(const char *root, struct event_pmu *pmu, struct reason_text *reason)
{
	char line[SYSFS_LINE];
	const char *end = line;
	const int error = sysfs_line(root, pmu->name, "type", NULL, line);
	uint64_t type;

	if (error || strlen(line) > TYPE_DIGITS || !digits_take(&end, 10, &type) || *end ||
	    type > INT32_MAX || type == TYPE_HARDWARE || type == TYPE_HW_CACHE)
		return reason_say(reason, error && error != -ENOENT ? -error : EINVAL,
				  "%s/%s/type: no number of a PMU", root, pmu->name);
	pmu->type = (uint32_t)type;
	return 0;
}

static int find_pmu(const char *root, const char *name, struct reason_text *reason)
{
	if (is_plain(name) && sysfs_has(root, name, ""))
		return 0;
	return reason_say(reason, ENOENT, "%s: no PMU of this name is in %s", name, root);
}

int event_sysfs_pmu(const char *root, const char *name, struct event_pmu *pmu,
		    struct reason_text *reason)
{
	int error = find_pmu(root, name, reason);

	*pmu = (struct event_pmu){ .type = 0 };
	if (error)
		return error;
	memcpy(pmu->name, name, strlen(name) + 1);
	error = read_type(root, pmu, reason);
	return error ? error : read_cpus(root, pmu, reason);
}

struct cores {
	const char *root;
	struct event_pmu *pmus;
	unsigned n;
	struct reason_text *reason;
};

static int add_core(void *context, const char *name)
{
	struct cores *cores = context;
	struct event_pmu pmu;
	int error;

	/* The others are not needed. */
	if (strcmp(name, "cpu") != 0 && !sysfs_has(cores->root, name, "cpus"))
		return 0;
	error = event_sysfs_pmu(cores->root, name, &pmu, cores->reason);
	if (error == -ENOENT) {
		reason_clear(cores->reason);
		return 0;
	}
	if (error)
		return error;
	if (cores->n == EVENT_KINDS_MAX)
		return -E2BIG;
	cores->pmus[cores->n++] = pmu;
	return 0;
}

int event_sysfs_cores(const char *root, struct event_pmu pmus[EVENT_KINDS_MAX], unsigned *n,
		      struct reason_text *reason)
{
	struct cores cores = { .root = root, .pmus = pmus, .reason = reason };
	const int error = sysfs_each(root, NULL, NULL, add_core, &cores);

	*n = error ? 0 : cores.n;
	return error == -ENOENT ? 0 : error;
}

/* Codes */

/* What is looked up, and where. */
struct code {
	const char *root, *pmu;
	const char *event; /* whose terms these are; NULL: a person's */
	struct event_config *config;
	struct reason_text *reason;
};

/* In a person's terms, it may also be a misspelt event. */
static int missing_field(const struct code *code, const char *name)
{
	const char *folder = sysfs_has(code->root, code->pmu, "format/") ?
				     "" :
				     ", where a folder \"format\" is missing";

	if (code->event)
		return reason_say(code->reason, EINVAL,
				  "%s/%s/ uses the field %s, but no such one is in %s%s", code->pmu,
				  code->event, name, code->root, folder);
	return reason_say(code->reason, ENOENT,
			  "%s: no event and no field of this PMU is called %s in %s%s", code->pmu,
			  name, code->root, folder);
}

static int find_format(const struct code *code, const char *name, char format[SYSFS_LINE])
{
	int error = -ENOENT;

	/* The words' own names stand for all of their bits. */
	if (!strcmp(name, "config") || !strcmp(name, "config1") || !strcmp(name, "config2")) {
		snprintf(format, SYSFS_LINE, "%s:0-63", name);
		return 0;
	}
	if (is_plain(name))
		error = sysfs_line(code->root, code->pmu, "format", name, format);
	if (error == -ENOENT)
		return missing_field(code, name);
	if (error)
		reason_say(code->reason, -error, "%s/%s/format/%s: no line of text", code->root,
			   code->pmu, name);
	return error;
}

static int place(const struct code *code, const struct event_term *term)
{
	char format[SYSFS_LINE];
	int error = find_format(code, term->name, format);

	if (error)
		return error;
	error = event_field_place(format, term->value, code->config);
	if (error == -ERANGE)
		return reason_say(code->reason, EINVAL, "%s: %s=0x%llx is too large for %s",
				  code->pmu, term->name, (unsigned long long)term->value, format);
	if (error == -EEXIST)
		return reason_say(code->reason, EINVAL,
				  "%s: %s is %s, where another term has set bits", code->pmu,
				  term->name, format);
	if (error)
		return reason_say(code->reason, EINVAL,
				  "%s/format/%s: \"%s\", expected were ascending bits of config, "
				  "config1 or config2",
				  code->pmu, term->name, format);
	return 0;
}

/* What stands at terms is no term. A question mark takes the place of a value that the kernel does
 * not know, such as the number of a core. */
static int bad_term(const struct code *code, const char *terms)
{
	const size_t length = strcspn(terms, ",");
	const char *event = code->event ? code->event : "";

	if (length > 0 && terms[length - 1] == '?')
		return reason_say(
			code->reason, EINVAL,
			"%s/%s/ needs a number in %s: write its terms instead of its name",
			code->pmu, event, terms);
	return reason_say(code->reason, EINVAL, "%s/%s: \"%s\", expected were NAME or NAME=NUMBER",
			  code->pmu, event, terms);
}

/* Place each term by this function. */
static int place_all(const struct code *code, const char *terms,
		     int (*place_one)(const struct code *code, const struct event_term *term))
{
	struct event_term term;
	bool bad;
	int error = *terms ? 0 : bad_term(code, terms);

	while (!error && event_term_next(&terms, &term, &bad))
		error = place_one(code, &term);
	if (error)
		return error;
	return bad ? bad_term(code, terms) : 0;
}

/* The terms of this event. Empty: there is no such event. 0 or a negative errno. */
static int find_event(const struct code *code, const char *name, char terms[SYSFS_LINE])
{
	int error;

	terms[0] = 0;
	if (!is_plain(name))
		return 0;
	error = sysfs_line(code->root, code->pmu, "events", name, terms);
	if (error == -ENOENT)
		return 0;
	if (!error && !terms[0])
		error = -EINVAL;
	if (error)
		reason_say(code->reason, -error, "%s/%s/events/%s: no line of terms", code->root,
			   code->pmu, name);
	return error;
}

/* A name without a value may be an event, whose terms are fields. */
static int place_term(const struct code *code, const struct event_term *term)
{
	char terms[SYSFS_LINE] = "";
	struct code inner = *code;
	const int error = term->has_value ? 0 : find_event(code, term->name, terms);

	if (error)
		return error;
	if (!terms[0])
		return place(code, term);
	inner.event = term->name;
	return place_all(&inner, terms, place);
}

int event_sysfs_code(const char *root, const char *pmu, const char *terms,
		     struct event_config *config, struct reason_text *reason)
{
	const struct code code = { root, pmu, NULL, config, reason };
	const int error = find_pmu(root, pmu, reason);

	*config = (struct event_config){ .value = { 0 } };
	return error ? error : place_all(&code, terms, place_term);
}

int event_sysfs_parts(const char *root, const char *pmu, const struct event_parts *parts,
		      struct event_config *config, struct reason_text *reason)
{
	const struct code code = { root, pmu, NULL, config, reason };
	const struct {
		bool said;
		struct event_term term;
	} fields[] = {
		{ parts->has_mask, { "umask", parts->mask, true } },
		{ parts->count > 0, { "cmask", parts->count, true } },
		{ parts->edge, { "edge", 1, true } },
		{ parts->invert, { "inv", 1, true } },
	};
	int error = find_pmu(root, pmu, reason);

	for (size_t i = 0; i < sizeof fields / sizeof fields[0] && !error; i++)
		if (fields[i].said)
			error = place(&code, &fields[i].term);
	return error;
}

/* Lists */

struct listing {
	const char *root;
	event_sysfs_each *each;
	void *context;
	const struct event_pmu *pmu;
	int wrong; /* what the first PMU or event that makes no sense is */
};

/* The callback wants no more. No errno is positive. */
#define STOPPED 1

static void note(struct listing *listing, int error)
{
	if (!listing->wrong)
		listing->wrong = error;
}

/* Files that say of an event in which unit it counts, and the like. */
static bool is_about_event(const char *name)
{
	static const char *const ends[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof ends / sizeof ends[0]; i++)
		if (!strcmp(dot, ends[i]))
			return true;
	return false;
}

static int list_event(void *context, const char *name)
{
	struct listing *listing = context;
	char terms[SYSFS_LINE];
	int error;

	if (is_about_event(name))
		return 0;
	error = sysfs_line(listing->root, listing->pmu->name, "events", name, terms);
	if (error) {
		note(listing, error);
		return 0;
	}
	return listing->each(listing->context, listing->pmu, name, terms) ? 0 : STOPPED;
}

static int list_pmu(void *context, const char *name)
{
	struct listing *listing = context;
	struct event_pmu pmu;
	int error = event_sysfs_pmu(listing->root, name, &pmu, NULL);

	if (error) {
		note(listing, error);
		return 0;
	}
	listing->pmu = &pmu;
	error = sysfs_each(listing->root, name, "events", list_event, listing);
	/* Many PMUs have no events with names. */
	if (error < 0 && error != -ENOENT)
		note(listing, error);
	return error == STOPPED ? STOPPED : 0;
}

int event_sysfs_list(const char *root, event_sysfs_each *each, void *context)
{
	struct listing listing = { .root = root, .each = each, .context = context };
	const int result = sysfs_each(root, NULL, NULL, list_pmu, &listing);

	/* Without sysfs there are no PMUs. */
	if (result < 0 && result != -ENOENT)
		return result;
	return listing.wrong;
}
