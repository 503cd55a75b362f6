# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The suite on another architecture: built by its cross compiler, run by an emulator of user
# programs. Sourced, with
#   target         what configure is to build for; its compiler is $target-gcc
#   emulator       what runs its programs here; nothing: this machine does
#   counters_run   counters that work there, in list order (doc/counters.md shows them)
#   counters_out   those compiled in that do not, in list order
#   chosen         the counters that a probe may choose
#   thorough       yes: also the scripts of the suite that take long; one target of each width
#                  and order of bytes says so. May be unset, as may
#   optimize       the compiler's option, if not -O1
# What does not depend on the sources is kept from run to run, in $kept.

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/mirror.sh"

name=$(basename "$0" .sh)
kept=$top_builddir/tests/cross/kept
build=$scratch/build
optimize=${optimize:--O1}

FETCH_SECONDS=100
PROGRAM_SECONDS=60 # one program under the emulator
RACES=20           # fresh processes for each kind of first calls that meet

for tool in "$target-gcc" flock timeout; do
	command -v "$tool" >/dev/null || skip_all "$tool is not there"
done
mkdir -p "$kept/$name" || exit 99

# The library of the unit tests: Debian has none for most of these architectures, so it is
# compiled from Debian's source.
fetch_cmocka() {
	[ ! -e "$kept/cmocka/include/cmocka.h" ] || return 0
	rm -rf "$kept/cmocka"
	apt_folder "$kept/cmocka" deb-src &&
		apt_in "$kept/cmocka" apt-get -q update &&
		apt_in "$kept/cmocka" apt-get -q source --download-only cmocka &&
		tar -x -C "$kept/cmocka" --no-same-owner --strip-components=1 \
			-f "$kept"/cmocka/cmocka_*.orig.tar.*[!c] &&
		apt_done "$kept/cmocka"
}

# What its own CMake finds on each Linux.
cmocka_flags="-w -O1 -I$kept/cmocka/include -DHAVE_CLOCK_GETTIME -DHAVE_CLOCK_REALTIME
	-DHAVE_CLOCK_GETTIME_REALTIME -DHAVE_INTTYPES_H -DHAVE_MALLOC_H -DHAVE_SIGNAL_H -DHAVE_STDINT_H
	-DHAVE_STDLIB_H -DHAVE_STRING_H -DHAVE_STRINGS_H -DHAVE_STRUCT_TIMESPEC -DHAVE_UNISTD_H"
compile_cmocka() {
	library=$kept/$name/libcmocka.a
	[ ! -e "$library" ] || return 0
	# shellcheck disable=SC2086 # flags are a list
	"$target-gcc" $cmocka_flags -c -o "$kept/$name/cmocka.o" "$kept/cmocka/src/cmocka.c" &&
		"$target-ar" rcs "$library.new" "$kept/$name/cmocka.o" && mv "$library.new" "$library"
}

# configure_kept KEY ARGUMENT...: what it found is kept as long as configure and the compiler
# are the same; KEY names the arguments.
configure_kept() {
	found=$kept/$name/config.$1
	shift
	[ "$found" -nt "$top_srcdir/configure" ] && [ "$found" -nt "$(command -v "$target-gcc")" ] ||
		rm -f "$found"
	# With --build and another host, configure can't run what it builds.
	configure_in build --build="$host" --host="$target" --cache-file="$found" $no_pkg_config \
		--sysconfdir="$build/etc" --localstatedir="$build/var" CFLAGS="$optimize" "$@" ||
		{ rm -f "$found"; return 1; }
}

make_strict() {
	make_in build CFLAGS="$optimize -Werror" "$@"
}

# links PROGRAM ARGUMENT...
links() {
	program=$1
	shift
	quietly link "$target-gcc" -I"$top_srcdir/include" -o "$scratch/$program" "$scratch/user.c" "$@"
}

# emulate COMMAND...: a program of the target.
# shellcheck disable=SC2086 # the emulator is a command or nothing
emulate() {
	timeout "$PROGRAM_SECONDS" $emulator "$@"
}

