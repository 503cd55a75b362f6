#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-calibrated --metrics: the file, its mode, what it says, and what can go wrong.

. "$top_srcdir/tests/harness/tap.sh"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"
own_etc

mkdir "$scratch/cache" "$scratch/collector"
cache=$scratch/cache/counters
file=$scratch/collector/cpucycles.prom

# run OPTION...: the calibrator with a cache of its own.
run() {
	status=0
	"$calibrated" --cache "$cache" --persecond "$scratch/p" "$@" \
		>"$scratch/out" 2>"$scratch/log" || status=$?
}
log() { cat "$scratch/log"; }
value() { awk -v m="cpucycles_$1" '$1 == m { print $2 }' "$file"; }
label() { sed -n "s/^cpucycles_$1{\(.*,\)*$2=\"\([^\"]*\)\".*/\2/p" "$file"; }

# Options.

for bad in "--refresh" "--metrics=cpucycles" "--metrics=.prom" "--metrics=$scratch/.prom" \
	"--metrics=$scratch/x.prom/" "--metrics=" \
	"--refresh --force --metrics=$file" "--dry-run --metrics=$file" \
	"--cache=$file --metrics=$file" "--persecond=$file --metrics=$file"; do
	# shellcheck disable=SC2086 # options
	run $bad
	is "$bad is a usage error" "$status" 2
	is "$bad: one line" "$(log | wc -l | tr -d ' ')" 1
done
is "nothing was written" "$(ls -A "$scratch/cache" "$scratch/collector" | grep -v :)" ""

# A refresh before there is a cache.

run --refresh --metrics "$file"
is "a refresh without a cache succeeds" "$status" 0
is "it says that the cache is missing" "$(label cache_status_info status)" missing
is "it calibrates nothing" "$(ls -A "$scratch/cache")" ""
is "it writes one line" "$(log)" "cpucycles-calibrated: $file: written"
is "it leaves nothing else beside the file" "$(ls -A "$scratch/collector")" cpucycles.prom

# A calibration with metrics.

(umask 077 && run --metrics "$file" && exit "$status")
is "a calibration with metrics succeeds" $? 0
is "its metrics have the new cache in use" "$(value cache_in_use)" 1
ok "the slowest moment of the core is no faster than the core" \
	awk -v slowest="$(value core_slowest_hertz)" -v core="$(value core_hertz)" \
	'BEGIN { exit !(slowest <= core + 0) }'
is "everybody can read the file, whatever the umask is" "$(stat -c %a "$file")" 644
is "no line has a timestamp" "$(grep -v '^#' "$file" | sed 's/{.*}//' | awk 'NF != 2')" ""

# The environment is of whoever starts the calibrator, and the metrics are of the machine.

env CPUCYCLES_COUNTER=default-zero CPUCYCLES_CACHE= cpucyclespersecond=1234567 \
	"$calibrated" --cache "$cache" --refresh --metrics "$file" 2>"$scratch/log"
is "the environment's cache is not asked" "$(value cache_in_use)" 1
is "nor its counter" "$(label in_use_info selection)" cache
ok "nor its frequency" test "$(value persecond_hertz)" != 1234567

# A refresh measures nothing: the cache stays as it is.

sum=$(cksum <"$cache")
run --refresh --metrics "$file"
is "a refresh leaves the cache as it is" "$(cksum <"$cache")" "$sum"
grep -v '^cpucycles_cache_age\|^#' "$file" >"$scratch/first"
run --refresh --metrics "$file"
grep -v '^cpucycles_cache_age\|^#' "$file" >"$scratch/second"
is "a second one says the same" "$(cat "$scratch/second")" "$(cat "$scratch/first")"
cp "$cache" "$scratch/good"
echo >>"$cache"
run --refresh --metrics "$file"
is "a damaged cache is told" "$(label cache_status_info status)" malformed
cp "$scratch/good" "$cache"

# What cannot be written.

run --refresh --metrics "$scratch/none/cpucycles.prom"
is "a folder that is missing is status 4" "$status" 4
is "one line says so" "$(log)" "cpucycles-calibrated: $scratch/none/cpucycles.prom: not written: \
No such file or directory"
ln -s collector "$scratch/link"
for folder in link link/ link/. link/.//./; do
	run --refresh --metrics "$scratch/$folder/other.prom"
	is "a folder that is a symbolic link is refused: $folder" "$status" 4
