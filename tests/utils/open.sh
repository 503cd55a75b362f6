#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-open as it is installed, in a root folder of its own. In a private mount namespace, made
# knobs lie over the kernel's, so that those of this machine stay as they are.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/inside.sh"
. "$top_srcdir/tests/utils/kill-each.sh"

open=$top_builddir/utils/cpucycles-open
root=$scratch/root
record=$runstatedir/cpucycles/opened
cache=$root$localstatedir/cache/cpucycles/counters
kernel=$root/proc/sys/kernel
perf_knob=/proc/sys/kernel/perf_event_paranoid
other=01234567-89ab-cdef-0123-456789abcdef

run() { capture "$open" "$@"; }

# Options that change nothing, whoever uses them.
run --version
version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' "$top_builddir/config.h")
is "--version" "$status $(cat "$scratch/out")" "0 cpucycles-open $version"
run --help
is "--help names every option" "$status $(grep -c '^  *-' "$scratch/out")" "0 8"
for bad in --nonsense -x --check=yes file "--check --dry-run" "--check --restore" \
	"--print-sysctl --check" "--restore --print-sysctl" "-sn"; do
	run $bad
	is "$bad is a usage error" "$status" 2
	is "$bad: one line, of this program" "$(sed 's/:.*//' "$scratch/err")" cpucycles-open
	is "$bad: no output" "$(cat "$scratch/out")" ""
done
if [ -c /dev/full ]; then
	for option in --help --version --check --dry-run --print-sysctl "--restore --dry-run"; do
		status=0
		"$open" $option >/dev/full 2>"$scratch/err" || status=$?
		is "$option to a full disk" "$status $(cat "$scratch/err")" \
			"1 cpucycles-open: standard output: No space left on device"
	done
else
	skip "a full disk" "no /dev/full"
fi

rest="opening, restoring and what comes between"
skip_rest() {
	skip "$rest" "$1"
	exit 0
}
only_root="cpucycles-open: only root can do this: nothing was changed; see --dry-run"
[ -f "$perf_knob" ] || skip_rest "this kernel has no perf events"
if [ "$(id -u)" != 0 ]; then
	before=$(cat "$perf_knob")
	for option in "" --restore; do
		run $option
		is "without root: ${option:-opening} is refused" "$status $(cat "$scratch/err")" \
			"1 $only_root"
	done
	is "without root: nothing is changed" "$(cat "$perf_knob")" \
		"$before"
	skip_rest "needs root to mount"
fi
mkdir "$root"
may unshare -m mount -t tmpfs none "$root" || skip_rest "$refused"

# The root folder has the two programs, their shared libraries, and the folders that they write to.
copy_linked() {
	{
		ldd "$1" 2>/dev/null |
			sed -n -e 's,.* => \(/[^ ]*\) .*,\1,p' \
				-e 's,^[[:blank:]]*\(/[^ ]*\) (.*,\1,p'
		# Programs of another libc, which this ldd does not know.
		readelf -l "$1" 2>/dev/null | sed -n 's,.*interpreter: \(/[^]]*\)].*,\1,p'
	} |
		while read -r library; do
			mkdir -p "$root${library%/*}"
			cp -L "$library" "$root$library"
		done
}
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root$runstatedir" "$root$sbindir" \
	"$root$sysconfdir" \
	"$root$localstatedir/cache"
