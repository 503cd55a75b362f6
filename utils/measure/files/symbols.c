/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "symbols.h"
#include "elf-file.h"

#include <stdint.h>
#include <string.h>

/* Archives, and what else is no ELF */

#define ARCHIVE_MAGIC "!<arch>\n"
#define THIN_MAGIC "!<thin>\n"

/* Bytes at the beginning that tell whether a file is a text. */
#define LOOKED_AT 512

static bool has(const unsigned char *bytes, size_t size, const char *text)
{
	const size_t length = strlen(text);

	for (size_t i = 0; i + length <= size; i++)
		if (!memcmp(bytes + i, text, length))
			return true;
	return false;
}

static enum symbols_kind kind_without_elf(const struct symbols_file *file)
{
	const size_t size = file->size < LOOKED_AT ? file->size : LOOKED_AT;

	if (symbols_begin(file, ARCHIVE_MAGIC) || symbols_begin(file, THIN_MAGIC))
		return SYMBOLS_ARCHIVE;
	for (size_t i = 0; i < size; i++)
		if (file->bytes[i] < '\t' || file->bytes[i] == 127)
			return SYMBOLS_UNKNOWN;
	if (has(file->bytes, size, "GNU ld script") || symbols_begin(file, "INPUT"))
		return SYMBOLS_SCRIPT;
	return size > 0 ? SYMBOLS_TEXT : SYMBOLS_UNKNOWN;
}

bool symbols_is_thin(const struct symbols_file *file)
{
	return symbols_begin(file, THIN_MAGIC);
}

/* A member of an archive has a head of text before it. Source: ar(5). */
#define HEAD 60
#define HEAD_NAME 16
#define HEAD_SIZE 48 /* is where the size begins, in decimal */
#define HEAD_SIZE_DIGITS 10
#define HEAD_END 58    /* is where "`\n" stands */
#define BSD_NAME "#1/" /* the size of a name that follows the head, in decimal */

/* A decimal number that ends with a blank, or with these digits. A large one becomes SIZE_MAX. */
static size_t number_of(const unsigned char *text, size_t digits)
{
	size_t number = 0;

	for (size_t i = 0; i < digits && text[i] >= '0' && text[i] <= '9'; i++)
		number = number < SIZE_MAX / 16 ? 10 * number + (size_t)(text[i] - '0') : SIZE_MAX;
	return number;
}

bool symbols_member(const struct symbols_file *archive, size_t *at, struct symbols_file *member)
{
	const unsigned char *head;
	size_t left, size, name = 0;

	if (*at == 0 && !symbols_begin(archive, ARCHIVE_MAGIC))
		return false;
	*at = *at ? *at : strlen(ARCHIVE_MAGIC);
	left = *at < archive->size ? archive->size - *at : 0;
	if (left < HEAD || memcmp(archive->bytes + *at + HEAD_END, "`\n", 2))
		return false;
	head = archive->bytes + *at;
	size = number_of(head + HEAD_SIZE, HEAD_SIZE_DIGITS);
	if (size > left - HEAD)
		return false;
	if (!memcmp(head, BSD_NAME, strlen(BSD_NAME)))
		name = number_of(head + strlen(BSD_NAME), HEAD_NAME - strlen(BSD_NAME));
	name = name < size ? name : size;
	*member = (struct symbols_file){ .bytes = head + HEAD + name, .size = size - name };
	*at += HEAD + size + size % 2;
	return true;
}

static bool archive_is_cut(const struct symbols_file *archive)
{
	struct symbols_file member;
	size_t at = 0;

	while (symbols_member(archive, &at, &member))
		continue;
	return symbols_begin(archive, ARCHIVE_MAGIC) &&
	       (at ? at : strlen(ARCHIVE_MAGIC)) < archive->size;
}

/* Link-time optimisation */

static bool has_lto(const struct symbols_file *file)
{
	struct symbols_section section;
	size_t at = 0;

	/* What gcc -flto makes. With -ffat-lto-objects there is code, too, but it is not the code
	 * that a program gets. */
	while (symbols_section(file, &at, &section))
		if (!strncmp(section.name, ".gnu.lto_", strlen(".gnu.lto_")))
			return true;
	/* What clang -flto makes. Source: LLVM Bitcode File Format. */
	return symbols_begin(file, "BC\xc0\xde") || symbols_begin(file, "\xde\xc0\x17\x0b");
}

bool symbols_wait_for_lto(const struct symbols_file *file)
{
	struct symbols_file member = *file;
	size_t at = 0;

	do
		if (has_lto(&member))
			return true;
	while (symbols_member(file, &at, &member));
	return false;
}

/* ELF */

#if defined(HAVE_ELF_H)

#if !defined(DT_FLAGS_1)
#define DT_FLAGS_1 0x6ffffffb
#endif
#if !defined(DF_1_PIE)
#define DF_1_PIE 0x08000000
#endif
#if !defined(STT_TLS)
#define STT_TLS 6
#endif
#if !defined(STB_GNU_UNIQUE)
#define STB_GNU_UNIQUE 10
#endif

