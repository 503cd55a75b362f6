# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A panel for each comparison, and below them one of all functions over their places. On a terminal
# each panel is a page.

shape(i) = i > 7 ? 5 : 7
set style fill transparent solid 0.3 noborder
edge = 1 - head
if (!plain) { set multiplot }
do for [i = 1:comparisons] {
	if (!plain) {
		top = edge
		edge = top - 1.0 * panel_height / height
		set tmargin at screen top - 1.0 * label_height / height
		set bmargin at screen edge + 48.0 / height
		set label 3 label[i] at screen x_place, screen top - 12.0 / height left \
			font title_font textcolor rgb ink
		set ylabel 'longer (%)' font title_font offset 0.5,0
		if (lowest[i] == lowest[i] && highest[i] == highest[i]) {
			set object 1 rectangle from graph 0, first lowest[i] \
				to graph 1, first highest[i] behind fillcolor rgb colours[6] \
				fillstyle solid 0.35 noborder
		} else {
			unset object 1
		}
	}
	set xlabel (processes > 1 ? 'unit, in order of time' : 'process') offset 0,x_up
	set xrange [0.2:last[i] + 0.8]
	set yrange [low[i]:high[i]]
	set ytics autofreq step[i]
	if (estimate[i] == estimate[i]) {
		set arrow 1 from graph 0, first estimate[i] to graph 1, first estimate[i] nohead \
			back linewidth 2 linecolor rgb colours[1]
	} else {
		unset arrow 1
	}
	set arrow 2 from graph 0, first 0 to graph 1, first 0 nohead back linewidth 1.5 \
		linecolor rgb pale dashtype 2
	plot 'data' index i - 1 using 1:2 with points linecolor rgb colours[1] pointtype \
		(plain ? 1 : 7) pointsize 0.6
	unset label
}
unset object 1
unset arrow
if (placed) {
	set xrange [-8:right]
	set yrange [low_place[1]:high_place[1]]
	set ytics autofreq step_place[1]
	set xtics 16
	set xlabel 'begin of the code in 64 bytes' offset 0,x_up
	unset key
	if (!plain) {
		set ylabel 'of the median (%)' offset 0.5,0
		set tmargin at screen edge - 8.0 / height
		set bmargin at screen (key_height + 64.0) / height
		# Gnuplot's own legend has no more rows than fit beside the axis.
		do for [i = 1:functions] {
			set label 10 + i name[i] at screen x_place + 6.0 / 440, \
				screen (key_height - 1.0 - row_height * (i - 1)) / height \
				left offset 1.2,-0.25 font title_font textcolor rgb ink \
				point pointtype shape(i) pointsize 0.7 linecolor rgb colour(i)
		}
		plot 'data' index comparisons + 2 * functions \
			using 1:(low_place[1]):1:2:(low_place[1]):(high_place[1]) \
			with boxxyerror linecolor rgb colours[5] \
			fillstyle solid 0.4 noborder, \
			for [i = 1:functions] 'data' index comparisons + i - 1 using 1:2 \
			with points linecolor rgb colour(i) pointtype shape(i) pointsize 0.45, \
			for [i = 1:functions] 'data' index comparisons + functions + i - 1 \
			using 1:2:3:(0) with vectors nohead linewidth 2.5 linecolor rgb colour(i)
	} else {
		plot for [i = 1:functions] 'data' index comparisons + i - 1 using 1:2 with points \
			pointtype i
	}
}
if (!plain) { unset multiplot }
