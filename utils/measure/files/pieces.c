/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "pieces.h"
#include "near.h"

#if defined(HAVE_ELF_H)

#include <stdlib.h>
#include <string.h>

#if UINTPTR_MAX > 0xffffffff
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#define TYPE_OF(info) ELF64_R_TYPE(info)
typedef Elf64_Rel short_t;
#else
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#define TYPE_OF(info) ELF32_R_TYPE(info)
typedef Elf32_Rel short_t;
#endif

#define BINDING(symbol) ((symbol)->st_info >> 4)
#define TYPE(symbol) ((symbol)->st_info & 15)

/* Reading */

static bool symbol_at(const struct pieces_member *member, uint64_t i, symbol_t *symbol)
{
	return i < member->symbols.sh_size / sizeof *symbol &&
	       elf_copy(&member->file, member->symbols.sh_offset, i, symbol, sizeof *symbol);
}

static const char *name_of(const struct pieces_member *member, const symbol_t *symbol)
{
	return elf_text(&member->file, &member->strings, symbol->st_name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pieces_name *)a)->name, ((const struct pieces_name *)b)->name);
}

static int by_name_and_member(const void *a, const void *b)
{
	const struct pieces_name *const one = a, *const other = b;
	const int order = by_name(a, b);

	return order ? order : (one->member > other->member) - (one->member < other->member);
}

/* Compilers name themselves in a text, and assemblers do not, or not like that. */
static bool is_compiler(const struct symbols_file *file, const section_t *comment)
{
	const unsigned char *const bytes = elf_bytes(file, comment->sh_offset, comment->sh_size);
	const char *text;

	if (!bytes || comment->sh_size < 2 || bytes[comment->sh_size - 1])
		return false;
	text = (const char *)bytes + !bytes[0];
	return !strncmp(text, "GCC: ", 5) || strstr(text, " version ");
}

/* Whether code has a label that is no function with a size: in a compiler's, assembly is then in
 * between. */
static bool has_label(const struct pieces_member *member)
{
	section_t section;
	symbol_t symbol;

	for (uint64_t i = 1; symbol_at(member, i, &symbol); i++)
		if ((TYPE(&symbol) == STT_NOTYPE ||
		     (TYPE(&symbol) == STT_FUNC && symbol.st_size == 0)) &&
		    elf_section(&member->file, &member->header, symbol.st_shndx, &section) &&
		    (section.sh_flags & SHF_EXECINSTR))
			return true;
	return false;
}

static bool add_member(struct pieces *pieces, const struct symbols_file *file)
{
	struct pieces_member member = { .file = *file }, *more;
	section_t section;
	const char *name;

	if (!elf_header(file, &member.header) || member.header.e_type != ET_REL)
		return true;
	for (uint64_t i = 0; elf_section(file, &member.header, i, &section); i++) {
		if (section.sh_type == SHT_SYMTAB)
			member.symbols = section;
		name = elf_section_name(file, &member.header, &section);
		if (name && !strcmp(name, ".comment"))
			member.compiled = is_compiler(file, &section);
	}
	elf_section(file, &member.header, member.symbols.sh_link, &member.strings);
	member.compiled = member.compiled && !has_label(&member);
	more = realloc(pieces->members, (pieces->n + 1) * sizeof *more);
	if (!more)
		return false;
	pieces->members = more;
	more[pieces->n++] = member;
	return true;
}

/* The names of member m: count them, or add them if there is room. */
static void add_names(struct pieces *pieces, size_t m)
{
	const struct pieces_member *const member = &pieces->members[m];
	symbol_t symbol;

	for (uint64_t i = 1; symbol_at(member, i, &symbol); i++) {
		const char *const name = name_of(member, &symbol);

		if (BINDING(&symbol) == STB_LOCAL || symbol.st_shndx == SHN_UNDEF || !name)
			continue;
		if (pieces->names)
			pieces->names[pieces->names_n] =
				(struct pieces_name){ .name = name, .member = m, .symbol = i };
		pieces->names_n++;
	}
}

