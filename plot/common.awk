# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# For all kinds: reads a TSV of cpucycles-info --samples, or what another kind is drawn from, from
# standard input, and checks each line.
# Another file defines begin(), row() and finish(). They write into the current folder:
#   values.gp  variables for gnuplot: numbers that were checked, and texts in quotes
#   data       what gnuplot plots: numbers only
#   size       width and height in pixels, and rows of a terminal
#   title, desc, meta   texts for the picture's title and description; what is known of the machine
#   caption    how a page tells to read the picture, if that depends on the data
#   sentence   only if there is nothing to draw: says so
# An error is printed on standard output. A TSV is data from anywhere: no text of it may become
# code of gnuplot. Gnuplot leaves texts in single quotes alone, and only these have such text.

BEGIN {
	FS = "\t"
	MAX = 1e15
	WIDTH = 440
	LINE_HEIGHT = 21
	LISTED = 16
	value("apostrophe", "\"\\047\"")
	begin()
	if (writer == "")
		writer = "cpucycles-info --samples " kind " >FILE"
}

# The line is the present one, unless another one is named. Whose first line is wrong is likely to
# be another kind of file, such as a source in C.
function fail(text, line) {
	if (!failed)
		printf "%s: line %d: %s%s\n", ENVIRON["PLOT_NAME"], \
			line ? line : larger(1, NR), text, \
			(NR > 1 ? "" : "; such a file is written by " writer)
	failed = 1
	exit 1
}

function clean(text) {
	gsub(/[^ -~]/, "?", text)
	return text
}

# Gnuplot expands @NAME before it looks at strings, and spares what is between single quotes. One
# in double quotes would mislead it, so it is in a variable.
function quote(text) {
	text = clean(text)
	gsub(/'/, "'.apostrophe.'", text)
	return "'" text "'"
}

# The middle of a long text is left out.
function shorten(text, max) {
	if (length(text) <= max)
		return text
	return substr(text, 1, int(max / 2) - 1) "..." \
		substr(text, length(text) - int((max - 3) / 2))
}

# The end of a name tells functions of one library apart.
function shorten_left(text, max) {
	max = larger(max, 12)
	return length(text) <= max ? text : "..." substr(text, length(text) - max + 4)
}

function is_number(text) {
	return text ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ && \
		length(text) < 40 && text + 0 <= MAX && text + 0 >= -MAX
}

function is_count(text) {
	return text ~ /^[0-9]+$/ && length(text) < 16
}

function is_name(text) {
	return text ~ /^[A-Za-z0-9][A-Za-z0-9._-]*$/ && length(text) <= 40
}

function need_number(text, what) {
	if (!is_number(text))
		fail("expected a number of at most 1e15 as " what)
	return text + 0
}

function need_count(text, what) {
	if (!is_count(text))
		fail("expected a whole number as " what)
	return text + 0
}

# No machine has as many, and awk and gnuplot print larger numbers in ways of their own.
function need_cpu(text, what) {
	if (need_count(text, what) >= 1048576)
		fail("expected a number below 1048576 as " what)
	return text + 0
}

function need_name(text, what) {
	if (!is_name(text))
		fail("expected a name of letters, digits and -._ as " what)
	return text
}

# Gives "unknown" or a number.
function need_number_or_unknown(text, what) {
	return text == "unknown" ? text : need_number(text, what)
}

# With its sign, but 0 has none.
function signed(x, digits) { return x + 0 == 0 ? "0" : sprintf("%+." digits "g", x) }

function abs(x) { return x < 0 ? -x : x }
function ceil(x) { return x == int(x) ? x : x < 0 ? int(x) : int(x) + 1 }
function larger(x, y) { return x > y ? x : y }
function smaller(x, y) { return x < y ? x : y }
function floor(x) { return -ceil(-x) }
function log10(x) { return log(x) / log(10) }

# The step of round numbers (1, 2 or 5 times a power of ten) that takes at most n steps.
function round_step(range, n,   power) {
	power = exp(floor(log10(range / n)) * log(10))
	if (range / n <= power * 1.0001)
		return power
	return range / n <= 2 * power ? 2 * power : range / n <= 5 * power ? 5 * power : 10 * power
}

# Sorts a[1] to a[n].
function sort(a, n,   gap, i, j, x) {
	for (gap = 1; gap < n / 3; gap = 3 * gap + 1)
		;
	for (; gap >= 1; gap = int(gap / 3))
		for (i = gap + 1; i <= n; i++) {
			x = a[i]
			for (j = i - gap; j >= 1 && a[j] > x; j -= gap)
				a[j + gap] = a[j]
			a[j + gap] = x
		}
}

# Which of the sorted numbers a[1] to a[n] a picture shows: view_low to view_high. The twentieth
# part at each end, and one number at least, is left out if it is so far from the others that they
# would take less than two fifths of the axis.
function set_view(a, n,   cut, low, high, room, i) {
	cut = n < 5 ? 0 : larger(1, int(n * 0.05))
	low = a[1 + cut]
	high = a[n - cut]
	room = larger((high - low) * 0.75, larger(abs(low), abs(high)) * 0.01)
	for (i = 1; a[i] < low - room; i++)
		;
	view_low = a[i]
	for (i = n; a[i] > high + room; i--)
		;
	view_high = a[i]
}

# How many characters of a word that is too long stand before a break: it follows a sign, or if
# there is none in the last third, the line is full.
function break_at(word, max,   at) {
	for (at = max; at > max * 2 / 3; at--)
		if (substr(word, at, 1) ~ /[^A-Za-z0-9]/)
			return at
	return max
}

# Breaks a text into lines, as an expression of gnuplot. What is last stays in one line if it can.
function lines_of(text, max, last,   words, n, i, at, line, out) {
	if (length(last) > max) {
		text = text " " last
		last = ""
	}
	n = split(text, words, " ")
	if (last != "")
		words[++n] = last
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + length(words[i]) >= max) {
			out = out quote(line) ".\"\\n\"."
			line = ""
		}
		for (; length(words[i]) > max; words[i] = substr(words[i], at + 1)) {
			at = break_at(words[i], max)
			out = out quote(substr(words[i], 1, at)) ".\"\\n\"."
		}
		line = line (line == "" ? "" : " ") words[i]
	}
	return out quote(line)
}

