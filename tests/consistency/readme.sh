#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# README.md is short, and agrees with what it tells in brief: the cache's statuses and their
# remedies, the tables of bench/README.md, doc/installation.md, the names of packages. The tables of
# bench/README.md agree with the goals of bench/goals.c.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "README.md agrees with the code, with bench/README.md and with doc/installation.md"

ok "README.md has at most 132 lines" [ "$(wc -l <README.md)" -le 132 ]
ok "README.md has at most 820 words" [ "$(wc -w <README.md)" -le 820 ]

# block HEADING [FILE]: the indented lines below it, without their indentation.
block() {
	awk -v heading="## $1" '
		/^## / { inside = $0 == heading }
		inside && /^    / { print substr($0, 5) }' "${2:-README.md}"
}

# cell N: of lines whose cells are at least two spaces apart.
cell() {
	awk -F '   *' -v n="$1" '{ print $n }'
}

is "README.md has its parts in order" "$(sed -n 's/^##* //p' README.md)" "cpucycles
Try it
Install
Use it in C
Measure
If the cache is not in use
Speed"

# The output of quickstart, each line of which doc/installation.md explains.
quickstart_lines=$(block "Try it" | grep ': ')
is "README.md has eleven lines of quickstart's output" "$(echo "$quickstart_lines" | wc -l)" 11
is "doc/installation.md explains each of them, in order" \
	"$(block Quickstart doc/installation.md | cell 1)" \
	"$(echo "$quickstart_lines" | sed 's/^quickstart: //; s/:.*//')"

# The statuses
statuses=$(sed -n '/^enum cache_status {/,/^}/s/^[[:blank:]]*CACHE_\([A-Z_]*\),$/\1/p' \
	lib/cache*.h | grep -vx USED)
ok "there are statuses" has_lines "$statuses"
table=$(block "If the cache is not in use")
is "README.md has every status, in the order of the enum" "$(printf '%s\n' "$table" | cell 1)" \
	"$(printf '%s\n' "$statuses" | tr 'A-Z_' 'a-z-')"

# remedies STATUS: the commands that the tools give as a remedy for it, from the function that does.
remedies() {
	function=$(sed -n "s/^[[:blank:]]*\[CACHE_$1\] = \([a-z_]*\),/\1/p" sentences/explain.c)
	sed -n "/^static void $function(/,/^}/p" sentences/explain.c |
		grep -oE 'remedy_calibrate\([^)]*--force|remedy_calibrate|unset [A-Za-z_]+' |
		sed 's/^remedy_calibrate(.*/cpucycles-calibrated --force/
			s/^remedy_calibrate$/cpucycles-calibrated/; s/^unset //' | sort -u
}
for status in $statuses; do
	word=$(echo "$status" | tr 'A-Z_' 'a-z-')
	is "README.md: the remedies of $word are those of the code" \
		"$(printf '%s\n' "$table" | grep "^$word " | cell 3 | sed 's/, or /|/' |
			tr '|' '\n' | sed '/=FILE$/d; s/^unset //' | sort -u)" \
		"$(remedies "$status")"
done

# Speed, as "what  this library  the other one"
head='| what | this library | the other one |'
medians=$(sed -n "/^$head\$/,/^\$/s/^| \\(.*\\) |\$/\\1/p" bench/README.md |
	sed 's/[ |]*$//; s/ | /  /g')
ok "bench/README.md has medians" has_lines "$medians"
is "README.md has seven rows of speed" "$(block Speed | wc -l)" 7
is "the rows of speed are rows of bench/README.md" \
	"$(block Speed | sed 's/   */  /g' | grep -vxF "$medians" | sed 's/^/README.md: /')" ""

