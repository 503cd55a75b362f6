#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# make html: there is a page for each manual, every link of every page leads to something that is
# there, and no page has a script. make install-html installs them, and make uninstall-html,
# which is part of make uninstall, removes them.
. "$top_srcdir/tests/harness/build.sh"

for program in MANDOC CMARK; do
	grep -q "^$program = ." "$top_builddir/Makefile" ||
		skip_all "configure found no $program, of mandoc and cmark-gfm"
done
pages=$top_builddir/html
htmldir=$(make -s -C "$top_builddir" -f Makefile -f - htmldir <<'END_OF_MAKE'
htmldir:
	@echo '$(htmldir)'
.PHONY: htmldir
END_OF_MAKE
)

# attributes NAME FILE: the values of this attribute, in any tag.
attributes() {
	tr '\n' ' ' <"$2" | grep -o " $1=\"[^\"]*\"" | sed 's/[^"]*"//; s/"$//'
}

# broken FILE: its links that lead nowhere.
broken() {
	{ attributes href "$1"; attributes src "$1"; } | sort -u | while IFS= read -r link; do
		case $link in http://* | https://* | mailto:*) continue ;; esac
		file=${link%%#*} place=
		case $link in *#*) place=${link#*#} ;; esac
		path=${file:+$(dirname "$1")/$file}
		path=${path:-$1}
		if [ ! -f "$path" ]; then
			echo "$1: $link: no such file"
		elif [ -n "$place" ] && ! attributes id "$path" | grep -qxF -e "$place"; then
			echo "$1: $link: no such place"
		fi
	done
}

# each_page COMMAND: run it for each page.
each_page() {
	(cd "$pages" && find . -name '*.html' | sort | while IFS= read -r page; do
		"$@" "$page"
	done)
}
twice() {
	attributes id "$1" | sort | uniq -d | sed "s,^,$1: ,"
}
scripts() {
	grep -niE '<script|javascript:|[ "]on[a-z]+="' "$1" | sed "s,^,$1:,"
}
without_title() {
	grep -q '<title>..*</title>' "$1" || echo "$1"
}

ok "make html" quietly html make -C "$top_builddir" html
is "every manual is there" \
	"$(cd "$pages/man" && find . -name '*.html' | sed 's,^\./,,; s/\.html$//' | sort)" \
	"$(cd "$top_srcdir/doc" && find . -name '*.[1-9]' | sed 's,^\./,,' | sort)"
is "every page of doc is there" \
	"$(cd "$top_srcdir" && find doc -name '*.md' | while read -r file; do
		[ -s "$pages/${file%.md}.html" ] || echo "$file"
	done)" ""
ok "there are links" test "$(attributes href "$pages/man/cpucycles.3.html" | wc -l)" -gt 20
is "all links lead to something" "$(each_page broken)" ""
is "no page has an anchor twice" "$(each_page twice)" ""
is "no page has a script" "$(each_page scripts)" ""
is "every page has a title" "$(each_page without_title)" ""
is "the first page shows three commands, with what they print" \
	"$(awk '/<pre><b>/ { n = 0; commands++; inside = 1 } { n++ }
		/<\/pre>/ { if (inside && n < 4) print "short"; inside = 0 }
		END { print commands }' "$pages/index.html")" 3
is "all pictures are shown" "$(attributes src "$pages/doc/pictures.html" | sort)" \
	"$(cd "$top_srcdir/doc" && find pictures -name '*.svg' | sort)"

files_of() {
	(cd "$1" && find . -type f | sort)
}
ok "make install-html" quietly install make -C "$top_builddir" install-html DESTDIR="$scratch/root"
is "all files are installed" "$(files_of "$scratch/root$htmldir")" "$(files_of "$pages")"
ok "make uninstall-html" quietly uninstall make -C "$top_builddir" uninstall-html \
	DESTDIR="$scratch/root"
is "nothing is left" "$(find "$scratch/root$htmldir" 2>/dev/null | head -n 5)" ""
ok "make html without a converter fails" sh -c '! make -C "$1" html CMARK= 2>"$2"' sh \
	"$top_builddir" "$scratch/why"
ok "and says what is missing" contains "$scratch/why" "install both"
