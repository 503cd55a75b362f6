# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Lines over time. The legend lies below the axes. The cores have colours, the rates are grey.

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
# Rates may be equal: lines that are drawn later are thinner, so that the earlier ones are seen
# beside them, and persecond has gaps. A reading between unknown ones has no line, but a point.
rates = has_counter ? groups : 0
plot for [i = 1:rates] 'data' index groups + i - 1 using 1:3 with points pointtype 7 pointsize 0.5 \
	linecolor rgb 0xBBBBBB title '', \
	for [i = 1:rates] 'data' index groups + i - 1 using 1:2 with lines linewidth 7 \
	linecolor rgb 0xBBBBBB title (i == 1 ? counter_label : ''), \
	rate_hz == rate_hz ? rate_hz : NaN with lines linewidth 3.5 linecolor rgb 0x777777 \
	title (rate_hz == rate_hz ? rate_label : ''), \
	persecond_hz == persecond_hz ? persecond_hz : NaN with lines linewidth 1.5 \
	linecolor rgb 0x000000 dashtype (12, 10) \
	title (persecond_hz == persecond_hz ? persecond_label : ''), \
	for [i = 1:groups] 'data' index i - 1 using 1:3 with points pointtype 7 pointsize 0.3 \
	linecolor rgb colours[(i - 1) % 6 + 1] title '', \
	for [i = 1:groups] 'data' index i - 1 using 1:2 with lines linewidth 2 \
	linecolor rgb colours[(i - 1) % 6 + 1] dashtype dash(i) title label[i]
