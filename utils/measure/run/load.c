/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "load.h"
#include "alone.h"
#include "files/mistake.h"
#include "reason.h"
#include "files/words.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A constant of this name after that of a function has the bytes of one call, or, after that of
 * FUNCTION_input, those of an input. */
#define BYTES "_bytes"

/* A path in a message: its end tells more than its beginning. */
#define PATH_SHOWN 66

/* The address of a function, or NULL. POSIX lets a pointer of dlsym become one to a function. */
static void (*find(void *library, const char *name))(void)
{
	union {
		void *object;
		void (*function)(void);
	} address = { .object = dlsym(library, name) };

	return address.function;
}

/* dlopen(3) has failed. A file here is a likely mistake: without a slash, the name is searched for
 * in the system's folders. */
static void say_not_loaded(const struct target *target, struct reason_text *reason)
{
	const char *why = dlerror(), *path = target->library;
	const bool here = !strchr(path, '/') && !access(path, F_OK);

	reason_say(reason, 0, "does not load: %s", why ? why : "dlopen(3) gives no reason");
	if ((here || strchr(path, '/')) && mistake_in_file(target, reason))
		return;
	/* As a user would write a name of C++. */
	if (path[strlen(path) - 1] == ':')
		reason_remedy(reason, "the last colon is before the function: expected "
				      "FILE:FUNCTION, with the name that nm(1) shows");
	else if (here) {
		reason_say(reason, 0, "there is none of this name in the system's folders");
		reason_remedy(reason, "a file of this folder needs its path: ./%s",
			      target->argument);
	} else
		reason_remedy(reason, "expected LIB.so:FUNCTION, where LIB.so is a shared object "
				      "for this machine");
}

/* Where the library states the bytes. NULL: it does not. */
static const void *find_bytes(void *library, const char *function)
{
	char *const name = words_join(function, BYTES, "");
	const void *const place = name ? dlsym(library, name) : NULL;

	free(name);
	return place;
}

static void say_shared(const char *path, struct reason_text *reason)
{
	const size_t length = strlen(path);

	reason_say(reason, 0,
		   "it needs %s, but would use a library of this name that an earlier file has "
		   "loaded",
		   length > PATH_SHOWN ? path + length - PATH_SHOWN : path);
	reason_remedy(reason, "a process loads a library of one name once: link it statically, or "
			      "measure one file at a time");
}

/*
 * What the loading of file i has left. The constructors of a file run when it is loaded for the
 * first time only, and so do those of the libraries that it needs. So if an earlier file has
 * changed the state, a library of both may have done that. False: the file lacks a library that it
 * gets when it is loaded alone. The first two processes look, because every other process loads the
 * files in reverse order.
 */
static bool keep_state(const struct child_job *job, const struct alone *alone,
		       const struct loaded loaded[], size_t i, const struct state *own,
		       struct state states[], struct reason_text *reason)
{
	const char *missing = NULL;
	struct state left;
	bool changed = false;

	states[i] = child_take_state(own);
	for (size_t earlier = 0; earlier < i; earlier++) {
		if (loaded[earlier].library == loaded[i].library) {
			states[i] = states[earlier];
			return true;
		}
		changed = changed || !state_is(&states[earlier], own);
	}
	left = states[i];
	if (changed || (i > 0 && job->process < 2))
		missing = alone_ask(alone, job->targets[i]->library, &left);
	if (changed)
		states[i] = left;
	if (missing)
		say_shared(missing, reason);
	return !missing;
}

/* Of a large library, a look at its names takes long. So only the first process looks for helpers:
 * the later ones load the same file. */
static bool is_mistaken(const struct child_job *job, const struct target *target, void *library,
			struct reason_text *reason)
{
	return mistake_is_variable(target, dlsym(library, target->function), reason) ||
	       (!job->known.known && mistake_in_loaded_helper(target, library, reason));
}

void load_targets(const struct child_job *job, struct child_shared *shared, struct loaded loaded[],
		  struct state states[])
{
	const struct state own = state_get();
	struct alone alone = { .process = -1 };

	if (job->n > 1)
		alone_begin(&alone);
	for (size_t i = 0; i < job->n; i++) {
		const struct target *target = job->targets[i];
		void *library;

		child_begin(shared, CHILD_LOADS, i);
		library = loaded[i].library = dlopen(target->library, RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			say_not_loaded(target, &shared->reason);
			child_end(shared, -ENOENT);
		}
		if (!keep_state(job, &alone, loaded, i, &own, states, &shared->reason))
			child_end(shared, -ENOENT);
		loaded[i].function = find(library, target->function);
		if (!loaded[i].function)
			mistake_in_name(target, &shared->reason);
		if (!loaded[i].function || is_mistaken(job, target, library, &shared->reason))
			child_end(shared, -ENOENT);
		/* If nothing can be read there, the loading of the library has crashed. */
		loaded[i].bytes = target->sized || target->bytes ?
					  target->bytes :
					  child_stated(find_bytes(library, target->function));
		loaded[i].setup =
			child_first_of(loaded, i) == i ? find(library, target->setup) : NULL;
		loaded[i].before = find(library, target->before);
		if (target->leak) {
			loaded[i].input = find(library, target->input);
			loaded[i].input_bytes = find_bytes(library, target->input);
			if (mistake_is_no_size(target, loaded[i].input_bytes, &shared->reason))
				child_end(shared, -EDOM);
		}
	}
	alone_end(&alone);
}