static void count_definitions(struct pieces_name *names, size_t n)
{
	for (size_t i = 0, first = 0; i < n; i++) {
		first = i > 0 && !by_name(&names[first], &names[i]) ? first : i;
		names[i].first = first;
		names[first].count++;
	}
}

bool pieces_read(const struct symbols_file *file, struct pieces *pieces)
{
	struct symbols_file member = *file;
	size_t at = 0;

	*pieces = (struct pieces){ 0 };
	do
		if (!add_member(pieces, &member))
			return false;
	while (symbols_member(file, &at, &member));
	for (size_t m = 0; m < pieces->n; m++)
		add_names(pieces, m);
	pieces->names = calloc(pieces->names_n + 1, sizeof *pieces->names);
	if (!pieces->names)
		return false;
	pieces->names_n = 0;
	for (size_t m = 0; m < pieces->n; m++)
		add_names(pieces, m);
	qsort(pieces->names, pieces->names_n, sizeof *pieces->names, by_name_and_member);
	count_definitions(pieces->names, pieces->names_n);
	return true;
}

void pieces_free(struct pieces *pieces)
{
	free(pieces->members);
	free(pieces->names);
}

/* Which pieces there are */

bool pieces_section(const struct pieces *pieces, const struct piece *piece, section_t *section)
{
	const struct pieces_member *const member = &pieces->members[piece->member];

	return elf_section(&member->file, &member->header, piece->section, section);
}

/* Whether the section is one piece. Only of amd64 it is known which numbers in code may be ways to
 * another function. An assembler's functions may jump into each other, and have data between them.
 * In a section of another name, code may go from one variable to the next, as through a list. */
static bool is_whole(const struct pieces_member *member, const section_t *section)
{
	static const char *const usual[] = { ".text",  ".rodata", ".data", ".bss",
					     ".sdata", ".sbss",   NULL };
	const char *const name = elf_section_name(&member->file, &member->header, section);
	size_t i = 0;

	while (name && usual[i] && strncmp(name, usual[i], strlen(usual[i])))
		i++;
	return !name || !usual[i] ||
	       ((section->sh_flags & SHF_EXECINSTR) &&
		(member->header.e_machine != EM_X86_64 || !member->compiled));
}

static bool is_in(uint64_t start, uint64_t size, uint64_t all)
{
	return size > 0 && start <= all && size <= all - start;
}

static bool is_function(const symbol_t *symbol, uint64_t section, uint64_t size)
{
	return TYPE(symbol) == STT_FUNC && symbol->st_shndx == section &&
	       is_in(symbol->st_value, symbol->st_size, size);
}

bool pieces_function_at(const struct pieces *pieces, size_t m, uint64_t section, uint64_t place,
			struct spot *spot)
{
	const struct pieces_member *const member = &pieces->members[m];
	struct piece piece = { .member = m, .section = section };
	section_t s;
	symbol_t symbol;

	if (!pieces_section(pieces, &piece, &s) || is_whole(member, &s))
		return false;
	for (uint64_t i = 1; symbol_at(member, i, &symbol); i++) {
		const uint64_t offset = place - symbol.st_value;

		if (!is_function(&symbol, section, s.sh_size) || place < symbol.st_value ||
		    offset >= symbol.st_size)
			continue;
		piece.start = symbol.st_value;
		piece.size = symbol.st_size;
		*spot = (struct spot){ .piece = piece, .offset = (int64_t)offset };
		return true;
	}
	return false;
}

/* An element of a section in which a linker may keep one of several equal ones, so that each stands
 * for itself: a string, or a constant. False: it is no such element. */
static bool find_element(const struct pieces_member *member, const section_t *section,
			 struct piece *piece)
{
	const uint64_t left = section->sh_size - piece->start;
	const unsigned char *bytes, *end;