# runs_shared: with the target's own loader and the library just built.
runs_shared() {
	loader=$("$target-readelf" -l "$scratch/shared" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
	emulate "/usr/$target$loader" --library-path "/usr/$target/lib:$build/lib/.libs" "$scratch/shared"
}

# wrap: each program of the tree becomes a script that has it emulated, so that make check
# and the scripts find all where they look for it.
wrap() {
	find "$build" -type f -perm -u+x ! -name '*.emulated' | while read -r file; do
		[ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
		mv "$file" "$file.emulated" &&
			printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$emulator" "$file.emulated" >"$file" &&
			chmod 755 "$file"
	done
}

# beyond_emulator TEST POINT: why it can't pass under the emulator; nothing: it can.
beyond_emulator() {
	[ -n "$emulator" ] || return 0
	case "$1: $2" in
	"tests/utils/cache.sh: set-id: "* | "tests/utils/cache.sh: file capabilities: "*)
		echo "without binfmt_misc no emulated program can be set-id, or have capabilities" ;;
	esac
}

# relay TEST: the points that make check logged of it become points of this script.
relay() {
	log=$build/${1%.sh}.log
	[ -e "$log" ] || : >"$log"
	points=0 why='' failed=''
	: >"$scratch/said"
	while read -r line; do
		case $line in
		"# skipped: "*) why=${line#*: } ;;
		"ok "[0-9]* | "not ok "[0-9]*) ;;
		"#"*) if [ -n "$failed" ]; then echo "$line"; else echo "$line" >>"$scratch/said"; fi ;;
		esac
		case $line in "ok "[0-9]* | "not ok "[0-9]*) ;; *) continue ;; esac
		points=$((points + 1)) failed=
		point=$(echo "$line" | sed -e 's/^[a-z ]*[0-9]* *-* *//')
		case $line in
		*"# SKIP"*)
			case $point in
			"# SKIP "*) skip "$1: ${point#* SKIP }" "${why:-no reason given}" ;; # cmocka's form
			*) skip "$1: ${point%% # SKIP*}" "${point##*# SKIP }" ;;
			esac ;;
		ok*) ok "$1: $point" true ;;
		*)
			reason=$(beyond_emulator "$1" "$point")
			if [ -n "$reason" ]; then
				skip "$1: $point" "$reason"
			else
				failed=yes # what it says next is about this point, and what it said before
				cat "$scratch/said"
				ok "$1: $point" false
			fi ;;
		esac
		why=
		: >"$scratch/said"
	done <"$log"
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | tail -n 1)
	case $plan:$points in
	0:0) skip "$1" "$(sed -n 's/^1\.\.0 # SKIP //p' "$log")" ;;
	*) is "$1: it came to its end" "$points points" "${plan:-no} points" ;;
	esac
}

# races KIND: each in a fresh process. (race starts its own afresh, which needs
# binfmt_misc.)
races() {
	i=0
	while [ "$i" -lt "$RACES" ]; do
		emulate "$1" "$2" >"$scratch/out" 2>&1 || {
			echo "# process $i: status $?"
			sed 's/^/# /' "$scratch/out"
			return 1
		}
		i=$((i + 1))
	done
}

# field FILE NAME: the values of the lines of that name.
field() {
	sed -n "s/^$2 //p" "$1"
}
is_one_of() {
	case " $1 " in *" $2 "*) return ;; esac
	echo "# got: $2"
	return 1
}
words() {
	# shellcheck disable=SC2048,SC2086 # words are what is wanted
	echo $*
}

# The build

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
ok "configure for $target" configure_kept $units "$@"
ok "make the library, warnings are errors" make_strict lib/libcpucycles.la
ok "shared library" has build lib/.libs/libcpucycles.so.1
is "no static constructor runs before main" \
	"$("$target-nm" "$build/lib/.libs/libcpucycles.a" 2>/dev/null | grep -c _GLOBAL__sub)" 0
is "the counters compiled in" "$(words "$(summary_of build counters)" | tr ' ' '\n' | sort)" \
	"$(words "$counters_run" "$counters_out" | tr ' ' '\n' | sort)"
ok "make the programs, warnings are errors" make_strict LDFLAGS=-all-static all
ok "make the tests, warnings are errors" make_strict LDFLAGS=-all-static check TESTS=

write_user_program
ok "a static program links" links user -static "$build/lib/.libs/libcpucycles.a"
ok "a program with the shared library links" links shared "$build/lib/.libs/libcpucycles.so"

[ -x "$build/tests/lib/race" ] || { skip "the rest" "nothing to run"; exit 0; }
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
if ! "$target-gcc" -static -o "$scratch/empty" "$scratch/empty.c" 2>/dev/null ||
	! emulate "$scratch/empty" 2>/dev/null; then
	skip "the rest" "${emulator:-this machine} runs no program for $target"
	exit 0
