#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure --command with real programs: which is faster, how a run may fail, and that
# nothing is left of a run. How verdicts follow from the times is tested by test-alternate.c.

. "$top_srcdir/tests/harness/tap.sh"

measure=$top_builddir/utils/cpucycles-measure
json_get=$top_builddir/tests/utils/json-get
[ -x "$measure" ] || skip_all "cpucycles-measure is not built"
cd "$scratch" || exit

run() { capture "$measure" "$@"; }
said() { cat err; }
# has PATTERN [FILE]: the extended regular expression matches a whole line of the output.
has() {
	grep -q -x -E -e "$1" "${2-out}" || { sed 's/^/# /' out err; return 1; }
}
# left COMMAND: how many processes still run it.
left() { ps -eo args | grep -c "^$1"; }
# turns NUMBER: an argument of awk that takes time in proportion.
turns() { echo "BEGIN{while(i<$1)i++}"; }
# as_timed: a filter for machines with a PMU, where cycles may be judged and events be counted: what
# there is without one.
as_timed() {
	sed -e 's/,cycles:uk*//; s/,instructions:uk*//; s/,cycles,/,ns,/' \
		-e 's/^perf-cycles cycles/cpu-time ns/'
}
counts='( +[0-9]+){0,2}'

# Which is faster.
awk="awk '$(turns 50000)'"
twice="awk '$(turns 200000)'"
run -t 60 --command "$awk" --command "$twice"
is "much more work: the status" "$status $(said)" "0 "
base='by (CPU time|core cycles), as it is built, in [0-9]+ pairs of processes, [0-9.]+ s\.'
ok "much more work: the sentence" \
	has "awk .* (takes [0-9.]+ times as long|is .* slower) .*, $base.*"
ok "the columns" \
	has 'command +(cycles/run +)?CPU time  spread  wall time( +memory)? +runs( +[a-z]+:uk?)*'
run -t 60 --gate 50% --command "$awk" --command "$awk"
ok "the same program twice: the status" test "$status" -eq 0 -o "$status" -eq 12
ok "the same program twice: no alarm" has 'Gate of 50 %: (passed|cannot tell)\.'
run -t 60 --gate 5% --annotations github --command "$awk" --command "$twice"
is "a gate: the status" "$status" 11
ok "a gate: the row" has "awk .* \+.* % .* alarm"
ok "a gate: the annotation" has '::error file=awk,line=1,title=awk .*::alarm: \+.*' err
run -t 60 --wall --command "sleep 0.02" --command "sleep 0.1"
ok "--wall" has 'sleep 0.1 takes [0-9.]+ times as long as sleep 0.02 .*, by wall time, .*'
run -t 60 -n 12 --wall --command "sleep 0.02" --command "sleep 0.1" --command "sleep 0.02"
is "three commands: two sentences" "$(sed '1,/^$/d' out | wc -l | tr -d ' ')" 2

# One alone, and other forms.
run -n 10 -t 60 --command true
is "one alone: the status" "$status $(said)" "0 "
ok "one alone: a row" has "true +[0-9.]+ .*(us|ms|s) .* 10$counts"
is "one alone: no sentence" "$(wc -l <out | tr -d ' ')" 2
run -n 10 -t 60 --csv --command true --command "true again"
is "--csv: the columns" "$(head -n 1 out | as_timed)" "function,size,unit,mean,mean_low,mean_high,\
quartile1,median,quartile3,mean_ns,calls,iterations,bytes,verdict,ratio,ratio_low,\
ratio_high,other_ratio,within,units,layouts,placement_part,core_cycles,core_cycles_low,\
core_cycles_high,cpu_ns,wall_ns,memory_bytes,warnings,note"
is "--csv: the rows" "$(sed 1d out | as_timed | cut -d , -f 1,3,11,12)" "true,ns,10,1
true again,ns,10,1"
if "$measure" --json -n 1 --command true >/dev/null 2>&1; then
	get() { "$json_get" "$@" <out; }
	run -n 10 -t 60 --json --command true --command true
	is "--json: what there is" "$(echo "$(get counter name) $(get counter unit)" | as_timed) \
$(get functions 1 name) $(get functions 1 state) $(get functions 1 figures samples)" \
		"cpu-time ns true (2) measured 10"
	is "--json: the times, and the ratio of the other one" "$(for key in cpu_ns wall_ns; do
		get functions 0 figures $key; done
		get functions 1 figures verdict other_ratio | grep -c -x -E '[0-9.]+')" \
		"$(get functions 0 figures interquartile_mean_ns)
