# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# One panel for each counter.

set multiplot
panel = (1 - (plain ? 2.0 / screen_rows : head + 10.0 / height)) / panels
set style fill transparent solid 0.3 noborder
do for [i = 1:panels] {
	top = 1 - (plain ? 0 : head) - (i - 1) * panel
	if (plain) {
		set origin 0, 1 - i * panel
		set size 1, panel
		set title label[i] offset 0,-0.5
	} else {
		set tmargin at screen top - 1.0 * label_height / height
		set bmargin at screen top - panel + 52.0 / height
		set label 3 label[i] at screen x_place, screen top - 12.0 / height left \
			font title_font textcolor rgb ink
	}
	set xrange [first:last]
	set xtics autofreq time_step
	set xlabel 'time (s)' offset 0,x_up
	set yrange [-reach[i]:reach[i]]
	set ytics autofreq step[i]
	set format y '%g'
	set ylabel 'residual (ppm)' font title_font offset 0.5,0
	low = bound[i] < reach[i] ? bound[i] : reach[i]
	if (bound[i] == bound[i]) {
		if (!plain) {
			set object 1 rectangle from graph 0, first -low to graph 1, first low \
				behind fillcolor rgb colours[6] fillstyle solid 0.35 noborder
		}
	} else {
		unset object 1
	}
	set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead back linewidth 1 \
		linecolor rgb pale
	plot 'data' index i - 1 using 1:2 with linespoints linecolor rgb colours[1] linewidth 2 \
		pointtype 7 pointsize 0.4 title ''
	unset label 1
	unset label 2
}
unset multiplot