touch "$root/dev/null" # over which the real one is mounted
calibrator=$root$sbindir/cpucycles-calibrated
nothing=$(command -v true)
case $nothing in /*) ;; *) nothing=/bin/true ;; esac
for program in "$open" "$top_builddir/calibrated/cpucycles-calibrated" "$nothing"; do
	copy_linked "$program"
done
cp "$open" "$root/open"
chmod -R go+rX "$root" # as it is installed, whatever the umask of the build was

# surroundings SIZE: print the first lines of each run. All knobs are made and closed, the folder
# for the record is fresh and has this size, and the calibrator does nothing. The lines need each
# made knob to cover the kernel's, because they write to it.
surroundings() {
	cat <<EOF
root='$root' scratch='$scratch' record='$record' kernel='$kernel'
calibrator='$calibrator' other='$other' cache='$cache'
real='$top_builddir/calibrated/cpucycles-calibrated' run='$root$runstatedir'
needed mount --rbind /proc "\$root/proc"
needed mount -t tmpfs none "\$root/sys"
needed mount --bind /dev/null "\$root/dev/null"
needed mount -t tmpfs -o mode=755,size=$1 none "\$run"
needed mount -t tmpfs none '$root$sbindir'
mkdir -p "\$root/sys/devices/cpu" "\$root/sys/devices/uncore_imc"
watchdog=
cp '$nothing' "\$calibrator"
for knob in perf_event_paranoid nmi_watchdog; do
	[ -e "\$kernel/\$knob" ] || continue
	echo >"\$scratch/\$knob"
	needed mount --bind "\$scratch/\$knob" "\$kernel/\$knob"
	[ \$knob = perf_event_paranoid ] || watchdog=\$kernel/\$knob
done
EOF
	cat <<'EOF'
rdpmc=$root/sys/devices/cpu/rdpmc paranoid=$kernel/perf_event_paranoid
closed() { echo 3 >"$paranoid"; echo 0 >"$rdpmc"; [ -z "$watchdog" ] || echo 1 >"$watchdog"; }
# By the shell itself, without a process, because the loops below do it a thousand times.
knobs() {
	read -r first <"$paranoid"
	read -r second <"$rdpmc"
	third=
	[ -z "$watchdog" ] || read -r third <"$watchdog"
	echo "$first $second${third:+ $third}"
}
all_closed="3 0${watchdog:+ 1}" all_open="2 1${watchdog:+ 0}"
state() {
	case $(knobs) in
	"$all_closed") echo closed ;;
	"$all_open") echo open ;;
	*) knobs ;;
	esac
}
open() { chroot "$root" /open "$@"; echo "$* status $? $(state)"; }
leftovers() { echo "left:" $(ls -A "$run/cpucycles"); }
closed
EOF
}
# inside SIZE: run the lines on standard input there.
inside() {
	run_inside "$(surroundings "$1")"
}
said() { grep -q -x -E -e "$1" "$scratch/out" || { sed 's/^/# /' "$scratch/out"; return 1; }; }

inside 64k </dev/null
[ -z "$refused" ] || skip_rest "the kernel's knobs cannot be covered here: $refused"

# In the background: one run that waits the full time for a lock that is never given back.
if command -v flock >/dev/null; then
	(
		scratch=$scratch/lock
		mkdir "$scratch"
		inside 64k <<'EOF'
mkdir "$run/cpucycles"
flock "$run/cpucycles/.opened.lock" sleep 600 &
holder=$!
while flock -n "$run/cpucycles/.opened.lock" true; do sleep 0.1; done
open
kill $holder
EOF
	) &
fi

inside 64k <<'EOF'
open --check
open --dry-run
[ -e "$run/cpucycles" ] || echo "no folder"
open
cat "$run/cpucycles/opened"
leftovers
open --check
open --restore --dry-run
open --restore
leftovers
EOF
ok "--check: a closed knob" said "$perf_knob: 3: closed"
ok "--check: status" said "--check status 5 closed"
ok "--dry-run: old, new and gain" said "$perf_knob: 3 -> 2: users may count .*"
ok "--dry-run changes nothing" said "--dry-run status 0 closed"
ok "and makes no folder" said "no folder"
ok "opening opens" said " status 0 open"
ok "it says what it wrote" said "cpucycles-open: /sys/devices/cpu/rdpmc: 0 -> 1"
ok "the record has the boot" said "boot $(cat /proc/sys/kernel/random/boot_id)"
ok "and what was found" said "knob $perf_knob found 3 wrote 2"
ok "and nothing lies beside it" said "left: opened"
ok "--check: who opened it" said "$perf_knob: 2: open by cpucycles-open, which found 3"
ok "--check: status when all are open" said "--check status 0 open"
ok "--restore --dry-run says what it would write" \
	said "$perf_knob: 2 -> 3: as it was found"
ok "--restore --dry-run changes nothing" said "--restore --dry-run status 0 open"
ok "--restore puts all back" said "--restore status 0 closed"
ok "nothing is left beside" said "left:"

# The calibrator is the real one. The cache is looked for at its own path only, because a find
# through the whole root stops in /proc as soon as a process ends there.
inside 64k <<'EOF'
cp "$real" "$calibrator"
FORBIDDEN=1 open
[ -s "$cache" ] && echo calibrated
rm "$cache"
open --restore
[ -s "$cache" ] && echo calibrated again
rm "$calibrator"
open
EOF
ok "the calibrator runs" said "cpucycles-calibrated: asked to probe whatever the cache says"
ok "opening with it succeeds" said " status 0 open"
ok "it published" said calibrated
ok "restoring with it succeeds" said "--restore status 0 closed"
ok "it published anew" said "calibrated again"
ok "without it the knobs are open, and the status says so" said " status 4 open"
ok "and a line does" said "cpucycles-open: $sbindir/cpucycles-calibrated: No such file or directory"

# Another user.
inside 64k <<'EOF'
needed chroot --userspec=65534:65534 --groups= "$root" /open --version
user() {
	chroot --userspec=65534:65534 --groups= "$root" /open "$@"
	echo "user $* status $? $(state)"
}
user
user --restore
user --dry-run
user --check
ls "$run" | grep . || echo nothing there
open
user --restore
user --restore --dry-run
EOF
shows "another user cannot open" said "user  status 1 closed"
shows "he is told why" said "$only_root"
shows "he cannot restore" said "user --restore status 1 open"
shows "no folder is made for him" said "nothing there"
shows "he may look: --dry-run" said "user --dry-run status 0 closed"
shows "he may look: --check" said "user --check status 5 closed"
shows "he may look: --restore --dry-run" \
	said "/sys/devices/cpu/rdpmc: 1 -> 0: as it was found"

# A knob that cannot be written, as in a container.
inside 64k <<'EOF'
needed mount -o remount,bind,ro "$paranoid"
open
cat "$run/cpucycles/opened"
mount -o remount,bind,rw "$paranoid"
echo 2 >"$paranoid"
open --restore
EOF
shows "a read-only knob: status, the others are open" said " status 1 3 1( 0)?"
shows "a read-only knob: one line" \
	said "cpucycles-open: $perf_knob: 2 cannot be written: Read-only file system"
shows "a read-only knob is not recorded" test "$(grep -c "^knob .*paranoid" "$scratch/out")" = 0
shows "and what somebody else sets it to is not undone" said "--restore status 0 2 0( 1)?"

inside 64k <<'EOF'
open
needed mount -o remount,bind,ro "$paranoid"
open --restore
cat "$run/cpucycles/opened"
mount -o remount,bind,rw "$paranoid"
open --restore
EOF
shows "a knob that cannot be put back: status, the others are" said "--restore status 1 2 0( 1)?"
shows "it stays recorded" said "knob $perf_knob found 3 wrote 2"
shows "and nothing else does" test "$(grep -c '^knob ' "$scratch/out")" = 1
shows "the next try puts it back" said "--restore status 0 closed"

# If the record cannot be written, nothing is opened.
inside 64k <<'EOF'
mkdir "$run/cpucycles"
dd if=/dev/zero of="$run/fill" bs=4k 2>/dev/null
open
leftovers
EOF
ok "a full /run: nothing is opened" said " status 1 closed"
ok "a full /run: the message" \
	said "cpucycles-open: $record: No space left on device: nothing was changed"
ok "a full /run: nothing is left" said "left:"
inside 64k <<'EOF'
needed mount -o remount,ro "$run"
open
EOF
shows "a read-only /run: nothing is opened" said " status 1 closed"
inside 64k <<'EOF'
mkdir "$run/elsewhere"
ln -s elsewhere "$run/cpucycles"
open
open --restore
ls -A "$run/elsewhere"
EOF
ok "a link in the folder's place: nothing is opened" said " status 1 closed"
ok "a link in the folder's place: the message" \
	said "cpucycles-open: $record: its folder is none, or a link: nothing was changed"
ok "a link in the folder's place: nothing is restored" said "--restore status 1 closed"
inside 64k <<'EOF'
mkdir "$run/cpucycles"
chmod 775 "$run/cpucycles"
open
chmod 755 "$run/cpucycles"
open
chmod 775 "$run/cpucycles"
open --restore
EOF
ok "a folder that its group can write: nothing is opened" said " status 1 closed"
not_ours="its folder is not one that only root can write"
ok "a folder that its group can write: the message" \
	said "cpucycles-open: $record: $not_ours: nothing was changed"
ok "a folder that its group can write: nothing is restored" said "--restore status 1 open"
inside 64k <<'EOF'
needed mount -t tmpfs none "$kernel/random"
: >"$kernel/random/boot_id"
open
EOF
shows "no boot id: nothing is opened" said " status 1 closed"

# Records of another boot.
inside 64k <<'EOF'
open >/dev/null 2>&1
sed -i "s/^boot .*/boot $other/" "$run/cpucycles/opened"
open --restore
closed
echo 4 >"$paranoid"
open
grep paranoid "$run/cpucycles/opened"
open --restore
EOF
ok "the record of another boot is ignored" said "--restore status 0 open"
ok "and replaced" said "knob $perf_knob found 4 wrote 2"
ok "by one that holds" said "--restore status 0 4 0( 1)?"

