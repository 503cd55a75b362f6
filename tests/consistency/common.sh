# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the consistency tests share. Source tests/harness/lint.sh or tap.sh before it.

cd "$top_srcdir" || exit 99

# section PAGE HEADING: the lines of a man page below .Sh or .Ss HEADING.
section() {
	awk -v heading="$2" '
		/^\.S[hs] / { inside = ($0 == ".Sh " heading || $0 == ".Ss " heading); next }
		inside' "$1"
}

# functions PAGE HEADING: the functions that the section's lists explain, sorted.
functions() {
	section "$1" "$2" | sed -n 's/^\.It Fn \([a-z_]*\).*/\1/p' | sort
}

# terms PAGE HEADING: the literal terms that the section's lists explain, sorted.
terms() {
	section "$1" "$2" | sed -n 's/^\.It Li //p' | sort
}

# listed_counters: names in list order.
listed_counters() {
	sed -n 's,^[[:blank:]]*lib/.*/\([^/]*\)\.c.*,\1,p' lib/counters.am
}

# sources: the files that people write, in a clone and in a tarball. Not the files that bootstrap
# and a build make.
sources() {
	find .ci CONTRIBUTING.md README.md RELEASING.md SECURITY.md bootstrap quickstart runtests \
		configure.ac Makefile.am base bench calibrated debian dev doc include lib m4 \
		machine measure noise packaging plot sentences tests utils \
		-type f ! -path '*/.libs/*' ! -path '*/.deps/*' 2>/dev/null |
		grep -E -e '(\.[ch]|\.ac|\.am|\.inc|\.in|\.map|\.sh|\.m4|\.md|\.[1-9])$' \
			-e '^(bootstrap|quickstart|runtests|dev/.*|\.ci/.*)$' |
		grep -vE '^m4/(libtool|lt[a-z~-]*)\.m4$|^lib/counters\.inc$|\.pc$' | sort
}

# tracked: all files of a clone. A tarball prints nothing.
tracked() {
	[ ! -e .git ] || git ls-files 2>/dev/null
}

# has_measure: the second library was configured.
has_measure() {
	! grep -q '^S\["HAVE_MEASURE_TRUE"\]="#"' "$top_builddir/config.status"
}
# shellcheck disable=SC2034 # for the tests that source this file
without_measure="configured with --without-measure"

# placed FILE...: of the words on standard input, lines of "FILE:LINE: WORD", by the first place of
# each in these files.
placed() {
	while IFS= read -r placed_word; do
		grep -nwF -e "$placed_word" "$@" /dev/null | head -n 1 |
			sed 's/^\([^:]*:[0-9]*\):.*/\1: /' | tr -d '\n'
		printf '%s\n' "$placed_word"
	done
}

# has_lines TEXT: at least one. An empty text is a test that looks at nothing.
has_lines() {
	[ -n "$1" ]
}
