#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# made-machine.sh NAME=VALUE...: print the metrics of a machine that is not there, in the form of
# cpucycles-info --metrics. An empty value leaves the metric out, as where a figure is unknown.

model="Made CPU 3000" architecture=x86_64 version=0.1.0 kernel=6.1.0
counter=amd64-tsc class=off-core selection=cache precision=120
rate=2000000000 rate_error=0.000012
persecond=2000000000 persecond_error=0.00002 source=cpuinfo-mhz
core=2400000000 core_error=0.0001 slowest=2300000000
disagreement=0 contradict=0 skew=0.00000012 tsc=invariant
status=used now=1764050000 age=3600
paranoid=1 counters=1

for setting; do
	case $setting in
	[a-z_]*=*)
		name=${setting%%=*}
		value=${setting#*=}
		eval "$name=\$value"
		;;
	*)
		echo "made-machine: $setting: not NAME=VALUE" >&2
		exit 2
		;;
	esac
done

# family NAME HELP: the two lines before the series of a metric.
family() {
	printf '# HELP %s %s\n# TYPE %s gauge\n' "$1" "$2" "$1"
}

# one NAME HELP VALUE [LABELS]: a metric with one series, or none if the value is empty.
one() {
	[ -n "$3" ] || return 0
	family "$1" "$2"
	echo "$1${4:+{$4\}} $3"
}

# usable NUMBER: the name of a usable counter.
usable() {
	if [ "$1" = 1 ]; then
		echo "$counter"
	else
		echo "made-$1"
	fi
}

# each NAME VALUE: a series for each usable counter.
each() {
	number=1
	while [ "$number" -le "$counters" ]; do
		echo "$1{counter=\"$(usable "$number")\"} $2"
		number=$((number + 1))
	done
}

used=0
[ "$status" != used ] || used=1
[ -n "$core" ] || core_error='' contradict='' slowest=''
[ -n "$persecond" ] || persecond_error='' source=''

one cpucycles_build_info "Version of the library, and the kernel's release." 1 \
	"version=\"$version\",kernel=\"$kernel\""
one cpucycles_machine_info "Model of the CPU, and its architecture." 1 \
	"model=\"$model\",architecture=\"$architecture\""
one cpucycles_in_use_info "The counter that programs get, and where the choice comes from." 1 \
	"counter=\"$counter\",class=\"$class\",selection=\"$selection\""

family cpucycles_usable "Whether a counter works here, and why not."
number=1
while [ "$number" -le "$counters" ]; do
	echo "cpucycles_usable{counter=\"$(usable "$number")\",class=\"$class\",reason=\"\"} 1"
	number=$((number + 1))
done
echo 'cpucycles_usable{counter="made-closed",class="on-core",reason="errno 13"} 0'

family cpucycles_precision_cycles "What a call costs, in cycles, with the rule's penalty."
each cpucycles_precision_cycles "$precision"
if [ -n "$rate" ]; then
	family cpucycles_rate_hertz "Measured rate of a counter's counts."
	each cpucycles_rate_hertz "$rate"
	family cpucycles_rate_error_ratio "Largest error of that rate."
	each cpucycles_rate_error_ratio "$rate_error"
fi

one cpucycles_persecond_hertz "Cycles in a second, as programs are told." "$persecond"
one cpucycles_persecond_error_ratio "Largest error of that." "$persecond_error"
one cpucycles_persecond_info "Who tells persecond." "${source:+1}" "source=\"$source\""
one cpucycles_core_hertz "Measured frequency of the core." "$core"
one cpucycles_core_error_ratio "Largest error of that." "$core_error"
one cpucycles_core_slowest_hertz "That frequency at the slowest moment." "$slowest"
one cpucycles_disagreement "1: persecond, counter and core disagree." "$disagreement"
one cpucycles_witnesses_contradict "1: the core's two witnesses exclude one another." "$contradict"
one cpucycles_skew_seconds "Largest difference of a counter between two CPUs." "$skew"
one cpucycles_tsc_info "How steady the time-stamp counter is." "${tsc:+1}" "state=\"$tsc\""
one cpucycles_cache_in_use "1: programs start from the cache." "$used"
one cpucycles_cache_status_info "What the library says of the cache." 1 "status=\"$status\""
if [ -n "$age" ]; then
	one cpucycles_cache_timestamp_seconds "When the cache was written." $((now - age))
	one cpucycles_cache_age_seconds "Its age when these metrics were taken." "$age"
fi
one cpucycles_knob_open "1: this setting of the kernel keeps no counter from users." "$paranoid" \
	'knob="kernel.perf_event_paranoid"'
