#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The pages on counters and events are the output of the scripts next to them. The page on counters
# has every counter. Where it says that one was run, a test claims so and looks at its own claim.
# shellcheck disable=SC2086 # $claiming is a list of files
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "the pages on counters and events are up to date, and tests claim what they run"

page=doc/evidence/counters.md
sh doc/evidence/counters.sh >"$scratch/counters.md"
is "$page is up to date (else: make counters-table)" "$(cat $page)" \
	"$(cat "$scratch/counters.md")"

sh doc/evidence/events.sh >"$scratch/events.md"
is "doc/evidence/events.md is up to date (else: make events-table)" \
	"$(cat doc/evidence/events.md)" \
	"$(cat "$scratch/events.md")"

rows=$(sed -n 's/^| `\([a-z0-9-]*\)` |.*/\1/p' $page)
is "$page has the counters of the list, in list order" "$rows" "$(listed_counters)"
is "no cell of $page is empty, nor a name in one" \
	"$(grep -n '^|' $page /dev/null | grep -e '| *|' -e '(,' -e ', *[,)]')" ""
for place in native qemu-user 'full machine'; do
	ok "$page has something that was run: $place" \
		grep -q "| $place (\|; $place (" $page
done

# claiming: the files with claims.
claiming=$(grep -lE '^counters_(run|made|out)="' tests/*/*.sh)
# claims: the names in all claims, one per line.
claims() {
	grep -hE '^counters_(run|made|out)="' -A 5 $claiming |
		awk '/^counters_/ { inside = 1 } inside { print } /"$/ { inside = 0 }' |
		sed -e 's/^counters_[a-z]*=//' | tr -s '" \t' '\n' | sort -u | sed '/^$/d'
}
ok "tests claim something" has_lines "$(claims)"
is "tests claim nothing that is not in the list" \
	"$(claims | grep -vxF "$(listed_counters)" | placed $claiming)" ""
for test in $claiming; do
	for variable in $(sed -n 's/^\(counters_[a-z]*\)=".*/\1/p' "$test"); do
		ok "$test looks at its $variable" grep -q "\$$variable" "$test" \
			$(sed -n 's,^\. "$top_srcdir/\(tests/[^"]*\)".*,\1,p' "$test")
	done
done
end_lint
