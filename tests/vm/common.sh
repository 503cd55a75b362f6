# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the tests in whole emulated machines share. Sourced, with these variables:
#   target         the host that configure builds for
#   architecture   Debian's name of it
#   kernel         a pattern of the names of its kernels' packages
#   suite          the Debian release with these packages; unset: that of this system
#   qemu           the command that emulates the machine
#   console        the machine's serial line
#   more_programs  programs of this folder that only these machines run; unset: none
# The fetched files lie in $fetched and are kept from run to run.

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/harness/mirror.sh"

# A machine that takes longer hangs, even on a busy host.
MACHINE_SECONDS=${MACHINE_SECONDS:-1200}
FETCH_SECONDS=400

for tool in "$target-gcc" "${qemu%% *}" apt-get dpkg cpio gzip timeout; do
	command -v "$tool" >/dev/null || skip_all "$tool is not there"
done

vm_programs="perthread reader stopwatch ${more_programs:-}"
fetched=$top_builddir/tests/vm/fetched/$architecture

# fetch: fetch a kernel and busybox, as $fetched/kernel and $fetched/busybox.
fetch() {
	[ ! -e "$fetched/kernel" ] || return 0
	rm -rf "$fetched"
	apt_folder "$fetched" deb "${suite:-}" "$architecture" &&
		apt_in "$fetched" apt-get -q update || return
	package=$(apt_in "$fetched" apt-cache search --names-only "^$kernel\$" |
		sed 's/ .*//' | sort -V | tail -n 1)
	[ -n "$package" ] || { echo "no kernel is called $kernel there"; return 1; }
	apt_in "$fetched" apt-get -q download "$package" busybox-static || return
	for package in "$fetched"/*.deb; do
		dpkg -x "$package" "$fetched/files" || return
	done
	mv "$fetched"/files/usr/bin/busybox "$fetched/busybox" 2>/dev/null ||
		mv "$fetched/files/bin/busybox" "$fetched/busybox" || return
	mv "$fetched"/files/boot/vmlinu[xz]-* "$fetched/kernel" &&
		rm -rf "$fetched/files" "$fetched"/*.deb && apt_done "$fetched"
}

# build_static FOLDER TARGET: build the calibrator, cpucycles-info and the programs that print what
# the library does, all of them static. They have the usual paths, because the machine has a root of
# its own.
build_static() {
	configure_in "$1" --build="$host" --host="$2" --disable-shared --prefix=/usr \
		--sysconfdir=/etc --localstatedir=/var $no_pkg_config CFLAGS=-O2 &&
		make_in "$1" "$without_libtool" LDFLAGS=-all-static lib/libcpucycles.la \
			calibrated/cpucycles-calibrated utils/cpucycles-info \
			tests/lib/show tests/lib/show-rate
}

# build_for_target: the same for the machine, and the programs of this folder.
build_for_target() {
	build_static build "$target" || return
	for program in $vm_programs; do
		target_program "$top_srcdir/tests/vm/$program.c" || return
	done
}

# build_measure: build the tool that measures and a shared object with known work. They are dynamic,
# so the machine gets the libraries of the cross compiler, too.
build_measure() {
	libc=/usr/$target/lib
	configure_in measure --build="$host" --host="$target" --disable-static --prefix=/usr \
		--sysconfdir=/etc --localstatedir=/var $no_pkg_config CFLAGS=-O2 &&
		make_in measure lib/libcpucycles.la utils/cpucycles-measure &&
		mkdir -p "$scratch/files/bin" "$scratch/files/lib" &&
		cp "$libc"/ld-linux-* "$libc/libc.so.6" "$libc/libm.so.6" \
			"$scratch/measure/lib/.libs/libcpucycles.so.1" "$scratch/files/lib" &&
		cp "$scratch/measure/utils/.libs/cpucycles-measure" "$scratch/files/bin" &&
		quietly known-work "$target-gcc" -O2 -Wall -Wextra -Werror -shared -fPIC \
			-o "$scratch/files/lib/known.so" "$top_srcdir/tests/vm/known-work.c"
}

# target_program FILE.c: compile it as a static program for the target.
target_program() {
	program=$(basename "$1" .c)
	quietly "$program" "$target-gcc" -O2 -Wall -Wextra -Werror -static -pthread \
		-I"$top_srcdir/include" -o "$scratch/build/$program" "$1" \
		"$scratch/build/lib/.libs/libcpucycles.a"
}

# make_initrd: the file system of the machine, with these programs and the script that runs them.
make_initrd() {
	files=$scratch/files
	for folder in bin dev etc proc sys tmp var/cache; do
		mkdir -p "$files/$folder"
	done
	for program in calibrated/cpucycles-calibrated utils/cpucycles-info tests/lib/show \
		tests/lib/show-rate $vm_programs; do
		cp "$scratch/build/$program" "$files/bin" || return
	done
	cp "$fetched/busybox" "$files/bin" && cp "$top_srcdir/tests/vm/init" "$files" &&
		cp "$top_srcdir/tests/vm/$architecture.cases" "$files/cases" &&
		chmod 755 "$files/init" "$files/bin/busybox" &&
		(cd "$files" && find . | cpio -o -H newc --quiet | gzip -1) >"$scratch/initrd.gz"
}

# fetch_or_skip: without the files, there is nothing to test.
fetch_or_skip() {
	fetch >"$scratch/fetch.log" 2>&1 </dev/null && return
	sed 's/^/# /' "$scratch/fetch.log" | tail -n 10
	skip_all "no $architecture kernel and busybox can be fetched here"
}

# prepare_machines [FUNCTION]: fetch, build and make the file system. FUNCTION builds more.
prepare_machines() {
	fetch_or_skip
	ok "build for $architecture" build_for_target
	[ $# -eq 0 ] || ok "$1 for $architecture" "$1"
	ok "make its file system" make_initrd
}

# boot NAME CASES OPTION...: run a machine with these cases of init until it is off. Its console
# output goes to the file $output. $parameters are more parameters of the kernel, and $initrd is
# another file system; see carry. A machine with two CPUs may hang before its first process runs.
# That says nothing about our programs, so it is started once more.
parameters=
boot() {
	machine=$1
	output=$scratch/$1.out
	cases=$2
	shift 2
	run_machine "$@"
	grep -q '^@@ ' "$output" || run_machine "$@"
	grep -q '^@@ end$' "$output" && return
	echo "# its last words:"
	tail -n 20 "$output" | sed 's/^/# /'
	return 1
}
run_machine() {
	began=$(date +%s)
	# shellcheck disable=SC2086 # a command and its options
	timeout "$MACHINE_SECONDS" $qemu -kernel "$fetched/kernel" \
		-initrd "${initrd:-$scratch/initrd.gz}" \
		-append "console=$console quiet loglevel=4 panic=-1 cases=$cases $parameters" "$@" \
		</dev/null 2>&1 | tr -d '\r' >"$output"
	echo "# $machine took $(($(date +%s) - began)) s"
}

# The output has a section for each program that the machine ran.
# section NAME: all lines of the section.
# section_field NAME WORD: the first value behind this word. section_values NAME WORD...: the first
# value behind each of these words, in one line. section_fields NAME WORD: all values behind the
# word, each once.
section() {
	awk -v name="$1" '$1 == "@@" { inside = $2 == name; next } inside' "$output"
}
section_field() {
	section "$1" | line_of - "$2" | head -n 1
}
section_values() {
	in_section=$1
	shift
	for field; do
		section_field "$in_section" "$field"
	done | paste -s -d ' ' -
}
section_fields() {
	section "$1" | line_of - "$2" | sort -u | tr '\n' ' '
}

# is_number TEXT: a whole number, so that the shell can calculate with it.
is_number() {
	case $1 in '' | *[!0-9]*) echo "# expected a number, got '$1'"; return 1 ;; esac
}

# between NUMBER LOW HIGH: the whole number is in this range.
between() {
	is_number "$1" || return
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ] && return
	echo "# expected $2 to $3, got $1"
	return 1
}

# share COUNT OF: the counts differ by a tenth at most.
share() {
	between "$1" "$((${2:-0} * 9 / 10))" "$((${2:-0} * 11 / 10))"
}

# share_all COUNT OTHER...: so do all of these from the first.
share_all() {
	[ $# -gt 1 ] || { echo "# expected counts"; return 1; }
	of=$1
	shift
	for count; do
		share "$count" "$of" || return
	done
}

# none_lost COUNT...: none is a tenth or more below the middle one. Some may be higher: while an
# emulator that counts instructions executes those of one CPU, the other CPU's counter runs too.
none_lost() {
	[ $# -gt 1 ] || { echo "# expected counts"; return 1; }
	most=$(printf '%s\n' "$@" | sort -n | sed -n "$(($# / 2))p")
	for count; do
		between "$count" "$((most * 9 / 10))" "$((most * 100))" || return
	done
}

# The frequency of machines that execute one instruction per ns: see arm64.sh.
TRUE_HZ=1000000000
near_true_hz() {
	ok "$machine: within 2 percent of the true rate" between "$hz" \
		$((TRUE_HZ - TRUE_HZ / 50)) $((TRUE_HZ + TRUE_HZ / 50))
}

# rate_of_rank SECTION: show-rate printed the rate of the best cached counter that needs no event.
rate_of_rank() {
	line=$(section cache | sed -n 's/^usable //p' | grep -v perf | head -n 1)
	name=${line%% *}
	case $line in
	*" off-core "*) rate=$(echo "$line" | sed 's/.* measured //; s/ ppm / /') ;;
	*) rate="$hz 0" ;;
	esac
	is "$machine, $1: the best that needs no event, at its rate" \
		"$(section_values "$1" implementation hz ppm clock)" \
		"$name $rate good"
}

# calibrated_machine: tests for every machine whose OS does not tell the frequency.
calibrated_machine() {
	is "$machine: before calibration nobody knows" \
		"$(section_values before status persecond-source persecond)" \
		"missing default 2399987654"
	is "$machine: the calibrator succeeds" "$(section_field calibrate exit)" 0
	is "$machine: it measured" "$(section_field cache persecond | sed 's/.* //')" measured
	hz=$(section_field after persecond)
	# From a slow emulation of a slow board to more than any CPU has.
	ok "$machine: something that is a frequency" between "$hz" 10000000 20000000000
	is "$machine: the library starts from the cache, with that value" \
		"$(section_values after source status persecond-source) $hz measured" \
		"cache used measured $(section_field cache persecond)"
	is "$machine: with the counter that the cache ranks first" \
		"$(section_field after implementation)" \
		"$(section_field cache usable | sed 's/ .*//')"
	is "$machine: cpucycles-info says so, and how far it may be off" \
		"$(section_field info 'cpucycles persecond')" \
		"$hz source measured ppm $(section_field cache core | sed 's/.* ppm //')"
	is "$machine: and has no complaint" \
		"$(section_field info exit) $(section_field info 'cpucycles cache problem:')" "0 "
	is "$machine: an ordinary user starts from the cache too" \
		"$(section_values nobody source status persecond persecond-source)" \
		"cache used $hz measured"
	rate_of_rank nobody-rate
	again_hz=$(section_field again-show persecond)
	is "$machine: a second calibration succeeds, and the library uses it" \
		"$(section_field again exit) \
$(section_values again-show persecond-source status)" \
		"0 measured used"
	ok "$machine: it measures again" test "$(section again | grep -c ': core: kind')" -gt 0
	is "$machine: the persecond file of this boot says the same without the cache" \
		"$(section_values away status persecond-source persecond)" \
		"missing measured $again_hz"
}

