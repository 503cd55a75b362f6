/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Structures of the interface begin with their size, which the caller has set. A program may have
 * been built with a later version of the library, in which they are longer. None is built with an
 * earlier one, because 1.0 is the first. The version that appends a member has to accept the size
 * that 1.0 had. It appends after the whole structure, and never puts a member into the padding at
 * its end: that would not change the size.
 */

#ifndef CPUCYCLES_SIZED_H
#define CPUCYCLES_SIZED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* No structure is longer, in any version. A caller's size above this was never set. */
#define SIZED_MAX 4096

static inline bool sized_is_right(size_t room, size_t size)
{
	return room >= size && room <= SIZED_MAX;
}

/* Copy *from, of this size, to the caller's structure. Members that only the caller's version has
 * become 0. The caller's size stays. False: the caller's size makes no sense. */
static inline bool sized_copy_out(void *to, const void *from, size_t size)
{
	size_t room;

	memcpy(&room, to, sizeof room);
	if (!sized_is_right(room, size))
		return false;
	memcpy((char *)to + sizeof room, (const char *)from + sizeof room, size - sizeof room);
	memset((char *)to + size, 0, room - size);
	return true;
}

/*
 * Copy the caller's structure into *to, of this size. 0; -EINVAL: the caller's size makes no sense;
 * -E2BIG: a member that only the caller's version has is not 0, so the caller asks for something
 * that this version cannot do.
 */
static inline int sized_copy_in(void *to, const void *from, size_t size)
{
	size_t room;

	memset(to, 0, size);
	memcpy(&room, from, sizeof room);
	if (!sized_is_right(room, size))
		return -EINVAL;
	for (size_t i = size; i < room; i++)
		if (((const char *)from)[i])
			return -E2BIG;
	memcpy(to, from, size);
	return 0;
}

#endif
