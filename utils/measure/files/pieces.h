/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The pieces of an object file, or of an archive's members, that may be compared with a namesake's:
 * a function, a variable, a string, or a whole section. Says which piece a relocation means, and
 * which copies of it there are. Where that is in doubt, there is no answer. Pure.
 */

#ifndef CPUCYCLES_MEASURE_PIECES_H
#define CPUCYCLES_MEASURE_PIECES_H

#include "elf-file.h"

#if defined(HAVE_ELF_H)

struct pieces_member {
	struct symbols_file file;
	header_t header;
	section_t symbols, strings; /* the table of symbols, and that of their names */
	bool compiled;              /* a compiler says that it has made this member */
	bool linked;                /* a program with the function has this member */
	bool looked_at;             /* what it needs is linked, too */
};

/* A definition that members have for each other. Several members may have copies of a function of
 * C++: of a template, for instance. */
struct pieces_name {
	const char *name;
	size_t member;
	uint64_t symbol;
	size_t first, count; /* the number of the name's first definition, and of all of them */
	enum {
		COPY_UNKNOWN, /* not yet compared */
		COPY_EQUAL,
		COPY_OTHER
	} copy; /* of the first definition */
};

struct pieces {
	struct pieces_member *members;
	struct pieces_name *names; /* sorted, and then in the order of the members */
	size_t n, names_n;
};

/* Bytes of a section. */
struct piece {
	size_t member;
	uint64_t section, start, size;
};

/* What a relocation means: a place in a piece, or a name that none of the members defines. */
struct spot {
	bool outside;
	const char *name; /* that others may see, too; NULL: it has none, or none is known */
	bool weak;
	struct pieces_name *copies; /* the first definition, if a program may get one of several */
	struct piece piece;
	int64_t offset; /* from the piece's beginning, or from the name's address */
};

/* False: memory ran out. pieces_free() in both cases. */
bool pieces_read(const struct symbols_file *file, struct pieces *pieces);
void pieces_free(struct pieces *pieces);

/* The first of the definitions of this name, which is the one that a linker takes of an archive if
 * only this name is needed. NULL: there is none. */
struct pieces_name *pieces_named(const struct pieces *pieces, const char *name);

/* What the definition means. False: it is in doubt. */
bool pieces_defined(const struct pieces *pieces, const struct pieces_name *name, struct spot *spot);

/* Section number i of the group of sections that has the piece. Returns the group's name: a linker
 * keeps one of all groups of a name. NULL: there is no such group, or no such section in it. */
const char *pieces_group(const struct pieces *pieces, const struct piece *piece, size_t i,
			 struct piece *section);

/* Mark no member as linked. */
void pieces_unlink(struct pieces *pieces);

/* Mark the members that are linked together with those that are marked already. False: which ones
 * is in doubt. */
bool pieces_link(struct pieces *pieces);

bool pieces_section(const struct pieces *pieces, const struct piece *piece, section_t *section);

/* Relocation number *at, or a later one, that belongs to the piece. False: there is none. */
bool pieces_relocation(const struct pieces *pieces, const struct piece *piece, uint64_t *at,
		       relocation_t *relocation);

/* Its type, as the processor's ABI numbers them. */
unsigned pieces_type(const relocation_t *relocation);

/* What a relocation of this piece means. False: it is in doubt. */
bool pieces_spot(const struct pieces *pieces, const struct piece *piece,
		 const relocation_t *relocation, struct spot *spot);

/* Whether the piece is a part of a section of several functions, whose assembler has filled in
 * the ways from one to another. */
bool pieces_is_part_of_code(const struct pieces *pieces, const struct piece *piece);

/* The function of this section that has the place. False: none. */
bool pieces_function_at(const struct pieces *pieces, size_t member, uint64_t section,
			uint64_t place, struct spot *spot);

#endif

#endif
