#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The rules for Prometheus are well formed, do what their unit tests say, and each limit in them is
# tested: a copy of the rules with another limit has to fail the unit tests.

. "$top_srcdir/tests/fleet/common.sh"

need promtool
folder=$examples/prometheus

# quietly COMMAND...: run it, and show what it says only if it fails.
quietly() {
	"$@" >"$scratch/said" 2>&1 || { sed 's/^/# /' "$scratch/said"; return 1; }
}
unit_tests() {
	(cd "$1" && promtool test rules cpucycles.test.yml)
}
ok "the rules are well formed" quietly promtool check rules --lint-fatal "$rules"
ok "the configuration is well formed" quietly promtool check config "$folder/prometheus.yml"
unchanged=fail
! quietly unit_tests "$folder" || unchanged=pass
is "the unit tests pass" "$unchanged" pass

# Each rule has a unit test: its name stands in the tests.
for name in $(sed -n 's/^ *- \(record\|alert\): //p' "$rules" | sort -u); do
	ok "a unit test asks for $name" grep -q "$name" "$folder/cpucycles.test.yml"
done

# Each alert has a comment with the reason of its limit, a summary, and a description with a
# command.
awk '
	/^ *#/ { reason = 1; next }
	/^ *- alert: / { if (!reason) print $3 ": no comment before it" }
	{ reason = 0 }' "$rules" >"$scratch/bare"
is "each alert has a reason" "$(cat "$scratch/bare")" ""
alerts=$(grep -c '^ *- alert: ' "$rules")
is "each alert has a summary" "$(grep -c '^ *summary: ' "$rules")" "$alerts"
is "each alert has a description" "$(grep -c '^ *description: ' "$rules")" "$alerts"

# changed NAME SED: the unit tests fail if the rules are edited so. The edited rules are well
# formed, so it is the unit tests that find the edit. The test of a whole day takes as long as all
# others together, so only the edits that it is for are given to it.
mkdir "$scratch/changed"
sed '/^  # A day later/,/^$/d' "$folder/cpucycles.test.yml" >"$scratch/changed/cpucycles.test.yml"
ok "the unit tests without that of a day are fewer" test \
	"$(wc -l <"$scratch/changed/cpucycles.test.yml")" -lt \
	"$(wc -l <"$folder/cpucycles.test.yml")"
edited=$scratch/changed/cpucycles.rules.yml
changed() {
	sed "$2" "$rules" >"$edited"
	verdict="the unit tests pass"
	if cmp -s "$rules" "$edited"; then
		verdict="the edit changes nothing"
	elif ! quietly promtool check rules "$edited"; then
		verdict="these are no rules"
	elif ! unit_tests "$scratch/changed" >"$scratch/said" 2>&1; then
		verdict="the unit tests fail"
	fi
	is "changed rules: $1" "$verdict" "the unit tests fail"
}
[ $unchanged = pass ] || exit 0 # they would fail for another reason
changed "core at 79 percent" 's/:ratio < 0.8/:ratio < 0.79/'
[ -z "${TESTS_SHORT-}" ] || exit 0 # in the short tier
changed "core at 80 percent and more" 's/:ratio < 0.8/:ratio <= 0.8/'
changed "no limit of the core's error" 's/core_error_ratio > 0.05/core_error_ratio > 0.06/'
changed "a sharper limit of the core's error" 's/core_error_ratio > 0.05/core_error_ratio > 0.04/'
changed "the cache an hour and a minute" 's/for: 1h$/for: 61m/'
changed "the cache 59 minutes" 's/for: 1h$/for: 59m/'
changed "other waits" 's/for: 15m$/for: 14m/'
changed "longer waits" 's/for: 15m$/for: 16m/'
changed "the file after 190 minutes" 's/> 3 \* 3600/> 190 * 60/'
changed "the file after 179 minutes" 's/> 3 \* 3600/> 179 * 60/'
changed "unstable only" 's/unstable|variable/unstable/'
changed "registers only" 's/on-core|kernel-count/on-core/'
changed "whatever root may do" '/^ *unless ignoring (knob)$/,/paranoid/d'
changed "a deviation of 0.9 percent" 's/deviation > 0.01/deviation > 0.009/'
changed "a deviation of 1.1 percent" 's/deviation > 0.01/deviation > 0.011/'
changed "agreeing within 0.9 percent" 's/<= bool 0.01/<= bool 0.009/'
changed "two machines are enough" 's/count >= 3/count >= 2/'
changed "five machines are needed" 's/count >= 3/count >= 5/'
changed "no majority is needed" 's/agreeing > 0.5/agreeing >= 0.5/'
changed "half of the machines are a majority" 's/agreeing <= 0.5/agreeing < 0.5/'
changed "any architecture is a model" '/^ *unless$/,/label_replace/d'
changed "no name is a model" 's/model!="", //'
changed "the design of an ARM core is a model" 's/, model!~"implementer .\*"//'
changed "a mean in place of the median" 's/quantile by (model) (0.5,/avg by (model) (/'
changed "any persecond is nominal" '/^ *unless ignoring (source)$/,/persecond_info/d'
for source in measured cpuinfo-mhz-dynamic cpufreq-setspeed; do
	changed "persecond of the source $source is nominal" "s/\([\"|]\)$source\([\"|]\)/\1x\2/"
done
changed "any rate is sharp enough" '/rate_error_ratio > 0.005/s/0.005/0.006/'
changed "all rates are compared" '/^ *and ignoring (class, selection)$/,/in_use_info/d'
changed "machines that are down have lost their file" 's/up == 1/up >= 0/'
changed "only job and instance are kept" \
	's/group without (counter, class, selection)/group by (job, instance)/'
changed "only job and instance are compared" 's/\* ignoring (model)/* on (job, instance)/'
cp "$folder/cpucycles.test.yml" "$scratch/changed"
changed "a lost file is forgotten in an hour" 's/info\[1d\]/info[70m]/'
changed "a lost file is never forgotten" 's/info\[1d\]/info[30d]/'
