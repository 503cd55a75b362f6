#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Each counter that every x86-64 machine has is chosen by its name, is set up, and counts. The table
# in doc/evidence/counters.md shows the counters of this list.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

counters_run="amd64-tsc amd64-tscasm default-monotonic default-gettimeofday default-syscall
	default-zero"
# Counters that need a PMU, which the machines of this project do not have.
counters_out="amd64-perfpmc amd64-perfpmcff amd64-pmcff default-perfevent"

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
compiled=$(sed -n 's/^COUNTER(\(.*\))$/\1/p' "$top_builddir/lib/counters.inc" | tr '_\n' '- ')

# implementation: the counter in use, whose counts rise, except those of default-zero.
implementation() {
	if [ "$1" = default-zero ]; then
		timeout "$limit" "$programs/show-rate" | sed -n 's/^implementation //p'
	else
		shown
		show_field implementation
	fi
}
for name in $counters_run $counters_out; do
	case " $compiled " in
	*" $name "*) ;;
	*) skip "$name" "it is not for this architecture"; continue ;;
	esac
	CPUCYCLES_COUNTER=$name
	export CPUCYCLES_COUNTER
	got=$(implementation "$name")
	case " $counters_out " in
	*" $name "*)
		# It may work here. If it does not, another counter must.
		[ "$got" = "$name" ] ||
			skip "$name counts" "$("$top_builddir/calibrated/cpucycles-calibrated" \
			-n -c "$scratch/none" 2>&1 | sed -n "s/^.*: unusable: $name: //p")"
		ok "asked for $name, the library counts" test -n "$got"
		;;
	*) is "$name counts" "$got" "$name" ;;
	esac
done
