#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-info --samples prints tables for charts.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/utils/common.sh"

tab=$(printf '\t')
number='-?[0-9]+(\.[0-9]+)?'
maybe="(unknown|$number)"

# The errors of the command line.
# refused ARGUMENT...: a usage error of one line, without output.
refused() {
	# What is not refused may measure for an hour.
	status=0
	timeout 60 "$info" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
	is "$*: status" "$status" 2
	is "$*: one line" "$(said | grep -c .)" 1
	is "$*: no output" "$(cat "$scratch/out")" ""
}
refused --samples
refused --samples nonsense
is "the line names the kinds" "$(said)" \
	"cpucycles-info: nonsense: expected noise, skew, drift, frequency or gaps"
for seconds in 0 3601 1.5 -1 2s ' 3' '' 99999999999999999999; do
	refused --samples noise --seconds "$seconds"
done
refused --seconds 5
refused --samples noise --cache
refused --probe --samples noise
refused --samples noise --json
run --help
for word in --samples --seconds noise skew drift frequency gaps; do
	ok "--help has $word" grep -q -e " $word" "$scratch/out"
done

need_cache
CPUCYCLES_CACHE=$cache
export CPUCYCLES_CACHE

# comment KEY: the value of this comment line.
comment() { sed -n "s/^# $1$tab//p" "$scratch/out"; }
# rows: without comment lines and the names of the columns.
rows() { sed -e '/^#/d' "$scratch/out" | sed 1d; }
# column N: of all rows.
column() { rows | cut -f "$1"; }
# increasing KEY VALUE: the rows' column VALUE increases as long as the column KEY is the same.
increasing() {
	rows | awk -F '\t' -v key="$1" -v value="$2" '
		$key in last && $value <= last[$key] { bad = 1; print "# " $0 }
		{ last[$key] = $value }
		END { exit bad }'
}

# sample KIND COLUMNS ROW ARGUMENT...: run it, and check what all kinds have in common.
sample() {
	kind=$1
	columns=$2
	row=$3
	shift 3
	run --samples "$kind" "$@"
	is "$kind: status" "$status" 0
	is "$kind: nothing on standard error" "$(said)" ""
	is "$kind: the comment lines of all kinds come first" \
		"$(sed -n "1,7s/^# \([a-z]*\)$tab.*/\1/p" "$scratch/out" | tr '\n' ' ')" \
		"cpucycles samples date machine kernel counter seconds "
	is "$kind: it says its kind" "$(comment samples)" "$kind"
	is "$kind: the date has the form" "$(comment date |
		grep -c -x '20[0-9-]*T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')" 1
	is "$kind: the kernel" "$(comment kernel)" "$(uname -r)"
	is "$kind: the columns" "$(sed '/^#/d' "$scratch/out" | sed 1q | tr '\t' ' ')" "$columns"
	is "$kind: each row has the form" "$(rows | tr '\t' ' ' | grep -v -x -E "$row")" ""
}

# Noise. The cache states class and precision of each counter.
columns='counter class precision_cycles difference_cycles occurrences'
sample noise "$columns" '[a-z0-9-]+ [a-z-]+ [0-9]+ -?[0-9]+ [1-9][0-9]*'
is "noise: the usual time" "$(comment seconds)" 1
is "noise: counter, class and precision are those of the cache" \
	"$(rows | cut -f 1-3 | sort -u | tr '\t' ' ')" \
	"$("$info" --cache | awk '$3 == "rank" { print $5, $7, $9 }' | sort)"
ok "noise: the differences ascend" increasing 1 4
is "noise: so many differences are taken in a row" "$(rows | awk -F '\t' '
	{ sum[$1] += $5 }
	END { for (name in sum) if (sum[name] % 4096) print name, sum[name] }')" ""
column 1 | sort -u >"$scratch/usable"
is "the counter in use is that of the cache" "$(comment counter)" "$("$info" --cache |
	sed -n 's/^cpucycles implementation \([^ ]*\) .*/\1/p')"

# Drift. Each counter of the noise has rows, or a comment line says that it has no rate.
columns='counter seconds residual_ppm bound_ppm'
sample drift "$columns" "[a-z0-9-]+ $number $number $maybe" --seconds 1
{ column 1; comment without_rate; } | sort -u >"$scratch/drifting"
is "drift: no counter is missing" "$(cat "$scratch/drifting")" "$(cat "$scratch/usable")"
is "drift: no counter has both" "$(column 1 | sort -u | grep -x -F -e "$(comment without_rate)")" ""
is "drift: ten rows per second" "$(column 1 | sort | uniq -c | sed 's/^ *\([0-9]*\).*/\1/' |
	sort -u)" 10
