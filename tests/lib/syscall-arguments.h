/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* For functions that stand between the library and libc's syscall(), by the linker's --wrap or by
 * LD_PRELOAD. */

#ifndef CPUCYCLES_SYSCALL_ARGUMENTS_H
#define CPUCYCLES_SYSCALL_ARGUMENTS_H

#include <stdarg.h>

#define SYSCALL_ARGUMENTS 6

/* All arguments that a system call may have, whichever were given: libc's own syscall() takes six,
 * too. AddressSanitizer would report that. */
__attribute__((no_sanitize("address"))) static void syscall_arguments(va_list list,
								      long of[SYSCALL_ARGUMENTS])
{
	for (int i = 0; i < SYSCALL_ARGUMENTS; i++)
		of[i] = va_arg(list, long);
}

#endif
