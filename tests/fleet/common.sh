# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the scripts of this suite share: they start servers on loopback, ask them, and end them.
# Sourced instead of tap.sh. Each server takes a free port by itself and tells it in its log, so no
# two scripts can want the same one.

. "$top_srcdir/tests/harness/tap.sh"

WAIT_SECONDS=300 # for what comes within seconds; a longer wait is a hang
# shellcheck disable=SC2034 # for the scripts that source this file
examples=$top_srcdir/doc/examples
# shellcheck disable=SC2034
rules=$examples/prometheus/cpucycles.rules.yml
# shellcheck disable=SC2034
made_machine=$top_srcdir/tests/fleet/made-machine.sh
info=$top_builddir/utils/cpucycles-info

# No proxy of the tester's environment stands between this machine and itself.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

# need PROGRAM...: skip the script if one is missing.
need() {
	for need_program; do
		command -v "$need_program" >/dev/null || skip_all "$need_program is not installed"
	done
}

# The servers end with the script, however it ends.
servers=
end_servers() {
	end_status=$?
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "$servers" ] || kill $servers 2>/dev/null
	for end_server in $servers; do
		wait "$end_server" 2>/dev/null
	done
	servers=
	return "$end_status"
}
trap 'end_servers; tap_end' EXIT
trap 'exit 130' INT TERM HUP

# start LOG COMMAND...: start a server in the background.
start() {
	start_log=$1
	shift
	"$@" >"$start_log" 2>&1 </dev/null &
	servers="$servers $!"
}

# wait_for COMMAND...: wait until it succeeds.
wait_for() {
	wait_until=$(($(date +%s) + WAIT_SECONDS))
	until "$@"; do
		[ "$(date +%s)" -lt "$wait_until" ] || { echo "# waited in vain: $*"; return 1; }
		sleep 0.2
	done
}

# find_port LOG PATTERN: the port that the server wrote into its log, in $port. The pattern has one
# group, the number.
find_port() {
	port=$(sed -n "s/$2/\\1/p" "$1" | tail -n 1)
	[ -n "$port" ]
}
port_of() {
	wait_for find_port "$@" && return
	sed 's/^/# /' "$1"
	return 1
}

# serve_folder FOLDER: an HTTP server for the files of the folder. Its port is in $port.
serve_folder() {
	start "$scratch/served.log" python3 -u -m http.server --bind 127.0.0.1 \
		--directory "$1" 0
	port_of "$scratch/served.log" '^Serving HTTP on .* port \([0-9]*\) .*'
}

listening='.*msg="Listening on" address=127\.0\.0\.1:\([0-9]*\).*'

# start_exporter FOLDER: a node exporter with nothing but the textfile collector on this folder.
start_exporter() {
	start "$scratch/exporter.log" prometheus-node-exporter --collector.disable-defaults \
		--collector.textfile --collector.textfile.directory="$1" \
		--web.listen-address=127.0.0.1:0
	port_of "$scratch/exporter.log" "$listening"
}

# start_prometheus CONFIGURATION: its address is in $prometheus afterwards.
start_prometheus() {
	start "$scratch/prometheus.log" prometheus --config.file="$1" \
		--storage.tsdb.path="$scratch/tsdb" --web.listen-address=127.0.0.1:0
	port_of "$scratch/prometheus.log" "$listening" || return
	prometheus=http://127.0.0.1:$port
	wait_for is_ready
}
is_ready() {
	curl -sf -o "$scratch/ready" "$prometheus/-/ready"
}

# query EXPRESSION: the answer of Prometheus, as JSON.
query() {
	curl -sS --data-urlencode "query=$1" "$prometheus/api/v1/query"
}

# instances EXPRESSION: the machines in the answer, sorted, in one line.
instances() {
	query "$1" | jq -r '.data.result[].metric.instance' | sort | tr '\n' ' ' | sed 's/ $//'
}

# value EXPRESSION: the number in an answer with one element, or nothing.
value() {
	query "$1" | jq -r '.data.result[0].value[1] // empty'
}

# answers EXPRESSION TEXT: whether these are the machines in the answer.
answers() {
	[ "$(instances "$1")" = "$2" ]
}

# has_metrics: whether this cpucycles-info knows --metrics.
has_metrics() {
	"$info" --help | grep -q -e --metrics
}
# shellcheck disable=SC2034 # for the scripts that source this file
no_metrics="cpucycles-info has no option --metrics"

# families: the names of the metrics in a text on standard input, sorted.
families() {
	sed -n 's/^# TYPE \(cpucycles_[a-z_]*\) .*/\1/p' | sort
}

# shapes: each metric on standard input with the names of its labels.
shapes() {
	grep '^cpucycles_' | sed -e 's/ [^ ]*$//' -e 's/="\([^"\\]\|\\.\)*"//g' | sort -u
}
