/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unchanged.h"
#include "map.h"
#include "near.h"
#include "pieces.h"
#include "words.h"

#include <stdlib.h>

#if defined(HAVE_ELF_H)

/* A piece of the one file, and the piece of the other file that has its part. */
struct twins {
	struct piece pieces[2];
};

struct comparison {
	struct pieces *files[2];
	struct twins *list;
	size_t n, room;
	bool of_copies; /* two copies in one file are compared */
};

static bool are_copies(struct pieces *file, struct pieces_name *first, bool all);

static bool overlap(const struct piece *a, const struct piece *b)
{
	return a->member == b->member && a->section == b->section &&
	       a->start < b->start + b->size && b->start < a->start + a->size;
}

/* The two pieces are to be compared, too, unless they are already. Each piece has one twin: of two
 * equal variables, a function may use one in the old file and the other one in the new file. */
static bool add_twins(struct comparison *c, const struct piece pieces[2])
{
	const struct piece *const a = &pieces[0], *const b = &pieces[1];

	if (a->size != b->size)
		return false;
	for (size_t i = 0; i < c->n; i++) {
		const struct piece *const with = c->list[i].pieces;
		const bool met = overlap(a, &with[0]);

		if (met != overlap(b, &with[1]))
			return false;
		if (met && a->start - with[0].start != b->start - with[1].start)
			return false;
		if (met && a->start >= with[0].start &&
		    a->start + a->size <= with[0].start + with[0].size)
			return true;
	}
	if (c->n == c->room) {
		struct twins *const more = realloc(c->list, (2 * c->room + 8) * sizeof *more);

		if (!more)
			return false;
		c->list = more;
		c->room = 2 * c->room + 8;
	}
	c->list[c->n++] = (struct twins){ { *a, *b } };
	return true;
}

static bool same_spots(struct comparison *c, const struct spot spots[2])
{
	if (spots[0].outside != spots[1].outside || spots[0].offset != spots[1].offset)
		return false;
	if (!spots[0].name != !spots[1].name ||
	    (spots[0].name && strcmp(spots[0].name, spots[1].name)))
		return false;
	if (spots[0].outside)
		return spots[0].weak == spots[1].weak;
	/* In one file, a name means one thing. */
	if (c->of_copies && spots[0].name)
		return true;
	for (size_t k = 0; k < 2; k++)
		if (spots[k].copies && !are_copies(c->files[k], spots[k].copies, false))
			return false;
	return add_twins(c, (struct piece[]){ spots[0].piece, spots[1].piece });
}

static bool same_relocations(struct comparison *c, const struct twins *twins)
{
	uint64_t at[2] = { 0 };

	for (;;) {
		relocation_t found[2];
		struct spot spots[2];
		bool any[2];

		for (size_t k = 0; k < 2; k++)
			any[k] = pieces_relocation(c->files[k], &twins->pieces[k], &at[k],
						   &found[k]);
		if (!any[0] || !any[1])
			return any[0] == any[1];
		for (size_t k = 0; k < 2; k++)
			if (!pieces_spot(c->files[k], &twins->pieces[k], &found[k], &spots[k]))
				return false;
		if (found[0].r_offset - twins->pieces[0].start !=
			    found[1].r_offset - twins->pieces[1].start ||
		    pieces_type(&found[0]) != pieces_type(&found[1]) || !same_spots(c, spots))
			return false;
	}
}

/* Whether a linker fills in one of these bytes. */
static bool is_filled(const struct pieces *pieces, const struct piece *piece, uint64_t place,
		      size_t length)
{
	relocation_t found;
	uint64_t at = 0;

	while (pieces_relocation(pieces, piece, &at, &found))
		if (found.r_offset < place + length && place < found.r_offset + 4)
			return true;
	return false;
}

/* Whether a way out of the function stands at this place of its bytes. A short one leads to the
 * beginning of a function: a compiler's functions do not jump into each other. *known: it is also
 * known which piece it leads to. */
static bool find_way(const struct pieces *pieces, const struct piece *piece,
		     const unsigned char *bytes, size_t at, struct spot *spot, bool *known)
{
	section_t section;
	size_t length;
	uint64_t place;
	int64_t to;

	if (!near_way(bytes, (size_t)piece->size, at, &length, &to) ||
	    !pieces_section(pieces, piece, &section))
		return false;
	place = piece->start + (uint64_t)to;
	if ((to >= 0 && (uint64_t)to < piece->size) || place >= section.sh_size ||
	    is_filled(pieces, piece, piece->start + at, length))
		return false;
	*known = pieces_function_at(pieces, piece->member, piece->section, place, spot) &&
		 (length > 1 || spot->offset == 0);
	return *known || length > 1;
}

