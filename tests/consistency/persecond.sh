#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# When a package is removed, its script removes the persecond file of the calibrator and keeps the
# sysadmin's. Both packagings decide by the same function, and decide as the library does.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

# function_of FILE: the shell function is_ours, without its indentation.
function_of() {
	sed -n '/^is_ours() {/,/^}/s/^[[:blank:]]*//p' "$1"
}

function_of debian/cpucycles-calibrate.postrm >"$scratch/is_ours"
ok "the Debian package has the function" has_lines "$(cat "$scratch/is_ours")"
is "the spec has the same" \
	"$(function_of packaging/rpm/cpucycles.spec.in)" "$(cat "$scratch/is_ours")"

# verdicts NUMBER: ours or theirs, a line by the library and a line by the shell function.
verdicts() {
	"$top_builddir/tests/consistency/parse-persecond" <"$scratch/$1"
	# shellcheck disable=SC2016 # the inner shell expands it
	sh -euc '. "$1"; if is_ours "$2"; then echo ours; else echo theirs; fi' \
		sh "$scratch/is_ours" "$scratch/$1" 2>&1
}

mark="# written by cpucycles-calibrated, boot 4f6e3b1c-0d52-4a7e-9c38-2b1a7d9e6f05, source"
number=0
# case_of VERDICT FORMAT: the file's text, as a format of printf.
case_of() {
	number=$((number + 1))
	# shellcheck disable=SC2059 # the format has \n in it
	printf "$2" >"$scratch/$number"
	is "$1, number $number" "$(verdicts $number)" "$1
$1"
}
hint() { echo "# To overrule $1, write another number on the first line."; }
sources=$("$top_builddir/tests/consistency/print-words" | sed -n 's/^source //p')
for source in $sources; do
	case $source in
	persecond-file | environment | default) whose=theirs ;;
	*) whose=ours ;;
	esac
	case_of $whose "2000000000\n$mark $source\n"
	case_of $whose "2000000000\n$mark $source\n$(hint 2000000000)\n"
done
ok "there were sources" test "$number" -gt 10
case_of ours "nonsense\n$mark measured\n"
case_of ours "\n$mark measured\n"
case_of ours "007\n$mark measured\n$(hint 007)\n"
case_of ours "1.0 Hz\n$mark measured\n$(hint "1.0 Hz")\n"
case_of ours "*\n$mark measured\n$(hint "*")\n"
case_of theirs ""
case_of theirs "3.5e9\n"
case_of theirs "$mark measured\n"
case_of theirs "1\n\n$mark measured\n"
case_of theirs "1\n$mark measured"
case_of theirs "1\n$mark measured\n\n"
case_of theirs "1\n$mark measured\n# mine\n"
case_of theirs "1\n$mark measured\nmine"
case_of theirs "2\n$mark measured\n$(hint 1)\n"
case_of theirs "11\n$mark measured\n$(hint 1)\n"
case_of theirs "1\n$mark measured\n$(hint 11)\n"
case_of theirs "1 # mine\n$mark measured\n$(hint 1)\n"
case_of theirs " 1\n$mark measured\n$(hint 1)\n"
case_of theirs "1\r\n$mark measured\n$(hint 1)\n"
case_of theirs "1.0\n$mark measured\n$(hint 1)\n"
case_of theirs "\n$mark measured\n$(hint 1)\n"
case_of theirs "*\n$mark measured\n$(hint 1)\n"
case_of theirs "1\n$mark measured\n$(hint 1)"
case_of theirs "1\n$mark measured\n$(hint 1)\n\n"
case_of theirs "1\n$mark measured\n$(hint 1)\nmine"
case_of theirs "1\n$mark measured\n$(hint 1)\n# mine\n"
case_of theirs "1\n$mark measured\n$(hint 1) \n"
case_of theirs "1\n$mark measured\n #$(hint 1)\n"
case_of theirs "1\n$(hint 1)\n$mark measured\n"
case_of theirs "1\n$mark environment\n$(hint 1)\n"
case_of theirs "1\n$mark measured \n"
case_of theirs "1\n $mark measured\n"
case_of theirs "1\n#$mark measured\n"
case_of theirs "1\n$mark measured\r\n"
case_of theirs "1\n$mark\n"
case_of theirs "1\n$mark \n"
case_of theirs "1\n$mark Measured\n"
case_of theirs "1\n# written by cpucycles-calibrated, boot 1, source measured\n"
case_of theirs "1\n$(echo "$mark" | tr f F) measured\n"
case_of theirs "1\n$(echo "$mark" | sed 's/-9c/9-c/') measured\n"
