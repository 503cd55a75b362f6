# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The look of all pictures. The colours are those of Okabe and Ito, which people with any kind of
# colour vision tell apart. Lines differ in their dashes, too.

set datafile missing 'NaN'
plain = GPVAL_TERM eq 'dumb'

array colours[7]
colours[1] = 0x0072B2
colours[2] = 0xD55E00
colours[3] = 0x009E73
colours[4] = 0xCC79A7
colours[5] = 0xE69F00
colours[6] = 0x56B4E9
colours[7] = 0x000000
array dashes[5]
dashes[1] = 1; dashes[2] = 2; dashes[3] = 4; dashes[4] = 5; dashes[5] = 3
colour(i) = colours[(i - 1) % 7 + 1]
dash(i) = dashes[(i - 1) % 5 + 1]
set dashtype 2 (8, 4)
set dashtype 3 (2, 3)
set dashtype 4 (10, 3, 2, 3)
set dashtype 5 (14, 4)
ink = 0x222222
pale = 0x767676

set border 3 linecolor rgb pale linewidth 1
set tics nomirror textcolor rgb ink scale 0.6
set grid ytics linecolor rgb 0xDDDDDD linewidth 1 dashtype 1
if (plain) { unset grid }
set key noautotitle textcolor rgb ink
set style fill solid 1 noborder
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
# The SVG terminal leaves much room between an axis and its texts.
x_up = GPVAL_TERM eq 'svg' ? 0.8 : 0.4
if (GPVAL_TERM eq 'svg') { set xtics offset 0,0.35 }
set lmargin 9
set rmargin 2.5

# Fonts and places differ between a picture and a terminal, for which terminal.awk prints the texts.
if (plain) {
	title_font = ''
	set key maxcols 1
} else {
	png = GPVAL_TERM ne 'svg'
	big = png ? 'Sans,25' : 'sans-serif,17'
	small = png ? 'Sans,19' : 'sans-serif,13'
	title_font = png ? 'Sans,20' : 'sans-serif,14'
	x_place = 8.0 / 440
	set label 1 headline at screen x_place, screen 1 - 21.0 / height left font big \
		textcolor rgb ink
	set label 2 below at screen x_place, \
		screen 1 - (15.5 + 25.5 * headline_lines) / height left font small \
		textcolor rgb ink
}
