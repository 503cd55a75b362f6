#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The reason why a unit test is skipped stands in its result.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

# The ways to tell a skipped test; the first is that of cmocka 1.1.5.
cat >"$scratch/unit" <<'END'
echo 1..7
echo "# skipped: the first's reason: \"A\""
echo "not ok 1 # SKIP first"
echo "# skipped: not this test in the end"
echo "ok 2 - second"
echo "ok 3 # SKIP third"
echo "# skipped: the kernel says no"
echo "# more of it"
echo "ok 4 # SKIP fourth"
echo "# skipped: no root here"
echo "ok 5 - fifth # SKIP"
echo "not ok 6 - sixth"
echo "ok 7 - seventh"
exit 1
END
expected='1..7
ok 1 - first # SKIP the first'\''s reason: "A"
ok 2 - second
ok 3 - third # SKIP no reason given
ok 4 - fourth # SKIP the kernel says no
ok 5 - fifth # SKIP no root here
not ok 6 - sixth
ok 7 - seventh'
got=$(sh tests/harness/unit.sh sh "$scratch/unit")
is "the runner keeps the test's exit status" $? 1
is "the runner puts the reason into the result" "$(echo "$got" | grep -v '^#')" "$expected"
