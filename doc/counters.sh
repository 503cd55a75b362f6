#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Prints doc/counters.md: from the list of counters, their files, cpucycles-counters(7), and what the
# tests claim, which they assert themselves, in lines of the form
#   counters_run="NAME..."     it was set up and counted there
#   counters_made="NAME..."    its read ran there, on a page that the test made
#   counters_out="NAME..."     it is compiled there
# `make counters-table` puts it into the sources.

cd "$(dirname "$0")/.." || exit 1
. tests/harness/sources.sh

# claim FILE VARIABLE: the names.
claim() {
	awk -v variable="$2=" '
		index($0, variable "\"") == 1 { inside = 1; $0 = substr($0, length(variable) + 2) }
		inside { end = index($0, "\""); print end ? substr($0, 1, end - 1) : $0; if (end) exit }' "$1" |
		tr -s ' \t\n' ' '
}

# where VARIABLE COUNTER FILE...: those of the files that claim it, by name.
where() {
	where_variable=$1 where_counter=$2
	shift 2
	for where_file; do
		[ -e "$where_file" ] || continue
		case " $(claim "$where_file" "$where_variable") " in
		*" $where_counter "*) basename "$where_file" .sh ;;
		esac
	done
}

# listed NAMES: with commas. joined TEXT...: what is not empty, with semicolons.
listed() {
	echo "$1" | sed '/^$/d' | paste -s -d , - | sed 's/,/, /g'
}
joined() {
	for part; do
		[ -z "$part" ] || echo "$part"
	done | paste -s -d ';' - | sed 's/;\([^ ]\)/; \1/g'
}

# The processor of this machine runs these targets' programs itself.
itself='^i686$'
# Where there is no libc.
alone='^freestanding$'

# place TEXT NAMES: "TEXT (NAMES)", or nothing.
place() {
	[ -z "$2" ] || echo "$1 ($(listed "$2"))"
}

# run_on COUNTER: where it was run.
run_on() {
	native=$(where counters_run "$1" tests/lib/counters.sh)
	targets=$(where counters_run "$1" tests/cross/*.sh)
	machines=$(where counters_run "$1" tests/vm/*.sh)
	made=$(where counters_made "$1" tests/cross/*.sh)
	compiled=$(where counters_out "$1" tests/cross/*.sh tests/lib/counters.sh tests/lib/frequency-elsewhere.sh |
		sed -e 's/^counters$/amd64/' -e 's/^frequency-elsewhere$/with headers made from the manual/')
	run=$(joined \
		"$(place native "$(echo "$native" | sed 's/^counters$/amd64/'; echo "$targets" | grep "$itself")")" \
		"$(place qemu-user "$(echo "$targets" | grep -v -e "$itself" -e "$alone")")" \
		"$(echo "$targets" | sed -n "s/$alone/qemu-user (without libc)/p")" \
		"$(echo "$made" | sed -n "s/$alone/qemu-user (without libc; the perf page is made)/p")" \
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
		sed -e 's/^\.Xr \([^ ]*\) \([^ ]*\) *\(.*\)/\1(\2)\3/' -e 's/^\.Fn \([^ ]*\) *\(.*\)/\1()\2/' \
			-e 's/^\.Sx \(.*\)/cpucycles-counters(7), \1/' -e 's/^\.\(Li\|Dv\|Va\|Em\|Ev\|Pa\) \([^ ]*\) *\(.*\)/\2\3/' \
			-e 's/\\&//g' -e 's/|/\\|/g' | paste -s -d ' ' -
}

cat <<'MD'
<!-- SPDX-FileCopyrightText: The cpucycles developers -->
<!-- SPDX-License-Identifier: 0BSD -->
<!-- Made by doc/counters.sh: change that, and run `make counters-table`. -->

# Where each counter was run

In list order. "Bits" is what the source counts before it wraps; what a program gets has 64. Each place
names the test that sets the counter up there and reads it:

- native: by this processor (`tests/lib/counters.sh`; of a 32-bit program, `tests/cross/i686.sh`);
- qemu-user: an emulator of user programs (`tests/cross/NAME.sh`);
- full machine: a Linux kernel on an emulated machine, of arm32 the counter alone on a bare one
  (`tests/vm/NAME.sh`);
- compiled only: nothing here has it; it is compiled with warnings as errors, and where the emulator
  does not have the register either, it was seen to be out for that reason.

An emulator shows that the instructions are right and the numbers go up. It shows nothing of a
processor's own accuracy or cost.

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

Linux is the system that the tests run on. The parts for others are compiled with warnings as errors against
headers that `tests/lib/frequency-elsewhere.sh` makes from what the systems' manuals declare, and get made
answers there: in Debian 12, `apt-cache search` for the systems' names, headers and SDKs found no package with
their own headers. None has been run on its system.

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
