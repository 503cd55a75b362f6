#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# html.sh MANDOC CMARK FOLDER: make all pages as HTML in FOLDER, for make html. MANDOC converts the
# manuals. CMARK is cmark-gfm, which converts the pages that are written in Markdown, with the
# tables that these have. Links between pages lead to pages, and the files that a page links to are
# copied. There is no script in any page.

set -eu
mandoc=$1 cmark=$2 out=$3
case $out in /*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL

pages=$(ls ./*.md bench/*.md doc/*.md doc/evidence/*.md doc/examples/*.md \
	doc/examples/prometheus/*.md | sed 's,^\./,,')
manuals=$(cd doc && ls ./*.[1-8] | sed 's,^\./,,')
rm -rf "$out"
mkdir -p "$out/man"
cp doc/html.css "$out"

# top_of FILE: the way from a file's folder to the top, such as ../../.
top_of() {
	printf '%s\n' "$1" | sed 's,[^/]*$,,; s,[^/]*/,../,g'
}

# linked TOP: the HTML of standard input, with links to pages. Each table gets a box in which it can
# be moved sideways, and each heading of Markdown its anchor. A mark shows what else is linked.
linked() {
	awk -v top="$1" -v manuals=" $(echo "$manuals" | tr '\n' ' ')" '
		function is_manual(name) { return index(manuals, " " name " ") }
		function manual(name) { return top "man/" name ".html" }
		# The text between tags: names of manuals become links.
		function text(line, done, name) {
			while (!plain && match(line, /cpucycles[a-z_-]*\([1-8]\)/)) {
				name = substr(line, RSTART, RLENGTH - 3) "." \
					substr(line, RSTART + RLENGTH - 2, 1)
				done = done substr(line, 1, RSTART - 1)
				if (is_manual(name))
					done = done "<a href=\"" manual(name) "\">" \
						substr(line, RSTART, RLENGTH) "</a>"
				else
					done = done substr(line, RSTART, RLENGTH)
				line = substr(line, RSTART + RLENGTH)
			}
			return done line
		}
		function target(link, file, place) {
			if (link ~ /^(#|[a-z]+:)/)
				return link
			file = place = link
			sub(/#.*/, "", file)
			place = substr(link, length(file) + 1)
			if (sub(/\.md$/, ".html", file))
				return file place
			sub(/.*\//, "", file)
			if (is_manual(file))
				return manual(file) place
			return "FILE:" link
		}
		function tag(t, start) {
			if (t ~ /^<(a|code|pre)[ >]/) plain++
			if (t ~ /^<\/(a|code|pre)>/) plain--
			if (match(t, /(href|src)="[^"]*"/)) {
				start = RSTART + index(substr(t, RSTART), "\"")
				return substr(t, 1, start - 1) \
					target(substr(t, start, RSTART + RLENGTH - 1 - start)) \
					substr(t, RSTART + RLENGTH - 1)
			}
			return t
		}
		function with_links(line, done, start, length_of) {
			while (match(line, /<[^>]*>/)) {
				start = RSTART
				length_of = RLENGTH
				done = done text(substr(line, 1, start - 1))
				done = done tag(substr(line, start, length_of))
				line = substr(line, start + length_of)
			}
			return done text(line)
		}
		function slug(heading) {
			gsub(/<[^>]*>|&[a-z]*;/, "", heading)
			heading = tolower(heading)
			gsub(/[^a-z0-9 _-]/, "", heading)
			gsub(/ /, "-", heading)
			return heading
		}
		# mandoc links manuals itself, also those of others, which are not here.
		/<html/ { of_mandoc = 1 }
		of_mandoc {
			rest = $0
			$0 = ""
			while (match(rest, /<a class="Xr" href="[^"]*">[^<]*<\/a>/)) {
				link = substr(rest, RSTART, RLENGTH)
				name = link
				sub(/.*href="/, "", name)
				sub(/\.html".*/, "", name)
				if (!is_manual(name))
					gsub(/<a[^>]*>|<\/a>/, "", link)
				$0 = $0 substr(rest, 1, RSTART - 1) link
				rest = substr(rest, RSTART + RLENGTH)
			}
			$0 = $0 rest
		}
		!of_mandoc { $0 = with_links($0) }
		!of_mandoc && /^<h[1-6]>/ { sub(/>/, " id=\"" slug($0) "\">") }
		{
			gsub(/<table/, "<div class=\"wide\"><table")
			gsub(/<\/table>/, "</table></div>")
			print
		}'
}

# navigation TOP: the links that each page begins with.
navigation() {
	printf '<nav class="top"><a href="%sindex.html">cpucycles</a> ' "$1"
	printf '<a href="%sdoc/installation.html">install</a> ' "$1"
	printf '<a href="%sdoc/examples/README.html">examples</a> ' "$1"
	printf '<a href="%spages.html">pages</a></nav>\n' "$1"
}

# page TITLE TOP: standard input as the whole page.
page() {
	cat <<PAGE
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="$2html.css">
<title>$1</title>
</head>
<body>
$(navigation "$2")
<main>
PAGE
	cat
	printf '</main>\n</body>\n</html>\n'
}

# escaped: the text of standard input as HTML.
escaped() {
	sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
}

# heading_of PAGE: the first heading of a Markdown file.
heading_of() {
	sed -n 's/^# //p' "$1" | head -n 1
}

# copied FOLDER FILE: copy what a page of this folder links to, and print the link to it. If that is
# a folder, the link leads to a list of its files.
copied() {
	to=$(cd "$1" && cd "$(dirname "$2")" && pwd)/$(basename "$2")
	to=${to#"$PWD"/}
	if [ -f "$to/README.md" ]; then
		echo "$2/README.html"
		return
	fi
	mkdir -p "$out/$(dirname "$to")"
	cp -R "$to" "$out/$(dirname "$to")"
	chmod -R u+w "$out/$to"
	[ -d "$to" ] || { echo "$2"; return; }
	{
		echo "<ul>"
		(cd "$to" && ls) | escaped | sed 's,.*,<li><a href="&">&</a></li>,'
		echo "</ul>"
	} | page "$to" "$(top_of "$to/")" >"$out/$to/index.html"
	echo "$2/index.html"
}

for file in $pages; do
	to=$out/${file%.md}.html
	mkdir -p "$(dirname "$to")"
	sed '/^<!--.*-->$/d' "$file" | "$cmark" -e table | linked "$(top_of "$file")" >"$out/body"
	{ grep -o '"FILE:[^"]*"' "$out/body" || :; } | tr -d '"' | sort -u | while read -r link; do
		link=${link#FILE:}
		echo "s,\"FILE:$link\",\"$(copied "$(dirname "$file")" "$link")\",g"
	done >"$out/links"
	sed -f "$out/links" "$out/body" |
		page "$(heading_of "$file" | escaped)" "$(top_of "$file")" >"$to"
done

# linking FILE: the file that this manual leads to, if it is only a link.
linking() {
	sed -n 's/^\.so .*\///p' "$1"
}
# contents FILE: links to the sections of this manual.
contents() {
	echo '<details class="contents"><summary>Sections</summary><ul>'
	awk '
		/^<h[12] class="S[hs]" id="/ { heading = "" }
		{ heading = heading (heading == "" ? "" : " ") $0 }
		/<\/h[12]>/ && heading ~ /^<h[12] class="S[hs]" id="/ {
			kind = substr(heading, 12, 2)
			id = heading
			sub(/^[^>]* id="/, "", id)
			sub(/".*/, "", id)
			gsub(/<[^>]*>/, "", heading)
			gsub(/ +/, " ", heading)
			printf "<li class=\"%s\"><a href=\"#%s\">%s</a></li>\n", kind, id, heading
		}' "$1"
	echo '</ul></details>'
}
for manual in $manuals; do
	target=$(linking "doc/$manual")
	[ -z "$target" ] || continue
	"$mandoc" -T html -O man=%N.%S.html,style=../html.css "doc/$manual" | linked ../ \
		>"$out/body"
	{
		sed '/^<body>$/q' "$out/body"
		navigation ../
		contents "$out/body"
		sed '1,/^<body>$/d' "$out/body"
	} >"$out/man/$manual.html"
done
for manual in $manuals; do
	target=$(linking "doc/$manual")
	[ -n "$target" ] || continue
	place=${manual%.*}
	grep -q "id=\"$place\"" "$out/man/$target.html" && place=#$place || place=
	cat >"$out/man/$manual.html" <<PAGE
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=$target.html$place">
<title>$manual</title>
</head>
<body><p>See <a href="$target.html$place">$target</a>.</p></body>
</html>
PAGE
done

rm "$out/body" "$out/links"

# named FILE: manual.1 as manual(1).
named() {
	echo "$1" | sed 's/\.\([1-8]\)$/(\1)/'
}
{
	echo "<h1>All pages</h1>"
	echo "<h2>Manuals</h2>"
	echo "<dl>"
	for manual in $manuals; do
		[ -z "$(linking "doc/$manual")" ] || continue
		echo "<dt><a href=\"man/$manual.html\">$(named "$manual")</a></dt>"
		sed -n 's/^\.Nd //p' "doc/$manual" | head -n 1 | escaped | sed 's,.*,<dd>&</dd>,'
	done
	echo "</dl>"
	echo "<h2>Parts of these manuals</h2>"
	echo "<p>"
	for manual in $manuals; do
		[ -n "$(linking "doc/$manual")" ] || continue
		echo "<a href=\"man/$manual.html\">$(named "$manual")</a>"
	done
	echo "</p>"
	echo "<h2>Other pages</h2>"
	echo "<ul>"
	for file in $pages; do
		echo "<li><a href=\"${file%.md}.html\">$(heading_of "$file" | escaped)</a></li>"
	done
	echo "</ul>"
} | page "All pages" "" >"$out/pages.html"

# shown COMMAND: this command of README.md and what it prints, up to the next command.
shown() {
	awk -v command="    $1" '
		index($0, command) == 1 { inside = 1; print substr($0, 5); next }
		!inside || /^    quickstart:|^    Next:/ { next }
		/^    (\.\/|_build\/|cpucycles-|cd )/ || /^[^ ]/ { exit }
		/^$/ { blank = 1; next }
		{ print (blank ? "\n" : "") substr($0, 5); blank = 0 }' README.md | escaped |
		sed '1s,.*,<pre><b>&</b>,'
	echo "</pre>"
}
{
	echo "<h1>cpucycles</h1>"
	awk '/^# / { inside = 1; next } inside && /^$/ && seen { exit }
		inside && /./ { seen = 1; print }' README.md | "$cmark"
	echo "<p>Build the sources in their folder, and calibrate there:</p>"
	shown ./quickstart
	echo "<p>The programs are now in a folder of their own. Unless you are root, also run the" \
		"<code>export</code> line that quickstart printed.</p>"
	echo '<pre>PATH=$PWD/_build/quickstart/usr/bin:$PATH</pre>'
	echo "<p>See what your programs get:</p>"
	shown _build/quickstart/usr/bin/cpucycles-info
	echo "<p>Measure two revisions of a function, in doc/examples/revisions:</p>"
	shown "cpucycles-measure old/crc.c:"
	linked "" <<'NEXT'
<p>Next:</p>
<ul>
<li><a href="doc/installation.md">Install it</a>, on one machine or on many</li>
<li>Count cycles in C: cpucycles(3), and <a href="doc/examples/README.md">examples</a></li>
<li>Measure functions: cpucycles-measure(1), and what may be believed:
cpucycles-measure(7)</li>
<li>Which counter, and why not a better one: cpucycles-info(1), cpucycles-counters(7)</li>
<li><a href="README.md">All of this in brief</a>, <a href="doc/pictures.md">pictures</a>,
<a href="pages.html">all pages</a></li>
</ul>
NEXT
} | sed 's/"FILE:/"/' | page cpucycles "" >"$out/index.html"
