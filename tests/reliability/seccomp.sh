#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Sandboxes in full: every system call of cpucycles-sandbox(7) refused in every way, in every
# kind of call; that list against what strace sees, with glibc, musl and on i386.

# The test runs in a process namespace of its own. Should the library mistake a refused getpid(2)
# for a process's number and send a signal there, only processes of this test can be hit.
if [ -z "${in_namespace:-}" ]; then
	for unshare in "unshare" "unshare -U -r"; do
		$unshare -p -f --mount-proc true 2>/dev/null || continue
		in_namespace=yes exec $unshare -p -f --kill-child --mount-proc sh "$0"
	done
fi

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/lib/library.sh"
[ -n "${in_namespace:-}" ] || skip_all "no PID namespace can be made"
command -v strace >/dev/null || skip_all "no strace"
may strace -o /dev/null -e inject=sigaltstack:delay_enter=1 true ||
	skip_all "strace can't trace here, or is older than 4.22: $refused"
"$programs/make-cache" "$cache" || skip_all "no cache can be made here"
quietly tools sh -ec '
	flags="-O2 -Wall -Wextra -Werror"
	cc $flags -o "$2/no-vdso" "$1/no-vdso.c"
	cc $flags -fPIC -shared -o "$2/task-clock.so" "$1/task-clock.c" -ldl
' sh "$top_srcdir/tests/reliability" "$scratch" || exit

sandboxed=$programs/sandboxed

names=$(listed "")
# The file names-CALL has all names of this call, in one line.
for call in $names; do
	echo "$call" | all_names | tr '\n' ' ' >"$scratch/names-$call"
	echo >>"$scratch/names-$call"
done
unguarded=$(listed "Calls around the guard" "Later calls")
n=0 bad=0

# build NAME ARGUMENT...: build the test's programs with another compiler, in the background.
builds=
build() {
	builds="$builds $1"
	{
		configure_in "$@" --disable-shared --without-jansson \
			--with-systemdsystemunitdir=no \
			PKG_CONFIG_LIBDIR=/nonexistent &&
			make_in "$1" "$without_libtool" LDFLAGS=-all-static \
				lib/libcpucycles.la tests/lib/sandboxed tests/lib/make-cache &&
			: >"$scratch/$1.built"
	} >"$scratch/$1.log" 2>&1 &
}
if command -v musl-gcc >/dev/null; then
	build musl CC=musl-gcc \
		CPPFLAGS="-idirafter /usr/include -idirafter /usr/include/$(gcc -print-multiarch)"
fi
if command -v i686-linux-gnu-gcc >/dev/null && [ "$(uname -m)" = x86_64 ]; then
	build i386 --host=i686-linux-gnu
fi

# one SANDBOXED CASE ANSWER NAME...: run a case with these calls refused. $said is its output and,
# last, its status.
one() {
	program=$1
	shift
	said=$(timeout "$limit" $launcher "$program" "$@" 2>"$scratch/err"; echo "status $?")
	n=$((n + 1))
}

# refuse WHAT CASE ANSWER: refuse each call of the list, one at a time.
refuse() {
	for call in $names; do
		read -r all <"$scratch/names-$call"
		# shellcheck disable=SC2086 # a list
		one "$sandboxed" "$2" "$3" $all
		case $said in
		default-zero*) echo "$call: $said" ;;
		*"status 0" | *"status 77") ;;
		*"status 159") [ "$3" = trap ] && echo "$unguarded" | grep -qx "$call" ||
			echo "$call: $said" ;;
		*"status 139") [ "$call" = rt_sigreturn ] || echo "$call: $said" ;;
		*) echo "$call: $said" ;;
		esac
	done >"$scratch/bad"
	is "$1, $2, $3" "$(cat "$scratch/bad")" ""
	bad=$((bad + $(wc -l <"$scratch/bad")))
}

launcher=
for case in first threads sent later; do
	for answer in eperm enosys trap; do
		CPUCYCLES_CACHE=$cache
		export CPUCYCLES_CACHE
		refuse cached $case $answer
		CPUCYCLES_CACHE=none
		refuse probing $case $answer
	done
done
# With a real event in each thread, of a kind that every kernel has.
launcher="env LD_PRELOAD=$scratch/task-clock.so CPUCYCLES_COUNTER=default-perfevent"
one "$sandboxed" first none
case $said in
default-perfevent*)
	for case in first later end; do
		for answer in eperm enosys trap; do
			refuse "an event" $case $answer
		done
	done
	;;
