# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Samples: what cpucycles-measure --raw wrote. Histograms of the functions over one another, and
# below them the medians with their intervals, and the verdicts in words. A panel has as many
# functions as there are colours.

function begin() {
	BARS = 60
	FUNCTIONS = 24
	COLOURS = 7
	MARKS = "*#$%@&="
	writer = "cpucycles-measure --raw=FILE FUNCTION..."
}

function columns(   names) {
	WANTED = 4
	if (split($0, names, "\t") != 4 || names[1] != "process" || names[2] != "round" || \
		names[3] != "function" || names[4] !~ /^[a-z]+_per_call$/)
		fail("expected the columns process round function UNIT_per_call")
	unit = names[4]
	sub(/_per_call/, "", unit)
}

function row(   f) {
	need_count($1, "process")
	need_count($2, "round")
	need_number($4, "time")
	if ($3 == "" || length($3) > 4096)
		fail("expected the name of a function")
	if (!(($3, "") in index_of)) {
		if (++functions > FUNCTIONS)
			fail("expected at most " FUNCTIONS " functions")
		index_of[$3, ""] = functions
		names_of[functions] = clean($3)
	}
	f = index_of[$3, ""]
	sample[f, ++n[f]] = $4 + 0
}

# The rank k for which the median lies between the k-th sample from below and the k-th from above,
# in 95 of 100 runs at least: as seldom as 5 times in 100, so many coins or fewer show heads. The
# largest such k, or 0 if there are too few samples. The chances are summed as logarithms.
function median_rank(n,   k, term, sum) {
	term = sum = -n * log(2)
	for (k = 0; k < (n + 1) / 2 && sum <= log(0.025); k++) {
		term += log((n - k) / (k + 1))
		sum = larger(sum, term) + log(1 + exp(-abs(sum - term)))
	}
	return k
}

function function_figures(f,   i, k, sorted) {
	for (i = 1; i <= n[f]; i++)
		sorted[i] = sample[f, i]
	sort(sorted, n[f])
	median[f] = (sorted[int((n[f] + 1) / 2)] + sorted[int(n[f] / 2) + 1]) / 2
	k = median_rank(n[f])
	has_interval[f] = k > 0
	median_low[f] = k ? sorted[k] : median[f]
	median_high[f] = k ? sorted[n[f] + 1 - k] : median[f]
	set_view(sorted, n[f])
	widen(view_low, view_high)
}

function widen(from, to) {
	if (low == "" || from < low)
		low = from
	if (high == "" || to > high)
		high = to
}

function choose_range() {
	logarithmic = low > 0 && high > 30 * low
	# Samples that are large and nearly equal have more digits than numbers at an axis.
	if (!logarithmic && high > low && high - low < 1e-10 * larger(abs(low), abs(high)))
		base = floor(low)
	from = place_of(low)
	to = place_of(high)
	if (to <= from) {
		from -= logarithmic || from == 0 ? 0.5 : abs(from) * 0.01
		to += logarithmic || to == 0 ? 0.5 : abs(to) * 0.01
	}
	width = (to - from) / BARS
}

function place_of(x) { return !logarithmic ? x - base : x > 0 ? log10(x) : from - 1 }

function histogram(f,   i, bar, count) {
	for (i = 1; i <= n[f]; i++) {
		bar = int((place_of(sample[f, i]) - from) / width + 1) - 1
		if (bar == BARS)
			bar--
		if (bar < 0 || bar > BARS || place_of(sample[f, i]) < from) {
			outside++
			continue
		}
		count[bar]++
	}
	print_bars(count, BARS, n[f], from, width)
}

# So many digits that different samples in view look different.
function digits(   n) {
	n = high > low ? int(log10(larger(abs(low), abs(high)) / (high - low))) + 3 : 15
	return n < 5 ? 5 : n > 16 ? 16 : n
}

# The median and its interval.
function result(f,   number, text) {
	number = "%." digits() "g"
	text = sprintf(number, median[f])
	if (has_interval[f])
		return text sprintf(" (" number " to " number ")", median_low[f], median_high[f])
	return text " (no interval)"
}

# What the lines of the histograms and the medians stand for. A terminal draws the n-th line of a
# panel by the n-th mark.
function legend(f,   said) {
	if (f in verdict)
		said = verdict_of(f)
	else if (f == 1 && comparisons)
		said = "verdicts: how many percent longer than this one"
	value("label[" f "]", name_of(names_of[f], result(f), 50, said))
	print int((f - 1) / per_panel) + 1 "\t" \
		substr(MARKS, (f - 1) % per_panel + 1, 1) " " names_of[f] ": " \
		also(result(f), said) >"panels"
}

function finish(   f, said, all, out_of_view) {
	add_verdicts()
	if (!functions) {
		nothing("Samples of cpucycles-measure", "There are no samples.")
		return
	}
	for (f = 1; f <= functions; f++)
		function_figures(f)
	choose_range()
	panels = ceil(functions / COLOURS)
	per_panel = ceil(functions / panels)
	array("label", functions)
	for (f = 1; f <= functions; f++) {
		histogram(f)
		legend(f)
		said = said " " names_of[f] ": " result(f) (f < functions ? ";" : ".")
		all += n[f]
	}
	for (f = 1; f <= functions; f++)
		print (f - 1) % per_panel + 1, exact(place_of(median[f])), \
			exact(place_of(median_low[f])), exact(place_of(median_high[f])) >"data"
	number_value("functions", functions)
	number_value("logarithmic", logarithmic)
	number_value("from", from - width)
	number_value("to", to + width)
	value("xtics", logarithmic ? log_tics(from - width, to + width) : \
		linear_tics(from, to, 0))
	value("unit", quote(unit))
	value("beyond", quote(base ? ", less " exact(base) : ""))
	if (comparisons)
		caption("How long a call takes, in many samples. The verdicts say which functions" \
			" differ from the first one.")
	out_of_view = outside ? outside " of " all " samples lie outside" : ""
	if (outside)
		print "1\t" out_of_view >"panels"
	texts("Time of a call", also("below: medians, each with the interval that holds the true" \
		" one in 95 of 100 runs (order statistics)", out_of_view), \
		"Histograms of " functions " functions, in " unit " per call. Medians with" \
		" intervals of 95 percent:" said (comparisons ? " " : "") verdicts(names_of[1]))
	number_value("panels", panels)
	number_value("per_panel", per_panel)
	number_value("row_height", 21 + LINE_HEIGHT * name_lines)
	size(HEAD + 378 * panels + (21 + LINE_HEIGHT * name_lines) * functions, 16 + per_panel)
}
