# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Drift: for each counter how far its rate is from the rate that is stated: by the cache, or
# without one by the library, which states no bound. Where nobody states one, it is the counter's
# own rate in its first row.

function begin() { kind = "drift" }
function columns() { fixed_columns("counter seconds residual_ppm bound_ppm") }

function row(   name, c) {
	name = need_name($1, "counter")
	need_number($2, "seconds")
	need_number_or_unknown($3, "residual")
	need_number_or_unknown($4, "bound")
	if ($4 != "unknown" && $4 < 0)
		fail("expected a bound of at least 0")
	if (!(name in index_of)) {
		index_of[name] = ++counters
		names[counters] = name
		bound[counters] = $4
	}
	if ($3 == "unknown")
		return
	c = index_of[name]
	seconds[c, ++n[c]] = $2 + 0
	residual[c, n[c]] = $3 + 0
	if ($2 > last)
		last = $2 + 0
	if (first == "" || $2 < first)
		first = $2 + 0
}

# Half the height of a panel. The band is always seen as a whole, because the question is whether
# the curve stays in it. The first readings of a short time may lie far away. They shall not hide
# the others. The last tenth of the readings is the best known: it is always seen.
function reach(c,   i, sizes, most) {
	for (i = 1; i <= n[c]; i++)
		sizes[i] = abs(residual[c, i])
	# Gawk 5.2 stops at an array that was passed on without an element.
	if (n[c]) {
		sort(sizes, n[c])
		most = sizes[ceil(n[c] * 0.9)]
	}
	for (i = n[c] - int((n[c] + 9) / 10) + 1; i <= n[c]; i++)
		if (abs(residual[c, i]) > most)
			most = abs(residual[c, i])
	if (bound[c] != "unknown" && bound[c] > most)
		most = bound[c] + 0
	return most > 0 ? most * 1.25 : 1
}

function counter(c,   i, high, outside, text) {
	high = reach(c)
	for (i = 1; i <= n[c]; i++) {
		print exact(seconds[c, i]), exact(residual[c, i]) >"data"
		outside += abs(residual[c, i]) > high
	}
	if (!n[c])
		printf "NaN NaN\n" >"data"
	printf "\n\n" >"data"
	number_value("reach[" c "]", high)
	number_value("step[" c "]", round_step(2 * high, 4))
	value("bound[" c "]", bound[c] == "unknown" ? "NaN" : sprintf("%.9g", bound[c]))
	text = n[c] ? "last " signed(residual[c, n[c]], 3) " ppm" : "no stated rate"
	if (is_own(names[c]))
		text = text " from its first rate"
	if (bound[c] != "unknown")
		text = text ", bound " sprintf("%.3g", bound[c])
	if (outside)
		text = text ", " outside " out of view"
	value("label[" c "]", name_of(names[c] in_use(names[c]), text, \
		ENVIRON["PLOT_COLUMNS"] ? ENVIRON["PLOT_COLUMNS"] : 55))
	return names[c] in_use(names[c]) ": " text
}

function in_use(name) { return machine_counter() == name ? " (in use)" : "" }
function machine_counter() { return "counter" in meta ? meta["counter"] : "" }

function is_own(name) { return ("own_rate", name) in repeated }

# The counters of a key, as a text.
function named(key,   i, out) {
	for (i = 1; i <= times[key] && i <= LISTED; i++)
		out = out (i > 1 ? ", " : "") shorten(told[key, i], 40) in_use(told[key, i])
	return out
}

# The counters that have no curve, because nobody states a rate to hold them against.
function without_rate() { return named("without_rate") }

function say_caption(bounded) {
	caption("Whether each counter keeps the rate that " (counters && bounded == counters ? \
		"the calibration cache states. The band is the stated bound of the error." : \
		bounded ? "the calibration cache states, with the bound of its error as a band. A" \
		" counter without a band is held against the rate that the library tells." : \
		"the library tells. No cache states a bound of the error, so there is no band.") \
		(times["own_rate"] ? " No rate is stated of " named("own_rate") ": the curve" \
		" shows how far it moves from its rate in the first tenth of a second." : "") \
		(without_rate() == "" ? "" : " No rate is stated of " without_rate() "."))
}

function finish(   c, said, bounded, missing) {
	for (c = 1; c <= counters; c++)
		bounded += bound[c] != "unknown"
	say_caption(bounded)
	if (without_rate() != "")
		missing = "no stated rate, so no curve: " without_rate()
	if (!counters) {
		nothing("Drift of the counters", also("There are no readings of a counter", \
			missing) ".")
		return
	}
	array("label", counters); array("bound", counters); array("reach", counters)
	array("step", counters)
	for (c = 1; c <= counters; c++)
		said = said " " counter(c) (c < counters ? ";" : ".")
	number_value("panels", counters)
	number_value("label_height", 9 + LINE_HEIGHT * name_lines)
	number_value("first", last > first ? first : first - 0.5)
	number_value("last", last > first ? last : first + 0.5)
	number_value("time_step", round_step(last > first ? last - first : 1, 6))
	texts("Drift from the stated rate", also(also( \
		"line: mean rate since second 0, against CLOCK_MONOTONIC_RAW", \
		bounded ? "band: the stated bound" : "no bound is stated"), missing), \
		"One curve for each of " counters " counters, in ppm over seconds." said \
		(missing == "" ? "" : " There is no stated rate, so no curve, of " \
		without_rate() "."))
	size(HEAD + (151 + LINE_HEIGHT * name_lines) * counters + 14, \
		(12 + name_lines) * counters + 3)
}
