# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Two panels, with the names of the groups between them. On a terminal each panel is a page.

set xrange [from:to]
set yrange [0:*]
eval xtics
set xlabel unit . ' per call' offset 0,x_up
if (plain) {
	plot for [i = 1:2] 'data' index i - 1 using 1:2 with steps linetype i
} else {
	set style fill transparent solid 0.18 noborder
	set multiplot
	edge = 1 - head - 290.0 / height
	set tmargin at screen 1 - head - 8.0 / height
	set bmargin at screen edge + 58.0 / height
	set ylabel 'calls (%)' offset 0.5,0
	do for [i = 1:2] {
		y = edge - (row_height * (i - 1) + 2.0) / height
		set arrow i from screen x_place, screen y rto screen 30.0 / 440, 0 nohead \
			linewidth 2 linecolor rgb colour(i) dashtype dash(i)
		set label 10 + i name[i] at screen x_place + 38.0 / 440, screen y left \
			font title_font textcolor rgb ink
	}
	plot for [i = 1:2] 'data' index i - 1 using 1:2 with fillsteps linecolor rgb colour(i), \
		for [i = 1:2] 'data' index i - 1 using 1:2 with steps linewidth 2 \
		linecolor rgb colour(i) dashtype dash(i)
	unset label
	unset arrow
	edge = edge - (key_height + 8.0) / height
	set tmargin at screen edge - 8.0 / height
	set bmargin at screen (tail_height + 62.0) / height
	set ylabel 'difference (' . unit . ')'
	set label 3 tail at screen x_place, screen (tail_height - 9.0) / height left \
		font title_font textcolor rgb ink
}
set xrange [4:96]
set yrange [low[1]:high[1]]
set xtics 10 format '%g'
set ytics autofreq step[1]
set xlabel 'decile (%)'
set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead back linewidth 1.5 \
	linecolor rgb pale dashtype 2
plot 'data' index 2 using 1:3:(0):($4 - $3) with vectors nohead linewidth 2.5 \
	linecolor rgb colours[7], \
	'data' index 2 using 1:2 with points linecolor rgb colours[7] pointtype \
	(plain ? 1 : 7) pointsize 0.6
if (!plain) { unset multiplot }
