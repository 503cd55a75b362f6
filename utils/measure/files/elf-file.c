/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "elf-file.h"

#if defined(HAVE_ELF_H)

/* The longest name, in bytes. All names of a damaged file may be one and the same long text, which
 * would then be read once for each of them. */
#define NAME_MOST 65536

const unsigned char *elf_bytes(const struct symbols_file *file, uint64_t offset, uint64_t size)
{
	if (offset > file->size || size > file->size - offset)
		return NULL;
	return file->bytes + offset;
}

bool elf_copy(const struct symbols_file *file, uint64_t offset, uint64_t i, void *to, size_t size)
{
	if (offset > file->size || i > file->size / size)
		return false;
	if (size > file->size - offset || i * size > file->size - offset - size)
		return false;
	memcpy(to, file->bytes + offset + i * size, size);
	return true;
}

static bool is_of_this_class(const header_t *header)
{
	const uint16_t one = 1;
	unsigned char low;

	memcpy(&low, &one, 1);
	return header->e_ident[EI_CLASS] == ELF_FILE_CLASS &&
	       header->e_ident[EI_DATA] == (low ? ELFDATA2LSB : ELFDATA2MSB);
}

bool elf_header(const struct symbols_file *file, header_t *header)
{
	return symbols_begin(file, ELFMAG) && elf_copy(file, 0, 0, header, sizeof *header) &&
	       is_of_this_class(header);
}

/* From 65,280 sections on, some numbers do not fit into their places. The number of sections and
 * that of the section with their names stand in section 0 then. Source: System V gABI, chapter 4,
 * "ELF Header" and "Section Header". */
uint64_t elf_sections(const struct symbols_file *file, const header_t *header)
{
	section_t first;

	if (header->e_shnum > 0 || header->e_shoff == 0)
		return header->e_shnum;
	/* A file that ends before section 0 has had that one at least. */
	return elf_copy(file, header->e_shoff, 0, &first, sizeof first) ? first.sh_size : 1;
}

bool elf_section(const struct symbols_file *file, const header_t *header, uint64_t i,
		 section_t *section)
{
	return i < elf_sections(file, header) &&
	       elf_copy(file, header->e_shoff, i, section, sizeof *section);
}

const char *elf_text(const struct symbols_file *file, const section_t *strings, uint64_t offset)
{
	const uint64_t begin = strings->sh_offset, size = strings->sh_size;
	const char *name;
	uint64_t left;

	if (begin > file->size || size > file->size - begin || offset >= size)
		return NULL;
	name = (const char *)file->bytes + begin + offset;
	left = size - offset < NAME_MOST ? size - offset : NAME_MOST;
	return *name && memchr(name, 0, (size_t)left) ? name : NULL;
}

const char *elf_section_name(const struct symbols_file *file, const header_t *header,
			     const section_t *section)
{
	section_t names, first;
	uint64_t i = header->e_shstrndx;

	if (i == SHN_XINDEX && elf_section(file, header, 0, &first))
		i = first.sh_link;
	return elf_section(file, header, i, &names) ? elf_text(file, &names, section->sh_name) :
						      NULL;
}

#endif