# A function's name and its figures, whole: in as many lines as they take, name_lines at most so
# far. A name of thousands of characters loses its beginning. A remark has lines of its own.
function name_of(name, figures, max, remark,   lines) {
	lines = lines_of(shorten_left(name, 4 * max - 1) ":", max, figures)
	if (remark != "")
		lines = lines ".\"\\n\"." lines_of(remark, max)
	name_lines = larger(name_lines, line_count(lines))
	return lines
}

# The lines that a text takes.
function line_count(text) {
	return gsub(/\."\\n"\./, "", text) + 1
}

function value(name, content) {
	printf "%s = %s\n", name, content >"values.gp"
}

# Nearly equal numbers up to MAX stay different.
function exact(x) { return sprintf("%.15g", x) }

function number_value(name, content) {
	value(name, exact(content))
}

# Arrays of gnuplot have at least one element.
function array(name, n) {
	printf "array %s[%d]\n", name, (n ? n : 1) >"values.gp"
}

# The different values of a key that may come several times.
function list(key,   i, out) {
	for (i = 1; i <= times[key] && i <= LISTED; i++)
		out = out (i > 1 ? ", " : "") shorten(told[key, i], 40)
	return out (times[key] > LISTED ? " and " times[key] - LISTED " more" : "")
}

# Adds a further remark.
function also(text, more) {
	return text == "" || more == "" ? text more : text "; " more
}

function sentence(text) {
	return text == "" ? "" : " " toupper(substr(text, 1, 1)) substr(text, 2) "."
}

function caption(text) { print text >"caption" }

# What every picture says: its headline, a line below, and the same in words.
function texts(title, below, desc,   head) {
	if (times["lost"]) {
		below = also(below, "taken by the kernel meanwhile: " list("lost"))
		desc = desc " While it was measured, the kernel took from the process: " \
			list("lost") "."
	}
	head = lines_of(title, 42)
	below = lines_of(below, 52)
	value("headline", head)
	value("below", below)
	number_value("headline_lines", line_count(head))
	number_value("below_lines", line_count(below))
	print clean(title (machine() == "" ? "" : " on " machine())) >"title"
	print clean(desc) >"desc"
	HEAD = 16 + 25.5 * line_count(head) - 3.5 + 20 * line_count(below)
}

function machine() { return "machine" in meta ? meta["machine"] : "" }

function size(height, rows) {
	number_value("height", height)
	number_value("head", HEAD / height)
	printf "%d %d %d\n", WIDTH, height, rows >"size"
}

function nothing(title, text) {
	texts(title, machine(), text)
	value("sentence", lines_of(text, 40))
	print text >"sentence"
	size(220, 12)
}

# raw: the same text with all its bytes, which may not be drawn.
# The bars of a histogram, count[0] and so on, as percent of n. An empty one at each end closes it.
function print_bars(count, bars, n, from, width,   bar) {
	for (bar = -1; bar <= bars; bar++)
		printf "%.16g %.9g\n", from + bar * width, 100 * count[bar] / n >"data"
	printf "\n\n" >"data"
}

function comment(key, text, raw) {
	meta[key] = text
	if ((key, raw) in repeated)
		return
	repeated[key, raw] = 1
	told[key, ++times[key]] = text
	raw_told[key, times[key]] = raw
	line_of[key, times[key]] = NR
}

{ sub(/\r$/, "") }

# A kind may have a first line of its own.
NR == 1 && own_line != "" {
	if ($0 != own_line)
		fail("expected \"" own_line "\"")
	next
}

# Comments come before the columns, and among the rows. A CSV has none.
/^#/ && !without_comments {
	if (NF != 2 || $1 !~ /^# [a-z_]+$/)
		fail("expected \"# key<tab>value\"")
	comment(substr($1, 3), clean($2), $2)
	next
}

!header {
	header = 1
	if (kind != "") {
		if (!("samples" in meta))
			fail("expected a line \"# samples<tab>" kind "\" before")
		if (meta["samples"] != kind)
			fail("expected samples of " kind ", but these are samples of " \
				meta["samples"])
	}
	columns()
	next
}

# Most kinds have fixed columns.
function fixed_columns(names,   expected) {
	WANTED = split(names, expected, " ")
	gsub(/ /, "\t", names)
	if ($0 != names) {
		gsub(/\t/, " ", names)
		fail("expected the columns " names)
	}
}

NF != WANTED { fail("expected " WANTED " columns, but there are " NF) }
{
	rows++
	row()
}

END {
	if (failed)
		exit 1
	if (!header)
		fail("expected a line of column names, but the file ends")
	if (failed)
		exit 1
	printf "" >"data"
	finish()
	if (failed)
		exit 1
	for (key in meta)
		print key "\t" meta[key] >"meta"
	print "" >"meta"
}
