#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The list of counters, their files and their entries in cpucycles-counters(7).
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
. "$top_srcdir/tests/harness/sources.sh"
begin_lint "the list of counters, their files and their entries in the manual agree"

page=doc/cpucycles-counters.7

# page_class NAME: the class that the page gives the counter.
page_class() {
	section "$page" COUNTERS |
		awk -v entry=".It Li $1" '
			/^\.It Li / { inside = ($0 == entry) }
			inside && take { print; exit }
			inside { take = ($0 == ".It Class") }'
}

names=$(listed_counters)
ok "the list names counters" has_lines "$names"
is "lib/counters.am ends with the one that always works" "$(echo "$names" | tail -n 1)" default-zero
is "no counter is named twice" "$(echo "$names" | sort | uniq -d | placed lib/counters.am)" ""

files=$(counter_files)
for file in $files; do
	name=$(basename "$file" .c)
	symbol=cpucycles_counter_$(echo "$name" | tr - _)
	ok "$name has its file $file" test -f "$file"
	is "$file defines the counter" \
		"$(sed -n 's/^const struct counter \([a-z0-9_]*\) = {$/\1/p' "$file")" "$symbol"
	is "$file: .name is the file's name" "$(source_field "$file" name)" "\"$name\""
	is "$page gives the class of $name" "$(page_class "$name")" \
		"$(class_word "$(source_field "$file" class)")"
done

# The other way round: the list has everything that is a counter.
is "every file that defines a counter is in the list" \
	"$(find lib -name '*.c' ! -name counters.c \
		-exec grep -n '^const struct counter cpucycles_counter_' /dev/null {} + |
		grep -vF "$(echo "$files" | sed 's/$/:/')")" ""
is "$page has the counters of the list, in list order" \
	"$(section $page COUNTERS | sed -n 's/^\.It Li //p')" "$names"

# Other texts name counters of the list only; x86-64 is an architecture.
kinds=$(echo "$names" | sed 's/-.*//' | sort -u | paste -s -d '|' -)
is "no text names a counter that is not in the list" \
	"$(grep -noE "\<($kinds)\\\\?-[a-z0-9]+\>" README.md NEWS doc/cpucycles*.[1-9] |
		sed 's/\\-/-/' |
		grep -vxE "[^:]*:[0-9]*:(x86-64|$(echo "$names" | paste -s -d '|' -))")" ""
end_lint
