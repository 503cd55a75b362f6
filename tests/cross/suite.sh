# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The tests on another architecture, built by its cross compiler and run by an emulator of user
# programs. The script of each architecture sets these variables and sources this file:
#   target         the host that configure builds for; its compiler is $target-gcc
#   emulator       the command that runs its programs; empty: this machine runs them
#   counters_run   the counters that work there, in list order (doc/counters.md shows them)
#   counters_out   the counters that are compiled in and do not work, in list order
#   chosen         the counters that a probe may choose
#   thorough       yes: build and run all that is listed below. One target of each word size and
#                  byte order is thorough. May be unset
#   optimize       the compiler's option for optimization; -O1 if unset

# With THOROUGH=yes in the environment, every target is thorough.

thorough=${THOROUGH:-${thorough-}}
. "$top_srcdir/tests/cross/common.sh"

# Unit tests of code in which nothing depends on the architecture but the word size, the byte order
# and whether char is signed. They are built and run on thorough targets only.
alike="tests/bench/test-series tests/calibrated/test-calibrate tests/calibrated/test-fingerprint
	tests/calibrated/test-regress tests/calibrated/test-restamp tests/inspect/test-inspect
	tests/inspect/test-kinds tests/inspect/test-metrics tests/inspect/test-model
	tests/inspect/test-service tests/inspect/test-tree tests/lib/test-cache
	tests/lib/test-cache-format tests/lib/test-cache-long tests/lib/test-choose
	tests/lib/test-complain tests/lib/test-core-pmus tests/lib/test-decimal
	tests/lib/test-disagree tests/lib/test-extend tests/lib/test-persecond
	tests/lib/test-pruning tests/measure/test-checks tests/measure/test-event-expect
	tests/measure/test-event-field tests/measure/test-event-name tests/measure/test-event-word
	tests/measure/test-statistics tests/measure/test-step tests/measure/test-verdict
	tests/programs/test-publish tests/utils/test-explain tests/utils/test-measure
	tests/utils/test-observe tests/utils/test-opening tests/utils/test-samples
	tests/utils/test-summary"

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
ok "configure for $target" configure_target "$@"
ok "make the libraries, warnings are errors" make_strict lib/libcpucycles.la \
	measure/libcpucycles-measure.la
ok "shared library" has build lib/.libs/libcpucycles.so.1
ok "the shared one that measures" has build measure/.libs/libcpucycles-measure.so.0
is "no static constructor runs before main" \
	"$("$target-nm" "$build/lib/.libs/libcpucycles.a" 2>/dev/null | grep -c _GLOBAL__sub)" 0
is "the counters compiled in" "$(words "$(summary_of build counters)" | tr ' ' '\n' | sort)" \
	"$(words "$counters_run" "$counters_out" | tr ' ' '\n' | sort)"
ok "make the programs, warnings are errors" make_strict LDFLAGS=-all-static all
unit_tests=
for test in $(words_of unit_tests); do
	case " $(words "$alike") " in *" $test "*) [ -n "$thorough" ] || continue ;; esac
	unit_tests="$unit_tests $test"
done
if [ -n "$thorough" ]; then
	set --
else
	set -- check_LTLIBRARIES= check_PROGRAMS="$(words "$unit_tests" \
		"$(words_of library_programs)" tests/harness/resum)"
fi
ok "make the tests, warnings are errors" make_strict LDFLAGS=-all-static "$@" check TESTS=

write_user_program
ok "a static program links" links user -static "$build/lib/.libs/libcpucycles.a"
ok "a program with the shared library links" links shared "$build/lib/.libs/libcpucycles.so"
ok "a static program that measures links" quietly link "$target-gcc" -I"$top_srcdir/include" \
	-static -o "$scratch/measuring" "$top_srcdir/debian/tests/measuring.c" \
	"$build/measure/.libs/libcpucycles-measure.a" "$build/lib/.libs/libcpucycles.a" -lm

[ -x "$build/tests/lib/race" ] || { skip "the rest" "nothing to run"; exit 0; }
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
if ! "$target-gcc" -static -o "$scratch/empty" "$scratch/empty.c" 2>/dev/null ||
	! emulate "$scratch/empty" 2>/dev/null; then
	skip "the rest" "${emulator:-this machine} runs no program for $target"
	exit 0
fi

# Run what users run

