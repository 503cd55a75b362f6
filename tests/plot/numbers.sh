#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What awk computes for gnuplot: medians, bars, ranges and units. Gnuplot is not run.

. "$top_srcdir/tests/harness/tap.sh"
here=$scratch/here
awk 'BEGIN { exit !log(2) }' 2>/dev/null || skip_all "this awk has no logarithm"

# compute KIND ROW...: what awk makes of these rows, whose columns have spaces between them, or
# "#_KEY VALUE" with "~" for a space in the value, is in the folder $here.
compute() {
	kind=$1
	shift
	rm -rf "$here"
	mkdir "$here"
	printf '# samples\t%s\n' "$kind" >"$scratch/in.tsv"
	printf '%s\n' "$@" | tr ' ' '\t' |
		sed -e '/^#_/y/~/ /' -e 's/^#_/# /' >>"$scratch/in.tsv"
	(cd "$here" && PLOT_NAME=in.tsv awk -f "$top_srcdir/plot/common.awk" \
		-f "$top_srcdir/plot/axis.awk" -f "$top_srcdir/plot/verdict.awk" \
		-f "$top_srcdir/plot/$kind.awk" <"$scratch/in.tsv")
}

# values NAME...: what gnuplot gets as these variables.
values() {
	for name; do
		awk -v "name=$name" -F ' = ' '$1 == name { print $2 }' "$here/values.gp"
	done | paste -s -d ' ' -
}

# data INDEX: the lines of this block of the data, from 0.
data() {
	awk -v "wanted=$1" '
		NF && block == wanted { print }
		!NF && before { block++ }
		{ before = NF }' "$here/data" | paste -s -d / -
}

noise() { compute noise 'counter class precision_cycles difference_cycles occurrences' "$@"; }
# usual: the median of each counter, which only the description has.
usual() { tr ';' '\n' <"$here/desc" | sed -n 's/.* usually \([^ ]*\) .*/\1/p' | paste -s -; }
# middles: those of the bars.
middles() { awk 'NF { printf "%s%.4g", n++ ? " " : "", ($1 + $2) / 2 }' "$here/data"; }

# median EXPECTED DIFFERENCE OCCURRENCES...: the median of one counter.
median() {
	median_expected=$1 median_of=
	shift
	rows=
	while [ $# -gt 0 ]; do
		rows="$rows
a on-core unknown $1 $2"
		median_of="$median_of, $2 times $1"
		shift 2
	done
	noise "${rows#?}"
	is "noise: the median of ${median_of#, }" "$(usual)" "$median_expected"
}
median 24 24 1
median 10 10 5 20 5
median 20 10 2 20 3
median 10 10 3 20 2
median 20 10 1 20 1 30 1
median 40 10 1 20 1 30 1 40 100
noise 'a on-core unknown 24 5' 'b on-core unknown 30 1' 'b on-core unknown 31 9'
is "noise: each counter has its own median" "$(usual)" "24	31"

noise 'a on-core 3 24 5' 'b off-core 3 30 1' 'c kernel-count 3 31 9' 'd os-clock 3 31 9'
is "noise: the unit of each class" "$(values 'unit[1]' 'unit[2]' 'unit[3]' 'unit[4]')" \
	"'cycles' 'ticks' 'cycles' 'cycles'"
is "noise: the description has it" "$(grep -o '[0-9] *[a-z]*, precision' "$here/desc" |
	paste -s -)" \
	"4 cycles, precision	0 ticks, precision	1 cycles, precision	1 cycles, precision"

# in_view LOW HIGH ROOM: the axis goes beyond both, by at most that.
in_view() {
	ok "noise: $1 to $2 are in view, and little more" \
		awk -v low="$1" -v high="$2" -v room="$3" \
		-v from="$(values 'from[1]')" -v to="$(values 'to[1]')" \
		'BEGIN { exit !(low - room <= from && from < low &&
			high < to && to <= high + room) }'
}

noise 'a on-core 26 24 5' 'a on-core 26 26 900' 'a on-core 26 28 7'
is "noise: a bar lies around its difference" "$(data 0)" \
	"23.5 24.5 5/25.5 26.5 900/27.5 28.5 7"
is "noise: the line of the precision lies there, too" "$(values 'mark[1]')" 26
in_view 23.5 28.5 1
noise 'a on-core unknown 0 1' 'a on-core unknown 14 1' 'a on-core unknown 356 300' \
	'a on-core unknown 364 200' 'a on-core unknown 365 100' 'a on-core unknown 720 1'
