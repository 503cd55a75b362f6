/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * measure-prototype FILE FUNCTION: prints the parameters of a function, by the debug information
 * (DWARF) of an object file or a shared object. cpucycles-measure runs this program.
 * It is one of its own because libdw brings zlib and other libraries along: in
 * cpucycles-measure, a library that is measured would call these in the place of its own.
 *
 * Four lines: for each parameter a letter of signature.h; the prototype in C; a function of C
 * without parameters that calls this one, or an empty line if a call takes more than numbers and
 * room; and the number of the line that defines it, with its file, or an empty line. A function
 * that the file does not describe has no line. The exit status is 0, or 1 with a message.
 */

#include "config.h"

#include "files/signature.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Arrays for the pointers of a wrapper. */
#define ROOMS 4

/* Types of a damaged file may lead back to themselves. */
#define DEPTH 32

#define TEXT 256

struct search {
	GElf_Addr address;  /* of the function, where it has a name of its own or of another */
	const char *symbol; /* its name, if no code has that address; NULL: look for the address */
	Dwarf_Addr bias;
	bool found;
	char kinds[SIGNATURE_PARAMETERS + 2]; /* with one that is too many */
	char prototype[4 * TEXT], arguments[4 * TEXT];
	const char *name;
	size_t rooms; /* that the arguments have used */
	bool bytes;   /* the last of them has bytes */
};

static void add(char *text, size_t size, const char *more)
{
	const size_t length = strlen(text);

	snprintf(text + length, size - length, "%s", more);
}

/* The type that this one is made of. False: void. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type);
}

static bool is_modifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

static bool is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

/* Without names and modifiers. is_const: one of them was const. False: void. */
static bool strip(Dwarf_Die *type, bool *is_const)
{
	for (int depth = 0; depth < DEPTH; depth++) {
		const int tag = dwarf_tag(type);
		Dwarf_Die inner;

		if (tag != DW_TAG_typedef && !is_modifier(tag))
			return true;
		*is_const = *is_const || tag == DW_TAG_const_type;
		if (!type_of(type, &inner))
			return false;
		*type = inner;
	}
	return true;
}

static void add_type(Dwarf_Die *type, int depth, char text[TEXT]);

/* What the type points to, or what it is without a modifier. */
static void add_inner(Dwarf_Die *type, int depth, char text[TEXT])
{
	Dwarf_Die inner;

	if (type_of(type, &inner))
		add_type(&inner, depth + 1, text);
	else
		add(text, TEXT, "void");
}

/* As C writes it: "const unsigned char *". */
static void add_type(Dwarf_Die *type, int depth, char text[TEXT])
{
	const int tag = dwarf_tag(type);
	const char *const name = dwarf_diename(type);
	Dwarf_Die inner;

	if (depth > DEPTH) {
		add(text, TEXT, "?");
	} else if (is_pointer(tag)) {
		add_inner(type, depth, text);
		if (text[strlen(text) - 1] != '*')
			add(text, TEXT, " ");
		add(text, TEXT,
		    tag == DW_TAG_pointer_type   ? "*" :
		    tag == DW_TAG_reference_type ? "&" :
						   "&&");
	} else if (tag == DW_TAG_const_type && type_of(type, &inner) &&
		   is_pointer(dwarf_tag(&inner))) {
		/* The pointer itself does not change. */
		add_inner(type, depth, text);
		add(text, TEXT, "const");
	} else if (is_modifier(tag)) {
		if (tag == DW_TAG_const_type)
			add(text, TEXT, "const ");
		add_inner(type, depth, text);
	} else {
		add(text, TEXT,
		    tag == DW_TAG_structure_type   ? "struct " :
		    tag == DW_TAG_union_type       ? "union " :
		    tag == DW_TAG_enumeration_type ? "enum " :
		    tag == DW_TAG_subroutine_type  ? "function?" :
						     "");
		add(text, TEXT, name ? name : tag == DW_TAG_subroutine_type ? "" : "?");
	}
}

