#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# doc/counters.md is the output of doc/counters.sh and has every counter. What it says was run is
# claimed by a test, which looks at its own claim.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

sh doc/counters.sh >"$scratch/counters.md"
ok "doc/counters.md is up to date (else: make counters-table)" \
	cmp doc/counters.md "$scratch/counters.md"

sh doc/events.sh >"$scratch/events.md"
ok "doc/events.md is up to date (else: make events-table)" cmp doc/events.md "$scratch/events.md"

rows=$(sed -n 's/^| `\([a-z0-9-]*\)` |.*/\1/p' doc/counters.md)
is "it has the counters of the list, in list order" "$rows" "$(listed_counters)"
is "no cell of it is empty, nor a name in one" \
	"$(grep '^|' doc/counters.md | grep -e '| *|' -e '(,' -e ', *[,)]')" ""
for place in native qemu-user 'full machine'; do
	ok "something was run: $place" grep -q "| $place (\|; $place (" doc/counters.md
done

# claims: the names in all claims, one per line.
claims() {
	grep -hE '^counters_(run|made|out)="' -A 5 tests/*/*.sh |
		awk '/^counters_/ { inside = 1 } inside { print } /"$/ { inside = 0 }' |
		sed -e 's/^counters_[a-z]*=//' | tr -s '" \t' '\n' | sort -u | sed '/^$/d'
}
ok "tests claim something" has_lines "$(claims)"
is "they claim nothing that is not in the list" \
	"$(claims | grep -vxF "$(listed_counters)")" ""
for test in $(grep -lE '^counters_(run|made|out)="' tests/*/*.sh); do
	for variable in $(sed -n 's/^\(counters_[a-z]*\)=".*/\1/p' "$test"); do
		ok "$test looks at its $variable" grep -q "\$$variable" "$test" \
			$(sed -n 's,^\. "$top_srcdir/\(tests/[^"]*\)".*,\1,p' "$test")
	done
done
