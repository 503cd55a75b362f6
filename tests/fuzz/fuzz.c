/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "fuzz.h"
#include "counters.h"
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
	abort();
}

static unsigned long valid;

static void print_valid(void)
{
	fprintf(stderr, "taken as valid: %lu\n", valid);
}

void fuzz_count_valid(void)
{
	if (valid++ == 0)
		atexit(print_valid);
}

char *fuzz_copy(const char *text, size_t length, bool with_0)
{
	char *copy = malloc(length + with_0 + (length + with_0 == 0));

	FUZZ_EXPECT(copy);
	memcpy(copy, text, length);
	if (with_0)
		copy[length] = 0;
	return copy;
}

/* Behind the next end of line. */
static const char *next_line(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));

	return newline ? newline + 1 : end;
}

static bool names(const char *line, const char *end, const char *name)
{
	size_t length = strlen(name);

	return (size_t)(end - line) > length && line[0] == '%' && !memcmp(line + 1, name, length) &&
	       (line + 1 + length == end || line[1 + length] == ' ' || line[1 + length] == '\n');
}

const char *fuzz_section(const uint8_t *data, size_t size, const char *name, size_t *length,
			 const char **words)
{
	static char buffer[128];
	const char *p = (const char *)data, *end = p + size, *start;
	size_t n;

	while (p < end && !names(p, end, name))
		p = next_line(p, end);
	if (p == end)
		return NULL;
	start = next_line(p, end);
	p += 1 + strlen(name);
	n = (size_t)(start - p) < sizeof buffer ? (size_t)(start - p) : sizeof buffer - 1;
	memcpy(buffer, p, n);
	buffer[n] = 0;
	buffer[strcspn(buffer, "\n")] = 0;
	*words = buffer;
	for (p = start; p < end && *p != '%';)
		p = next_line(p, end);
	*length = (size_t)(p - start);
	return start;
}

/* This boot and this machine do not change meanwhile, and CPUID is dear. */
static const char *this_boot(void)
{
	static char boot[MACHINE_BOOT_SIZE];

	if (!boot[0])
		machine_boot(boot);
	return boot;
}

static const char *this_machine(void)
{
	static char machine[MACHINE_IDENTITY_SIZE];

	if (!machine[0])
		machine_identity(machine);
	return machine;
}

struct seal {
	char *text;
	size_t size, length;
};

static void put(struct seal *seal, const char *text, size_t length)
{
	if (length > seal->size - seal->length)
		length = seal->size - seal->length;
	memcpy(seal->text + seal->length, text, length);
	seal->length += length;
}

static void put_text(struct seal *seal, const char *text)
{
	put(seal, text, strlen(text));
}

/* The hash of one piece as cpucycles-cache(5) describes it, written a second time. */
static uint64_t hash_of_piece(uint64_t start, const char *text, size_t length)
{
	uint64_t side[4] = { start, start, start, start }, *hash = &side[0], part = 0;
	const size_t whole = length - length % 8, blocks = length - length % 32;

	for (size_t i = 0; i < length; i++) {
		part = i < whole ? part >> 8 | (uint64_t)(unsigned char)text[i] << 56 :
				   (unsigned char)text[i];
		if (i < whole && i % 8 != 7)
			continue;
		hash = i < blocks ? &side[i / 8 % 4] : &side[0];
		*hash = (*hash ^ part) * UINT64_C(1099511628211);
		if (i < whole)
			*hash ^= *hash >> 32;
		for (unsigned k = 1; i + 1 == blocks && k < 4; k++) {
			side[0] = (side[0] ^ side[k]) * UINT64_C(1099511628211);
			side[0] ^= side[0] >> 32;
		}
	}
	return side[0];
}

static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < length; i += 1024)
		hash = hash_of_piece(hash, text + i, length - i < 1024 ? length - i : 1024);
	return hash;
}

static void put_hash(struct seal *seal, const char *name, uint64_t hash)
{
	char line[32];

	snprintf(line, sizeof line, "%s %016" PRIx64, name, hash);
	put_text(seal, line);
}

static bool begins(const char *line, const char *end, const char *word)
{
	return (size_t)(end - line) >= strlen(word) && !memcmp(line, word, strlen(word));
}

/* What stands behind the words of such a line, such as a second end of line, stays. */
static const char *behind_words(const char *line, const char *end)
{
	while (line < end && (unsigned char)*line >= ' ')
		line++;
	return line;
}

size_t fuzz_seal(const char *text, size_t length, char *result, size_t size)
{
	struct seal seal = { .text = result, .size = size };
	const char *end = text + length, *line = text;

	for (const char *next; line < end; line = next) {
		next = next_line(line, end);
		if (begins(line, end, "boot ")) {
			put_text(&seal, "boot ");
			put_text(&seal, this_boot());
		} else if (begins(line, end, "machine ")) {
			put_text(&seal, "machine ");
			put_text(&seal, this_machine());
		} else if (begins(line, end, "checksum ")) {
			put_hash(&seal, "checksum", hash_of(seal.text, seal.length));
		} else if (begins(line, end, "counters ")) {
			put_hash(&seal, "counters", counters_hash());
		} else {
			put(&seal, line, (size_t)(next - line));
			continue;
		}
		line = behind_words(line, next);
		put(&seal, line, (size_t)(next - line));
	}
	return seal.length;
}

/* Files */

static char folder[64];

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	if (system(command))
		fprintf(stderr, "%s is left\n", folder);
}

/* In memory, where that can be had. */
static void make_folder(void)
{
	strcpy(folder, "/dev/shm/cpucycles-fuzz.XXXXXX");
	if (!mkdtemp(folder)) {
		strcpy(folder, "/tmp/cpucycles-fuzz.XXXXXX");
		FUZZ_EXPECT(mkdtemp(folder));
	}
	atexit(remove_folder);
}

const char *fuzz_path(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];

	if (!folder[0])
		make_folder();
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

static void make_folders(const char *name)
{
	char path[PATH_MAX];

	for (size_t i = 0; name[i]; i++) {
		if (name[i] != '/')
			continue;
		snprintf(path, sizeof path, "%s/%.*s", folder, (int)i, name);
		FUZZ_EXPECT(!mkdir(path, 0755) || errno == EEXIST);
	}
}

void fuzz_file(const char *name, const void *text, size_t length)
{
	const char *path = fuzz_path(name);
	int fd;

	if (!text) {
		FUZZ_EXPECT(!unlink(path) || errno == ENOENT || errno == ENOTDIR);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		make_folders(name);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	}
	FUZZ_EXPECT(fd >= 0 && write(fd, text, length) == (ssize_t)length);
	close(fd);
}
