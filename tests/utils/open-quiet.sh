#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-open --quiet as it is installed, in a root folder of its own with a made /sys and a made
# /proc/irq, so that the settings of this machine stay as they are.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/inside.sh"
. "$top_srcdir/tests/utils/kill-each.sh"

open=$top_builddir/utils/cpucycles-open
root=$scratch/root
record=$runstatedir/cpucycles/quiet

run() { capture "$open" "$@"; }

for bad in "--cpu=0" "--quiet --cpu=x" "--quiet --cpu=8191" "--quiet --cpu=-1" "--quiet --restore" \
	"--quiet --print-sysctl" "--quiet --check -- true" "--quiet --dry-run -- true" \
	"--restore -- true" "--quiet --"; do
	run $bad
	is "$bad is a usage error" "$status" 2
	is "$bad: one line, of this program" "$(sed 's/:.*//' "$scratch/err")" cpucycles-open
	is "$bad: no output" "$(cat "$scratch/out")" ""
done
for option in --restore --print-sysctl; do
	run --quiet $option
	is "--quiet $option: both are named" "$(cat "$scratch/err")" \
		"cpucycles-open: --quiet: not together with $option"
done
if [ "$(id -u)" != 0 ]; then
	run --quiet
	is "without root" "$status" 1
	run --quiet -- true
	is "without root, with a command" "$status" 125
	skip "the rest" "needs root to mount"
	exit 0
fi
mkdir "$root"
may unshare -m mount -t tmpfs none "$root" || skip_all "$refused"
# A command gets its user's groups.
[ "$(cat /proc/self/setgroups 2>/dev/null)" != deny ] ||
	skip_all "in this namespace root may not choose groups"
movers=$(cat /proc/[0-9]*/comm 2>/dev/null | grep -x -e irqbalance -e tuned | sort -u)
[ -z "$movers" ] || skip_all "on this machine runs" $movers
cpu=$(awk '/^Cpus_allowed_list/ { sub(".*[-,\t]", ""); print }' /proc/self/status)
[ "$cpu" -gt 0 ] && [ "$cpu" -lt 32 ] || skip_all "CPU $cpu is none of 1 to 31"

