#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Every C file has the form of .clang-format, and no line that people read is wider than 100
# columns.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "every C file has its form, and no line is wider than 100 columns"

differ=$(sh dev/format.sh --check 2>"$scratch/why")
case $? in
77) skip "every C file has the form of .clang-format" "$(cat "$scratch/why")" ;;
*)
	is "every C file has the form of .clang-format; make format gives it" "$differ" ""
	is "clang-format has nothing to say" "$(cat "$scratch/why")" ""
	;;
esac

# any_width FILE: files whose lines may have any width.
any_width() {
	case $1 in
	COPYING) ;;                           # other people's text
	tests/data/* | tests/fuzz/corpus/*) ;; # recordings
	tests/fuzz/words.dict) ;;             # a dictionary of libFuzzer has one entry in each line
	debian/*.symbols | debian/*.lintian-overrides) ;; # one entry in each line
	doc/pictures/*.svg) ;;                # made by gnuplot
	doc/evidence/boot.md) ;;              # programs' output, as a test has recorded it
	*) return 1 ;;
	esac
}

# wide_lines FILE...: their lines of more than 100 columns, where a tab goes to the next multiple of
# 8 and a character of several bytes is one column. Markdown has no other form for the row of a
# table, and nobody can break a URL or a path that is the only word of its line. A manual page of
# section 5 shows a whole file in literal text, and the lines of that file cannot be broken either.
wide_lines() {
	LC_ALL=C awk '
		function columns(line, n, i, w, parts) {
			gsub(/[\200-\277]/, "", line)
			n = split(line, parts, "\t")
			w = length(parts[1])
			for (i = 2; i <= n; i++)
				w += 8 - w % 8 + length(parts[i])
			return w
		}
		FILENAME ~ /\.md$/ && /^\|/ { next }
		FNR == 1 || /^\.Ed/ { literal = 0 }
		FILENAME ~ /\.5$/ && /^\.Bd -literal/ { literal = 1 }
		literal || NF == 1 { next }
		columns($0) > 100 { print FILENAME ":" FNR ": " columns($0) " columns" }' "$@"
}

# 100 columns, 101 with a tab, 101 with a letter of two bytes, one long word.
printf '%098d 1\n\t%091d 1\n%098d \303\244x\n%0120d\n' 0 0 0 0 >"$scratch/wide"
is "columns are counted" "$(wide_lines "$scratch/wide" | sed 's/.*wide://')" "2: 101 columns
3: 101 columns"
printf '.Bd -literal\n%099d 1\n.Ed\n%099d 1\n' 0 0 >"$scratch/page.5"
is "a file in a page may be wide, and the text around it not" \
	"$(wide_lines "$scratch/page.5" | sed 's/.*page.5://')" "4: 101 columns"

files=$(for file in $({ sources; tracked; echo NEWS; } | sort -u); do
	[ ! -f "$file" ] || any_width "$file" || echo "$file"
done)
ok "there are files" has_lines "$files"
# shellcheck disable=SC2086 # a list of files
is "no line is wider than 100 columns" "$(wide_lines $files)" ""
end_lint
