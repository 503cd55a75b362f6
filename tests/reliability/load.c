/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* load SECONDS LIBRARY: a long process that loads the library again and again, as a program with
 * plugins does. (The loader never unloads the library, which is linked with -z nodelete.) It prints
 * the figures of soak_report. */

#include "config.h"

#include "soak.h"

#include <dlfcn.h>

#define PAUSE_NS 1000000

static void load_once(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	long long (**count)(void), first;

	if (!library)
		soak_broken(dlerror());
	*(void **)&count = dlsym(library, "cpucycles");
	if (!count)
		soak_broken(dlerror());
	first = (*count)();
	if ((*count)() < first)
		soak_broken("counts decrease");
	if (dlclose(library))
		soak_broken(dlerror());
}

int main(int argc, char *argv[])
{
	struct soak soak;
	unsigned long n = 0;

	if (argc != 3) {
		fputs("usage: load SECONDS LIBRARY\n", stderr);
		return 2;
	}
	soak = soak_begin(argv[1]);
	while (soak_goes_on(&soak)) {
		load_once(argv[2]);
		n++;
		soak_sleep(PAUSE_NS);
	}
	soak_report(&soak, "loads", n);
	return 0;
}
