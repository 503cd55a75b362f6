#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Prints counters.md, the page in this folder. It is made from the list of counters, their files,
# cpucycles-counters(7) and the claims of the tests. The tests assert their claims themselves, which
# are lines of this form:
#   counters_run="NAME..."     the counters are set up there, and count
#   counters_made="NAME..."    the reads of the counters run there, on a page or a register that the
#                              test makes
#   counters_out="NAME..."     the counters are compiled there
# `make counters-table` puts the output into the sources.

cd "$(dirname "$0")/../.." || exit 1
. tests/harness/sources.sh

# claimed FILE...: a line for each claim: the variable, the counter and the file.
claimed() {
	for file; do
		awk -v file="$file" '
			/^counters_[a-z]*="/ {
				inside = 1
				variable = $0
				sub(/=.*/, "", variable)
				sub(/^[^"]*"/, "")
			}
			inside {
				end = index($0, "\"")
				n = split(end ? substr($0, 1, end - 1) : $0, counters)
				for (i = 1; i <= n; i++)
					print variable, counters[i], file
				if (end) inside = 0
			}' "$file"
	done
}
all=$(claimed tests/cross/*.sh tests/lib/counters.sh tests/lib/frequency-elsewhere.sh \
	tests/lib/rdpru.sh tests/vm/*.sh)

# where VARIABLE COUNTER PATTERN: the names of the files of this pattern that claim the counter.
where() {
	echo "$all" | awk -v claim="$1 $2" -v pattern="$3" '
		$1 " " $2 == claim && $3 ~ pattern {
			sub(/.*\//, "", $3)
			sub(/\.sh$/, "", $3)
			print $3
		}'
}

# listed NAMES: the names with commas between them.
# joined TEXT...: the texts that are not empty, with semicolons between them.
listed() {
	echo "$1" | sed '/^$/d' | paste -s -d , - | sed 's/,/, /g'
}
joined() {
	for part; do
		[ -z "$part" ] || echo "$part"
	done | paste -s -d ';' - | sed 's/;\([^ ]\)/; \1/g'
}

# Targets whose programs the processor of this machine runs without an emulator.
itself='^i686$'
# The script whose programs run without a libc.
alone='^freestanding$'

# place TEXT NAMES: "TEXT (NAMES)", or nothing.
place() {
	[ -z "$2" ] || echo "$1 ($(listed "$2"))"
}

# run_on COUNTER: where it was run.
run_on() {
	native=$(where counters_run "$1" ^tests/lib/counters)
	targets=$(where counters_run "$1" ^tests/cross/)
	machines=$(where counters_run "$1" ^tests/vm/)
	made=$(where counters_made "$1" ^tests/cross/freestanding)
	compiled=$(where counters_out "$1" '^tests/(cross|lib)/' |
		sed -e 's/^counters$/amd64/' \
			-e 's/^frequency-elsewhere$/with headers made from the manual/')
	run=$(joined \
		"$(place native "$(echo "$native" | sed 's/^counters$/amd64/'
			echo "$targets" | grep "$itself")")" \
		"$(place qemu-user "$(echo "$targets" | grep -v -e "$itself" -e "$alone")")" \
		"$(echo "$targets" | sed -n "s/$alone/qemu-user (without libc)/p")" \
		"$(echo "$made" |
			sed -n "s/$alone/qemu-user (without libc; the perf page is made)/p")" \
		"$(where counters_made "$1" "^tests/(lib/rdpru|cross/i686)" |
			sed 's/.*/native (the register is made)/')" \
		"$(place 'full machine' "$machines")")
	echo "${run:-$(place 'compiled only' "$compiled")}"
}

# reads COUNTER: what cpucycles-counters(7) says that it reads, as Markdown.
reads() {
	awk -v entry=".It Li $1" '
		/^\.Sh / { inside = 0; counters = $0 == ".Sh COUNTERS" }
		counters && /^\.It Li / { inside = $0 == entry; take = 0 }
		inside && $0 == ".It Class" { exit }
		inside && take { print }
		inside && $0 == ".It Reads" { take = 1 }' doc/cpucycles-counters.7 |
		sed -e 's/^\.Xr \([^ ]*\) \([^ ]*\) *\(.*\)/\1(\2)\3/' \
			-e 's/^\.Fn \([^ ]*\) *\(.*\)/\1()\2/' \
			-e 's/^\.Sx \(.*\)/cpucycles-counters(7), \1/' \
			-e 's/^\.\(Li\|Dv\|Va\|Em\|Ev\|Pa\) \([^ ]*\) *\(.*\)/\2\3/' \
			-e 's/\\&//g' -e 's/|/\\|/g' | paste -s -d ' ' -
}

cat <<'MD'
<!-- SPDX-FileCopyrightText: The cpucycles developers -->
<!-- SPDX-License-Identifier: 0BSD -->
<!-- Made by doc/evidence/counters.sh: change that, and run `make counters-table`. -->

# Where each counter was run

The counters are in list order. "Bits" is the number of bits after which the source wraps; the
counts that programs get have 64 bits. "Run" says where a test sets the counter up and reads it:

- native: on this processor (`tests/lib/counters.sh`; for a 32-bit program, `tests/cross/i686.sh`).
  Where the register is made, a tracer answers the instruction (`tests/lib/rdpru.sh`), or RDTSCP
  stands in for it, at full speed (`tests/build/rdpru.sh`);
- qemu-user: under an emulator of user programs (`tests/cross/NAME.sh`);
- full machine: under a Linux kernel on an emulated machine (`tests/vm/NAME.sh`). The machine for
  arm32 runs the counter alone, without a kernel;
- compiled only: nowhere, because no machine or emulator here has the register. The counter is
  compiled with warnings as errors. Where an emulator lacks the register, the test sees that the
  counter is out for this reason.

An emulator shows that the instructions are right and that the numbers go up. It does not show how
accurate the counter of a real processor is, nor what a read costs there.

| counter | reads | class | bits | run |
|---|---|---|---|---|
MD
for file in $(counter_files); do
	name=$(basename "$file" .c)
	echo "| \`$name\` | $(reads "$name") | $(class_word "$(source_field "$file" class)") |" \
		"$(source_field "$file" width) | $(run_on "$name") |"
done
cat <<'MD'

# Other systems

The tests run on Linux. The parts for other systems have not been run on their systems. They are
compiled with warnings as errors, against headers that `tests/lib/frequency-elsewhere.sh` makes from
the declarations in the systems' manuals, and they get made answers there. Debian 12 has no package
with the systems' own headers, as far as `apt-cache search` shows.

| part | systems | state |
|---|---|---|
MD
# other FILE SYSTEMS
other() {
	[ -e "$1" ] && grep -q "$(basename "$1" .c)" tests/lib/frequency-elsewhere.sh &&
		echo "| \`$1\` | $2 | compiled, given made answers; not run |"
}
other lib/os/frequency-sysctl.c "FreeBSD, OpenBSD, NetBSD, DragonFly, macOS"
other lib/os/frequency-kstat.c Solaris
other lib/os/frequency-perfstat.c AIX
other lib/os/default-mach.c macOS
