# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Two maps, or in a terminal one line of bars. Cells that were not measured are grey.

# A cell of the maps covers several CPUs, a bar of a terminal one.
cell = plain ? 1.0 : factor
set xtics ()
set ytics ()
do for [i = 1:tics] {
	place = (tic_index[i] - (cell - 1) / 2) / cell
	set xtics add (sprintf('%d', tic_cpu[i]) place)
	set ytics add (sprintf('%d', tic_cpu[i]) place)
}
if (plain) {
	unset ytics
	set ytics autofreq
	set yrange [0:*]
	set xrange [-1:cpus]
	set xlabel 'CPU'
	set title 'largest offset and bound of each CPU (' . unit . ')' . \
		(remark eq '' ? '' : "\n" . remark)
	plot 'data' index 2 using 1:2 with impulses title ''
} else {
	unset grid
	set palette maxcolors 33
	set border 15 linecolor rgb pale
	set multiplot
	set xrange [-0.5:cells - 0.5]
	set yrange [-0.5:cells - 0.5]
	set xlabel 'CPU' offset 0,x_up
	set ylabel 'other CPU' offset 0.5,0
	set lmargin at screen 72.0 / 440
	set rmargin at screen 352.0 / 440
	set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind \
		fillcolor rgb 0xAAAAAA fillstyle solid 1
	set cbtics autofreq offset -0.5,0 font title_font
	do for [m = 0:1] {
		top = 1 - head - m * 365.0 / height
		set tmargin at screen top - 26.0 / height
		set bmargin at screen top - 306.0 / height
		set colorbox user origin screen 364.0 / 440, screen top - 306.0 / height \
			size screen 14.0 / 440, screen 280.0 / height
		set label 3 (m ? 'bound of the offset (' . unit . ')' : \
			'offset of the other CPU''s counter (' . unit . ')') \
			at screen x_place, screen top - 10.0 / height left font title_font \
			textcolor rgb ink
		if (m) {
			if (few) {
				set palette defined (0 '#FFFFFF', 1 '#E69F00')
			} else {
				set palette defined (0 '#FFFFFF', 0.5 '#E69F00', 1 '#4A2A00')
			}
			set cbrange [0:most]
		} else {
			if (few) {
				set palette defined (-1 '#56B4E9', 0 '#FFFFFF', 1 '#E69F00')
			} else {
				set palette defined (-1 '#0072B2', 0 '#FFFFFF', 1 '#D55E00')
			}
			set cbrange [-largest:largest]
		}
		if (few) {
			plot 'data' index m matrix with image title '', \
				'numbers' using 1:2:(m ? strcol(4) : strcol(3)) with labels \
				textcolor rgb ink title ''
		} else {
			plot 'data' index m matrix with image title ''
		}
		unset label 1
		unset label 2
	}
	unset multiplot
}