# A knob that somebody else set after it was opened.
inside 64k <<'EOF'
open >/dev/null 2>&1
echo 1 >"$paranoid"
open --restore
EOF
ok "what somebody else set is left" said "--restore status 5 1 0( 1)?"
ok "and said" \
	said "cpucycles-open: $perf_knob: left: somebody set it to 1 since \(found 3, wrote 2\)"

# What the admin sets while a knob is open is what comes back, however often it is opened again.
inside 64k <<'EOF'
open >/dev/null 2>&1
echo 4 >"$paranoid"
open
grep paranoid "$run/cpucycles/opened"
open --restore --dry-run
open --restore
EOF
ok "tightened while it was open: opened again" said " status 0 open"
ok "tightened while it was open: recorded anew" said "knob $perf_knob found 4 wrote 2"
ok "tightened while it was open: --dry-run" said "$perf_knob: 2 -> 4: as it was found"
ok "tightened while it was open: put back as tight as it was" \
	said "--restore status 0 4 0( 1)?"
inside 64k <<'EOF'
open >/dev/null 2>&1
echo 1 >"$paranoid"
open
grep paranoid "$run/cpucycles/opened"
echo 2 >"$paranoid"
open --restore
EOF
ok "opened further by somebody else: left" said " status 0 1 1( 0)?"
is "opened further by somebody else: not recorded any more" \
	"$(grep -c "^knob .*paranoid" "$scratch/out")" 0