$(get functions 0 figures wall_ns)
1"
	run -n 3 -t 60 --json --command "awk 'BEGIN{x=\"xx\";while(length(x)<5e7)x=x x}'"
	ok "--json: the memory" test "$(get functions 0 figures memory_bytes | sed 's/\..*//')" \
		-gt 50000000
else
	skip "--json" "built without jansson"
fi
run -v -n 10 -t 60 --command true
ok "-v" has 'runs        10'
ok "-v: the other time" has 'wall time   [0-9.]+ ns'
run -n 10 -t 60 --layouts pairs --command true --command "true again"
is "--layouts: a row for each run" "$(grep -c -v '^#' pairs)" 21

# How a command is split.
cat >says <<'END'
#!/bin/sh
printf '<%s>' "$0" "$@" >&2
exit 3
END
chmod +x says
cp says "two words"
run --command "'./two words' a\\ b '' \"c d\"'e'  \\\"f"
is "blanks, quotes and backslashes" "$(tail -n 1 err)" '<./two words><a b><><c de><"f>'
is "what a command is that fails" "$status $(head -n 1 err)" "6 cpucycles-measure: './two words' \
a\\ b '' \"c d\"'e'  \\\"f: exit status 3; expected 0, or --ignore-failure; its last lines:"
for wrong in "a 'b" "a \"b" "a\\" "" "''" "true | true" "true >x"; do
	run --command "$wrong"
	is "'$wrong': the status, and one line" "$status $(wc -l <err | tr -d ' ')" "2 1"
done
long=$(printf '%100000s' '' | tr ' ' x)
run -n 3 -t 60 --command "true $long"
is "an argument of 100,000 bytes" "$status $(said)" "0 "
ok "it is cut in the middle" has 'true x+\.\.\.x+ .*'

# Failures.
run --command ./says --command true
is "status 3: its last lines" "$status $(tail -n 1 err)" "6 <./says>"
run -n 3 -t 60 --ignore-failure --command ./says
is "--ignore-failure" "$status $(said)" "0 "
run --gate 5% --command true --command ./says
is "a gate and a failure: the status" "$status" 6
ok "a gate and a failure: the row" has './says .* failed: exit status 3; .*'
run --command "sh -c 'seq 100000 >&2; exit 1'"
is "of much, the last lines are shown" "$(tail -n 1 err) $(sed -n 2p err | grep -c '^99[0-9]*$')" \
	"100000 1"
ok "of much, little" test "$(wc -c <err)" -lt 3000
run --command "sh -c 'exec 2>&-; exit 4'"
is "standard error is closed" "$status $(wc -l <err | tr -d ' ')" "6 1"
run --command "sh -c 'kill -SEGV \$\$'"
ok "a signal ends it" has ".*: ended by signal 11 .*" err
is "a signal ends it: the status" "$status" 6
touch data
for wrong in ./nothere ./data .; do
	run --command true --command "$wrong x"
	is "$wrong: the status" "$status" 4
	ok "$wrong: the line" has "cpucycles-measure: $wrong x: does not start: .*" err