is "noise: a bar has all differences that are nearest to its middle" "$(data 0)" \
	"-5 5 1/5 15 1/355 365 500/365 375 100/715 725 1"
is "noise: the highest bar" "$(values 'most[1]' 'mark[1]')" "500 NaN"
in_view -5 725 40
noise 'a on-core 9 -9 1' 'a on-core 9 0 5' 'a on-core 9 99 1'
is "noise: on a log scale, bars have their middles at the logarithms of 1 more" \
	"$(values 'logarithmic[1]' 'mark[1]') $(middles)" "1 1 -1 0 2"

# scale EXPECTED PRECISION DIFFERENCE...: whether it is a log scale. Only the first is usual.
scale() {
	scale_expected=$1 scale_precision=$2
	shift 2
	scale_name="noise: precision $scale_precision, differences $*"
	rows="a on-core $scale_precision $1 9"
	shift
	for difference; do
		rows="$rows
a on-core $scale_precision $difference 1"
	done
	noise "$rows"
	is "$scale_name: the scale" "$(values 'logarithmic[1]')" "$scale_expected"
}
# The largest is over four times the usual and 20.
scale 0 unknown 10 60
scale 1 unknown 10 61
scale 0 unknown -10 60
scale 1 unknown -10 61
scale 0 60 10
scale 1 61 10
# The largest is over 50 times the least, which is more than 0.
scale 0 unknown 10 1 50
scale 1 unknown 10 1 51
scale 0 unknown 10 0 60
scale 1 1 51
scale 0 2 51
noise 'a on-core unknown 24 20' 'a on-core unknown 25 1'
is "noise: 20 occurrences and 1 have a linear axis" "$(values 'steep[1]')" 0
noise 'a on-core unknown 24 21' 'a on-core unknown 25 1'
is "noise: 21 occurrences and 1 have a log axis" "$(values 'steep[1]')" 1

drift() { compute drift 'counter seconds residual_ppm bound_ppm' "$@"; }
# readings BOUND RESIDUAL...: one each second.
readings() {
	bound=$1 second=0 rows=
	shift
	for residual; do
		rows="$rows
a $((second += 1)) $residual $bound"
	done
	drift "${rows#?}"
}
# reach EXPECTED BOUND RESIDUAL...: half the height of the panel, and the name says why.
reach() {
	reach_name=$1 reach_expected=$2
	shift 2
	readings "$@"
	is "drift: reach: $reach_name" "$(values 'reach[1]')" "$reach_expected"
}
reach "a quarter more than the residual" 2.5 unknown 2
reach "or than the residual's size" 2.5 unknown -2
reach "a bound is always in view" 3.75 3 2
reach "and a residual outside of it" 5 3 4
reach "a bound without a residual" 2.5 2 unknown
reach "without both" 1 unknown unknown
reach "of zeros" 1 0 0
reach "nine tenths of 10 readings" 62.5 unknown 100 50 1 1 1 1 1 1 1 1
reach "by their sizes" 62.5 unknown -100 -50 1 1 1 1 1 1 1 1
reach "nine tenths of 15 readings, and one more" 62.5 \
	unknown 100 50 20 1 1 1 1 1 1 1 1 1 1 1 1
reach "all of 9 readings" 125 unknown 100 50 1 1 1 1 1 1 1
reach "the last of 10 readings, however large" 625 unknown 1 1 1 1 1 1 1 1 1 -500
reach "the one before is no tenth" 1.25 unknown 1 1 1 1 1 1 1 1 500 1
reach "the last two of 11 readings" 750 unknown 1 1 1 1 1 1 1 1 1 600 -500
reach "the one before the last two of 12" 50 unknown 1 1 1 1 1 1 1 40 600 1 1
readings 4 5 1 1 1 1 1 1 1 1 1
is "drift: what lies at the border is in view" "$(values 'reach[1]' 'step[1]' 'label[1]')" \
	"5 5 'a: last +1 ppm, bound 4'"
readings 4 -5.1 1 1 1 1 1 1 1 1 1
is "drift: what lies beyond is counted" "$(values 'label[1]')" \
	"'a: last +1 ppm, bound 4, 1 out of view'"
readings 3.2 1
is "drift: at most four steps" "$(values 'reach[1]' 'step[1]' 'bound[1]')" "4 2 3.2"
readings 4 0
is "drift: no residual has no sign" "$(values 'label[1]')" "'a: last 0 ppm, bound 4'"
drift '#_own_rate a' '#_counter a' 'a 1 1 unknown' 'b 1 2 8'
is "drift: the counter in use has a curve where nobody states its rate" \
	"$(values 'label[1]' 'label[2]')" \
	"'a (in use): last +1 ppm from its first rate' 'b: last +2 ppm, bound 8'"
