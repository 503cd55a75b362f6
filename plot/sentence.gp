# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A picture for data in which there is nothing to draw.

unset border
unset tics
unset grid
set label 3 sentence at screen 0.5, screen 0.4 center textcolor rgb ink
set xrange [0:1]
set yrange [0:1]
plot NaN
