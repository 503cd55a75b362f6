#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# First calls without enough descriptors, memory, stack, files or rights; in programs that are
# traced, emulated or statically linked; and in a library that is loaded and unloaded.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

may_become && may unshare -m mount -t tmpfs none "$scratch" ||
	skip_all "only root can take all of this away: $refused"
[ -e "$top_builddir/lib/.libs/libcpucycles.so.1" ] || skip_all "a build without the shared library"
sandboxed=$programs/sandboxed
measure=$top_builddir/utils/.libs/cpucycles-measure # not the script that libtool puts around it
# Copies, because another user may be unable to enter the build folder.
show=$scratch/show
LD_LIBRARY_PATH=$scratch/lib
export LD_LIBRARY_PATH
mkdir "$LD_LIBRARY_PATH"
install -m 755 "$top_builddir"/lib/.libs/libcpucycles.so.1* "$LD_LIBRARY_PATH"
install -m 755 "$programs/show" "$show"
flags="-O2 -Wall -Wextra -D_GNU_SOURCE -I$top_builddir -I$top_srcdir/lib -I$top_srcdir/include"
if ! { cc $flags -o "$scratch/odd" "$top_srcdir/tests/reliability/odd.c" -ldl -lpthread &&
	cc $flags -o "$scratch/late" "$top_srcdir/tests/reliability/late.c" \
		"$LD_LIBRARY_PATH/libcpucycles.so.1" -lpthread &&
	cc $flags -o "$scratch/late-alone" "$top_srcdir/tests/reliability/late.c" \
		"$top_builddir/lib/.libs/libcpucycles.a" -lpthread &&
	cc $flags -fPIC -shared -o "$scratch/task-clock.so" \
		"$top_srcdir/tests/reliability/task-clock.c" -ldl &&
	cc $flags -static -DCACHE_PATH='"/var/cache/cpucycles/counters"' \
		-DPERSECOND_PATH='"/etc/cpucyclespersecond"' -o "$scratch/alone" \
		"$top_srcdir/tests/lib/show.c" \
		"$top_srcdir/lib/entry.c" "$top_builddir/lib/.libs/libcpucycles-core.a" \
		-lpthread; } 2>"$scratch/err"; then
	sed 's/^/# /' "$scratch/err"
	ok "the programs of this test can be built" false
	exit 0
fi
"$programs/make-cache" "$cache" || skip_all "no cache can be made here"

limit=120
tried=0

# with CACHE COMMAND...: run it with this cache. $said is its status and its output, in one line.
with() {
	tried=$((tried + 1))
	said=$(CPUCYCLES_CACHE=$1; export CPUCYCLES_CACHE; shift
		timeout "$limit" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
		echo "$? $(show_field implementation) $(show_field source) $(show_field status)")
}

# counts NAME STATUS COMMAND...: a first call under this command, with a cache, whose status must be
# STATUS, and without one.
counts() {
	name=$1 status=$2
	shift 2
	if "$@" true >"$scratch/out" 2>"$scratch/err"; then
		counts_as "$name" "$status" "$@" "$show"
	else
		skip "$name" "$(head -n 1 "$scratch/err")"
	fi
}
counts_as() {
	name=$1 status=$2
	shift 2
	with "$cache" "$@"
	is "$name: with a cache" "$(echo "$said" | sed 's/ [^ ]* / /; s/ default-zero .*//')" \
		"0 $([ "$status" = used ] && echo cache || echo probe) $status"
	[ "${said%% *}" = 0 ] || sed 's/^/# /' "$scratch/err" "$scratch/out"
	with none "$@"
	is "$name: without one" "$(echo "$said" | sed 's/ [^ ]* / /; s/ default-zero .*//')" \
		"0 probe disabled"
}

# Limits
for resource in memlock sigpending nproc core rtprio msgqueue; do
	counts "$resource 0" used prlimit --$resource=0:0
done
counts "memlock 0, nobody" used $as_nobody prlimit --memlock=0:0
counts "stack unlimited" used prlimit --stack=unlimited
counts "stack of 64 KiB" used prlimit --stack=65536:65536
counts "addresses not random" used setarch -R
counts "no terminal" used setsid -w
counts "idle" used chrt --idle 0
for condition in closed full; do
	counts_as "$condition" untrusted "$show" $condition
