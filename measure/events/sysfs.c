/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* For Linux only: other systems have neither sysfs nor the system call that lists a folder. */

#include "config.h"

#include "sysfs.h"
#include "reason.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_SIZE 512
#define FILE_SIZE 1024 /* of what sysfs says of an event or of a field */
#define FILE_READS 16

/* Names that are longer cannot be asked for. */
#define NAME_SIZE EVENT_TEXT
#define BATCH 32 /* names that are kept at once, which is 4 KiB of the caller's stack */

/* The kernel's numbers of PMUs begin behind its own kinds of event. Of these, PERF_TYPE_HARDWARE
 * and PERF_TYPE_HW_CACHE are generic events and no PMU. */
#define TYPE_HARDWARE 0
#define TYPE_HW_CACHE 3

/* Files */

/* Makes root/pmu[/folder[/file]]; folder and file may be NULL. */
static int join(char path[PATH_SIZE], const char *root, const char *pmu, const char *folder,
		const char *file)
{
	const int length = snprintf(path, PATH_SIZE, "%s/%s%s%s%s%s", root, pmu, folder ? "/" : "",
				    folder ? folder : "", file ? "/" : "", file ? file : "");

	return length < 0 || length >= PATH_SIZE ? -ENAMETOOLONG : 0;
}

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* Reads until the end of the file or of the text. Returns the length or a negative errno. */
static ssize_t fill(int fd, char *text, size_t size)
{
	size_t length = 0;

	for (int i = 0; i < FILE_READS && length < size; i++) {
		const ssize_t n = read(fd, text + length, size - length);

		if (n == 0)
			return (ssize_t)length;
		if (n < 0 && errno != EINTR)
			return -errno;
		length += n > 0 ? (size_t)n : 0;
	}
	return -EFBIG;
}

static ssize_t read_bytes(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t length = -EINVAL;

	if (fd < 0)
		return -errno;
	/* Anything else may wait, or have no end. */
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		length = fill(fd, text, size);
	close(fd);
	return length;
}

/* One line of printable characters, without its end. 0 or a negative errno; -EINVAL: the file holds
 * something else. */
static int read_line(const char *path, char line[FILE_SIZE])
{
	ssize_t length = read_bytes(path, line, FILE_SIZE - 1);

	if (length < 0)
		return length == -EFBIG ? -EINVAL : (int)length;
	if (length > 0 && line[length - 1] == '\n')
		length--;
	for (ssize_t i = 0; i < length; i++)
		if (line[i] < ' ' || line[i] > '~')
			return -EINVAL;
	line[length] = 0;
	return 0;
}

/* The line of root/pmu/folder/file; file may be NULL. */
static int read_of(const char *root, const char *pmu, const char *folder, const char *file,
		   char line[FILE_SIZE])
{
	char path[PATH_SIZE];
	const int error = join(path, root, pmu, folder, file);

	return error ? error : read_line(path, line);
}

static bool has_folder(const char *root, const char *pmu, const char *folder)
{
	char path[PATH_SIZE];

	return !join(path, root, pmu, folder, NULL) && is_folder(path);
}

/* A name that stays in its folder, and that people can write as part of an event. */
static bool is_plain(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-.";
	const size_t length = strlen(name);

	return length > 0 && length < NAME_SIZE && name[0] != '.' && !strstr(name, "..") &&
	       strspn(name, letters) == length;
}

/* Folders */

/* Of linux_dirent64, which is what the system call gives: where its length and its name stand. */
#define ENTRY_LENGTH 16
#define ENTRY_NAME 19

/* The first names of a folder in order, of those behind a given one. */
struct names {
	unsigned n;
	char of[BATCH][NAME_SIZE];
};

static void keep(struct names *names, const char *name)
{
	unsigned at = names->n;

	while (at > 0 && strcmp(name, names->of[at - 1]) < 0)
		at--;
	if (at == BATCH || (at > 0 && !strcmp(name, names->of[at - 1])))
		return;
	if (names->n < BATCH)
		names->n++;
	memmove(names->of[at + 1], names->of[at], (names->n - at - 1) * NAME_SIZE);
	memcpy(names->of[at], name, strlen(name) + 1);
}

