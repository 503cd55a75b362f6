#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Options, and output that cannot be written.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/utils/common.sh"

run --version
is "--version succeeds" "$status" 0
ok "--version prints it" has 'cpucycles-info [0-9][^ ]*'
run --help
is "--help succeeds" "$status" 0
for option in --cache --probe --json --metrics "--samples KIND" "--seconds SECONDS" --version \
	--help; do
	ok "--help has $option" has ".* $option  .*"
done

for bad in --nonsense -x --cache=yes file; do
	run "$bad"
	is "$bad is a usage error" "$status" 2
	is "$bad: one line" "$(said | wc -l | tr -d ' ')" 1
	is "$bad: the line begins with the program" "$(said | sed 's/:.*//')" cpucycles-info
	is "$bad: no output" "$(cat "$scratch/out")" ""
done
run --cache file
is "an argument behind an option is one too" "$status" 2
for other in --cache --probe --json --samples=noise; do
	run --metrics $other
	is "--metrics $other is one too" "$status" 2
	is "--metrics $other: one line" "$(said)" \
		"cpucycles-info: --metrics: no other option goes with it"
done

# A limit of the size of files is met as a full disk is. The kernel's signal would end a program.
head -c 4096 /dev/zero >"$scratch/large"
for program in "$info" "$calibrated" "$top_builddir/utils/cpucycles-open" \
	"$top_builddir/utils/cpucycles-measure" "$top_builddir/plot/cpucycles-plot"; do
	name=${program##*/}
	[ -x "$program" ] || { skip "$name at the limit of files" "it is not built"; continue; }
	(
		status=0
		ulimit -f 1
		"$program" --help 2>&1 >>"$scratch/large" || status=$?
		echo "status $status"
	) | cat >"$scratch/out"
	is "$name at the limit of files: one line, and the status of a failure" \
		"$(sed -e 's/: .*//' -e 's/status [123]$/failed/' "$scratch/out")" "$name
failed"
done

[ -c /dev/full ] || { skip "full disk" "no /dev/full"; exit 0; }
for option in "" --cache --probe --json --metrics --help --version; do
	if [ "$option" = --json ] && [ "$("$info" --json >/dev/null 2>&1; echo $?)" = 2 ]; then
		skip "--json to a full disk" "built without jansson"
		continue
	fi
	status=0
	"$info" $option >/dev/full 2>"$scratch/err" || status=$?
	is "${option:-no option} to a full disk" "$status" 3
	is "${option:-no option}: one line says why" "$(said)" \
		"cpucycles-info: standard output: No space left on device"
done