done
is "one line says why" "$(log)" "cpucycles-calibrated: $scratch/link/.//.//other.prom: \
not written: its folder is a symbolic link, or no folder"
is "nothing is written through it" "$(ls -A "$scratch/collector")" cpucycles.prom
echo precious >"$scratch/precious"
ln -s ../precious "$scratch/collector/linked.prom"
run --refresh --metrics "$scratch/collector/linked.prom"
is "a file that is a symbolic link is replaced" "$(cat "$scratch/precious")" precious
ok "by a file" test ! -L "$scratch/collector/linked.prom"
mkdir "$scratch/collector/folder.prom"
run --refresh --metrics "$scratch/collector/folder.prom"
is "a folder in the file's place is status 4" "$status" 4
is "nothing is left beside it" "$(ls -A "$scratch/collector" | sort | tr '\n' ' ')" \
	"cpucycles.prom folder.prom linked.prom "

# The calibration comes first, and its failure is what counts.

run --force --metrics "$scratch/none/cpucycles.prom"
is "a calibration without its metrics is status 4" "$status" 4
ok "and the cache is written" grep -q "$cache: written" "$scratch/log"
rm -f "$file"
status=0
"$calibrated" --cache "$scratch/none/none/counters" --persecond "$scratch/p" --metrics "$file" \
	2>"$scratch/log" || status=$?
is "a cache that cannot be written is status 1, with metrics too" "$status" 1
is "and the metrics say that it is missing" "$(label cache_status_info status)" missing

# A refresh that has to wait for another run looks at the machine when its turn has come. Otherwise
# it would publish what is no longer so.

late=$scratch/late/counters
late_file=$scratch/collector/late.prom
if command -v flock >/dev/null; then
	mkdir "$scratch/late"
	(
		flock 9
		: >"$scratch/held"
		until [ -e "$scratch/release" ]; do sleep 0.1; done
	) 9>"$scratch/collector/.late.prom.lock" &
	soon test -e "$scratch/held"
	"$calibrated" --cache "$late" --wait 3600 --refresh --metrics "$late_file" \
		2>"$scratch/waiting" &
	waiting=$!
	soon test -s "$scratch/waiting"
	run --wait 0 --refresh --metrics "$late_file"
	is "a lock that is not freed is status 4" "$status" 4
	ok "and the line names the option that helps" grep -q -e --wait "$scratch/log"
	"$calibrated" --cache "$late" --persecond "$scratch/p" 2>"$scratch/log"
	: >"$scratch/release"
	wait "$waiting"
	is "a refresh that has waited succeeds" $? 0
	is "and has the cache that was made meanwhile" \
		"$(awk '$1 == "cpucycles_cache_in_use" { print $2 }' "$late_file")" 1
	rm -f "$late_file"
else
	skip "a refresh that has to wait" "flock is not installed"
fi

# A limit of the size of files is an error as any other.

(ulimit -f 1 && run --refresh --metrics "$file" && exit "$status")
is "a limit of the size of files is status 4" $? 4
ok "and one line says so" grep -q 'File too large' "$scratch/log"
ok "nothing is left" test "$(ls -A "$scratch/collector" | grep -c '^[.]')" -eq 0

# A full disk leaves the old file.

mkdir "$scratch/m"
if may_mount "$scratch/m"; then
	$unshare sh -ec "mount -t tmpfs -o size=8k none '$scratch/m'
		echo old >'$scratch/m/cpucycles.prom'
		dd if=/dev/zero of='$scratch/m/fill' bs=1k 2>/dev/null || :
		status=0
		'$calibrated' -c '$cache' -r -m '$scratch/m/cpucycles.prom' || status=\$?
		echo \"\$status\" \$(cat '$scratch/m/cpucycles.prom') \$(ls -A '$scratch/m')" \
		>"$scratch/out" 2>"$scratch/log"
	is "a full disk is status 4, and leaves the old file" "$(cat "$scratch/out")" \
		"4 old cpucycles.prom fill"
	ok "and one line says so" grep -q 'No space left on device' "$scratch/log"
else
	skip "a full disk" "$refused"
fi