# threads_apart SECTION COUNTER THREADS: each thread counts its own work only.
threads_apart() {
	main=$(section_field "$1" main)
	busy=$(section_field "$1" busy)
	is "$machine, $1: the counter" "$(section_field "$1" counter)" "$2"
	ok "$machine, $1: the main thread counts" between "$main" 100000 1000000000000
	ok "$machine, $1: a thread that sleeps does not count what another does meanwhile" \
		between "$(section_field "$1" idle)" 0 "$((${busy:-0} / 10))"
	is "$machine, $1: a child ends well" \
		"$(section_field "$1" child-status) $(section_field "$1" exit)" "0 0"
	is "$machine, $1: $3 threads come, go and leave no descriptor open" \
		"$(section_field "$1" came) \
$(section_field "$1" descriptors | awk '{ print $2 - $1 }')" "$3 0"
}

# same_work SECTION: on a machine whose instructions take a cycle each, equal work has equal counts.
same_work() {
	for which in threads child child-threads main-again; do
		# shellcheck disable=SC2046 # one or two counts
		ok "$machine, $1: the same work in $which" share_all "$main" \
			$(section_field "$1" $which)
	done
	# shellcheck disable=SC2046 # two counts
	set -- "$1" $(section_field "$1" one-cpu)
	ok "$machine, $1: of two on one CPU, the work of the one" share "${2:-}" "$main"
	ok "$machine, $1: and three times as much of the other" share "${3:-}" "$((${main:-0} * 3))"
}