*) skip "an event per thread" "no event can be opened here" ;;
esac
echo "# $n processes in sandboxes, $bad failed"

# Three calls cannot be inside of the guard, as the manual says. The manual is right.
launcher=
for call in rt_sigprocmask rt_sigaction gettid; do
	one "$sandboxed" first trap "$call"
	is "a trap for $call ends the process" "$said" "status 159"
done

# The list of the manual, compared with the calls that are made

# seen SANDBOXED LAUNCHER CASE ANSWER [NAME...]: write the system calls between the case's marks to
# $scratch/seen, under the names of the manual, and under their own names to $scratch/own.
inject=
seen() {
	program=$1 launcher=$2
	shift 2
	: >"$scratch/trace"
	timeout "$limit" strace -f -qq -e 'trace=!sched_yield' -e signal=none $inject \
		-o "$scratch/trace" \
		$launcher "$program" "$@" >"$scratch/out" 2>&1
	sed -n '/getpriority(/,/getpriority(/p' "$scratch/trace" >"$scratch/marked"
	sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$scratch/marked" |
		grep -Fvx -e getpriority -e write -e exit_group | sort -u >"$scratch/now"
	other_names | awk 'FNR == NR { for (i = 2; i <= NF; i++) of[$i] = $1; next }
		{ print ($1 in of) ? of[$1] : $1 }' - "$scratch/now" | sort -u >"$scratch/seen"
	cat "$scratch/now" >>"$scratch/own"
	cat "$scratch/seen" >>"$scratch/all"
}

# meeting WORD SANDBOXED LAUNCHER ANSWER [NAME...]: the same for threads, one of which waits for
# another in a call that contains WORD. The thread that selects is delayed in a call that it makes
# while it holds the lock. If no other thread came to wait in that time, which a busy machine may
# cause, the delay is made longer.
meeting() {
	word=$1 sandbox=$2 starter=$3
	shift 3
	for delay in 100000 1000000 4000000 16000000; do
		inject="-e inject=sigaltstack:delay_enter=$delay:when=1"
		seen "$sandbox" "$starter" threads "$@"
		inject=
		grep -q "$word" "$scratch/marked" && return
	done
	return 1
}

# only NAME GROUP...: all calls that were seen are in these groups.
only() {
	what=$1
	shift
	listed "$@" >"$scratch/listed"
	is "$what: no call that the manual does not list" \
		"$(grep -Fvx -f "$scratch/listed" "$scratch/seen")" ""
}

cached="First call with a cache"
probing="First call without a cache"
waiting="First call while another"
sending="First call while somebody"
event="First call of a counter over"
ending="End of a thread"

# look LIBC SANDBOXED MAKE-CACHE: look at all kinds of calls of that build.
look() {
	"$3" "$cache"
	for round in "" env; do
		CPUCYCLES_CACHE=$cache CPUCYCLES_COUNTER=
		export CPUCYCLES_CACHE CPUCYCLES_COUNTER
		seen "$2" "$round" first none
		only "$1, cached" "$cached"
		is "$1, cached: it counts" "$(cut -d' ' -f2- "$scratch/out")" "cache used"
		CPUCYCLES_CACHE=none
		seen "$2" "$round" first none
		only "$1, probing" "$cached" "$probing"
		ok "$1, threads: one waits for another" meeting FUTEX_WAIT "$2" "$round" none
		only "$1, threads" "$cached" "$probing" "$waiting"
	done
	for CPUCYCLES_COUNTER in default-syscall default-monotonic default-gettimeofday; do
		seen "$2" "" first none
		only "$1, $CPUCYCLES_COUNTER" "$cached" "$probing"
		seen "$2" "" later none
		only "$1, $CPUCYCLES_COUNTER, later" "Later calls"
	done
	CPUCYCLES_COUNTER=
	seen "$2" "" sent none
	only "$1, sent" "$cached" "$probing" "$sending"
	seen "$2" "" sent enosys rt_sigqueueinfo rt_tgsigqueueinfo
	only "$1, sent otherwise" "$cached" "$probing" "$sending"
	ok "$1, no futex: one waits for another" meeting nanosleep "$2" "" enosys futex
	only "$1, no futex" "$cached" "$probing" "$waiting"
	seen "$2" "" later none
	only "$1, later" "Later calls"
}
: >"$scratch/all"
: >"$scratch/own"
look glibc "$sandboxed" "$programs/make-cache"
launcher="env LD_PRELOAD=$scratch/task-clock.so"
CPUCYCLES_COUNTER=default-perfevent
seen "$sandboxed" "$launcher" first none
only "an event" "$cached" "$probing"
seen "$sandboxed" "$launcher" later none
only "an event, other threads" "$event" "Later calls"
seen "$sandboxed" "$launcher" end none
only "an event, a thread's end" "$ending" "Later calls"
CPUCYCLES_COUNTER=
seen "$sandboxed" "$launcher" first none
only "events that lose" "$cached" "$probing"
seen "$sandboxed" "$launcher" end none
only "events that lose, a thread's end" "$ending" "Later calls"
cp "$cache" "$scratch/foreign"
chown 65534 "$scratch/foreign" 2>/dev/null || echo "# only root can give a file away"
CPUCYCLES_CACHE=$scratch/foreign
seen "$sandboxed" "" first none
only "somebody else's cache" "$cached" "$probing"
mkdir "$scratch/m" && mount -t tmpfs none "$scratch/m" && cp "$cache" "$scratch/m/counters" ||
	exit 99
