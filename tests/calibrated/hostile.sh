#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Links, FIFOs, devices and folders in the place of each file and folder that the calibrator opens.
# It waits for nothing, writes through no link and says what is wrong, and its status tells whether
# there is a new cache. mounts.sh tests full disks, owners and attributes.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"
d=$scratch/d
cache=$d/cache/counters persecond=$d/etc/persecond
mkdir -p "$scratch/good/cache" "$scratch/good/etc"
# Without a frequency, a run writes no file of it, and says so. That is no case of this test, so a
# run that does not know one is repeated.
make_good() {
	"$calibrated" -B 20 -c "$scratch/good/cache/counters" -p "$scratch/good/etc/persecond" \
		2>"$scratch/log"
}
again_while "$unknown_words" make_good || skip_all "no calibrator can run here"
[ -e "$scratch/good/etc/persecond" ] || skip_all "no run knows the frequency"
mkdir "$scratch/reached"
echo precious >"$scratch/precious"

# put KIND PATH: replaces what is there. Of a folder that becomes a link, the content is kept.
put() {
	case $1 in link-to-folder) mv "$2" "$scratch/reached/it" ;; *) rm -rf "$2" ;; esac
	case $1 in
	folder) mkdir "$2" ;;
	file) echo 1234567890 >"$2" ;;
	link) ln -s "$scratch/precious" "$2" ;;
	dangling) ln -s "$scratch/nothing" "$2" ;;
	loop) ln -s "${2##*/}" "$2" ;;
	FIFO) mkfifo "$2" ;;
	device) mknod "$2" c 1 5 2>/dev/null && (: <"$2") 2>/dev/null ;;
	huge) truncate -s 1T "$2" 2>/dev/null || truncate -s 1G "$2" ;;
	link-to-folder) ln -s "$scratch/reached/it" "$2" ;;
	world-writable) mkdir -p "$2" && chmod 0777 "$2" ;;
	esac
}
# left PATH: the kind of what is there now.
left() {
	if [ -h "$1" ]; then echo link
	elif [ -f "$1" ]; then echo file
	elif [ -d "$1" ]; then echo folder
	elif [ -p "$1" ]; then echo FIFO
	elif [ -e "$1" ]; then echo device
	else echo nothing; fi
}
# Whether each of the words is in a line of the log, and no other line complains.
complains() {
	grep -E 'not (written|removed|replaced|overwritten)|(counters|persecond): [A-Z]' \
		"$scratch/log" >"$scratch/complaints"
	for word; do
		grep -q -e "$word" "$scratch/complaints" || echo "# not said: $word"
	done
	[ "$(grep -c . "$scratch/complaints")" = $# ] || sed 's/^/# said: /' "$scratch/complaints"
}
# hostile_run: the surroundings, and a run in them. 99: they cannot be made here.
hostile_run() {
	rm -rf "$d" "$scratch/reached/it"
	cp -R "$scratch/good" "$d"
	put "$kind" "$path" || return 99
	timeout "$limit" "$calibrated" -B 20 -c "$cache" -p "$persecond" >"$scratch/out" \
		2>"$scratch/log"
}
# at PATH KIND STATUS LEFT [WORDS...]: a run over a good cache and frequency.
at() {
	path=$1 kind=$2 expected="$3 $4"
	shift 4
	what="a ${kind%-*} at ${path#"$d"/}"
	for run in $(seq "$RUNS_MAX"); do
		hostile_run
		status=$?
		grep -q -e "$unknown_words" "$scratch/log" || break
	done
	[ $status != 99 ] || { skip "$what" "it cannot be made here"; return; }
	is "$what: status, what is left" "$status $(left "$path")" "$expected"
	is "$what: complaints" "$(complains "$@")" ""
	is "$what: nothing is written elsewhere" \
		"$(cat "$scratch/precious") $(left "$scratch/nothing")" "precious nothing"
	case $expected in
	0*)
		is "$what: the library" "$(CPUCYCLES_CACHE=$cache "$programs/show-alone" |
			sed -n 's/^status //p')" "$used"
		;;
	esac
}
used=used
is_folder='Is a directory' is_none='Not a directory'

# What is no cache may have been named by mistake. tests/utils/cache.sh has the default path.
not_ours='counters: this is no cache, so it is not replaced: '
for kind in link dangling loop FIFO device huge folder file; do
	at "$cache" $kind 1 "$(case $kind in
		dangling | loop) echo link ;; huge) echo file ;; *) echo $kind ;; esac)" "$not_ours"
done
for kind in link dangling loop FIFO device huge; do
	at "$d/cache/.counters.new" $kind 0 nothing
	at "$d/etc/.persecond.new" $kind 0 nothing
done
at "$d/cache/.counters.new" folder 1 folder \
	"\.counters\.new, next to counters: not removed: $is_folder" \
	"counters: not written: $is_folder"
at "$d/etc/.persecond.new" folder 0 folder \
	"\.persecond\.new, next to persecond: not removed: $is_folder" \
	"persecond: not written: $is_folder"

for kind in link dangling loop; do
	at "$d/cache/.counters.lock" $kind 1 link 'counters: .*[Ss]ymbolic link'
	at "$d/etc/.persecond.lock" $kind 0 link 'persecond: not written: .*[Ss]ymbolic link'
done
for kind in FIFO device huge; do
	at "$d/cache/.counters.lock" $kind 0 \
		"$(case $kind in huge) echo file ;; *) echo $kind ;; esac)"
	at "$d/etc/.persecond.lock" $kind 0 nothing
done
at "$d/cache/.counters.lock" folder 1 folder "counters: $is_folder"
at "$d/etc/.persecond.lock" folder 0 folder "persecond: not written: $is_folder"

# In the place of the persecond file, everything that the calibrator did not write is the
# sysadmin's.
his="persecond: the sysadmin's: not written"
for kind in folder loop FIFO device huge link; do
	case $kind in
	loop) bad="cannot be read: .*" ;;
	huge) bad="a null byte in it: no text" ;;
	link) bad='1: "precious" is not a number of cycles per second .*' ;;
	*) bad="not a regular file" ;;
	esac
	at "$persecond" $kind 0 \
		"$(case $kind in loop) echo link ;; huge) echo file ;; *) echo $kind ;; esac)" \
		"persecond: *$bad: no answer, and not overwritten" "$his"
done
used=stale-persecond # the library under test looks at the system's file
at "$persecond" file 0 file "$his"
used=used
is "a file at etc/persecond: obeyed" "$(sed -n 's/^persecond //p' "$cache")" \
	"1234567890 persecond-file"
at "$persecond" dangling 0 link \
	'persecond: a symbolic link to a file that does not exist: no answer, and not overwritten' \
	"persecond: the sysadmin's: not written"

# Folders. Owner and mode of a folder do not matter, those of the file do.
for folder in cache etc; do
	at "$d/$folder" link-to-folder 0 link
	at "$d/$folder" world-writable 0 folder
done
for kind in file FIFO device; do
	at "$d/cache" $kind 1 $kind "counters: $is_none"
	at "$d/etc" $kind 0 $kind "persecond: not written: $is_none"
done
at "$d/cache" dangling 1 link 'counters: No such file'
at "$d/cache" loop 1 link 'counters: .*[Ss]ymbolic link'
