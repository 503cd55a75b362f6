# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Leak: what cpucycles-measure --leak --raw wrote. Histograms of both groups' times over one
# another, and below them how much more group 1 takes at each decile, with its interval. All times
# with the same figure are one entry: a counter has few figures.

function begin() {
	BARS = 60
	DECILES = 9
	PART = 0.005 # of the times of both groups, at each end: no bar is made for these alone
	MARKS = "*#"
	own_line = "# cpucycles-measure-leak 1"
	writer = "cpucycles-measure --leak --raw=FILE FILE:FUNCTION"
}

# The text behind a key that has to be there once.
function only(key, what) {
	if (times[key] != 1)
		fail("expected one line \"# " key "<tab>" what "\" before")
	return raw_told[key, 1]
}

# The words of a line of a decile or of the tail: percent, group 0, difference, low and high.
# Without an interval, nothing is known of the difference.
function read_place(i, percent, text, line,   words, k) {
	if (split(text, words, " ") != 5 || words[1] != percent "")
		fail("expected " percent " and four numbers, or unknown", line)
	for (k = 2; k <= 5; k++)
		if (words[k] != "unknown" && !is_number(words[k]))
			fail("expected " percent " and four numbers, or unknown", line)
	group0[i] = words[2]
	difference[i] = words[3]
	lowest[i] = words[4]
	highest[i] = words[5]
	is_known[i] = text !~ /unknown/
	if (is_known[i] && !(words[4] + 0 <= words[3] + 0 && words[3] + 0 <= words[5] + 0))
		fail("expected a difference within its interval", line)
}

function columns(   i) {
	name = only("function", "name")
	if (name == "" || length(name) > 4096)
		fail("expected the name of a function", line_of["function", 1])
	name = clean(name)
	unit = only("unit", "unit")
	if (unit !~ /^[a-z]+$/ || length(unit) > 40)
		fail("expected a word in small letters as unit", line_of["unit", 1])
	step = only("step", "number")
	if (!is_number(step) || step <= 0)
		fail("expected a number above 0 as step", line_of["step", 1])
	found = only("verdict", "text")
	if (found !~ /^(leaks|cannot tell|no verdict)$/ && \
		!(found ~ /^no difference above / && is_number(substr(found, 21)) && \
		substr(found, 21) > 0))
		fail("expected leaks, no difference above a number, cannot tell or no verdict", \
			line_of["verdict", 1])
	if (found ~ /above/)
		found = sprintf("no difference above %.4g %s", substr(found, 21), unit)
	if (times["decile"] != DECILES)
		fail("expected lines \"# decile<tab>numbers\" for 10, 20 and so on to 90 before")
	for (i = 1; i <= DECILES; i++)
		read_place(i, 10 * i, raw_told["decile", i], line_of["decile", i])
	read_place(DECILES + 1, 99, only("tail", "numbers"), line_of["tail", 1])
	if (is_known[i] && (group0[i] < 0 || group0[i] > 1 || abs(difference[i]) > 1))
		fail("expected parts of 1 as the shares of the tail", line_of["tail", 1])
	read_counts(only("times", "numbers"), line_of["times", 1])
	fixed_columns("group " unit)
}

# How many times each group has: a file that was cut off has fewer.
function read_counts(text, line,   words, group) {
	if (split(text, words, " ") != 2 || !is_count(words[1]) || !is_count(words[2]))
		fail("expected two whole numbers of times", line)
	for (group = 0; group <= 1; group++)
		stated[group] = words[group + 1] + 0
}

function check_counts(   group) {
	for (group = 0; group <= 1; group++)
		if (total[group] + 0 != stated[group])
			fail("expected " stated[group] " times of group " group ", but there are " \
				total[group] + 0, line_of["times", 1])
}

function row(   key) {
	if ($1 != "0" && $1 != "1")
		fail("expected 0 or 1 as group")
	key = exact(need_number($2, "time"))
	if (!(key in entries)) {
		entries[key]
		values[++n] = key + 0
	}
	count_of[$1, key]++
	total[$1 + 0]++
}

# The times in view are those between the quantiles of PART and 1 - PART of both groups together.
function choose_view(   i, cut, below, both) {
	sort(values, n)
	both = total[0] + total[1]
	cut = int(PART * both)
	for (i = 1; i <= n; i++) {
		if (below <= cut)
			view_low = values[i]
		if (below < both - cut)
			view_high = values[i]
		below += count_of[0, exact(values[i])] + count_of[1, exact(values[i])]
	}
}

