/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Source: proc_pid_mountinfo(5). A line is "id parent major:minor root mount-point options", then
 * optional words, a dash and the type of the file system. */

#include "config.h"

#include "digits.h"
#include "hot.h"
#include "mounts.h"
#include "text.h"

#include <string.h>

enum field { ID, PARENT, DEVICE, ROOT, POINT, OPTIONS };

COLD void mounts_begin(struct mounts *m, const char *path)
{
	*m = (struct mounts){ .path = path };
}

/* Whether the path is the mount point or lies below it. */
static bool is_below(const char *path, const char *point)
{
	const char *rest = text_skip(path, point);

	return rest && (*rest == 0 || *rest == '/' || text_is(point, "/"));
}

static uint64_t number_of(const char *digits)
{
	uint64_t number;

	return digits_take(&digits, 10, &number) ? number : 0;
}

static bool is_fuse(const char *type)
{
	const char *rest = text_skip(type, "fuse");

	/* "fusectl" is the kernel's own. */
	return rest && (*rest == 0 || *rest == '.' || text_is(rest, "blk"));
}

COLD static void end_word(struct mounts *m)
{
	const bool whole = m->length < MOUNTS_WORD_SIZE;

	m->word[whole ? m->length : MOUNTS_WORD_SIZE - 1] = 0;
	if (m->field == ID) {
		m->now.id = number_of(m->word);
	} else if (m->field == PARENT) {
		m->now.parent = number_of(m->word);
	} else if (m->field == POINT) {
		m->now.length = whole && is_below(m->path, m->word) ? m->length : 0;
		m->now_below = is_below(m->word, "/proc") || is_below(m->word, "/sys");
	} else if (m->now_dash) {
		m->now.fuse = is_fuse(m->word);
		m->now_dash = false;
	} else if (m->field > OPTIONS) {
		m->now_dash = text_is(m->word, "-");
	}
	m->field++;
	m->length = 0;
}

COLD static void end_line(struct mounts *m)
{
	if (m->now.fuse && m->now_below)
		m->any_fuse = true;
	if (m->now.length > 0 && m->n < MOUNTS_MAX)
		m->of[m->n++] = m->now;
	memset(&m->now, 0, sizeof m->now);
	m->now_below = m->now_dash = false;
	m->field = 0;
}

COLD void mounts_add(struct mounts *m, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] == ' ' || text[i] == '\n') {
			end_word(m);
			if (text[i] == '\n')
				end_line(m);
			continue;
		}
		if (m->length < MOUNTS_WORD_SIZE)
			m->word[m->length] = text[i];
		m->length++;
	}
}

/* The mount that the path enters next, from this one; NULL: none. From NULL, the first one. */
static const struct mount *next(const struct mounts *m, const struct mount *from)
{
	const struct mount *best = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct mount *const one = &m->of[i];
		bool follows = from && from != one && one->parent == from->id;

		if (!from) {
			follows = true;
			for (size_t j = 0; j < m->n; j++)
				if (j != i && m->of[j].id == one->parent)
					follows = false;
		}
		if (follows && (!best || one->length < best->length))
			best = one;
	}
	return best;
}

/* As the kernel follows a path: from each mount to the one that lies on it and comes first on the
 * path. So a mount that another one hides is not entered. */
COLD bool mounts_is_fuse(const struct mounts *m)
{
	const struct mount *at = next(m, NULL);

	for (size_t i = 0; i < m->n; i++) {
		const struct mount *const on = at ? next(m, at) : NULL;

		if (!on)
			break;
		at = on;
	}
	return at && at->fuse;
}
