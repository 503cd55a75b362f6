# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# One panel for each counter. noise.awk made the bars.

set multiplot
panel = (1 - (plain ? 2.0 / screen_rows : head)) / panels
do for [i = 1:panels] {
	top = 1 - (plain ? 0 : head) - (i - 1) * panel
	if (plain) {
		set origin 0, 1 - i * panel
		set size 1, panel
		set title label[i] offset 0,-0.5
	} else {
		set tmargin at screen top - 32.0 / height
		set bmargin at screen top - panel + 58.0 / height
		set label 3 label[i] at screen x_place, screen top - 12.0 / height left \
			font title_font textcolor rgb ink
	}
	set xrange [from[i]:to[i]]
	if (logarithmic[i] && to[i] - from[i] < 2.2) {
		set xtics ('0' 0, '10' log10(11), '20' log10(21), '50' log10(51), \
			'100' log10(101), \
			'200' log10(201), '500' log10(501), '1k' log10(1001), '2k' log10(2001), \
			'5k' log10(5001), '10k' 4, '20k' log10(2e4), '50k' log10(5e4), '100k' 5, \
			'200k' log10(2e5), '500k' log10(5e5), '1M' 6, '10M' 7, '100M' 8, '1G' 9)
	} else { if (logarithmic[i]) {
		set xtics ('-1k' -log10(1001), '-100' -log10(101), '-10' -log10(11), '0' 0, \
			'1' log10(2), '10' log10(11), '100' log10(101), '1k' log10(1001), \
			'10k' 4, '100k' 5, '1M' 6, '10M' 7, '100M' 8, '1G' 9, '10G' 10)
	} else {
		set xtics autofreq step[i]
	}}
	if (steep[i]) {
		set logscale y
		set yrange [0.5:most[i] * 2]
		set ytics 10 ** (most[i] > 5000 ? ceil(log10(most[i]) / 3) : 1)
	} else {
		unset logscale y
		set yrange [0:most[i] * 1.1]
		set ytics autofreq
	}
	set format y '%.0s%c'
	set xlabel logarithmic[i] ? 'difference (cycles, log scale)' : 'difference (cycles)' \
		offset 0,x_up
	set ylabel 'occurrences' font title_font offset 0.5,0
	set arrow 1 from mark[i], graph 0 to mark[i], graph 1 nohead front linewidth 2 dashtype 2 \
		linecolor rgb colours[2]
	if (mark[i] != mark[i]) { unset arrow 1 }
	plot 'data' index i - 1 using (($1 + $2) / 2):3:($2 - $1) with boxes \
		linecolor rgb colours[1] title ''
	unset label 1
	unset label 2
}
unset multiplot
