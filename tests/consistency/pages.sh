#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Every manual page renders without a warning, whatever needs a page has one, references lead
# somewhere, and cpucycles(3) stays short.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "every manual page renders, and every reference leads somewhere"

quiet() {
	output=$("$@" 2>&1 >/dev/null)
	[ -z "$output" ] || echo "$output"
	[ -z "$output" ]
}

# link_target PAGE: the page that PAGE leads to, if it is only a link.
link_target() {
	sed -n 's/^\.so //p' "$1"
}

pages=$(find doc -name '*.[1-9]' | sort)
ok "there are pages" has_lines "$pages"
for page in $pages; do
	target=$(link_target "$page")
	if [ -n "$target" ]; then
		ok "$page leads to a page of ours" test -f "doc/$(basename "$target")"
		section=${target##*.}
		is "$page leads into the right folder" "$(dirname "$target")" "man$section"
		continue
	fi
	if command -v mandoc >/dev/null 2>&1; then
		is "mandoc has nothing to say" \
			"$(mandoc -T lint -W warning "$page" 2>&1 | sed 's/^mandoc: //')" ""
	else
		skip "$page: mandoc has nothing to say" "mandoc is not installed"
	fi
	if command -v groff >/dev/null 2>&1 && quiet groff -mandoc -Tutf8 /dev/null; then
		ok "$page: groff has nothing to say" quiet groff -mandoc -ww -Tutf8 "$page"
	else
		skip "$page: groff has nothing to say" "groff with its mdoc macros is not installed"
	fi
	title=$(sed -n 's/^\.Dt //p' "$page" | tr '[:upper:] ' '[:lower:].')
	is "$page: title and file name agree" "$title" "$(basename "$page")"
done

# Programs, units and files need a page; the Makefile fragments and folders say which there are.
needed=$(
	for file in */Makefile.inc; do
		case $file in tests/*) continue ;; esac
		sed -n -E 's/^(s*bin)_(PROGRAMS|SCRIPTS) \+= /\1 /p' "$file" |
			while read -r folder programs; do
				section=8
				[ "$folder" != bin ] || section=1
				for program in $programs; do
					echo "$(basename "$program").$section"
				done
			done
	done
	find calibrated -name '*.service*' -o -name '*.timer' |
		sed -e 's,.*/,,' -e 's/\.in$//' -e 's/$/.8/'
	echo cpucycles-cache.5
	echo cpucyclespersecond.5
)
for page in $needed; do
	ok "there is a page $page" test -f "doc/$page"
done
listed=$(sed -n 's|^.*[[:blank:]]\(doc/[^ ]*\.[1-9]\).*|\1|p' doc/Makefile.inc | sort)
is "doc/Makefile.inc has all pages" "$listed" "$pages"

# A caller reads cpucycles(3) in one go. Words are those of wc, over the source with its macros.
most_words=2500
ok "doc/cpucycles.3 has at most $most_words words" test "$(wc -w <doc/cpucycles.3)" -le $most_words

# The rest stands in pages of section 7. Each is complete, names its sources, and is found from
# cpucycles(3).
for page in doc/*.7; do
	for heading in NAME DESCRIPTION 'SEE ALSO' STANDARDS; do
		ok "$page has $heading" has_lines "$(section "$page" "$heading")"
	done
	links=$(section doc/cpucycles.3 'SEE ALSO' | grep "^\.Xr $(basename "$page" .7) 7")
	ok "doc/cpucycles.3: SEE ALSO leads to $page" has_lines "$links"
done

# References to pages of this project lead to one.
# shellcheck disable=SC2086 # a list of files
references=$(grep -n '^\.Xr cpucycles' $pages |
	sed -n 's/^\([^:]*:[0-9]*\):\.Xr \([^ ]*\) \([1-9]\).*/\1 \2.\3/p')
ok "pages refer to pages" has_lines "$references"
is "references between pages lead to a page" \
	"$(echo "$references" | while read -r place reference; do
		[ -f "doc/$reference" ] || echo "$place: $reference"
	done)" ""

# References from sources and documents, as in: cpucycles(3), "Cache status".
# shellcheck disable=SC2046 # one argument for each file
references=$(grep -ohE 'cpucycles[a-z-]*\([1-8]\)(, "[^"]*")?' README.md NEWS $(sources) | sort -u)
ok "sources refer to pages" has_lines "$references"

# leads_somewhere REFERENCE: to a page, and to a section of it if the reference names one.
leads_somewhere() {
	page=$(echo "$1" | sed 's,^\([a-z-]*\)(\([1-8]\)).*,doc/\1.\2,')
	heading=$(expr "$1" : '.*"\(.*\)"')
	[ -f "$page" ] && { [ -z "$heading" ] || [ -n "$(section "$page" "$heading")" ]; }
}
# shellcheck disable=SC2046
is "references from sources and documents lead to a page and a section" \
	"$(echo "$references" | while IFS= read -r reference; do
		leads_somewhere "$reference" || grep -noF -e "$reference" README.md NEWS $(sources)
	done)" ""
end_lint
