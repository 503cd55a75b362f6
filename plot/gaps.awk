# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Gaps: for each CPU, when a program did not run, and how long. A dot is a gap. Dots that would lie
# on one another are one.

function begin() { kind = "gaps"; PANELS = 8; ACROSS = 400; PER_DECADE = 20 }
function columns() { fixed_columns("cpu seconds gap_ns") }

function row() {
	need_cpu($1, "cpu")
	need_number($2, "seconds")
	if (need_number($3, "gap_ns") <= 0)
		fail("expected a number above 0 as gap_ns")
	add_cpu($1)
	at[$1, ++n[$1]] = $2 + 0
	gap[$1, n[$1]] = $3 / 1000
	lost[$1] += $3 / 1e9
	longest[$1] = larger(longest[$1], $3 / 1000)
	take_in(log10($3 / 1000))
	first[$1] = n[$1] == 1 || $2 < first[$1] ? $2 + 0 : first[$1]
	last[$1] = larger(last[$1], $2 + 0)
}

function add_cpu(c) {
	if (!(c in index_of)) {
		index_of[c] = ++cpus
		cpu[cpus] = c
	}
}

# How long each CPU was looked at. One without gaps has no row.
function read_looked(   i, words) {
	for (i = 1; i <= times["looked"]; i++) {
		if (split(told["looked", i], words, " ") != 2 || !is_count(words[1]) || \
		    !is_number(words[2]) || words[2] < 0)
			fail("expected a CPU and seconds behind \"# looked\"", line_of["looked", i])
		add_cpu(words[1])
		looked[words[1]] = words[2]
	}
}

# A time in microseconds, for people.
function time_text(us) {
	return us < 1000 ? sprintf("%.3g us", us) : us < 1e6 ? sprintf("%.3g ms", us / 1000) : \
		sprintf("%.3g s", us / 1e6)
}

function cpu_text(c,   out) {
	out = "CPU " c ": " n[c] + 0 (n[c] == 1 ? " gap" : " gaps")
	if (looked[c] > 0)
		out = out sprintf(", %.3g %% of the time", 100 * lost[c] / looked[c])
	return n[c] ? out ", longest " time_text(longest[c]) : out
}

function write_dots(c,   i, cell, width) {
	width = (last[c] - first[c]) / ACROSS
	for (i = 1; i <= n[c]; i++) {
		cell = c " " (width > 0 ? int((at[c, i] - first[c]) / width) : 0) " " \
			floor(log10(gap[c, i]) * PER_DECADE)
		if (!(cell in drawn))
			print exact(at[c, i]), exact(log10(gap[c, i])) >"data"
		drawn[cell] = 1
	}
	print (n[c] ? "\n" : "NaN NaN\n\n") >"data"
}

function finish(   i, c, panels, more, said) {
	read_looked()
	if (!cpus) {
		nothing("Gaps", "No CPU was looked at.")
		return
	}
	panels = smaller(cpus, PANELS)
	more = cpus > panels ? "the other " cpus - panels " CPUs are not drawn" : ""
	if (from == "")
		take_in(0)
	from = floor(from)
	to = larger(ceil(to), from + 1)
	array("label", panels); array("first", panels); array("last", panels)
	for (i = 1; i <= panels; i++) {
		c = cpu[i]
		write_dots(c)
		value("label[" i "]", quote(cpu_text(c)))
		print i "\t" cpu_text(c) >"panels"
		number_value("first[" i "]", last[c] > first[c] ? first[c] + 0 : first[c] - 0.5)
		number_value("last[" i "]", last[c] > first[c] ? last[c] : first[c] + 0.5)
		said = said " " cpu_text(c) "."
	}
	number_value("panels", panels)
	number_value("low", from)
	number_value("high", to)
	value("ytics", log_tics(from, to, 0, "y"))
	texts("Gaps: when a busy program did not run", also("a dot is a gap", more), \
		"Length of each gap over the time, for each CPU." said sentence(more))
	caption("When a program that wants to run did not run, and how long. Dots in a row have" \
		" one cause: cpucycles-noise(7).")
	size(HEAD + 190 * panels + 8, 14)
}
