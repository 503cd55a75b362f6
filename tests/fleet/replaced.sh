#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The metrics are written 1,000 times while a node exporter is scraped: each scrape has a whole
# file, and no temporary file is served. A writer that does it wrong is found.

. "$top_srcdir/tests/fleet/common.sh"

need curl prometheus-node-exporter
calibrated=$top_builddir/calibrated/cpucycles-calibrated
folder=$scratch/textfile
file=$folder/cpucycles.prom

# scrape_meanwhile WRITER: scrape until the writer, which is a command, ends. Each scrape that is
# not whole leaves a line in $scratch/bad. The number of scrapes is in $scrapes.
scrape_meanwhile() {
	: >"$scratch/bad"
	"$@" &
	writer=$!
	servers="$servers $writer"
	scrapes=0
	while kill -0 "$writer" 2>/dev/null; do
		scrape
		scrapes=$((scrapes + 1))
		sleep 0.02 # so that the writer gets on
	done
	wait "$writer"
}

# How many series each metric has. The exporter sorts the labels, so the lines cannot be compared.
counts() {
	sed -n 's/^\(cpucycles_[a-z_]*\)[{ ].*/\1/p' | sort | uniq -c
}

# The files that the exporter reads are named in node_textfile_mtime_seconds.
scrape() {
	curl -sS "http://127.0.0.1:$port/metrics" >"$scratch/answer" || echo "no answer"
	counts <"$scratch/answer" >"$scratch/counts"
	cmp -s "$scratch/counts" "$scratch/expected" ||
		echo "$(wc -l <"$scratch/counts") metrics"
	grep '^node_textfile_scrape_error' "$scratch/answer" |
		grep -vx 'node_textfile_scrape_error 0'
	sed -n 's/^node_textfile_mtime_seconds{file="\(.*\)"}.*/\1/p' "$scratch/answer" |
		grep -vxF "$file"
} >>"$scratch/bad"

bad() {
	sort "$scratch/bad" | uniq -c
}

# in_place TIMES: a writer that empties the file and fills it in two steps.
in_place() {
	for _ in $(seq "$1"); do
		head -n 20 "$scratch/good" >"$file"
		sleep 0.05
		tail -n +21 "$scratch/good" >>"$file"
		sleep 0.05
	done
}
# beside TIMES: a writer that renames, but whose temporary file has a name that is served.
beside() {
	for _ in $(seq "$1"); do
		head -n 20 "$scratch/good" >"$folder/new.prom"
		sleep 0.05
		cp "$scratch/good" "$folder/new.prom"
		mv "$folder/new.prom" "$file"
	done
}

mkdir "$folder"
sh "$made_machine" >"$scratch/good"
counts <"$scratch/good" >"$scratch/expected"
cp "$scratch/good" "$file"
ok "a node exporter listens" start_exporter "$folder"
: >"$scratch/bad"
scrape
is "a whole file is whole" "$(bad)" ""
scrape_meanwhile in_place 20
ok "a file that is written in place is found" test -s "$scratch/bad"
scrape_meanwhile beside 20
ok "a temporary file that is served is found" grep -qxF "$folder/new.prom" "$scratch/bad"

"$calibrated" --help | grep -q -e --metrics ||
	{ skip "the calibrator's metrics" "cpucycles-calibrated has no option --metrics"; exit 0; }

# The metrics stand beside a cache of the test's own.
refresh() {
	"$calibrated" --cache "$scratch/cache/counters" --persecond "$scratch/persecond" \
		--metrics "$file" "$@" 2>"$scratch/log"
}
rm "$file"
mkdir "$scratch/cache"
ok "the calibrator writes metrics" refresh
counts <"$file" >"$scratch/expected"
ok "there are metrics" test -s "$scratch/expected"

# refresh_often TIMES: leave a line in $scratch/failed for each run that fails.
refresh_often() {
	for _ in $(seq "$1"); do
		refresh --refresh || cat "$scratch/log" >>"$scratch/failed"
		[ "$(stat -c %a "$file")" = 644 ] || echo mode >>"$scratch/failed"
	done
}
: >"$scratch/failed"
before=$(stat -c %i "$scratch/cache/counters")
umask 077 # the mode of the file does not depend on it
scrape_meanwhile refresh_often 1000
is "1,000 runs succeed, and the file has the mode 0644" "$(cat "$scratch/failed")" ""
echo "# scrapes meanwhile: $scrapes"
ok "there were scrapes" test "$scrapes" -ge 10
is "each scrape has a whole file" "$(bad)" ""
is "nothing is left beside the file" "$(ls -A "$folder")" cpucycles.prom
is "the cache was not written" "$(stat -c %i "$scratch/cache/counters")" "$before"
