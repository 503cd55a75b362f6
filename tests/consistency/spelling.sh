#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# codespell knows no misspelled word in any file. .codespellrc has the words that are none.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "no word is misspelled that codespell knows"

files=$(for file in $({ sources; tracked; echo NEWS; } | sort -u); do
	case $file in
	COPYING | tests/data/* | tests/fuzz/corpus/* | doc/pictures/*) ;; # as in .codespellrc
	*) [ ! -f "$file" ] || echo "$file" ;;
	esac
done)
ok "there are files" has_lines "$files"
command -v codespell >/dev/null || skip_all "codespell is not installed"
# shellcheck disable=SC2086 # a list of files
is "no word is misspelled" "$(codespell $files 2>&1)" ""
end_lint
