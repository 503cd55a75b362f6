# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Sizes: what cpucycles-measure --csv --sizes wrote. For each function a curve over the size: units
# per byte, or units per call if no row has bytes. A cell of CSV may be in quotes.

function begin() {
	writer = "cpucycles-measure --csv --sizes=SIZE,... FUNCTION... >FILE"
	FS = "\n"
	WANTED = without_comments = 1
	FUNCTIONS = 14
	MARKS = "ABCDEFGHIJKLMN"
}

# Splits a line into cell[1] and so on. Gives their number, or fails.
function split_csv(line,   n, at) {
	for (;;) {
		if (line ~ /^"/) {
			match(line, /^"([^"]|"")*"/)
			if (RLENGTH < 0)
				fail("expected a second quotation mark behind the first")
			cell[++n] = substr(line, 2, RLENGTH - 2)
			gsub(/""/, "\"", cell[n])
			at = RLENGTH + 1
			if (at <= length(line) && substr(line, at, 1) != ",")
				fail("expected a comma behind a quotation mark")
		} else {
			at = index(line, ",")
			if (!at)
				at = length(line) + 1
			cell[++n] = substr(line, 1, at - 1)
		}
		if (at > length(line))
			return n
		line = substr(line, at + 1)
	}
}

function columns(   i, needed, n) {
	cells = split_csv($0)
	for (i = 1; i <= cells; i++)
		column[cell[i]] = i
	n = split("function size unit mean mean_low mean_high bytes", needed, " ")
	for (i = 1; i <= n; i++)
		if (!(needed[i] in column))
			fail("expected a column " needed[i])
}

# A column that older files lack.
function optional_cell(name) { return name in column ? need_cell(name) : "" }

# An empty cell is unknown.
function need_cell(name,   text) {
	text = cell[column[name]]
	return text == "" ? "" : need_number(text, name)
}

function function_of(name) {
	if (name == "" || length(name) > 4096)
		fail("expected the name of a function")
	if (!(name in index_of)) {
		if (++functions > FUNCTIONS)
			fail("expected at most " FUNCTIONS " functions")
		index_of[name] = functions
		names_of[functions] = clean(name)
	}
	return index_of[name]
}

function need_unit(text) {
	if (text !~ /^(cycles|ticks|ns)$/ || (unit != "" && text != unit))
		fail("expected the unit cycles, ticks or ns, the same in all rows")
	unit = text
}

function row(   f, i) {
	if (split_csv($0) != cells)
		fail("expected " cells " cells")
	f = function_of(cell[column["function"]])
	i = ++n[f]
	if (!is_count(cell[column["size"]]))
		fail("expected a size, as cpucycles-measure has it with --sizes")
	size_of[f, i] = cell[column["size"]] + 0
	bytes[f, i] = need_cell("bytes")
	mean[f, i] = need_cell("mean")
	low[f, i] = need_cell("mean_low")
	high[f, i] = need_cell("mean_high")
	core[f, i] = optional_cell("core_cycles")
	core_low[f, i] = optional_cell("core_cycles_low")
	core_high[f, i] = optional_cell("core_cycles_high")
	# A function that failed has no unit either.
	if (mean[f, i] != "") {
		need_unit(cell[column["unit"]])
		lacking = lacking || core[f, i] == ""
	}
	per_byte = per_byte || bytes[f, i] > 0
}

# Core cycles take the place of another unit if all functions have them at all sizes.
function prefer_cycles(   f, i) {
	if (lacking)
		return
	unit = "cycles"
	for (f = 1; f <= functions; f++)
		for (i = 1; i <= n[f]; i++) {
			mean[f, i] = core[f, i]
			low[f, i] = core_low[f, i]
			high[f, i] = core_high[f, i]
		}
}

# What is drawn of a figure. A log axis has no place for a size of 0, which has no bytes either.
function drawn(f, i, figure) { return per_byte ? figure / bytes[f, i] : figure }
function is_drawn(f, i) {
	return mean[f, i] != "" && size_of[f, i] > 0 && (!per_byte || bytes[f, i] > 0)
}

function widen(x, y) {
	if (from == "" || x < from)
		from = x
	if (to == "" || x > to)
		to = x
	if (bottom == "" || y < bottom)
		bottom = y
	if (top == "" || y > top)
		top = y
}

function log2(x) { return log(x) / log(2) }

# The sizes of a function in order, so that a line goes from left to right.
function order(f,   i, k, swap) {
	for (i = 1; i <= n[f]; i++)
		rank[i] = i
	for (i = 2; i <= n[f]; i++)
		for (k = i; k > 1 && size_of[f, rank[k - 1]] > size_of[f, rank[k]]; k--) {
			swap = rank[k]
			rank[k] = rank[k - 1]
			rank[k - 1] = swap
		}
}

function place_of(y) { return !logarithmic ? y : y > 0 ? log10(y) : "NaN" }
function number(x) { return x == "NaN" ? x : sprintf("%.9g", x) }