static bool is_size_t(Dwarf_Die type)
{
	for (int depth = 0; depth < DEPTH; depth++) {
		const char *const name = dwarf_diename(&type);
		Dwarf_Die inner;

		if (name && dwarf_tag(&type) == DW_TAG_typedef && !strcmp(name, "size_t"))
			return true;
		if (!type_of(&type, &inner))
			return false;
		type = inner;
	}
	return false;
}

static char kind_of_number(Dwarf_Die *named, Dwarf_Die *type)
{
	Dwarf_Word encoding = 0;
	Dwarf_Attribute attribute;
	const int bytes = dwarf_bytesize(type);

	if (dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding))
		return SIGNATURE_OTHER;
	if (encoding == DW_ATE_float && (bytes == sizeof(double) || bytes == sizeof(float)))
		return SIGNATURE_FLOAT;
	if (bytes < (int)sizeof(int) && encoding != DW_ATE_float)
		return SIGNATURE_SMALL;
	if (encoding != DW_ATE_signed && encoding != DW_ATE_unsigned)
		return SIGNATURE_OTHER;
	if (is_size_t(*named))
		return SIGNATURE_SIZE_T;
	if (bytes == sizeof(int))
		return SIGNATURE_INT;
	return bytes == sizeof(size_t) ? SIGNATURE_LONG : SIGNATURE_OTHER;
}

/* Of what a pointer points to: bytes have no type, or one of one byte. */
static char kind_of_pointer(Dwarf_Die *pointer)
{
	bool is_const = false;
	Dwarf_Die type;
	const bool typed = type_of(pointer, &type) && strip(&type, &is_const);

	if (typed && (dwarf_tag(&type) != DW_TAG_base_type || dwarf_bytesize(&type) != 1))
		return SIGNATURE_POINTER;
	if (is_const)
		return SIGNATURE_IN;
	return typed ? SIGNATURE_OUT : SIGNATURE_CONTEXT;
}

static char kind_of(Dwarf_Die *named)
{
	bool is_const = false;
	Dwarf_Die type = *named;

	if (!strip(&type, &is_const))
		return SIGNATURE_OTHER;
	switch (dwarf_tag(&type)) {
	case DW_TAG_pointer_type:
		return kind_of_pointer(&type);
	case DW_TAG_base_type:
		return kind_of_number(named, &type);
	case DW_TAG_enumeration_type:
		return SIGNATURE_SMALL;
	default:
		return SIGNATURE_OTHER;
	}
}

/* Whether a result comes back in registers that the caller need not look at. The floating-point
 * unit of i386 has a stack of them, which would fill up. */
static bool is_ignorable(Dwarf_Die *named)
{
	char kind = kind_of(named);
	bool is_const = false;
	Dwarf_Die type = *named;

#if defined(__i386__)
	if (kind == SIGNATURE_FLOAT)
		return false;
#endif
	return kind != SIGNATURE_OTHER || !strip(&type, &is_const) ||
	       (dwarf_tag(&type) == DW_TAG_base_type && dwarf_bytesize(&type) <= 8);
}

/* An argument of a call, for a parameter of this type. A number after a pointer may be its length:
 * an element has at most 256 bytes. */
static void add_argument(struct search *s, char kind, const char *type)
{
	char text[2 * TEXT];

	switch (kind) {
	case SIGNATURE_IN:
	case SIGNATURE_OUT:
	case SIGNATURE_CONTEXT:
	case SIGNATURE_POINTER:
		s->bytes = kind != SIGNATURE_POINTER;
		snprintf(text, sizeof text, "(%s)%s_room[%zu]", type, s->name, s->rooms++);
		break;
	case SIGNATURE_FLOAT:
		snprintf(text, sizeof text, "1.0");
		break;
	case SIGNATURE_SMALL:
		snprintf(text, sizeof text, "0");
		break;
	default:
		snprintf(text, sizeof text, s->rooms == 0 ? "1000" : s->bytes ? "4096" : "16");
	}
	add(s->arguments, sizeof s->arguments, text);
}

