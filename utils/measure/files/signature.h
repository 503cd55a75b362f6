/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The parameters of a function, and what a call with a size passes to them. Pure. */

#ifndef CPUCYCLES_MEASURE_SIGNATURE_H
#define CPUCYCLES_MEASURE_SIGNATURE_H

#include <stdbool.h>

/* A function that is called has so many parameters at most. */
#define SIGNATURE_PARAMETERS 3

/* The letters by which measure-prototype says what a parameter is. */
#define SIGNATURE_SIZE_T 'n'  /* size_t, or another name of it */
#define SIGNATURE_LONG 'l'    /* another integer that is as wide */
#define SIGNATURE_INT 'i'     /* an integer of 32 bits */
#define SIGNATURE_SMALL 's'   /* an integer of fewer bits, or an enumeration */
#define SIGNATURE_FLOAT 'f'   /* float or double */
#define SIGNATURE_IN 'r'      /* a pointer to const bytes */
#define SIGNATURE_OUT 'w'     /* a pointer to bytes */
#define SIGNATURE_CONTEXT 'v' /* void *, which may be a pointer to bytes, too */
#define SIGNATURE_POINTER 'p' /* a pointer to something else */
#define SIGNATURE_OTHER 'x'

/* What a call passes as an argument of a function that gets a buffer. */
enum signature_argument {
	SIGNATURE_NOTHING,
	SIGNATURE_ZERO,
	SIGNATURE_LENGTH,
	SIGNATURE_BUFFER, /* with random bytes */
	SIGNATURE_ROOM    /* for a result */
};

struct signature {
	bool asked;   /* this program can ask whether the file describes the function */
	bool known;   /* the file describes it */
	bool nothing; /* it has no parameters, or a void * as functions that the library calls */
	bool size;    /* it has one, which is an integer */
	bool narrow;  /* its size or length has 32 bits */
	bool pointer; /* it has one, which is a pointer */
	/* The rest is from a name of C++ with a scope, which may be a class: a member has such a
	 * name, too, and an object besides. */
	bool scoped;
	/* If it gets a buffer: otherwise there are only SIGNATURE_NOTHING. */
	enum signature_argument arguments[SIGNATURE_PARAMETERS];
	char prototype[256]; /* in C; of C++, its name, if the file does not describe it; or "" */
	unsigned line;       /* of its definition; 0: not known */
	char file[1024];     /* that has the line */
	char wrapper[400];   /* in C, a function without parameters that calls it; "": unknown */
};

/* Read what measure-prototype has printed. A text that it would not print says nothing. */
void signature_parse(const char *text, struct signature *signature);

/* What a demangled name of C++ says. It is not known if it is scoped. The result may be missing. */
void signature_of_name(const char *demangled, struct signature *signature);

static inline bool signature_has_buffer(const struct signature *signature)
{
	return signature->arguments[0] != SIGNATURE_NOTHING;
}

#endif
