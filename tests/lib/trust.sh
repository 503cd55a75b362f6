#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The real library with valid caches, and with each kind of invalid ones. With an invalid cache, it
# uses the counter of a probe, prints nothing and does not wait. (test-cache has each check alone.)

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
shown
as_expected "no cache wanted" disabled probe
chosen=$(show_field implementation)
probed=$(twin "$chosen")
persecond=$(show_field persecond) from=$(show_field persecond-source)

"$programs/make-cache" "$cache" 2>"$scratch/err" || skip_all "$(cat "$scratch/err")"
CPUCYCLES_CACHE=$cache

# A probe may choose another counter if the machine is slow for a while that begins or ends in the
# middle of it. That is rare, so three tries are enough.

# refused NAME STATUS: the cache $cache is refused with this status, and a probe finds a counter.
refused() {
	for try in 1 2 3; do
		shown
		[ "$(twin "$(show_field implementation)")" != "$probed" ] || break
	done
	as_expected "$1: $2" "$2" probe
	is "$1: the counter of a probe" \
		"$(twin "$(show_field implementation)") $(show_field persecond)" \
		"$probed $persecond"
}
# fresh SETTING...: make a valid cache, except for these settings.
fresh() {
	rm -rf "$cache"
	"$programs/make-cache" "$cache" "$@" || echo "# make-cache failed"
}

shown
as_expected "a valid cache" used cache
is "the counter of a probe" "$(twin "$(show_field implementation)") $(show_field persecond)" \
	"$probed $persecond"
shown counter
as_expected "asked for its name first" used cache

# The library obeys the ranking, as far as the counter works here, and persecond.
for name in default-monotonic default-gettimeofday default-syscall; do
	fresh "only=$name"
	shown
	as_expected "a cache that ranks $name only" used cache
	is "$name is in use" "$(show_field implementation)" "$name"
done
fresh only=default-monotonic persecond=1234567890
shown
is "persecond of the cache" "$(show_field status) $(show_field persecond)" "used 1234567890"
fresh library=99.0-other
shown
as_expected "a cache by another version with the same counters" used cache

rm "$cache"
refused "no file" missing
CPUCYCLES_CACHE=$scratch/no/folder
refused "no folder" missing
CPUCYCLES_CACHE=$cache
fresh boot=01234567-89ab-cdef-0123-456789abcdef
refused "another boot" stale-boot
fresh machine=another-machine
refused "another machine" stale-machine
fresh source=environment
refused "persecond from somebody's environment" stale-persecond
fresh source=persecond-file
refused "persecond from a file that is gone" stale-persecond

fresh
sed 's/^checksum ................$/checksum 0123456789abcdef/' "$cache" >"$scratch/edited"
cp "$scratch/edited" "$cache"
refused "a wrong checksum" malformed
# seal SED: edit the cache, and correct its checksum. sealed NAME SED: such a cache is refused.
seal() {
	fresh
	sed "$1" "$cache" >"$scratch/edited"
	rm "$cache"
	cp "$scratch/edited" "$cache"
	"$programs/make-cache" --seal "$cache" || echo "# make-cache failed"
}
sealed() {
	seal "$2"
	refused "$1" malformed
}
sealed "an older format" '1s/4/3/'
sealed "a newer format" '1s/4/5/'
sealed "another list of counters" 's/^counters .*/counters 0123456789abcdef/'
sealed "a counter that this library has not" 's/^usable [^ ]* /usable other-monotonic /'
sealed "a counter that this library has no more" 's/^usable [^ ]* /usable amd64-pmc /'
# A first call reads the lines up to the counter that works, so it does not see what is wrong behind
# that. Only root can seal such a cache; cpucycles-info and the calibrator read and name the line.
seal '/default-zero/d'
shown
as_expected "a counter missing at the end" used cache
seal 's/^unusable default-zero .*/unusable default-zero/'
shown
as_expected "a wrong line at the end" used cache
fresh
size=$(wc -c <"$cache")
# The cache cut to many lengths. With a sanitizer or an emulator there are fewer, because each
# process takes long.
step=1
! sanitized && [ -z "${emulator:-}" ] || step=7
length=$((size - 1)) lengths=0
while [ "$length" -ge 0 ]; do
	truncate -s "$length" "$cache"
	for try in 1 2 3; do
		text=$(timeout "$limit" "$programs/show-alone" 2>&1 ||
			echo "length $length: status $?")
		case $text in *"implementation $chosen"*) break ;; esac
	done
	echo "$text"
	length=$((length - step)) lengths=$((lengths + 1))
done >"$scratch/all" 2>&1
ok "the cache was truncated to other lengths" test "$lengths" -gt 100
is "at every length: the counter of a probe, and nothing said" \
	"$(twin "$(cat "$scratch/all")" | sort | uniq -c | awk '{ $1 = $1; print }' | sort)" \
	"$(printf "$lengths %s\n" "implementation $probed" "persecond $persecond" \
		"persecond-source $from" "source probe" "status malformed" | sort)"

fresh
mv "$cache" "$scratch/elsewhere"
ln -s elsewhere "$cache"
refused "a link" untrusted
# Links to folders in the path are followed, and the modes of folders do not matter. The file must
# be root's or the caller's all the same, and of this boot of this machine.
rm "$cache"
mkdir -m 0777 "$scratch/above" "$scratch/above/open"
mv "$scratch/elsewhere" "$scratch/above/open/counters"
ln -s above "$scratch/link"
CPUCYCLES_CACHE=$scratch/link/open/counters
shown
as_expected "a link on the way, to a folder open to all" used cache
ln -s loop "$scratch/loop"
CPUCYCLES_CACHE=$scratch/loop/counters
refused "a loop of links on the way" untrusted
CPUCYCLES_CACHE=$cache
mkfifo "$cache"
refused "a FIFO" untrusted
rm "$cache"
mkdir "$cache"
refused "a folder" untrusted
rmdir "$cache"
for mode in 0666 0664 0646; do
	fresh
	chmod "$mode" "$cache"
	refused "mode $mode" untrusted
done
fresh
head -c 9000 /dev/zero >>"$cache"
refused "too large" untrusted
fresh
truncate -s 1T "$cache" 2>/dev/null || truncate -s 1G "$cache"
refused "a terabyte of nothing" untrusted
rm "$cache"
CPUCYCLES_CACHE=/dev/zero
refused "a device" untrusted
if [ -f /proc/version ]; then
	CPUCYCLES_CACHE=/proc/version
	refused "a file system that is not on the list" untrusted
fi
CPUCYCLES_CACHE=$cache
if may_give_away; then
	fresh
	chown 65534 "$cache"
	refused "somebody else's" untrusted
else
	skip "somebody else's" "$refused"
fi
if may_override; then
	skip "a closed file" "this process reads every file"
else
	fresh
	chmod 0 "$cache"
	refused "a closed file" untrusted
fi

# The best counter of the ranking may be forbidden here.
fresh only=default-perfevent 2>/dev/null
shown eperm
if [ "$shown" = 77 ]; then
	skip "no counter of the cache works here" "$(cat "$scratch/err")"
else
	as_expected "no counter of the cache works here" no-counter probe
	is "and yet one is in use" "$(show_field implementation | grep -c .)" 1
fi
