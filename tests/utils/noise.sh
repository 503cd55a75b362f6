#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-info --noise names who takes the time of programs. What else runs here is up to the
# machine, so the test makes its own disturbance the largest one.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/inside.sh"
. "$top_srcdir/tests/utils/common.sh"

# The errors of the command line.
refused() {
	run "$@"
	is "$*: refused in one line" "$status $(said | grep -c .) $(cat "$scratch/out")" "2 1 "
}
refused --noise --cache
refused --noise --metrics
refused --noise --samples noise
refused --noise --seconds 0
run --help
ok "--help has it" grep -q -e ' --noise ' "$scratch/out"

number='[0-9]+\.[0-9]+'
causes='other programs|the host|interrupts|a quota|frequency|throttling|idle states'
causes="$causes|a neighbour on the core|shared memory|migration|unexplained"

# form: each line of the output has the form that cpucycles-info(1) describes.
form() {
	head="lost $number% of the time on [0-9]+ of [0-9]+ CPUs in $number seconds"
	! grep -vE -e "^cpucycles noise $head, longest gap $number ms\$" \
		-e "^cpucycles noise $number% ($causes): ." \
		-e "^cpucycles noise of the rest of the time, in which nothing took the CPU:\$" \
		-e '^    helps: .' -e "^cpucycles noise not seen: ($causes)(, ($causes))*\$" \
		-e "^cpucycles noise not known: ($causes) \(.*\)\$" "$scratch/out"
}
# first: the cause that the first line names. of CAUSE: its line.
first() { sed -nE "s/^cpucycles noise $number% ($causes): .*/\1/p" "$scratch/out" | head -n 1; }
of() { sed -n "s/^cpucycles noise [0-9.]*% $1: //p" "$scratch/out"; }

run --noise -s 1
is "it succeeds" "$status $(said)" "0 "
ok "the form" form
# Those of gaps, and those of the rest of the time, which come behind their own line.
for part in '/of the rest of/,$d' '1,/of the rest of/d'; do
	sed -e "$part" -e '/unexplained/d' "$scratch/out" |
		sed -n 's/^cpucycles noise \([0-9.]*\)% .*/\1/p' >"$scratch/shares"
	ok "the lines are sorted: $part" sort -rnc "$scratch/shares"
done

run --noise --json -s 1
if [ "$status" = 2 ]; then
	skip "JSON" "built without jansson"
else
	is "JSON: the causes" "$(sed -n 's/^      "cause": "\(.*\)",/\1/p' "$scratch/out" | sort |
		grep -xE 'host|interrupts|migration|programs|quota|unexplained' | tr '\n' ' ')" \
		"host interrupts migration programs quota unexplained "
	is "JSON: of which time the shares are" "$(grep -o '"of": .*' "$scratch/out" | sort |
		uniq -c |
		tr -d ' \n')" '5"of":"rest",6"of":"time",'
	ok "JSON: few digits" not grep -qE '\.[0-9]{10}' "$scratch/out"
	ok "JSON: a CPU's gaps" test "$("$json_get" cpus 0 lost_ns <"$scratch/out")" -ge 0
fi

# One CPU, on which four programs are busy. They are ended by their numbers.
cpu=$(taskset -cp $$ 2>/dev/null | sed -n 's/.*: \([0-9]*\).*/\1/p')
busy=
end_busy() {
	# shellcheck disable=SC2086 # numbers
	[ -z "$busy" ] || kill $busy
	busy=
}
trap 'end_busy; tap_end' EXIT
keep_busy() {
	for _ in 1 2 3 4; do
		taskset -c "$cpu" sh -c 'while :; do :; done' &
		busy="$busy $!"
	done
}
# ours: the line has the number of a busy program.
ours() {
	for number_of in $busy; do
		! of "other programs" | grep -q "($number_of)" || return 0
	done
	return 1
}
# names_ours COMMAND...: the first cause is other programs, and ours are among them. Another program
# that runs on all CPUs may have run longer.
names_ours() {
	for _ in 1 2 3 4 5; do
		capture taskset -c "$cpu" "$@"
		if [ "$(first)" = "other programs" ] && ours; then return 0; fi
	done
	sed 's/^/# /' "$scratch/out"
	return 1
}
if [ -z "$cpu" ]; then
	skip "busy programs" "taskset cannot tell on which CPUs this process may run"
else
	keep_busy
	ok "busy programs are named first, with their numbers" names_ours "$info" --noise -s 1
	ok "a CPU set of one" grep -q ' on 1 of 1 CPUs ' "$scratch/out"
	if may_become; then
		install -m 755 "$info" "$scratch/info"
		# shellcheck disable=SC2086 # a command
		ok "an ordinary user is told the same" \
			names_ours $as_nobody "$scratch/info" --noise -s 1
	else
		skip "an ordinary user" "$refused"
	fi
	end_busy
fi

