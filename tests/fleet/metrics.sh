#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The text of cpucycles-info --metrics: promtool has no complaint, a node exporter serves it, and
# made machines have the same metrics. And how many series a machine has.

. "$top_srcdir/tests/fleet/common.sh"

need curl promtool prometheus-node-exporter

# complaints FILE: what promtool says about it.
complaints() {
	promtool check metrics <"$1" 2>&1 | sed '/^$/d'
}
# grown NAME FILE: how many series it has, and how many 10,000 such machines have.
grown() {
	series=$(grep -vc '^#' "$2")
	echo "# series of $1: $series; of 10,000 such machines: $((series * 10000))"
}

made=$scratch/made.prom
sh "$made_machine" >"$made"
is "a made machine: promtool has nothing to say" "$(complaints "$made")" ""
sed 's/^\(# TYPE cpucycles_core_hertz\) gauge/\1 counter/' "$made" >"$scratch/wrong"
ok "a wrong metric: promtool has something to say" test -n "$(complaints "$scratch/wrong")"
sh "$made_machine" counters=10 >"$scratch/ten.prom"
is "ten counters: promtool has nothing to say" "$(complaints "$scratch/ten.prom")" ""
grown "a made machine with ten usable counters" "$scratch/ten.prom"
# The rules add one series for each machine and rule, and a second one for each of two quantities.
recorded=$(($(grep -c '^ *- record: instance:' "$rules") + 1))
total=$(((series + recorded) * 10000))
ok "doc/fleet.md says how many series that are" \
	grep -q "has $series series. The rules add up to $recorded\$" "$top_srcdir/doc/fleet.md"
ok "doc/fleet.md says how many series 10,000 machines have" \
	grep -q "have ${total%000},000 series" "$top_srcdir/doc/fleet.md"
sh "$made_machine" core= persecond_error= skew= tsc= age= rate= >"$scratch/bare.prom"
is "unknown figures: promtool has nothing to say" "$(complaints "$scratch/bare.prom")" ""

if has_metrics; then
	real=$scratch/real.prom
	"$info" --metrics >"$real"
	is "--metrics succeeds" $? 0
	is "promtool has nothing to say" "$(complaints "$real")" ""
	grown "this machine" "$real"
	# A name and a value, and nothing behind them.
	is "no series has a time of its own" \
		"$(sed -e '/^#/d' -e 's/{.*}//' "$real" | grep -vx '[a-z_]* [0-9.e+-]*')" ""
	is "each metric has its HELP" "$(sed -n 's/^# HELP \([^ ]*\) .*/\1/p' "$real" | sort)" \
		"$(families <"$real")"
	# What depends on the machine may be missing on either side.
	optional="cpucycles_core_|cpucycles_rate_|cpucycles_skew_|cpucycles_witnesses_"
	optional="$optional|cpucycles_persecond_error_|cpucycles_cache_timestamp_"
	optional="$optional|cpucycles_cache_age_|cpucycles_knob_open|cpucycles_tsc_info"
	optional="$optional|cpucycles_disagreement"
	shapes <"$made" >"$scratch/made.shapes"
	shapes <"$real" >"$scratch/real.shapes"
	is "this machine has no metric or label that made machines lack" \
		"$(comm -13 "$scratch/made.shapes" "$scratch/real.shapes")" ""
	is "made machines have no metric or label that this machine must have and lacks" \
		"$(comm -23 "$scratch/made.shapes" "$scratch/real.shapes" |
			grep -vE "^($optional)")" ""
	shown=$real
else
	skip "the real metrics" "$no_metrics"
	shown=$made
fi

mkdir "$scratch/textfile"
cp "$shown" "$scratch/textfile/cpucycles.prom"
ok "a node exporter listens" start_exporter "$scratch/textfile"
ok "it answers" curl -sS -o "$scratch/answer" "http://127.0.0.1:$port/metrics"
is "its textfile collector has no error" "$(grep '^node_textfile_scrape_error' "$scratch/answer")" \
	"node_textfile_scrape_error 0"
is "it serves all metrics" "$(families <"$scratch/answer")" "$(families <"$shown")"
is "and all series" "$(grep -c '^cpucycles_' "$scratch/answer")" \
	"$(grep -c '^cpucycles_' "$shown")"
ok "it tells when the file was written" \
	grep -q '^node_textfile_mtime_seconds{file=".*cpucycles.prom"} ' "$scratch/answer"

# A text that is not whole is an error of the collector.
head -c 1000 "$made" >"$scratch/textfile/cpucycles.prom"
ok "it answers again" curl -sS -o "$scratch/answer" "http://127.0.0.1:$port/metrics"
is "half a text is an error" "$(grep '^node_textfile_scrape_error' "$scratch/answer")" \
	"node_textfile_scrape_error 1"