fi

# What users do

# Nothing of the machine that the emulator runs on: its cache, its user's wishes.
unset CPUCYCLES_COUNTER cpucyclespersecond
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE emulator
# qemu-user looks each name up below a folder first, under a mutex that it does not take for a
# fork: a child of a program with threads waits for it for ever. Not so without a folder.
QEMU_LD_PREFIX=/
export QEMU_LD_PREFIX

is "the static program runs" "$(emulate "$scratch/user" | sed 's/^[^ ]* [^ ]* //')" "1 1"
is "the program with the shared library runs" "$(runs_shared | sed 's/^[^ ]* [^ ]* //')" "1 1"
for kind in threads signals fork; do
	ok "$RACES fresh processes: $kind" races "$build/tests/lib/race" $kind
done

cache=$scratch/cache/counters
# usable: the counters that work, in the cache.
usable() { field "$cache" usable | sed 's/ .*//' | sort; }
expected=$(words "$counters_run" | tr ' ' '\n' | sort)
# What a busy machine makes of the core's frequency may be no multiple of a time base's: then it is
# measured anew.
for try in 1 2 3 4 5; do
	emulate "$build/calibrated/cpucycles-calibrated" -c "$cache" -p "$scratch/persecond" --force \
		--verbose 2>"$scratch/calibrated.log"
	status=$?
	[ $status = 0 ] && [ "$(usable)" != "$expected" ] || break
	echo "# usable: $(words "$(usable)"), at $(field "$cache" persecond)"
done
is "the calibrator runs" $status 0
sed 's/^/# /' "$scratch/calibrated.log"
touch "$cache"
is "the counters that work" "$(usable)" "$expected"
is "those that do not" "$(field "$cache" unusable | sed 's/ .*//' | sort)" \
	"$(words "$counters_out" | tr ' ' '\n' | sort)"
for counter in $counters_run; do
	is "$counter counts" "$(CPUCYCLES_COUNTER=$counter emulate "$build/tests/lib/show" |
		sed -n 's/^implementation //p')" "$counter"
done
emulate "$build/tests/lib/show" >"$scratch/probed"
emulate "$build/utils/cpucycles-info" 2>&1 | sed 's/^/# /'
ok "a probe chooses one of: $chosen" is_one_of "$chosen" "$(field "$scratch/probed" implementation)"
CPUCYCLES_CACHE=$cache emulate "$build/tests/lib/show" >"$scratch/shown"
is "the library trusts the cache, and takes the counter that it ranks first" \
	"$(field "$scratch/shown" source) $(field "$scratch/shown" status) $(field "$scratch/shown" implementation)" \
	"cache used $(field "$cache" usable | sed 's/ .*//; q')"

# Under an emulator of user programs /proc and /sys are the host's.
about="the host's /proc/cpuinfo is not taken for this machine's"
if [ -z "$emulator" ]; then
	skip "$about" "this machine is the host"
elif [ -e /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq ]; then
	skip "$about" "the host's cpufreq answers"
else
	is "$about" "$(emulate "$build/tests/lib/frequency-replay" --system | tr '\t' ' ')" \
		"2399987654 default"
fi

# The suite

[ -z "$emulator" ] || wrap
TESTS=$(make -s -f - -C "$build" print <<'MAKE'
include Makefile
print:
	@echo $(filter-out %.sh,$(TESTS))
MAKE
)
TESTS="$TESTS tests/calibrated/calibrate.sh tests/calibrated/rivals.sh tests/fuzz/replay.sh tests/lib/environment.sh
	tests/lib/frequency-machines.sh tests/lib/rate.sh tests/lib/replay.sh tests/utils/options.sh
	tests/utils/plain.sh tests/utils/probe.sh"
[ -z "${thorough-}" ] || TESTS="$TESTS tests/calibrated/killed.sh tests/calibrated/lock.sh
	tests/calibrated/mounts.sh tests/lib/frequency-hostile.sh tests/lib/trust.sh tests/utils/cache.sh"
make -C "$build" check check_PROGRAMS= TESTS="$(words "$TESTS")" >"$scratch/check.log" 2>&1 </dev/null
for test in $TESTS; do
	relay "$test"
done
