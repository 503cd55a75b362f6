/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The other way to look for leaks, that of ctgrind (A. Langley, 2010) and TIMECOP: no time is
 * measured. The input is marked as undefined, and valgrind's memcheck complains of each branch and
 * each address that depends on it. It finds what a test of time may miss, in the code that is
 * really executed, and says in which line. It does not see what the processor does: the time of a
 * division or of a subnormal number.
 *
 *     valgrind --error-exitcode=11 ./secret all_bytes
 */

#include "functions.h"

#include <stdio.h>
#include <valgrind/memcheck.h>

int main(int argc, char *argv[])
{
	static unsigned char input[BYTES_MAX];
	const struct function *function = argc == 2 ? function_named(argv[1]) : NULL;

	if (function == NULL) {
		fprintf(stderr, "usage: valgrind --error-exitcode=11 ./secret FUNCTION\n");
		return 2;
	}
	if (!RUNNING_ON_VALGRIND) {
		fprintf(stderr, "without valgrind, this program shows nothing\n");
		return 2;
	}
	/* The contents of group 0 make the comparison go through all bytes. */
	if (function->input)
		function->input(0, input);
	VALGRIND_MAKE_MEM_UNDEFINED(input, *function->bytes);
	function->call(input);
	return 0;
}
