# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# One panel for each counter, on a terminal a page. noise.awk made the bars.

if (!plain) { set multiplot }
panel = (1 - head) / panels
do for [i = 1:panels] {
	top = 1 - head - (i - 1) * panel
	if (!plain) {
		set tmargin at screen top - 32.0 / height
		set bmargin at screen top - panel + 58.0 / height
		set label 3 label[i] at screen x_place, screen top - 12.0 / height left \
			font title_font textcolor rgb ink
	}
	set xrange [from[i]:to[i]]
	eval xtics[i]
	if (steep[i]) {
		set logscale y
		set yrange [0.5:most[i] * 2]
		set ytics 10 ** (most[i] > 5000 ? ceil(log10(most[i]) / 3) : 1)
	} else {
		unset logscale y
		set yrange [0:most[i] * 1.1]
		eval ytics[i]
	}
	set format y '%.0s%c'
	set xlabel 'difference (' . unit[i] . (logarithmic[i] ? ', log scale)' : ')') offset 0,x_up
	if (!plain) { set ylabel 'occurrences' font title_font offset 0.5,0 }
	set arrow 1 from mark[i], graph 0 to mark[i], graph 1 nohead front linewidth 2 dashtype 2 \
		linecolor rgb colours[2]
	if (mark[i] != mark[i]) { unset arrow 1 }
	plot 'data' index i - 1 using (($1 + $2) / 2):3:($2 - $1) with boxes \
		linecolor rgb colours[1] title ''
	unset label 1
	unset label 2
}
if (!plain) { unset multiplot }
