# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Skew: the counter on each CPU relative to each other CPU, as two maps: offsets and bounds.
# The maps of many CPUs have cells that cover several CPUs each.

function begin() { kind = "skew"; CELLS = 128 }
function columns() { fixed_columns("cpu other_cpu offset_ns bound_ns rounds") }

function row() {
	a[rows] = need_cpu($1, "cpu")
	b[rows] = need_cpu($2, "other_cpu")
	if (a[rows] >= b[rows])
		fail("expected cpu less than other_cpu")
	offset[rows] = need_number_or_unknown($3, "offset")
	bound[rows] = need_number_or_unknown($4, "bound")
	if ((offset[rows] == "unknown") != (bound[rows] == "unknown"))
		fail("expected offset and bound, or both unknown")
	if (bound[rows] != "unknown" && bound[rows] < 0)
		fail("expected a bound of at least 0")
	need_count($5, "rounds")
	if ((a[rows], b[rows]) in seen)
		fail("expected each pair of CPUs once")
	seen[a[rows], b[rows]] = 1
	add_cpu(a[rows])
	add_cpu(b[rows])
	measured += is_measured(rows)
}

function is_measured(i) { return offset[i] != "unknown" }

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
				printf "%d %d %s %.4g\n", x, y, signed(off_at[x, y] / scale, 4), \
					bound_at[x, y] / scale >"numbers"
	printf "\n" >"numbers"
}

# Some CPUs get a label: their numbers, and how many CPUs come before.
function tics(   i, step, count) {
	for (step = 1; step < n / (n > 99 ? 6 : 8); step *= 2)
		;
	array("tic_cpu", ceil(n / step)); array("tic_index", ceil(n / step))
	for (i = 1; i <= n; i += step) {
		number_value("tic_cpu[" ++count "]", cpus[i])
		number_value("tic_index[" count "]", i - 1)
	}
	number_value("tics", count)
}

# A terminal shows no map: for each CPU the largest possible skew to any other.
function worst_of_each(   i) {
	for (i = 1; i <= rows; i++) {
		if (!is_measured(i))
			continue
		far(a[i], abs(offset[i]) + bound[i])
		far(b[i], abs(offset[i]) + bound[i])
	}
	for (i = 1; i <= n; i++)
		if (cpus[i] in worst)
			printf "%d %.6g\n", i - 1, worst[cpus[i]] / scale >"data"
}

function in_use() { return "counter" in meta ? meta["counter"] : "the counter" }
function compared() { return "skew_counter" in meta ? meta["skew_counter"] : in_use() }

# The counter in use may run with the core, or at no known rate. Then another one is compared.
function comparison() {
	return compared() == in_use() ? "" : "compared: " shorten(compared(), 40) "; in use: " \
		shorten(in_use(), 40)
}

function not_measured(   pairs) {
	pairs = n * (n - 1) / 2
	if (measured == pairs)
		return ""
	return sprintf("not measured: %d of %d pairs", pairs - measured, pairs)
}

function say_caption(   pair) {
	pair = " A thread that moves to another CPU may see a jump of that size."
	if (comparison() != "")
		pair = " This is no jump that programs see: they get " in_use() ", but the one" \
			" compared is " compared() ", the best counter that runs beside the core" \
			" at a known rate."
	caption("How far the counters of two CPUs are apart." pair " Grey: not measured.")
}

function nothing_to_draw(   text) {
	text = "No pair of CPUs was measured."
	if (n)
		text = substr(sentence(not_measured()), 2) \
			" The machine was too busy, or the distance of two counters changed."
	else if (cpu_count == 1)
		text = "This machine has one CPU: there is nothing to compare."
	else if (compared() == "unknown")
		text = "No counter runs beside the core at a known rate: nothing was compared."
	nothing("Skew of the counter between CPUs", text)
}

function far(cpu, distance) {
	if (!(cpu in worst) || distance > worst[cpu])
		worst[cpu] = distance
}

function read_cpu_count() {
	if (!("cpus" in meta) || meta["cpus"] == "unknown")
		return
	if (!is_count(meta["cpus"]) || meta["cpus"] < 1)
		fail("expected a whole number of CPUs, or unknown, behind \"# cpus\"")
	cpu_count = meta["cpus"] + 0
}

function finish(   i, x, y, w, largest, most, summary) {
	read_cpu_count()
	say_caption()
	if (!measured) {
		nothing_to_draw()
		return
	}
	sort(cpus, n)
	for (i = 1; i <= n; i++)
		index_of[cpus[i]] = i - 1
	factor = ceil(n / CELLS)
	cells = ceil(n / factor)
	for (i = 1; i <= rows; i++) {
		if (!is_measured(i))
			continue
		x = int(index_of[a[i]] / factor)
		y = int(index_of[b[i]] / factor)
		put(x, y, offset[i], bound[i])
		if (x != y)
			put(y, x, -offset[i], bound[i])
		if (abs(offset[i]) > largest)
			largest = abs(offset[i])
		if (bound[i] > most)
			most = bound[i]
		if (!w || abs(offset[i]) + bound[i] > abs(offset[w]) + bound[w])
			w = i
	}
	if (factor == 1)
		for (i = 0; i < n; i++)
			off_at[i, i] = bound_at[i, i] = 0
	choose_unit(larger(largest, most))
	map(off_at)
	map(bound_at)
	numbers()
	worst_of_each()
	tics()
	number_value("cells", cells)
	number_value("few", cells <= 4)
	number_value("cpus", n)
	number_value("factor", factor)
	# An offset below the bound may be none at all, so it must not have a strong colour.
	number_value("largest", larger(largest, most) > 0 ? larger(largest, most) / scale : 1)
	number_value("most", most > 0 ? most / scale : 1)
	value("unit", quote(unit))
	value("remark", lines_of(also(comparison(), not_measured()), 60))
	summary = sprintf("at most %.4g %s, CPU %d to CPU %d", \
		(abs(offset[w]) + bound[w]) / scale, unit, a[w], b[w])
	texts("Skew of " shorten(compared(), 24) " between CPUs", also(also(also(comparison(), \
		summary "; " n (cpu_count > n ? " of " cpu_count : "") " CPUs"), \
		factor > 1 ? "a cell covers " factor " x " factor \
		" CPUs and shows the worst pair" : ""), \
		not_measured() == "" ? "" : not_measured() " (grey)"), \
		"Two maps of " n " by " n " CPUs: how far the counters of two CPUs are apart, and" \
		" the bound of the measurement. The largest offset and bound" \
		" together are " summary "." sentence(not_measured()) \
		sentence(comparison()))
	size(HEAD + 730, 22)
}
