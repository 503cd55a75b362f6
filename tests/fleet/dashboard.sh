#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The dashboard: its panels have numbers of their own and places of their own, and a real Prometheus
# has data for each of their queries. The numbers on top are those of the made machines. Grafana
# itself does not run here.

. "$top_srcdir/tests/fleet/common.sh"

need curl jq prometheus prometheus-node-exporter python3
dashboard=$examples/prometheus/dashboard.json

# look FILTER [FILE]: what jq says of the dashboard.
look() {
	jq -r "$1" "${2:-$dashboard}" 2>&1
}

ok "it is JSON" jq empty "$dashboard"
is "its form is that of Grafana 9.4 and later" "$(look .schemaVersion)" 38
is "its panels have numbers of their own" "$(look '[.panels[].id] | length - (unique | length)')" 0

# Two panels overlap if they share columns and lines. Grafana has 24 columns.
overlaps='[.panels[] | {id} + .gridPos] as $p | $p[] as $a | $p[] | select(.id > $a.id and
	.x < $a.x + $a.w and $a.x < .x + .w and .y < $a.y + $a.h and $a.y < .y + .h) |
	"\($a.id) and \(.id)"'
is "no panels overlap" "$(look "$overlaps")" ""
jq '.panels[2].gridPos.x -= 1' "$dashboard" >"$scratch/overlapping.json"
ok "panels that overlap are found" test -n "$(look "$overlaps" "$scratch/overlapping.json")"
is "no panel leaves the 24 columns" \
	"$(look '.panels[] | select(.gridPos | .x < 0 or .w < 1 or .x + .w > 24) | .id')" ""
is "no line of the page is left out" "$(look '[.panels[].gridPos | range(.y; .y + .h)] |
	unique | length - (max + 1)')" 0

is "each panel has a title" "$(look '.panels[] | select((.title // "") == "") | .id')" ""
is "each panel but the rows has a description" \
	"$(look '.panels[] | select(.type != "row" and (.description // "") == "") | .title')" ""
is "each picture has a unit" \
	"$(look '.panels[] | select(.type == "timeseries" or .type == "stat") |
		select(.fieldConfig.defaults.unit == null) | .title')" ""
is "hertz, percent and seconds are among the units" \
	"$(look '[.panels[].fieldConfig.defaults.unit // empty] | unique | join(" ")')" \
	"hertz percentunit s short"
is "each panel but the rows, and each query, names the data source by the variable" \
	"$(look '.panels[] | select(.type != "row") | .title as $t | ., .targets[] |
		select(.datasource.uid != "$datasource") | $t')" ""
is "the variable of the data source is there" \
	"$(look '.templating.list[] | select(.type == "datasource") | .name, .query')" \
	"datasource
prometheus"
# With a thousand machines, a line for each would hide all others.
few='test("^((top|bottom)k\\((10|20), |(count|max) by |(class|status|state):)")'
many=".panels[] | select(.type == \"timeseries\") | .targets[].expr | select($few | not)"
is "a picture over time has few lines, however many machines there are" "$(look "$many")" ""
is "no variable is used that is not there" \
	"$(look '[.. | strings | scan("\\$([a-z]+)")[]] | unique |
		. - ["datasource", "instance"] | join(" ")')" ""

# Made machines, one of each kind.
mkdir "$scratch/fleet" "$scratch/textfile"
# machine NAME SETTING...
machine() {
	name=$1
	shift
	sh "$made_machine" "$@" >"$scratch/fleet/$name.prom"
}
machine a
machine b
machine c persecond=2500000000
machine d status=stale-boot selection=probe
machine e tsc=variable core=1000000000 paranoid=0
machine f counter=amd64-pmc class=on-core rate=
machine g counter=amd64-pmc class=on-core rate= status=stale-machine
sh "$made_machine" >"$scratch/textfile/cpucycles.prom"
touch -d "4 hours ago" "$scratch/textfile/cpucycles.prom"
ok "a server for the machines listens" serve_folder "$scratch/fleet"
served=$port
ok "a node exporter listens" start_exporter "$scratch/textfile"
cat >"$scratch/prometheus.yml" <<END2
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [ rules.yml ]
scrape_configs:
  - job_name: exporter
    static_configs: [ { targets: [ 127.0.0.1:$port ] } ]
  - job_name: made
    relabel_configs:
      - { source_labels: [ __address__ ], target_label: instance }
      - { source_labels: [ __address__ ], target_label: __metrics_path__, replacement: /\$1.prom }
      - { target_label: __address__, replacement: 127.0.0.1:$served }
    static_configs: [ { targets: [ a, b, c, d, e, f, g ] } ]
END2
sed 's/^\( *for:\) .*/\1 0s/' "$rules" >"$scratch/rules.yml"
ok "a Prometheus answers" start_prometheus "$scratch/prometheus.yml"
settled() {
	[ "$(value 'count(instance:cpucycles_true_cycles:bool)')" = 8 ] &&
		[ "$(value 'count(ALERTS{alertstate="firing"})')" = 6 ]
}
ok "it scrapes eight machines, and six alerts fire" wait_for settled

# Grafana puts the chosen machines into the query. All of them are ".*".
look '.panels[] | .title as $t | .targets[]? | [$t, .refId, .expr] | @tsv' |
	sed 's/\$instance/.*/g' >"$scratch/queries"
ok "there are queries" test -s "$scratch/queries"
# One with a mistake, and one without data, so that the check is seen to find both.
tab=$(printf '\t')
printf 'wrong\tA\tsum(\nempty\tA\tcpucycles_nothing\n' >>"$scratch/queries"
answer() {
	query "$1" | jq -r 'if .status != "success" then "error: \(.error)"
		elif .data.result == [] then "no data" else "data" end'
}
while IFS=$tab read -r title ref expression; do
	# The text is JSON's, which writes a backslash twice.
	expression=$(printf '%s' "$expression" | sed 's/\\\\/\\/g')
	case $title in
	wrong) is "a query with a mistake is found" "$(answer "$expression" | cut -c 1-6)" error: ;;
	empty) is "a query without data is found" "$(answer "$expression")" "no data" ;;
	*) is "$title, $ref: $expression" "$(answer "$expression")" data ;;
	esac
done <"$scratch/queries"

# shows TITLE NUMBER: what a panel with one number shows.
shows() {
	expression=$(look ".panels[] | select(.type == \"stat\" and .title == \"$1\") |
		.targets[0].expr" | sed 's/\$instance/.*/g')
	is "the number of: $1" "$(value "$expression")" "$2"
}
shows Machines 8
shows "Count true cycles" 2
shows "Cache not in use" 2
shows "Untrusted TSC" 1
shows "Slow core" 1
shows Alerts 6