static void see_parameter(struct search *s, Dwarf_Die *parameter, size_t n)
{
	const char *const name = dwarf_diename(parameter);
	char text[TEXT] = "";
	Dwarf_Die type;
	char kind = SIGNATURE_OTHER;

	if (n > 0) {
		add(s->prototype, sizeof s->prototype, ", ");
		add(s->arguments, sizeof s->arguments, ", ");
	}
	if (dwarf_tag(parameter) == DW_TAG_unspecified_parameters) {
		add(s->prototype, sizeof s->prototype, "...");
	} else if (type_of(parameter, &type)) {
		/* Whether the function's own copy is const says nothing to a caller. */
		for (int depth = 0; depth < DEPTH && is_modifier(dwarf_tag(&type)); depth++)
			if (!type_of(&type, &type))
				break;
		add_type(&type, 0, text);
		kind = kind_of(&type);
		add(s->prototype, sizeof s->prototype, text);
		if (name && text[strlen(text) - 1] != '*')
			add(s->prototype, sizeof s->prototype, " ");
		add(s->prototype, sizeof s->prototype, name ? name : "");
		add_argument(s, kind, text);
	}
	if (n <= SIGNATURE_PARAMETERS)
		s->kinds[n] = kind;
}

static void see_parameters(struct search *s, Dwarf_Die *function)
{
	Dwarf_Die child;
	size_t n = 0;

	if (dwarf_child(function, &child))
		return;
	do
		if (dwarf_tag(&child) == DW_TAG_formal_parameter ||
		    dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			see_parameter(s, &child, n++);
	while (!dwarf_siblingof(&child, &child));
}

/* "": C. NULL: another language, which has other wrappers. */
static const char *linkage_of(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return "";
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return "extern \"C\" ";
	default:
		return NULL;
	}
}

/* Whether a wrapper can call it: by its name in the source, and with types that C says so. A type
 * of C++ may be one of a namespace, whose name is not known here. */
static bool is_callable(const struct search *s, Dwarf_Die *function, const char *linkage)
{
	Dwarf_Attribute attribute;

	return linkage && !dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) &&
	       s->rooms <= ROOMS && !strchr(s->kinds, SIGNATURE_OTHER) &&
	       !strchr(s->arguments, '?') && !(*linkage && strchr(s->kinds, SIGNATURE_POINTER));
}

/* A name may have any characters. */
static void put_line(char text[])
{
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	puts(text);
}

/* The pointer keeps a compiler from moving the call to where its arguments are known. */
static void put_wrapper(const struct search *s, const char *linkage)
{
	char text[16 * TEXT], room[TEXT] = "";

	if (s->rooms)
		snprintf(room, sizeof room, "static long long %s_room[%zu][512]; ", s->name,
			 s->rooms);
	snprintf(text, sizeof text,
		 "%sstatic __typeof__(&%s) volatile %s_called = %s; %svoid %s_call(void) "
		 "{ %s_called(%s); }",
		 room, s->name, s->name, s->name, linkage, s->name, s->name, s->arguments);
	put_line(text);
}

/* Where it is defined. A relative path is one from the folder in which the compiler ran. */
static void put_place(Dwarf_Die *function)
{
	const char *const file = dwarf_decl_file(function), *folder = NULL;
	Dwarf_Attribute attribute;
	Dwarf_Die unit;
	int line;

	if (!file || dwarf_decl_line(function, &line)) {
		puts("");
		return;
	}
	if (*file != '/' && dwarf_diecu(function, &unit, NULL, NULL))
		folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
	printf("%d %s%s%s\n", line, folder ? folder : "", folder ? "/" : "", file);
}

static void describe(struct search *s, Dwarf_Die *function)
{
	char result[TEXT] = "", text[8 * TEXT];
	const char *linkage;
	Dwarf_Die type, unit;
	const bool any = type_of(function, &type);

	if (any)
		add_type(&type, 0, result);
	see_parameters(s, function);
	if (any && !is_ignorable(&type))
		memset(s->kinds, SIGNATURE_OTHER, SIGNATURE_PARAMETERS + 1);
	puts(s->kinds);
	snprintf(text, sizeof text, "%s%s%s(%s)", any ? result : "void",
		 any && result[strlen(result) - 1] == '*' ? "" : " ", s->name,
		 *s->prototype ? s->prototype : "void");
	put_line(text);
	linkage = dwarf_diecu(function, &unit, NULL, NULL) ? linkage_of(&unit) : NULL;
	if (is_callable(s, function, linkage))
		put_wrapper(s, linkage);
	else
		puts("");
	put_place(function);
}

