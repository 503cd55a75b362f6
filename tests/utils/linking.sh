# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD
# shellcheck shell=sh disable=SC2154 # variables come from the sourcing script

# What the tests of functions that cpucycles-measure links share. Sourced after tap.sh and lines.sh.

measure=$top_builddir/utils/cpucycles-measure
[ -x "$measure" ] || skip_all "cpucycles-measure is not built"
grep -q '^#define HAVE_HARNESS 1' "$top_builddir/config.h" ||
	skip_all "this build cannot link functions"
# Without jansson, the tool has no --json.
has_json=$(grep '^#define HAVE_JANSSON 1' "$top_builddir/config.h" || true)
ulimit -c 0
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE CC
TMPDIR=$scratch/tmp
export TMPDIR
mkdir "$TMPDIR"
cd "$scratch" || exit 99

# run ARGUMENT...: the programs that are linked get the flags of the harness, which may have
# sanitizers. $always: an option of all runs.
run() {
	capture "$measure" ${always-} --cflags="$CFLAGS" "$@"
	cat out err >log
}
# has PATTERN: the extended regular expression matches a whole line of the output.
has() {
	grep -q -x -E -e "$1" out || { sed 's/^/# out: /' log; return 1; }
}
says() {
	grep -q -x -E -e "cpucycles-measure: $1" err || { sed 's/^/# err: /' err; return 1; }
}
# object FILE [OPTION...]: FILE.o of FILE.c.
object() {
	file=$1
	shift
	# shellcheck disable=SC2086 # options
	$CC $CFLAGS -O1 "$@" -c "$file.c" -o "$file.o"
}
# nothing_left: no file is left in the folder for temporary ones.
nothing_left() {
	[ -z "$(ls -A "$TMPDIR")" ] || { find "$TMPDIR" | sed 's/^/# /'; return 1; }
}
# need_compiler FILE: compile FILE.c, or skip all tests.
need_compiler() {
	object "$1" 2>compiler || skip_all "no compiler here: $(head -n 1 compiler)"
}