# allowed PID: the CPUs on which it may run, or nothing once it has ended.
allowed() { taskset -cp "$1" 2>/dev/null | sed 's/.*: //'; }
# move_all_the_time: run it. As soon as it is not pinned any more, move it from CPU to CPU and back,
# as a scheduler does that has many programs.
move_all_the_time() {
	"$info" --noise -s 4 >"$scratch/out" 2>&1 </dev/null &
	moved=$! pinned=
	while list=$(allowed $moved) && [ -n "$list" ]; do
		[ "$list" != "$all" ] || [ -z "$pinned" ] || break
		[ "$list" = "$all" ] || pinned=yes
	done
	for _ in $(seq 20); do
		taskset -cp "$one" $moved
		taskset -cp "$other" $moved
	done >"$scratch/moves" 2>&1
	wait $moved
}
# names_moves: migration is named, with more moves than chance makes.
names_moves() {
	for _ in 1 2 3; do
		move_all_the_time
		if has "cpucycles noise $number% migration: moved [0-9][0-9]+ times in .*"; then
			return 0
		fi
	done
	sed 's/^/# /' "$scratch/out"
	return 1
}
all=$(allowed $$)
one=${all%%[-,]*} other=${all##*[-,]}
if [ "$one" = "$other" ]; then
	skip "moves to other CPUs" "this process may use one CPU only, or taskset cannot tell"
else
	ok "moves to other CPUs are named" names_moves
	ok "and the command that prevents them" grep -qx '    helps: taskset -c [0-9]* COMMAND' \
		"$scratch/out"
fi

# A quota of a twentieth, by a group of either version.
group=
for folder in /sys/fs/cgroup /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct; do
	made=$folder/cpucycles-test-$$
	{ mkdir "$made"; } 2>/dev/null || continue
	if { [ -e "$made/cpu.max" ] && echo "5000 100000" >"$made/cpu.max"; } ||
		{ [ -e "$made/cpu.cfs_quota_us" ] && echo 5000 >"$made/cpu.cfs_quota_us"; }; then
		group=$made
		break
	fi 2>/dev/null
	rmdir "$made"
done
if [ -n "$group" ]; then
	capture sh -c "echo \$\$ >'$group/cgroup.procs' && exec '$info' --noise -s 2"
	is "a quota is named first" "$(first)" "a quota"
	ok "with what it allows" \
		has "cpucycles noise $number% a quota: this cgroup may use 0\.05 .*"
	ok "and with the command that lifts it" grep -q "^    helps: .*$group/cpu" "$scratch/out"
	if command -v unshare >/dev/null && unshare -C true 2>/dev/null; then
		capture sh -c "echo \$\$ >'$group/cgroup.procs' &&
			exec unshare -C '$info' --noise -s 1"
		ok "a cgroup namespace that sees groups of others only: no quota is known" \
			has 'cpucycles noise not known: .*a quota \(.*'
		ok "and it is blamed beside other programs" \
			has '.*, for other programs or a quota.*'
	else
		skip "a cgroup namespace" "this process may not make one"
	fi
	rmdir "$group"
else
	skip "a quota" "this process may not make a cgroup with a limit"
fi

# The walks in memory need more than this group grants: they would end the process.
# A sanitizer needs more by itself.
limited=
case $CFLAGS in *-fsanitize*) folders= ;; *) folders="/sys/fs/cgroup /sys/fs/cgroup/memory" ;; esac
for folder in $folders; do
	made=$folder/cpucycles-test-$$
	{ mkdir "$made"; } 2>/dev/null || continue
	for limit in memory.max memory.limit_in_bytes; do
		[ -e "$made/$limit" ] && echo 50331648 >"$made/$limit" && limited=$made
	done 2>/dev/null
	[ -z "$limited" ] || break
	rmdir "$made"
done
if [ -n "$limited" ]; then
	capture sh -c "echo \$\$ >'$limited/cgroup.procs' && exec '$info' --noise -s 1"
	is "little memory: it succeeds" "$status" 0
	ok "little memory: the walks are left out" \
		has 'cpucycles noise not known: .*shared memory \(.* too little memory\).*'
	rmdir "$limited"
else
	skip "little memory" "this process may not make a cgroup with a limit"
fi

# Without /proc the tool says what it cannot know. A sanitizer needs /proc, to look for leaks.
case $CFLAGS in
*-fsanitize*) refused="a sanitizer needs it" ;;
*) may_mount /proc && mounts=yes ;;
esac
if [ "${mounts-}" ]; then
	# shellcheck disable=SC2086 # a command
	capture $unshare sh -c "mount -t tmpfs none /proc && exec '$info' --noise -s 1"
	is "without /proc: it succeeds" "$status" 0
	ok "without /proc: interrupts and a quota are not known" \
		has 'cpucycles noise not known: .*interrupts \(/proc/interrupts cannot be read\).*'
	is "without /proc: no interrupt is named" "$(of interrupts)" ""
	# Files that lie: more than any machine has, columns that lack, and no text at all.
	# shellcheck disable=SC2086 # a command
	capture $unshare sh -c "mount -t tmpfs none /proc && mkdir /proc/thread-self /proc/self &&
		echo 'cpu0 1 1 1 1 1 1 1 99999999999999999999' >/proc/stat &&
		printf 'CPU0 CPU1\nLOC: 18446744073709551615\n\377\376\n' >/proc/interrupts &&
		echo '1 18446744073709551614' >/proc/thread-self/schedstat &&
		printf '0::/../../../../etc\n' >/proc/self/cgroup &&
		exec '$info' --noise -s 1"
	is "a lying /proc: it succeeds" "$status $(said)" "0 "
	ok "a lying /proc: the form" form
else
	skip "without /proc" "$refused"
fi

# A lxcfs in a container: its files are of the container, and it may hang. They are not read.
run_inside "info='$info'" <<'EOF'
hang 3 /proc/stat
timeout -k 30 -s INT 60 "$info" --noise -s 1
echo "status $?"
EOF
shows "lxcfs: it is not waited for" grep -q '^status 0$' "$scratch/out"
unread='(not known: .*the host \(|[0-9.]*% the host: .*)/proc/stat cannot be read'
shows "lxcfs: the host is not known" grep -qE "^cpucycles noise $unread" "$scratch/out"
