#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Called by make pictures: pictures.sh SOURCES. Draws doc/pictures/*.svg from tests/data/plot.
# With RECORD=1 the data is recorded first: root, and a calibrated machine, give the most. The skew
# is recorded where there are more than two CPUs, because a map of two shows little.

set -eu
data=$1/tests/data/plot
pictures=$1/doc/pictures
CPUCYCLES_PLOT_PARTS=$1/plot
export CPUCYCLES_PLOT_PARTS

# Data is replaced when it is complete.
record() {
	recorded=$1
	shift
	"$@" >"$data/$recorded.new"
	mv "$data/$recorded.new" "$data/$recorded"
}

if [ "${RECORD-}" = 1 ]; then
	for kind in noise drift frequency; do
		record $kind.tsv "$INFO" --samples $kind --seconds 2
	done
	[ "$(nproc)" -le 2 ] || record skew.tsv "$INFO" --samples skew --seconds 2
	[ ! -x "$MEASURE" ] || "$MEASURE" --raw="$data/samples.tsv" --samples=200 \
		libc.so.6:getppid libc.so.6:getuid libc.so.6:sched_yield libc.so.6:getppid \
		>/dev/null
fi

mkdir -p "$pictures"
for kind in noise skew drift frequency; do
	"$PLOT" $kind -i "$data/$kind.tsv" -o "$pictures/$kind.svg"
done
"$PLOT" samples "$data/samples.tsv" -o "$pictures/samples.svg"