	if (!(section->sh_flags & SHF_MERGE) || piece->start >= section->sh_size)
		return false;
	piece->size = section->sh_entsize;
	if (!(section->sh_flags & SHF_STRINGS))
		return is_in(piece->start, piece->size, section->sh_size);
	bytes = elf_bytes(&member->file, section->sh_offset + piece->start, left);
	end = bytes && section->sh_entsize == 1 ? memchr(bytes, 0, (size_t)left) : NULL;
	piece->size = end ? (uint64_t)(end - bytes) + 1 : 0;
	return end;
}

/* The piece of a symbol. If the place that is meant, which lies ahead of the addend, is not in this
 * piece, and if the symbol has none: its whole section. */
static bool find_piece(const struct pieces *pieces, size_t m, const symbol_t *symbol,
		       int64_t addend, unsigned ahead, struct spot *spot)
{
	const struct pieces_member *const member = &pieces->members[m];
	struct piece piece = { m, symbol->st_shndx, symbol->st_value, symbol->st_size };
	const unsigned type = TYPE(symbol);
	section_t s;
	bool alone;

	*spot = (struct spot){ .offset = addend };
	/* Thread-local and indirect functions, and what has no section. */
	if ((type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC) ||
	    symbol->st_shndx >= SHN_LORESERVE || !pieces_section(pieces, &piece, &s))
		return false;
	alone = !is_whole(member, &s) &&
		(s.sh_flags & SHF_EXECINSTR ? is_function(symbol, piece.section, s.sh_size) :
					      is_in(piece.start, piece.size, s.sh_size) ||
						      find_element(member, &s, &piece));
	alone = alone && (uint64_t)addend + ahead < piece.size;
	spot->piece = alone ? piece : (struct piece){ m, piece.section, 0, s.sh_size };
	spot->offset += alone ? 0 : (int64_t)symbol->st_value;
	return spot->piece.size > 0;
}

/* Names */

struct pieces_name *pieces_named(const struct pieces *pieces, const char *name)
{
	const struct pieces_name key = { .name = name };
	const struct pieces_name *const found =
		bsearch(&key, pieces->names, pieces->names_n, sizeof key, by_name);

	return found ? &pieces->names[found->first] : NULL;
}

bool pieces_defined(const struct pieces *pieces, const struct pieces_name *name, struct spot *spot)
{
	symbol_t symbol;

	return symbol_at(&pieces->members[name->member], name->symbol, &symbol) &&
	       find_piece(pieces, name->member, &symbol, 0, 0, spot);
}

/* Mark the members that one of them needs. */
static bool link_needed(struct pieces *pieces, size_t m, bool *more)
{
	const struct pieces_member *const member = &pieces->members[m];
	symbol_t symbol;

	for (uint64_t i = 1; symbol_at(member, i, &symbol); i++) {
		const char *const name = name_of(member, &symbol);
		const struct pieces_name *found;

		if (symbol.st_shndx != SHN_UNDEF || BINDING(&symbol) == STB_WEAK || !name)
			continue;
		found = pieces_named(pieces, name);
		if (found && found->count > 1)
			return false;
		if (!found || pieces->members[found->member].linked)
			continue;
		pieces->members[found->member].linked = true;
		*more = true;
	}
	return true;
}

void pieces_unlink(struct pieces *pieces)
{
	for (size_t m = 0; m < pieces->n; m++)
		pieces->members[m].linked = pieces->members[m].looked_at = false;
}

bool pieces_link(struct pieces *pieces)
{
	bool more;

	do {
		more = false;
		for (size_t m = 0; m < pieces->n; m++) {
			struct pieces_member *const member = &pieces->members[m];

			if (!member->linked || member->looked_at)
				continue;
			member->looked_at = true;
			if (!link_needed(pieces, m, &more))
				return false;
		}
	} while (more);
	return true;
}

/* Relocations */

static bool is_relocations_of(const section_t *section, uint64_t of)
{
	return (section->sh_type == SHT_RELA || section->sh_type == SHT_REL) &&
	       section->sh_info == of;
}