#define VISIBILITY 3 /* the bits of st_other */

/* The value of the first entry with this tag in a dynamic section. False: there is none. */
static bool find_dynamic(const struct symbols_file *file, uint64_t offset, uint64_t size,
			 uint64_t tag, uint64_t *value)
{
	dynamic_t entry;

	for (uint64_t i = 0; i < size / sizeof entry; i++) {
		if (!elf_copy(file, offset, i, &entry, sizeof entry) || entry.d_tag == DT_NULL)
			return false;
		*value = entry.d_un.d_val;
		if ((uint64_t)entry.d_tag == tag)
			return true;
	}
	return false;
}

/* Whether what may lie anywhere in memory is a program. Some linkers say so. Others name the
 * dynamic linker only, which a few shared objects do, too. Only the first dynamic section counts: a
 * damaged file may have thousands, each as long as the file. */
static bool is_pie(const struct symbols_file *file, const header_t *header)
{
	bool interpreter = false, dynamic = false;
	segment_t segment;
	uint64_t flags;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		if (!elf_copy(file, header->e_phoff, i, &segment, sizeof segment))
			break;
		if (segment.p_type == PT_DYNAMIC && !dynamic &&
		    find_dynamic(file, segment.p_offset, segment.p_filesz, DT_FLAGS_1, &flags) &&
		    flags & DF_1_PIE)
			return true;
		dynamic = dynamic || segment.p_type == PT_DYNAMIC;
		interpreter = interpreter || segment.p_type == PT_INTERP;
	}
	return interpreter;
}

enum symbols_kind symbols_kind(const struct symbols_file *file, unsigned *machine)
{
	header_t header;

	*machine = 0;
	if (!symbols_begin(file, ELFMAG))
		return kind_without_elf(file);
	if (!elf_header(file, &header))
		return file->size < sizeof header ? SYMBOLS_UNKNOWN : SYMBOLS_FOREIGN;
	*machine = header.e_machine;
	switch (header.e_type) {
	case ET_REL:
		return SYMBOLS_OBJECT;
	case ET_EXEC:
		return SYMBOLS_PROGRAM;
	case ET_DYN:
		return is_pie(file, &header) ? SYMBOLS_PROGRAM : SYMBOLS_SHARED;
	default:
		return SYMBOLS_UNKNOWN;
	}
}

/* A table of symbols, what belongs to it, and what is done with each symbol. */
struct table {
	const struct symbols_file *file;
	header_t header;
	section_t section, strings;
	section_t numbers; /* of the symbols' sections that do not fit; its sh_size is 0: none */
	void (*see)(const struct symbol *symbol, void *argument);
	void *argument;
	bool undefined; /* these are shown, and no others */
};

/* dlsym(3) finds what stands in the dynamic table and is not hidden. A linker finds all but what is
 * local. */
static bool is_exported(const struct table *table, const symbol_t *s)
{
	const unsigned visibility = s->st_other & VISIBILITY;

	if (s->st_info >> 4 == STB_LOCAL)
		return false;
	return table->header.e_type == ET_REL ||
	       (table->section.sh_type == SHT_DYNSYM && visibility != STV_HIDDEN &&
		visibility != STV_INTERNAL);
}

/* The number of the section in which symbol i lies. SHN_UNDEF: in none, or in no section of the
 * file. */
static uint64_t place_of(const struct table *table, uint64_t i, const symbol_t *s)
{
	uint32_t number;

	if (s->st_shndx == SHN_XINDEX && i < table->numbers.sh_size / sizeof number &&
	    elf_copy(table->file, table->numbers.sh_offset, i, &number, sizeof number))
		return number;
	return s->st_shndx < SHN_LORESERVE ? s->st_shndx : SHN_UNDEF;
}

static void see_one(const struct table *table, uint64_t i, const symbol_t *s)
{
	const unsigned type = s->st_info & 15;
	const uint64_t place = place_of(table, i, s);
	section_t section;
	const bool lies =
		place != SHN_UNDEF && elf_section(table->file, &table->header, place, &section);
	struct symbol symbol = {
		.name = elf_text(table->file, &table->strings, s->st_name),
		.exported = is_exported(table, s),
		.variable = type == STT_OBJECT || type == STT_COMMON || type == STT_TLS,
		.code = type == STT_FUNC,
		.unique = s->st_info >> 4 == STB_GNU_UNIQUE,
		.size = (size_t)s->st_size,
		.offset = (size_t)s->st_value,
	};

	if (lies && table->header.e_type == ET_REL)
		symbol.section = elf_section_name(table->file, &table->header, &section);
	symbol.code =
		symbol.code || (!symbol.variable && lies && (section.sh_flags & SHF_EXECINSTR));
	/* Any other type may be code: assembler often says none, and there are types of systems. */
	if (symbol.name && (s->st_shndx == SHN_UNDEF) == table->undefined && type != STT_SECTION &&
	    type != STT_FILE)
		table->see(&symbol, table->argument);
}

