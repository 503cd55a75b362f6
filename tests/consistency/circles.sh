#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# No files of a folder depend on one another in a circle. File A depends on file B if A's object
# uses a function or a variable that B's object defines.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

for tool in nm tsort; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done

# object_of SOURCE: the object that was made of it: SOURCE.o, or PROGRAM-SOURCE.o.
object_of() {
	folder_of_objects=$top_builddir/$(dirname "$1")
	name=$(basename "$1" .c)
	for object in "$folder_of_objects/$name.o" "$folder_of_objects"/*-"$name.o"; do
		[ ! -e "$object" ] || { echo "$object"; return; }
	done
}

# symbols FOLDER: lines of "SOURCE SYMBOL TYPE", by the objects of all files below the folder.
symbols() {
	find "$1" -name '*.c' | sort | while read -r source; do
		object=$(object_of "$source")
		[ -z "$object" ] || nm -P -g "$object" 2>/dev/null | sed "s,^,$source ,"
	done
}

# arrows: from symbols, lines of "SOURCE OTHER": SOURCE depends on OTHER. main stands in each
# program, and depends on nothing.
arrows() {
	awk '$2 == "main" { next }
		$3 == "U" { uses[++n] = $1; used[n] = $2; next }
		{ definer[$2] = $1 }
		END {
			for (i = 1; i <= n; i++)
				if (used[i] in definer && definer[used[i]] != uses[i])
					print uses[i], definer[used[i]]
		}' | sort -u
}

# circles: the sources of all circles in these arrows.
circles() {
	tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^:]*\)$/\1/p' | sort -u
}

is "a circle is found" "$(printf 'a f U\na g T\nb g U\nb f T\nc f U\n' | arrows | circles)" "a
b"
for folder in bench calibrated inspect measure programs utils lib; do
	symbols "$folder" >"$scratch/symbols"
	arrows <"$scratch/symbols" >"$scratch/arrows"
	if [ -s "$scratch/arrows" ]; then
		is "$folder: no circle" "$(circles <"$scratch/arrows")" ""
	else
		skip "$folder: no circle" "no two of its files were built here"
	fi
done
