#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Prints events.md, the page in this folder. It is made from the claims of the tests, which assert
# these themselves. A claim is NAME=WORD, with blanks between claims. In a script, they are a
# variable, whose value may go on in further lines:
#   events_run="NAME=WORD..."
# In a test in C, they stand in one line of a comment:
#   /* events_run: NAME=WORD...
# The names are those of the rows below. The words are:
#   exact    the count is what the work makes by its definition, to the last one
#   counts   the count lies within the bounds that the test expects
#   made     the code was given made pages or made answers
# `make events-table` puts the output into the sources.

cd "$(dirname "$0")/../.." || exit 1

# claimed: a line for each claim: the claim, a tab, and the file that makes it.
claimed() {
	grep -lE '^events_run="|events_run: [a-z]' tests/*/*.sh tests/*/*.c | while read -r file; do
		awk -v file="$file" '
			function claim(text, n, i, words) {
				n = split(text, words)
				for (i = 1; i <= n; i++)
					if (words[i] ~ /^[a-z0-9]+=[a-z]+$/)
						print words[i] "\t" file
			}
			/^events_run="/ { inside = 1; sub(/^events_run="/, "") }
			inside {
				end = index($0, "\"")
				claim(end ? substr($0, 1, end - 1) : $0)
				if (end) exit
			}
			sub(/.*events_run: /, "") { claim($0) }' "$file"
	done
}
all=$(claimed)

# place FILE: how the table calls this test.
place() {
	case $1 in
	*/made-pmu.sh) echo "full x86 machine, PMUs by a kernel module" ;;
	tests/vm/*) echo "full machine ($(basename "$1" .sh))" ;;
	*/events-elsewhere.sh) echo "against made headers" ;;
	*) echo native ;;
	esac
}

# where CLAIM: the places of the tests that make this claim.
where() {
	echo "$all" | awk -F '\t' -v claim="$1" '$1 == claim { print $2 }' |
		while read -r where_file; do
			place "$where_file"
		done | sort -u | paste -s -d ';' - | sed 's/;/; /g'
}

# row NAME TEXT: a line of the table. "nowhere": no test has counted the event.
row() {
	row_run=
	for word in exact counts made; do
		row_where=$(where "$1=$word")
		[ -z "$row_where" ] || row_run="$row_run$word: $row_where. "
	done
	echo "| $1 | $2 | ${row_run:-nowhere} |" | sed 's/\.* *|$/ |/'
}

cat <<'MD'
<!-- SPDX-FileCopyrightText: The cpucycles developers -->
<!-- SPDX-License-Identifier: 0BSD -->
<!-- Made by doc/evidence/events.sh: change that, and run `make events-table`. -->

# Where each kind of event was run

cpucycles-events(7) has the names of events. This table says which kinds of them a test has counted,
and where:

- native: on this x86-64 processor, in a virtual machine without a PMU (`tests/measure/`);
- full machine: under a Linux kernel on an emulated machine (`tests/vm/NAME.sh`);
- PMUs by a kernel module: under a Linux kernel that has two made PMUs, for two kinds of core
  (`tests/vm/made-pmu.sh`). What the kernel does is real, and the counts are made;
- against made headers: compiled on Linux against headers that `tests/measure/events-elsewhere.sh`
  makes from the manuals.

And how well:

- exact: the count is what the work makes by its definition, to the last one;
- counts: the count lies within the bounds that the test expects;
- made: the code was given made pages or made answers. It has not run on what it is for.

| name | events | run |
|---|---|---|
MD
while read -r name text; do
	row "$name" "$text"
done <<'ROWS'
hardware generic events of the CPU, such as `instructions`
cache generic events on caches, such as `dTLB-load-misses`
software events of the kernel, such as `page-faults`
breakpoint breakpoints, such as `mem:0x401136:x`
sysfs events that sysfs describes, such as `cpu_core/instructions/`
tsc `msr/tsc/` of x86
raw codes of the CPU, such as `r01c0`, with their parts
word function words of `pctr(4)`, such as `0x4300c0`, on Linux
libpfm4 names that libpfm4 knows
kinds events of several kinds of core, which are added up
pages reads in user mode, by the pages of the events
rdpmc the same on x86, by RDPMC
refused events that a PMU accepts and does not count: they are refused
pctr `/dev/pctr` of OpenBSD
kperf kperf of macOS on Apple silicon
ROWS
cat <<'MD'

An emulator shows that names become the right codes, that groups and modes are right, and that no
count is lost. It does not show what a real processor counts. No machine with a PMU of its own was
at hand, so events of a real PMU are not in the table.
MD