ok "drift: the page says what that curve shows" \
	grep -q 'No rate is stated of a (in use): the curve' "$here/caption"
readings 3.2 1
is "drift: one reading has half a second on both sides" "$(values first last)" "0.5 1.5"
drift 'a 2 1 unknown' 'a 5 2 unknown' 'b 1 7 8' 'b 3 6 8' 'b 9 unknown 8'
is "drift: the time is from the first reading to the last of all" "$(values first last)" "1 5"
is "drift: each counter has its own reach, bound and data" "$(values 'reach[1]' 'bound[1]' \
	'reach[2]' 'bound[2]') $(data 0) $(data 1)" "2.5 NaN 10 8 2 1/5 2 1 7/3 6"

compute frequency 'kind cpu seconds core_hz counter_hz' 'any 0 1 3e9 2e9' 'any 0 2 3e9 unknown' \
	'any 0 3 unknown 2e9' 'any 0 4 unknown 2e9' 'any 0 5 3e9 2e9' 'any 0 6 0 2e9'
is "frequency: no line joins the readings beside an unknown one, and one alone is a point" \
	"$(paste -s -d / "$here/data")" \
	"1 3 NaN/2 3 NaN//5 3 3//NaN NaN NaN///1 2 2//3 2 NaN/4 2 NaN/5 2 NaN/6 2 NaN//"
ok "frequency: it is said how many are unknown" \
	grep -q '3 of 6 readings of the core unknown' "$here/desc"
compute gaps 'cpu seconds gap_ns' '1 0.1 1000' '1 0.1001 1010' '1 0.5 10000000' '0 0.7 2000' \
	'#_looked 1~0.5' '#_looked 0~0.2' '#_looked 2~0.2' '#_looked 3~0.000000'
is "gaps: a dot is the logarithm of a length, and two dots at one place are one" \
	"$(data 0) $(data 1)" "0.1 0/0.5 4 0.7 0.301029995663981"
is "gaps: how much of the time, and a CPU without gaps" \
	"$(values 'label[1]' 'label[2]' 'label[3]' 'label[4]')" \
	"'CPU 1: 3 gaps, 2 % of the time, longest 10 ms' \
'CPU 0: 1 gap, 0.001 % of the time, longest 2 us' 'CPU 2: 0 gaps, 0 % of the time' 'CPU 3: 0 gaps'"
is "gaps: whole decades, for all CPUs" "$(values low high)" "0 4"

compute frequency 'kind cpu seconds core_hz counter_hz' \
	'a-kind-with-a-very-long-name 0 1 unknown unknown' 'any 0 2 3e9 unknown'
is "frequency: a kind of which nothing is known, and a long name" \
	"$(paste -s -d / "$here/data") $(values 'label[1]')" \
	"NaN NaN NaN///2 3 3///NaN NaN NaN///NaN NaN NaN// \
'core: a-kind-with-a-very-long-name, CPU 0, unknown'"

skew() { compute skew 'cpu other_cpu offset_ns bound_ns rounds' "$@"; }
while read -r ns unit shown; do
	skew "0 1 $ns 0 9"
	is "skew: the unit of an offset of $ns ns" "$(values unit) $(data 0)" \
		"'$unit' 0 -$shown/$shown 0"
	is "skew: $ns ns in numbers and in a terminal" "$(head -n 1 "$here/numbers") $(data 2)" \
		"1 0 -$shown 0 0 $shown/1 $shown"
	is "skew: the colours of $ns ns" "$(values largest most)" "$shown 1"
	skew "0 1 -$ns 0 9"
	is "skew: the unit of an offset of -$ns ns" "$(values unit) $(data 0)" \
		"'$unit' 0 $shown/-$shown 0"
	skew "0 1 1 $ns 9"
	is "skew: the unit of a bound of $ns ns" "$(values unit largest most) $(data 1)" \
		"'$unit' $shown $shown 0 $shown/$shown 0"
done <<END
9999 ns 9999
10000 us 10
9999000 us 9999
10000000 ms 10
9999000000 ms 9999
10000000000 s 10
END
skew '0 1 20000 5000 9'
ok "skew: the largest is the offset and the bound together" \
	grep -q 'at most 25 us, CPU 0 to CPU 1' "$here/values.gp"
