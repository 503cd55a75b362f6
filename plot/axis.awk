# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The range of an axis, and the numbers at it, as commands of gnuplot, which itself gives a log axis
# too few of them, or so many that they run into one another. All text in these commands is made of
# numbers.

# The numbers that have room side by side.
function fit() {
	return ENVIRON["PLOT_COLUMNS"] ? int(ENVIRON["PLOT_COLUMNS"] / 9) : 7
}

# A short text for a number: 1.5M.
function short(x,   i) {
	for (i = 1; abs(x) >= 999.95 && i < 6; i++)
		x /= 1000
	return sprintf("%.4g", x) (i > 1 ? substr("kMGTP", i - 1, 1) : "")
}

function axis_tics(axis, tic_list) {
	return "\"set " axis "tics (" tic_list ")\""
}

function tic(x, place) {
	return sprintf("'%s' %.6g", short(x), place)
}

# A log axis from and to these places, where a number x lies at log10(x). With a zero, x lies at
# log10(1 + x), and -x at the same place to the left. Labels are 1, 2 and 5 times a power of ten,
# or powers of ten, or each nth of them. Without an axis, they are those of x.
function log_tics(from, to, has_zero, axis,   step, digits, power, d, x, place, out) {
	step = ceil((to - from) / fit())
	digits = 3 * (to - from) <= fit() ? "125" : "1"
	for (power = has_zero ? 0 : -15; power <= 15; power++)
		for (d = 1; d <= length(digits) && power % step == 0; d++) {
			x = substr(digits, d, 1) * exp(power * log(10))
			place = log10(has_zero ? 1 + x : x)
			# 0 and 1 are close to one another.
			if (has_zero && power == 0 && to - from > 0.7 * fit())
				continue
			if (from <= place && place <= to)
				out = out ", " tic(x, place)
			if (has_zero && from <= -place && -place <= to)
				out = out ", " tic(-x, -place)
		}
	if (has_zero && from <= 0 && 0 <= to)
		out = out ", " tic(0, 0)
	return axis_tics(axis == "" ? "x" : axis, substr(out, 3))
}

# From 0 to the largest count.
function count_tics(most,   step, x, out) {
	step = round_step(most, 3)
	if (step < 1)
		step = 1
	for (x = 0; x <= most; x += step)
		out = out ", " tic(x, x)
	return axis_tics("y", substr(out, 3))
}

# A linear axis: gnuplot finds the places. Long numbers are fewer.
function linear_tics(from, to, least,   step, chars, n) {
	n = fit() - 1
	step = round_step(to - from, n)
	chars = characters(step * floor(to / step))
	if (characters(step * (floor(to / step) - 1)) > chars)
		chars = characters(step * (floor(to / step) - 1))
	if (n > int(6 * fit() / (chars + 2)))
		n = int(6 * fit() / (chars + 2))
	step = round_step(to - from, n < 1 ? 1 : n)
	return sprintf("\"set xtics autofreq %.9g format '%%%s'\"", step < least ? least : step, \
		tic_format(to))
}

# More digits would show how inexact the places are.
function tic_format(x) { return abs(x) < 1e11 ? ".12g" : ".15g" }
function characters(x) { return length(sprintf("%" tic_format(x), x)) }

# The range of an axis: it is opened, takes in numbers, and is written as low and high, with the
# step of the numbers at it.
function open_range() { from = to = "" }

function take_in(x) {
	if (from == "" || x < from)
		from = x
	if (to == "" || x > to)
		to = x
}

function take_in_view(sorted, count) {
	set_view(sorted, count)
	take_in(view_low)
	take_in(view_high)
}

# How far an axis goes on behind its first and its last number.
function margin(   room) {
	room = larger((to - from) * 0.06, (abs(from) + abs(to)) * 1e-6)
	return room ? room : 1
}

function is_outside(x) { return x < from - margin() || x > to + margin() }

function write_range(name, i,   room) {
	room = margin()
	number_value("low" name "[" i "]", from - room)
	number_value("high" name "[" i "]", to + room)
	number_value("step" name "[" i "]", round_step(to - from + 2 * room, name == "" ? 4 : 8))
}
