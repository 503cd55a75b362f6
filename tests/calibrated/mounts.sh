#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Real full disks, real read-only file systems, another user.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/inside.sh"
own_etc

# Besides the lines below, these functions run inside:
# run OPTION...: a run of the calibrator.
# run_over_both: a run that measures all. One that does not know the frequency removes the file of
# it, which leaves room for a cache.
# publish_both OPTION...: runs until one knows the frequency and so writes both files. On a busy
# machine, where nobody else tells it, a run may not know it.
functions='
. "$top_srcdir/tests/harness/lines.sh"
run() {
	run_status=0
	"$calibrated" "$@" -c "$cache" -p "$persecond" 2>"$scratch/log" || run_status=$?
	return $run_status
}
publish_both() {
	again_while "$unknown_words" run -B 20 "$@"
	[ -e "$persecond" ] && [ -e "$cache" ] && return
	echo "no run knows the frequency"
	return 1
}
run_over_both() {
	again_while "$unknown_words" run -B 20 -f
	cat "$scratch/log"
	echo "status $run_status${1:-}"
}
'

mkdir "$scratch/m"
may unshare -m mount -t tmpfs none "$scratch/m" || skip_all "$refused"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
show=$top_builddir/tests/lib/show
cache=$scratch/m/cache/counters
persecond=$scratch/m/etc/cpucyclespersecond

# Run the lines on standard input with a small tmpfs of these options.
inside() {
	run_inside "needed mount -t tmpfs -o $1 none '$scratch/m'
		mkdir '$scratch/m/cache' '$scratch/m/etc'
		calibrated='$calibrated' show='$show' scratch='$scratch' as_nobody='$as_nobody'
		cache='$cache' persecond='$persecond'$functions"
}
said() { grep -q -e "$1" "$scratch/out" || { sed 's/^/# /' "$scratch/out"; return 1; }; }

# Fill the disk to the last block: the old cache stays whole.
inside size=64k <<'EOF'
needed publish_both && cp "$cache" "$scratch/old"
dd if=/dev/zero of="$scratch/m/fill" bs=4k 2>/dev/null
run_over_both
cmp "$cache" "$scratch/old" && echo intact
ls -A "$scratch/m/cache" "$scratch/m/etc" | grep new && echo leftover
CPUCYCLES_CACHE=$cache "$show" | grep "status used" && echo trusted
EOF
shows "a full disk: status 1" said "^status 1"
shows "a full disk: the message" said "$cache: not written: No space left"
shows "a full disk: the old cache is whole" said "^intact"
shows "a full disk: no temporary file" test "$(grep -c leftover "$scratch/out")" = 0
shows "a full disk: the library uses the old cache" said "^trusted"

# With a read-only /etc a line warns, and the cache is published.
inside size=64k <<'EOF'
needed mount -t tmpfs -o ro none "$scratch/m/etc"
"$calibrated" -c "$cache" -p "$persecond"; echo "status $?"
CPUCYCLES_CACHE=$cache "$show" | grep "status used" && echo trusted
EOF
shows "a read-only /etc: status 0" said "^status 0"
shows "a read-only /etc: a warning" said "$persecond: not written: Read-only file system"
shows "a read-only /etc: the library uses the cache" said "^trusted"

inside size=64k <<'EOF'
needed mount -o remount,ro "$scratch/m"
"$calibrated" -c "$cache" -p "$persecond"; echo "status $?"
EOF
shows "everything read-only: status 1" said "^status 1"

# No inode left.
inside size=64k,nr_inodes=20 <<'EOF'
needed publish_both && cp "$cache" "$scratch/old"
n=0
while touch "$scratch/m/$n"; do n=$((n + 1)); done
run_over_both
cmp "$cache" "$scratch/old" && echo intact
EOF
shows "no inode left: status 1" said "^status 1"
shows "no inode left: the message" said "$cache: not written: No space left"
shows "no inode left: the old cache is whole" said "^intact"

# Files that not even root may change. (A tmpfs has such attributes since Linux 6.0.)
inside size=64k <<'EOF'
needed publish_both && cp "$cache" "$scratch/old" && cp "$persecond" "$scratch/old.persecond"
immutable() {
	[ -e "$persecond" ] || cp "$scratch/old.persecond" "$persecond"
	chattr +i "$1" || { echo "no attributes"; exit; }
	run_over_both " over ${1#"$scratch/m/"}"
	CPUCYCLES_CACHE=$cache "$show" | grep -q "status used" &&
		echo "trusted over ${1#"$scratch/m/"}"
	chattr -i "$1"
}
immutable "$cache"
immutable "$scratch/m/cache"
cmp "$cache" "$scratch/old" && echo intact
: >"$scratch/m/cache/.counters.new"
immutable "$scratch/m/cache/.counters.new"
immutable "$persecond"
immutable "$scratch/m/etc"
"$calibrated" -c "$cache" -p "$persecond" &&
	find "$scratch/m" -name '.*' ! -name .counters.lock | grep . || echo clean