is "skew: so it is in a terminal" "$(data 2)" "0 25/1 25"
is "skew: the numbers of a cell" "$(head -n 1 "$here/numbers")" "1 0 -20 5"
is "skew: the colours of an offset that is larger" "$(values largest most)" "20 5"
skew '0 1 0 0 9'
is "skew: no offset has no sign" "$(paste -s -d / "$here/numbers")" "1 0 0 0/0 1 0 0/"
is "skew: the colours of nothing" "$(values unit largest most)" "'ns' 1 1"
skew '1 2 20 2 9' '0 1 1 40 9' '0 2 -30 5 9'
ok "skew: the worst pair" grep -q 'at most 41 ns, CPU 0 to CPU 1' "$here/values.gp"
is "skew: the worst of each CPU in a terminal" "$(data 2)" "0 41/1 41/2 35"

# 130 CPUs: two lie in one cell. A row of a map is that of the other CPU.
skew "$(awk 'BEGIN {
	for (cpu = 1; cpu < 130; cpu++)
		print 0, cpu, cpu == 2 ? "10 1" : cpu == 3 ? "-40 2" : cpu == 4 ? "50 3" : \
			cpu == 5 ? "20 9" : cpu == 6 ? "10 50" : cpu == 7 ? "20 3" : "0 0", 9
}')"
is "skew: a cell has the pair with the largest sum" "$(for map in 0 1; do
	data $map | tr '/' '\n' | sed -n -e 's/ .*//' -e 2,4p
done | paste -s -)" "-40	50	10	2	3	50"

samples() { compute samples 'process round function cycles_per_call' "$@"; }
# places EXPECTED NAME: how many different places the bars of the first function have.
places() {
	is "$2: each bar has a place of its own" \
		"$(data 0 | tr '/' '\n' | sed 's/ .*//' | sort -u | grep -c .)" "$1"
}
while read -r low high shown beyond; do
	# shellcheck disable=SC2046 # six numbers
	samples "$(printf '0 1 f %s\n' $(for i in 1 2 3; do echo "$low $high"; done))"
	is "samples: $low and $high are told apart" \
		"$(values 'label[1]' beyond | sed "s/'.\"\\\\n\".'/ /")" \
		"'f: $shown ($low to $high)' '$beyond'"
	places 62 "samples: $low and $high"
done <<'END'
3 4 3.5
100000000.1 100000000.2 100000000.15
999999999999998 999999999999999 999999999999998.5 , less 999999999999998
-999999999999999 -999999999999998 -999999999999998.5 , less -999999999999999
END
samples "$(printf '0 1 f %s\n' 999999999999998 999999999999998)"
is "samples: equal ones" "$(values 'label[1]')" "'f: 999999999999998 (no interval)'"
# clip EXPECTED SAMPLE...: what is drawn from one function's samples: how many bars are not empty,
# whether the axis ends before 200, and what is said of the others.
clip() {
	clip_expected=$1
	shift
	samples "$(printf '0 1 f %s\n' "$@")"
	is "samples: $*: what lies in view" "$(awk '$2 > 0 { n++ } NF == 4 { exit } !NF { exit }
		END { printf "%d ", n }' "$here/data")$(values to |
		awk '{ print ($1 < 200) }') $(sed -n 's/^1.\([0-9].* outside\)$/\1/p' \
		"$here/panels")" "$clip_expected"
}
clip "6 1 1 of 7 samples lie outside" 100 102 104 106 108 110 200000
clip "6 1 1 of 7 samples lie outside" 100 102 104 106 108 110 200000.5
clip "5 1 1 of 6 samples lie outside" 1 100 102 104 106 108
clip "7 1 " 100 102 104 106 108 110 114
clip "3 0 " 100 102 104 300
# A twentieth part of many
clip "10 1 2 of 40 samples lie outside" $(seq 101 110) $(seq 101 110) $(seq 101 110) \
	$(seq 103 110) 5000 200000
noise 'a on-core unknown 999999999999998 5' 'a on-core unknown 999999999999999 7'
is "noise: large differences that are nearly equal" "$(data 0)" \
	"999999999999997.5 999999999999998.5 5/999999999999998.5 999999999999999.5 7"

# named NAME: the lines of its label and their number.
named() { samples "0 1 $1 3"; values 'label[1]' row_height; }
is "samples: a long name is broken behind signs" \
	"$(named /home/user/project/src/sorting/merge.c:sort_with_insertion_below_16_elements)" \
	"'/home/user/project/src/sorting/merge.c:sort_with_'.\"\\n\".'insertion_below_16_elements:\
 3 (no interval)' 63"
