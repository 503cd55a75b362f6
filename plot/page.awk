# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Prints one page of HTML that needs nothing else: no script, no font, no other file. Each kind of
# PLOT_KINDS has a folder with the parts that its picture was made with. A report has info.txt too,
# the output of cpucycles-info --cache --probe. Lines of it that are not known here are left out.

function print_file(file,   line) {
	while ((getline line <file) > 0)
		print line
	close(file)
}

function read_meta(kind,   line, at) {
	while ((getline line <(kind "/meta")) > 0) {
		at = index(line, "\t")
		if (at)
			meta[kind, substr(line, 1, at - 1)] = substr(line, at + 1)
	}
	close(kind "/meta")
}

# What the first file says that knows it.
function known(key,   i) {
	for (i = 1; i <= kinds; i++)
		if ((kind[i], key) in meta)
			return meta[kind[i], key]
	return "unknown"
}

function same_everywhere(key,   i) {
	for (i = 1; i <= kinds; i++)
		if ((kind[i], key) in meta && meta[kind[i], key] != known(key))
			return 0
	return 1
}

function after(line, start) {
	return index(line, start) == 1 ? substr(line, length(start) + 1) : ""
}

# "cpucycles probe rank 1 NAME class C precision P hz H scaling S; ..."
function read_usable(line,   word, n) {
	sub(/;.*/, "", line)
	n = split(line, word, " ")
	if (n < 9 || word[6] != "class" || word[8] != "precision")
		return
	usable[++usables] = word[5]
	class[usables] = word[7]
	precision[usables] = word[9]
}

# "cpucycles cache rank 1 NAME class C precision P hz H scaling S measured HZ ppm P"
function read_rate(line,   word, n, i) {
	n = split(line, word, " ")
	for (i = 6; i < n; i++)
		if (word[i] == "measured" && word[i + 1] ~ /^[0-9]+$/)
			rate[word[5]] = gigahertz(word[i + 1])
}

# "cpucycles probe unusable NAME reason WORD: sentence; cached ..."
function read_unusable(line,   word, at) {
	split(line, word, " ")
	at = index(line, ": ")
	if (!at || word[5] != "reason")
		return
	unusable[++unusables] = word[4]
	sub(/:$/, "", word[6])
	reason[unusables] = word[6]
	line = substr(line, at + 2)
	sub(/; (not cached|cached (unusable|rank) .*)$/, "", line)
	sub(/; not cached; differs:.*$/, "", line)
	sentence[unusables] = line
}

function read_line(line,   word) {
	if (line ~ /^cpucycles implementation /) {
		split(line, word, " ")
		counter = word[3]
		selection = word[5]
	} else if (line ~ /^cpucycles cache (in use|not in use) status /) {
		cached = line ~ /^cpucycles cache in use/
		split(line, word, " ")
		status = cached ? word[6] : word[7]
	} else if (line ~ /^cpucycles persecond [0-9]/) {
		split(line, word, " ")
		persecond = gigahertz(word[3]) ", by " word[5] error_of(word[7])
	} else if (line ~ /^cpucycles hz [0-9]/) {
		split(line, word, " ")
		hz = word[3] > 0 ? gigahertz(word[3]) ", by " word[5] error_of(word[7]) : \
			"unknown"
	} else if (line ~ /^cpucycles probe rank /)
		read_usable(line)
	else if (line ~ /^cpucycles cache rank /)
		read_rate(line)
	else if (line ~ /^cpucycles probe unusable /)
		read_unusable(line)
	else if (line ~ /^cpucycles (disagreement|contradiction|core cycles|hz unknown): / || \
		line ~ /^cpucycles (persecond file|environment) ignored: /)
		remarks[++remark_count] = remark(substr(line, 11))
	else if (line ~ /^cpucycles cache problem: /)
		problem = after(line, "cpucycles cache problem: ")
	else if (line ~ /^cpucycles cache remedy: /)
		remedy = after(line, "cpucycles cache remedy: ")
}

function remark(text) {
	return text ~ /^hz unknown/ ? "The rate is" substr(text, 3) : upper(text)
}
function upper(text) { return toupper(substr(text, 1, 1)) substr(text, 2) }
function gigahertz(hz) { return sprintf("%.6f GHz", hz / 1e9) }
function error_of(ppm) {
	return ppm == "unknown" ? ", error unknown" : ", error at most " ppm " ppm"
}

