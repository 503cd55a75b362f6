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

# The walks name files with an ending, and functions without one. A function is in the file that was
# named last, or in the header of that name, or in a file that the same step names.
walks=$(sed -n '/^## Five walks/,/^## More/s/^### //p' "$page")
is "there are five walks" "$(echo "$walks" | wc -l)" 5
# steps: each step in one line, as the names in it.
steps() {
	sed -n '/^### /,/^## More/p' "$page" | awk '
		/^[0-9]+\. |^#/ { if (step) print step; step = "" }
		{ step = step " " $0 }
		END { print step }' | grep '^ [0-9]' | while read -r step; do
		echo "$step" | grep -o '`[A-Za-z_/-]*\(\.[a-z]*\)*`' | tr -d '`' |
			paste -s -d ' ' -
	done
}
sources="./lib ./calibrated ./measure ./base ./utils ./plot"
# misnamed: the names that are not where the walks say.
# shellcheck disable=SC2086 # lists of folders and of files
misnamed() {
	files='' before=''
	steps | while read -r names; do
		here=
		for name in $names; do
			case $name in *.*) ;; *) continue ;; esac
			found=$(find $sources -path "*/$name")
			here="$here $found"
			[ -n "$found" ] || echo "$page: no $name"
		done
		files=${here:-$files}
		for name in $names; do
			case $name in *.* | cpucycles | */) continue ;; esac
			grep -qE "^([a-zA-Z_].*[ *])?$name\\(" $files $before ||
				echo "$page: $name is not in $files"
		done
		before=$files
	done
	echo end
}
is "what they name is there, in the files that they name" "$(misnamed)" end
end_lint
