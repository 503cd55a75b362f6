/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Structures of the interface begin with their size, which the caller has set. */

#ifndef CPUCYCLES_SIZED_H
#define CPUCYCLES_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copy as much of *from, of this size, as the caller's structure has room for. The caller's size
 * stays. False: the caller's structure has no room for anything. */
static inline bool sized_copy_out(void *to, const void *from, size_t size)
{
	size_t room;

	memcpy(&room, to, sizeof room);
	if (room <= sizeof room)
		return false;
	memcpy((char *)to + sizeof room, (const char *)from + sizeof room,
	       (room < size ? room : size) - sizeof room);
	return true;
}

/* Copy the caller's structure into *to, of this size. Members that the caller's version does not
 * have become 0. False: the caller's size is too small. */
static inline bool sized_copy_in(void *to, const void *from, size_t size)
{
	size_t room;

	memset(to, 0, size);
	memcpy(&room, from, sizeof room);
	if (room <= sizeof room)
		return false;
	memcpy(to, from, room < size ? room : size);
	return true;
}

#endif
