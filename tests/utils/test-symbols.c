/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a file is, and which symbols it has: from made files, and from garbled ones. */

#include "config.h"

#include "measure/files/symbols.h"
#include "unit.h"

#define GARBLED 20000

static enum symbols_kind kind_of(const char *text, size_t size)
{
	struct symbols_file file = { .bytes = (const unsigned char *)text, .size = size };
	unsigned machine;

	return symbols_kind(&file, &machine);
}

TEST(texts)
{
	static const struct {
		const char *text;
		enum symbols_kind kind;
	} cases[] = {
		{ "", SYMBOLS_UNKNOWN },
		{ "int f;\n", SYMBOLS_TEXT },
		{ "\177EL", SYMBOLS_UNKNOWN },
		{ "\177ELF", SYMBOLS_UNKNOWN },
		{ "!<arch>\nf.o/", SYMBOLS_ARCHIVE },
		{ "!<thin>\n", SYMBOLS_ARCHIVE },
		{ "/* GNU ld script\n*/ GROUP ( libc.so.6 )", SYMBOLS_SCRIPT },
		{ "INPUT(libncurses.so.6)\n", SYMBOLS_SCRIPT },
		{ "\001\002", SYMBOLS_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(kind_of(cases[i].text, strlen(cases[i].text)), cases[i].kind);
}

#if defined(HAVE_ELF_H)

#include <elf.h>

#if UINTPTR_MAX > 0xffffffff
#define ELF(type) Elf64_##type
#define CLASS ELFCLASS64
#else
#define ELF(type) Elf32_##type
#define CLASS ELFCLASS32
#endif

enum { FIRST, NAMES, DYNAMIC, STATIC, NUMBERS, SECTIONS };
#define SYMBOLS 6

/* A shared object, with what is looked at only. */
struct made {
	ELF(Ehdr) header;
	ELF(Phdr) segments[2];
	ELF(Shdr) sections[SECTIONS];
	ELF(Sym) symbols[SYMBOLS];
	char names[48];
	uint32_t numbers[SYMBOLS];
	ELF(Dyn) dynamic[2];
};

static const char names[] = "\0f\0variable\0outside\0hidden\0untyped\0";

static ELF(Sym) symbol_of(unsigned name, unsigned type, unsigned section)
{
	return (ELF(Sym)){
		.st_name = name,
		.st_info = (unsigned char)(STB_GLOBAL << 4 | type),
		.st_shndx = (uint16_t)section,
	};
}

static struct made make(void)
{
	const uint16_t one = 1;
	unsigned char low;
	struct made made = {
		.header = { .e_type = ET_DYN,
			    .e_machine = 62,
			    .e_shnum = SECTIONS,
			    .e_phnum = 1,
			    .e_phoff = offsetof(struct made, segments),
			    .e_shoff = offsetof(struct made, sections) },
		.segments = { { .p_type = PT_LOAD } },
		.sections = { [NAMES] = { .sh_type = SHT_STRTAB,
					  .sh_offset = offsetof(struct made, names),
					  .sh_size = sizeof names },
			      [DYNAMIC] = { .sh_type = SHT_DYNSYM,
					    .sh_offset = offsetof(struct made, symbols),
					    .sh_size = sizeof made.symbols,
					    .sh_link = NAMES },
			      [STATIC] = { .sh_type = SHT_SYMTAB,
					   .sh_offset = offsetof(struct made, symbols),
					   .sh_size = 2 * sizeof made.symbols[0],
					   .sh_link = NAMES } },
	};

	memcpy(&low, &one, 1);
	memcpy(made.header.e_ident, ELFMAG, SELFMAG);
	made.header.e_ident[EI_CLASS] = CLASS;
	made.header.e_ident[EI_DATA] = low ? ELFDATA2LSB : ELFDATA2MSB;
	memcpy(made.names, names, sizeof names);
	made.symbols[1] = symbol_of(1, STT_FUNC, 1);
	made.symbols[2] = symbol_of(3, STT_OBJECT, 1);
	made.symbols[3] = symbol_of(12, STT_FUNC, SHN_UNDEF);
	made.symbols[4] = symbol_of(20, STT_FUNC, 1);
	made.symbols[4].st_other = STV_HIDDEN;
	made.symbols[5] = symbol_of(27, STT_NOTYPE, 1);
	return made;
}

static char seen[256];

static void see(const struct symbol *symbol, void *argument)
{
	const size_t length = strlen(seen);

	(void)argument;
	/* Reads the whole name, wherever it is. */
	assert_true(strlen(symbol->name) > 0);
	snprintf(seen + length, sizeof seen - length, "%s%s%s ", symbol->name,
		 symbol->exported ? "" : "-", symbol->variable ? "=" : "");
}

static void expect_kind(const struct made *made, enum symbols_kind kind)
{
	assert_int_equal(kind_of((const char *)made, sizeof *made), kind);
}

TEST(shared_object)
{
	struct made made = make();
	const struct symbols_file file = { .bytes = (const unsigned char *)&made,
					   .size = sizeof made };
	unsigned machine;

	assert_int_equal(symbols_kind(&file, &machine), SYMBOLS_SHARED);
	assert_int_equal(machine, 62);
	seen[0] = 0;
	symbols_each(&file, see, NULL);
	assert_string_equal(seen, "f variable= hidden- untyped f- ");
	made.header.e_type = ET_REL;
	expect_kind(&made, SYMBOLS_OBJECT);
	made.header.e_type = ET_EXEC;
	expect_kind(&made, SYMBOLS_PROGRAM);
	made.header.e_type = ET_DYN;
	made.segments[0].p_type = PT_INTERP;
	expect_kind(&made, SYMBOLS_PROGRAM);
	made.header.e_ident[EI_CLASS] = CLASS == ELFCLASS64 ? ELFCLASS32 : ELFCLASS64;
	expect_kind(&made, SYMBOLS_FOREIGN);
}

/* An archive: a table, the object twice, the second time under a long name of BSD, and a text. */
struct made_archive {
	char bytes[4096];
	size_t size;
};

static void add_bytes(struct made_archive *archive, const void *bytes, size_t size)
{
	assert_true(archive->size + size <= sizeof archive->bytes);
	memcpy(archive->bytes + archive->size, bytes, size);
	archive->size += size;
}

static void add_member(struct made_archive *archive, const char *name, size_t before,
		       const void *bytes, size_t size)
{
	char head[61];

	snprintf(head, sizeof head, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644u,
		 before + size);
	add_bytes(archive, head, 60);
	add_bytes(archive, "a_long_name_\0\0\0\0", before);
	add_bytes(archive, bytes, size);
	if ((before + size) % 2)
		add_bytes(archive, "\n", 1);
}

static struct made_archive make_archive(void)
{
	struct made made = make();
	struct made_archive archive = { .size = 0 };

	made.header.e_type = ET_REL;
	add_bytes(&archive, "!<arch>\n", 8);
	add_member(&archive, "/", 0, "\0\0\0", 3);
	add_member(&archive, "f.o/", 0, &made, sizeof made);
	add_member(&archive, "#1/16", 16, &made, sizeof made);
	add_member(&archive, "text/", 0, "BC", 2);
	return archive;
}

TEST(archive)
{
	struct made_archive made = make_archive();
	struct symbols_file file = { .bytes = (const unsigned char *)made.bytes,
				     .size = made.size };
	struct symbols_file member;
	size_t at = 0, members = 0, objects = 0;
	unsigned machine;

	for (; symbols_member(&file, &at, &member); members++)
		objects += symbols_kind(&member, &machine) == SYMBOLS_OBJECT;
	assert_int_equal(members, 4);
	assert_int_equal(objects, 2);
	seen[0] = 0;
	symbols_each(&file, see, NULL);
	/* A linker finds what is hidden, too. The second table has local names, too. */
	assert_string_equal(seen, "f variable= hidden untyped f f variable= hidden untyped f ");
	assert_false(symbols_wait_for_lto(&file));
	add_member(&made, "lto/", 0, "BC\xc0\xde", 4);
	file.size = made.size;
	assert_true(symbols_wait_for_lto(&file));
	file.size = made.size - 1;
	assert_false(symbols_wait_for_lto(&file));
}

static char sections_seen[64];

static void see_sections(const struct symbols_file *file)
{
	struct symbols_section section;
	size_t at = 0;

	while (symbols_section(file, &at, &section)) {
		const size_t length = strlen(sections_seen);

		assert_true(strlen(section.name) > 0);
		snprintf(sections_seen + length, sizeof sections_seen - length, "%s%s/%zu ",
			 section.name, section.code ? "!" : "", section.alignment);
	}
}

TEST(object)
{
	struct made made = make();
	const struct symbols_file file = { .bytes = (const unsigned char *)&made,
					   .size = sizeof made };

	made.header.e_type = ET_REL;
	made.symbols[1].st_info = STB_LOCAL << 4 | STT_FUNC;
	seen[0] = 0;
	symbols_each(&file, see, NULL);
	assert_string_equal(seen, "f- variable= hidden untyped f- ");
	seen[0] = 0;
	symbols_each_needed(&file, see, NULL);
	assert_string_equal(seen, "outside ");
	made.header.e_shstrndx = NAMES;
	made.sections[DYNAMIC].sh_name = 1;
	made.sections[DYNAMIC].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	made.sections[DYNAMIC].sh_addralign = 32;
	made.sections[STATIC].sh_name = 3;
	sections_seen[0] = 0;
	see_sections(&file);
	assert_string_equal(sections_seen, "f!/32 variable/1 ");
	assert_false(symbols_wait_for_lto(&file));
	memcpy(made.names + 3, ".gnu.lto_", 9);
	assert_true(symbols_wait_for_lto(&file));
}

static char places_seen[256];

static void see_place(const struct symbol *symbol, void *argument)
{
	const size_t length = strlen(places_seen);

	(void)argument;
	snprintf(places_seen + length, sizeof places_seen - length, "%s in %s%s ", symbol->name,
		 symbol->section ? symbol->section : "none", symbol->code ? "!" : "");
}

/* Numbers that do not fit into their places stand elsewhere. Reserved numbers are no section, even
 * if there are so many. */
TEST(many_sections)
{
	struct made made = make();
	const struct symbols_file file = { .bytes = (const unsigned char *)&made,
					   .size = sizeof made };

	made.header.e_type = ET_REL;
	made.header.e_shnum = 0;
	made.header.e_shstrndx = SHN_XINDEX;
	made.sections[FIRST].sh_size = SECTIONS;
	made.sections[FIRST].sh_link = NAMES;
	made.sections[DYNAMIC].sh_type = SHT_PROGBITS;
	made.sections[DYNAMIC].sh_name = 27;
	made.sections[DYNAMIC].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	made.sections[STATIC].sh_size = sizeof made.symbols;
	made.sections[NUMBERS].sh_type = SHT_SYMTAB_SHNDX;
	made.sections[NUMBERS].sh_link = STATIC;
	made.sections[NUMBERS].sh_offset = offsetof(struct made, numbers);
	made.sections[NUMBERS].sh_size = sizeof made.numbers;
	made.symbols[1].st_shndx = SHN_XINDEX;
	made.numbers[1] = DYNAMIC;
	made.symbols[2].st_shndx = SHN_COMMON;
	made.symbols[4].st_shndx = SHN_ABS;
	made.symbols[5].st_shndx = DYNAMIC;
	sections_seen[0] = places_seen[0] = 0;
	see_sections(&file);
	assert_string_equal(sections_seen, "untyped!/1 ");
	symbols_each(&file, see_place, NULL);
	assert_string_equal(places_seen, "f in untyped! variable in none hidden in none! "
					 "untyped in untyped! ");
	assert_false(symbols_is_cut(&file));
	/* Of another table, so the symbol lies nowhere. */
	made.sections[NUMBERS].sh_link = DYNAMIC;
	places_seen[0] = 0;
	symbols_each(&file, see_place, NULL);
	assert_memory_equal(places_seen, "f in none! ", 11);
	made.sections[FIRST].sh_size = SECTIONS + 1000;
	assert_true(symbols_is_cut(&file));
	/* A file that ends before section 0 does not say how many it has had. */
	made.sections[FIRST].sh_size = SECTIONS;
	assert_false(symbols_is_cut(&file));
	assert_true(symbols_is_cut(
		&(struct symbols_file){ .bytes = file.bytes, .size = made.header.e_shoff }));
}

/* Else a small file could have so many tables, each as long as the file, that a look at it would
 * take hours. */
TEST(many_tables)
{
	struct made made = make();
	const struct symbols_file file = { .bytes = (const unsigned char *)&made,
					   .size = sizeof made };

	made.sections[FIRST] = made.sections[NUMBERS] = made.sections[STATIC];
	made.header.e_type = ET_REL;
	seen[0] = 0;
	symbols_each(&file, see, NULL);
	assert_string_equal(seen, "f variable= hidden untyped f ");
	made.sections[FIRST] = made.sections[NUMBERS] = made.sections[DYNAMIC];
	seen[0] = 0;
	symbols_each(&file, see, NULL);
	assert_string_equal(seen, "f variable= hidden untyped f ");
}

TEST(dynamic_twice)
{
	struct made made = make();

	made.header.e_phnum = 2;
	made.dynamic[0].d_tag = 0x6ffffffb;      /* DT_FLAGS_1 */
	made.dynamic[0].d_un.d_val = 0x08000000; /* DF_1_PIE */
	made.segments[0].p_type = made.segments[1].p_type = PT_DYNAMIC;
	made.segments[0].p_offset = made.segments[1].p_offset = offsetof(struct made, dynamic);
	made.segments[0].p_filesz = sizeof made.dynamic;
	expect_kind(&made, SYMBOLS_PROGRAM);
	made.segments[1].p_filesz = sizeof made.dynamic;
	made.segments[0].p_filesz = 0;
	expect_kind(&made, SYMBOLS_SHARED);
}

#define LONG 100000
#define SHORT 3000

static void see_length(const struct symbol *symbol, void *longest)
{
	const size_t length = strlen(symbol->name);

	*(size_t *)longest = length > *(size_t *)longest ? length : *(size_t *)longest;
}

/* All symbols may have the same long name, so a name that is too long is none. */
TEST(long_names)
{
	struct made *made = calloc(1, sizeof *made + LONG);
	const struct symbols_file file = { .bytes = (const unsigned char *)made,
					   .size = sizeof *made + LONG };
	size_t longest = 0;

	assert_non_null(made);
	*made = make();
	memset(made + 1, 'f', LONG - 1);
	made->sections[NAMES].sh_offset = sizeof *made;
	made->sections[NAMES].sh_size = LONG;
	made->symbols[2].st_name = LONG - 1 - SHORT;
	symbols_each(&file, see_length, &longest);
	assert_int_equal(longest, SHORT);
	free(made);
}

/* All that looks at a file. */
static void look(const struct symbols_file *file)
{
	struct symbols_file member;
	unsigned machine;
	size_t at = 0;

	symbols_kind(file, &machine);
	seen[0] = sections_seen[0] = 0;
	symbols_each(file, see, NULL);
	see_sections(file);
	seen[0] = 0;
	symbols_each_needed(file, see, NULL);
	symbols_wait_for_lto(file);
	while (symbols_member(file, &at, &member))
		symbols_kind(&member, &machine);
}

/* Any one, or one that stands in a number. */
static unsigned char random_byte(bool any)
{
	const uint64_t random = unit_random();

	return any ? (unsigned char)random : (unsigned char)"0123456789 "[random % 11];
}

TEST(garbled_archive)
{
	unit_seed();
	for (int i = 0; i < GARBLED / 4; i++) {
		const struct made_archive made = make_archive();
		const size_t size = made.size - (size_t)(unit_random() % (i % 3 ? 1 : made.size));
		unsigned char *const bytes = malloc(size);

		memcpy(bytes, made.bytes, size);
		for (uint64_t b = unit_random() % 4; b > 0; b--)
			bytes[unit_random() % size] = random_byte(i % 2 != 0);
		look(&(struct symbols_file){ .bytes = bytes, .size = size });
		free(bytes);
	}
}

/* Nothing outside of the bytes is read, whatever they say: valgrind and sanitizers would tell. */
TEST(garbled)
{
	unit_seed();
	for (int i = 0; i < GARBLED; i++) {
		const struct made made = make();
		const size_t size =
			sizeof made - (size_t)(unit_random() % (i % 3 ? 1 : sizeof made));
		unsigned char *const bytes = malloc(size);
		const struct symbols_file file = { .bytes = bytes, .size = size };

		memcpy(bytes, &made, size);
		for (uint64_t b = unit_random() % 4; b > 0; b--)
			bytes[unit_random() % size] = (unsigned char)unit_random();
		look(&file);
		free(bytes);
	}
}

#else

TEST_NOT_HERE(shared_object, "this system has no ELF")
TEST_NOT_HERE(garbled, "this system has no ELF")
TEST_NOT_HERE(archive, "this system has no ELF")
TEST_NOT_HERE(many_tables, "this system has no ELF")
TEST_NOT_HERE(dynamic_twice, "this system has no ELF")
TEST_NOT_HERE(long_names, "this system has no ELF")
TEST_NOT_HERE(many_sections, "this system has no ELF")
TEST_NOT_HERE(object, "this system has no ELF")
TEST_NOT_HERE(garbled_archive, "this system has no ELF")
#endif

UNIT_MAIN("symbols", NULL, NULL)
