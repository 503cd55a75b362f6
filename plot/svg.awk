# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Reads gnuplot's SVG from the file picture, and prints it with a title and a description of its
# own. Gnuplot gives the same ids to the parts of every picture: a prefix makes them differ, so
# that several pictures fit in one page. For a page, the lines of XML before <svg> are left out.

BEGIN {
	prefix = ENVIRON["PLOT_PREFIX"] "-"
	while ((status = (getline line <"picture")) > 0)
		print_line(line)
	exit status < 0
}

function print_line(line) {
	if (ENVIRON["PLOT_WHERE"] == "page" && line ~ /^<\?xml/)
		return
	if (line ~ /^<svg/)
		line = line "role=\"img\" aria-labelledby=\"" prefix "title " prefix "desc\""
	else if (line ~ /^<title>Gnuplot<\/title>$/)
		line = "<title id=\"" prefix "title\">" html(first_line("title")) "</title>"
	else if (line ~ /^<desc>Produced by GNUPLOT.*<\/desc>$/)
		line = "<desc id=\"" prefix "desc\">" html(first_line("desc")) "</desc>"
	else if (line !~ /<text|<title/)
		line = pack(own_ids(line))
	else if (line ~ /^[ \t]*<g id="gnuplot_/) {
		sub(/<g id="/, "<g id=\"" prefix, line)
		# Browsers show it where the mouse points: gnuplot_plot_1a.
		sub(/<title>.*<\/title>/, "", line)
	} else if (match(line, /<text>.*<\/text>/))
		line = substr(line, 1, RSTART + 5) \
			own_text(substr(line, RSTART + 6, RLENGTH - 13)) \
			substr(line, RSTART + RLENGTH - 7)
	# Cells of a map have sharp borders.
	sub(/<image /, "<image style='image-rendering:pixelated' ", line)
	print line
}

# Gnuplot leaves > as it is, and XML has no ]]> in a text.
function own_text(text) {
	gsub(/&lt;/, "<", text)
	gsub(/&gt;/, ">", text)
	gsub(/&amp;/, "\\&", text)
	return html(text)
}

# Fewer bytes for the same shapes.
function pack(line) {
	sub(/^[ \t]+/, "", line)
	gsub(/rgb\( +/, "rgb(", line)
	gsub(/, +/, ",", line)
	gsub(/ = '/, "='", line)
	return line
}

function own_ids(line) {
	gsub(/ id='/, " id='" prefix, line)
	gsub(/ id="/, " id=\"" prefix, line)
	gsub(/xlink:href='#/, "xlink:href='#" prefix, line)
	gsub(/url\(#/, "url(#" prefix, line)
	return line
}
