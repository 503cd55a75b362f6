#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# No files of a folder depend on one another in a circle. File A depends on file B if A's object
# uses a function or a variable that B's object defines.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "no files of a folder depend on one another in a circle"

for tool in nm tsort; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done

# objects FOLDER: lines of "OBJECT SOURCE" of all files below the folder. The object of SOURCE.c is
# SOURCE.o or PROGRAM-SOURCE.o.
objects() {
	find "$1" -name '*.c' | sort | while read -r source; do
		name=${source##*/}
		name=${name%.c}.o
		for object in "$top_builddir/${source%/*}/$name" \
			"$top_builddir/${source%/*}"/*-"$name"; do
			[ ! -e "$object" ] || { echo "$object $source"; break; }
		done
	done
}

# symbols FOLDER: lines of "SOURCE SYMBOL TYPE", by these objects. One nm reads them all.
symbols() {
	objects "$1" >"$scratch/objects"
	sed 's/ .*//' "$scratch/objects" | xargs nm -A -P -g 2>/dev/null |
		awk 'NR == FNR { source[$1 ":"] = $2; next }
			$1 in source { print source[$1], $2, $3 }' "$scratch/objects" -
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
for folder in base bench calibrated lib machine measure noise sentences utils; do
	symbols "$folder" >"$scratch/symbols"
	arrows <"$scratch/symbols" >"$scratch/arrows"
	if [ -s "$scratch/arrows" ]; then
		is "no circle in $folder" "$(circles <"$scratch/arrows")" ""
	else
		skip "no circle in $folder" "no two of its files were built here"
	fi
done
end_lint
