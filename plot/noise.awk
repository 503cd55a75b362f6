# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Noise: for each counter a histogram of the differences of adjacent counts. The bars are made here.

function begin() { kind = "noise"; BARS = 72 }
function columns() {
	fixed_columns("counter class precision_cycles difference_cycles occurrences")
}

function row(   name) {
	name = need_name($1, "counter")
	need_name($2, "class")
	need_number_or_unknown($3, "precision")
	need_number($4, "difference")
	need_count($5, "occurrences")
	if (!(name in index_of)) {
		index_of[name] = ++counters
		names[counters] = name
		class[counters] = $2
		precision[counters] = $3
	}
	difference[index_of[name], ++n[index_of[name]]] = $4 + 0
	occurrences[index_of[name], n[index_of[name]]] = $5 + 0
}

# A scale that has room for 0, and below it, and goes on in powers of ten.
function place_of(x, logarithmic) {
	if (!logarithmic)
		return x
	return x < 0 ? -log10(1 - x) : log10(1 + x)
}

# The difference that half of the samples do not exceed.
function median(c,   i, all, sum) {
	for (i = 1; i <= n[c]; i++)
		all += occurrences[c, i]
	for (i = 1; i <= n[c]; i++) {
		sum += occurrences[c, i]
		if (2 * sum >= all)
			break
	}
	return difference[c, i > n[c] ? n[c] : i]
}

# The name and the class are shortened, so that the whole has room in a panel.
function panel_title(c,   rest) {
	rest = " (" shorten(class[c], 14) "): precision " precision_text(c)
	return shorten(names[c], 55 - length(rest)) rest
}

# A counter beside the core has ticks of its own. The counts of clocks are scaled to cycles.
function unit(c) { return class[c] == "off-core" ? "ticks" : "cycles" }

function precision_text(c) {
	return precision[c] == "unknown" ? "unknown" : exact(precision[c])
}

function counter(c,   i, low, high, logarithmic, from, to, bar, width, most, least) {
	low = high = difference[c, 1]
	for (i = 2; i <= n[c]; i++) {
		if (difference[c, i] < low)
			low = difference[c, i]
		if (difference[c, i] > high)
			high = difference[c, i]
	}
	if (precision[c] != "unknown" && precision[c] > high)
		high = precision[c] + 0
	if (precision[c] != "unknown" && precision[c] < low)
		low = precision[c] + 0
	logarithmic = high > 4 * abs(median(c)) + 20 || (low > 0 && high > 50 * low)
	from = place_of(low, logarithmic)
	to = place_of(high, logarithmic)
	# Small whole numbers get a bar each.
	width = (to - from) / BARS
	if (!logarithmic && width < 1)
		width = 1
	if (width <= 0)
		width = 1
	for (i = 1; i <= n[c]; i++) {
		bar = int((place_of(difference[c, i], logarithmic) - from) / width + 0.5)
		count[c, bar] += occurrences[c, i]
	}
	least = most = 0
	for (bar = 0; bar <= BARS + 1; bar++)
		if (count[c, bar] > 0) {
			printf (logarithmic ? "%.9g %.9g %d\n" : "%.16g %.16g %d\n"), \
				from + (bar - 0.5) * width, from + (bar + 0.5) * width, \
				count[c, bar] >"data"
			if (count[c, bar] > most)
				most = count[c, bar]
			if (!least || count[c, bar] < least)
				least = count[c, bar]
		}
	printf "\n\n" >"data"
	if (!most)
		most = least = 1
	value("label[" c "]", quote(panel_title(c)))
	print c "\t" names[c] " (" class[c] "): precision " precision_text(c) >"panels"
	value("mark[" c "]", precision[c] == "unknown" ? "NaN" : \
		exact(place_of(precision[c], logarithmic)))
	number_value("logarithmic[" c "]", logarithmic)
	from -= (to - from) * 0.02 + width
	to += (to - from) * 0.02 + width
	number_value("from[" c "]", from)
	number_value("to[" c "]", to)
	value("xtics[" c "]", logarithmic ? log_tics(from, to, 1) : linear_tics(from, to, 1))
	value("unit[" c "]", quote(unit(c)))
	value("ytics[" c "]", count_tics(most))
	number_value("most[" c "]", most)
	number_value("steep[" c "]", most > 20 * least)
}

function finish(   c, said) {
	if (!counters) {
		nothing("Noise of the counters", "There are no samples of a usable counter.")
		return
	}
	array("label", counters); array("mark", counters); array("logarithmic", counters)
	array("from", counters); array("to", counters); array("most", counters)
	array("steep", counters); array("unit", counters)
	array("xtics", counters); array("ytics", counters)
	for (c = 1; c <= counters; c++) {
		counter(c)
		said = said " " names[c] ": usually " median(c) " " unit(c) ", precision " \
			precision[c] (c < counters ? ";" : ".")
	}
	number_value("panels", counters)
	texts("Noise: differences of adjacent counts", \
		"bars: how often; dashed line: the precision by the library's rule", \
		"One histogram for each of " counters " counters." said)
	size(HEAD + 176 * counters + 8, 12)
}
