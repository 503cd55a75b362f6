# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# All parts of the tests on another architecture but the unit tests. Sourced by suite.sh. The
# libraries are built by libtool, because users get them so.

# Build

ok "make the libraries, warnings are errors" make_in build CFLAGS="$optimize -g -Werror" \
	lib/libcpucycles.la measure/libcpucycles-measure.la
ok "shared library" has build lib/.libs/libcpucycles.so.1
ok "the shared one that measures" has build measure/.libs/libcpucycles-measure.so.1
for library in "$build"/lib/.libs/libcpucycles.so.? \
	"$build"/measure/.libs/libcpucycles-measure.so.?; do
	keeps_abi "$library"
done
keeps_static_tls "$build/lib/.libs/libcpucycles.so.1"
is "no static constructor runs before main" \
	"$("$target-nm" "$build/lib/.libs/libcpucycles.a" 2>/dev/null | grep -c _GLOBAL__sub)" 0
ok "make the programs, warnings are errors" make_static all
if [ -n "$thorough" ]; then
	set --
else
	set -- check_LTLIBRARIES= check_PROGRAMS="$(words "$unit_tests" \
		"$(words_of library_programs)" tests/harness/resum)"
fi
ok "make the tests, warnings are errors" make_static "$@" check TESTS=

write_user_program
ok "a static program links" links user -static "$build/lib/.libs/libcpucycles.a"
ok "a program with the shared library links" links shared "$build/lib/.libs/libcpucycles.so"
ok "a static program that measures links" quietly link "$target-gcc" -I"$top_srcdir/include" \
	-static -o "$scratch/measuring" "$top_srcdir/debian/tests/measuring.c" \
	"$build/measure/.libs/libcpucycles-measure.a" "$build/lib/.libs/libcpucycles.a" -lm

can_run tests/lib/race

# Run what users run

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

scripts="tests/lib/environment.sh tests/lib/rate.sh tests/utils/plain.sh tests/utils/probe.sh"
[ -z "$thorough" ] || scripts="$scripts tests/calibrated/calibrate.sh tests/calibrated/killed.sh
	tests/calibrated/lock.sh tests/calibrated/mounts.sh tests/calibrated/rivals.sh
	tests/fuzz/replay.sh tests/lib/frequency-hostile.sh tests/lib/frequency-machines.sh
	tests/lib/replay.sh tests/lib/trust.sh tests/utils/cache.sh tests/utils/options.sh"

# A program of 64 bits makes the processor.
if [ "$target" = i686-linux-gnu ]; then
	MADE_AMD=$scratch/made-amd
	export MADE_AMD
	ok "the made AMD processor is compiled" quietly made-amd \
		cc -I"$top_builddir" -I"$top_srcdir/lib" -o "$MADE_AMD" \
		"$top_srcdir/tests/lib/made-amd.c"
	scripts="$scripts tests/lib/rdpru.sh"
fi
