# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Layouts: what cpucycles-measure --layouts wrote. For each comparison a panel with a dot for each
# unit, the estimate and its interval. Below them a panel of all functions: the mean in each layout
# over the place of the code within a line of 64 bytes, shaded where a line "# costly" says so. A
# function with two sizes is two here.

function begin() {
	kind = "layouts"
	writer = "cpucycles-measure --layouts=FILE FILE:FUNCTION..."
	FUNCTIONS = 14
	LINE = 64
	GROUP = 12 # bytes of the axis that the dots of one place take
	MARKS = "ABCDEFGHIJKLMN"
}

function columns(   names, n) {
	n = split($0, names, "\t")
	sized = n == 7 && names[3] == "size"
	WANTED = 6 + sized
	sub(/\tsize\t/, "\t")
	gsub(/\t/, " ")
	if (n != WANTED || \
		$0 !~ /^unit process function place_bytes [a-z]+_per_call longer_percent$/)
		fail("expected the columns unit process function place_bytes UNIT_per_call" \
			" longer_percent of cpucycles-measure --layouts")
	time_unit = names[5 + sized]
	sub(/_per_call/, "", time_unit)
	processes = meta["unit_processes"]
	if (!is_count(processes) || processes < 1 || processes > 1000)
		fail("expected a line \"# unit_processes<tab>number\" before, 1000 at most")
}

function text_of(name, bytes) { return name (sized ? ", size " bytes : "") }

function function_of(name, bytes) {
	if (name == "" || length(name) > 4096)
		fail("expected the name of a function")
	if (!((name, bytes) in index_of)) {
		if (++functions > FUNCTIONS)
			fail("expected at most " FUNCTIONS " functions, each size of one counts")
		index_of[name, bytes] = functions
		names_of[functions] = clean(text_of(name, bytes))
	}
	return index_of[name, bytes]
}

# A dot of the second panel.
function add_place(f, bytes,   place) {
	if (bytes == "")
		return
	place = need_count(bytes, "place_bytes") % LINE
	place_of[f, n[f]] = place
	rank[f, n[f]] = ++dots[f, place]
	last_place = larger(last_place, place)
	placed = 1
}

# The value of a unit is the mean of the log ratios, as that of the verdict.
function add_ratio(f, unit, percent) {
	if (percent == "")
		return
	if (need_number(percent, "longer_percent") <= -100)
		fail("expected a number above -100 as longer_percent")
	if (!((f, unit) in has_ratio))
		unit_number[f, ++units[f]] = unit
	has_ratio[f, unit]++
	log_ratio[f, unit] += log(1 + percent / 100)
}

function row(   f) {
	need_count($1, "unit")
	need_count($2, "process")
	f = function_of($(3 + sized), sized ? need_count($3, "size") : "")
	if (f == 1)
		first = clean($(3 + sized))
	mean[f, ++n[f]] = need_number($(5 + sized), "time")
	add_place(f, $(4 + sized))
	add_ratio(f, $1 + 0, $(6 + sized))
}

# Two empty lines end a block. One without data has a point that is not drawn.
function end_block(any, none) {
	if (!any)
		print none >"data"
	print "\n" >"data"
}

# One panel, above: the whole units of a comparison.
function comparison(i,   f, k, unit, values, sorted, count) {
	f = judged[i]
	for (k = 1; k <= units[f]; k++) {
		unit = unit_number[f, k]
		if (has_ratio[f, unit] != processes)
			continue
		values[++count] = 100 * (exp(log_ratio[f, unit] / processes) - 1)
		sorted[count] = values[count]
	}
	open_range()
	take_in(0)
	if (estimate[f] != "unknown")
		take_in(estimate[f] + 0)
	if (lowest[f] != "unknown" && highest[f] != "unknown") {
		take_in(lowest[f] + 0)
		take_in(highest[f] + 0)
	}
	if (count) {
		sort(sorted, count)
		take_in_view(sorted, count)
	}
	for (k = 1; k <= count; k++) {
		printf "%d %.9g\n", k, values[k] >"data"
		hidden += is_outside(values[k])
	}
	end_block(count, "NaN NaN")
	write_range("", i)
	number_value("last[" i "]", count ? count : 1)
	value("estimate[" i "]", number(estimate[f]))
	value("lowest[" i "]", number(lowest[f]))
	value("highest[" i "]", number(highest[f]))
	value("label[" i "]", name_of(names_of[f], verdict_of(f), 52))
	print i "\t" names_of[f] ": " verdict_of(f) >"panels"
	print i "\tup: percent longer than " first "; line: the estimate" >"panels"
}

function number(text) { return text == "unknown" ? "NaN" : sprintf("%.9g", text) }

function middle(a, count) { return (a[int((count + 1) / 2)] + a[int(count / 2) + 1]) / 2 }

function find_median(f,   i, sorted) {
	for (i = 1; i <= n[f]; i++)
		sorted[i] = mean[f, i]
	sort(sorted, n[f])
	median[f] = middle(sorted, n[f])
	# A part of nothing is not a number.
	if (median[f] <= 0)
		return
	for (i = 1; i <= n[f]; i++)
		sorted[i] *= 100 / median[f]
	take_in_view(sorted, n[f])
}

# Functions are side by side at each place, and so are the layouts of one function, in order of
# time.
function column(f) { return GROUP * ((f - 0.5) / functions - 0.5) }
function spread(f, i,   part) {
	part = rank[f, i] / (dots[f, place_of[f, i]] + 1)
	return place_of[f, i] + column(f) + 0.8 * GROUP / functions * (part - 0.5)
}

