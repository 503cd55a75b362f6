#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure --harness with real harnesses, those that are installed, by the examples of
# doc/examples/harness and their commands. How programs may fail is shown by scripts that answer as
# a test binary of Go does. What each harness prints is read by test-drivers.c.

. "$top_srcdir/tests/harness/tap.sh"

measure=$top_builddir/utils/cpucycles-measure
[ -x "$measure" ] || skip_all "cpucycles-measure is not built"
has_json=$(grep '^#define HAVE_JANSSON 1' "$top_builddir/config.h" || true)
examples=$top_srcdir/doc/examples
TMPDIR=$scratch/tmp
export TMPDIR
mkdir "$TMPDIR"
cd "$scratch" || exit

run() { capture "$measure" "$@"; }
# has PATTERN [FILE]: the extended regular expression matches a whole line of the output.
has() {
	grep -q -x -E -e "$1" "${2-out}" || { sed 's/^/# /' out err; return 1; }
}
says() { has "cpucycles-measure: $1" err; }
# nothing_left: no file is left in the folder for temporary ones.
nothing_left() {
	[ -z "$(ls -A "$TMPDIR")" ] || { find "$TMPDIR" | sed 's/^/# /'; return 1; }
}

# program NAME TIME [COMMAND]: it has BenchmarkOwn_NAME, and BenchmarkBoth, which takes TIME
# nanoseconds, or the command ends it. It lists both, and a failure if there is a file `fails`.
program() {
	cat >"$1" <<-END
		#!/bin/sh
		case \$* in
		*=1x*)
			printf 'hello\nBenchmarkOwn_$1 1 5 ns/op\nBenchmarkBoth 1 5 ns/op\n'
			exit
			;;
		esac
		${3-:}
		printf 'BenchmarkBoth-2 \t10\t%s ns/op\nPASS\n' $2
	END
	chmod +x "$1"
}
program old 100
program new 200
run --harness go --gate 5% -t 60 old ./new
is "twice as long: the status" "$status" 11
ok "twice as long: the row" has 'BenchmarkBoth +100\.?0* ns +200\.?0* ns .* alarm'
ok "what one has alone" says 'old alone has BenchmarkOwn_old, which is not compared'
ok "what the other one has alone" says './new alone has BenchmarkOwn_new, which is not compared'
run --harness go --gate 5% -t 60 new old
is "half as long passes" "$status" 0
run --harness go -t 60 old new
as_built=', by wall time, as it is built, in [0-9]+ pairs of processes, .*'
ok "the sentence" \
	has "new:BenchmarkBoth takes 2\.0+ times as long as old:BenchmarkBoth .*$as_built"
ok "the columns" has 'benchmark +wall time .*'
run --harness go --csv -t 60 --within 5% --only 'Benchmark[AB]oth' old old
is "one program twice, and a pattern" "$status $(sed 's/,.*//' out | tr '\n' ' ')" \
	"0 function old:BenchmarkBoth old:BenchmarkBoth (2) "
run --harness go -t 60 --only none old new
is "a pattern that fits none: the status" "$status" 4
ok "a pattern that fits none" says 'old and new have no benchmark in common; .* --only none'
if [ -n "$has_json" ]; then
	run --harness go -j -t 60 --gate 5% old new
	is "JSON" "$status $(grep -c '"gate": "alarm"' out) $(grep -c '"wall_ns": 200' out)" \
		"11 1 1"
fi
run --harness go -t 60 --gate 5% --annotations github old new
ok "annotations" has '::error file=new,.*title=BenchmarkBoth::alarm: .*' err
ok "no file is left" nothing_left

# The jobs of doc/examples/gate have such a command in a comment.
mkdir base bin
cp old base/benchmarks
cp new benchmarks
cat >bin/cpucycles-measure <<END
#!/bin/sh
exec "$measure" -t "\$seconds" "\$@"
END
chmod +x bin/cpucycles-measure
PATH=$scratch/bin:$PATH
export PATH
for job in github gitlab; do
	command=$(sed -n '/# .*cpucycles-measure --harness/,/>/s/^ *# *//p' \
		"$examples/gate/$job.yml" |
		sed -e 's/^- //' -e 's/ \\$//' -e 's/google-benchmark/go/' -e 's,\.\./base,base,' |
		tr '\n' ' ')
	[ -n "$has_json" ] || command=
	if [ -z "$command" ]; then
		skip "gate/$job.yml" "built without jansson"
		continue
	fi
	GITHUB_STEP_SUMMARY=summary seconds=60 capture sh -c "$command"
	is "gate/$job.yml: the status" "$status" "$([ $job = github ] && echo 1 || echo 11)"