/* The bytes of two functions, each in a section of several. How far it is from one to another may
 * differ, if it leads to the same piece. */
static bool same_code(struct comparison *c, const struct twins *twins,
		      const unsigned char *const bytes[2])
{
	const size_t size = (size_t)twins->pieces[0].size;
	size_t filled = 0; /* up to here, the bytes are a way's, and may differ */

	for (size_t i = 0; i < size; i++) {
		struct spot spots[2];
		bool way[2], known[2] = { false, false };

		for (size_t k = 0; k < 2; k++)
			way[k] = find_way(c->files[k], &twins->pieces[k], bytes[k], i, &spots[k],
					  &known[k]);
		if (way[0] && way[1]) {
			if (!known[0] || !known[1] || !same_spots(c, spots))
				return false;
			if (i >= filled && near_is_sure(bytes[0], i))
				filled = i + 4;
		}
		if (i >= filled && bytes[0][i] != bytes[1][i])
			return false;
	}
	/* Otherwise, it may go on into the next function. */
	return near_ends(bytes[0], size);
}

static bool same_sections(const section_t s[2], const struct twins *twins)
{
	const uint64_t alignment = s[0].sh_addralign > 1 ? s[0].sh_addralign : 1;

	return s[0].sh_type == s[1].sh_type && s[0].sh_flags == s[1].sh_flags &&
	       s[0].sh_addralign == s[1].sh_addralign &&
	       twins->pieces[0].start % alignment == twins->pieces[1].start % alignment;
}

/* A variable that is no copy's own. It is another one in each member. */
static bool is_shared(const section_t *section)
{
	return (section->sh_flags & SHF_WRITE) && !(section->sh_flags & SHF_GROUP);
}

static bool same_pieces(struct comparison *c, const struct twins *twins)
{
	const struct piece *const pieces = twins->pieces;
	const unsigned char *bytes[2];
	bool parts[2];
	section_t s[2];

	for (size_t k = 0; k < 2; k++) {
		if (!pieces_section(c->files[k], &pieces[k], &s[k]))
			return false;
		bytes[k] = elf_bytes(&c->files[k]->members[pieces[k].member].file,
				     s[k].sh_offset + pieces[k].start, pieces[k].size);
		parts[k] = pieces_is_part_of_code(c->files[k], &pieces[k]);
	}
	if (!same_sections(s, twins) || (c->of_copies && is_shared(&s[0])))
		return false;
	if (s[0].sh_type == SHT_NOBITS)
		return true;
	if (!bytes[0] || !bytes[1])
		return false;
	if (parts[0] || parts[1] ? !same_code(c, twins, bytes) :
				   memcmp(bytes[0], bytes[1], (size_t)pieces[0].size))
		return false;
	return same_relocations(c, twins);
}

/* Compare all of the list, which grows meanwhile. */
static bool same_list(struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct twins twins = c->list[i];

		if (!same_pieces(c, &twins))
			return false;
	}
	return true;
}

/* Copies in one file */

/* A linker keeps or drops all sections of a group: also a table of what catches an exception. */
static bool add_groups(struct comparison *c, const struct spot spots[2])
{
	for (size_t i = 0;; i++) {
		const char *names[2];
		struct piece pieces[2];
		section_t s;

		for (size_t k = 0; k < 2; k++)
			names[k] = pieces_group(c->files[k], &spots[k].piece, i, &pieces[k]);
		if (!names[0] || !names[1])
			return i > 0 && !names[0] && !names[1];
		if (strcmp(names[0], names[1]) || !pieces_section(c->files[0], &pieces[0], &s) ||
		    ((s.sh_flags & SHF_ALLOC) && !add_twins(c, pieces)))
			return false;
	}
}

/* Whether a linker may take either definition of a name, and it makes no difference which one. What
 * else they name is the same, as it is in one file. */
static bool is_copy(struct pieces *file, const struct pieces_name *first,
		    const struct pieces_name *other)
{
	struct comparison c = { .files = { file, file }, .of_copies = true };
	struct spot spots[2];
	const bool same = pieces_defined(file, first, &spots[0]) &&
			  pieces_defined(file, other, &spots[1]) && add_groups(&c, spots) &&
			  same_spots(&c, spots) && same_list(&c);

	free(c.list);
	return same;
}

/* Whether all definitions of the name are copies, or those that are linked. */
static bool are_copies(struct pieces *file, struct pieces_name *first, bool all)
{
	for (size_t i = 1; i < first->count; i++) {
		if (!all && !file->members[first[i].member].linked)
			continue;
		if (first[i].copy == COPY_UNKNOWN)
			first[i].copy = is_copy(file, first, &first[i]) ? COPY_EQUAL : COPY_OTHER;
		if (first[i].copy != COPY_EQUAL)
			return false;
	}
	return true;
}