/* A short one has its addend in the bytes, which are compared by themselves. */
static bool relocation_at(const struct symbols_file *file, const section_t *table, uint64_t i,
			  relocation_t *relocation)
{
	short_t brief;

	if (table->sh_type == SHT_RELA)
		return i < table->sh_size / sizeof *relocation &&
		       elf_copy(file, table->sh_offset, i, relocation, sizeof *relocation);
	if (i >= table->sh_size / sizeof brief ||
	    !elf_copy(file, table->sh_offset, i, &brief, sizeof brief))
		return false;
	*relocation = (relocation_t){ .r_offset = brief.r_offset, .r_info = brief.r_info };
	return true;
}

bool pieces_relocation(const struct pieces *pieces, const struct piece *piece, uint64_t *at,
		       relocation_t *relocation)
{
	const struct pieces_member *const member = &pieces->members[piece->member];
	section_t table = { 0 };
	uint64_t i = 0;

	while (elf_section(&member->file, &member->header, i, &table) &&
	       !is_relocations_of(&table, piece->section))
		i++;
	if (!is_relocations_of(&table, piece->section))
		return false;
	while (relocation_at(&member->file, &table, (*at)++, relocation))
		if (relocation->r_offset >= piece->start &&
		    relocation->r_offset - piece->start < piece->size)
			return true;
	return false;
}

unsigned pieces_type(const relocation_t *relocation)
{
	return (unsigned)TYPE_OF(relocation->r_info);
}

static bool is_absolute(unsigned type)
{
	return type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S;
}

/* How far the place that a relocation means is from its addend. In code of amd64, a distance counts
 * from the end of its instruction. */
static unsigned find_ahead(const struct pieces *pieces, const struct piece *from,
			   const relocation_t *relocation)
{
	const struct pieces_member *const member = &pieces->members[from->member];
	const unsigned char *before = NULL;
	section_t s;

	if (member->header.e_machine != EM_X86_64 || is_absolute(pieces_type(relocation)) ||
	    !pieces_section(pieces, from, &s) || !(s.sh_flags & SHF_EXECINSTR))
		return 0;
	if (relocation->r_offset >= 2)
		before = elf_bytes(&member->file, s.sh_offset + relocation->r_offset - 2, 2);
	return 4 + (before ? near_rest(before) : 0);
}

/* A place in a section without a name. What code adds to the beginning of a variable, a table of
 * jumps or an array may lead into another variable, so only the whole section tells what is meant.
 * Calls and pointers to code are exact. In code, a distance counts from its end, 4 bytes on. */
static bool find_place(const struct pieces *pieces, const struct piece *from,
		       const symbol_t *symbol, const relocation_t *relocation, struct spot *spot)
{
	const struct pieces_member *const member = &pieces->members[from->member];
	const unsigned type = pieces_type(relocation);
	const int64_t addend = relocation->r_addend;
	struct piece piece = { from->member, symbol->st_shndx, (uint64_t)addend, 0 };
	const bool amd64 = member->header.e_machine == EM_X86_64;
	const bool exact = amd64 && is_absolute(type);
	section_t s, source;
	bool near;

	*spot = (struct spot){ .offset = addend };
	if (symbol->st_shndx >= SHN_LORESERVE || !pieces_section(pieces, from, &source) ||
	    !pieces_section(pieces, &piece, &s))
		return false;
	near = amd64 && (type == R_X86_64_PC32 || type == R_X86_64_PLT32) &&
	       (source.sh_flags & SHF_EXECINSTR);
	if ((s.sh_flags & SHF_EXECINSTR) && (exact || near) &&
	    pieces_function_at(pieces, from->member, piece.section,
			       (uint64_t)(addend + (exact ? 0 : 4)), spot))
		return true;
	spot->offset = 0;
	if (exact && find_element(member, &s, &piece)) {
		spot->piece = piece;
		return true;
	}
	*spot = (struct spot){ .piece = { from->member, piece.section, 0, s.sh_size },
			       .offset = addend };
	return s.sh_size > 0;
}

