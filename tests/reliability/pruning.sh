#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# tests/lib/test-pruning with so many random tables that rare cases are among them.

. "$top_srcdir/tests/harness/tap.sh"

program=$top_builddir/tests/lib/test-pruning
[ -x "$program" ] || skip_all "built without cmocka"

times=${RELIABILITY_TIMES:-1}
TABLES=$((50000 * times))
LIMIT=$((900 * times)) # seconds, against hangs

CMOCKA_MESSAGE_OUTPUT=STDOUT TEST_TABLES=$TABLES timeout "$LIMIT" "$program" >"$scratch/out" 2>&1
is "no winner changes in $TABLES random tables" "$?" 0
sed 's/^/# /' "$scratch/out"
