# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Runs the calibrator with system calls that fail, or at which it is killed. To be sourced after
# tap.sh and library.sh, with $boot set. Each folder has a cache/counters and an
# etc/persecond.

calibrated=$top_builddir/calibrated/cpucycles-calibrated
strace="strace -f --seccomp-bpf -o /dev/null"
runs_max=240 # seconds; a run takes a twentieth of one

# Whether system calls can be made to fail here. If not, $why tells the reason.
injects() {
	why=
	if sanitized; then
		why="strace and sanitizers don't go together"
	elif ! command -v strace >/dev/null; then
		why="no strace"
	elif ! may $strace -e trace=fsync -e inject=fsync:delay_enter=1 true; then
		why="strace can't trace here, or is older than 5.3: $refused"
	fi
	[ -z "$why" ]
}
# Whether a run can also be killed at them. If not, $why tells the reason.
kills() {
	injects || return
	"$top_builddir/tests/calibrated/kill-at" 0 1000000 "$(command -v cat)" /dev/null \
		2>/dev/null ||
		why="kill-at can't trace here"
	[ -z "$why" ]
}

# A persecond file of the calibrator's, of this boot.
ours() { persecond_file "$1" "$boot" measured; }
whole() {
	head -n 1 "$1" | grep -qx '[1-9][0-9]*' &&
		persecond_file "$(head -n 1 "$1")" "$boot" \
			"$(sed -n '2s/.*, source \([a-z-]*\)$/\1/p' "$1")" | cmp -s - "$1"
}

# The old files. Their number is one that no run finds.
old_files() {
	[ -e "$scratch/old.counters" ] ||
		"$programs/make-cache" "$scratch/old.counters" persecond=1000000001 source=measured
	[ -e "$scratch/old.persecond" ] || ours 1000000001 >"$scratch/old.persecond"
}
# before FOLDER STATE: prepares the folder. With "nothing" it has no files, with "both" the old
# ones.
before() {
	rm -rf "${1:?}/cache" "${1:?}/etc"
	mkdir -p "$1/etc"
	[ "$2" = both ] || return 0
	mkdir "$1/cache"
	cp "$scratch/old.counters" "$1/cache/counters"
	cp "$scratch/old.persecond" "$1/etc/persecond"
}

# run FOLDER WRAPPER...: a whole run under that command. The status is that of timeout(1). The
# subshell hides what the shell prints about signals.
run() {
	at=$1
	shift
	mkdir -p "$at/etc"
	(timeout "$runs_max" "$@" "$calibrated" -B 20 -f -c "$at/cache/counters" \
		-p "$at/etc/persecond" 2>"$at/log"; exit $?) 2>/dev/null
}
# killed FOLDER NUMBER N: a run that is killed at the N-th system call of that number.
killed() { run "$1" "$top_builddir/tests/calibrated/kill-at" "$2" "$3"; }
# failed FOLDER CALL WHAT N [WHOSE]: a run in which WHAT (of strace) happens to the N-th call of
# that name. If WHOSE is "new", only calls on the new cache's file count. Some of them give its
# name, the others its descriptor.
failed() {
	only=
	[ "${5:-}" != new ] || only="-P .counters.new -P $1/cache/.counters.new"
	run "$1" $strace $only -e trace="$2" -e inject="$2:$3:when=$4"
}

# Which file is there: old, new or missing. Any other word is a defect.
cache_is() {
	[ -e "$1/cache/counters" ] || { echo missing; return; }
	cmp -s "$1/cache/counters" "$scratch/old.counters" && { echo old; return; }
	CPUCYCLES_CACHE=$1/cache/counters timeout "$limit" "$programs/show-alone" |
		sed -n 's/^status used/new/p; s/^status //p'
}
persecond_is() {
	[ -e "$1/etc/persecond" ] || { echo missing; return; }
	cmp -s "$1/etc/persecond" "$scratch/old.persecond" && { echo old; return; }
	whole "$1/etc/persecond" && echo new || echo torn
}
# Files left behind. The lock beside a cache belongs there.
left_in() { find "$1" -name '.*' ! -name .counters.lock; }

