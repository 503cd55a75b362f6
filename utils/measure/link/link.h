/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Links what is measured into a program, anew as often as asked, with the functions at other places
 * each time. Compiler and linker are the system's.
 */

#ifndef CPUCYCLES_MEASURE_LINK_H
#define CPUCYCLES_MEASURE_LINK_H

#include "files/target.h"
#include "placement.h"
#include "reason.h"

#include <stdbool.h>
#include <stddef.h>

struct link;

struct link_options {
	const char *flags;       /* for the compiler, which links, too: words with blanks between
				    them; NULL: none are given */
	const char *flags_of[2]; /* for the compiler of the first target alone, and of the second;
				    NULL: none are given */
	bool cxx;                /* files have functions of C++, which need its library */
	const char *const *with; /* --with: files, or -lNAME */
	size_t with_count;
	const char *harness;    /* the path of the object that has main and calls the functions */
	size_t copies;          /* of each function in a program, at most: a power of two */
	unsigned seconds;       /* that one run of a tool may take; 0: 120 */
	bool without_unchanged; /* functions that are all the same code are not linked */
};

/* Whether the file is one to link: an object, an archive, or a source text. A file that is not
 * there is known by the end of its name. */
bool link_is_input(const char *path);

/*
 * Compile what is source, make a side of each target, and try whether they can be linked. If a side
 * needs what is not there, what is not called is left out, by its sections. What a
 * tool says of a mistake is shown on standard error. The targets, and what the options name, have
 * to stay until link_end(). Each target gets its number as its side. 0, or a negative errno with
 * *reason, and *which is the target that it is about, or n: -ENOENT: there is no such file or
 * function. -EALREADY: the functions are the same code, and are not linked. -EINVAL: the file
 * cannot be compiled or linked. -ENOTSUP: the compiler or a program of binutils is not there, or
 * lacks what is needed. -EACCES: no program may be run from the folders for temporary files.
 * -ETIMEDOUT, -EINTR, -ENOSPC and others.
 */
int link_begin(struct link **link, struct target targets[], size_t n,
	       const struct link_options *options, size_t *which, struct reason_text *reason);

/* See which of `count` functions are the same code in two files: files/unchanged.h. targets: of
 * each function, those of the two files, one after the other. unchanged[i]: false also if a file
 * cannot be prepared, which link_begin() will say. */
void link_find_unchanged(struct target targets[], size_t count, const struct link_options *options,
			 bool unchanged[]);

/* How the section of target i's function is aligned: a power of two, 1 at least. */
size_t link_alignment(const struct link *link, size_t i);

/* How many copies of each function are in a program: link_options.copies, or fewer if the files are
 * long, or 1. If there are several, there are PLACEMENT_PROCESSES at least. Each has its own data.
 * Copy c of target i is side number c * n + i, with n targets of link_begin(). */
size_t link_copies(const struct link *link);

/*
 * Link. targets: the n functions that are part of the program; others are not there. The rest is
 * as in *placement, of all sides: order: how they lie in memory. starts[i]: where the function of
 * side i begins. A multiple of link_alignment(), or else it begins at the next one. A function that
 * its section does not begin with keeps its place between two such multiples. gaps, and the padding
 * of the data of all. copies: the first ones, of link_copies(), are part of the program; fewer take
 * less time. 0 or a negative errno, with *reason.
 */
int link_make(struct link *link, const struct placement *placement, struct target *const targets[],
	      size_t n, size_t copies, struct reason_text *reason);

/* The path of the program that was linked, the same one each time. */
const char *link_program(const struct link *link);

/* Remove all that was made. NULL is allowed. */
void link_end(struct link *link);

#endif