CPUCYCLES_CACHE=$scratch/m/counters
seen "$sandboxed" "" first none
only "a cache on no block device" "$cached" "$probing"
umount "$scratch/m"
is "perf_event_open is not called with a cache that needs none" \
	"$(CPUCYCLES_CACHE=$cache; seen "$sandboxed" "" first none; grep perf_event_open \
	"$scratch/seen")" ""

# Without the kernel's vDSO, libc's clocks are system calls. strace and the launcher cannot both
# trace the program, so here a call is seen by the fact that it kills the program.
for pair in gettimeofday:default-gettimeofday clock_gettime:default-monotonic; do
	launcher="$scratch/no-vdso" CPUCYCLES_COUNTER=${pair#*:}
	one "$sandboxed" later kill "${pair%:*}"
	case $said in
	*"status 77") skip "no vDSO: ${pair%:*} of $CPUCYCLES_COUNTER" "$(cat "$scratch/err")" ;;
	*) is "no vDSO: ${pair%:*} of $CPUCYCLES_COUNTER" "$said" "status 159" ;;
	esac
	one "$sandboxed" later allow $(listed "Later calls")
	case $said in
	*"status 77") skip "no vDSO: what later calls need is enough" "$(cat "$scratch/err")" ;;
	*) is "no vDSO: what later calls need is enough" "$said" "$CPUCYCLES_COUNTER probe disabled
status 0" ;;
	esac
	echo "${pair%:*}" >>"$scratch/all"
done
CPUCYCLES_COUNTER= launcher=

# Other libcs and another architecture.
# built NAME: look at that build.
built() {
	if ! [ -e "$scratch/$1.built" ]; then
		tail -n 5 "$scratch/$1.log" | sed 's/^/# /'
		skip "$1" "it cannot be built here"
		return
	fi
	"$scratch/$1/tests/lib/make-cache" "$scratch/other" 2>"$scratch/err" || {
		skip "$1" "its programs do not run here: $(head -n 1 "$scratch/err")"
		return
	}
	look "$1" "$scratch/$1/tests/lib/sandboxed" "$scratch/$1/tests/lib/make-cache"
	enough_in "$1"
}

# enough_in BUILD: the calls that the manual lists are enough there too.
enough_in() {
	for case in first threads; do
		CPUCYCLES_CACHE=none
		# shellcheck disable=SC2046 # a list
		one "$scratch/$1/tests/lib/sandboxed" $case allow \
			$(listed "$cached" "$probing" "$waiting" | all_names)
		is "$1, $case, probing: what the manual lists is enough" "${said#* }" \
			"probe disabled
status 0"
		CPUCYCLES_CACHE=$cache
		# shellcheck disable=SC2046 # a list
		one "$scratch/$1/tests/lib/sandboxed" $case allow \
			$(listed "$cached" "$waiting" | all_names)
		is "$1, $case, cached: what the manual lists is enough" "${said#* }" "cache used
status 0"
	done
}
wait
case $builds in *musl*) built musl ;; *) skip "musl" "no musl-gcc" ;; esac
case $builds in *i386*) built i386 ;; *) skip "i386" "no compiler for it, or no machine" ;; esac

# Every call that the manual lists is made.
sort -u "$scratch/all" >"$scratch/seen"
is "each call that the manual lists was seen" "$(echo "$names" | grep -Fvx -f "$scratch/seen")" ""