ok "and not put back" said "--restore status 0 2 0( 1)?"

inside 64k <<'EOF'
chroot "$root" /open <&- >&- 2>&-
echo "closed streams status $? $(state)"
EOF
ok "with all streams closed" said "closed streams status 0 open"

# Many runs at once: in whatever order they come, the values found first are put back.
inside 256k <<'EOF'
for i in 1 2 3 4 5 6 7 8; do
	for option in "" --restore; do
		{ chroot "$root" /open $option 2>/dev/null || echo "failed $?"; } &
	done
done
wait
open --restore
leftovers
EOF
is "sixteen at once all succeed" "$(grep -c failed "$scratch/out")" 0
ok "what they found is put back" said "--restore status 0 closed"
ok "nothing is left of them" said "left:"

# Runs that are killed before each system call.
if can_kill; then
	inside 256k <<'EOF'
. "$top_srcdir/tests/utils/kill-each.sh"
make_open() { chroot "$root" /open >/dev/null 2>&1; }
kill_open() { kill_each closed closed open opened "$@"; }
kill_open :
kill_open make_open --restore
done_killing 50 4
EOF
	judge_killed
else
	skip "killed at every system call" "${refused:-strace does not work here}"
fi

if command -v flock >/dev/null; then
	wait
	scratch=$scratch/lock
	ok "a lock that stays: status" said " status 3 closed"
	ok "a lock that stays: it waits and says so" \
		said "cpucycles-open: opened: another run is at work: waiting"
	scratch=${scratch%/lock}
else
	skip "a lock that stays" "no flock(1) to hold it with"
fi