static void keep_entries(const char *buffer, size_t size, const char *last, struct names *names)
{
	for (size_t at = 0; at + ENTRY_NAME < size;) {
		const char *name = buffer + at + ENTRY_NAME;
		uint16_t length;

		memcpy(&length, buffer + at + ENTRY_LENGTH, sizeof length);
		if (length <= ENTRY_NAME)
			return;
		if (is_plain(name) && strcmp(name, last) > 0)
			keep(names, name);
		at += length;
	}
}

/* By a system call, because readdir(3) allocates. Names behind the last one, in batches: so a
 * folder may have any number of them. */
static int list(const char *folder, const char *last, struct names *names)
{
	_Alignas(uint64_t) char buffer[2048];
	const int fd = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	long size;

	names->n = 0;
	if (fd < 0)
		return -errno;
	while ((size = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
		keep_entries(buffer, (size_t)size, last, names);
	size = size < 0 ? -errno : 0;
	close(fd);
	return (int)size;
}

/* Calls for each name of the folder, in order, until the call returns something else than 0, which
 * is then returned. */
static int for_each(const char *folder, int (*call)(void *context, const char *name), void *context)
{
	struct names names;
	char last[NAME_SIZE] = "";
	int result;

	do {
		result = list(folder, last, &names);
		for (unsigned i = 0; i < names.n && !result; i++)
			result = call(context, names.of[i]);
		if (names.n)
			memcpy(last, names.of[names.n - 1], NAME_SIZE);
	} while (!result && names.n == BATCH);
	return result;
}

/* PMUs */

static int parse_type(const char *line, uint32_t *type)
{
	uint64_t value = 0;
	const size_t length = strlen(line);

	if (length == 0 || length > 10 || strspn(line, "0123456789") < length)
		return -EINVAL;
	for (size_t i = 0; i < length; i++)
		value = value * 10 + (unsigned)(line[i] - '0');
	if (value > INT32_MAX || value == TYPE_HARDWARE || value == TYPE_HW_CACHE)
		return -EINVAL;
	*type = (uint32_t)value;
	return 0;
}

/* A list that is too long ends in dots. */
static void copy_cpus(const char *line, char *cpus, size_t size)
{
	static const char more[] = "...";
	const size_t length = strlen(line);

	memcpy(cpus, line, length < size ? length + 1 : size);
	if (length >= size)
		memcpy(cpus + size - sizeof more, more, sizeof more);
}

/* PMUs of cores have the file "cpus", unless there is a single kind of core. -ENOENT: it is there,
 * but none of these cores is online. */
static int read_cpus(const char *root, struct event_pmu *pmu, struct cpucycles_reason *reason)
{
	char line[FILE_SIZE];
	const int error = read_of(root, pmu->name, "cpus", NULL, line);

	pmu->core = !error || !strcmp(pmu->name, "cpu");
	if (error == -ENOENT)
		return 0;
	if (error || line[strspn(line, "0123456789,-")]) {
		reason_say(reason, error ? -error : EINVAL, "%.60s/%.40s/cpus: no list of CPUs",
			   root, pmu->name);
		return error ? error : -EINVAL;
	}
	if (!line[0]) {
		reason_say(reason, ENOENT, "%.60s/%.40s: none of its CPUs is online", root,
			   pmu->name);
		return -ENOENT;
	}
	copy_cpus(line, pmu->cpus, sizeof pmu->cpus);
	return 0;
}

static int read_type(const char *root, struct event_pmu *pmu, struct cpucycles_reason *reason)
{
	char line[FILE_SIZE];
	int error = read_of(root, pmu->name, "type", NULL, line);

	if (error == -ENOENT)
		error = -EINVAL;
	else if (!error)
		error = parse_type(line, &pmu->type);
	if (error)
		reason_say(reason, -error, "%.60s/%.40s/type: no number of a PMU", root, pmu->name);
	return error;
}

static int find_pmu(const char *root, const char *name, struct cpucycles_reason *reason)
{
	if (is_plain(name) && has_folder(root, name, NULL))
		return 0;
	reason_say(reason, ENOENT, "%.40s: no PMU of this name is in %.60s", name, root);
	return -ENOENT;
}

int event_sysfs_pmu(const char *root, const char *name, struct event_pmu *pmu,
		    struct cpucycles_reason *reason)
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
	struct cpucycles_reason *reason;
};

static int add_core(void *context, const char *name)
{
	struct cores *cores = context;
	char path[PATH_SIZE];
	struct event_pmu pmu;
	struct stat status;
	int error = join(path, cores->root, name, "cpus", NULL);

	/* Nobody needs to understand the others. */
	if (error || (strcmp(name, "cpu") != 0 && stat(path, &status) != 0))
		return error;
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
		      struct cpucycles_reason *reason)
{
	struct cores cores = { .root = root, .pmus = pmus, .reason = reason };
	const int error = for_each(root, add_core, &cores);

	*n = error ? 0 : cores.n;
	return error == -ENOENT ? 0 : error;
}

/* Codes */

/* What is looked up, and where. */
struct code {
	const char *root, *pmu;
	const char *event; /* whose terms these are; NULL: a person's */
	struct event_config *config;
	struct cpucycles_reason *reason;
};

/* The words' own names stand for all of their bits. */
static const char *whole_word(const char *name)
{
	static const struct {
		const char *name, *format;
	} words[EVENT_CONFIGS] = {
		{ "config", "config:0-63" },
		{ "config1", "config1:0-63" },
		{ "config2", "config2:0-63" },
	};

	for (unsigned i = 0; i < EVENT_CONFIGS; i++)
		if (!strcmp(name, words[i].name))
			return words[i].format;
	return NULL;
}

/* In a person's terms, it may also be a misspelt event. */
static int missing_field(const struct code *code, const char *name)
{
	const char *folder = has_folder(code->root, code->pmu, "format") ?
				     "" :
				     ", where a folder \"format\" is missing";

	if (code->event) {
		reason_say(code->reason, EINVAL,
			   "%.40s/%.40s/ uses the field %.31s, but no such one is in %.40s%s",
			   code->pmu, code->event, name, code->root, folder);
		return -EINVAL;
	}
	reason_say(code->reason, ENOENT,
		   "%.40s: no event and no field of this PMU is called %.31s in %.40s%s", code->pmu,
		   name, code->root, folder);
	return -ENOENT;
}

static int find_format(const struct code *code, const char *name, char format[FILE_SIZE])
{
	const char *whole = whole_word(name);
	int error = -ENOENT;

	if (whole) {
		memcpy(format, whole, strlen(whole) + 1);
		return 0;
	}
	if (is_plain(name))
		error = read_of(code->root, code->pmu, "format", name, format);
	if (error == -ENOENT)
		return missing_field(code, name);
	if (error)
		reason_say(code->reason, -error, "%.60s/%.40s/format/%.31s: no line of text",
			   code->root, code->pmu, name);
	return error;
}

static int place(const struct code *code, const struct event_term *term)
{
	char format[FILE_SIZE];
	int error = find_format(code, term->name, format);

	if (error)
		return error;
	error = event_field_place(format, term->value, code->config);
	if (error == -ERANGE)
		reason_say(code->reason, EINVAL, "%.40s: %.31s=0x%llx is too large for %.40s",
			   code->pmu, term->name, (unsigned long long)term->value, format);
	else if (error == -EEXIST)
		reason_say(code->reason, EINVAL,
			   "%.40s: %.31s is %.40s, where another term has set bits", code->pmu,
			   term->name, format);
	else if (error)
		reason_say(code->reason, EINVAL,
			   "%.40s/format/%.31s: \"%.40s\", expected were ascending bits of config, "
			   "config1 or config2",
			   code->pmu, term->name, format);
	return error ? -EINVAL : 0;
}

/* What stands at terms is no term. A question mark takes the place of a value that the kernel does
 * not know, such as the number of a core. */
static int bad_term(const struct code *code, const char *terms)
{
	const size_t length = strcspn(terms, ",");
	const char *event = code->event ? code->event : "";

	if (length > 0 && terms[length - 1] == '?')
		reason_say(
			code->reason, EINVAL,
			"%.40s/%.40s/ needs a number in %.40s: write its terms instead of its name",
			code->pmu, event, terms);
	else
		reason_say(code->reason, EINVAL,
			   "%.40s/%.40s: \"%.20s\", expected were NAME or NAME=NUMBER", code->pmu,
			   event, terms);
	return -EINVAL;
}

/* The terms of an event are fields. */
static int place_event(const struct code *code, const char *terms)
{
	struct event_term term;
	bool bad;
	int error = *terms ? 0 : bad_term(code, terms);

	while (!error && event_term_next(&terms, &term, &bad))
		error = place(code, &term);
	if (error)
		return error;
	return bad ? bad_term(code, terms) : 0;
}

/* The terms of this event. Empty: there is no such event. 0 or a negative errno. */
static int find_event(const struct code *code, const char *name, char terms[FILE_SIZE])
{
	int error;

	terms[0] = 0;
	if (!is_plain(name))
		return 0;
	error = read_of(code->root, code->pmu, "events", name, terms);
	if (error == -ENOENT)
		return 0;
	if (!error && !terms[0])
		error = -EINVAL;
	if (error)
		reason_say(code->reason, -error, "%.60s/%.40s/events/%.31s: no line of terms",
			   code->root, code->pmu, name);
	return error;
}

/* A name without a value may be an event. */
static int place_term(const struct code *code, const struct event_term *term, bool has_value)
{
	char terms[FILE_SIZE] = "";
	struct code inner = *code;
	const int error = has_value ? 0 : find_event(code, term->name, terms);

	if (error)
		return error;
	if (!terms[0])
		return place(code, term);
	inner.event = term->name;
	return place_event(&inner, terms);
}

static int place_all(const struct code *code, const char *terms)
{
	const char *next = terms;
	struct event_term term;
	bool bad;

	while (event_term_next(&next, &term, &bad)) {
		const bool has_value = terms[strlen(term.name)] == '=';
		const int error = place_term(code, &term, has_value);

		if (error)
			return error;
		terms = next;
	}
	return bad ? bad_term(code, next) : 0;
}

int event_sysfs_code(const char *root, const char *pmu, const char *terms,
		     struct event_config *config, struct cpucycles_reason *reason)
{
	const struct code code = { root, pmu, NULL, config, reason };
	const int error = find_pmu(root, pmu, reason);

	*config = (struct event_config){ .value = { 0 } };
	if (error)
		return error;
	return *terms ? place_all(&code, terms) : bad_term(&code, terms);
}

int event_sysfs_parts(const char *root, const char *pmu, const struct event_parts *parts,
		      struct event_config *config, struct cpucycles_reason *reason)
{
	const struct code code = { root, pmu, NULL, config, reason };
	const struct {
		bool said;
		struct event_term term;
	} fields[] = {
		{ parts->has_mask, { "umask", parts->mask } },
		{ parts->count > 0, { "cmask", parts->count } },
		{ parts->edge, { "edge", 1 } },
		{ parts->invert, { "inv", 1 } },
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
	bool (*each)(void *context, const struct event_pmu *pmu, const char *event,
		     const char *what);
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
	char terms[FILE_SIZE];
	int error;

	if (is_about_event(name))
		return 0;
	error = read_of(listing->root, listing->pmu->name, "events", name, terms);
	if (error) {
		note(listing, error);
		return 0;
	}
	return listing->each(listing->context, listing->pmu, name, terms) ? 0 : STOPPED;
}

static int list_pmu(void *context, const char *name)
{
	struct listing *listing = context;
	char path[PATH_SIZE];
	struct event_pmu pmu;
	int error = event_sysfs_pmu(listing->root, name, &pmu, NULL);

	if (!error)
		error = join(path, listing->root, name, "events", NULL);
	if (error) {
		note(listing, error);
		return 0;
	}
	if (!listing->each(listing->context, &pmu, NULL, NULL))
		return STOPPED;
	listing->pmu = &pmu;
	error = for_each(path, list_event, listing);
	/* Many PMUs have no events with names. */
	if (error < 0 && error != -ENOENT)
		note(listing, error);
	return error == STOPPED ? STOPPED : 0;
}

int event_sysfs_list(const char *root,
		     bool (*each)(void *context, const struct event_pmu *pmu, const char *event,
				  const char *what),
		     void *context)
{
	struct listing listing = { .root = root, .each = each, .context = context };
	const int result = for_each(root, list_pmu, &listing);

	/* Without sysfs there are no PMUs. */
	if (result < 0 && result != -ENOENT)
		return result;
	return listing.wrong;
}