EOF
if [ -n "$refused" ]; then
	skip "immutable" "$refused"
elif said "^no attributes" >/dev/null; then
	skip "immutable" "no attributes on a tmpfs here"
else
	for what in cache/counters cache cache/.counters.new; do
		ok "an immutable $what: status 1" said "^status 1 over $what\$"
		ok "an immutable $what: the library uses the old cache" said "^trusted over $what\$"
	done
	ok "an immutable cache: the message" said "$cache: not written: Operation not permitted"
	ok "an immutable leftover: the message" \
		said "\.counters\.new, next to counters: not removed: Operation not permitted"
	ok "the old cache is whole" said "^intact"
	for what in etc/cpucyclespersecond etc; do
		ok "an immutable $what: status 0" said "^status 0 over $what\$"
		ok "an immutable $what: the library uses the cache" said "^trusted over $what\$"
	done
	ok "an immutable frequency: a warning" \
		said "$persecond: not written: Operation not permitted"
	ok "nothing stays" said "^clean"
fi

# Access lists. The mode of the group shows whether anybody may write by one, see acl(5).
inside size=64k,mode=755 <<'EOF'
"$calibrated" -B 20 -c "$cache" -p "$persecond"
setfacl -m u:65534:rw "$cache" || { echo "no access lists"; exit; }
CPUCYCLES_CACHE=$cache "$show" | grep "status untrusted" && echo "not trusted"
setfacl -d -m u:65534:rwx "$scratch/m/cache"
"$calibrated" -B 20 -c "$cache" -p "$persecond"; echo "status $?"
CPUCYCLES_CACHE=$cache "$show" | grep "status used" && echo trusted
getfacl -p "$cache" | grep "user:nobody:\|user:65534:"
EOF
if said "no access lists" >/dev/null; then
	skip "access lists" "no setfacl, or no access lists on a tmpfs here"
else
	ok "writable by an access list: the library does not trust it" said "^not trusted"
	ok "the calibrator mends it, below a folder that hands such lists on" said "^status 0"
	ok "the library trusts it" said "^trusted"
	ok "for nobody may write it" said "rwx.*#effective:r--"
fi

# Without a boot id no library would use a new cache, so the old one stays. The whole folder is
# covered, because a container may have a file over the boot id that no other file can be put over.
inside size=64k <<'EOF'
needed publish_both && cp "$cache" "$persecond" "$scratch"
needed mount -t tmpfs none /proc/sys/kernel/random
: >/proc/sys/kernel/random/boot_id
for option in --force --dry-run; do
	"$calibrated" $option -c "$cache" -p "$persecond"; echo "status $? with $option"
done
cmp "$cache" "$scratch/counters" && cmp "$persecond" "$scratch/cpucyclespersecond" && echo intact
EOF
shows "no boot id: status 1" said "^status 1 with --force"
shows "no boot id: the message" \
	said "no boot id (Invalid argument): no library would trust a cache: nothing published"
shows "no boot id: nothing to print" said "^status 1 with --dry-run"
shows "no boot id: the old files stay" said "^intact"

# A lxcfs that hangs. Nothing of it is asked, by the calibrator or by the C library's sysconf.
inside size=64k <<'EOF'
hang 3 /proc/cpuinfo
hang 4 /sys/devices/system/cpu
timeout -s KILL 60 "$calibrated" -B 20 -c "$cache" -p "$persecond"; echo "status $?"
EOF
shows "a lxcfs that hangs: the calibrator ends, and publishes" said "^status 0"

# Another user with a folder of their own.
if may_become; then
	install -m 755 "$calibrated" "$scratch/calibrated"
	install -m 755 "$show-alone" "$scratch/show"
	inside size=64k,mode=755 <<'EOF'
chown 65534 "$scratch/m/cache" "$scratch/m/etc"
$as_nobody "$scratch/calibrated" -c "$cache" -p "$persecond"; echo "status $?"
CPUCYCLES_CACHE=$cache $as_nobody "$scratch/show" | grep "status used" && echo "his own"
CPUCYCLES_CACHE=$cache "$show" | grep "status untrusted" && echo "not root's"
chown 0 "$cache"
CPUCYCLES_CACHE=$cache $as_nobody "$scratch/show" | grep "status used" && echo "root's for all"
EOF
	ok "a user without rights publishes for himself" said "^status 0"
	ok "his library uses his cache" said "^his own"
	ok "root's does not" said "^not root's"
	ok "everybody uses root's" said "^root's for all"
else
	skip "another user" "this process cannot become another user"
fi