# went_on SECTION COUNTER: the counts never stood still or ran backwards, and the program ended
# well.
went_on() {
	is "$machine, $1: $2 goes on, and never backwards" \
		"$(section_field "$1" counter) exit $(section_field "$1" exit) \
backwards $(section_fields "$1" backwards)stalls $(section_fields "$1" stalls)" \
		"$2 exit 0 backwards 0 stalls 0 "
}

# all_the_while SECTION COUNTER: the same, and no part of the work was left out of the counts.
all_the_while() {
	went_on "$1" "$2"
	# shellcheck disable=SC2046 # counts
	ok "$machine, $1: and none of the same work is lost" none_lost \
		$(section "$1" | sed -n 's/^work //p')
}

# went_on_shared SECTION COUNTER: like went_on, while the events shared the PMU with others.
went_on_shared() {
	went_on "$1" "$2"
	# shellcheck disable=SC2046 # counts
	set -- "$1" $(section_field "$1" work | tr ' ' '\n' | sort -n | sed -n '1p; $p')
	ok "$machine, $1: the PMU did not count all of the time" \
		between "${2:-}" 0 "$((${3:-0} * 9 / 10))"
}

# tried_per_thread COUNTER CPUS: tests of all that init's function of that name runs, on an exact
# machine.
tried_per_thread() {
	[ "$2" -lt 2 ] || all_the_while "$1-migrate" "$1"
	went_on "$1-signals" "$1"
	for section in "$1-threads" "$1-nobody"; do
		threads_apart "$section" "$1" 500
		same_work "$section"
	done
	went_on_shared "$1-crowd" "$1"
}

