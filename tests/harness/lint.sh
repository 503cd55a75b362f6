# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Lint: a script that holds sources together is one point of TAP, and if the point fails, its
# message names every place. The script sources this file in place of tap.sh. It calls begin_lint
# first and end_lint last. In between, ok, is and skip make checks, which print nothing by
# themselves. A script that makes no check, or that ends before end_lint, fails.
. "$top_srcdir/tests/harness/tap.sh"

# In files, because checks may be made in subshells too.
lint_checks=$scratch/.lint-checks
lint_wrong=$scratch/.lint-wrong
lint_skipped=$scratch/.lint-skipped
: >"$lint_checks"
: >"$lint_wrong"
: >"$lint_skipped"
lint_name=
lint_failed= # kept apart from the places, which a full disk would lose
lint_ended=

# begin_lint NAME: the name of the point, a sentence on what the script holds together.
begin_lint() {
	lint_name=$1
}

# end_lint: all checks were made.
end_lint() {
	lint_ended=yes
}

# lint_script_is WHAT: wrong itself.
lint_script_is() {
	lint_failed=yes
	echo "$0: $1" >>"$lint_wrong"
}

# What tap.sh calls when the script exits.
tap_end() {
	status=$?
	[ -n "$lint_ended" ] && [ "$status" -eq 0 ] ||
		lint_script_is "the script ended early, with status $status"
	[ -n "$lint_name" ] || lint_script_is "the script does not say what it holds together"
	[ -s "$lint_checks" ] || [ -s "$lint_skipped" ] || [ -n "$lint_failed" ] ||
		lint_script_is "the script made no check"
	lint_name=${lint_name:-$0}
	if [ -n "$lint_failed" ] || [ -s "$lint_wrong" ]; then
		echo "not ok 1 - $lint_name"
		sed 's/^/# /' "$lint_wrong"
	elif [ -s "$lint_checks" ]; then
		echo "ok 1 - $lint_name"
	else
		echo "ok 1 - $lint_name # SKIP $(paste -s -d ';' "$lint_skipped" | sed 's/;/; /g')"
	fi
	sed 's/^/# skipped: /' "$lint_skipped"
	rm -rf "$scratch"
	echo "1..1"
	exit 0
}

# ok NAME COMMAND...: a check that the command succeeds. Its output is shown only if it fails.
ok() {
	echo checked >>"$lint_checks"
	lint_check=$1
	shift
	"$@" >"$scratch/.lint-output" 2>&1 || {
		lint_status=$?
		lint_failed=yes
		lint_files=$(lint_files_in "$lint_check")
		printf '%sstatus %s from: %s; expected: %s\n' "$(lint_place "")" \
			$lint_status "$*" "$lint_check"
		sed 's/^\(# \)*/  /' "$scratch/.lint-output"
	} >>"$lint_wrong"
}

# is NAME GOT EXPECTED: a check that both are the same text. Where nothing is expected, the lines of
# GOT are the places: "FILE:LINE: what is there" or "FILE". Else NAME has the files that GOT was
# read from, and names no other file. Of two lists, the lines that differ are shown.
is() {
	echo checked >>"$lint_checks"
	[ "$2" != "$3" ] || return 0
	lint_failed=yes
	printf '%s\n' "$2" >"$scratch/.lint-got"
	printf '%s\n' "$3" >"$scratch/.lint-expected"
	if [ -z "$3" ]; then
		while IFS= read -r lint_line; do
			printf '%s; expected: %s\n' "$lint_line" "$1"
		done <"$scratch/.lint-got" >"$scratch/.lint-differences"
	else
		lint_differences "$@" >"$scratch/.lint-differences"
	fi
	cat "$scratch/.lint-differences" >>"$lint_wrong"
}

# lint_differences NAME GOT EXPECTED: a line each, with its place.
lint_differences() {
	lint_files=$(lint_files_in "$1")
	case $2$3 in
	*"
"*) ;;
	*)
		printf '%sgot "%s", expected "%s": %s\n' "$(lint_place "")" "$2" "$3" "$1"
		return
		;;
	esac
	lint_lines_without "$scratch/.lint-expected" "$scratch/.lint-got" >"$scratch/.lint-more"
	lint_lines_without "$scratch/.lint-got" "$scratch/.lint-expected" >"$scratch/.lint-less"
	while IFS= read -r lint_line; do
		printf '%sgot "%s", which is not expected: %s\n' "$(lint_place "$lint_line")" \
			"$lint_line" "$1"
	done <"$scratch/.lint-more"
	while IFS= read -r lint_line; do
		printf '%sexpected "%s", which is not there: %s\n' "$(lint_place "")" \
			"$lint_line" "$1"
	done <"$scratch/.lint-less"
	[ ! -s "$scratch/.lint-more" ] && [ ! -s "$scratch/.lint-less" ] || return 0
	printf '%sanother order: %s\n' "$(lint_place "")" "$1"
	sed 's/^/  got:      /' "$scratch/.lint-got"
	sed 's/^/  expected: /' "$scratch/.lint-expected"
}

# lint_files_in NAME: those of its words that are files.
lint_files_in() {
	for lint_word in $1; do
		lint_word=${lint_word%[:,]}
		[ ! -f "$lint_word" ] || printf '%s ' "$lint_word"
	done
}

# lint_lines_without FILE OTHER: the lines of OTHER that FILE lacks, each as often as it lacks them.
lint_lines_without() {
	awk 'NR == FNR { there[$0]++; next } there[$0]-- <= 0' "$1" "$2"
}

# lint_place TEXT: "FILE:LINE: " if one line of $lint_files has this text as words, or one item of a
# manual page among several lines. Else the first file is the place.
lint_place() {
	[ -n "$lint_files" ] || return 0
	lint_line_there=
	# shellcheck disable=SC2086 # a list of files
	[ -z "$1" ] || lint_line_there=$(grep -nwF -e "$1" $lint_files /dev/null | awk -F : '
		{ line = $1 ":" $2 }
		$3 ~ /^\.It / { item = line; items++ }
		END { if (NR == 1) print line; else if (items == 1) print item }')
	printf '%s: ' "${lint_line_there:-${lint_files%% *}}"
}

# skip NAME REASON: a check that cannot be made here. The reason stands below the point.
skip() {
	printf '%s: %s\n' "$1" "$2" >>"$lint_skipped"
}

# skip_all REASON: end the script, because none of the remaining checks can be made here.
skip_all() {
	skip "the rest" "$1"
	end_lint
	exit 0
}
