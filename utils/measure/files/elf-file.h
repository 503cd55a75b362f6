/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The tables of an ELF file: from its bytes, which are not trusted. Where the system has no ELF,
 * there is nothing here. Pure. */

#ifndef CPUCYCLES_MEASURE_ELF_FILE_H
#define CPUCYCLES_MEASURE_ELF_FILE_H

#include "symbols.h"

#if defined(HAVE_ELF_H)

#include <elf.h>
#include <stdint.h>

#if UINTPTR_MAX > 0xffffffff
typedef Elf64_Ehdr header_t;
typedef Elf64_Phdr segment_t;
typedef Elf64_Shdr section_t;
typedef Elf64_Sym symbol_t;
typedef Elf64_Dyn dynamic_t;
typedef Elf64_Rela relocation_t;
#define ELF_FILE_CLASS ELFCLASS64
#else
typedef Elf32_Ehdr header_t;
typedef Elf32_Phdr segment_t;
typedef Elf32_Shdr section_t;
typedef Elf32_Sym symbol_t;
typedef Elf32_Dyn dynamic_t;
typedef Elf32_Rela relocation_t;
#define ELF_FILE_CLASS ELFCLASS32
#endif

/* The `size` bytes at `offset`. NULL: the file ends before. */
const unsigned char *elf_bytes(const struct symbols_file *file, uint64_t offset, uint64_t size);

/* Copy entry number i of a table. False: the file ends before. */
bool elf_copy(const struct symbols_file *file, uint64_t offset, uint64_t i, void *to, size_t size);

/* False: it is no ELF file, or has another word size or byte order than this program. */
bool elf_header(const struct symbols_file *file, header_t *header);

/* The number of sections. */
uint64_t elf_sections(const struct symbols_file *file, const header_t *header);

/* False: there is no section of this number, or the file ends before. */
bool elf_section(const struct symbols_file *file, const header_t *header, uint64_t i,
		 section_t *section);

/* The name at this offset of a table of strings, which ends in the table. NULL: there is none. */
const char *elf_text(const struct symbols_file *file, const section_t *strings, uint64_t offset);

const char *elf_section_name(const struct symbols_file *file, const header_t *header,
			     const section_t *section);

#endif

#endif
