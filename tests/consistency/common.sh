# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the consistency tests share. Source tests/harness/tap.sh before it.

cd "$top_srcdir" || exit 99

# section PAGE HEADING: the lines of a man page below .Sh or .Ss HEADING.
section() {
	awk -v heading="$2" '
		/^\.S[hs] / { inside = ($0 == ".Sh " heading || $0 == ".Ss " heading); next }
		inside' "$1"
}

# terms PAGE HEADING: the literal terms that the section's lists explain, sorted.
terms() {
	section "$1" "$2" | sed -n 's/^\.It Li //p' | sort
}

# functions PAGE HEADING: the functions that the section's lists explain, sorted.
functions() {
	section "$1" "$2" | sed -n 's/^\.It Fn \([a-z_]*\).*/\1/p' | sort
}

# strings FILE TABLE: the strings in the initialiser of a C table, sorted.
strings() {
	awk -v table="$2" '
		index($0, table "[") && /= \{/ { inside = 1 }
		inside && match($0, /"[^"]*"/) { print substr($0, RSTART + 1, RLENGTH - 2) }
		inside && /^\};/ { exit }' "$1" | sort
}

# listed_counters: names in list order.
listed_counters() {
	sed -n 's,^[[:blank:]]*lib/.*/\([^/]*\)\.c.*,\1,p' lib/counters.am
}

# has_lines TEXT: fails for an empty text, from which a test would learn nothing.
has_lines() {
	[ -n "$1" ]
}
