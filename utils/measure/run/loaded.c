/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "loaded.h"
#include "path.h"
#include "reason.h"
#include "same-file.h"
#include "files/words.h"

#if defined(HAVE_DLINFO_SERINFO)

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of versions of a library for some CPUs, below a folder of libraries. */
#define FOLDER_OF_CPUS "glibc-hwcaps/"

/* A path in a message: its end tells more than its beginning. */
#define PATH_SHOWN 66

/* What an object's dynamic section says, as far as needed here. */
struct dynamic {
	const ElfW(Dyn) *entries;
	const char *strings;
	const char *soname; /* or NULL */
};

static struct dynamic dynamic_of(const struct link_map *object)
{
	struct dynamic d = { .entries = object->l_ld };
	const ElfW(Dyn) *soname = NULL;
	uintptr_t strings = 0;

	for (const ElfW(Dyn) *entry = d.entries; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_SONAME)
			soname = entry;
	}
	/* Some dynamic linkers have added the object's address to this, and some have not. */
	if (strings < object->l_addr)
		strings += object->l_addr;
	d.strings = (const char *)strings;
	if (soname)
		d.soname = d.strings + soname->d_un.d_val;
	return d;
}

/* What the dynamic linker takes for a name without a slash: the first object that has it. The
 * program, and what the kernel provides, have no path. */
static const struct link_map *provider_of(const struct link_map *all, const char *name)
{
	for (; all; all = all->l_next) {
		struct dynamic d;

		if (!strchr(all->l_name, '/'))
			continue;
		d = dynamic_of(all);
		if (!strcmp(path_name(all->l_name), name) || (d.soname && !strcmp(d.soname, name)))
			return all;
	}
	return NULL;
}

/* Whether a file lies in this folder, or below it for some CPUs only. */
static bool lies_in(const char *path, const char *folder)
{
	const size_t length = strlen(folder);
	const char *rest = path + length;

	if (strncmp(path, folder, length) || *rest != '/')
		return false;
	rest += strspn(rest, "/");
	return !strchr(rest, '/') || !strncmp(rest, FOLDER_OF_CPUS, strlen(FOLDER_OF_CPUS));
}

/* The folders in which the dynamic linker looks for what an object needs. NULL: unknown. */
static Dl_serinfo *folders_of(const struct link_map *object)
{
	void *handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
	Dl_serinfo size, *folders = NULL;

	if (!handle)
		return NULL;
	if (!dlinfo(handle, RTLD_DI_SERINFOSIZE, &size))
		folders = calloc(1, size.dls_size);
	if (folders && (dlinfo(handle, RTLD_DI_SERINFOSIZE, folders) ||
			dlinfo(handle, RTLD_DI_SERINFO, folders))) {
		free(folders);
		folders = NULL;
	}
	dlclose(handle);
	return folders;
}

/* Whether any object names this file's folder itself, as against the system. */
static bool is_named(const struct link_map *all, const char *path)
{
	bool found = false;

	for (; all && !found; all = all->l_next) {
		Dl_serinfo *folders = folders_of(all);

		for (unsigned i = 0; folders && i < folders->dls_cnt && !found; i++)
			found = folders->dls_serpath[i].dls_flags == LA_SER_RUNPATH &&
				lies_in(path, folders->dls_serpath[i].dls_name);
		free(folders);
	}
	return found;
}

/*
 * Whether an object would have got another file than `given` for this name, if it had been loaded
 * alone: then *other is that file. The cache of the system (ld.so.conf) is looked at before the
 * system's folders, and is not known here. So a file that no object asks for by its folder is taken
 * for one of that cache.
 */
static bool has_other(const struct link_map *all, const struct link_map *object, const char *name,
		      const char *given, char other[PATH_MAX])
{
	Dl_serinfo *folders = folders_of(object);
	bool found = false;
	struct stat status;

	for (unsigned i = 0; folders && i < folders->dls_cnt; i++) {
		const Dl_serpath *folder = &folders->dls_serpath[i];

		if (lies_in(given, folder->dls_name))
			break;
		snprintf(other, PATH_MAX, "%s/%s", folder->dls_name, name);
		if (stat(other, &status))
			continue;
		found = !same_file(given, other) &&
			(folder->dls_flags != LA_SER_DEFAULT || is_named(all, given));
		break;
	}
	free(folders);
	return found;
}

static const char *end_of(const char *path)
{
	const size_t length = strlen(path);

	return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

static void say(const char *given, const char *other, struct cpucycles_reason *reason)
{
	reason_say(reason, 0, "it needs %s, but would use %s", end_of(other), end_of(given));
	reason_remedy(reason, "a process loads a library of one name once: link it statically, or "
			      "measure one file at a time");
}

static bool is_seen(const struct link_map *seen[], size_t n, const struct link_map *object)
{
	while (n > 0)
		if (seen[--n] == object)
			return true;
	return false;
}

/* Look at one object, and add what it needs to those that are to be looked at. */
static bool look_at(const struct link_map *all, const struct link_map *object,
		    const struct link_map *seen[], size_t *n, struct cpucycles_reason *reason)
{
	const struct dynamic d = dynamic_of(object);
	char other[PATH_MAX];

	for (const ElfW(Dyn) *entry = d.entries; entry && entry->d_tag != DT_NULL; entry++) {
		const char *name = d.strings + entry->d_un.d_val;
		const struct link_map *provider;

		if (entry->d_tag != DT_NEEDED || strchr(name, '/'))
			continue;
		provider = provider_of(all, name);
		if (!provider || is_seen(seen, *n, provider))
			continue;
		if (has_other(all, object, name, provider->l_name, other)) {
			say(provider->l_name, other, reason);
			return false;
		}
		seen[(*n)++] = provider;
	}
	return true;
}

bool loaded_is_own(void *library, struct cpucycles_reason *reason)
{
	const struct link_map **seen, *all;
	struct link_map *own;
	size_t objects = 0, n = 1;
	bool fine = true;

	if (dlinfo(library, RTLD_DI_LINKMAP, &own))
		return true;
	all = own;
	while (all->l_prev)
		all = all->l_prev;
	for (const struct link_map *object = all; object; object = object->l_next)
		objects++;
	seen = calloc(objects, sizeof *seen);
	if (!seen)
		return true;
	seen[0] = own;
	for (size_t i = 0; i < n && fine; i++)
		fine = look_at(all, seen[i], seen, &n, reason);
	free(seen);
	return fine;
}

#else

bool loaded_is_own(void *library, struct cpucycles_reason *reason)
{
	(void)library;
	(void)reason;
	return true;
}

#endif
