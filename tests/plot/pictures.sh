#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Each kind of picture from made data: complete, with title, axes and units, and drawn from the
# data.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/plot/common.sh"
need_gnuplot
need_python

look() { $picture_check "$@"; }
texts() { look texts "$scratch/out.svg" >"$scratch/texts"; }
# has COUNT TEXT: so many lines of the texts have this.
has() { is "$3" "$(grep -c -e "$2" "$scratch/texts")" "$1"; }

# picture KIND COUNT: draws made data.
picture() {
	made "$1" "$2" >"$scratch/in.tsv"
	if [ "$1" = samples ]; then
		draws "$1 of $2" samples "$scratch/in.tsv" -o "$scratch/out.svg"
	else
		draws "$1 of $2" "$1" -i "$scratch/in.tsv" -o "$scratch/out.svg"
	fi
	ok "$1 of $2: a document of XML" texts
	is "$1 of $2: ids are unique, and none is missing" "$(look ids "$scratch/out.svg")" ""
}

# by_hand KIND ROW...: the same from rows with spaces.
by_hand() {
	by_hand_kind=$1
	shift
	made "$by_hand_kind" 1 | sed '/^[^#]/,$d' >"$scratch/in.tsv"
	printf '%s\n' "$@" | tr ' ' '\t' >>"$scratch/in.tsv"
	draws "$by_hand_kind by hand" "$by_hand_kind" -i "$scratch/in.tsv" -o "$scratch/out.svg"
	texts
}

# changes KIND COUNT: other data gives another picture, the same data the same.
changes() {
	for changes_seed in 1 1 2; do
		made "$1" "$2" "$changes_seed" >"$scratch/in.tsv"
		[ ! -e "$scratch/now.svg" ] || mv "$scratch/now.svg" "$scratch/before.svg"
		if [ "$1" = samples ]; then
			run samples "$scratch/in.tsv" -o "$scratch/now.svg"
		else
			run "$1" -i "$scratch/in.tsv" -o "$scratch/now.svg"
		fi
		[ "$changes_seed" = 1 ] || break
		[ ! -e "$scratch/before.svg" ] ||
			ok "$1: the same data gives the same picture" \
				same "$scratch/before.svg" "$scratch/now.svg"
	done
	ok "$1: other data gives another picture" not same "$scratch/before.svg" "$scratch/now.svg"
	rm -f "$scratch/before.svg" "$scratch/now.svg"
}

for counters in 1 10; do
	picture noise $counters
	has $counters '^made-counter.*precision [0-9]*$' "noise: a panel for each counter"
	has $counters '^difference (cycles' "noise: each panel names the unit"
	has $counters '^occurrences$' "noise: each panel says what is counted"
done
is "noise: the title" "$(look title "$scratch/out.svg")" \
	"Noise: differences of adjacent counts on Made CPU (R) 7 @ 2.10GHz"
ok "noise: the description has each counter" \
	sh -c "$picture_check desc '$scratch/out.svg' |
		grep -q 'made-counter10: usually 720 cycles, prec'"
columns='counter class precision_cycles difference_cycles occurrences'
by_hand noise "$columns" 'a on-core 30 24 5' 'a on-core 30 26 900' 'a on-core 30 28 7'
is "noise: a bar for each difference" "$(look count "$scratch/out.svg" polygon)" 3
has 1 '^1k$' "noise: counts that differ much have a log scale"
has 0 'log scale' "noise: differences that are close have none"
by_hand noise "$columns" 'a on-core unknown 24 5' 'a on-core unknown 100000 9'
has 1 'precision unknown' "noise: an unknown precision"
has 1 'log scale' "noise: differences that are far apart have a log scale"

picture skew 1
has 1 'one CPU' "skew: one CPU is a sentence"
for cpus in 2 16; do
	picture skew $cpus
	is "skew of $cpus: two maps, later CPUs are ahead" \
		"$(look cells "$scratch/out.svg" | sed -n 1p)" \
		"$cpus $cpus warm white white cold cold"
done
has 2 '^CPU$' "skew: the axes"
has 1 '^bound of the offset (ns)$' "skew: the unit"
ok "skew: the title has the largest skew" grep -q '^at most .* ns, CPU [0-9]* to CPU' \
	"$scratch/texts"
picture skew 512
is "skew of 512: cells cover several CPUs" "$(look cells "$scratch/out.svg" | cut -d' ' -f1-3,6)" \
	"128 128 warm cold
128 128 dark dark"
ok "skew of 512: the file is small" test "$(wc -c <"$scratch/out.svg")" -lt 150000
columns='cpu other_cpu offset_ns bound_ns rounds'
by_hand skew "$columns" '3 40 5e6 100 9' '3 7 -10 5 9'
has 2 '^+5000$\|^-5000$' "skew: few cells have numbers, in a unit that fits"
has 1 'at most 5000 us, CPU 3 to CPU 40' "skew: the worst pair"
is "skew: a pair that was not measured is grey" "$(look cells "$scratch/out.svg" | sed -n 1p)" \
	"3 3 warm white white cold white"

