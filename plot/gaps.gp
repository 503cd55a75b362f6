# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# One panel for each CPU, on a terminal a page. The lengths are logarithms.

if (!plain) { set multiplot }
panel = (1 - head) / panels
set yrange [low:high]
eval ytics
set xlabel 'time (s)' offset 0,x_up
if (!plain) { set ylabel 'gap (us, log scale)' font title_font offset 0.5,0 }
do for [i = 1:panels] {
	top = 1 - head - (i - 1) * panel
	if (!plain) {
		set tmargin at screen top - 32.0 / height
		set bmargin at screen top - panel + 58.0 / height
		set label 3 label[i] at screen x_place, screen top - 12.0 / height left \
			font title_font textcolor rgb ink
	}
	set xrange [first[i]:last[i]]
	plot 'data' index i - 1 using 1:2 with points pointtype (plain ? 1 : 7) pointsize 0.3 \
		linecolor rgb colours[1] title ''
	unset label 1
	unset label 2
}
if (!plain) { unset multiplot }