# A bar is a whole number of the counter's steps wide, so that each has as many of its figures. The
# least width is for a step that is lost in large numbers.
function choose_bars(   range) {
	step = larger(step, 1e-9 * larger(abs(view_low), abs(view_high)))
	range = view_high - view_low
	width = step * larger(1, ceil(range / BARS / step))
	start = view_low - step / 2
	bars = floor((view_high - start) / width) + 1
}

function histogram(group,   i, bar, times_of, count) {
	if (!total[group]) {
		print "NaN NaN\n\n" >"data"
		return
	}
	for (i = 1; i <= n; i++) {
		times_of = count_of[group, exact(values[i])]
		bar = floor((values[i] - start) / width)
		if (bar < 0 || bar >= bars)
			outside[group] += times_of
		else
			count[bar] += times_of
	}
	print_bars(count, bars, total[group], start, width)
}

function percent(x, digits) { return sprintf("%." digits "g %%", 100 * x) }

function group_text(group) {
	if (!total[group])
		return "no times"
	return total[group] (total[group] == 1 ? " time" : " times") (outside[group] ? ", " \
		percent(outside[group] / total[group], 2) " of them outside" : "")
}

function legend(group) {
	value("name[" group + 1 "]", name_of("group " group, group_text(group), 50))
	print "1\t" substr(MARKS, group + 1, 1) " group " group ": " group_text(group) >"panels"
}

function interval(i, scale, what) {
	return signed(scale * difference[i], 3) " " what " (" signed(scale * lowest[i], 3) \
		" to " signed(scale * highest[i], 3) ")"
}

function tail_text(   i) {
	i = DECILES + 1
	return "above the quantile of 99 %: " (is_known[i] ? percent(group0[i], 3) \
		" of the calls of group 0, difference " interval(i, 100, "%") : "unknown")
}

# The panel of differences, and the same in words.
function differences(   i, ends, k, said) {
	open_range()
	take_in(0)
	for (i = 1; i <= DECILES; i++) {
		said = said (i > 1 ? ", " : " ") (is_known[i] ? interval(i, 1, unit) : "unknown") \
			" at " 10 * i " %"
		if (!is_known[i]) {
			print "NaN NaN NaN NaN" >"data"
			continue
		}
		print 10 * i, exact(difference[i]), exact(lowest[i]), exact(highest[i]) >"data"
		take_in(difference[i] + 0)
		ends[++k] = lowest[i] + 0
		ends[++k] = highest[i] + 0
	}
	if (k) {
		sort(ends, k)
		take_in_view(ends, k)
	}
	intervals = k / 2
	write_range("", 1)
	return said
}

# What both axes of the panel of times and the texts around the panels are made of.
function write_values(   left, right) {
	left = start - width / 2
	right = start + (bars + 0.5) * width
	number_value("from", left)
	number_value("to", right)
	value("xtics", linear_tics(left, right, 0))
	value("unit", quote(unit))
	value("tail", lines_of(tail_text(), 52))
	tail_height = 9 + LINE_HEIGHT * line_count(lines_of(tail_text(), 52))
	key_height = 2 * LINE_HEIGHT * name_lines
	number_value("row_height", LINE_HEIGHT * name_lines)
	number_value("key_height", key_height)
	number_value("tail_height", tail_height)
}

function finish(   title, group, remark, said, shown) {
	check_counts()
	if (failed)
		return
	title = shorten_left(name, 200) ": " found
	if (!rows) {
		nothing(title, "There are no times.")
		return
	}
	array("name", 2)
	array("low", 1)
	array("high", 1)
	array("step", 1)
	choose_view()
	choose_bars()
	for (group = 0; group <= 1; group++) {
		histogram(group)
		legend(group)
	}
	if (found == "no verdict")
		remark = "equal inputs differ: the harness or the machine is at fault"
	if (remark)
		print "1\t" remark >"panels"
	print "1\tup: calls (%)" >"panels"
	said = differences()
	shown = intervals ? ", with its interval" : ", but there were too few calls"
	print "2\tup: how many " unit " more group 1 takes" shown >"panels"
	print "3\t" tail_text() >"panels"
	write_values()
	caption("Whether the time of a function depends on its input, from the times of calls" \
		" with inputs of two groups. The title is the verdict, which is made of all" \
		" deciles and the slow calls together: one interval without 0 is no verdict.")
	texts(title, also(also(remark, "above: the times of calls with inputs of both groups"), \
		"below: group 1 less group 0 at each decile" shown), \
		"Histograms of the times of calls, in " unit ". Group 0: " group_text(0) \
		". Group 1: " group_text(1) ". How much more group 1 takes:" said "." \
		sentence(tail_text()) sentence(remark))
	size(HEAD + 298 + key_height + 240 + tail_height, 16)
}