function read_info(   line) {
	while ((getline line <"info.txt") > 0)
		read_line(line)
	close("info.txt")
}

function fact(name, text) {
	printf "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", html(name), html(text)
}

function head(title) {
	print "<!DOCTYPE html>"
	print "<html lang=\"en\">"
	print "<head>"
	print "<meta charset=\"utf-8\">"
	print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
	print "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; " \
		"style-src 'unsafe-inline'; img-src data:\">"
	print "<title>" html(title) "</title>"
	print "<style>"
	print_file(ENVIRON["PLOT_PARTS"] "/page.css")
	print "</style>"
	print "</head>"
	print "<body>"
	print "<main>"
	print "<h1>" html(title) "</h1>"
}

function machine_table() {
	print "<table>"
	print "<caption>Where and when the samples were taken</caption>"
	print "<tbody>"
	fact("CPU", known("machine"))
	fact("Kernel", known("kernel"))
	if (known("cpus") != "unknown")
		fact("CPUs", known("cpus"))
	fact("Date", known("date"))
	fact("libcpucycles", known("cpucycles"))
	fact("cpucycles-plot", ENVIRON["PLOT_VERSION"])
	print "</tbody>"
	print "</table>"
	if (!same_everywhere("machine") || !same_everywhere("kernel"))
		print "<p class=\"bad\">The samples are from different machines or kernels.</p>"
}

# Why this counter: the rule takes the smallest precision of all that are usable.
function counter_part(   i) {
	print "<h2>The counter in use</h2>"
	printf "<p>Programs get <strong>%s</strong>, ", html(counter)
	if (selection == "cache")
		print "which was chosen when the machine was calibrated."
	else
		print "which the library chose by trying all counters."
	if (usables && usable[1] == counter)
		printf "It has the best precision of the %d counters that are usable:" \
			" %s cycles.\n", \
			usables, html(precision[1])
	else
		print "Another counter ranks first in a probe now, see below."
	print "</p>"
	if (cached)
		print "<p class=\"good\">The calibration cache is in use.</p>"
	else
		printf "<p class=\"bad\">The calibration cache is not in use (%s).%s%s</p>\n", \
			html(status), \
			problem == "" ? "" : " " html(upper(problem)) ".", \
			remedy == "" ? "" : " " html(upper(remedy)) "."
	print "<table>"
	print "<caption>Frequencies</caption>"
	print "<tbody>"
	fact("Cycles per second (persecond)", persecond)
	fact("Rate of the counter", hz)
	print "</tbody>"
	print "</table>"
	for (i = 1; i <= remark_count; i++)
		print "<p>" html(remarks[i]) (remarks[i] ~ /[.]$/ ? "" : ".") "</p>"
}

function all_counters(   i) {
	print "<h2>All counters</h2>"
	print "<h3>Usable</h3>"
	print "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Usable counters\">"
	print "<table>"
	print "<caption>The smallest precision ranks first.</caption>"
	print "<thead><tr><th scope=\"col\">Counter</th><th scope=\"col\">Class</th>" \
		"<th scope=\"col\" class=\"number\">Precision, cycles</th>" \
		"<th scope=\"col\" class=\"number\">Measured rate</th></tr></thead>"
	print "<tbody>"
	for (i = 1; i <= usables; i++)
		printf "<tr><th scope=\"row\">%s</th><td>%s</td><td class=\"number\">%s</td>" \
			"<td class=\"number\">%s</td></tr>\n", html(usable[i]), html(class[i]), \
			html(precision[i]), usable[i] in rate ? html(rate[usable[i]]) : "unknown"
	print "</tbody>"
	print "</table>"
	print "</div>"
	if (!unusables)
		return
	print "<h3>Not usable</h3>"
	print "<table class=\"remedies\" role=\"table\">"
	print "<caption>Why, and what helps where something helps</caption>"
	print "<thead role=\"rowgroup\"><tr role=\"row\"><th scope=\"col\" role=\"columnheader\">" \
		"Counter</th>" \
		"<th scope=\"col\" role=\"columnheader\">Reason and remedy</th></tr></thead>"
	print "<tbody role=\"rowgroup\">"
	for (i = 1; i <= unusables; i++)
		printf "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\">%s</th>" \
			"<td role=\"cell\"><strong>%s</strong>: %s</td></tr>\n", \
			html(unusable[i]), \
			html(reason[i]), html(sentence[i])
	print "</tbody>"
	print "</table>"
}