# The cache and the environment of the machine that runs the emulator must not matter.
unset CPUCYCLES_COUNTER cpucyclespersecond
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE emulator
# qemu-user looks up each file name below a folder first, and holds a mutex while it does so. A
# child of a program with threads can inherit the locked mutex and wait for it for ever. Without
# such a folder, qemu-user does not use the mutex.
QEMU_LD_PREFIX=/
export QEMU_LD_PREFIX

is "the static program runs" "$(emulate "$scratch/user" | sed 's/^[^ ]* [^ ]* //')" "1 1"
is "the program with the shared library runs" "$(runs_shared | sed 's/^[^ ]* [^ ]* //')" "1 1"
# measuring COMMAND...: what the program that measures prints, without its figures.
measuring() {
	"$@" "$scratch/measuring" 2>&1 | sed 's/^median [0-9.e+]* of [1-9][0-9]* /median of /'
}
is "the program that measures runs, with this architecture's fences" "$(measuring emulate)" \
	"median of samples"
for kind in threads signals fork; do
	ok "$RACES fresh processes: $kind" races "$build/tests/lib/race" $kind
done

cache=$scratch/cache/counters
# usable: the counters that work, in the cache.
usable() { line_of "$cache" usable | sed 's/ .*//' | sort; }
expected=$(words "$counters_run" | tr ' ' '\n' | sort)
# On a busy machine the measured frequency of the core can be too far off to be a multiple of the
# time base's. Such a counter is unusable, so the calibrator is run again.
for try in 1 2 3 4 5; do
	emulate "$build/calibrated/cpucycles-calibrated" -c "$cache" -p "$scratch/persecond" \
		--force --verbose 2>"$scratch/calibrated.log"
	status=$?
	[ $status = 0 ] && [ "$(usable)" != "$expected" ] || break
	echo "# usable: $(words "$(usable)"), at $(line_of "$cache" persecond)"
done
is "the calibrator runs" $status 0
sed 's/^/# /' "$scratch/calibrated.log"
touch "$cache"
is "the counters that work" "$(usable)" "$expected"
is "those that do not" "$(line_of "$cache" unusable | sed 's/ .*//' | sort)" \
	"$(words "$counters_out" | tr ' ' '\n' | sort)"
for counter in $counters_run; do
	is "$counter counts" "$(CPUCYCLES_COUNTER=$counter emulate "$build/tests/lib/show" |
		sed -n 's/^implementation //p')" "$counter"
done
emulate "$build/tests/lib/show" >"$scratch/probed"
emulate "$build/utils/cpucycles-info" 2>&1 | sed 's/^/# /'
ok "a probe chooses one of: $chosen" is_one_of "$chosen" \
	"$(line_of "$scratch/probed" implementation)"
CPUCYCLES_CACHE=$cache emulate "$build/tests/lib/show" >"$scratch/shown"
is "the library trusts the cache, and takes the counter that it ranks first" \
	"$(for name in source status implementation; do
		line_of "$scratch/shown" $name
	done | paste -s -d ' ' -)" \
	"cache used $(line_of "$cache" usable | sed 's/ .*//; q')"

# An emulator of user programs shows /proc and /sys of the machine that it runs on.
about="the host's /proc/cpuinfo is not taken for this machine's"
if [ -z "$emulator" ]; then
	skip "$about" "this machine is the host"
elif [ -e /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq ]; then
	skip "$about" "the host's cpufreq answers"
else
	is "$about" "$(emulate "$build/tests/lib/frequency-replay" --system | tr '\t' ' ')" \
		"2399987654 default"
fi

# Run the tests of make check

[ -z "$emulator" ] || wrap
TESTS="$unit_tests tests/lib/environment.sh tests/lib/rate.sh tests/utils/plain.sh
	tests/utils/probe.sh"
[ -z "$thorough" ] || TESTS="$TESTS tests/calibrated/calibrate.sh tests/calibrated/killed.sh
	tests/calibrated/lock.sh tests/calibrated/mounts.sh tests/calibrated/rivals.sh
	tests/fuzz/replay.sh tests/lib/frequency-hostile.sh tests/lib/frequency-machines.sh
	tests/lib/replay.sh tests/lib/trust.sh tests/utils/cache.sh tests/utils/options.sh"
make -C "$build" check check_PROGRAMS= TESTS="$(words "$TESTS")" >"$scratch/check.log" \
	2>&1 </dev/null
for test in $TESTS; do
	relay "$test"
done
