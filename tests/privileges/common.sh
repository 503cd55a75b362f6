# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the scripts of this folder share. Sourced, after tap.sh.

. "$top_srcdir/tests/harness/make.sh"

LIMIT=900 # seconds for one test; a hang is a failure

left_out=$(words_of privileges_left_out)
[ "${TESTS_SHORT-}" != yes ] || left_out="$left_out $(words_of privileges_long)"
# shellcheck disable=SC2086 # lists of words
tests=$(printf '%s\n' $(words_of TESTS) | grep -E '^tests/(calibrated|lib|utils)/' |
	grep -vxF "$(printf '%s\n' $left_out)")
ok "there are tests" test "$(echo "$tests" | wc -w)" -gt 40

# points TEST STATUS: the points of a test, whose output is standard input, as points of this one.
points() {
	awk -v count="$tap_count" -v name="$1" -v status="$2" '
		function point(word, text) { print word " " ++count " - " name ": " text }
		/^1\.\.0 # SKIP/ { point("ok", "all" substr($0, 5)); ended = 1; next }
		/^1\.\.[0-9]+/ { ended = 1; next }
		/^(not )?ok [0-9]+/ {
			word = /^not/ ? "not ok" : "ok"
			sub(/^(not )?ok [0-9]+ *(- )?/, "")
			point(word, $0)
			next
		}
		/^#/ { print; next }
		{ print "# " $0 }
		END { if (!ended || status >= 99) point("not ok", "ended with status " status) }'
}

# run_each COMMAND...: run each test by this command.
run_each() {
	for name in $tests; do
		case $name in
		*.sh) runner=sh program=$top_srcdir/$name ;;
		*) runner="sh $top_srcdir/tests/harness/unit.sh" program=$top_builddir/$name ;;
		esac
		each_status=0
		timeout "$LIMIT" "$@" $runner "$program" >"$scratch/each" 2>&1 </dev/null ||
			each_status=$?
		points "$name" "$each_status" <"$scratch/each" >"$scratch/points"
		cat "$scratch/points"
		tap_count=$((tap_count + $(grep -cE '^(not )?ok ' "$scratch/points")))
	done
}
