/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * allocations LIBRARY: calls all public functions of the library and counts their calls of malloc()
 * and its relatives. The program defines these itself, so the dynamic linker gives them to the
 * library too.
 */

#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READS 1000

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#ifdef SANITIZED

int main(void)
{
	fputs("allocations: a sanitizer has malloc\n", stderr);
	return 3;
}

#else

#define HEAP_SIZE (4 << 20)

static _Alignas(64) char heap[HEAP_SIZE];
static size_t used;
static unsigned long calls;

/* The size of a piece is stored before it. Nothing is freed, because this process is short. */
static void *take(size_t alignment, size_t size)
{
	size_t start = used + 64;

	calls++;
	if (alignment < 64)
		alignment = 64;
	start = (start + alignment - 1) & ~(alignment - 1);
	if (size > HEAP_SIZE || start + size > HEAP_SIZE) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(heap + start - sizeof size, &size, sizeof size);
	used = start + size;
	return heap + start;
}

void *malloc(size_t size)
{
	return take(1, size);
}

/* The heap is 0 from the start, and no piece is used twice. */
void *calloc(size_t n, size_t size)
{
	return take(1, n * size);
}

void *realloc(void *old, size_t size)
{
	char *new = take(1, size);
	size_t old_size;

	if (!old || !new)
		return new;
	memcpy(&old_size, (char *)old - sizeof old_size, sizeof old_size);
	for (size_t i = 0; i < old_size && i < size; i++)
		new[i] = ((char *)old)[i];
	return new;
}

void free(void *old)
{
	calls += old != NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return take(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
	*to = take(alignment, size);
	return *to ? 0 : ENOMEM;
}

static void *find(void *handle, const char *name)
{
	return dlsym(handle, name);
}

static void call_if_there(void *handle, const char *name)
{
	long long (*function)(void);
	void *symbol = find(handle, name);

	memcpy(&function, &symbol, sizeof function);
	if (function)
		function();
}

int main(int argc, char *argv[])
{
	/* They take nothing and return a number or an address, so one type of pointer calls all. */
	static const char *const names[] = {
		"cpucycles_implementation", "cpucycles_version",
		"cpucycles_persecond",      "cpucycles_hz",
		"cpucycles_hz_ppm",         "cpucycles_selection_source",
		"cpucycles_cache_status",   "cpucycles_persecond_source",
	};
	void *handle = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	long long (**cpucycles)(void);
	unsigned long before, first, later;
	void *symbol = handle ? find(handle, "cpucycles") : NULL, *made;

	if (!symbol) {
		fprintf(stderr, "allocations: %s\n", argc == 2 ? dlerror() : "one library");
		return 3;
	}
	memcpy(&cpucycles, &symbol, sizeof cpucycles);
	made = malloc(1);
	before = calls;
	if (!made || before == 0) {
		fputs("allocations: malloc is not this program's\n", stderr);
		return 3;
	}
	(*cpucycles)();
	first = calls - before;
	for (int i = 0; i < READS; i++)
		(*cpucycles)();
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		call_if_there(handle, names[i]);
	later = calls - before - first;
	printf("first %lu later %lu loading %lu\n", first, later, before);
	return fflush(stdout) ? 3 : 0;
}

#endif
