# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Prints a picture for a terminal: what gnuplot drew, between lines of plain text, which gnuplot
# would cut, or write over with points. Reads files of the current folder:
#   title      the headline
#   panels     "page<tab>text": lines above a page of the picture
#   sentence   what to say if there is no picture
#   picture    pages, each behind a form feed; without this file only the text is printed

BEGIN {
	columns = ENVIRON["PLOT_COLUMNS"]
	print_file("title")
	if (print_file("sentence"))
		exit
	if (ENVIRON["PLOT_UP"] != "")
		wrap("up: " ENVIRON["PLOT_UP"])
	read_panels()
	print_pages()
	for (page++; page in panel; page++)
		wrap_lines(panel[page])
}

function print_file(file,   line, n) {
	for (; (getline line <file) > 0; n++)
		wrap(line)
	return n
}

function read_panels(   line, number) {
	while ((getline line <"panels") > 0) {
		number = line + 0
		sub(/^[0-9]+\t/, "", line)
		panel[number] = (number in panel) ? panel[number] "\n" line : line
	}
}

# The empty lines at the start of a page are left out.
function print_pages(   line) {
	while ((getline line <"picture") > 0) {
		if (sub(/\f/, "", line)) {
			page++
			started = 0
			if (page in panel)
				wrap_lines(panel[page])
		}
		sub(/ +$/, "", line)
		started = started || line != ""
		if (started)
			print line
	}
}

function wrap_lines(text,   lines, n, i) {
	n = split(text, lines, "\n")
	for (i = 1; i <= n; i++)
		wrap(lines[i])
}

# Breaks a text at spaces, and a long word anywhere.
function wrap(text,   at) {
	while (length(text) > columns) {
		for (at = columns + 1; at > 1 && substr(text, at, 1) != " "; at--)
			;
		if (at == 1)
			at = columns + 1
		print substr(text, 1, at - 1)
		text = substr(text, at)
		sub(/^ +/, "", text)
	}
	print text
}
