#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# doc/architecture.md is short enough to be read in one go, and names folders, files and functions
# that are there. What a file is for stands in its first comment, from which dev/files.sh prints a
# table.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "doc/architecture.md is a map of the sources, and every source says what it is for"

page=doc/architecture.md
ok "$page has at most 1,500 words" [ "$(wc -w <"$page")" -le 1500 ]

table=$(sh dev/files.sh)
ok "dev/files.sh prints a table" [ "$(echo "$table" | wc -l)" -gt 200 ]
is "each file says in its first comment what it is for" "$(echo "$table" | awk 'NF < 2')" ""

folders=$(sed -n '/^## The folders/,/^## Who/s/^| \(`.*`\) | .*/\1/p' "$page" | tr -d '`,' |
	tr ' ' '\n')
is "$page has the folders with sources" \
	"$(for folder in $(echo "$table" | sed 's,/[^/]*  *.*,/,' | sort -u); do
		case $folder in lib/arch/*) folder="lib/arch/<cpu>/" ;; esac
		echo "$folders" | grep -qx "$folder" || echo "$page: no $folder"
	done | sort -u)" ""
is "they are there" "$(for folder in $folders; do
		[ -d "${folder%<cpu>/}" ] || echo "$page: $folder"
	done)" ""

# The walks name files with an ending, and functions without one.
# The folders of their files:
sources="./lib ./calibrated ./measure ./base ./utils ./plot"
names=$(sed -n '/^## Five walks/,/^## More/p' "$page" | grep -o '`[A-Za-z_/-]*\(\.[a-z]*\)*`' |
	tr -d '`' | sort -u)
walks=$(sed -n '/^## Five walks/,/^## More/s/^### //p' "$page")
is "there are five walks" "$(echo "$walks" | wc -l)" 5
# shellcheck disable=SC2086 # a list of folders
is "what they name is there" "$(for name in $names; do
		case $name in
		*.*) found=$(find $sources -path "*/$name") ;;
		file: | evidence/ | cpucycles) found=yes ;;
		*) found=$(grep -rlE "^([a-zA-Z_].*[ *])?$name\(" --include='*.[ch]' \
			--include='*.in' $sources) ;;
		esac
		[ -n "$found" ] || echo "$page: $name"
	done)" ""
end_lint
