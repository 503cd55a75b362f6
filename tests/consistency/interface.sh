#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Each library's public header, its symbol map, Debian's list of its symbols and its pages of
# section 3 name the same things. lib/names.h puts a prefix before each other name.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "each library's header, symbol map, Debian symbols and pages name the same things"

# uncommented: standard input without comments and lines of the preprocessor.
uncommented() {
	sed -e 's,//.*,,' | awk '
		{ while (1) {
			if (comment) {
				i = index($0, "*/"); if (!i) next
				$0 = substr($0, i + 2); comment = 0
			}
			i = index($0, "/*"); if (!i) break
			j = index(substr($0, i), "*/")
			if (j) { $0 = substr($0, 1, i - 1) substr($0, i + j + 1); continue }
			$0 = substr($0, 1, i - 1); print; comment = 1; next
		} print }' |
		awk '!continued && !/^[[:blank:]]*#/ { print; next } { continued = /\\$/ }'
}

# declarations HEADER: those of functions and of pointers to functions, one a line, sorted. What
# stands in braces belongs to a structure or to a list of constants.
declarations() {
	uncommented <"$1" | tr -s ' \t\n' ' ' | sed 's/extern "C" {\(.*\)}/\1/' |
		sed -e ':again' -e 's/{[^{}]*}//g; t again' | tr ';' '\n' | grep '(' |
		sed 's/^ *//; s/ *$//' | sort
}

# synopsis PAGE: the declarations of the page in the same form.
synopsis() {
	section "$1" SYNOPSIS | awk '
		function declare(name, parameters) {
			print type (type ~ /\*$/ ? "" : " ") name "(" parameters ")"
		}
		# Quoted words, or words without quotes, with commas between them.
		function words(text, n, parts, i, all) {
			if (text !~ /"/)
				return text
			n = split(text, parts, "\"")
			for (i = 2; i <= n; i += 2)
				all = all (i > 2 ? ", " : "") parts[i]
			return all
		}
		/^\.Vt / { sub(/^\.Vt /, ""); sub(/ *;$/, ""); print }
		/^\.Ft / { sub(/^\.Ft /, ""); gsub(/"/, ""); type = $0 }
		/^\.Fn / { name = $2; sub(/^\.Fn [^ ]* /, ""); declare(name, words($0)) }
		/^\.Fo / { name = $2; parameters = "" }
		/^\.Fa / {
			sub(/^\.Fa /, "")
			parameters = parameters (parameters == "" ? "" : ", ") words($0)
		}
		/^\.Fc/ { declare(name, parameters) }' | sort
}

# exported: declarations of what the library itself has. An inline function is in the header only.
exported() {
	grep -v '^static inline '
}

# names: of declarations. The name stands in (*name)(...), or else before the parameters.
names() {
	sed -e 's/^extern .*(\*\([a-z_]*\))(.*/\1/' -e 's/^[^(]*[ *]\([a-z_]*\)(.*/\1/' | sort
}

# exports MAP: lines of "NAME@VERSION", sorted.
exports() {
	sed 's/#.*//' "$1" | awk '
		/^[A-Z]/ { version = $1 }
		/^}|local:/ { inside = 0 }
		inside && /;$/ { sub(/;$/, ""); print $1 "@" version }
		/global:/ { inside = 1 }' | sort
}

# of_pages COMMAND ARGUMENT...: the command's output for each of $pages, sorted.
of_pages() {
	command=$1
	shift
	for page in $pages; do
		$command "$page" "$@"
	done | sort
}

# found PAGE: the names under which man finds it. A name of a function has no hyphen.
found() {
	for file in "$1" $(grep -lFx ".so man3/$(basename "$1")" doc/*.3); do
		basename "$file" .3
	done | grep -v -- -
}

# agree LIBRARY HEADER MAP SYMBOLS PAGE...: all of them name what the header declares.
agree() {
	about=$1 declared=$(declarations "$2") map=$3 symbols=$4
	header=$(echo "$declared" | names)
	exported=$(echo "$declared" | exported | names)
	ok "$2 declares something" has_lines "$declared"
	shift 4
	pages=$*
	is "$map exports what the header declares" "$(exports "$map" | sed 's/@.*//')" "$exported"
	is "$symbols has the same, with their versions" \
		"$(sed -n 's/^ \([a-z_]*@[A-Z0-9_.]*\) .*/\1/p' "$symbols" | sort)" \
		"$(exports "$map")"
	is "$pages: NAME lists what the header declares" \
		"$(of_pages section NAME | sed -n 's/^\.Nm \([a-z_]*\).*/\1/p' | sort)" "$header"
	is "$pages: SYNOPSIS has the header's declarations" \
		"$(of_pages synopsis)" "$declared"
	is "man finds each of $about under its own name" "$(of_pages found)" "$header"
	is "$pages: Functions explains each of them" "$(of_pages functions Functions)" "$header"
	is "$pages: ATTRIBUTES has each of them" \
		"$(of_pages functions ATTRIBUTES)" "$header"
}

agree libcpucycles-measure include/cpucycles-measure.h measure/libcpucycles-measure.map \
	debian/libcpucycles-measure1.symbols doc/cpucycles-measure.3
agree libcpucycles include/cpucycles.h lib/libcpucycles.map debian/libcpucycles1.symbols \
	doc/cpucycles.3 doc/cpucycles_counter_look.3

# The header for C++ keeps what no program calls in a namespace of its own.
is "cpucycles-measure(3) explains each function of cpucycles-measure.hpp" \
	"$(section doc/cpucycles-measure.3 C++ | sed -n 's/^\.It Li \([a-z]*\)(.*/\1/p' |
		sort -u)" \
	"$(sed -n '/^namespace detail/,/^} .*detail/d
		s/^\(template <.*> \)\{0,1\}[a-z_]* \([a-z]*\)(.*/\2/p' \
		include/cpucycles-measure.hpp | sort -u)"

# The selection reads the environment.
is "$pages: all that may make a selection are marked env, for threads and for signals" \
	"$(for page in $pages; do section "$page" ATTRIBUTES; done | grep '^\.It Fn ' |
		grep -v 'MT-Safe env Ta AS-Safe env (1)$')" \
	".It Fn cpucycles_version Ta MT-Safe Ta AS-Safe
.It Fn cpucycles_tracesetup Ta MT-Safe Ta AS-Safe
.It Fn cpucycles_counter_name Ta MT-Safe Ta AS-Safe
.It Fn cpucycles_counter_lost Ta MT-Safe Ta AS-Safe"

is "lib/names.h is sorted and names each once" \
	"$(sed -n 's/^#define \([a-z].*\) .*/\1/p' lib/names.h)" \
	"$(sed -n 's/^#define \([a-z].*\) .*/\1/p' lib/names.h | LC_ALL=C sort -u)"
is "lib/names.h has no name without an underscore, such as a member of a structure may have" \
	"$(grep -n '^#define [a-z][a-z0-9]* ' lib/names.h /dev/null)" ""
is "lib/names.h only puts the prefix before a name" \
	"$(grep -n '^#define [a-z]' lib/names.h /dev/null | awk '$3 != "cpucycles_i_" $2')" ""
end_lint
