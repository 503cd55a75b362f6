# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Lines over time. The legend lies below the axes.

set xrange [first:last]
set yrange [low:high]
set xlabel 'time (s)' offset 0,x_up
set ylabel 'frequency (GHz)' offset 0.5,0
if (plain) {
	set key below
} else {
	set tmargin at screen 1 - head - 8.0 / height
	set bmargin at screen (key_height + 62.0) / height
	set key at screen 10.0 / 440, screen (key_height + 12.0) / height top left Left reverse \
		vertical maxcols 1 samplen 2.5 font title_font
}
plot for [i = 1:groups] 'data' index i - 1 using 1:2 with lines linewidth 2 \
	linecolor rgb colour(i) dashtype dash(i) title label[i], \
	for [i = 1:has_counter ? groups : 0] 'data' index i - 1 using 1:3 with points \
	pointtype 6 pointsize 0.5 linecolor rgb colours[7] title (i == 1 ? counter_label : ''), \
	rate_hz == rate_hz ? rate_hz : NaN with lines linewidth 1.5 linecolor rgb 0x555555 \
	dashtype 3 title (rate_hz == rate_hz ? rate_label : ''), \
	persecond_hz == persecond_hz ? persecond_hz : NaN with lines linewidth 1.5 \
	linecolor rgb colours[4] dashtype 4 \
	title (persecond_hz == persecond_hz ? persecond_label : '')
