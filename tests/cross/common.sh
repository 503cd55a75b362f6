# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Functions that build for another architecture and run the programs in an emulator of user
# programs. Sourced by suite.sh, which explains the variables $target, $emulator, $optimize and
# $thorough. The compiled cmocka is kept from run to run, in $kept, because it does not depend on
# our sources.

. "$top_srcdir/tests/harness/abi.sh"
. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/harness/mirror.sh"

name=$(basename "$0" .sh)
kept=$top_builddir/tests/cross/kept
build=$scratch/build
optimize=${optimize:--O1}

FETCH_SECONDS=100
PROGRAM_SECONDS=300 # one program under the emulator: against hangs
# Fresh processes for each kind of race between first calls.
if [ -n "$thorough" ]; then RACES=20; else RACES=10; fi

for tool in "$target-gcc" flock timeout; do
	command -v "$tool" >/dev/null || skip_all "$tool is not there"
done
mkdir -p "$kept/$name" || exit 99

# fetch_cmocka: fetch Debian's source of cmocka, the library of the unit tests. Debian has no
# compiled cmocka for most of these architectures.
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

# The flags that cmocka's own CMake chooses on every Linux.
cmocka_flags="-w -O1 -I$kept/cmocka/include -DHAVE_CLOCK_GETTIME -DHAVE_CLOCK_REALTIME
	-DHAVE_CLOCK_GETTIME_REALTIME -DHAVE_INTTYPES_H -DHAVE_MALLOC_H -DHAVE_SIGNAL_H
	-DHAVE_STDINT_H -DHAVE_STDLIB_H -DHAVE_STRING_H -DHAVE_STRINGS_H -DHAVE_STRUCT_TIMESPEC
	-DHAVE_UNISTD_H"
compile_cmocka() {
	library=$kept/$name/libcmocka.a
	[ ! -e "$library" ] || return 0
	# shellcheck disable=SC2086 # flags are a list
	"$target-gcc" $cmocka_flags -c -o "$kept/$name/cmocka.o" "$kept/cmocka/src/cmocka.c" &&
		"$target-ar" rcs "$library.new" "$kept/$name/cmocka.o" &&
		mv "$library.new" "$library"
}

# configure_target ARGUMENT...: configure for the target. --build and --host tell configure that it
# cannot run the programs that it builds.
configure_target() {
	configure_in build --build="$host" --host="$target" $no_pkg_config \
		--sysconfdir="$build/etc" \
		--localstatedir="$build/var" CFLAGS="$optimize" "$@"
}

make_strict() {
	make_in build CFLAGS="$optimize -Werror" "$@"
}

# make_static ARGUMENT...: the same for static programs and tests.
make_static() {
	make_strict "$without_libtool" LDFLAGS=-all-static "$@"
}

# words_of VARIABLE: the value of this variable of the Makefile.
words_of() {
	printf 'include Makefile\nprint:\n\t@echo words: $(%s)\n' "$1" |
		make -s -f - -C "$build" print | sed -n 's/^words: *//p'
}

# links PROGRAM ARGUMENT...: compile and link the user's program for the target.
links() {
	program=$1
	shift
	quietly link "$target-gcc" -I"$top_srcdir/include" -o "$scratch/$program" \
		"$scratch/user.c" "$@"
}

# emulate COMMAND...: run a program of the target.
# shellcheck disable=SC2086 # the emulator is a command or nothing
emulate() {
	timeout "$PROGRAM_SECONDS" $emulator "$@"
}

# can_run PROGRAM: go on if the program was built and this machine runs programs of the target.
can_run() {
	[ -x "$build/$1" ] || { skip "the rest" "nothing to run"; exit 0; }
	echo 'int main(void) { return 0; }' >"$scratch/empty.c"
	"$target-gcc" -static -o "$scratch/empty" "$scratch/empty.c" 2>/dev/null &&
		emulate "$scratch/empty" 2>/dev/null && return
	skip "the rest" "${emulator:-this machine} runs no program for $target"
	exit 0
}

# runs_shared: run it with the target's loader and the library just built.
runs_shared() {
	loader=$("$target-readelf" -l "$scratch/shared" |
		sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
	emulate "/usr/$target$loader" --library-path "/usr/$target/lib:$build/lib/.libs" \
		"$scratch/shared"
}

# wrap: replace each program in the build folder by a script that emulates it, so that make check
# and the scripts find every program under its usual name.
wrap() {
	find "$build" -type f -perm -u+x ! -name '*.emulated' | while read -r file; do
		[ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
		mv "$file" "$file.emulated" &&
			printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$emulator" "$file.emulated" \
				>"$file" &&
			chmod 755 "$file"
	done
}

# beyond_emulator TEST POINT: the reason why the point cannot pass under the emulator, or nothing.
beyond_emulator() {
	[ -n "$emulator" ] || return 0
	case "$1: $2" in
	"tests/utils/cache.sh: set-id: "* | "tests/utils/cache.sh: file capabilities: "*)
		echo "without binfmt_misc no emulated program can be set-id or have capabilities"
		;;
	"tests/calibrated/mounts.sh: a lxcfs that hangs: "*)
		echo "the emulator itself looks at /sys/devices/system/cpu when it starts"
		;;
	esac
}

# relay TEST: repeat the results that make check logged for this test as results of this script.
relay() {
	log=$build/${1%.sh}.log
	[ -e "$log" ] || : >"$log"
	points=0 failed=''
	: >"$scratch/said"
	# "ok 3 - name" becomes "ok: name", by one process for the whole log.
	sed -E 's/^(ok|not ok) [0-9]+ *-* */\1: /' "$log" >"$scratch/points"
	while read -r line; do
		case $line in
		"ok: "* | "not ok: "*) ;;
		"#"*)
			if [ -n "$failed" ]; then
				echo "$line"
			else
				echo "$line" >>"$scratch/said"
			fi
			;;
		esac
		case $line in "ok: "* | "not ok: "*) ;; *) continue ;; esac
		points=$((points + 1)) failed=
		point=${line#*ok: }
		case $line in
		*"# SKIP"*) skip "$1: ${point%% # SKIP*}" "${point##*# SKIP }" ;;
		ok*) ok "$1: $point" true ;;
		*)
			reason=$(beyond_emulator "$1" "$point")
			if [ -n "$reason" ]; then
				skip "$1: $point" "$reason"
			else
				# The test's comments before this line and behind it are about this
				# point.
				failed=yes
				cat "$scratch/said"
				ok "$1: $point" false
			fi ;;
		esac
		: >"$scratch/said"
	done <"$scratch/points"
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | tail -n 1)
	case $plan:$points in
	0:0) skip "$1" "$(sed -n 's/^1\.\.0 # SKIP //p' "$log")" ;;
	*) is "$1: it came to its end" "$points points" "${plan:-no} points" ;;
	esac
}

# races PROGRAM KIND: run this kind of race in fresh processes, one after the other. (The program
# can start them itself, but an emulated program needs binfmt_misc to start another one.)
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

# is_one_of WORDS WORD
is_one_of() {
	case " $1 " in *" $2 "*) return ;; esac
	echo "# got: $2"
	return 1
}
# words TEXT: its words, separated by one blank.
words() {
	# shellcheck disable=SC2048,SC2086 # words are what is wanted
	echo $*
}