# A point, and its interval if there is one.
function point(f, i,   y) {
	y = drawn(f, i, mean[f, i])
	print number(log2(size_of[f, i])), number(place_of(y)), \
		number(place_of(low[f, i] == "" ? y : drawn(f, i, low[f, i]))), \
		number(place_of(high[f, i] == "" ? y : drawn(f, i, high[f, i]))) >"data"
}

# A size that could not be measured leaves a gap in the line, by one empty line of the data. Two
# end the curve.
function curve(f,   k, gap) {
	order(f)
	for (k = 1; k <= n[f]; k++)
		if (is_drawn(f, rank[k])) {
			if (gap && f in last)
				print "" >"data"
			point(f, rank[k])
			last[f] = rank[k]
			gap = 0
		} else {
			gap = 1
			gaps++
		}
	if (!(f in last))
		print "NaN NaN NaN NaN" >"data"
	print "\n" >"data"
}

# A short text for a size: 64K.
function size_text(x,   i) {
	for (i = 0; x >= 1024 && x % 1024 == 0 && i < 3; i++)
		x /= 1024
	return sprintf("%d", x) (i ? substr("KMG", i, 1) : "")
}

function what() { return unit (per_byte ? " per byte" : " per call") }

function result(f) {
	if (!(f in last))
		return "not measured"
	return sprintf("%.4g at %s", drawn(f, last[f], mean[f, last[f]]), \
		size_text(size_of[f, last[f]]))
}

# Powers of 2 as numbers at the axis, as many as have room.
function size_tics(   step, power, out) {
	step = ceil((to - from) / fit())
	for (power = ceil(from / step) * step; power <= to; power += step)
		out = out sprintf(", '%s' %d", size_text(2 ^ power), power)
	return axis_tics("x", substr(out, 3))
}

function find_range(   f, i) {
	for (f = 1; f <= functions; f++)
		for (i = 1; i <= n[f]; i++)
			if (is_drawn(f, i))
				widen(log2(size_of[f, i]), drawn(f, i, mean[f, i]))
	logarithmic = bottom > 0 && top > 30 * bottom
	show_intervals(top, bottom)
}

# The intervals are in view, too, up to twice the largest mean and down to half of the smallest one.
function show_intervals(most, least,   f, i) {
	for (f = 1; f <= functions; f++)
		for (i = 1; i <= n[f]; i++) {
			if (!is_drawn(f, i))
				continue
			if (high[f, i] != "")
				top = larger(top, smaller(drawn(f, i, high[f, i]), 2 * most))
			if (low[f, i] != "")
				bottom = smaller(bottom, larger(drawn(f, i, low[f, i]), least / 2))
		}
}

function finish(   f, said, remark) {
	prefer_cycles()
	find_range()
	if (from == "") {
		nothing("Time over size", "There are no sizes that were measured.")
		return
	}
	array("label", functions)
	print "1\tup: " what() (logarithmic ? " (log scale)" : "") >"panels"
	for (f = 1; f <= functions; f++) {
		curve(f)
		value("label[" f "]", name_of(names_of[f], result(f), 46))
		print "1\t" substr(MARKS, f, 1) " " names_of[f] ": " result(f) >"panels"
		said = said " " names_of[f] ": " result(f) (f < functions ? ";" : ".")
	}
	remark = gaps ? gaps (gaps == 1 ? " size is" : " sizes are") " not drawn" : ""
	number_value("functions", functions)
	number_value("logarithmic", logarithmic)
	# A number at the axis shall stand at its end, too.
	if (to - from < 1) {
		from -= 0.5
		to += 0.5
	}
	number_value("from", from - (to - from) * 0.03)
	number_value("to", to + (to - from) * 0.03)
	number_value("bottom", logarithmic ? log10(bottom) - 0.1 : 0)
	number_value("top", logarithmic ? log10(top) + 0.1 : top > 0 ? top * 1.08 : 1)
	value("xtics", size_tics())
	value("ytics", logarithmic ? log_tics(log10(bottom) - 0.1, log10(top) + 0.1, 0, "y") : \
		"\"set ytics autofreq\"")
	value("up", quote(what() (logarithmic ? " (log scale)" : "")))
	number_value("row_height", LINE_HEIGHT * name_lines)
	number_value("key_height", LINE_HEIGHT * name_lines * functions)
	texts(per_byte ? (unit == "ns" ? "Time" : upper(unit)) " per byte" : "Time of a call", \
		also("over the size, as means with intervals that hold the true one in 95 of" \
		" 100 runs", remark), \
		"For each of " functions " functions the " what() " over the size, with intervals" \
		" of 95 percent. The last of each:" said sentence(remark))
	size(HEAD + 330 + LINE_HEIGHT * name_lines * functions, 22)
}

function upper(text) { return toupper(substr(text, 1, 1)) substr(text, 2) }
