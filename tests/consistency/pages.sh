#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Every man page renders without a warning; what needs a page has one.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

quiet() {
	output=$("$@" 2>&1 >/dev/null)
	[ -z "$output" ] || echo "$output" | sed 's/^/# /'
	[ -z "$output" ]
}

# mandoc says what it found on standard output.
lint() {
	output=$(mandoc -T lint -W warning "$1" 2>&1)
	[ -z "$output" ] || echo "$output" | sed 's/^/# /'
	[ -z "$output" ]
}

# link_target PAGE: what a page that only leads to another one names; nothing for others.
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
		ok "$page: mandoc has nothing to say" lint "$page"
	else
		skip "$page: mandoc has nothing to say" "mandoc is not installed"
	fi
	if command -v groff >/dev/null 2>&1 && quiet groff -mandoc -Tutf8 /dev/null; then
		ok "$page: groff has nothing to say" quiet groff -mandoc -ww -Tutf8 "$page"
	else
		skip "$page: groff has nothing to say" "groff with its mdoc macros is not installed"
	fi
	is "$page: title and file name agree" \
		"$(sed -n 's/^\.Dt //p' "$page" | tr '[:upper:] ' '[:lower:].')" "$(basename "$page")"
done

# Lines of the Makefile fragments and folders that say what is there.
needed=$(
	for file in */Makefile.inc; do
		case $file in tests/*) continue ;; esac
		sed -n 's/^\(s*bin\)_PROGRAMS += /\1 /p' "$file" | while read -r folder programs; do
			for program in $programs; do
				[ "$folder" = bin ] && echo "$(basename "$program").1" || echo "$(basename "$program").8"
			done
		done
	done
	find calibrated -name '*.service*' | sed -e 's,.*/,,' -e 's/\.in$//' -e 's/$/.8/'
	echo cpucycles-cache.5
	echo cpucyclespersecond.5
)
for page in $needed; do
	ok "there is a page $page" test -f "doc/$page"
done
listed=$(sed -n 's|^.*[[:blank:]]\(doc/[^ ]*\.[1-9]\).*|\1|p' doc/Makefile.inc utils/Makefile.inc | sort)
is "make installs all pages" "$listed" "$pages"

# References to pages of ours lead to one.
for reference in $(sed -n 's/^\.Xr \(cpucycles[^ ]*\) \([1-9]\).*/\1.\2/p' $pages | sort -u); do
	ok "the reference to $reference leads to a page" test -f "doc/$reference"
done
