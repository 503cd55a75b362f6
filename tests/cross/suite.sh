# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The tests on another architecture, built by its cross compiler and run by an emulator of user
# programs. The script of each architecture sets these variables and sources this file:
#   target         the host that configure builds for; its compiler is $target-gcc
#   emulator       the command that runs its programs; empty: this machine runs them
#   counters_run   the counters that work there, in list order (doc/evidence/counters.md shows them)
#   counters_out   the counters that are compiled in and do not work, in list order
#   chosen         the counters that a probe may choose
#   thorough       yes: build and run all that is listed below. One target of each word size and
#                  byte order is thorough. May be unset
#   optimize       the compiler's option for optimization; -O1 if unset

# Two variables of the environment change that:
#   THOROUGH=yes        every target is thorough; THOROUGH=no: none is
#   CROSS_ALIKE=NAMES   on these targets run nothing but the unit tests of $alike, and build the
#                       others only: their scripts' names, without .sh

thorough=${THOROUGH:-${thorough-}}
[ "$thorough" != no ] || thorough=
. "$top_srcdir/tests/cross/common.sh"
case " ${CROSS_ALIKE-} " in *" $name "*) parts=alike ;; *) parts=all ;; esac

# Unit tests of code in which nothing depends on the architecture but the word size, the byte order
# and whether char is signed. They are built and run on thorough targets only. The short tier takes
# those of what is written to bytes or read from them, and nothing else.
bytes="tests/calibrated/test-fingerprint tests/machine/test-metrics tests/lib/test-cache
	tests/lib/test-cache-format tests/lib/test-cache-long tests/lib/test-core-pmus
	tests/lib/test-decimal tests/lib/test-extend tests/lib/test-persecond
	tests/measure/test-field tests/measure/test-name tests/measure/test-statistics
	tests/base/test-publish tests/utils/test-samples"
alike="$bytes tests/bench/test-series tests/calibrated/test-calibrate
	tests/calibrated/test-regress tests/calibrated/test-restamp tests/machine/test-inspect
	tests/machine/test-kinds tests/machine/test-model tests/machine/test-service
	tests/machine/test-tree tests/noise/test-accounts tests/noise/test-blame
	tests/noise/test-parse tests/noise/test-speed-blame tests/lib/test-choose
	tests/sentences/test-complain
	tests/sentences/test-disagree tests/lib/test-pruning tests/measure/test-alike
	tests/measure/test-checks tests/measure/test-check tests/measure/test-expect
	tests/measure/test-sysfs tests/measure/test-word tests/measure/test-events-fake
	tests/measure/test-figures tests/measure/test-placement tests/measure/test-step
	tests/measure/test-table tests/measure/test-replicates tests/measure/test-verdict
	tests/sentences/test-explain tests/utils/test-leak-text tests/utils/test-linkscript
	tests/utils/test-report tests/utils/test-result tests/utils/test-run
	tests/utils/test-sizes tests/utils/test-observe tests/utils/test-opening
	tests/utils/test-pairs tests/utils/test-samples-skew tests/utils/test-summary
	tests/utils/test-symbols tests/utils/test-target"

# Build

if flock "$kept/lock" true && (
	exec 9>"$kept/lock"
	flock 9
	fetch_cmocka >"$scratch/fetch.log" 2>&1 </dev/null
); then
	units=with-units
else
	units=without-units
	sed 's/^/# /' "$scratch/fetch.log" | tail -n 5
	skip "unit tests" "cmocka's source can't be fetched"
fi
if [ $units = with-units ]; then
	ok "cmocka for $target" compile_cmocka
	set -- CMOCKA_CFLAGS=-I"$kept/cmocka/include" CMOCKA_LIBS="$kept/$name/libcmocka.a"
else
	set --
fi
[ "$parts" = all ] || set -- "$@" --disable-shared
ok "configure for $target" configure_target "$@"
is "the counters compiled in" "$(words "$(summary_of build counters)" | tr ' ' '\n' | sort)" \
	"$(words "$counters_run" "$counters_out" | tr ' ' '\n' | sort)"
unit_tests= only_built=
for test in $(words_of unit_tests); do
	case $parts," $(words "$alike") " in
	alike,*" $test "*) ;;
	alike,*) only_built="$only_built $test" && continue ;;
	all,*" $test "*) [ -n "$thorough" ] || continue ;;
	esac
	unit_tests="$unit_tests $test"
done
[ "$parts:${TESTS_SHORT-}" != alike:yes ] || unit_tests=" $(words "$bytes")"

# The cache and the environment of the machine that runs the emulator must not matter.
unset CPUCYCLES_COUNTER cpucyclespersecond
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE emulator
# qemu-user looks up each file name below a folder first, and holds a mutex while it does so. A
# child of a program with threads can inherit the locked mutex and wait for it for ever. Without
# such a folder, qemu-user does not use the mutex.
QEMU_LD_PREFIX=/
export QEMU_LD_PREFIX

scripts=
if [ "$parts" = all ]; then
	. "$top_srcdir/tests/cross/whole.sh"
else
	# shellcheck disable=SC2086 # words
	ok "make the unit tests, warnings are errors" make_static $unit_tests
	# A word of 32 bits, another order of bytes, another libc: a test may not build there.
	# shellcheck disable=SC2086 # words
	ok "make those that do not run, too" make_static $only_built
	can_run "${unit_tests##* }"
fi

# Run the tests of make check, which needs nothing built that is not there yet.

[ -z "$emulator" ] || wrap
make -C "$build" check-TESTS check_PROGRAMS= check_LTLIBRARIES= \
	TESTS="$(words "$unit_tests" "$scripts")" >"$scratch/check.log" 2>&1 </dev/null
for test in $unit_tests $scripts; do
	relay "$test"
done