/* What begins a comparison */

/* What a file has for the function. */
static const char *const endings[] = { "_setup", "_before", "_bytes" };

/* Of an archive, a linker takes the first definition of a name. */
static bool add_role(struct comparison *c, const char *name, bool needed)
{
	struct spot spots[2];
	bool there[2];

	for (size_t k = 0; k < 2; k++) {
		struct pieces_name *const found = pieces_named(c->files[k], name);

		there[k] = found != NULL;
		if (!found)
			continue;
		if (!pieces_defined(c->files[k], found, &spots[k]) ||
		    !are_copies(c->files[k], found, true))
			return false;
		c->files[k]->members[found->member].linked = true;
	}
	if (!there[0] || !there[1])
		return there[0] == there[1] && !needed;
	return same_spots(c, spots);
}

/* A section that is part of a program although nothing leads to it: constructors, and tables that
 * say what catches an exception. Where the code is the same, what else the unwinder reads is, too.
 */
static bool is_beginning(const section_t *section, const char *name)
{
	return section->sh_size > 0 &&
	       (section->sh_type == SHT_INIT_ARRAY || section->sh_type == SHT_PREINIT_ARRAY ||
		!strncmp(name, ".ctors", 6) || !strcmp(name, ".init") ||
		!strncmp(name, ".gcc_except_table", 17));
}

/* The next such section. False: there is none. */
static bool next_beginning(const struct pieces *pieces, struct piece *at, const char **name)
{
	for (; at->member < pieces->n; at->member++, at->section = 0) {
		const struct pieces_member *const member = &pieces->members[at->member];
		section_t section;

		while (member->linked && pieces_section(pieces, at, &section)) {
			*name = elf_section_name(&member->file, &member->header, &section);
			at->section++;
			at->size = section.sh_size;
			if (*name && is_beginning(&section, *name))
				return true;
		}
	}
	return false;
}

static bool add_beginnings(struct comparison *c)
{
	struct piece at[2] = { { 0 } };

	for (;;) {
		const char *names[2];
		bool any[2];
		struct piece pieces[2];

		for (size_t k = 0; k < 2; k++) {
			any[k] = next_beginning(c->files[k], &at[k], &names[k]);
			pieces[k] = at[k];
			pieces[k].section--;
		}
		if (!any[0] || !any[1])
			return any[0] == any[1];
		if (strcmp(names[0], names[1]) || !add_twins(c, pieces))
			return false;
	}
}

static bool add_roles(struct comparison *c, const char *function, const char *stem)
{
	bool same = add_role(c, function, true);

	for (size_t i = 0; same && i < sizeof endings / sizeof endings[0]; i++) {
		char *const name = words_join(stem, endings[i], "");

		same = name && add_role(c, name, false);
		free(name);
	}
	return same;
}

static bool same_all(struct comparison *c, const char *function, const char *stem)
{
	for (size_t k = 0; k < 2; k++)
		pieces_unlink(c->files[k]);
	return add_roles(c, function, stem) && pieces_link(c->files[0]) &&
	       pieces_link(c->files[1]) && add_beginnings(c) && same_list(c);
}

struct unchanged {
	struct symbols_file files[2];
	struct pieces pieces[2];
	bool equal; /* the files as a whole */
};

struct unchanged *unchanged_open(const char *const paths[2])
{
	struct unchanged *const u = calloc(1, sizeof *u);
	bool known = u;

	for (size_t k = 0; k < 2 && known; k++)
		known = !map_file(paths[k], &u->files[k]) && !symbols_wait_for_lto(&u->files[k]) &&
			pieces_read(&u->files[k], &u->pieces[k]);
	if (known) {
		u->equal = u->files[0].size == u->files[1].size &&
			   !memcmp(u->files[0].bytes, u->files[1].bytes, u->files[0].size);
		return u;
	}
	unchanged_close(u);
	return NULL;
}

bool unchanged_is(struct unchanged *u, const char *function, const char *stem)
{
	struct comparison c = { .files = { &u->pieces[0], &u->pieces[1] } };
	const bool same = u->equal ? pieces_named(&u->pieces[0], function) != NULL :
				     same_all(&c, function, stem);

	free(c.list);
	return same;
}

void unchanged_close(struct unchanged *u)
{
	for (size_t k = 0; k < 2 && u; k++) {
		pieces_free(&u->pieces[k]);
		map_end(&u->files[k]);
	}
	free(u);
}

#else

struct unchanged *unchanged_open(const char *const paths[2])
{
	(void)paths;
	return NULL;
}

bool unchanged_is(struct unchanged *u, const char *function, const char *stem)
{
	(void)u;
	(void)function;
	(void)stem;
	return false;
}

void unchanged_close(struct unchanged *u)
{
	(void)u;
}

#endif
