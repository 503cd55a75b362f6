/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * In the place of the harness: calls the constructors, prints where the functions lie, and calls
 * them. link.sh links it.
 * For each function, a line: its number, its address's remainder by 4096, 0 or 1 for setup and
 * before, and its bytes. The functions print what they like.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WEAK __attribute__((weak))
#define FUNCTION(i) \
	void cpucycles_measured_##i##_call(void) WEAK; \
	void cpucycles_measured_##i##_setup(void) WEAK; \
	void cpucycles_measured_##i##_before(void) WEAK; \
	extern size_t cpucycles_measured_##i##_bytes WEAK; \
	extern void (*const cpucycles_measured_##i##_begin[])(void) WEAK; \
	extern void (*const cpucycles_measured_##i##_end[])(void) WEAK;
#define ENTRY(i) \
	{ \
		cpucycles_measured_##i##_call, cpucycles_measured_##i##_setup, \
			cpucycles_measured_##i##_before, &cpucycles_measured_##i##_bytes, \
			cpucycles_measured_##i##_begin, cpucycles_measured_##i##_end \
	}

FUNCTION(00)
FUNCTION(01)
FUNCTION(02)
FUNCTION(03)
FUNCTION(04)
FUNCTION(05)
FUNCTION(06)
FUNCTION(07)

int main(void)
{
	const struct {
		void (*call)(void), (*setup)(void), (*before)(void);
		size_t *bytes;
		void (*const *begin)(void), (*const *end)(void);
	} functions[] = { ENTRY(00), ENTRY(01), ENTRY(02), ENTRY(03),
			  ENTRY(04), ENTRY(05), ENTRY(06), ENTRY(07) };

	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		if (!functions[i].call)
			continue;
		for (void (*const *each)(void) = functions[i].begin; each != functions[i].end;
		     each++)
			(*each)();
		printf("%zu at %zu %d %d %zu\n", i, (size_t)((uintptr_t)functions[i].call % 4096),
		       functions[i].setup != NULL, functions[i].before != NULL,
		       functions[i].bytes ? *functions[i].bytes : 0);
		if (functions[i].setup)
			functions[i].setup();
		functions[i].call();
	}
	return 0;
}