# On a busy machine a run may print fewer lines, and so make fewer calls of that name. If the call
# was to kill the run, the run is tried again. So is one that does not know the frequency, as it may
# be where nobody else tells it: such a run removes the file of the frequency.
TRIES=10
says_unknown() { grep -q -e "$unknown_words" "$1"; }

# inject FOLDER STATE CALL NUMBER N WHAT [WHOSE], where WHAT is "killed" or a word for strace: a
# run, and one line about it, which ends in "ok" or in what was wrong.
inject() {
	for try in $(seq $TRIES); do
		before "$1" "$2"
		if [ "$6" = killed ]; then
			killed "$1" "$4" "$5"
		else
			failed "$1" "$3" "$6" "$5" "${7:-}"
		fi
		status=$?
		! says_unknown "$1/log" || continue
		[ "$status,$6" != "${status#137},killed" ] || continue
		break
	done
	was="$2 $(cache_is "$1") $(persecond_is "$1")" wrong=
	case $status,$was in
	0,*\ new\ new | 0,*\ new\ missing | 0,both\ new\ old) ;;
	0,*) wrong=" status 0 without a new cache;" ;;
	*,nothing\ missing\ missing | *,nothing\ missing\ new) ;;
	*,both\ old\ old | *,both\ old\ new | *,both\ old\ missing) ;;
	137,*\ new\ new) ;; # behind the last rename
	*) wrong=" files;" ;;
	esac
	case $status,$6 in
	0,* | 137,killed) ;;
	1,*) grep -q '^cpucycles-calibrated: .*: ' "$1/log" || wrong="$wrong says nothing;" ;;
	*) wrong="$wrong status;" ;;
	esac
	for try in $(seq $TRIES); do
		timeout "$runs_max" "$calibrated" -B 20 -c "$1/cache/counters" \
			-p "$1/etc/persecond" 2>"$1/log.next" ||
			wrong="$wrong the next run fails;"
		says_unknown "$1/log.next" || break
	done
	[ "$(cache_is "$1") $(persecond_is "$1")" = "new new" ] && [ -z "$(left_in "$1")" ] ||
		wrong="$wrong not mended;"
	echo "$2 $3 $5 $6: status $status:$was:${wrong:- ok}"
}

# steps FILE STATE: the system calls of a whole run, as lines of CALL NUMBER N WHOSE [M]. WHOSE is
# "loader" for calls before main(), "new" for calls on the new cache's file, "ours" for calls on the
# other files and folders of the run, else "others". The call is the N-th of that name in the run,
# and the M-th on the new cache's file. Of more than six equal calls in a row, only the first, the
# middle and the last are printed.
steps() {
	old_files
	before "$scratch/w" "$2"
	(cd "$scratch/w" && strace -f -n -y -s 0 -o "$scratch/trace" "$calibrated" -B 20 -f \
		-c "$scratch/w/cache/counters" -p "$scratch/w/etc/persecond") 2>/dev/null
	awk -v folder="$scratch/w/" '
		function flush(  i) {
			for (i = 1; i <= n; i++)
				if (n <= 6 || i == 1 || i == n || i == int((n + 1) / 2))
					print row[i]
			n = 0
		}
		NR == 1 { main = $1 }
		# PID [NUMBER] CALL(ARGUMENT...
		$1 != main || !match($0, /\[ *[0-9]+\] [a-z_0-9]+\(/) { next }
		{
			call = substr($0, RSTART + 1, RLENGTH - 2)
			number = call + 0
			sub(/.* /, "", call)
			main_runs = main_runs || /"\/dev\/null"/
			touches = index($0, folder "cache") || index($0, folder "etc")
			whose = index($0, ".counters.new") ? "new" : touches ? "ours" : "others"
			if (!main_runs)
				whose = "loader"
			one_by_one = whose == "ours" || whose == "new"
			error = match($0, /= -1 E[A-Z0-9]+/) ? substr($0, RSTART, RLENGTH) : ""
			what = (call ~ /^clock_/ ? "clock" : call) " " error
			if (one_by_one || what != last)
				flush()
			last = one_by_one ? "" : what
			row[++n] = call " " number " " ++count[call] " " whose
			if (whose == "new")
				row[n] = row[n] " " ++of_new[call]
		}
		END { flush() }' "$scratch/trace" >"$1"
}