for counters in 1 10; do
	picture drift $counters
	has $counters 'made-counter.*last .* ppm' "drift: a panel for each counter"
	has $counters '^time (s)$' "drift: the time's unit"
	has $counters '^residual (ppm)$' "drift: the residual's unit"
done
columns='counter seconds residual_ppm bound_ppm'
by_hand drift "$columns" 'a 0.1 2 3' 'a 0.2 1 3' 'a 0.3 1.25 3'
has 1 '^a: last +1.25 ppm, bound 3$' "drift: the last residual, and the bound"
# The points, and one that gnuplot defines the filled circle by.
is "drift: a point for each row" "$(grep -c "<use .*gpPt6' transform" "$scratch/out.svg")" 3
by_hand drift "$columns" 'a 0.1 unknown unknown' 'b 1 unknown 2'
has 2 'no stated rate' "drift: unknown residuals"

for kinds in 1 8; do
	picture frequency $kinds
	has $kinds '^core: .*GHz$' "frequency: each kind is in the legend"
	has 1 '^frequency (GHz)$' "frequency: the unit"
	has 1 '^persecond, 2.1 GHz$' "frequency: persecond"
	has 1 '^stated rate of the counter, 2.096 GHz$' "frequency: the stated rate"
	has 1 '^rate of made-counter1' "frequency: the counter's rate"
done
by_hand frequency 'kind cpu seconds core_hz counter_hz' 'any 0 0.01 3e9 unknown' \
	'any 0 0.02 3e9 unknown'
has 1 '^core: CPU 0, mean 3 GHz$' "frequency: one kind"
has 0 '^rate of' "frequency: what is unknown is not in the legend"

for functions in 1 8; do
	picture samples $functions
	has $functions '([0-9.]* to [0-9.]*)$' "samples: each function has a median and an interval"
	has 2 '^cycles per call$' "samples: the unit"
done
# Of 9 samples the 2nd and the 8th enclose the median in 96 of 100 runs.
{
	printf 'round\tfunction\tns_per_call\n'
	for i in 7 3 9 1 5 8 2 6 4; do printf "$i\tf\t$i\n"; done
	for i in 1 2 3 4 5; do printf "$i\tg\t$i\n"; done
} >"$scratch/in.tsv"
draws "samples by hand" samples "$scratch/in.tsv" -o "$scratch/out.svg"
texts
has 1 '^f: 5 (2 to 8)$' "samples: the interval of a median"
has 1 '^g: 3 (no interval)$' "samples: too few samples for an interval"

for kind in noise skew drift frequency; do
	made $kind 2 | sed '/^[a-z]/q' >"$scratch/in.tsv"
	draws "$kind without rows" $kind -i "$scratch/in.tsv" -o "$scratch/out.svg"
	ok "$kind without rows: a document of XML" texts
	has 1 '^Th\|^No ' "$kind without rows: a sentence"
	changes $kind 4
done
changes samples 3

made skew 16 >"$scratch/in.tsv"
draws "a PNG" skew -i "$scratch/in.tsv" -o "$scratch/out.png"
ok "a PNG: its size, and many colours" sh -c \
	"$picture_check png '$scratch/out.png' |
		awk '{ exit !(\$1 == 880 && \$2 > 1400 && \$3 > 40) }'"

# Without -o on a terminal
command -v script >/dev/null || { skip "a terminal" "script is not installed"; exit 0; }
for kind in noise skew drift frequency; do
	made $kind 2 >"$scratch/in.tsv"
	script -q -e -c "stty cols 70 rows 30; '$plot' $kind -i '$scratch/in.tsv'" /dev/null \
		>"$scratch/out" </dev/null
	is "$kind on a terminal" "$?" 0
	ok "$kind on a terminal: as wide as that" sh -c "tr -d '\\r' <'$scratch/out' |
		awk 'length > 70 { wide = 1 } END { exit wide || NR < 25 }'"
	ok "$kind on a terminal: drawn" grep -q '[*#|+]' "$scratch/out"
done

# What takes over a second says what it does, where somebody looks: drawing much data, and taking
# samples.
made_info
on_terminal() {
	script -q -e -c "'$plot' $*" /dev/null >"$scratch/seen" </dev/null
}
made skew 512 >"$scratch/many.tsv"
on_terminal skew -i "'$scratch/many.tsv'" -o "'$scratch/many.svg'"
is "much data: a line says what it does" "$(tr -d '\r' <"$scratch/seen")" \
	"cpucycles-plot: drawing skew"
made skew 2 >"$scratch/few.tsv"
on_terminal skew -i "'$scratch/few.tsv'" -o "'$scratch/few.svg'"
is "little data: it says nothing" "$(cat "$scratch/seen")" ""
on_terminal skew -o "'$scratch/few.svg'"
is "samples: a line says what it does" "$(tr -d '\r' <"$scratch/seen")" \
	"cpucycles-plot: taking samples of skew"
