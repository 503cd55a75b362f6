# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A curve for each function over the logarithm of the size. The legend lies below the axes; on a
# terminal, points are the letters that gnuplot gives them.

set xrange [from:to]
set yrange [bottom:top]
eval xtics
eval ytics
set xlabel 'size (bytes, log scale)' offset 0,x_up
if (plain) {
	unset key
} else {
	set ylabel up offset 0.5,0
	set tmargin at screen 1 - head - 8.0 / height
	set bmargin at screen (key_height + 62.0) / height
	set key at screen 10.0 / 440, screen (key_height + 12.0) / height top left Left reverse \
		vertical maxcols 1 samplen 2.5 font title_font
}
if (plain) {
	plot for [i = 1:functions] 'data' index i - 1 using 1:2 with linespoints linetype i
} else {
	plot for [i = 1:functions] 'data' index i - 1 using 1:2:3:4 with yerrorbars linewidth 2 \
		linecolor rgb colour(i) pointtype 7 pointsize 0.5 title '', \
		for [i = 1:functions] 'data' index i - 1 using 1:2 with lines linewidth 2 \
		linecolor rgb colour(i) dashtype dash(i) title label[i]
}
