#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Runs a unit test and puts the results of skipped tests into the form that every reader of TAP knows,
# "ok N - NAME # SKIP WHY". cmocka says "not ok N # SKIP NAME", or the like, and never why; the reason is
# what unit_skip (tests/lib/unit.h) has printed since the result before.

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