long=$(printf 'abcdefghij%.0s' 1 2 3 4 5 6)
is "samples: or where the line is full, and the figures stay together" "$(named "$long")" \
	"'$(echo "$long" | cut -c -50)'.\"\\n\".'abcdefghij: 3 (no interval)' 63"
is "samples: they have a line of their own if need be" \
	"$(named "$long$(echo "$long" | cut -c -35)")" \
	"'$(echo "$long" | cut -c -50)'.\"\\n\".'$(echo "$long" | cut -c -45):'.\"\\n\".\
'3 (no interval)' 84"
samples "0 1 ${long}_a_$long 3" "0 1 ${long}_b_$long 3"
ok "samples: names that differ in the middle look different" \
	test "$(values 'label[1]')" != "$(values 'label[2]')"
named "start$long$long$long$long" >"$scratch/label"
ok "samples: of a name of hundreds of characters the end is shown" sh -c \
	"grep -q 'abcdefghij:' '$scratch/label' && ! grep -q start '$scratch/label'"

samples '0 1 f 3' '0 1 g 2' '0 1 h 9' '0 1 i 3' '#_verdict faster~-33.333~-40.12~-20~7~g' \
	'#_verdict cannot-tell~200~unknown~unknown~7~h'
is "samples: a verdict has a line of its own" \
	"$(values 'label[1]' 'label[2]' 'label[3]' 'label[4]' row_height)" \
	"'f: 3 (no interval)'.\"\\n\".'verdicts: how many percent longer than this one' \
'g: 2 (no interval)'.\"\\n\".'-33.3 % (-40.1 to -20 %), faster' \
'h: 9 (no interval)'.\"\\n\".'+200 %, cannot tell' 'i: 3 (no interval)' 63"
is "samples: the description has the verdicts" "$(sed 's/.*How many/How many/' "$here/desc")" \
	"How many percent longer than f: g: -33.3 % (-40.1 to -20 %), faster, in 7 units;\
 h: +200 %, cannot tell, in 7 units."
is "samples: a terminal has them, too" "$(sed -n 2p "$here/panels")" \
	"1	# g: 2 (no interval); -33.3 % (-40.1 to -20 %), faster"
ok "samples: where there are verdicts, the page goes by them" \
	grep -q '^How long .* The verdicts say' "$here/caption"
samples '0 1 f 3' '0 1 g 2'
is "samples: without a verdict nothing is said of it" \
	"$(grep -c -i 'verdict\|longer' "$here/values.gp" "$here/desc" | sed 's/.*://' |
		paste -s -) $(values row_height)" "0	0 42"

# sizes ROW...: of a CSV with few columns, in another order than cpucycles-measure has them. $more
# are more columns.
more=
sizes() {
	kind=sizes
	rm -rf "$here"
	mkdir "$here"
	printf '%s\n' "function,bytes,size,unit,mean,mean_low,mean_high$more" "$@" \
		>"$scratch/in.csv"
	(cd "$here" && PLOT_NAME=in.csv awk -f "$top_srcdir/plot/common.awk" \
		-f "$top_srcdir/plot/axis.awk" -f "$top_srcdir/plot/sizes.awk" <"$scratch/in.csv")
}
sizes f,16,16,cycles,32,16,64 f,64,64,cycles,64,32,128 f,1024,1024,cycles,512,256,768
is "sizes: units per byte over the logarithm of the size" "$(data 0)" \
	"4 2 1 4/6 1 0.5 2/10 0.5 0.25 0.75"
is "sizes: the unit" "$(values up headline)" "'cycles per byte' 'Cycles per byte'"
is "sizes: the last figure" "$(values 'label[1]')" "'f: 0.5 at 1K'"
more=,core_cycles,core_cycles_low,core_cycles_high
sizes f,16,16,ticks,1,1,1,32,16,64 f,64,64,ticks,1,1,1,64,32,128 f,,128,,,,,,,
is "sizes: core cycles rather than ticks" "$(data 0) $(values up)" \
	"4 2 1 4/6 1 0.5 2 'cycles per byte'"
sizes f,16,16,ticks,32,16,64,1,1,1 f,64,64,ticks,64,32,128,,,
is "sizes: not if they are missing at a size" "$(data 0) $(values up)" \
	"4 2 1 4/6 1 0.5 2 'ticks per byte'"
