#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What each source file is for, by the first sentence of its first comment. Of a header and the file
# that implements it, the header says so. People run this script, and so does
# tests/consistency/architecture.sh.
#
#     files.sh [FOLDER...]      these folders with all below them, else all folders of sources

cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- include lib calibrated measure base machine noise sentences utils plot

find "$@" -type f \( -name '*.[ch]' -o -name '*.hpp' -o -name '*.awk' -o -name '*.gp' \
	-o -name cpucycles-plot.in \) | sort | while IFS= read -r file; do
	[ "${file%.c}" = "$file" ] || [ ! -e "${file%.c}.h" ] || continue
	awk -v file="$file" '
		/SPDX-/ || /^#!/ { next }
		!begun && /^[[:blank:]]*$/ { next }
		!begun && !/^(\/\*|# )/ { exit }
		{
			begun = 1
			line = $0
			sub(/^(\/\*|#|[[:blank:]]*\*([^\/]|$))[[:blank:]]*/, "", line)
			end = sub(/[[:blank:]]*\*\/.*/, "", line) || $0 !~ /^(\/\*|#| \*)/
			if (line == "" && text)
				exit
			text = text (text ? " " : "") line
			if (end)
				exit
		}
		END {
			sub(/\.[[:blank:]].*/, ".", text)
			printf "%-36s %s\n", file, text
		}' "$file"
done
