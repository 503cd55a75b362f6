# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A curve for each function over the logarithm of the size. The legend lies below the axes; on a
# terminal, points are the letters that gnuplot gives them.

set xrange [from:to]
set yrange [bottom:top]
eval xtics
eval ytics
set xlabel 'size (bytes, log scale)' offset 0,x_up
unset key
if (!plain) {
	set ylabel up offset 0.5,0
	set tmargin at screen 1 - head - 8.0 / height
	set bmargin at screen (key_height + 62.0) / height
	# Gnuplot's own legend has no more rows than fit beside the axis.
	do for [i = 1:functions] {
		y = (key_height - 1.0 - row_height * (i - 1)) / height
		set arrow 10 + i from screen x_place, screen y rto screen 30.0 / 440, 0 nohead \
			linewidth 2 linecolor rgb colour(i) dashtype dash(i)
		set label 10 + i label[i] at screen x_place + 38.0 / 440, screen y left \
			font title_font textcolor rgb ink
	}
}
if (plain) {
	plot for [i = 1:functions] 'data' index i - 1 using 1:2 with linespoints linetype i
} else {
	plot for [i = 1:functions] 'data' index i - 1 using 1:2:3:4 with yerrorbars linewidth 2 \
		linecolor rgb colour(i) pointtype 7 pointsize 0.5, \
		for [i = 1:functions] 'data' index i - 1 using 1:2 with lines linewidth 2 \
		linecolor rgb colour(i) dashtype dash(i)
}
