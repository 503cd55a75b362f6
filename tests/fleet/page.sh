#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Each command of doc/fleet.md is run as it stands there, with a node exporter and a Prometheus on
# their usual ports, as Debian's packages start them. The script has a network, /var/lib,
# /etc/prometheus and paths of the library of its own, so it meets no other server and changes
# nothing. What needs systemd is run by tests/boot/metrics.sh.

if [ -z "${page_network:-}" ] && unshare -n true 2>/dev/null; then
	page_network=own exec unshare -n sh "$0"
fi
. "$top_srcdir/tests/harness/alone.sh"
alone_scratch=$scratch
. "$top_srcdir/tests/fleet/common.sh"
trap 'end_servers; rm -rf "$alone_scratch"; tap_end' EXIT

page=$top_srcdir/doc/fleet.md
mark='<!-- tests/boot/metrics.sh runs the next block'

# commands PLACE: the commands of the page that are run here, or in boot. They are the indented
# lines that begin with the prompt of a user or of root. Of other indented lines, it says so.
commands() {
	awk -v place="$1" -v mark="$mark" '
		index($0, mark) == 1 { where = "boot"; next }
		/^    / {
			begun = 1
			if (!sub(/^    [$#] /, ""))
				$0 = "no prompt: " $0
			if ((where == "boot") == (place == "boot"))
				print
			next
		}
		/^./ { if (begun) where = ""; begun = 0 }' "${2:-$page}"
}
commands here >"$scratch/here"
commands boot >"$scratch/boot"
ok "the page has commands" test -s "$scratch/here"
ok "and commands that need systemd" test -s "$scratch/boot"
is "each indented line of the page is one of these" \
	"$(cat "$scratch/here" "$scratch/boot" | wc -l | tr -d ' ')" "$(grep -c '^    ' "$page")"

boot=$top_srcdir/tests/boot/metrics.sh
while read -r command; do
	if [ -e "$boot" ]; then
		ok "tests/boot/metrics.sh runs: $command" grep -qF -e "$command" "$boot"
	else
		skip "run with systemd: $command" "there is no tests/boot/metrics.sh"
	fi
done <"$scratch/boot"

need curl ip jq prometheus prometheus-node-exporter promtool
[ -n "${page_network:-}" ] || skip_all "no network of its own"
ip link set lo up || skip_all "no loopback of its own"
[ -e /etc/prometheus/prometheus.yml ] || skip_all "this Prometheus has no configuration of Debian's"
cp /etc/prometheus/prometheus.yml "$scratch/debian.yml"
for own in /var/lib /etc/prometheus; do
	mount -t tmpfs none $own || skip_all "no $own of its own"
done
cp "$scratch/debian.yml" /etc/prometheus/prometheus.yml
textfile=/var/lib/prometheus/node-exporter
mkdir -p "$textfile" "$scratch/bin" "$localstatedir/cache/cpucycles"
ln -s "$info" "$top_builddir/calibrated/cpucycles-calibrated" "$scratch/bin"
PATH=$scratch/bin:$PATH
TMPDIR=$scratch
export PATH TMPDIR

# The commands are given in the folder of the examples. Here it is a copy, whose Prometheus does not
# wait for a minute.
cp -R "$examples/prometheus" "$scratch/prometheus"
cd "$scratch/prometheus" || exit 99
sed -i 's/_interval: 1m/_interval: 1s/' prometheus.yml
ok "the copy is quick" grep -q 'scrape_interval: 1s' prometheus.yml

# Debian's service of the node exporter.
start "$scratch/exporter.log" prometheus-node-exporter --collector.textfile.directory="$textfile"
ok "the node exporter answers on its usual port" port_of "$scratch/exporter.log" \
	'.*msg="Listening on" address=.*:\(9100\)$'
# Debian's service of Prometheus, before the page's files are given to it.
start "$scratch/prometheus.log" prometheus --config.file=/etc/prometheus/prometheus.yml \
	--storage.tsdb.path="$scratch/tsdb"
prometheus_pid=$!
prometheus=http://localhost:9090
ok "a Prometheus answers on its usual port" wait_for is_ready
made=no
has_metrics || {
	made=yes
	sh "$made_machine" >"$textfile/cpucycles.prom"
}

# run_here COMMAND: run it. Its output is $scratch/said.
run_here() {
	sh -c "$1" >"$scratch/said" 2>&1 </dev/null && return
	sed 's/^/# /' "$scratch/said"
	return 1
}
recorded() {
	[ "$(value 'count(instance:cpucycles_true_cycles:bool)')" = 1 ]
}
# run_command COMMAND: run a command of the page. Each kind of command is known here; another one
# fails, so that nobody adds a command to the page that no test runs.
run_command() {
	case $1 in
	*--metrics*)
		if [ $made = yes ]; then
			skip "$1" "there is no option --metrics"
			return
		fi
		ok "$1" run_here "$1"
		;;
	"curl -s http://localhost:9100/metrics "*)
		ok "$1" run_here "$1"
		ok "it shows metrics" grep -q '^cpucycles_build_info' "$scratch/said"
		curl -s http://localhost:9100/metrics >"$scratch/exported"
		;;
	"promtool check "* | "promtool test "* | "cp "*) ok "$1" run_here "$1" ;;
	"systemctl reload prometheus")
		not_recorded() { ! recorded; }
		ok "before it, there are no rules" not_recorded
		# This is what the service of Debian's package does.
		ok "$1" kill -HUP $prometheus_pid
		ok "it scrapes this machine, and its rules have answers" wait_for recorded
		;;
	"promtool query "*) ok "$1" run_here "$1" ;;
	*) is "a command that this script knows" "$1" "" ;;
	esac
}
while read -r command; do
	run_command "$command"
done <"$scratch/here"
# A rule for a metric that the node exporter does not have gives no answer, and no error.
for metric in $(grep -o 'node_cpu_[a-z_]*' "$rules") \
	$([ ! -r /proc/pressure/cpu ] || grep -o 'node_pressure_[a-z_]*' "$rules"); do
	ok "the node exporter has $metric" grep -q "^${metric}[{ ]" "$scratch/exported"
done
[ $made = yes ] || is "the calibrator's file is there" "$(ls -A "$textfile")" cpucycles.prom
cd /