ok "drift: the seconds ascend" increasing 1 2
# The lines end in "measured HZ ppm ERROR".
"$info" --cache | sed -n 's/^cpucycles cache rank [0-9]* \([^ ]*\) .* ppm \([0-9]*\)$/\1 \2/p' |
	sort >"$scratch/bounds"
is "drift: the bounds are those of the cache" \
	"$({ rows | cut -f 1,4 | tr '\t' ' '; comment own_rate | sed 's/$/ unknown/'; } |
		sort -u | grep -v -x -F -f "$scratch/bounds")" "$(comment own_rate |
		sed 's/$/ unknown/' | sort)"
CPUCYCLES_CACHE=none
sample drift "$columns" "[a-z0-9-]+ $number $number unknown" -s 1
is "drift: without a cache, no counter beside the core is missing" "$(CPUCYCLES_CACHE=none \
	"$info" --probe | awk '$3 == "rank" && $7 == "off-core" { print $5 }' | sort -u)" \
	"$(column 1 | sort -u | grep -x -F -e "$(CPUCYCLES_CACHE=none "$info" --probe |
		awk '$3 == "rank" && $7 == "off-core" { print $5 }')")"
# A rate is a whole number.
is "drift: what is held against its own rate begins with that" \
	"$(comment own_rate | while read -r name; do
		rows | awk -F '\t' -v name="$name" '$1 == name { print $3; exit }'
	done | awk '$1 > 1 || $1 < -1')" ""
run --samples noise
is "without a cache: precisions are those of a probe" "$(column 3 | grep -v -x '[0-9]*')" ""
CPUCYCLES_CACHE=$cache

# Frequency. A row ends in each 10 ms, unless other processes had the CPU.
columns='kind cpu seconds core_hz counter_hz'
row="(any|capacity [0-9]+|cpu_[a-z]+) (unknown|[0-9]+) $number $maybe $maybe"
sample frequency "$columns" "$row" -s 1
ok "frequency: rows" test -n "$(rows)"
ok "frequency: the seconds ascend" increasing 1 3
rows >"$scratch/rows"
is "frequency: no two rows end in the same 10 ms" \
	"$(awk -F '\t' '{ print $1, int($3 * 100 + 0.001) }' "$scratch/rows" | uniq -d)" ""
ok "frequency: no more rows than fit" test "$(wc -l <"$scratch/rows")" -le 101
is "frequency: of a processor" "$(awk -F '\t' '
	$4 != "unknown" && ($4 < 1e7 || $4 > 2e10) { print }' "$scratch/rows")" ""
is "frequency: persecond" "$(comment persecond_hz)" "$("$info" --cache |
	sed -n 's/^cpucycles persecond \([0-9]*\) .*/\1/p')"
ok "frequency: it names the witness" test -n "$(comment witness)"

# Of an OS clock the rate is known.
CPUCYCLES_COUNTER=default-monotonic
export CPUCYCLES_COUNTER
sample frequency "$columns" "$row" -s 1
is "a counter by name is the counter in use" "$(comment counter)" default-monotonic
rate=$(comment rate_hz)
median=$(column 5 | sort -n | awk '{ line[NR] = $1 } END { print line[int((NR + 1) / 2)] }')
ok "its median rate, $median, is that of the library, $rate" \
	awk "BEGIN { exit !($rate > 0 && $median / $rate > 0.99 && $median / $rate < 1.01) }"
unset CPUCYCLES_COUNTER

# Gaps. Each CPU that this process may use has been looked at, or it could not be.
sample gaps 'cpu seconds gap_ns' "[0-9]+ $number [1-9][0-9]*" -s 1
ok "gaps: the seconds ascend" increasing 1 2
is "gaps: each CPU" "$({ comment looked; comment not_measured; } | cut -d ' ' -f 1 | sort -u |
	grep -c .)" "$(nproc)"
is "gaps: no CPU lost more than its time" "$({ comment looked | tr ' ' '\t'; rows; } | awk '
	NF == 2 { looked[$1] = $2; next }
	{ lost[$1] += $3 / 1e9 }
	END { for (cpu in lost) if (lost[cpu] > looked[cpu]) print cpu }')" ""

