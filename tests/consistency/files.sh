#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Every file that people write has the SPDX header; only scripts are executable.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "every file has its SPDX header, and only scripts are executable"

# Lines 1 to 3: a script has #! before it. No other process reads them, because there are a thousand
# files.
has_header() {
	first= second= third=
	{ read -r first; read -r second; read -r third; } <"$1"
	case $first$second$third in
	*'SPDX-FileCopyrightText: The cpucycles developers'*'SPDX-License-'*'Identifier: 0BSD'*) ;;
	*) return 1 ;;
	esac
}

# Files that may have no header: the licence, and those that .reuse/dep5 names.
named=$(sed -n '/^Files:/,/^Copyright:/{s/^Files://;/^Copyright/!p;}' .reuse/dep5)
exempt() {
	case $1 in
	COPYING | LICENSES/* | .reuse/dep5) return 0 ;;
	debian/rules | debian/Makefile.inc) return 1 ;;
	esac
	set -f
	for pattern in $named; do
		# shellcheck disable=SC2254 # a pattern
		case $1 in $pattern) set +f && return 0 ;; esac
	done
	set +f
	return 1
}

files=$(sources)
ok "there are files" has_lines "$files"
if [ -n "$(tracked)" ]; then
	is "every tracked file has the SPDX header, or a reason to have none" \
		"$(for file in $(tracked); do
			[ ! -f "$file" ] || exempt "$file" || has_header "$file" || echo "$file"
		done)" ""
else
	skip "every tracked file has the SPDX header" "this is no clone"
fi
if [ -n "$(tracked)" ] && command -v reuse >/dev/null; then
	is "reuse lint is content" \
		"$(reuse lint 2>&1 | grep -e '^\* [^ ]*$' -e Unfortunately)" ""
else
	skip "reuse lint" "reuse is not installed, or this is no clone"
fi
is "every file has the SPDX header" \
	"$(for file in $files; do has_header "$file" || echo "$file"; done)" ""

# Only the scripts that people start by their names are executable.
is "no file is executable that should not be" \
	"$(for file in $files NEWS COPYING $(find tests/data -type f); do
		[ -x "$file" ] || continue
		[ "$(head -c 2 "$file")" = '#!' ] || echo "$file"
	done)" ""
for program in bootstrap quickstart runtests; do
	ok "$program is executable" test -x $program
done
is "scripts are POSIX sh" \
	"$(for file in $(echo "$files" | grep -E '\.sh$|^[a-z]*$'); do
		read -r line <"$file"
		case $line in '#!/bin/sh' | '# SPDX'*) ;; *) echo "$file:1: $line" ;; esac
	done)" ""
end_lint
