#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Where there are no core cycles by a chain of known length: in an emulator, and on a processor
# whose CPUID is that of a Pentium 4.

. "$top_srcdir/tests/harness/tap.sh"
programs=$top_builddir/tests/measure
case $(uname -m) in x86_64) ;; *) skip_all "these emulators are of x86-64" ;; esac
command -v qemu-x86_64 >/dev/null || skip_all "there is no qemu-x86_64"
capture env "$programs/print-cycles"
[ "$status" = 0 ] || skip_all "no meter can be opened: $(cat "$scratch/out")"
qemu-x86_64 "$programs/print-cycles" >/dev/null 2>&1 ||
	skip_all "qemu-x86_64 does not run this build's programs"

# number NAME: of CPUCYCLES_CYCLES_NAME in the header.
number() {
	awk -v name="CPUCYCLES_CYCLES_$1," '
		/^enum/ { n = 0 }
		$1 == name { print n }
		/^\tCPUCYCLES_CYCLES_/ { n++ }' "$top_srcdir/include/cpucycles-measure.h"
}
# refused NAME WHY COMMAND...: the command's run has no cycles, because of this.
refused() {
	refused_name=$1 refused_why=$(number "$2")
	shift 2
	is "$refused_name" "$("$@" "$programs/print-cycles" 2>/dev/null)" "$refused_why none"
}
refused "an emulator" EMULATED qemu-x86_64
refused "an emulator that shows kvm64, whose family is that of a Pentium 4" \
	EMULATED qemu-x86_64 -cpu kvm64
refused "a Pentium 4 without a hypervisor" NO_CHAIN qemu-x86_64 -cpu kvm64,-hypervisor
