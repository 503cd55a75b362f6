#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Code for one architecture or one operating system is in lib/arch and lib/os, one implementation
# per file, of which configure takes one. The files of lib itself are the same everywhere: their
# conditionals ask only for what configure has found (HAVE_), the compiler, the format of object
# files, integers of 128 bits, and the length of the list of counters. The files of measure are the
# same everywhere, too, except three headers for instructions, and the files on events of which
# configure takes those of the operating system.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

allowed='HAVE_[A-Z0-9_]*|COUNTERS_MAX|CPUCYCLES_[A-Z_]*_H|__GNUC__|__ELF__|__SIZEOF_INT128__'

# conditionals FILE: the words of its conditionals, one per line. A line that ends in a backslash
# goes on in the next one.
conditionals() {
	awk '
		{ line = line $0 }
		sub(/\\$/, " ", line) { next }
		line ~ /^[[:blank:]]*#[[:blank:]]*(if|ifdef|ifndef|elif)/ { print line }
		{ line = "" }' "$1" |
		sed -e 's/^[[:blank:]]*#[[:blank:]]*[a-z]*//' -e 's,/\*.*,,' |
		grep -oE '[A-Za-z_][A-Za-z0-9_]*' | grep -vx defined
}

ok "conditionals are seen" has_lines "$(conditionals lib/scale.h | grep -x __SIZEOF_INT128__)"
for file in lib/*.[ch] measure/*.[ch]; do
	case $file in
	measure/fence.h | measure/pmu-register.h | measure/tsc.h) continue ;;
	measure/event-group-*.c | measure/event-sysfs.c) continue ;;
	esac
	is "$file asks for no architecture and no operating system" \
		"$(conditionals "$file" | grep -vxE "$allowed" | sort -u)" ""
	is "$file makes no system call by its number" "$(grep -n 'SYS_[a-z]' "$file")" ""
	is "$file has no instruction of one architecture" \
		"$(grep -nE '__asm__ *(volatile)? *\(' "$file")" ""
done