/* The first definition that is linked, if one is. *copies: the first of all definitions, if several
 * are linked. */
static const struct pieces_name *find_linked(const struct pieces *pieces, const char *name,
					     struct pieces_name **copies)
{
	struct pieces_name *const first = pieces_named(pieces, name);
	const struct pieces_name *found = NULL;

	for (size_t i = 0; first && i < first->count; i++) {
		if (!pieces->members[first[i].member].linked)
			continue;
		*copies = found ? first : NULL;
		found = found ? found : &first[i];
	}
	return found;
}

bool pieces_spot(const struct pieces *pieces, const struct piece *piece,
		 const relocation_t *relocation, struct spot *spot)
{
	const struct pieces_member *member = &pieces->members[piece->member];
	const uint64_t number = SYMBOL_OF(relocation->r_info);
	const unsigned ahead = find_ahead(pieces, piece, relocation);
	struct pieces_name *copies = NULL;
	size_t m = piece->member;
	const char *name;
	symbol_t symbol;

	/* There, the number of a symbol stands in other bits. */
	if (member->header.e_machine == EM_MIPS || !symbol_at(member, number, &symbol))
		return false;
	*spot = (struct spot){ .outside = true, .name = "", .offset = relocation->r_addend };
	/* A relocation without a symbol, which only tells the linker something. */
	if (number == 0)
		return true;
	if (TYPE(&symbol) == STT_SECTION)
		return find_place(pieces, piece, &symbol, relocation, spot);
	if (BINDING(&symbol) != STB_LOCAL) {
		const struct pieces_name *found;

		name = name_of(member, &symbol);
		if (!name || symbols_is_border(name))
			return false;
		found = find_linked(pieces, name, &copies);
		spot->name = name;
		spot->weak = BINDING(&symbol) == STB_WEAK;
		/* A weak name brings in no member. */
		if (!found)
			return true;
		m = found->member;
		if (!symbol_at(&pieces->members[m], found->symbol, &symbol))
			return false;
	}
	name = spot->name;
	if (!find_piece(pieces, m, &symbol, relocation->r_addend, ahead, spot))
		return false;
	spot->name = *name ? name : NULL;
	spot->copies = copies;
	return true;
}

/* Groups */

/* Word number i of a group: its flags, then the numbers of its sections. */
static bool group_word(const struct pieces_member *member, const section_t *group, uint64_t i,
		       uint32_t *word)
{
	return group->sh_type == SHT_GROUP && i < group->sh_size / sizeof *word &&
	       elf_copy(&member->file, group->sh_offset, i, word, sizeof *word);
}

/* The group of which a linker keeps one, that has the section. */
static bool find_group(const struct pieces_member *member, uint64_t section, section_t *group)
{
	uint32_t word;

	for (uint64_t g = 0; elf_section(&member->file, &member->header, g, group); g++)
		if (group_word(member, group, 0, &word) && word & GRP_COMDAT)
			for (uint64_t i = 1; group_word(member, group, i, &word); i++)
				if (word == section)
					return true;
	return false;
}

const char *pieces_group(const struct pieces *pieces, const struct piece *piece, size_t i,
			 struct piece *part)
{
	const struct pieces_member *const member = &pieces->members[piece->member];
	section_t group, section;
	symbol_t signature;
	uint32_t number;

	if (!find_group(member, piece->section, &group) ||
	    !group_word(member, &group, i + 1, &number) ||
	    !elf_section(&member->file, &member->header, number, &section) ||
	    !symbol_at(member, group.sh_info, &signature))
		return NULL;
	*part = (struct piece){ piece->member, number, 0, section.sh_size };
	return name_of(member, &signature);
}

bool pieces_is_part_of_code(const struct pieces *pieces, const struct piece *piece)
{
	section_t s;

	return pieces_section(pieces, piece, &s) && (s.sh_flags & SHF_EXECINSTR) &&
	       piece->size < s.sh_size;
}

#endif