# The goals. goal_lines FIELD: how a run begins the line of each goal that has this limit.
goal_lines() {
	tr '\n\t' '  ' <bench/goals.c | grep -oE '\{ *\.what = "[^}]*\}' |
		awk -v field="$1" -v same="$(sed -n 's/^#define SAME //p' bench/goals.c)" '
			!index($0, "." field " = ") { next }
			{
				split($0, quoted, "\"")
				limit = substr($0, index($0, "." field " = ") + length(field) + 4)
				sub(/ *[,}].*/, "", limit)
				if (limit ~ /^1\.0 \/ /)
					sub(/^1\.0 \/ /, "1/", limit)
				else if (limit == "SAME")
					limit = same
				else if (limit ~ / \* KIB$/)
					limit = limit * 1024
				else
					limit = sprintf("%.5g", limit)
				printf "%-48s %-5s \n", quoted[2], limit
			}'
}
# goal_table N: the beginnings of the lines of the Nth block of bench/README.md.
goal_table() {
	awk -v n="$1" '/^```/ { fences++; next } fences == 2 * n - 1 { print substr($0, 1, 55) }' \
		bench/README.md | grep -v '^goal '
}
ok "there are goals" has_lines "$(goal_lines limit)"
is "bench/README.md has every goal of goals.c with its limit" "$(goal_table 1)" \
	"$(goal_lines limit)"
is "bench/README.md has those for emulated machines" "$(goal_table 2)" \
	"$(goal_lines limit_emulated)"
is "every goal has a verdict" \
	"$(awk '/^```/ { inside = !inside; next }
		inside && !/^goal / { print FILENAME ":" FNR ": " $0 }' bench/README.md |
		grep -vE ' (reached|not shown|not measured|missed(: by [0-9]+ %)?)$')" ""

# The recipes. installation: its text in one line, with single spaces.
installation=$(sed 's/\\$//' doc/installation.md | tr -s ' \n' ' ')
commands=$(block Install | sed 's/  *#.*//' | awk '
	{ sub(/^[A-Za-z]+   +/, "") }
	/\\$/ { sub(/\\$/, ""); kept = kept $0; next }
	{ print kept $0; kept = "" }' | sed 's/ && /|/g' | tr '|' '\n' | tr -s ' ' | sed 's/^ //')
ok "README.md has recipes" has_lines "$commands"
is "doc/installation.md has every command of them" \
	"$(printf '%s\n' "$commands" | grep -v -e '^the same' -e '^\./bootstrap' -e '^echo ' |
		while IFS= read -r command; do
			case $installation in
			*" $command "*) ;;
			*) echo "README.md: $command" ;;
			esac
		done)" ""
is "README.md installs all Debian packages, but the one that needs gnuplot" \
	"$(block Install | grep -o '\.\./[a-z0-9-]*_' | sed 's,\.\./,,; s/_$//' | sort)" \
	"$(sed -n 's/^Package: //p' debian/control | grep -vx cpucycles-plot | sort)"
is "doc/installation.md has all of them in its table" \
	"$(awk -F '|' '$3 == " Debian " { debian = 1 } !/^\|/ { debian = 0 } debian { print $3 }' \
		doc/installation.md | sed -n 's/^ `\(.*\)` $/\1/p' | sort -u)" \
	"$(sed -n 's/^Package: //p' debian/control | sort)"

# needed: the packages that ./quickstart installs before it builds from source.
needed=$(sed -n '/^BUILD_PACKAGES="/,/"$/p' dev/common.sh | sed 's/^[A-Z_]*=//' | tr -d '"')
ok "quickstart needs packages" has_lines "$needed"
is "doc/installation.md names each of them under From source" \
	"$(for package in $needed; do
		sed -n '/^## From source$/,/^## For /p' doc/installation.md |
			grep -qF "\`$package\`" || echo "doc/installation.md: no $package"
	done)" ""

is "what README.md names is there" \
	"$(grep -noE '(doc|bench)/[A-Za-z./-]*[A-Za-z]' README.md |
		while IFS=: read -r line path; do
			[ -e "$path" ] || echo "README.md:$line: $path"
		done)" ""
end_lint
