/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * measure-prototype FILE FUNCTION: prints the parameters of a function, by the debug information
 * (DWARF) of an object file or a shared object. cpucycles-measure runs this program.
 * It is one of its own because libdw brings zlib and other libraries along: in
 * cpucycles-measure, a library that is measured would call these in the place of its own.
 *
 * Three lines: for each parameter a letter of signature.h; the prototype in C; and a function of C
 * without parameters that calls this one, or an empty line if a call takes more than numbers and
 * room. A function that the file does not describe has no line. The exit status is 0, or 1 with a
 * message.
 */

#include "config.h"

#include "files/signature.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Types of a damaged file may lead back to themselves. */
#define DEPTH 32

#define TEXT 256

struct search {
	const char *function;
	bool found;
	char kinds[SIGNATURE_PARAMETERS + 2]; /* with one that is too many */
	char prototype[4 * TEXT], arguments[4 * TEXT];
	size_t rooms; /* that the arguments have used */
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

/* As C writes it: "const unsigned char *". */
static void add_type(Dwarf_Die *type, int depth, char text[TEXT])
{
	const int tag = dwarf_tag(type);
	const char *const name = dwarf_diename(type);
	Dwarf_Die inner;
	const bool any = type_of(type, &inner);

	if (depth > DEPTH) {
		add(text, TEXT, "?");
	} else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		   tag == DW_TAG_rvalue_reference_type) {
		if (any)
			add_type(&inner, depth + 1, text);
		else
			add(text, TEXT, "void");
		if (text[strlen(text) - 1] != '*')
			add(text, TEXT, " ");
		add(text, TEXT,
		    tag == DW_TAG_pointer_type   ? "*" :
		    tag == DW_TAG_reference_type ? "&" :
						   "&&");
	} else if (is_modifier(tag)) {
		if (tag == DW_TAG_const_type)
			add(text, TEXT, "const ");
		if (any)
			add_type(&inner, depth + 1, text);
		else
			add(text, TEXT, "void");
	} else {
		add(text, TEXT,
		    tag == DW_TAG_structure_type   ? "struct " :
		    tag == DW_TAG_union_type       ? "union " :
		    tag == DW_TAG_enumeration_type ? "enum " :
						     "");
		add(text, TEXT, name ? name : "?");
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

/* SIGNATURE_LENGTH if it is called size_t. */
static char kind_of_number(Dwarf_Die *named, Dwarf_Die *type)
{
	Dwarf_Word encoding = 0;
	Dwarf_Attribute attribute;
	const int bytes = dwarf_bytesize(type);

	if (dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding))
		return SIGNATURE_OTHER;
	if (encoding == DW_ATE_float && (bytes == sizeof(double) || bytes == sizeof(float)))
		return SIGNATURE_FLOAT;
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

	if (type_of(pointer, &type) && strip(&type, &is_const) &&
	    (dwarf_tag(&type) != DW_TAG_base_type || dwarf_bytesize(&type) != 1))
		return SIGNATURE_POINTER;
	return is_const ? SIGNATURE_IN : SIGNATURE_OUT;
}

static char kind_of(Dwarf_Die *named)
{
	bool is_const;
	Dwarf_Die type = *named;

	if (!strip(&type, &is_const))
		return SIGNATURE_OTHER;
	switch (dwarf_tag(&type)) {
	case DW_TAG_pointer_type:
		return kind_of_pointer(&type);
	case DW_TAG_base_type:
		return kind_of_number(named, &type);
	default:
		return SIGNATURE_OTHER;
	}
}

/* Whether a result comes back in registers that the caller need not look at. The floating-point
 * unit of i386 has a stack of them, which would fill up. */
static bool is_ignorable(Dwarf_Die *named)
{
	char kind = kind_of(named);
	bool is_const;
	Dwarf_Die type = *named;

#if defined(__i386__)
	if (kind == SIGNATURE_FLOAT)
		return false;
#endif
	if (kind != SIGNATURE_OTHER || !strip(&type, &is_const))
		return true;
	return dwarf_tag(&type) == DW_TAG_enumeration_type ||
	       (dwarf_tag(&type) == DW_TAG_base_type && dwarf_bytesize(&type) <= 8);
}

/* An argument of a call, for a parameter of this type. */
static void add_argument(struct search *s, char kind, const char *type)
{
	char text[TEXT + 32];

	switch (kind) {
	case SIGNATURE_IN:
	case SIGNATURE_OUT:
	case SIGNATURE_POINTER:
		snprintf(text, sizeof text, "(%s)room[%zu]", type, s->rooms++ % 2);
		break;
	case SIGNATURE_FLOAT:
		snprintf(text, sizeof text, "1.0");
		break;
	default:
		snprintf(text, sizeof text, s->rooms ? "sizeof room[0]" : "1000");
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

static bool is_cxx(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* The pointer keeps a compiler from moving the call to where its arguments are known. */
static void put_wrapper(const struct search *s, const char *name, bool cxx)
{
	printf("%sstatic __typeof__(&%s) volatile called = %s; %svoid %s_call(void) "
	       "{ called(%s); }",
	       s->rooms ? "static long long room[2][512]; " : "", name, name,
	       cxx ? "extern \"C\" " : "", name, s->arguments);
}

/* callable: by this name, from its source. */
static void describe(struct search *s, Dwarf_Die *function, const char *name, bool callable)
{
	char result[TEXT] = "";
	Dwarf_Die type, unit;
	const bool any = type_of(function, &type);

	if (any)
		add_type(&type, 0, result);
	see_parameters(s, function);
	if (any && !is_ignorable(&type))
		memset(s->kinds, SIGNATURE_OTHER, SIGNATURE_PARAMETERS + 1);
	printf("%s\n%s%s%s(%s)\n", s->kinds, any ? result : "void",
	       any && result[strlen(result) - 1] == '*' ? "" : " ", name,
	       *s->prototype ? s->prototype : "void");
	/* What C cannot say has a question mark. */
	if (callable && !strchr(s->kinds, SIGNATURE_OTHER) && !strchr(s->arguments, '?') &&
	    dwarf_diecu(function, &unit, NULL, NULL))
		put_wrapper(s, name, is_cxx(&unit));
	putchar('\n');
}

static const char *string_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

static int see_function(Dwarf_Die *die, void *argument)
{
	struct search *const s = argument;
	const char *linked = string_of(die, DW_AT_linkage_name);
	const char *const name = dwarf_diename(die);
	Dwarf_Attribute attribute;
	bool external = false;

	if (!name || strcmp(linked ? linked : name, s->function) ||
	    dwarf_formflag(dwarf_attr_integrate(die, DW_AT_external, &attribute), &external) ||
	    !external)
		return DWARF_CB_OK;
	describe(s, die, name, !linked);
	s->found = true;
	return DWARF_CB_ABORT;
}

static int see_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
		      void *argument)
{
	struct search *const s = argument;
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	(void)data;
	(void)name;
	(void)start;
	while (!s->found && (unit = dwfl_module_nextcu(module, unit, &bias)))
		/* An assembler says nothing of parameters. */
		if (dwarf_srclang(unit) != DW_LANG_Mips_Assembler)
			dwarf_getfuncs(unit, see_function, s, 0);
	return s->found ? DWARF_CB_ABORT : DWARF_CB_OK;
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
	struct search search = { 0 };
	Dwfl *const dwfl = dwfl_begin(&callbacks);

	if (argc != 3) {
		fputs("measure-prototype: expected FILE FUNCTION\n", stderr);
		return 1;
	}
	search.function = argv[2];
	if (!dwfl || !dwfl_report_offline(dwfl, "", argv[1], -1) ||
	    dwfl_report_end(dwfl, NULL, NULL)) {
		fprintf(stderr, "measure-prototype: %s: %s\n", argv[1], dwfl_errmsg(-1));
		return 1;
	}
	dwfl_getmodules(dwfl, see_module, &search, 0);
	dwfl_end(dwfl);
	return fflush(stdout) != 0;
}
