#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A Prometheus scrapes 50 made machines, loads the rules, and answers the four questions of
# doc/fleet.md by the queries of that page. Each alert fires for the machines that it should.

. "$top_srcdir/tests/fleet/common.sh"

need curl jq prometheus prometheus-node-exporter promtool python3
fleet=$scratch/fleet
mkdir "$fleet" "$scratch/textfile"

# machines FIRST LAST SETTING...: make these machines.
machines() {
	number=$1
	last=$2
	shift 2
	while [ "$number" -le "$last" ]; do
		sh "$made_machine" "$@" >"$fleet/machine-$(printf %02d "$number").prom"
		number=$((number + 1))
	done
}
# 1 to 20 are alike and have nothing wrong.
machines 1 20
# Core cycles: in a register or by a system call, and with a setting that keeps them from users.
machines 21 26 counter=amd64-pmc class=on-core rate= model="Made CPU 5000"
machines 27 28 counter=amd64-pmc class=on-core rate= model="Made CPU 5000" paranoid=0
machines 29 30 counter=default-perfevent class=kernel-count rate= model="Made CPU 5000"
# Caches that are not in use.
machines 31 31 status=stale-boot selection=probe
machines 32 32 status=stale-machine selection=probe
machines 33 33 status=stale-persecond selection=probe
machines 34 34 status=missing age= selection=probe
machines 35 35 status=untrusted selection=probe
# Time-stamp counters.
machines 36 36 tsc=unstable rate_error=1
machines 37 37 tsc=variable rate_error=1
machines 38 38 tsc=none counter=arm64-vct architecture=aarch64 \
	model="implementer 0x41 part 0xd0c"
# The core's speed: slow, a little below the limit, at the limit, and never measured.
machines 39 39 core=1500000000
machines 40 40 core=1599000000
machines 41 41 core=1600000000
machines 42 42 core=
# The odd ones out, of the machines with the usual model.
machines 43 43 persecond=2500000000
machines 44 44 rate=2100000000
# Figures that disagree.
machines 45 45 disagreement=1
machines 46 46 contradict=1
# Cores of one design need not be as fast as each other: the kernel names no model there.
machines 47 48 tsc=none counter=arm64-vct architecture=aarch64 persecond=1000000000 \
	model="implementer 0x41 part 0xd0c"
machines 49 49 counter=default-monotonic class=os-clock
# The last one is served by a real node exporter, from a file that nobody refreshes.
machines 50 50
mv "$fleet/machine-50.prom" "$scratch/textfile/cpucycles.prom"
touch -d "4 hours ago" "$scratch/textfile/cpucycles.prom"

is "made machines have the form of metrics" "$(for file in "$fleet"/* "$scratch/textfile"/*; do
	promtool check metrics <"$file" 2>&1
done | sed '/^$/d')" ""

ok "a server for the machines listens" serve_folder "$fleet"
served=$port
ok "a node exporter listens" start_exporter "$scratch/textfile"
cat >"$scratch/prometheus.yml" <<END2
global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files:
  - rules.yml
scrape_configs:
  - job_name: node
    relabel_configs:
      - source_labels: [__address__]
        regex: (machine-.*)
        target_label: instance
      - source_labels: [__address__]
        regex: (machine-.*)
        target_label: __metrics_path__
        replacement: /\$1.prom
      - source_labels: [__address__]
        regex: machine-.*
        target_label: __address__
        replacement: 127.0.0.1:$served
    static_configs:
      - targets: [127.0.0.1:$port]
        labels: { instance: machine-50 }
      - targets:
$(seq -f '          - machine-%02g' 49)
END2
# Alerts wait for nothing here.
sed 's/^\( *for:\) .*/\1 0s/' "$rules" >"$scratch/rules.yml"
ok "a Prometheus answers" start_prometheus "$scratch/prometheus.yml"

scraped() {
	[ "$(value 'count(up == 1)')" = 50 ] &&
		[ "$(value 'count(instance:cpucycles_true_cycles:bool)')" = 50 ]
}
ok "it scrapes 50 machines, and its rules know them all" wait_for scraped
echo "# series: $(value 'count({__name__=~"cpucycles_.*"})') scraped," \
	"$(value 'count({__name__=~".+:cpucycles_.*"})') recorded"

# numbered NUMBER...: the names of these machines.
numbered() {
	for number; do
		printf 'machine-%02d ' "$number"
	done | sed 's/ $//'
}
# settles NAME EXPRESSION NUMBER...: these are the machines in the answer. The rules need a second
# or two after the last scrape.
settles() {
	settles_name=$1
	expression=$2
	shift 2
	expected=$(numbered "$@")
	wait_for answers "$expression" "$expected" >"$scratch/waited"
	is "$settles_name" "$(instances "$expression")" "$expected"
}

# The page has the queries, in this order.
sed -n "s/^    \\$ promtool query instant [^ ]* '\\(.*\\)'\$/\\1/p" "$top_srcdir/doc/fleet.md" \
	>"$scratch/queries"
is "doc/fleet.md has four queries" "$(wc -l <"$scratch/queries" | tr -d ' ')" 4
question() {
	sed -n "$1p" "$scratch/queries"
}
# shellcheck disable=SC2046 # a list of numbers
settles "which count true cycles" "$(question 1)" $(seq 21 26) 29 30
settles "whose cache is stale" "$(question 2)" 31 32 33 34 35
settles "whose time-stamp counter is not to be trusted" "$(question 3)" 36 37
settles "where the core runs slower than it says" "$(question 4)" 39 40

# fires ALERT NUMBER...: the alert fires for these machines.
fires() {
	alert=$1
	shift
	settles "$alert" "ALERTS{alertname=\"$alert\", alertstate=\"firing\"}" "$@"
}
# shellcheck disable=SC2046 # a list of numbers
fires CpucyclesCacheNotInUse $(seq 31 35)
fires CpucyclesCoreSlow 39 40
fires CpucyclesTscUntrusted 36 37
fires CpucyclesOddOneOut 43 44
fires CpucyclesModelSplit
fires CpucyclesMetricsOld 50
fires CpucyclesMetricsGone
fires CpucyclesFiguresDisagree 45
fires CpucyclesWitnessesContradict 46
is "there are no other alerts" "$(query 'ALERTS' | jq -r '.data.result[].metric.alertname' |
	sort -u | wc -l | tr -d ' ')" 7

# A file that goes away, and machines that go down.
rm "$scratch/textfile/cpucycles.prom"
fires CpucyclesMetricsGone 50