done
# The first run is a warm-up.
run -n 3 -t 60 --prepare "sh -c 'echo >>prepared'" --command true
is "--prepare: before each run" "$status $(wc -l <prepared | tr -d ' ')" "0 4"
run --prepare "sh -c 'echo why >&2; exit 5'" --command true
is "--prepare fails" "$status $(said)" "9 cpucycles-measure: --prepare \
sh -c 'echo why >&2; exit 5': exit status 5; expected 0; its last lines:
why"
echo text >input
run -n 3 -t 60 --input input --show-output --command cat
is "--input and --show-output" "$status $(sort -u err)" "0 text"
run -n 3 -t 60 --input input --command cat
is "the output is not shown" "$status $(said) $(grep -c text out)" "0  0"
for wrong in nothere .; do
	run --input "$wrong" --command cat
	is "--input $wrong" "$status $(said)" \
		"4 cpucycles-measure: --input $wrong: expected a file that can be read"
done
run -n 3 -t 60 --command cat
is "without --input, there is none" "$status" 0
zeros='head -c 100000000 /dev/zero'
run -n 2 -t 60 --command "sh -c '$zeros; $zeros >&2'"
is "100 MB of output and of errors" "$status $(said)" "0 "
for other in "--sizes 1" --leak "--only x" "--cflags x" "-r any -e x" "--raw x" --check; do
	# shellcheck disable=SC2086 # words
	run $other --command true
	is "$other: not with a command" "$status $(wc -l <err | tr -d ' ')" "2 1"
done
for alone in "--prepare x" --wall --show-output --ignore-failure "--input x" "--gate 1%"; do
	# shellcheck disable=SC2086 # words
	run $alone x.so:f
	is "$alone: for commands" "$status" 2
done

# Nothing is left. No other process has these numbers as arguments.
run --timeout 0.2 --command "sh -c 'trap \"\" INT TERM HUP; sleep 8401; sleep 8401'"
is "it hangs and ignores signals" "$status" 7
ok "it hangs: the line" has '.*: took longer than 0.2 s, and was ended; --timeout gives more' err
is "it hangs: nothing is left" "$(left "sleep 8401")" 0
run -n 2 -t 60 --command "sh -c 'sleep 8402 & :'"
is "a process in the background" "$status $(left "sleep 8402")" "0 0"
if [ "$(uname)" = Linux ] && command -v setsid >/dev/null; then
	run -n 2 -t 60 --command "sh -c '(setsid sh -c \"setsid sleep 8403 & sleep 8403\" &); :'"
	is "processes in sessions of their own" \
		"$status $(left "sleep 8403")" "0 0"
else
	skip "processes in sessions of their own" "not Linux, or no setsid(1)"
fi
if sh -c 'kill -INT $$' 2>/dev/null; then
	skip "Ctrl-C" "SIGINT is ignored here"
else
	interrupt="[ \$(wc -l <counted) -ne 25 ] || kill -INT \$PPID; sleep 0.01"
	: >counted
	run -t 600 --command "sh -c 'echo >>counted; setsid sleep 8404 & $interrupt'" \
		--command "sh -c 'echo >>counted; $interrupt; sleep 0.01'"
	is "Ctrl-C: the status" "$status" 130
	ok "Ctrl-C: it says so" has 'Interrupted: this is what there was\.'
	ok "Ctrl-C: figures" has "sh .* 1[01]$counts"
	is "Ctrl-C: nothing is left" "$(left "sleep 8404")" 0
	run --command "sh -c 'kill -INT \$PPID; sleep 8405'"
	is "Ctrl-C in the first run" "$status $(left "sleep 8405")" "130 0"
fi
run --command "sh -c 'kill -TERM \$PPID; sleep 8406'"
is "SIGTERM: no output, nothing is left" \
	"$status $(cat out) $(left "sleep 8406")" "143  0"
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	cat >changes <<'END'
"$measure" -n 2 --show-output --command "sh -c 'stty -echo <&2; stty -a <&2 >changed'" >table
stty -a >after
END
	export measure
	script -qec "sh ./changes" /dev/null </dev/null >/dev/null
	is "the modes of the terminal were changed, and are restored" \
		"$(grep -c -w -e -echo changed) $(grep -c -w -e -echo after)" "1 0"
else
	skip "the modes of the terminal" "no script(1) of util-linux that can make a terminal here"
fi
