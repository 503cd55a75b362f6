# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# In each panel above the histograms, below the medians. The same colour and dashes belong to one
# function, whose name has a piece of that line before it.

set xrange [from:to]
eval xtics
set style fill transparent solid 0.18 noborder
x_text = unit . ' per call' . beyond . (logarithmic ? ' (log scale)' : '')
marks = '*#$%@&='
if (!plain) { set multiplot }
top = 1 - head
do for [panel = 1:panels] {
	start = (panel - 1) * per_panel
	rows = functions - start < per_panel ? functions - start : per_panel
	if (plain) {
		below_part = (rows + 4.0) / screen_rows
		set multiplot
		set origin 0, below_part
		set size 1, 1 - below_part
	} else {
		below = top - 300.0 / height
		set tmargin at screen top - 8.0 / height
		set bmargin at screen below + 58.0 / height
		set xlabel x_text offset 0,x_up
		set ylabel 'samples (%)' offset 0.5,0
		set grid ytics
	}
	set border 3
	set ytics autofreq nomirror scale 0.6 textcolor rgb ink
	set yrange [0:*]
	if (plain) {
		unset xlabel
		plot for [i = 1:rows] 'data' index start + i - 1 using 1:2 with steps linetype i
	} else {
		plot for [i = 1:rows] 'data' index start + i - 1 using 1:2 with fillsteps \
			linecolor rgb colour(i), \
			for [i = 1:rows] 'data' index start + i - 1 using 1:2 with steps \
			linewidth 2 linecolor rgb colour(i) dashtype dash(i)
	}
	unset label
	unset grid
	unset ylabel
	set border 1
	set yrange [rows + 0.5 + 8.0 / row_height:0.5 - 8.0 / row_height]
	if (plain) {
		set origin 0, 0
		set size 1, below_part
		set yrange [rows + 0.5:0.5]
		set xlabel x_text
		unset ytics
		do for [i = 1:rows] {
			set label i marks[i:i] at graph 0, first i offset -2,0
		}
		plot for [i = 1:rows] 'data' index functions every ::start + i - 1::start + i - 1 \
			using 3:1:($4 - $3):(0) with vectors nohead linetype i, \
			'data' index functions every ::start::start + rows - 1 \
			using 2:1:('o') with labels
		unset label
		unset multiplot
	} else {
		unset ytics
		set tmargin at screen below - 4.0 / height
		top = below - (1.0 * row_height * rows + 78) / height
		set bmargin at screen top + 66.0 / height
		do for [i = 1:rows] {
			y = i - 0.5 + 15.0 / row_height
			set arrow i from screen x_place, first y rto screen 30.0 / 440, 0 nohead \
				linewidth 2 linecolor rgb colour(i) dashtype dash(i)
			set label i label[start + i] at screen x_place + 38.0 / 440, first y left \
				font title_font textcolor rgb ink
		}
		plot for [i = 1:rows] 'data' index functions every ::start + i - 1::start + i - 1 \
			using 2:($1 + 0.5 - 9.0 / row_height):3:4 with xerrorbars linewidth 2.5 \
			linecolor rgb colour(i) dashtype dash(i) pointtype 7 pointsize 0.7
		unset label
		unset arrow
	}
}
if (!plain) { unset multiplot }