done
for condition in many bare memory "memory full"; do
	case $condition in *full) status=untrusted ;; *) status=used ;; esac
	# shellcheck disable=SC2086 # words
	counts_as "$condition" $status "$show" $condition
done
# A real event, in a thread that may map no further page or open no further descriptor.
for condition in memory full closed ""; do
	# shellcheck disable=SC2086 # words, or none
	CPUCYCLES_COUNTER=default-perfevent LD_PRELOAD=$scratch/task-clock.so with none "$show" \
		$condition
	is "an event: ${condition:-nothing missing}" "${said%% *} ${said##* }" "0 disabled"
	echo "# $said"
done
group=
for folder in /sys/fs/cgroup/pids /sys/fs/cgroup; do
	[ -z "$group" ] && [ -e $folder/cgroup.procs ] && mkdir $folder/cpucycles-test.$$ &&
		group=$folder/cpucycles-test.$$
done 2>/dev/null
if [ -z "$group" ] || [ ! -e "$group/pids.max" ]; then
	skip "a group of one process" "no control group of pids"
else
	echo 1 >"$group/pids.max"
	counts_as "a group of one process" used sh -c 'echo $$ >"$2/cgroup.procs" && exec "$1"' sh \
		"$show" "$group"
fi
[ -z "$group" ] || rmdir "$group"

# Stacks
for size in 0 16384 20480 32768; do
	for CPUCYCLES_CACHE in "$cache" none; do
		export CPUCYCLES_CACHE
		"$scratch/odd" stack $size >"$scratch/out" 2>&1
		is "a thread with a stack of $size bytes, ${CPUCYCLES_CACHE##*/}" $? 0
		sed 's/^/# /' "$scratch/out"
	done
done
unset CPUCYCLES_CACHE

# Files and rights
counts "a user's namespace" used unshare -U
counts "a namespace of its root" used unshare -U -r
counts "all namespaces" used unshare -U -r -m -p -f -i -n -u
counts_as "everything read-only" used unshare -m sh -c 'mount --make-rprivate / &&
	for at in $(cut -d" " -f5 /proc/self/mountinfo); do
		mount -o remount,bind,ro "$at" 2>/dev/null
	done
	! touch "$2/written" 2>/dev/null && exec "$1"' sh "$show" "$scratch"
counts_as "no /proc, no /sys" stale-boot unshare -m sh \
	-c 'mount -t tmpfs none /proc && mount -t tmpfs none /sys && exec "$1"' sh "$show"
counts_as "linked in one piece" used "$scratch/alone"
# A root with nothing but the program and the cache.
mkdir -p "$scratch/root$scratch" && cp "$scratch/alone" "$scratch/root/alone" &&
	cp "$cache" "$scratch/root$cache"
counts_as "a root with nothing in it" stale-boot chroot "$scratch/root" /alone
for condition in closed memory full block sigsys; do
	with none chroot "$scratch/root" /alone $condition
	is "a root with nothing in it, $condition" "${said%% *} ${said##* }" "0 disabled"
done

# Tracers
if command -v valgrind >/dev/null; then
	# Valgrind emulates another CPU, whose CPUID differs.
	counts_as "memcheck" stale-machine valgrind -q --error-exitcode=9 --leak-check=full \
		--exit-on-first-error=yes "$show"
	# 0 and 1: measured, without and with a warning.
	if [ -x "$measure" ]; then
		status=0
		valgrind -q --error-exitcode=9 "$measure" --check \
			>"$scratch/measured" 2>&1 || status=$?
		[ "$status" -le 1 ] || sed 's/^/# /' "$scratch/measured"
		ok "memcheck: a meter" test "$status" -le 1
	else
		skip "memcheck: a meter" "libcpucycles-measure is not built"
	fi
	# What four threads do in any order is no race, as cpucycles-process(7) says.
	for tool in helgrind drd; do
		for late in late late-alone; do
			name="$tool: first calls in four threads, $late"
			if grep -q '^#define HAVE_VALGRIND_DRD_H 1' "$top_builddir/config.h"; then
				CPUCYCLES_CACHE=none timeout "$limit" valgrind -q --tool=$tool \
					--suppressions="$top_srcdir/lib/cpucycles.supp" \
					--error-exitcode=9 "$scratch/$late" >"$scratch/checked" 2>&1
				status=$?
				[ $status = 0 ] || sed 's/^/# /' "$scratch/checked" | head -n 40
				is "$name" $status 0
			else
				skip "$name" "built without valgrind's headers"
			fi
		done
	done
