#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# No script has a warning of shellcheck. .shellcheckrc says what is left out, and why. This takes
# minutes, so it is no test of every change.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "shellcheck has no warning for any script"

scripts=$({
	sources | grep -E '\.sh$|^[a-z]*$|^dev/[^.]*$|^\.ci/'
	find debian -name '*.p[or]*' ! -name '*.pot'
	find debian/tests -type f ! -name '*.c' ! -name control
} | sort)
ok "there are scripts" has_lines "$scripts"
command -v shellcheck >/dev/null || skip_all "shellcheck is not installed"
# shellcheck disable=SC2086 # a list of files
is "shellcheck has no warning" "$(shellcheck -s sh -S warning -f gcc $scripts 2>&1)" ""
end_lint