done
if [ -n "$has_json" ]; then
	ok "gate/github.yml: the summary" has '\| BenchmarkBoth .* alarm *\|' summary
	ok "gate/gitlab.yml: the report" grep -q '"description": "BenchmarkBoth' quality.json
fi

# What goes wrong.
# fails STATUS SENTENCE COMMAND: with such a program in the place of the new one.
fails() {
	program bad 200 "$3"
	run --harness go -t 60 --timeout 2 --gate 5% old ./bad
	is "$2: the status" "$status" "$1"
	ok "$2: the sentence" says "$2"
	ok "$2: no file is left" nothing_left
}
bad='./bad:BenchmarkBoth'
fails 6 "$bad: exit status 3: first" "echo first; exit 3"
fails 6 "$bad: exit status 2: panic: boom" "printf 'panic: boom\n\nlater\n' >&2; exit 2"
fails 6 "$bad: no such file" "printf -- '--- FAIL: BenchmarkBoth\n    no such file\n'; exit 1"
fails 6 "$bad: ended by signal 9 \(.*\)" 'kill -9 $$'
fails 7 "$bad: took too long, and was ended; --timeout gives more" "sleep 1000"
fails 9 "$bad: it does not answer as a program of go does: garbage" "echo garbage; exit"
fails 9 "$bad: it is listed, but does not run" "echo PASS; exit"
program bad 0
run --harness go -t 60 old ./bad
is "a time of 0: the status" "$status" 8
ok "a time of 0" says "$bad: its time is 0: it is too short for this harness"
# The old one fails in the first run, which shows how long it takes.
program bad 100 "exit 3"
run --harness go -t 60 --gate 5% ./bad new
is "the old one fails: the status" "$status" 6
ok "the old one fails: the row" has 'BenchmarkBoth .* failed in the old file: exit status 3'
program bad 100 "echo PASS; exit"
run --harness go -t 60 ./bad new
is "the old one does not run what it lists: the status" "$status" 4
ok "it is left out" says "$bad: it is listed, but does not run, and is left out"
# What cannot be listed.
printf '#!/bin/sh\n' >empty
printf '#!/no/such/interpreter\n' >unfound
chmod +x empty unfound
: >plain
for case in "4:nothing: No such file or directory" \
	".:4:expected a program with benchmarks of go, not a folder" \
	"plain:4:its benchmarks cannot be listed: does not start: .*" \
	"unfound:4:its benchmarks cannot be listed: does not start: .*" \
	"empty:9:its benchmarks cannot be listed: it does not answer as a program of go does"; do
	case $case in
	4:*) file=nothing rest=${case#*:} expected=4 ;;
	*)
		file=${case%%:*} rest=${case#*:}
		expected=${rest%%:*} rest="$file: ${rest#*:}"
		;;
	esac
	run --harness go old "$file"
	is "$file: the status" "$status" "$expected"
	ok "$file: the sentence" says "$rest"
done
ok "no file is left of these either" nothing_left
# Mistakes of the command line.
for bad in "--harness ada old new" "--harness go old" "--harness go old new new" \
	"--harness go --leak old new" "--harness go --sizes 1 old new" "--harness go -e x old new" \
	"--harness go --raw x old new" "--harness go --layouts x old new" \
	"--harness go --no-compare old new" "--harness go --command true old new" \
	"--harness go --input old old new"; do
	# shellcheck disable=SC2086 # options
	run $bad
	is "$bad: a usage error" "$status" 2
done

# Ctrl-C ends it, and leaves nothing.
if sh -c 'kill -INT $$' 2>/dev/null; then
	skip "Ctrl-C" "SIGINT is ignored here"
else
	interrupt='[ $(wc -l <counted) -ne 25 ] || kill -INT $PPID'
	program slow 100 "echo >>counted; $interrupt; sleep 0.01"
	: >counted
	run --harness go -t 600 slow slow
	is "Ctrl-C: the status" "$status" 130
	ok "Ctrl-C: figures" has 'slow:BenchmarkBoth .* [0-9]+'
	ok "Ctrl-C: it says so" has 'Interrupted: this is what there was\.'
	ok "Ctrl-C: no file is left" nothing_left
fi

# The examples, by their commands. CFLAGS may have a sanitizer, with which they are not built.
cp -R "$examples" examples
chmod -R u+w examples
# example FILE SECONDS: run its command for so long.
example() {
	seconds=$2
	export seconds
	command=$(sed -n "s,^| \[harness/$1\]([^)]*).*| \`\(.*\)\` |\$,\1,p" "$examples/README.md")
	is "harness/$1: a command" "$(echo "$command" | grep -c -e --harness)" 1
	capture sh -c "cd examples/harness && $command"
	ok "harness/$1: its command" test "$status" -eq 0 -o "$status" -eq 12
}
# slower HARNESS SECONDS OLD NEW CRC: with the two revisions exchanged, crc is slower. So many pairs
# tell that also where half of the runs were disturbed. They are done long before these seconds.
slower() {
	run --harness "$1" -t "$2" -n 40 --gate 30% --only "$5" "$3" "$4"
	is "crc is slower: the status" "$status" 11
	ok "crc is slower" grep -q -e ' alarm$' out
}
unavailable=
[ -n "$has_json" ] || unavailable="built without jansson"
pkg-config --exists benchmark 2>/dev/null || unavailable="libbenchmark-dev is not there"
if [ -n "$unavailable" ]; then
	skip "google/benchmark" "$unavailable"
else
	example crc.cc 4
	in=examples/harness
	slower google-benchmark 30 $in/new $in/old "of_text<crc>/1000"
	# Names with all that a regular expression may mean; a benchmark that fails; own times.
	cat >names.cc <<-'C'
		#include <benchmark/benchmark.h>
		static void f(benchmark::State &state)
		{
			for (auto _ : state)
				for (int i = 0; i < 300 * TURNS; i++)
					__asm__ volatile("");
		}
		BENCHMARK(f)->Name("(x|y)* [1] {2} $5.0^2? \\d \"q\" a/b <T, U>");
		BENCHMARK(f)->Name("repeated")->Repetitions(2)->ReportAggregatesOnly();
		BENCHMARK(f)->Iterations(1000);
		BENCHMARK(f)->Name("real")->UseRealTime();
		BENCHMARK(f)->Name("longer")->MinTime(0.05);
		BENCHMARK(f)->Name("threads")->Threads(2);
		static void fails(benchmark::State &state)
		{
			state.SkipWithError("no input");
			for (auto _ : state) { }
		}
		BENCHMARK(fails);
		BENCHMARK_MAIN();
	C
	for turns in 1 4; do
		# shellcheck disable=SC2046 # options
		c++ -O1 -DTURNS=$turns names.cc $(pkg-config --cflags --libs benchmark) -lpthread \
			-o names$turns
	done
	run --harness google-benchmark --gate 5% -n 40 -t 300 names1 names4
	is "names: the status" "$status" 6
	ok "names: a benchmark that fails" says "names1:fails: no input"
	is "names: all others are slower" "$(grep -c ' alarm$' out)" 6
	ok "names: an odd one" eval 'grep -q -F "(x|y)* [1] {2}" out'
	run --harness google-benchmark -v -t 20 -n 2 --only real/real_time names1 names4
	ok "names: by its own wish, the wall time is judged" has "counter +wall-time.*"
fi
if ! command -v go >/dev/null; then
	skip "Go" "go is not there"
else
	GOCACHE=$scratch/go-cache GOFLAGS=-mod=mod GO111MODULE=off
	export GOCACHE GOFLAGS GO111MODULE
	example go/old/crc_test.go 4
	in=examples/harness/go
	slower go 30 $in/new.test $in/old.test BenchmarkCRC
fi
if [ "${TESTS_SHORT-}" = yes ]; then
	skip "pytest and Catch2" "this is the short form of the test"
	exit 0
fi
unavailable=
[ -n "$has_json" ] || unavailable="built without jansson"
python3 -c 'import pytest_benchmark' 2>/dev/null || unavailable="pytest-benchmark is not there"
if [ -n "$unavailable" ]; then
	skip "pytest" "$unavailable"
else
	example pytest/old/test_crc.py 4
	in=examples/harness/pytest
	slower pytest 200 $in/new $in/old test_crc.py::test_crc
	is "nothing is left in its folders" \
		"$(find $in -name .benchmarks -o -name .pytest_cache | tr '\n' ' ')" ""
	cat >test_odd.py <<-'PY'
		import pytest
		@pytest.mark.parametrize("x", ["a b", "x/y[1]", "-k", "c::d"])
		def test_odd(benchmark, x): benchmark(len, x)
		def test_bad(benchmark): benchmark(len, ""); assert 1 == 2
	PY
	run --harness pytest -n 1 -t 600 --only '*::test_odd*' --csv test_odd.py test_odd.py
	is "odd names: they are listed, and run" "$status $(grep -c '::test_odd' out)" "0 8"
	ok "odd names: another one fails" \
		says "test_odd.py: not all benchmarks can be listed: exit status 1: E .*"
fi
if ! [ -e /usr/include/catch2/catch.hpp ]; then
	skip "Catch2" "version 2 of Catch2 is not there"
else
	example catch2.cc 4
	in=examples/harness
	slower catch2 200 $in/new-catch2 $in/old-catch2 checksums/crc
fi
