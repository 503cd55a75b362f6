#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A program with more rights than the user who started it ignores the environment.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

sanitized && skip_all "sanitizers do not run set-id"

may_set_id || skip_all "$refused"
cp "$programs/show-alone" "$scratch/plain"
chmod 755 "$scratch/plain"

# The default cache of this build must not matter here.
run() {
	timeout "$limit" $as_nobody "$@" >"$scratch/out" 2>"$scratch/err" ||
		echo "status $?" >>"$scratch/out"
}
run "$scratch/plain"
expected=$(cat "$scratch/out")
expected=$(twin "$(show_field implementation)")

# listens PROGRAM: the variables that it obeys.
listens() {
	listens_to=
	run "$1" # which may see a default cache that nobody does not
	listens_status=$(show_field status)
	CPUCYCLES_COUNTER=default-monotonic run "$1"
	[ "$(show_field implementation)" != default-monotonic ] || listens_to="$listens_to counter"
	CPUCYCLES_CACHE=none run "$1"
	[ "$(show_field status)" = "$listens_status" ] || listens_to="$listens_to none"
	CPUCYCLES_CACHE=$cache run "$1"
	[ "$(show_field implementation)" != default-gettimeofday ] || listens_to="$listens_to cache"
	echo $listens_to
}
"$programs/make-cache" "$cache" only=default-gettimeofday || skip_all "no cache can be made here"
is "without more rights all are obeyed" "$(listens "$scratch/plain")" "counter none cache"

cp "$scratch/plain" "$scratch/setuid"
chmod 4755 "$scratch/setuid"
is "set-uid: none is" "$(listens "$scratch/setuid")" ""
run "$scratch/setuid"
is "set-uid: the counter of a probe" "$(twin "$(show_field implementation)")" "$expected"

cp "$scratch/plain" "$scratch/setgid"
chgrp 0 "$scratch/setgid" && chmod 2755 "$scratch/setgid"
is "set-gid: none is" "$(listens "$scratch/setgid")" ""

cp "$scratch/plain" "$scratch/capable"
if setcap cap_net_raw+ep "$scratch/capable" 2>"$scratch/err"; then
	is "file capabilities: none is" "$(listens "$scratch/capable")" ""
else
	skip "file capabilities: none is" "setcap: $(head -n 1 "$scratch/err")"
fi

# The environment is the last source of the frequency, so the machine's own sources are removed.
# told PROGRAM: the source of its frequency.
told() {
	cpucyclespersecond=1234567890 timeout "$limit" unshare -m sh -c '
		mount --bind /dev/null /proc/cpuinfo && mount -t tmpfs none /sys && exec "$@"' \
		sh $as_nobody "$1" >"$scratch/out" 2>"$scratch/err"
	show_field persecond-source
}
if [ "$(told "$scratch/plain")" != environment ]; then
	skip "cpucyclespersecond" \
		"it does not count here: $(show_field persecond-source) $(head -n 1 "$scratch/err")"
else
	for rights in setuid setgid; do
		source=$(told "$scratch/$rights")
		ok "$rights: not cpucyclespersecond, but $source" test -n "$source" -a "$source" \
			!= environment
	done
fi
