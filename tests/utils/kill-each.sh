# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Runs of cpucycles-open that are killed before each system call, from the first look at the record
# on. Two shells source this: the script, for can_kill and judge_killed, and the lines that it runs
# in a mount namespace, for the rest. These lines have set $root, $run and $scratch.

traced() { ASAN_OPTIONS=detect_leaks=0 strace -o "$@"; }

can_kill() { may traced "$scratch/trace" true && [ -s "$scratch/trace" ]; }

# instants: these system calls as strace counts them, NAME:when=N. Not those of the look at all
# processes, which may be thousands.
instants() {
	awk -F'(' '/^[a-z0-9_]+\(/ {
		n[$1]++
		if (/cpucycles/ && /O_DIRECTORY/)
			on = 1
		if (/"\/proc\/"/)
			looks = 1
		if (/default_smp_affinity/)
			looks = 0
		if (on && !looks)
			print $1 ":signal=KILL:when=" n[$1]
	}' "$scratch/trace"
}

# kill_each RESET BEFORE AFTER RECORD WHAT OPTIONS...: for each system call, RESET the machine, do
# WHAT, run the program, kill it, and put back. BEFORE and AFTER are words of state.
killed=0 halfway=0
kill_each() {
	reset=$1 before=$2 after=$3 kept=$run/cpucycles/$4 what=$5
	shift 5
	$reset
	$what
	traced "$scratch/trace" chroot "$root" /open "$@" >/dev/null 2>&1
	calls=$(instants)
	echo "# $*: $(echo "$calls" | wc -l) system calls"
	for call in $calls; do
		rm -rf "$run/cpucycles"
		$reset
		$what
		traced /dev/null -e inject=$call chroot "$root" /open "$@" >/dev/null 2>&1
		[ $? = 137 ] && killed=$((killed + 1))
		case $(state) in "$before" | "$after") ;; *) halfway=$((halfway + 1)) ;; esac
		chroot "$root" /open --restore >/dev/null 2>&1 ||
			echo "bad: $*: killed at $call: restore fails with $?"
		[ "$(state)" = "$before" ] || echo "bad: $*: killed at $call: $(state)"
		[ -e "$kept" ] && echo "bad: $*: killed at $call: a record is left"
	done
}

# done_killing LEAST HALFWAY: the last of the lines. That many runs were killed, and more than
# HALFWAY between two settings.
done_killing() {
	echo "# $killed were killed, $halfway between two settings"
	[ $killed -gt "$1" ] && [ $halfway -gt "$2" ] && echo "killed enough"
	echo "done"
}

judge_killed() {
	grep '^#' "$scratch/out"
	ok "killed at every system call: the loop came to its end" said "done"
	ok "killed often, also between the settings" said "killed enough"
	is "whenever it is killed, --restore puts all back" "$(grep '^bad' "$scratch/out")" ""
}
