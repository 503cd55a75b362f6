/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The size of the shared library's text, the number of its relocations, and the number of its
 * allocations. */

#include "config.h"

#include "sections.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

struct sizes {
	double text, relocations;
};

/* Relocations in a section of type SHT_RELR: an even word is one address, and each bit of an odd
 * word except the lowest is one more address (generic ABI, "Relocation"). */
static double count_relr(const ElfW(Addr) *words, size_t n)
{
	double count = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(words[i] & 1))
			count++;
		else
			for (ElfW(Addr) bits = words[i] >> 1; bits; bits &= bits - 1)
				count++;
	}
	return count;
}

/* Text is what size(1) calls text: all sections that are loaded and not written to. */
static void add_section(const char *file, const ElfW(Shdr) *section, struct sizes *sizes)
{
	if (!(section->sh_flags & SHF_ALLOC))
		return;
	if (!(section->sh_flags & SHF_WRITE) && section->sh_type != SHT_NOBITS)
		sizes->text += (double)section->sh_size;
	if ((section->sh_type == SHT_RELA || section->sh_type == SHT_REL) && section->sh_entsize)
		sizes->relocations += (double)(section->sh_size / section->sh_entsize);
	if (section->sh_type == SHT_RELR)
		sizes->relocations += count_relr((const void *)(file + section->sh_offset),
						 section->sh_size / sizeof(ElfW(Addr)));
}

static const char *look(const char *file, size_t size, struct sizes *sizes)
{
	const ElfW(Ehdr) *header = (const void *)file;
	const ElfW(Shdr) *sections;

	if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_shentsize != sizeof *sections ||
	    header->e_shoff + (size_t)header->e_shnum * sizeof *sections > size)
		return "not an ELF file of this machine's width, with sections";
	sections = (const void *)(file + header->e_shoff);
	for (size_t i = 0; i < header->e_shnum; i++) {
		if (sections[i].sh_type != SHT_NOBITS &&
		    sections[i].sh_offset + sections[i].sh_size > size)
			return "damaged";
		add_section(file, &sections[i], sizes);
	}
	return NULL;
}

static const char *look_at(const char *path, struct sizes *sizes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	const char *why;
	char *file;

	if (fd < 0 || fstat(fd, &status))
		return strerror(errno);
	file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return strerror(errno);
	why = look(file, (size_t)status.st_size, sizes);
	munmap(file, (size_t)status.st_size);
	return why;
}

static void measure_file(struct bench *bench, const char *library, const char *suffix)
{
	char path[PATH_MAX * 2], text[SERIES_NAME], relocations[SERIES_NAME];
	struct sizes sizes = { 0, 0 };
	const char *why;

	snprintf(text, sizeof text, "size.text%s", suffix);
	snprintf(relocations, sizeof relocations, "size.relocations%s", suffix);
	snprintf(path, sizeof path, "%s%s", bench->root ? bench->root : "", library);
	why = look_at(path, &sizes);
	if (why) {
		bench_missing(bench, text, "bytes", "%s: %s", library, why);
		bench_missing(bench, relocations, "entries", "%s: %s", library, why);
		return;
	}
	bench_add(bench, text, "bytes", sizes.text);
	bench_add(bench, relocations, "entries", sizes.relocations);
}

static void measure_allocations(struct bench *bench, const char *library, const char *environment,
				const char *name)
{
	char program[PATH_MAX + 32];
	const struct command command = {
		.words = { program, library },
		.environment = { environment && environment[0] ? environment : NULL },
		.input = -1,
		.output = -1,
	};
	static struct ended ended;
	char why[SERIES_WHY];
	unsigned long first, later;

	snprintf(program, sizeof program, "%s/bench/allocations", bench->build);
	if (spawn_run(bench, &command, &ended) &&
	    sscanf(ended.text, "first %lu later %lu", &first, &later) == 2) {
		bench_add(bench, name, "calls", (double)(first + later));
		return;
	}
	spawn_explain(&ended, why);
	bench_missing(bench, name, "calls", "%s", why);
}

void bench_size(struct bench *bench)
{
	measure_file(bench, bench->library, "");
	/* The selection from a cache and the selection by probing: neither may allocate. */
	measure_allocations(bench, bench->library, bench->cache, "size.allocations");
	measure_allocations(bench, bench->library, "CPUCYCLES_CACHE=none", "size.allocations");
	if (!bench->against)
		return;
	if (bench->against[0] == '/')
		measure_file(bench, bench->against, ".against");
	measure_allocations(bench, bench->against, NULL, "size.allocations.against");
}
