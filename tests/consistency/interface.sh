#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The public header, the symbol map and cpucycles(3) name the same things.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

page=doc/cpucycles.3

# The declarations, one a line, without comments and preprocessor lines.
declarations() {
	sed -e 's,//.*,,' include/cpucycles.h | awk '
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
		grep -v '^[[:blank:]]*#' | tr '\n' ' ' | tr ';' '\n' | grep '('
}

# The name of a declaration stands in (*name)(...), or else before the parameters.
header=$(declarations |
	sed -e 's/.*(\*\([a-z_]*\))(.*/\1/' -e 's/.*[ *]\([a-z_]*\)(.*/\1/' | sort)
map=$(sed -e 's/#.*//' lib/libcpucycles.map |
	sed -n '/global:/,/local:/s/^[[:blank:]]*\([a-z_]*\);$/\1/p' | sort)
name_section=$(section $page NAME | sed -n 's/^\.Nm \([a-z_]*\).*/\1/p' | sort)
synopsis=$(section $page SYNOPSIS |
	sed -n -e 's/^\.Fn \([a-z_]*\).*/\1/p' -e 's/^\.Vt .*(\*\([a-z_]*\))(.*/\1/p' | sort)
stubs=$(for file in doc/cpucycles*.3; do basename "$file" .3; done | sort)

ok "the header declares something" has_lines "$header"
is "the symbol map exports what the header declares" "$map" "$header"
is "cpucycles(3) NAME lists what the header declares" "$name_section" "$header"
is "cpucycles(3) SYNOPSIS declares what the header declares" "$synopsis" "$header"
is "each of them is found under its own name by man" "$stubs" "$header"

is "cpucycles(3) explains each of them" "$(functions $page Functions)" "$header"
is "cpucycles(3) ATTRIBUTES has each of them" "$(functions $page ATTRIBUTES)" "$header"
# The selection reads the environment.
is "all that may make a selection are marked env, for threads and for signals" \
	"$(section $page ATTRIBUTES | grep '^\.It Fn ' |
		grep -v 'MT-Safe env Ta AS-Safe env (1)$')" \
	".It Fn cpucycles_version Ta MT-Safe Ta AS-Safe
.It Fn cpucycles_tracesetup Ta MT-Safe Ta AS-Safe"

# The type and the parameter of each function, as the header writes them.
for name in $(echo "$header" | grep -v '^cpucycles$'); do
	is "cpucycles(3): type and parameter of $name" \
		"$(grep -B 1 "^\.Fn $name [^ ]" $page | tr -d '"' | sed -n '/^\.Ft /{
			N
			s/^\.Ft \(.*\)\n\.Fn '"$name"' \(.*\)$/\1 (\2)/
			p
		}' | sed 's/ (/(/')" \
		"$(declarations | sed -n "s/^ *\(.*[ *]\)$name\((.*)\)\$/\1\2/p" | sed 's/ (/(/')"
done
