#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The benchmarks run, and their outputs agree with one another. No time is held to a limit.

. "$top_srcdir/tests/harness/tap.sh"

bench=$top_builddir/bench
library=$top_builddir/lib/.libs/libcpucycles.so.1
json_get=$top_builddir/tests/utils/json-get
limit=600

[ -x "$bench/bench" ] || skip_all "the benchmarks are not built for this machine"
[ -e "$library" ] || skip_all "no shared library was built"

TMPDIR=$scratch/tmp
export TMPDIR
mkdir "$TMPDIR"

# tiny NAME OPTION...: the shortest run that makes sense. Its output goes to $scratch/NAME.
tiny() {
	name=$1
	shift
	timeout "$limit" "$bench/bench" --build "$top_builddir" --rounds 4 --blocks 5 \
		--together 20 --calibrations 1 "$@" \
		>"$scratch/$name" 2>"$scratch/$name.err" && return
	status=$?
	sed 's/^/# /' "$scratch/$name" "$scratch/$name.err"
	return "$status"
}

# rows: the names of all series of the table, also of those that are not measured.
rows() {
	sed -n '/^series /,/^$/s/^\([a-z][a-z0-9.-]*\)  *[n0-9].*/\1/p' "$scratch/run" |
		grep -vx series | sort
}
# figure NAME: the median of a series.
figure() {
	awk -v name="$1" '$1 == name && $2 != "not" { print $5 }' "$scratch/run"
}

if ! grep -q '^#define HAVE_JANSSON' "$top_builddir/config.h"; then
	ok "it runs, against itself" tiny run --against "$library"
	is "it complains of nothing" "$(cat "$scratch/run.err")" ""
	tiny json --only size --json "$scratch/json" >"$scratch/out"
	is "without jansson: one line for the JSON" "$(cat "$scratch/json.err")" \
		"bench: $scratch/json: not written: built without jansson, which JSON needs"
	skip "the JSON" "built without jansson"
	exit 0
fi
ok "it runs, against itself" tiny run --against "$library" --json "$scratch/json"
is "it complains of nothing" "$(cat "$scratch/run.err")" ""
is "it leaves nothing behind" "$(ls "$TMPDIR")" ""

get() { "$json_get" "$@" <"$scratch/json"; }
has() { get "$@" >"$scratch/got"; }
# series NAME KEY...: the value of KEY in the series NAME of the JSON.
series() {
	wanted=$1 i=0
	shift
	while [ "$i" -lt "$(get series '#')" ]; do
		[ "$(get series "$i" name)" != "$wanted" ] || { get series "$i" "$@"; return; }
		i=$((i + 1))
	done
	echo "no series $wanted"
}
# all LIST KEY: the value of KEY in each member of a list of the JSON.
all() {
	i=0
	while [ "$i" -lt "$(get "$1" '#')" ]; do
		get "$1" "$i" "$2"
		i=$((i + 1))
	done
}
is "the JSON has the series of the table" "$(all series name | sort)" "$(rows)"
for key in version library against cache page seed machine calls goals; do
	ok "the JSON has $key" has $key
done
is "the library is the one built here" "$(get library)" "$library"
for name in first.cached first.none first.against; do
	is "$name: a sample for each process" "$(series $name n) $(series $name samples '#')" "4 4"
done
is "every goal has a verdict" \
	"$(all goals verdict | grep -vxE 'reached|missed|not shown|not measured')" ""

# The bare program makes the system calls of the cached first call. It may be missing only where the
# kernel forbids tracing, or where a sanitizer makes calls of its own.
why=$(series first.bare why)
case " $CFLAGS $CC $why" in
*-fsanitize=* | *ptrace* | *"cannot be traced"*)
	skip "the bare program makes the same system calls" \
		"${why:-a sanitizer makes calls of its own}" ;;
*)
	is "the bare program makes the same system calls" "$(series first.bare n) $why" "4 "
	is "one for one" "$(get calls bare)" "$(get calls cached)"
	get calls cached >"$scratch/calls"
	ok "the cache is among them" grep -q 'openat.*counters' "$scratch/calls" ;;
esac

# size(1) and readelf(1) find the same figures in the library.
if command -v size >/dev/null && command -v readelf >/dev/null; then
	is "text, as size has it" "$(figure size.text)" \
		"$(size "$library" | awk 'NR == 2 { print $1 ".00" }')"
	is "relocations, as readelf has it" "$(figure size.relocations)" \
		"$(readelf -rW "$library" | grep -c ' R_').00"
else
	skip "size and relocations" "size or readelf is not there"
fi

# compare FILE FILE
compare() {
	"$bench/compare" "$1" "$2" >"$scratch/compared" 2>&1
}
# with_verdict: the series that compare found faster, slower, less or more, and which of these.
with_verdict() {
	grep -E ' (faster|slower|less|more)$' "$scratch/compared" | sed 's/ .* / /'
}
ok "compare: a run with itself" compare "$scratch/json" "$scratch/json"
is "no verdict" "$(with_verdict)" ""
ok "all of its series" [ "$(grep -c ' no difference shown$' "$scratch/compared")" -gt 10 ]

# doctor NAME FACTOR: the JSON with the samples of one series multiplied by FACTOR. Each sample is
# repeated eight times, because few samples show no difference.
doctor() {
	awk -v name="$1" -v factor="$2" '
		/"name": / { inside = index($0, "\"" name "\"") }
		inside && /^ *[0-9.e+-]+,?$/ {
			comma = /,$/ ? "," : ""; sub(/,$/, "")
			for (i = 0; i < 8; i++)
				printf "%.17g%s\n", $1 * factor, i < 7 ? "," : comma
			next
		}
		{ print }' "$scratch/json"
}
doctor first.cached 1 >"$scratch/before"
doctor first.cached 1000000 >"$scratch/after" # more than any pause on a busy machine
ok "compare: a doctored run" compare "$scratch/before" "$scratch/after"
is "one verdict" "$(with_verdict)" "first.cached slower"
ok "compare: turned over" compare "$scratch/after" "$scratch/before"
is "the opposite" "$(with_verdict)" "first.cached faster"
echo '{ "format": 1 }' >"$scratch/other"
compare "$scratch/json" "$scratch/other"
is "compare: a file of somebody else's" "$?" 1

rm "$scratch/json"
CPUCYCLES_COUNTER=default-zero tiny wished --only first --json "$scratch/json"
is "what the caller wishes of the library is not measured" "$(series first.cached n 2>&1)" 4
ok "a library that is none" \
	sh -c "! '$bench/bench' --library /nonexistent --only first >'$scratch/out' 2>&1"
ok "says so" grep -q nonexistent "$scratch/out"
