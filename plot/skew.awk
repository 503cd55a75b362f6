# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Skew: the counter on each CPU relative to each other CPU, as two maps: offsets and bounds.
# The maps of many CPUs have cells that cover several CPUs each.

function begin() { kind = "skew"; CELLS = 128 }
function columns() { fixed_columns("cpu other_cpu offset_ns bound_ns rounds") }

function row() {
	a[rows] = need_count($1, "cpu")
	b[rows] = need_count($2, "other_cpu")
	if (a[rows] >= b[rows])
		fail("expected cpu less than other_cpu")
	offset[rows] = need_number($3, "offset")
	bound[rows] = need_number($4, "bound")
	if (bound[rows] < 0)
		fail("expected a bound of at least 0")
	need_count($5, "rounds")
	if ((a[rows], b[rows]) in seen)
		fail("expected each pair of CPUs once")
	seen[a[rows], b[rows]] = 1
	add_cpu(a[rows])
	add_cpu(b[rows])
}

function add_cpu(cpu) {
	if (!(cpu in known)) {
		known[cpu] = 1
		cpus[++n] = cpu
	}
}

# The unit in which the largest value has at most four digits.
function choose_unit(largest) {
	scale = 1; unit = "ns"
	if (largest >= 1e4) { scale = 1e3; unit = "us" }
	if (largest >= 1e7) { scale = 1e6; unit = "ms" }
	if (largest >= 1e10) { scale = 1e9; unit = "s" }
}

# The cell (x, y) shows the worst of its pairs.
function put(x, y, off, bou) {
	if (!((x, y) in off_at) || abs(off) + bou > abs(off_at[x, y]) + bound_at[x, y]) {
		off_at[x, y] = off
		bound_at[x, y] = bou
	}
}

function map(values,   x, y) {
	for (y = 0; y < cells; y++)
		for (x = 0; x < cells; x++)
			printf "%s%s", ((x, y) in values) ? \
				sprintf("%.6g", values[x, y] / scale) : "NaN", \
				x < cells - 1 ? " " : "\n" >"data"
	printf "\n\n" >"data"
}

# The numbers in the cells of few CPUs.
function numbers(   x, y) {
	for (y = 0; y < cells; y++)
		for (x = 0; x < cells; x++)
			if (x != y && (x, y) in off_at)
				printf "%d %d %+.4g %.4g\n", x, y, off_at[x, y] / scale, \
					bound_at[x, y] / scale >"numbers"
	printf "\n" >"numbers"
}

function tics(   i, step, out) {
	for (step = 1; step < n / (n > 99 ? 6 : 8); step *= 2)
		;
	for (i = 1; i <= n; i += step)
		out = out (out == "" ? "" : ", ") sprintf("'%d' %.4f", cpus[i], (i - 1) / factor - \
			(factor - 1) / 2 / factor)
	printf "set xtics (%s)\nset ytics (%s)\n", out, out >"values.gp"
}

# A terminal shows no map: for each CPU the largest possible skew to any other.
function worst_of_each(   i) {
	for (i = 1; i <= rows; i++) {
		far(a[i], abs(offset[i]) + bound[i])
		far(b[i], abs(offset[i]) + bound[i])
	}
	for (i = 1; i <= n; i++)
		printf "%d %.6g\n", i - 1, worst[cpus[i]] / scale >"data"
}

# The counter in use, or another one if that one cannot be compared between CPUs.
function counter() {
	return shorten("skew_counter" in meta ? meta["skew_counter"] : \
		"counter" in meta ? meta["counter"] : "the counter", 24)
}

function far(cpu, distance) {
	if (distance > worst[cpu])
		worst[cpu] = distance
}

function finish(   i, x, y, w, largest, most, summary) {
	if ("cpus" in meta && (!is_count(meta["cpus"]) || meta["cpus"] < 1))
		fail("expected a whole number of CPUs behind \"# cpus\"")
	if (!n) {
		nothing("Skew of the counter between CPUs", meta["cpus"] == 1 ? \
			"This machine has one CPU: there is nothing to compare." : \
			"No pair of CPUs was measured.")
		return
	}
	sort(cpus, n)
	for (i = 1; i <= n; i++)
		index_of[cpus[i]] = i - 1
	factor = ceil(n / CELLS)
	cells = ceil(n / factor)
	w = 1
	for (i = 1; i <= rows; i++) {
		x = int(index_of[a[i]] / factor)
		y = int(index_of[b[i]] / factor)
		put(x, y, offset[i], bound[i])
		if (x != y)
			put(y, x, -offset[i], bound[i])
		if (abs(offset[i]) > largest)
			largest = abs(offset[i])
		if (bound[i] > most)
			most = bound[i]
		if (abs(offset[i]) + bound[i] > abs(offset[w]) + bound[w])
			w = i
	}
	if (factor == 1)
		for (i = 0; i < n; i++)
			off_at[i, i] = bound_at[i, i] = 0
	choose_unit(largest > most ? largest : most)
	map(off_at)
	map(bound_at)
	numbers()
	worst_of_each()
	tics()
	number_value("cells", cells)
	number_value("few", cells <= 4)
	number_value("largest", largest > 0 ? largest / scale : 1)
	number_value("most", most > 0 ? most / scale : 1)
	value("unit", quote(unit))
	summary = sprintf("at most %.4g %s, CPU %d to CPU %d", \
		(abs(offset[w]) + bound[w]) / scale, unit, a[w], b[w])
	texts("Skew of " counter() \
		" between CPUs", summary "; " n \
		(meta["cpus"] > n ? " of " meta["cpus"] : "") " CPUs" \
		(factor > 1 ? "; a cell covers " factor " x " factor \
		" CPUs and shows the worst pair" : ""), \
		"Two maps of " n " by " n " CPUs: how far the counters of two CPUs are apart, and" \
		" the bound of the measurement. The largest offset and bound" \
		" together are " summary ".")
	size(HEAD + 730, 22)
}