# How to read a picture. What this one shows is its description. If the reading depends on the
# data, the kind wrote a caption of its own.
function caption(k,   own) {
	own = first_line(k "/caption")
	if (own != "")
		return html(own)
	if (k == "noise")
		return "How far adjacent counts are apart, for each usable counter. The" \
			" dashed line is the precision, by which the library ranks counters:" \
			" smaller is better."
	if (k == "sizes")
		return "How long a function takes for each size of its input. A point is a" \
			" mean. Where the intervals of two functions do not overlap, they differ."
	if (k == "layouts")
		return "How long a function takes where it lies. A function whose dots lie at one" \
			" height does not depend on its place. If an interval has no 0 in it, the" \
			" function differs from the first one in all of its places together."
	return "How long a call takes, in many samples. Functions whose intervals below do not" \
		" overlap differ."
}

function figure(k, heading) {
	if (heading)
		print "<h3 id=\"" k "\">" html(upper(k)) "</h3>"
	print "<figure>"
	print "<figcaption>" caption(k) "</figcaption>"
	print "<div class=\"card\">"
	print_file(k "/picture.svg")
	print "</div>"
	print "</figure>"
}

function seconds_of(k) {
	return (k, "seconds") in meta ? " --seconds " meta[k, "seconds"] : ""
}

function commands(   i) {
	print "<h2>How to repeat this</h2>"
	print "<pre><code>mkdir data"
	print "cpucycles-info --cache --probe &gt;data/info.txt"
	for (i = 1; i <= kinds; i++)
		printf "cpucycles-info --samples %s%s &gt;data/%s.tsv\n", kind[i], \
			html(seconds_of(kind[i])), kind[i]
	print "cpucycles-plot report -i data -o report.html</code></pre>"
}

function command() {
	print "<h2>How to repeat this</h2>"
	if (kind[1] == "samples") {
		print "<pre><code>cpucycles-measure --raw samples.tsv FUNCTION..."
		print "cpucycles-plot samples samples.tsv -o picture.html</code></pre>"
		return
	}
	if (kind[1] == "sizes") {
		print "<pre><code>cpucycles-measure --csv --sizes SIZE,... FUNCTION..." \
			" &gt;sizes.csv"
		print "cpucycles-plot sizes sizes.csv -o picture.html</code></pre>"
		return
	}
	if (kind[1] == "layouts") {
		print "<pre><code>cpucycles-measure --layouts layouts.tsv FILE:FUNCTION..."
		print "cpucycles-plot layouts layouts.tsv -o picture.html</code></pre>"
		return
	}
	if (kind[1] == "leak") {
		print "<pre><code>cpucycles-measure --leak --raw leak.tsv FILE:FUNCTION"
		print "cpucycles-plot leak leak.tsv -o picture.html</code></pre>"
		return
	}
	printf "<pre><code>cpucycles-info --samples %s%s &gt;samples.tsv\n", kind[1], \
		html(seconds_of(kind[1]))
	printf "cpucycles-plot %s -i samples.tsv -o picture.html</code></pre>\n", kind[1]
}

function report(   i) {
	read_info()
	head("cpucycles on " known("machine"))
	print "<h2>The machine</h2>"
	machine_table()
	counter_part()
	all_counters()
	print "<h2>Pictures</h2>"
	for (i = 1; i <= kinds; i++)
		figure(kind[i], 1)
	commands()
}

BEGIN {
	kinds = split(ENVIRON["PLOT_KINDS"], kind, " ")
	for (i = 1; i <= kinds; i++)
		read_meta(kind[i])
	if (ENVIRON["PLOT_COMMANDS"] == "report")
		report()
	else {
		head(first_line(kind[1] "/title"))
		figure(kind[1], 0)
		if (kind[1] !~ /^(samples|sizes|layouts|leak)$/)
			machine_table()
		command()
	}
	print "</main>"
	print "</body>"
	print "</html>"
}