# Skew.
columns='cpu other_cpu offset_ns bound_ns rounds'
row="[0-9]+ [0-9]+ $maybe $maybe [0-9]+"
if command -v taskset >/dev/null && command -v nproc >/dev/null && taskset -c 0 true; then
	cpus=$(nproc)
	sample skew "$columns" "$row" -s 1
	is "skew: so many CPUs" "$(comment cpus)" "$cpus"
	is "skew: all pairs" "$(rows | grep -c .)" $((cpus * (cpus - 1) / 2))
	is "skew: the lower CPU stands first" "$(rows | awk -F '\t' '$1 >= $2 { print }')" ""
	is "skew: no pair twice" "$(rows | cut -f 1,2 | sort | uniq -d)" ""
	is "skew: no bound is negative" "$(column 4 | grep -e -)" ""
	ok "skew: one of the counters is measured" \
		grep -q -x "$(comment skew_counter)" "$scratch/usable"
	first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	whole=$info
	info=$scratch/pinned
	printf '#!/bin/sh\nexec taskset -c %s "%s" "$@"\n' "$first" "$whole" >"$info"
	chmod +x "$info"
	sample skew "$columns" "$row"
	is "skew: the usual time" "$(comment seconds)" 2
	is "skew: one CPU, no rows" "$(comment cpus) $(rows)" "1 "
	info=$whole
else
	skip "skew" "no taskset or nproc that works here"
	cpus=1
fi

# If the process is killed, its child must not go on.
if [ "$cpus" -lt 2 ]; then
	skip "a killed process leaves no child" "fewer than two CPUs"
elif ! command -v setsid >/dev/null; then
	skip "a killed process leaves no child" "no setsid"
else
	# In a script, a command in the background leads no group, so setsid starts no other one.
	setsid "$info" --samples skew -s 600 >"$scratch/out" 2>"$scratch/err" &
	group=$!
	soon grep -q '^cpu' "$scratch/out"
	ok "it measures" kill -s 0 "$group"
	kill -TERM "$group"
	wait "$group" 2>/dev/null
	ok "a killed process leaves no child" soon not kill -s 0 -- "-$group" 2>/dev/null
fi

# The line on a terminal, which does not get among the rows.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	script -qec "'$info' --samples drift -s 2 >'$scratch/rows'" /dev/null </dev/null |
		tr '\r' '\n' >"$scratch/out"
	ok "progress on a terminal" has 'cpucycles-info: [0-9.]+ s of 2 s: samples of drift *'
	began=$(date +%s)
	script -qec "'$info' --samples noise -s 2 >'$scratch/rows.noise'" /dev/null </dev/null |
		tr '\r' '\n' | grep 'samples of noise' >"$scratch/out.noise"
	took=$(($(date +%s) - began + 1))
	ok "the line changes at most four times a second" \
		test "$(wc -l <"$scratch/out.noise")" -le $((4 * took))
	ok "and it is there" test -s "$scratch/out.noise"
	is "no progress among the rows" "$(grep -c 'cpucycles-info' "$scratch/rows")" 0
	script -qec "'$info' --samples drift -s 2" /dev/null </dev/null |
		tr '\r' '\n' >"$scratch/out"
	is "no progress where the rows are on the terminal" \
		"$(grep -c 'cpucycles-info' "$scratch/out")" 0
	ok "but the rows" grep -q '^default-monotonic' "$scratch/out"
else
	skip "progress on a terminal" "no script(1) of util-linux that can make a terminal here"
fi

# Output that cannot be written ends the measuring, whatever the time.
for kind in noise skew drift frequency gaps; do
	status=0
	"$info" --samples $kind -s 1 >&- 2>"$scratch/err" || status=$?
	is "$kind, no standard output: status" "$status" 3
	is "$kind, no standard output: one line" "$(said | sed 's/: [^:]*$//')" \
		"cpucycles-info: standard output"
done
if [ -c /dev/full ]; then
	for kind in noise drift frequency gaps; do
		status=0
		timeout 60 "$info" --samples $kind -s 3600 >/dev/full 2>"$scratch/err" || status=$?
		is "$kind to a full disk: status" "$status" 3
	done
else
	skip "a full disk" "no /dev/full"
fi
