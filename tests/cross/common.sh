# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# How to build for another architecture and how to run what was built, in an emulator of user
# programs. Sourced by suite.sh, which explains the variables $target, $emulator and $optimize.
# cmocka, which does not depend on our sources, is kept from run to run, in $kept.

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/lines.sh"
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
		"$target-ar" rcs "$library.new" "$kept/$name/cmocka.o" &&
		mv "$library.new" "$library"
}

# configure_target ARGUMENT...: with --build and another host, configure can't run what it builds.
configure_target() {
	configure_in build --build="$host" --host="$target" $no_pkg_config \
		--sysconfdir="$build/etc" \
		--localstatedir="$build/var" CFLAGS="$optimize" "$@"
}

make_strict() {
	make_in build CFLAGS="$optimize -Werror" "$@"
}

# links PROGRAM ARGUMENT...
links() {
	program=$1
	shift
	quietly link "$target-gcc" -I"$top_srcdir/include" -o "$scratch/$program" \
		"$scratch/user.c" "$@"
}

# emulate COMMAND...: a program of the target.
# shellcheck disable=SC2086 # the emulator is a command or nothing
emulate() {
	timeout "$PROGRAM_SECONDS" $emulator "$@"
}

# runs_shared: with the target's own loader and the library just built.
runs_shared() {
	loader=$("$target-readelf" -l "$scratch/shared" |
		sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
	emulate "/usr/$target$loader" --library-path "/usr/$target/lib:$build/lib/.libs" \
		"$scratch/shared"
}

# wrap: each program of the tree becomes a script that has it emulated, so that make check
# and the scripts find all where they look for it.
wrap() {
	find "$build" -type f -perm -u+x ! -name '*.emulated' | while read -r file; do
		[ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
		mv "$file" "$file.emulated" &&
			printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$emulator" "$file.emulated" \
				>"$file" &&
			chmod 755 "$file"
	done
}

# beyond_emulator TEST POINT: why it can't pass under the emulator; nothing: it can.
beyond_emulator() {
	[ -n "$emulator" ] || return 0
	case "$1: $2" in
	"tests/utils/cache.sh: set-id: "* | "tests/utils/cache.sh: file capabilities: "*)
		echo \
			"without binfmt_misc no emulated program can be set-id, or have capabilities" ;;
	esac
}

# relay TEST: the points that make check logged of it become points of this script.
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
		"#"*) if [ -n "$failed" ]; then echo "$line"; else echo "$line" >>"$scratch/said"; \
			fi ;;
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
				failed=yes # what it says next is about this point, and what it said before
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

is_one_of() {
	case " $1 " in *" $2 "*) return ;; esac
	echo "# got: $2"
	return 1
}
words() {
	# shellcheck disable=SC2048,SC2086 # words are what is wanted
	echo $*
}