else
	skip "memcheck" "no valgrind"
	skip "memcheck: a meter" "no valgrind"
	skip "helgrind and drd" "no valgrind"
fi
# ThreadSanitizer, with the line that cpucycles-process(7) has for the shared library.
sed -n 's/^\.Dl \(called_from_lib:\)/\1/p' "$top_srcdir/doc/cpucycles-process.7" \
	>"$scratch/suppressions"
name="ThreadSanitizer: first calls in four threads"
if cc $flags -fsanitize=thread -o "$scratch/late-checked" \
	"$top_srcdir/tests/reliability/late.c" "$LD_LIBRARY_PATH/libcpucycles.so.1" -lpthread \
	2>"$scratch/checked"; then
	status=0
	CPUCYCLES_CACHE=none TSAN_OPTIONS=suppressions=$scratch/suppressions \
		timeout "$limit" "$scratch/late-checked" >"$scratch/checked" 2>&1 || status=$?
	if grep -q '^FATAL: ThreadSanitizer' "$scratch/checked"; then
		skip "$name" "it does not run on this kernel"
	else
		is "$name" "$status $(grep -A 9 WARNING: "$scratch/checked")" "0 "
	fi
else
	skip "$name" "it is not there: $(head -n 1 "$scratch/checked")"
fi
if command -v gdb >/dev/null; then
	# gdb stops at the faults of a probe, and then passes the signals on.
	cat >"$scratch/to-the-end.gdb" <<-'END'
		run
		while $_isvoid($_exitcode)
			continue
		end
		quit $_exitcode
	END
	counts_as "under gdb" used gdb -q -batch -x "$scratch/to-the-end.gdb" --args "$show"
	with none gdb -q -batch -ex 'handle all nostop pass noprint' -ex run -ex 'quit $_exitcode' \
		--args "$show" block
	is "under gdb, all signals blocked" "${said%% *} ${said##* }" "0 disabled"
else
	skip "under gdb" "no gdb"
fi
for CPUCYCLES_CACHE in "$cache" none; do
	export CPUCYCLES_CACHE
	timeout "$limit" "$scratch/odd" stepped "$sandboxed" first none >"$scratch/out" 2>&1
	is "step by step, ${CPUCYCLES_CACHE##*/}" $? 0
	sed 's/^/# /' "$scratch/out"
	failed=0 i=0 stops=0
	while [ $i -lt 100 ]; do
		timeout "$limit" "$scratch/odd" stopped "$sandboxed" \
			$([ $((i % 2)) = 0 ] && echo first || echo threads) none \
			>"$scratch/out" 2>&1 ||
			{ failed=$((failed + 1)); sed 's/^/# /' "$scratch/out"; }
		stops=$((stops + $(sed -n 's/ stops$//p' "$scratch/out")))
		i=$((i + 1))
	done
	is "100 processes that a tracer stops $stops times, ${CPUCYCLES_CACHE##*/}" $failed 0
	ok "it did" test $stops -gt 100
done
unset CPUCYCLES_CACHE

# Loading and unloading
for preload in "" "$scratch/task-clock.so"; do
	LD_PRELOAD=$preload CPUCYCLES_COUNTER=${preload:+default-perfevent} timeout "$limit" \
		"$scratch/odd" dlopen "$LD_LIBRARY_PATH/libcpucycles.so.1" 1000 >"$scratch/out" 2>&1
	is "loaded and unloaded 1000 times${preload:+, with events}" $? 0
	sed 's/^/# /' "$scratch/out"
done
echo "# $tried processes and those above"