more=
sizes f,16,16,cycles,32,16,64 f,64,64,cycles,64,32,128 f,1024,1024,cycles,512,256,768
is "sizes: a linear axis from 0, up to the intervals" "$(values logarithmic bottom top)" \
	"0 0 4.32"
is "sizes: powers of 2 at the axis" "$(values xtics)" \
	"\"set xtics ('16' 4, '32' 5, '64' 6, '128' 7, '256' 8, '512' 9, '1K' 10)\""
sizes f,16,16,cycles,16,8,160
is "sizes: not up to one that is far wider" "$(values top)" 2.16
sizes f,1,1,ns,100,90,1000 f,10,10,ns,10,1,20
is "sizes: nor on a log axis" "$(values logarithmic bottom top)" \
	"1 -0.401029995663981 2.40102999566398"
sizes f,,16,ns,32,16,64 f,,64,ns,64,32,128
is "sizes: units per call without bytes" "$(data 0) $(values up headline)" \
	"4 32 16 64/6 64 32 128 'ns per call' 'Time of a call'"
sizes f,8,16,ns,32,16,64
is "sizes: bytes that are not the size" "$(data 0)" "4 4 2 8"
is "sizes: one size has room on both sides" "$(values from to)" "3.47 4.53"
sizes f,64,64,ns,64,, f,16,16,ns,16,,
is "sizes: any order; without an interval, a point" "$(data 0)" "4 1 1 1/6 1 1 1"
sizes f,1,1,ns,31,, f,10,10,ns,10,,
is "sizes: figures that differ by 31 have a log scale" \
	"$(values logarithmic up) $(data 0)" \
	"1 'ns per byte (log scale)' 0 1.49136169 1.49136169 1.49136169/3.32192809 0 0 0"
sizes f,1,1,ns,30,, f,10,10,ns,10,,
is "sizes: figures that differ by 30 have a linear one" "$(values logarithmic)" 0
sizes f,16,16,ns,16,, f,,32,,,, f,,64,,,, f,128,128,ns,128,, g,,16,,,, h,16,16,ns,32,,
is "sizes: what was not measured is an empty line, and two lines end a curve" \
	"$(paste -s -d / "$here/data")" "4 1 1 1//7 1 1 1///NaN NaN NaN NaN///4 2 2 2//"
is "sizes: it is said" "$(values 'label[2]') $(grep -c '3 sizes are not drawn' "$here/desc")" \
	"'g: not measured' 1"
sizes f,0,0,ns,16,, f,16,16,ns,16,,
is "sizes: a size of 0 has no place on a log axis" "$(data 0)" "4 1 1 1"
sizes '"a,""b""",16,16,ns,16,16,"16"'
is "sizes: cells in quotes" "$(values 'label[1]') $(data 0)" "'a,\"b\": 1 at 16' 4 1 1 1"
sizes f,,16,,,,
is "sizes: nothing was measured" "$(cat "$here/sentence")" \
	"There are no sizes that were measured."
# refused SENTENCE ROW...: the first row is line 2.
refused() {
	refused_sentence=$1
	shift
	is "sizes: $*: $refused_sentence" "$(sizes "$@")" \
		"in.csv: line $(($# + 1)): $refused_sentence"
}
refused "expected 7 cells" f,16,16,ns,16,16
refused "expected a size, as cpucycles-measure has it with --sizes" f,16,,ns,16,,
refused "expected a size, as cpucycles-measure has it with --sizes" f,16,-1,ns,16,,
refused "expected the unit cycles, ticks or ns, the same in all rows" f,16,16,ns,16,, \
	f,16,16,ticks,16,,
refused "expected a number of at most 1e15 as mean" "f,16,16,ns,system('id'),,"
refused "expected a second quotation mark behind the first" '"f,16,16,ns,16,,'
refused "expected a comma behind a quotation mark" '"f"x,16,16,ns,16,,'
refused "expected the name of a function" ,16,16,ns,16,,
refused "expected at most 14 functions" $(seq -f '%g,16,16,ns,16,,' 15)
is "sizes: a column is not there" "$(printf 'function,size\nf,1\n' |
	(cd "$here" && PLOT_NAME=in.csv awk -f "$top_srcdir/plot/common.awk" \
		-f "$top_srcdir/plot/axis.awk" -f "$top_srcdir/plot/sizes.awk"))" \
	"in.csv: line 1: expected a column unit; such a file is written by cpucycles-measure --csv \
--sizes=SIZE,... FUNCTION... >FILE"
sizes '#f,16,16,ns,16,16,16'
is "sizes: a name that looks like a comment" "$(values 'label[1]')" "'#f: 1 at 16'"

