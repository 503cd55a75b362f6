# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Frequency: for each kind of core its frequency over time, beside the rate of the counter.

function begin() { kind = "frequency"; LINES = 8 }
function columns() { fixed_columns("kind cpu seconds core_hz counter_hz") }

function row(   name) {
	if ($1 !~ /^[A-Za-z0-9][A-Za-z0-9 ._-]*$/ || length($1) > 40)
		fail("expected a name of letters, digits, spaces and -._ as kind")
	if ($2 != "unknown")
		need_cpu($2, "cpu")
	need_number($3, "seconds")
	need_number_or_unknown($4, "core_hz")
	need_number_or_unknown($5, "counter_hz")
	name = $1 "\t" $2
	if (!(name in index_of)) {
		if (++groups > LINES)
			fail("expected at most " LINES " kinds of core")
		index_of[name] = groups
		kinds[groups] = $1
		cpus[groups] = $2
	}
	name = index_of[name]
	at[name, ++readings[name]] = exact($3)
	core[name, readings[name]] = gigahertz($4)
	counter[name, readings[name]] = gigahertz($5)
	see($3 + 0, $4, name)
	see($3 + 0, $5, 0)
}

# Zero and less is no frequency.
function gigahertz(hz) { return hz == "unknown" || hz <= 0 ? "NaN" : sprintf("%.9g", hz / 1e9) }

# The readings of one kind. Where one is unknown, an empty line ends the line of gnuplot. A reading
# between unknown ones is also in the third column.
function write_line(g, ghz,   i, gap) {
	gap = 1
	for (i = 1; i <= readings[g]; i++)
		if (ghz[g, i] != "NaN") {
			print at[g, i], ghz[g, i], is_known(g, ghz, i - 1) || \
				is_known(g, ghz, i + 1) ? "NaN" : ghz[g, i] >"data"
			gap = 0
		} else if (!gap) {
			print "" >"data"
			gap = 1
		}
	# Two more end the block. One without data has a point that is not drawn.
	print (gap ? "NaN NaN NaN\n\n" : "\n") >"data"
}

function is_known(g, ghz, i) { return (g, i) in ghz && ghz[g, i] != "NaN" }

function see(seconds, hz, group) {
	if (last == "" || seconds > last)
		last = seconds
	if (first == "" || seconds < first)
		first = seconds
	if (hz == "unknown" || hz <= 0)
		return
	if (group) {
		sum[group] += hz
		n[group]++
	} else {
		counter_sum += hz
		counter_n++
	}
	stretch(hz / 1e9)
}

# Readings in which other processes had the CPU, of cores of which others are known.
function gaps(   g, unknown, all) {
	for (g = 1; g <= groups; g++)
		if (n[g]) {
			unknown += readings[g] - n[g]
			all += readings[g]
		}
	return unknown ? unknown " of " all " readings of the core unknown" : ""
}

function stretch(ghz) {
	if (low == "" || ghz < low)
		low = ghz
	if (ghz > high)
		high = ghz
}

function stated(key) {
	if (!(key in meta) || !is_number(meta[key]) || meta[key] <= 0) {
		if (key in meta && meta[key] != "unknown" && meta[key] != "0")
			fail("expected a number or \"unknown\" behind \"# " key "\"")
		value(key, "NaN")
		return 0
	}
	value(key, sprintf("%.9g", meta[key] / 1e9))
	stretch(meta[key] / 1e9)
	return 1
}

# How the frequency of the cores was measured: "none" says that there was no counter for it. A
# later "none" says that the counter was lost.
function witness() {
	if (!times["witness"])
		return ""
	if (told["witness", 1] == "none")
		return "core: by the time of instructions"
	return "core: counted by " shorten(told["witness", 1], 40) (times["witness"] == 1 ? "" : \
		", then by the time of instructions")
}

function not_measured() {
	return times["not_measured"] ? "not measured: " list("not_measured") : ""
}

function say_caption(has_rate, has_persecond,   beside) {
	beside = counter_n || has_rate ? "the rate of the counter in use" : ""
	if (has_persecond)
		beside = beside (beside == "" ? "" : " and ") "the persecond that programs get"
	caption("At which frequency busy cores run" (beside == "" ? "." : ", beside " beside "."))
}

function finish(   g, said, lines, name, has_rate, has_persecond) {
	has_persecond = stated("persecond_hz")
	has_rate = stated("rate_hz")
	say_caption(has_rate, has_persecond)
	if (!groups) {
		nothing("Frequency of the cores", \
			also("There are no readings of the frequency", not_measured()) ".")
		return
	}
	array("label", groups)
	for (g = 1; g <= groups; g++) {
		write_line(g, core)
		said = (cpus[g] == "unknown" ? "no fixed CPU" : "CPU " cpus[g]) \
			(n[g] ? sprintf(", mean %.4g GHz", sum[g] / n[g] / 1e9) : ", unknown")
		value("label[" g "]", quote("core: " (kinds[g] == "any" ? "" : \
			shorten_left(kinds[g], 45 - length(said)) ", ") said))
		all = all " core: " (kinds[g] == "any" ? "" : kinds[g] ", ") said ";"
	}
	for (g = 1; g <= groups; g++)
		write_line(g, counter)
	lines = groups + has_persecond + has_rate + (counter_n > 0)
	name = "counter" in meta ? shorten(meta["counter"], 24) : "the counter"
	value("counter_label", quote("rate of " name (counter_n ? \
		sprintf(", mean %.5g GHz", counter_sum / counter_n / 1e9) : "")))
	value("rate_label", quote(sprintf("stated rate of the counter, %.5g GHz", \
		meta["rate_hz"] / 1e9)))
	value("persecond_label", quote(sprintf("persecond, %.5g GHz", meta["persecond_hz"] / 1e9)))
	number_value("has_counter", counter_n > 0)
	if (low == "")
		low = high = 1
	number_value("low", low - (high - low) * 0.08 - high * 0.01)
	number_value("high", high + (high - low) * 0.08 + high * 0.01)
	number_value("groups", groups)
	number_value("first", last > first ? first : first - 0.5)
	number_value("last", last > first ? last : first + 0.5)
	number_value("key_height", 21 * lines)
	texts("Frequency of busy cores", also(also(also(shorten(machine(), 100), witness()), \
		not_measured()), gaps()), \
		"Frequencies in GHz over seconds:" all (counter_n ? sprintf( \
		" the counter in use runs at %.4g GHz.", counter_sum / counter_n / 1e9) : \
		" the rate of the counter is unknown.") sentence(witness()) \
		sentence(not_measured()) sentence(gaps()))
	size(HEAD + 330 + 21 * lines, 24)
}