/* A function has several ranges of code if a part of it is seldom run. */
static bool begins_there(const struct search *s, Dwarf_Die *function)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(function, offset, &base, &begin, &end)) > 0)
		if (begin + s->bias == s->address)
			return true;
	return false;
}

/* A compiler that has folded two functions knows no code of one of them. */
static bool has_name(const struct search *s, Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *name =
		dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dwarf_diename(function);
	return name && !strcmp(name, s->symbol) && !dwarf_hasattr(function, DW_AT_declaration);
}

static int see_function(Dwarf_Die *die, void *argument)
{
	struct search *const s = argument;

	/* Without the attribute, clang knows little more of it than its lines. */
	if (!(s->symbol ? has_name : begins_there)(s, die) ||
	    !dwarf_hasattr_integrate(die, DW_AT_external))
		return DWARF_CB_OK;
	s->name = dwarf_diename(die);
	if (!s->name)
		return DWARF_CB_OK;
	describe(s, die);
	s->found = true;
	return DWARF_CB_ABORT;
}

/* Whether a compiler says of the functions of this unit which parameters they have: an assembler
 * does not, and gcc -g1 neither. */
static bool has_parameters(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
	bool few = false;

	/* The last option counts: -g1, or -g, -g2, -g3 and -ggdb. */
	while (producer && (producer = strstr(producer, " -g"))) {
		producer += strlen(" -g");
		few = *producer == '1' || (few && *producer && !strchr(" 23g", *producer));
	}
	return dwarf_srclang(unit) != DW_LANG_Mips_Assembler && !few;
}

/* The address of the name in a module. False: it is not there. */
static bool find_address(Dwfl_Module *module, const char *function, GElf_Addr *address)
{
	const int n = dwfl_module_getsymtab(module);

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Word section;
		const char *const name =
			dwfl_module_getsym_info(module, i, &symbol, address, &section, NULL, NULL);

		if (name && !strcmp(name, function) && section != SHN_UNDEF &&
		    GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
			return true;
	}
	return false;
}

static void see_units(Dwfl_Module *module, struct search *s)
{
	Dwarf_Die *unit = NULL;

	while (!s->found && (unit = dwfl_module_nextcu(module, unit, &s->bias)))
		if (has_parameters(unit))
			dwarf_getfuncs(unit, see_function, s, 0);
}

static int see_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
		      void *argument)
{
	const char *const function = argument;
	struct search search = { 0 };

	(void)data;
	(void)name;
	(void)start;
	if (!find_address(module, function, &search.address))
		return DWARF_CB_OK;
	see_units(module, &search);
	search.symbol = function;
	see_units(module, &search);
	return DWARF_CB_ABORT;
}

/* No other file is looked for. */
static int find_no_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *path, const char *link, GElf_Word sum, char **found)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)path;
	(void)link;
	(void)sum;
	(void)found;
	return -1;
}

int main(int argc, char *argv[])
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = find_no_file,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *const dwfl = dwfl_begin(&callbacks);

	if (argc != 3) {
		fputs("measure-prototype: expected FILE FUNCTION\n", stderr);
		return 1;
	}
	if (!dwfl || !dwfl_report_offline(dwfl, "", argv[1], -1) ||
	    dwfl_report_end(dwfl, NULL, NULL)) {
		fprintf(stderr, "measure-prototype: %s: %s\n", argv[1], dwfl_errmsg(-1));
		return 1;
	}
	dwfl_getmodules(dwfl, see_module, argv[2], 0);
	dwfl_end(dwfl);
	return fflush(stdout) != 0;
}