# layouts UNIT_PROCESSES VERDICTS ROW...: the columns have spaces between them.
layouts() {
	kind=layouts
	rm -rf "$here"
	mkdir "$here"
	{
		printf '# samples\tlayouts\n# unit_processes\t%s\n' "$1"
		printf '%b' "$2"
		shift 2
		printf 'unit process function place_bytes ns_per_call longer_percent\n' |
			tr ' ' '\t'
		printf '%s\n' "$@" | tr ' ~' '\t-'
	} >"$scratch/in.tsv"
	(cd "$here" && PLOT_NAME=in.tsv awk -f "$top_srcdir/plot/common.awk" \
		-f "$top_srcdir/plot/axis.awk" -f "$top_srcdir/plot/verdict.awk" \
		-f "$top_srcdir/plot/layouts.awk" <"$scratch/in.tsv")
}
# "~" stands for a minus sign. A row that ends with a space has no last value.
verdict='# verdict\tslower 50 25 75 2 g\n'
layouts 2 "$verdict" '0 0 f 0 10 ' '0 0 g 16 10 300' '0 1 f 64 30 ' '0 1 g 32 20 0' \
	'1 2 f 16 20 ' '1 2 g 48 15 ~75' '1 3 f 80 20 ' '1 3 g 0 15 300' '2 4 f 0 20 ' \
	'2 4 g 0 15 20'
is "layouts: a unit is the mean of log ratios, and one that is not whole is left out" \
	"$(data 0)" "1 100/2 0"
is "layouts: the estimate and its interval" "$(values 'estimate[1]' 'lowest[1]' 'highest[1]' \
	'label[1]')" "50 25 75 'g: +50 % (+25 to +75 %), slower'"
is "layouts: dots and 0 are in view" "$(values 'low[1]' 'high[1]' 'step[1]' 'last[1]')" \
	"-6 106 50 2"
# Two functions: that at place 0 is left of it, and each has a width of 0.8 times 6 bytes.
is "layouts: each layout as percent of the median, over its place in 64 bytes" "$(data 1)" \
	"-4.2 50/-3 150/12.2 100/13.8 100/-1.8 100"
is "layouts: the median at each place" "$(data 3)" "-5.7 100 5.4/10.3 100 5.4"
is "layouts: the name with the median of all" "$(values 'name[1]' 'name[2]')" \
	"'f: 20 ns' 'g: 15 ns'"
ok "layouts: nothing is shaded without a costly place" eval \
	'[ "$(data 5)" = "NaN NaN" ] && ! grep -q -e costly -e shade "$here/desc" "$here/values.gp"'
# One of two functions, at two places.
layouts 1 '# costly\t16 g\n# costly\t48 g\n' '0 0 f 0 10 ' '0 0 g 16 10 '
is "layouts: costly places are shaded" "$(data 4)" "16 22/48 54"
is "layouts: the name has them" "$(values 'name[1]' 'name[2]')" \
	"'f: 10 ns' 'g: 10 ns, costly at 16 or 48'"
ok "layouts: the description has them" grep -q \
	'g: 100 % at 16, costly at 16 or 48\. At a costly place, .*' "$here/desc"
layouts 1 '' '0 0 f 0 0 ' '1 1 f 0 0 '
is "layouts: a median of 0 has no parts" "$(data 0)" "NaN NaN"
layouts 1 "$verdict" '0 0 f  10 ' '0 0 g  10 ~50' '1 1 f  10 ' '1 1 g  10 '
is "layouts: a process without a ratio is left out; without places there is one panel" \
	"$(data 0) $(values placed processes)" "1 -50 0 1"
layouts 1 '' '0 0 f  10 '
is "layouts: one function without places" "$(cat "$here/sentence")" \
	"There are no comparisons and no places of code."
rows=$(awk 'BEGIN {
	for (i = 0; i < 60; i++)
		print i, i, "f", 0, (i == 30 ? 9000 : 100 + i % 2), ""
}')
layouts 1 '' "$rows"
is "layouts: what lies far outside is counted" "$(grep -c '1 dot lies outside' "$here/desc") \
$(values 'high_place[1]' | awk '{ print ($1 < 110) }')" "1 1"