function layouts_of(f,   i, y, any) {
	for (i = 1; i <= n[f] && median[f] > 0; i++)
		if ((f, i) in place_of) {
			y = 100 * mean[f, i] / median[f]
			printf "%.5g %.9g\n", spread(f, i), y >"data"
			hidden += is_outside(y)
			any = 1
		}
	end_block(any, "NaN NaN")
}

# The median at each place. Gives them as a text.
function place_medians(f,   place, i, count, at, text, half) {
	half = 0.45 * GROUP / functions
	for (place = 0; place < LINE; place++) {
		count = 0
		split("", at)
		for (i = 1; i <= n[f] && (f, place) in dots && median[f] > 0; i++)
			if ((f, i) in place_of && place_of[f, i] == place)
				at[++count] = 100 * mean[f, i] / median[f]
		if (!count)
			continue
		sort(at, count)
		printf "%.5g %.9g %.5g\n", place + column(f) - half, middle(at, count), \
			2 * half >"data"
		text = text (text == "" ? "" : ", ") sprintf("%.4g %% at %d", middle(at, count), \
			place)
	}
	end_block(text != "", "NaN NaN NaN")
	return text
}

# The words of a line "# costly": the place, perhaps the size, and the name.
function add_costly(text, line,   place, bytes, f) {
	place = take_word(text)
	sub(/^[^ ]* /, "", text)
	if (sized) {
		bytes = take_word(text)
		sub(/^[^ ]* /, "", text)
	}
	if (!is_count(place) || place >= LINE || (sized && !is_count(bytes)))
		fail("expected a place in " LINE " bytes and a function as costly", line)
	if (!((text, bytes) in index_of))
		fail("expected a costly place of a function of this file", line)
	f = index_of[text, bytes]
	costly[f] = costly[f] (costly[f] == "" ? ", costly at " : " or ") (place + 0)
	mark_low[++marks] = place + column(f) - 0.5 * GROUP / functions
}

function take_word(text) { return substr(text, 1, index(text " ", " ") - 1) }

# The panel below: all functions.
function places(   f, i, medians) {
	for (f = 1; f <= functions; f++)
		layouts_of(f)
	write_range("_place", 1)
	for (f = 1; f <= functions; f++) {
		medians = place_medians(f)
		by_place = by_place " " names_of[f] ": " medians costly[f] \
			(f < functions ? ";" : ".")
		print comparisons + 1 "\t" substr(MARKS, f, 1) " " names_of[f] ": " \
			per_call(f) >"panels"
	}
	for (i = 1; i <= marks; i++)
		printf "%.5g %.5g\n", mark_low[i], mark_low[i] + GROUP / functions >"data"
	end_block(marks, "NaN NaN")
	print comparisons + 1 "\tup: percent of the median of the function" >"panels"
}

function per_call(f) { return sprintf("%.4g %s%s", median[f], time_unit, costly[f]) }

function panel_height() { return 139 + LINE_HEIGHT * label_lines }
function key_height() { return LINE_HEIGHT * name_lines * functions }

function finish(   i, f, below, remark) {
	add_verdicts()
	for (i = 1; i <= times["costly"]; i++)
		add_costly(raw_told["costly", i], line_of["costly", i])
	if (!comparisons && !placed) {
		nothing("Layouts of cpucycles-measure", \
			functions ? "There are no comparisons and no places of code." : \
			"There are no layouts.")
		return
	}
	array("label", comparisons)
	array("name", functions)
	array("low", comparisons)
	array("high", comparisons)
	array("step", comparisons)
	array("step_place", 1)
	array("last", comparisons)
	array("estimate", comparisons)
	array("lowest", comparisons)
	array("highest", comparisons)
	array("low_place", 1)
	array("high_place", 1)
	for (i = 1; i <= comparisons; i++)
		comparison(i)
	label_lines = name_lines
	name_lines = 0
	open_range()
	for (f = 1; f <= functions; f++) {
		find_median(f)
		value("name[" f "]", name_of(names_of[f], per_call(f), 50))
	}
	if (placed)
		places()
	remark = hidden ? hidden (hidden == 1 ? " dot lies" : " dots lie") " outside" : ""
	if (hidden)
		print "1\t" remark >"panels"
	number_value("comparisons", comparisons)
	number_value("functions", functions)
	number_value("placed", placed)
	number_value("processes", processes)
	number_value("right", larger(LINE - 8, last_place + 8))
	number_value("label_height", 9 + LINE_HEIGHT * label_lines)
	number_value("panel_height", panel_height())
	number_value("row_height", LINE_HEIGHT * name_lines)
	number_value("key_height", key_height())
	if (comparisons)
		below = (placed ? "above: " : "") "each " (processes > 1 ? "unit of " processes \
			" processes" : "process") " compared with " shorten_left(first, 100) \
			", with the estimate and its interval"
	if (placed)
		below = also(below, (comparisons ? "below: " : "") \
			"each layout, with the medians at each place" \
			(marks ? ", shaded where it is costly" : ""))
	texts("Time in each " (placed ? "layout" : "process"), also(below, remark), \
		verdicts(first) (comparisons && placed ? " " : "") \
		(placed ? "Medians by the place of the code in " LINE " bytes, as percent of the" \
		" median of all layouts:" by_place : "") \
		(marks ? " At a costly place, a function is shown to take more than 5 % longer" \
		" than at the others." : "") sentence(remark))
	size(HEAD + panel_height() * comparisons + (placed ? 330 + key_height() : 0), 16)
}