/* The section with the numbers that belong to table number i of symbols. */
static void find_numbers(struct table *table, uint64_t i)
{
	section_t *numbers = &table->numbers;

	for (uint64_t other = 0; elf_section(table->file, &table->header, other, numbers); other++)
		if (numbers->sh_type == SHT_SYMTAB_SHNDX && numbers->sh_link == i)
			return;
	numbers->sh_size = 0;
}

static void see_table(const struct table *table)
{
	symbol_t symbol;

	for (uint64_t i = 1; i < table->section.sh_size / sizeof symbol; i++) {
		if (!elf_copy(table->file, table->section.sh_offset, i, &symbol, sizeof symbol))
			return;
		see_one(table, i, &symbol);
	}
}

/* The first section of this type. */
static void see_first(struct table *table, uint32_t type)
{
	const struct symbols_file *file = table->file;
	const header_t *header = &table->header;
	const section_t *section = &table->section;

	for (uint64_t i = 0; elf_section(file, header, i, &table->section); i++) {
		if (section->sh_type != type)
			continue;
		find_numbers(table, i);
		if (elf_section(file, header, section->sh_link, &table->strings))
			see_table(table);
		return;
	}
}

/* Of an archive, the tables of all members. A file has one table of each type at most, so that all
 * is seen in a time that grows as its size does. Each section of a damaged file may be such a
 * table, as long as the file. Source: System V gABI, chapter 4, "Section Header". */
static void see_members(const struct symbols_file *file, struct table *table)
{
	struct symbols_file member = *file;
	size_t at = 0;

	table->file = &member;
	do {
		if (!elf_header(&member, &table->header))
			continue;
		see_first(table, SHT_DYNSYM);
		see_first(table, SHT_SYMTAB);
	} while (symbols_member(file, &at, &member));
}

void symbols_each(const struct symbols_file *file,
		  void (*see)(const struct symbol *symbol, void *argument), void *argument)
{
	see_members(file, &(struct table){ .see = see, .argument = argument });
}

void symbols_each_needed(const struct symbols_file *file,
			 void (*see)(const struct symbol *symbol, void *argument), void *argument)
{
	see_members(file, &(struct table){ .see = see, .argument = argument, .undefined = true });
}

bool symbols_section(const struct symbols_file *file, size_t *at, struct symbols_section *section)
{
	header_t header;
	section_t s;

	if (!elf_header(file, &header))
		return false;
	while (elf_section(file, &header, ++*at, &s)) {
		*section = (struct symbols_section){
			.name = elf_section_name(file, &header, &s),
			.code = (s.sh_flags & SHF_EXECINSTR) && (s.sh_flags & SHF_ALLOC),
			.data = !(s.sh_flags & SHF_EXECINSTR) && (s.sh_flags & SHF_ALLOC),
			.alignment = s.sh_addralign > 0 ? (size_t)s.sh_addralign : 1,
			.size = (size_t)s.sh_size,
		};
		if (section->name)
			return true;
	}
	return false;
}

bool symbols_is_cut(const struct symbols_file *file)
{
	header_t header;
	section_t last;
	uint64_t sections;

	if (archive_is_cut(file))
		return true;
	if (!elf_header(file, &header))
		return false;
	sections = elf_sections(file, &header);
	return sections > 0 && !elf_section(file, &header, sections - 1, &last);
}

const char *symbols_soname(const struct symbols_file *file)
{
	section_t dynamic, strings;
	header_t header;
	uint64_t name;

	if (!elf_header(file, &header))
		return NULL;
	for (uint64_t i = 0; elf_section(file, &header, i, &dynamic); i++) {
		if (dynamic.sh_type != SHT_DYNAMIC)
			continue;
		if (!elf_section(file, &header, dynamic.sh_link, &strings) ||
		    !find_dynamic(file, dynamic.sh_offset, dynamic.sh_size, DT_SONAME, &name))
			return NULL;
		return elf_text(file, &strings, name);
	}
	return NULL;
}

#else

bool symbols_is_cut(const struct symbols_file *file)
{
	return archive_is_cut(file);
}

const char *symbols_soname(const struct symbols_file *file)
{
	(void)file;
	return NULL;
}

enum symbols_kind symbols_kind(const struct symbols_file *file, unsigned *machine)
{
	*machine = 0;
	return kind_without_elf(file);
}

void symbols_each(const struct symbols_file *file,
		  void (*see)(const struct symbol *symbol, void *argument), void *argument)
{
	(void)file;
	(void)see;
	(void)argument;
}

void symbols_each_needed(const struct symbols_file *file,
			 void (*see)(const struct symbol *symbol, void *argument), void *argument)
{
	symbols_each(file, see, argument);
}

bool symbols_section(const struct symbols_file *file, size_t *at, struct symbols_section *section)
{
	(void)file;
	(void)at;
	(void)section;
	return false;
}

#endif
