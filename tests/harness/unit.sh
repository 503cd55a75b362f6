#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# unit.sh PROGRAM...: run a unit test and print skipped tests in the form that every reader of TAP
# knows, "ok N - NAME # SKIP REASON". cmocka prints "not ok N # SKIP NAME", or similar lines,
# without the reason. The reason is the line that unit_skip (tests/lib/unit.h) printed before that
# result.

out=$("$@" 2>&1)
status=$?
printf '%s\n' "$out" | awk '
	/^# skipped: / { why = substr($0, length("# skipped: ") + 1) }
	/^(not )?ok [0-9]+ .*# SKIP/ {
		name = number = $0
		sub(/^(not )?ok /, "", number)
		sub(/ .*/, "", number)
		sub(/^(not )?ok [0-9]+ (- )?/, "", name)
		sub(/ ?# SKIP ?/, "", name)
		$0 = "ok " number " - " name " # SKIP " (why ? why : "no reason given")
	}
	/^(not )?ok / { why = "" }
	{ print }'
exit $status