# tried COUNTER CPUS: the same for init's tried.
tried() {
	[ "$2" -lt 2 ] || went_on "$1-migrate" "$1"
	went_on "$1-signals" "$1"
}

# portable_counters CPUS: tests of the counters that all systems have.
portable_counters() {
	tried_per_thread default-perfevent "$1"
	for counter in default-monotonic default-gettimeofday default-syscall; do
		tried $counter "$1"
	done
}

# chosen: tests from lines of ACCESS PARANOID USER COUNTER on standard input.
chosen() {
	while read -r access paranoid user counter; do
		is "$machine: perf_user_access $access, paranoid $paranoid, $user" \
			"$(section_field "choice-$access-$paranoid-$user" implementation)" \
			"$counter"
	done
}

# many COUNTER THREADS: tests of init's many.
many() {
	threads_apart "$1-many" "$1" "$2"
	went_on "$1-moved" "$1"
	went_on "$1-knob" "$1"
}

# rates_off SECTION: print the counters whose measured rate is unknown or outside of its stated
# bound. The rate of the wall clock may be unknown.
rates_off() {
	section "$1" | awk '$1 == "usable" && $7 > 0 {
		split($9, scaling, "/")
		truth = $7 * scaling[1] / scaling[2]
		off = ($11 - truth) / truth * 1e6
		if (off < 0) off = -off
		if (off > $13 + 1e6 / truth && !($2 == "default-gettimeofday" && $11 == 0))
			print $2, $11, truth, $13
	}'
}

# wall_clock_set COUNTER...: while the wall clock is set on and back by an hour, these counters are
# read, and then the calibrator runs.
wall_clock_set() {
	for counter; do
		all_the_while "$counter-clock" "$counter"
		is "$machine, $counter-clock: each phase began with the wall clock an hour off" \
			"$(section_field "$counter-clock" jumps)" 19
	done
	ok "$machine: the wall clock is set beside the calibrator" between \
		"$(section_field jumping jumps)" 20 1000000
	is "$machine: it succeeds" "$(section_field jumping-calibrate exit)" 0
	hz=$(section_field jumping-cache core | sed 's/ .*//')
	ppm=$(section_field jumping-cache core | sed 's/.* ppm //')
	near_true_hz
	ok "$machine: the true rate is within the stated bound, $ppm ppm" between "$TRUE_HZ" \
		$((hz - hz / 1000 * ppm / 1000)) $((hz + hz / 1000 * ppm / 1000))
	is "$machine: so is each counter's" "$(rates_off jumping-cache)" ""
	is "$machine: the library uses what it wrote" \
		"$(section_field jumping-show status) $(section_field jumping-show persecond)" \
		"used $hz"
	is "$machine: and its nanoseconds are the monotonic clock's" \
		"$(section_field jumping-rate clock)" good
}

# cached_machine COUNTER OTHER: from root's cache, users who may open events get COUNTER, which
# needs one, and others get OTHER.
cached_machine() {
	is "$machine: root's cache ranks $1 first" \
		"$(section_field cached-cache usable | sed 's/ .*//')" "$1"
	for state in root:$1 nobody:$1 restricted:$2 closed:$2 again:$1; do
		is "$machine, cached-${state%%:*}: from the cache, what this user may use now" \
			"$(section_values "cached-${state%%:*}" source implementation)" \
			"cache ${state#*:}"
	done
}

# counters_seen: all counters that were read in a section that ended well, in any machine.
counters_seen() {
	cat "$scratch"/*.out | awk '
		$1 == "@@" { name = "" }
		$1 == "counter" || $1 == "implementation" { name = $2 }
		$1 == "exit" && $2 == 0 && name { print name }' | sort -u | tr '\n' ' ' |
			sed 's/ $//'
}
