#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Code for one architecture or one operating system is in lib/arch and lib/os, one implementation
# per file, of which configure takes one. The files of lib itself are the same everywhere: their
# conditionals ask only for what configure has found (HAVE_), the compiler, the format of object
# files, integers of 128 bits, the length of the list of counters, and whether FIXUP is defined. The
# files of measure are the same everywhere, too, except five headers for instructions, and the files
# on events of which configure takes those of the operating system.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "only lib/arch and lib/os know an architecture or an operating system"

allowed='HAVE_[A-Z0-9_]*|COUNTERS_MAX|FIXUP|CPUCYCLES_[A-Z_]*_H|__GNUC__|__ELF__|__SIZEOF_INT128__'

# conditionals FILE...: the words of their conditionals, as lines of "FILE:LINE: WORD". A line that
# ends in a backslash goes on in the next one.
conditionals() {
	awk '
		{ line = line $0 }
		sub(/\\$/, " ", line) { next }
		line ~ /^[[:blank:]]*#[[:blank:]]*(if|ifdef|ifndef|elif)/ {
			sub(/^[[:blank:]]*#[[:blank:]]*[a-z]*/, "", line)
			sub(/\/\*.*/, "", line)
			while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
				word = substr(line, RSTART, RLENGTH)
				line = substr(line, RSTART + RLENGTH)
				if (word != "defined")
					print FILENAME ":" FNR ": " word
			}
		}
		{ line = "" }' "$@"
}

ok "conditionals are seen" has_lines "$(conditionals lib/scale.h | grep ' __SIZEOF_INT128__$')"
files=$(for file in lib/*.[ch] measure/*.[ch]; do
	case $file in
	measure/fence.h | measure/pmu-register.h | measure/state.h) ;;
	measure/tsc.h) ;;
	measure/events/group-*.c | measure/events/sysfs.c) ;;
	*) echo "$file" ;;
	esac
done)
# shellcheck disable=SC2086 # a list of files
is "no conditional asks for an architecture or an operating system" \
	"$(conditionals $files | grep -vE ": ($allowed)\$")" ""
# shellcheck disable=SC2086
is "no system call is made by its number" "$(grep -n 'SYS_[a-z]' $files)" ""
# shellcheck disable=SC2086
is "no instruction of one architecture is there" \
	"$(grep -nE '__asm__ *(volatile)? *\(' $files)" ""
end_lint