# leak STEP VERDICT DECILE TAIL ROW...: all nine deciles have this text.
leak() {
	kind=leak
	rm -rf "$here"
	mkdir "$here"
	{
		printf '# cpucycles-measure-leak 1\n# function\tf\n# unit\tticks\n'
		printf '# step\t%s\n# verdict\t%s\n' "$1" "$2"
		for i in 1 2 3 4 5 6 7 8 9; do printf '# decile\t%d0 %s\n' $i "$3"; done
		printf '# tail\t99 %s\n' "$4"
		shift 4
		[ $# -eq 0 ] || printf '%s\n' "$@" | tr ' ' '\t' >"$scratch/rows"
		[ $# -gt 0 ] || : >"$scratch/rows"
		printf '# times\t%d %d\ngroup\tticks\n' "$(grep -c ^0 "$scratch/rows")" \
			"$(grep -c ^1 "$scratch/rows")"
		cat "$scratch/rows"
	} >"$scratch/in.tsv"
	(cd "$here" && PLOT_NAME=in.tsv awk -f "$top_srcdir/plot/common.awk" \
		-f "$top_srcdir/plot/axis.awk" -f "$top_srcdir/plot/verdict.awk" \
		-f "$top_srcdir/plot/leak.awk" <"$scratch/in.tsv")
}
none='0 0 unknown unknown'
leak 2 leaks '10 3 1 4' '0.015 -0.005 -0.01 0.0025' '0 10' '0 12' '0 12' '0 14' '1 12' '1 16'
is "leak: a bar for each step, with the part of the group's times" "$(data 0) $(data 1)" \
	"7 0/9 25/11 50/13 25/15 0/17 0 7 0/9 0/11 50/13 0/15 50/17 0"
is "leak: the difference at each decile and its interval" "$(data 2 | cut -d / -f 1,9)" \
	"10 3 1 4/90 3 1 4"
is "leak: 0 and the intervals are in view" "$(values 'low[1]' 'high[1]')" "-0.24 4.24"
is "leak: the verdict, and the share of slow calls" "$(values headline tail)" \
	"'f: leaks' 'above the quantile of 99 %: 1.5 % of the calls of'.\"\\n\".'group 0, \
difference -0.5 % (-1 to +0.25)'"
is "leak: all of it in words" "$(sed 's/10 %, .* at 90/10 to 90/' "$here/desc")" \
	"Histograms of the times of calls, in ticks. Group 0: 4 times. Group 1: 2 times. How much \
more group 1 takes: +3 ticks (+1 to +4) at 10 to 90 %. Above the quantile of 99 %: 1.5 % of the \
calls of group 0, difference -0.5 % (-1 to +0.25)."
leak 2 leaks '1 1 1 1' "$none" "$(seq -f '0 %g' 2 2 124)"
is "leak: bars are whole steps wide, so that no bar has more figures than another" \
	"$(awk 'NF == 2 && $2 != "NaN" { print $2 }' "$here/data" | uniq | paste -s -d ' ')" \
	"0 3.22580645 0"
# slow COUNT: so many of the 400 times of group 0 are far from all others.
slow() {
	leak 1 leaks '1 1 1 1' "$none" \
		"$(awk -v slow="$1" 'BEGIN {
			for (i = 0; i < 800; i++)
				print int(i / 400), (i < slow ? 9000 : 10)
		}')"
	values 'name[1]' 'name[2]'
}
is "leak: the slowest 5 of 1000 times of both groups lie outside; each group says how many" \
	"$(slow 4)" "'group 0: 400 times, 1 % of them outside' 'group 1: 400 times'"
is "leak: not if they are more" "$(slow 5)" "'group 0: 400 times' 'group 1: 400 times'"
leak 1 'cannot tell' "$none" "$none" '0 7'
is "leak: a difference without an interval is not drawn" "$(data 2 | tr / '\n' | uniq -c |
	tr -s ' ') $(values tail) $(values below | grep -c 'too few calls')" \
	" 9 NaN NaN NaN NaN 'above the quantile of 99 %: unknown' 1"
is "leak: one group without times" "$(data 1) $(values 'name[1]' 'name[2]')" \
	"NaN NaN 'group 0: 1 time' 'group 1: no times'"
leak 1 'no difference above 24.5001' "$none" "$none"
is "leak: no times" "$(cat "$here/title" "$here/sentence")" "f: no difference above 24.5 ticks
There are no times."
leak 1 'no verdict' "$none" "$none" '0 999999999999998' '1 999999999999999'
is "leak: no verdict has a reason" "$(values headline) $(grep -c '^1.equal inputs differ' \
	"$here/panels")" "'f: no verdict' 1"
is "leak: bars are not narrower than numbers can be" "$(data 0 | cut -d / -f 2)" \
	"999999999499998 100"