# surroundings SIZE: the first lines of each run. The record's folder has this size.
surroundings() {
	cat <<END
root='$root' open='$open' run='$root$runstatedir' cpu=$cpu scratch='$scratch'
END
	cat <<'END'
needed mount -t tmpfs none "$root"
for folder in /bin /sbin /lib /lib32 /lib64 /usr /etc; do
	[ -e $folder ] || continue
	if [ -L $folder ]; then
		cp -P $folder "$root$folder"
	else
		mkdir "$root$folder"
		needed mount --rbind $folder "$root$folder"
	fi
done
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$run"
chmod 1777 "$root/tmp"
cp "$open" "$root/open"
needed mount --rbind /proc "$root/proc"
needed mount -t tmpfs none "$root/proc/irq"
: >"$root/dev/null"
needed mount --bind /dev/null "$root/dev/null"
: >"$root/dev/cpu_dma_latency"
system=$root/sys/devices/system/cpu
mask=$(printf %x $((1 << cpu | 1))) only=$(printf %0${#mask}x $((1 << cpu)))
rest=$(printf %0${#mask}x 1)
numa=$root/proc/sys/kernel/numa_balancing balancing=0
if [ -e "$numa" ]; then
	echo >"$scratch/numa"
	needed mount --bind "$scratch/numa" "$numa"
else
	numa=$root/numa balancing=1
fi
made() {
	rm -rf "$system" "$root"/proc/irq/*
	echo 1 >"$numa"
	for policy in policy0 policy1; do
		mkdir -p "$system/cpufreq/$policy"
		echo performance interactive powersave \
			>"$system/cpufreq/$policy/scaling_available_governors"
	done
	# As long as "performance": a write to a file that is none of the kernel's does not cut it.
	echo interactive >"$system/cpufreq/policy0/scaling_governor"
	echo interactive >"$system/cpufreq/policy1/scaling_governor"
	echo 1 >"$system/cpufreq/boost"
	mkdir "$system/intel_pstate"
	echo 0 >"$system/intel_pstate/no_turbo"
	mkdir "$root/proc/irq/1" "$root/proc/irq/2" "$root/proc/irq/3"
	echo $mask >"$root/proc/irq/default_smp_affinity"
	echo $mask >"$root/proc/irq/1/smp_affinity"
	echo $only >"$root/proc/irq/2/smp_affinity"
	echo $rest >"$root/proc/irq/3/smp_affinity"
}
# By the shell itself, without a process, because the loops below do it a thousand times.
files="$system/cpufreq/policy0/scaling_governor $system/cpufreq/policy1/scaling_governor
	$system/cpufreq/boost $system/intel_pstate/no_turbo $root/proc/irq/1/smp_affinity
	$root/proc/irq/2/smp_affinity $root/proc/irq/3/smp_affinity $numa"
values() {
	set --
	for file in $files; do
		read -r value <"$file"
		set -- "$@" "$value"
	done
	echo "$*"
}
loud="interactive interactive 1 0 $mask $only $rest 1"
quiet="performance performance 0 1 $rest $rest $rest $balancing"
state() {
	case $(values) in
	"$loud") echo loud ;;
	"$quiet") echo quiet ;;
	*) values ;;
	esac
}
open() { chroot "$root" /open "$@"; echo "$* status $? $(state)"; }
leftovers() { echo "left:" $(ls -A "$run/cpucycles"); }
made
END
	echo "needed mount -t tmpfs -o mode=755,size=$1 none \"\$run\""
}
inside() { run_inside "$(surroundings "${1:-256k}")"; }
said() { grep -q -x -E -e "$1" "$scratch/out" || { sed 's/^/# /' "$scratch/out"; return 1; }; }

inside </dev/null
[ -z "$refused" ] || skip_all "the kernel's files cannot be covered here: $refused"

governor=/sys/devices/system/cpu/cpufreq/policy0/scaling_governor
inside <<'EOF'
open --quiet --check
open --quiet --dry-run
[ -e "$run/cpucycles" ] || echo "no folder"
open --quiet
cat "$run/cpucycles/quiet"
leftovers
open --quiet --check
if grep -q '^Cpus_allowed_list:.0' /proc/self/status; then
	open --quiet --cpu=0
fi
open --quiet
open --restore --dry-run
open --restore
leftovers
EOF
ok "--check: a setting that is not quiet" said "$governor: interactive: not quiet"
ok "--check: status" said "--quiet --check status 5 loud"
ok "--dry-run: old, new and gain" said "$governor: interactive -> performance: the frequency .*"
ok "--dry-run names the CPU" said "CPU $cpu: the one that is to be quiet"
ok "--dry-run changes nothing" said "--quiet --dry-run status 0 loud"
ok "and makes no folder" said "no folder"
ok "--quiet makes quiet" said "--quiet status 0 quiet"
ok "it says what it wrote" said "cpucycles-open: $governor: interactive -> performance"
ok "the record has what was found" said "knob $governor found interactive wrote performance"
ok "and nothing lies beside it" said "left: quiet"
ok "--check: who made it quiet" \
	said "$governor: performance: quiet by cpucycles-open, which found interactive"
ok "--check: status when all is quiet" said "--quiet --check status 0 quiet"
is "another CPU can be quiet instead" \
	"$(grep -c -e '--quiet --cpu=0 status 0 performance performance 0 1 ' "$scratch/out")" \
	"$(grep -c '^Cpus_allowed_list:.0' /proc/self/status)"
is "a second run makes it quiet again" "$(grep -c -x -e '--quiet status 0 quiet' "$scratch/out")" 2
ok "--restore --dry-run says what it would write" \
	said "$governor: performance -> interactive: as it was found"
ok "--restore --dry-run changes nothing" said "--restore --dry-run status 0 quiet"
ok "--restore puts all back" said "--restore status 0 loud"
ok "nothing is left beside" said "left:"

# What cannot be changed, or is not to be.
inside <<'EOF'
echo powersave interactive >"$system/cpufreq/policy1/scaling_available_governors"
open --quiet
open --restore
made
echo userspace >"$system/cpufreq/policy1/scaling_governor"
open --quiet
open --restore
made
chmod 444 "$root/proc/irq/1/smp_affinity"
open --quiet
cat "$run/cpucycles/quiet"
open --restore
EOF
ok "no governor performance: left" said "cpucycles-open: ${governor%0/*}1/scaling_governor: left: \
this policy does not know the governor performance"
ok "no governor performance: the rest is quiet" said "--quiet status 0 performance interactive 0 .*"
ok "and is put back" said "--restore status 0 loud"
ok "a frequency that somebody chose is left" said "--quiet status 0 performance userspace 0 .*"
ok "interrupts: one line" said "cpucycles-open: interrupts: 2 moved from CPU $cpu"
ok "interrupts: one line when they are put back" said "cpucycles-open: interrupts: 2 moved back"
ok "an interrupt that stays is in the line" \
	said "cpucycles-open: interrupts: 1 moved from CPU $cpu; 1 cannot be moved: 1"
is "an interrupt that stays is not recorded" "$(grep -c '^knob .*irq/1/' "$scratch/out")" 0
is "an interrupt that stays is no failure" "$(grep -c -e '^--.* status [1-9]' "$scratch/out")" 0

# As in a container.
inside <<'EOF'
needed mount --bind "$root/proc/irq/1/smp_affinity" "$root/proc/irq/1/smp_affinity"
needed mount -o remount,bind,ro "$root/proc/irq/1/smp_affinity"
open --quiet -- echo ran
umount "$root/proc/irq/1/smp_affinity"
EOF
shows "a read-only interrupt: the message" \
	said "cpucycles-open: /proc/irq/1/smp_affinity: 0*1 cannot be written: Read-only.*"
shows "a read-only interrupt: the command is not run" said "--quiet -- echo ran status 125 loud"

# Boost of each policy. And the same with a program that moves interrupts.
inside <<'EOF'
echo 1 >"$system/cpufreq/policy0/boost"
echo 0 >"$system/cpufreq/policy1/boost"
cp "$(command -v sleep)" "$scratch/irqbalance"
"$scratch/irqbalance" 600 &
while [ "$(cat /proc/$!/comm)" != irqbalance ]; do sleep 0.1; done
open --quiet --dry-run
open --quiet
echo "boost $(cat "$system/cpufreq/policy0/boost" "$system/cpufreq/boost" | tr '\n' ' ')"
open --restore
echo "boost $(cat "$system/cpufreq/policy0/boost" "$system/cpufreq/policy1/boost" | tr '\n' ' ')"
kill $!
wait $!
EOF
ok "where policies have boost, theirs is changed" said "boost 0 1 "
ok "and put back" said "boost 1 0 "
ok "irqbalance is named" said "cpucycles-open: /proc/irq/\*/smp_affinity: left: irqbalance runs \
\(process [0-9]*\) and moves them itself"
ok "also by --dry-run" said "/proc/irq/\*/smp_affinity: left: irqbalance runs .*"
is "and no interrupt is moved" "$(grep -c 'irq/[0-9]' "$scratch/out")" 0

# If the record cannot be written or read, nothing is changed, and the command does not run.
inside 64k <<'EOF'
mkdir "$run/cpucycles"
dd if=/dev/zero of="$run/fill" bs=4k 2>/dev/null
open --quiet
open --quiet -- echo ran
leftovers
rm "$run/fill"
echo "cpucycles-opened 2" >"$run/cpucycles/quiet"
open --quiet
open --quiet -- echo ran
open --restore
EOF
ok "a full /run: nothing is changed" said "--quiet status 1 loud"
ok "a full /run: the message" \
	said "cpucycles-open: $record: No space left on device: nothing was changed"
ok "a full /run: nothing is left" said "left:"
refuses="not as cpucycles-open writes it: nothing was changed"
ok "another version: the message" said "cpucycles-open: $record:1: $refuses"
ok "another version: nothing is put back" said "--restore status 1 loud"
is "both keep the command from running" \
	"$(grep -c -x -e ran -e '--quiet -- echo ran status 125 loud' "$scratch/out")" 2

# Commands.
inside <<'EOF'
export root
inner() {
	name=$1
	shift
	chroot "$root" /open --quiet -- sh -c "$@"
	echo "$name: $? $(state)"
}
inner quiet "cat $system/cpufreq/policy0/scaling_governor | sed s/^/during:/"
inner nothing 'cat /sys/devices/system/cpu/cpufreq/policy0/scaling_governor'
leftovers
inner status "exit 7"
inner signal 'kill -TERM $$'
inner cpus "sed -n 's/^Cpus_allowed_list:./cpus /p' /proc/self/status"
inner awake 'echo files $(ls -l /proc/$PPID/fd | grep -c cpu_dma_latency)'
inner latency 'od -An -tx1 /dev/cpu_dma_latency | tr -d " "'
open --quiet -- /nonexistent/command
open --quiet -- /etc
printf '#!/nonexistent/interpreter\n' >"$root/tmp/script"
chmod 755 "$root/tmp/script"
open --quiet -- /tmp/script
inner root 'echo root $(id -u)'
for bad in 65534x 4294967295 -1 "" 12345678; do
	SUDO_UID=$bad inner bad 'echo ran'
done
PKEXEC_UID=65534 SUDO_UID=0 inner bad 'echo ran'
needed umount "$run"
mv "$run" "$run.away"
open --quiet -- echo ran
mv "$run.away" "$run"
open --quiet >/dev/null 2>&1
open --quiet -- true
leftovers
EOF
ok "during a command the machine is quiet" said performance
ok "after it all is put back" said "nothing: 0 loud"
ok "and nothing is left" said "left:"
ok "the status is the command's" said "status: 7 loud"
ok "the end by a signal, too" said "signal: 143 loud"
ok "the command has the quiet CPU" said "cpus $cpu"
ok "the file that keeps CPUs awake is open" said "files 1"
ok "it allows no latency" said "00000000"
ok "a command that is not there" said "--quiet -- /nonexistent/command status 127 loud"
ok "a script without its interpreter: the message" \
	said "cpucycles-open: /tmp/script: .*: the command, or the interpreter that a script names"
ok "a wrong variable is named" said "cpucycles-open: SUDO_UID: expected the number of a user"
ok "two variables that differ are named" \
	said "cpucycles-open: SUDO_UID and PKEXEC_UID do not name one user"
ok "a missing folder is named" said "cpucycles-open: $runstatedir: there is no such folder, \
make it first: nothing was changed"
ok "a command that is none" said "--quiet -- /etc status 126 loud"
ok "root's own command runs as root" said "root 0"
is "if the user is not known, it does not run" "$(grep -c -x 'bad: 125 loud' "$scratch/out")" 6
is "never" "$(grep -c -x ran "$scratch/out")" 0
ok "a command puts back what an earlier run changed" said "--quiet -- true status 0 loud"
ok "and a line says so" said "cpucycles-open: what an earlier --quiet changed is put back: after \
the command the machine is not quiet"

# The user who asked.
inside <<'EOF'
needed chroot --userspec=65534:65534 --groups= "$root" true
needed grep -q '^[^:]*:[^:]*:65534:65534:' /etc/passwd
asked() { chroot --groups=6 "$root" /open --quiet -- sh -c "$1" 2>/dev/null; }
export HOME=/root
SUDO_UID=65534 SUDO_GID=0 asked 'echo "$(id -u) $(id -g) $(id -G) $HOME ${SUDO_UID-none}"'
SUDO_UID=65534 SUDO_PROMPT=p SUDO_ANY= SUDOKU=game asked 'echo variables $(env | grep ^SUDO)'
SUDO_UID=65534 asked 'echo $(sed -n -e s/^[UG]id://p -e s/^CapEff://p /proc/self/status)'
PKEXEC_UID=65534 asked 'echo pkexec $(id -u)'
EOF
home=$(sed -n 's/^[^:]*:[^:]*:65534:65534:[^:]*:\([^:]*\):.*/\1/p' /etc/passwd)
shows "by sudo a command runs as the user who asked" said "65534 65534 65534 $home none"
shows "with none of sudo's variables" said "variables SUDOKU=game"
shows "with none of root's rights" \
	said "65534 65534 65534 65534 65534 65534 65534 65534 0000000000000000"
shows "by pkexec, too" said "pkexec 65534"

# Signals, and processes that are killed. A command reads from a pipe, so that it waits.
inside <<'EOF'
mkfifo "$root/pipe"
# begin COMMAND: run the command in a session of its own, and wait until it runs. $pid is this
# program, and $watcher its watcher.
begin() {
	rm -f "$root/began"
	setsid chroot "$root" /open --quiet -- sh -c ": >/began; $1" &
	pid=$!
	tries=0
	while [ ! -e "$root/began" ] && [ $((tries += 1)) -lt 1000 ]; do sleep 0.02; done
	read -r watcher _ <"/proc/$pid/task/$pid/children"
}
# done_by NAME: how it ended, and what is left when the lock is free.
done_by() {
	wait $pid
	ended=$?
	tries=0
	while [ -e "$run/cpucycles/.quiet.lock" ] && [ $((tries += 1)) -lt 1000 ]; do
		sleep 0.02
	done
	echo "$1: $ended $(state) $(leftovers)"
}
needed test -e /proc/$$/task/$$/children
for signal in HUP TERM USR1 USR2 ALRM; do
	begin "trap 'echo got $signal; exit 3' $signal; while :; do sleep 0.02; done"
	kill -$signal $pid
	done_by $signal
done
begin "read line </pipe"
read -r _ command _ <"/proc/$pid/task/$pid/children"
kill -TERM -$watcher
kill -KILL $pid
done_by "killed"
tries=0
while kill -0 $command 2>/dev/null && [ $((tries += 1)) -lt 1000 ]; do sleep 0.02; done
kill -0 $command 2>/dev/null || echo "the command is killed, too"
begin "read line </pipe"
kill -KILL -$pid
done_by "group killed"
begin "read line </pipe"
kill -TERM -$watcher
kill -KILL $watcher
kill -TERM $pid
done_by "watcher killed"
begin "read line </pipe"
kill -KILL $watcher $pid
wait $pid
echo "both killed: $(state)"
open --restore
leftovers

# A run that comes meanwhile waits, and then says so. Both wait at the same time.
begin "read line </pipe"
open --restore &
restorer=$!
open --quiet -- echo ran
wait $restorer
echo >"$root/pipe"
done_by "meanwhile"
EOF
for signal in HUP TERM USR1 USR2 ALRM; do
	shows "SIG$signal reaches the command" said "got $signal"
	shows "SIG$signal: its status, and all is put back" said "$signal: 3 loud left:"
done
shows "SIGKILL: the watcher puts all back" said "killed: 137 loud left:"
shows "and the command does not go on" said "the command is killed, too"
shows "SIGKILL for its group: the same" said "group killed: 137 loud left:"
shows "SIGKILL for the watcher: the program puts all back" \
	said "watcher killed: 143 loud left:"
shows "SIGKILL for both: the machine stays quiet" said "both killed: quiet"
shows "and --restore puts all back" said "--restore status 0 loud"
shows "a run meanwhile: the lock" said "--restore status 3 quiet"
shows "and its message" said "cpucycles-open: $record: another run holds the lock \(fg continues \
one that is stopped\): nothing was changed"
shows "a command meanwhile does not run" said "--quiet -- echo ran status 125 quiet"
shows "the first command goes on" said "meanwhile: 0 loud left:"

inside <<'EOF'
for i in 1 2 3 4; do
	for option in "--quiet" "--restore" "--quiet -- true"; do
		# shellcheck disable=SC2086 # words
		{ chroot "$root" /open $option >/dev/null 2>&1 || echo "failed $?"; } &
	done
done
wait
open --restore
leftovers
EOF
is "twelve at once all succeed" "$(grep -c failed "$scratch/out")" 0
ok "what they found is put back" said "--restore status 0 loud"
ok "nothing is left of them" said "left:"

# Runs that are killed before each system call.
if can_kill; then
	inside <<'EOF'
. "$top_srcdir/tests/utils/kill-each.sh"
make_quiet() { chroot "$root" /open --quiet >/dev/null 2>&1; }
kill_quiet() { kill_each made loud quiet quiet "$@"; }
kill_quiet : --quiet
kill_quiet make_quiet --quiet
kill_quiet make_quiet --restore
kill_quiet : --quiet -- true
done_killing 200 20
EOF
	judge_killed
else
	skip "killed at every system call" "${refused:-strace does not work here}"
fi
