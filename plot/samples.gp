# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Above the histograms, below the medians. The same colour and dashes belong to one function.

set multiplot
set xrange [from:to]
if (logarithmic) {
	set xtics ('0.001' -3, '0.01' -2, '0.1' -1, '1' 0, '10' 1, '100' 2, '1k' 3, '10k' 4, \
		'100k' 5, '1M' 6, '10M' 7, '100M' 8, '1G' 9, '10G' 10)
} else {
	set xtics autofreq step
}
below_part = (42.0 * rows + 66) / height
if (plain) {
	below_part = (3.0 * rows + 5) / screen_rows
	set origin 0, below_part
	set size 1, 1 - below_part - 2.0 / screen_rows
} else {
	set tmargin at screen 1 - head - 8.0 / height
	set bmargin at screen below_part + 58.0 / height
}
set xlabel unit . ' per call' . (logarithmic ? ' (log scale)' : '') offset 0,x_up
set ylabel 'samples (%)' offset 0.5,0
set yrange [0:*]
set style fill transparent solid 0.18 noborder
if (plain) {
	plot for [i = 1:functions] 'data' index i - 1 using 1:2 with steps title label[i]
} else {
	plot for [i = 1:functions] 'data' index i - 1 using 1:2 with fillsteps \
		linecolor rgb colour(i) title '', \
		for [i = 1:functions] 'data' index i - 1 using 1:2 with steps linewidth 2 \
		linecolor rgb colour(i) dashtype dash(i) title ''
}
unset label 1
unset label 2

if (plain) {
	set origin 0, 0
	set size 1, below_part
} else {
	set tmargin at screen below_part - 4.0 / height
	set bmargin at screen 54.0 / height
}
unset grid
unset ylabel
unset ytics
set border 1
set yrange [rows + 0.7:0.3]
do for [i = 1:rows] {
	if (plain) {
		set label 10 + i label[i] at graph 0, first i - 0.5 left
	} else {
		set label 10 + i label[i] at screen x_place, first i - 0.15 left font title_font \
			textcolor rgb ink
	}
}
plot for [i = 1:rows] 'data' index functions every ::i - 1::i - 1 using 2:($1 + 0.28):3:4 \
	with xerrorbars linewidth 2.5 linecolor rgb colour(i) pointtype 7 pointsize 0.7 title ''
unset multiplot
