#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# --cache tells whether the cache is in use, and if not, why and what mends it.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/utils/common.sh"
need_cache
cp "$cache" "$scratch/made"

CPUCYCLES_CACHE=$cache
export CPUCYCLES_CACHE
edit() { sed -i.bak "$1" "$cache" && rm "$cache.bak" && "$resum" "$cache"; }

run --cache
is "a good cache: status 0" "$status" 0
ok "in use" has 'cpucycles cache in use status used'
ok "the counter and where it came from" has 'cpucycles implementation [a-z0-9-]+ selection cache'
ok "the path" has "cpucycles cache path $cache named by CPUCYCLES_CACHE"
ok "the age" has 'cpucycles cache written [-0-9]+T[0-9:]+Z age [0-9]+ seconds'
ok "the boot" has "cpucycles cache boot $(cat /proc/sys/kernel/random/boot_id) \(this one\)"
ok "the machine" has "cpucycles cache machine $(sed -n 's/^machine //p' "$cache") \(this one\)"
ok "the fingerprint" has "cpucycles cache fingerprint $(sed -n 's/^fingerprint //p' "$cache")"
ok "who wrote it" has "cpucycles cache library $(sed -n 's/^library //p' "$cache")"
cached_persecond=$(sed -n 's/^persecond \(.*\) \(.*\)/\1 source \2/p' "$cache")
ok "persecond" has "cpucycles cache persecond $cached_persecond"
# A command of sed that leaves the values of a printed line of the ranking.
ranking='s/^cpucycles cache rank \([0-9]* [^ ]*\) class \([^ ]*\) precision \([0-9]*\)'
ranking="$ranking"' hz \([0-9]*\) scaling [0-9]*\.[0-9]*'
ranking="$ranking"' measured \(.*\)$/\1 \2 \3 \4 \5/p'
is "the ranking" "$(sed -n "$ranking" "$scratch/out")" \
	"$(sed -n 's/^usable //p' "$cache" | awk '{
		print NR, $1, $2, $4, $6, ($10 > 0 ? $10 " ppm " $12 : "unknown") }')"
is "the others" \
	"$(sed -n 's/^cpucycles cache unusable \([^ ]*\) reason \([^ ]*\): [^ ].*/\1 \2/p' \
		"$scratch/out")" \
	"$(sed -n 's/^unusable \([^ ]*\) \([^ ]*\) .*/\1 \2/p' "$cache")"
is "the core" "$(sed -n 's/^cpucycles cache core measured //p' "$scratch/out")" \
	"$(sed -n 's/^core //p' "$cache" | sed 's/^0 ppm 0$/unknown/')"
is "the facts" "$(sed -n 's/^cpucycles cache fact //p' "$scratch/out")" \
	"$(sed -n 's/^fact //p' "$cache")"
ok "no problem" not has 'cpucycles cache (problem|remedy).*'
counter=$(sed -n 's/^cpucycles implementation \([^ ]*\) .*/\1/p' "$scratch/out")
is "the counter is the first of the ranking" "$counter" \
	"$(sed -n 's/^cpucycles cache rank 1 \([^ ]*\) .*/\1/p' "$scratch/out")"

# Every frequency stands with its source and its error.
ok "persecond in use, with source and error" has \
	"cpucycles persecond $cached_persecond ppm ([0-9]+|unknown)"
# ranked NAME SED: makes a cache in which only that counter is usable, with its rate and scaling as
# they were, and edits it. In SED, PERSECOND stands for the cache's frequency and SLOWER for nine
# tenths of it. All these caches are made from the first one: another calibration may measure
# another frequency, to which the counter's rate does not scale.
ranked() {
	cp "$scratch/made" "$cache"
	persecond=$(sed -n 's/^persecond \([0-9]*\) .*/\1/p' "$cache")
	awk -v name="$1" '
		$1 == "usable" && $2 != name { others = others "unusable " $2 " still 0\n"; next }
		$1 == "unusable" && others { printf "%s", others; others = "" }
		{ print }' "$cache" >"$scratch/ranked" && cat "$scratch/ranked" >"$cache"
	slower=$((persecond * 9 / 10))
	edit "$(printf '%s\n' "$2" | sed -e "s/PERSECOND/$persecond/g" -e "s/SLOWER/$slower/g")"
	run --cache
}
# scales_to_persecond: whether the ticks of the first counter are scaled to persecond so nearly that
# no sentence is due, within 5 percent. A clock of 4,096 MHz is not, at some frequencies.
scales_to_persecond() {
	awk '$1 == "persecond" { persecond = $2 }
		$1 == "usable" { split($9, by, "/"); off = $7 * by[1] / by[2] / persecond - 1
			exit !($7 == 0 || (off < 0.05 && off > -0.05)) }' "$cache"
}
off=$(sed -n 's/^usable \([^ ]*\) off-core .*/\1/p' "$cache" | head -n 1)
core='s/^core .*/core PERSECOND ppm 9/'
facts='s/^fact \([a-z]*\) .*/fact \1 unknown/; s/^fact hypervisor .*/fact hypervisor vax/'
if [ -n "$off" ]; then
	ranked "$off" "$core; $facts; s/measured .*/measured PERSECOND ppm 3/"
	ok "the rate in use was measured" has "cpucycles hz $persecond source measured ppm 3"
	if scales_to_persecond; then
		ok "it agrees with the core" not has 'cpucycles disagreement.*'
	else
		skip "it agrees with the core" "its ticks can only be scaled near to persecond"
	fi
	ranked "$off" "$core; $facts; s/measured .*/measured SLOWER ppm 3/"
	ok "it does not" has 'cpucycles disagreement: (cycles of this counter|persecond) .*'
	ranked "$off" "s/^core .*/core 0 ppm 0/; s/measured .*/measured 0 ppm 0/"
	ok "no core measured" has 'cpucycles cache core measured unknown'
	ok "no rate measured" has "cpucycles cache rank 1 $off .* measured unknown"
	ok "no rate in use, or one that was told" has \
		'cpucycles hz (0 source unknown ppm 0|[0-9]+ source told ppm 500)'
	ok "nothing to disagree" not has 'cpucycles disagreement.*'
else
	skip "the rate in use was measured" "no off-core counter works here"
fi
ranked default-monotonic "$core; $facts"
ok "a clock's rate is its definition" has "cpucycles hz $persecond source definition ppm 0"
ranked default-monotonic "$facts; s/^core .*/core 1000000000 ppm 9/"
ok "a clock disagrees with the core too" has 'cpucycles disagreement: .*'
if [ -z "$(sed -n 's/^persecond .* default$/&/p; s/^persecond .* measured$/&/p' "$cache")" ]; then
	source=$(sed -n 's/^persecond [0-9]* //p' "$cache")
	ranked default-monotonic "$core; s/^persecond .*/persecond PERSECOND measured/"
	ok "persecond that was measured has the core's error" has \
		"cpucycles persecond $persecond source measured ppm 9"
	ranked default-monotonic ""
	ok "persecond of $source has an unknown one" has \
		"cpucycles persecond [0-9]+ source $source ppm unknown"
fi
CPUCYCLES_CACHE=none run --cache
ok "without a cache nothing disagrees" not has 'cpucycles disagreement.*'
CPUCYCLES_COUNTER=default-zero run --cache
ok "what counts nothing has no rate" has 'cpucycles hz 0 source none ppm 0'
calibrate

# The build that is tested is usually not installed.
installed=$sbindir/cpucycles-calibrated
install="install the package cpucycles-calibrate, then "
[ ! -e "$installed" ] || install=
recalibrate="${install}run: $installed --cache $cache"
# Problems that only another file mends: the default one, or here the good one.
elsewhere='name another file in CPUCYCLES_CACHE, or run: unset CPUCYCLES_CACHE'

# refused NAME WORD PROBLEM REMEDY: the cache is not in use. PROBLEM and REMEDY are patterns.
refused() {
	run --cache
	is "$1: status 1" "$status" 1
	ok "$1: the word" has "cpucycles cache not in use status $2"
	ok "$1: the sentence" has "cpucycles cache problem: $3"
	ok "$1: the remedy" has "cpucycles cache remedy: $4"
	ok "$1: the counter comes from a probe" has \
		'cpucycles implementation [a-z0-9-]+ selection probe'
}
# mends NAME: the printed remedy mends the problem. The calibrator in it is replaced by the one just
# built, with a frequency's file of its own.
# The remedy is to name that cache, or it is not run: another one is that of this machine.
mends() {
	remedy=$(sed -n 's/^cpucycles cache remedy: .*run\( as root\)\{0,1\}: //p' "$scratch/out")
	substitute='"$calibrated" --persecond "$scratch/p"'
	case $remedy in
	*"$installed"*) remedy="${remedy%%"$installed"*}$substitute${remedy#*"$installed"}" ;;
	esac
	case $remedy in
	*"$scratch"*) (eval "$remedy") >"$scratch/log" 2>&1 || sed 's/^/# /' "$scratch/log" ;;
	*) echo "# not run: $remedy" ;;
	esac
	run --cache
	ok "$1: the remedy mends it" has 'cpucycles cache in use status used'
}

edit 's/^boot .*/boot 00000000-1111-2222-3333-444444444444/'
refused "another boot" stale-boot \
	'it was written in boot 00000000-1111-2222-3333-444444444444, this is boot [-0-9a-f]+' \
	"$recalibrate"
ok "another boot: the ranking is shown all the same" has 'cpucycles cache rank 1 .*'
calibrate
edit 's/^machine .*/machine vax-11/'
refused "another machine" stale-machine 'it was written on machine vax-11, this is machine .*' \
	"$recalibrate"
calibrate
edit 's/^persecond \([0-9]*\) .*/persecond \1 persecond-file/'
gone="it was computed from the [0-9]+ of a sysadmin's $sysconfdir/cpucyclespersecond,"
gone="$gone which does not say so any more"
refused "a sysadmin's file that is gone" stale-persecond "$gone" "$recalibrate"
calibrate
edit 's/^persecond .*/persecond 2000000000 environment/'
refused "an environment's persecond" stale-persecond \
	"it was computed from one process's environment" "$recalibrate"
calibrate
edit 's/^persecond .*/persecond 2399987654 default/'
cpucyclespersecond=3000000000
export cpucyclespersecond
outranked='the environment variable cpucyclespersecond says 3000000000,'
outranked="$outranked it was computed from 2399987654 of source default"
refused "an environment that outranks" stale-persecond "$outranked" \
	'run: unset cpucyclespersecond'
unset cpucyclespersecond
calibrate
sed -i.bak 's/^boot .*/boot nonsense/' "$cache"
refused "a malformed cache" malformed "$cache:3: .*" "$recalibrate"
ok "malformed: no content" not has 'cpucycles cache (boot|rank) .*'
calibrate
edit '/^counters/d'
refused "a line that is missing" malformed "$cache:[0-9]+: .*" "$recalibrate"
# The library reads only the lines that it needs, so it finds no counter or a good one. This
# program reads all lines and names the wrong one.
calibrate
edit '/^usable/d'
refused "all usable counters missing" no-counter "$cache:[0-9]+: .*" "$recalibrate"
calibrate
edit 's/^unusable default-zero .*/unusable default-zero/'
run --cache
is "a later line wrong: the library uses the cache" \
	"$status $(sed -n 's/^cpucycles cache in use status //p' "$scratch/out")" "0 used"
wrong=$(sed -n '/^unusable default-zero/=' "$cache")
ok "a later line wrong: the line" has "cpucycles cache problem: $cache:$wrong: .*"
ok "a later line wrong: the remedy" has "cpucycles cache remedy: $recalibrate"
ok "a later line wrong: no content" not has 'cpucycles cache (boot|rank) .*'
calibrate
chmod 0666 "$cache"
refused "0666" untrusted 'its mode is 0666: group or others may write it' "$recalibrate"
calibrate
awk 'BEGIN { for (i = 0; i < 900; i++) print "0123456789" }' >>"$cache"
refused "a large file" untrusted 'it is [0-9]+ bytes long, more than the 8192 of a cache' \
	"$elsewhere"
: >"$cache"
refused "an empty file" malformed "$cache:1: .*" "$recalibrate"
mends "an empty file"
# Whatever is no cache stays, because the name may be a mistake. The calibrator refuses it too.
# stays NAME PROBLEM [WORD]
stays() {
	refused "$1" "${3:-untrusted}" "$2" "$elsewhere"
	is "$1: the calibrator leaves it alone" \
		"$("$calibrated" -B 20 -c "$cache" -p "$scratch/p" 2>&1; echo "status $?")" \
		"cpucycles-calibrated: $cache: this is no cache, so it is not replaced: remove it, \
or name another file
status 1"
}
echo root:x:0:0 >"$cache"
stays "a file that is no cache" "$cache:1: .*" malformed
is "a file that is no cache: its text" "$(cat "$cache")" root:x:0:0
rm -f "$cache"
calibrate
mv "$cache" "$cache.real" && ln -s "$cache.real" "$cache"
stays "a symbolic link" 'it is a symbolic link, not a regular file'
rm -f "$cache" && mkdir "$cache"
stays "a folder" 'it is a folder, not a regular file'
rmdir "$cache" && mkfifo "$cache"
stays "a FIFO" 'it is a FIFO, not a regular file'
rm -f "$cache"
refused "no file" missing 'there is no such file: this machine was not calibrated' "$recalibrate"
ok "no file: no age" not has 'cpucycles cache written .*'

mends "no file"
if may_give_away; then
	chown 65534 "$cache"
	refused "a stranger's file" untrusted \
		'it is owned by user 65534, not by root or the caller' "$recalibrate"
	mends "a stranger's file"
else
	skip "a stranger's file" "$refused"
fi
if ! may_override; then
	chmod 0 "$cache"
	refused "a file that may not be read" untrusted 'it cannot be read: .*' \
		"${install}run as root: $installed --cache $cache"
	chmod 644 "$cache"
else
	skip "a file that may not be read" "this process reads every file"
fi
edit 's/^boot .*/boot 00000000-1111-2222-3333-444444444444/'
run --cache
mends "another boot"
edit '/^usable/d'
run --cache
mends "a line that is missing"
chmod 0666 "$cache"
run --cache
mends "0666"

# Paths that the remedy has to quote, and folders that are missing.
good=$cache
named() { cache=$1 CPUCYCLES_CACHE=$1; export CPUCYCLES_CACHE; }
named "$scratch/it is here/counters"
refused "a path with blanks" missing '.*' "${install}run: $installed --cache '$cache'"
mends "a path with blanks"
named "$scratch/no/such/folder/counters"
refused "no folder" missing '.*' \
	"${install}run: mkdir -p $scratch/no/such/folder && $installed --cache $cache"
mends "no folder"

: >"$scratch/file"
named "$scratch/file/counters"
refused "a file for a folder" missing 'there is no such file: not all above it are folders' \
	"$elsewhere"
ln -s loop "$scratch/loop"
named "$scratch/loop/counters"
refused "a loop of links" untrusted 'it cannot be looked at: .*[Ss]ymbolic link.*' "$elsewhere"
named "$scratch/cache/"
refused "a path without a name" untrusted 'it is a folder, not a regular file' "$elsewhere"
named "$scratch/$(printf 'a\tb')"
refused "a name that no command can have" missing '.*' "$elsewhere"
named "$scratch/$(printf '%0250d' 0)"
refused "a name that is too long for the files beside it" missing '.*' "$elsewhere"
cd "$scratch" || exit 99
named ./relative/counters
refused "a relative name" missing '.*' \
	"${install}run: $installed --cache $scratch/relative/counters"
cd "$OLDPWD" || exit 99
named /dev/null
refused "a device" untrusted 'it is a device, not a regular file' "$elsewhere"
if [ "$(stat -c %u /proc/version 2>/dev/null)" = 0 ]; then
	named /proc/version
	refused "a file system that is not on the list" untrusted \
		'it lies on a file system that the library does not read from' "$elsewhere"
else
	skip "a file system that is not on the list" "no /proc, or not root's"
fi
named "$good"
calibrate

# The environment.
CPUCYCLES_COUNTER=default-zero run --cache
is "a counter that the environment names: status 1" "$status" 1
ok "it says so" has 'cpucycles cache remedy: run: unset CPUCYCLES_COUNTER'
CPUCYCLES_COUNTER=no-such run --cache
is "a name that is no counter's changes nothing" "$status" 0
for class in on-core kernel-count off-core os-clock; do
	CPUCYCLES_COUNTER=$class run --cache
	is "class $class: the cache is in use, and nothing is wrong" "$status \
$(sed -n 's/^cpucycles cache in use status //p; s/^cpucycles cache problem.*/&/p' "$scratch/out")" \
		"0 used"
	ranked=$(awk -v class=$class '$1 == "usable" && $3 == class { print $2; exit }' "$cache")
	is "class $class: the cache's first counter of it, or its first of all" \
		"$(sed -n 's/^cpucycles implementation \([^ ]*\) .*/\1/p' "$scratch/out")" \
		"${ranked:-$(awk '$1 == "usable" { print $2; exit }' "$cache")}"
done
CPUCYCLES_CACHE=none
refused "none" disabled 'the environment variable CPUCYCLES_CACHE says none' \
	'run: unset CPUCYCLES_CACHE'
unset CPUCYCLES_CACHE
if [ -e "$localstatedir/cache/cpucycles/counters" ]; then
	skip "the default cache" "this machine has one"
else
	refused "the default cache" missing '.*' \
		"${install}run as root: (mkdir -p $localstatedir/cache/cpucycles && )?($installed|\
systemctl (restart|enable( --now)?) cpucycles-calibrate.*)"
	ok "its path" has \
		"cpucycles cache path $localstatedir/cache/cpucycles/counters named by default"
fi

# A persecond file that cannot be obeyed, in a folder that only this process sees.
cat >"$scratch/with" <<'END'
mount -t tmpfs none "$1" && { [ -z "$2" ] || eval "$2"; } || exit 99
shift 2
"$@"
END
# with COMMAND ARGUMENT...: runs the tool. COMMAND makes the file $1/cpucyclespersecond.
with() {
	make=$1
	shift
	status=0
	CPUCYCLES_CACHE=$cache $unshare sh "$scratch/with" "$sysconfdir" "$make" "$@" \
		>"$scratch/out" 2>"$scratch/err" || status=$?
}
number="a number of cycles per second from 1000 to 100000000000, such as 3500000000"
# cannot NAME COMMAND REASON: what --cache and --json say of the file that COMMAND makes.
cannot() {
	with "$2" "$info" --cache
	ok "$1: said" has "cpucycles persecond file ignored: $sysconfdir/cpucyclespersecond:$3"
	ok "$1: the cache is in use" has "cpucycles cache in use status used"
	with "$2" "$info" --json
	[ $status = 2 ] || is "$1: for programs too" \
		"$("$json_get" persecond_file_ignored <"$scratch/out" | grep -c -x -E -e \
		"$sysconfdir/cpucyclespersecond:$3")" 1
}
made=
[ -d "$sysconfdir" ] || { mkdir -p "$sysconfdir" 2>/dev/null && made=$sysconfdir; }
calibrate
if may_mount "$sysconfdir"; then
	cannot "a link to nothing" 'ln -s nowhere "$1/cpucyclespersecond"' \
		" a symbolic link to a file that does not exist"
	cannot "a unit" 'echo 3.5 GHz >"$1/cpucyclespersecond"' "1: \"3\.5 GHz\" is not $number"
	cannot "a second number" 'echo 2500000000 2 >"$1/cpucyclespersecond"' \
		"1: \"2500000000 2\" is not $number"
	cannot "too small" 'echo 999 >"$1/cpucyclespersecond"' "1: \"999\" is not $number"
	cannot "too large" 'echo 1e12 >"$1/cpucyclespersecond"' "1: \"1e12\" is not $number"
	cannot "an empty file" ': >"$1/cpucyclespersecond"' "1: \"\" is not $number"
	cannot "an empty line" 'echo >"$1/cpucyclespersecond"' "1: \"\" is not $number"
	cannot "control characters" "printf '\\033]0;x\\007\\n' >\"\$1/cpucyclespersecond\"" \
		"1: \"\?]0;x\?\" is not $number"
	cannot "a long line" 'seq -s " " 999 >"$1/cpucyclespersecond"' \
		"1: \"1 2 [0-9 ]{60}\\.\\.\\.\" is not $number"
	cannot "a null byte" 'head -c 9 /dev/zero >"$1/cpucyclespersecond"' \
		" a null byte in it: no text"
	cannot "a folder" 'mkdir "$1/cpucyclespersecond"' " not a regular file"
	cannot "a FIFO" 'mkfifo "$1/cpucyclespersecond"' " not a regular file"
	cannot "a link to itself" 'ln -s cpucyclespersecond "$1/cpucyclespersecond"' \
		" cannot be read: .*"
	cannot "not on a local file system" 'ln -s /proc/version "$1/cpucyclespersecond"' \
		" on a file system that the library does not read from"
	for obeyed in 1500000000 "1500000000 Hz" "1.5e9 Hz # x" "1500000000 # set by ops"; do
		with "echo '$obeyed' >\"\$1/cpucyclespersecond\"" "$info" --cache
		ok "$obeyed: obeyed" has "cpucycles persecond 1500000000 source persecond-file .*"
		ok "$obeyed: nothing is said" not has "cpucycles persecond file ignored.*"
	done
else
	skip "a persecond file that cannot be obeyed" "$refused"
fi
run --cache
ok "no file: nothing is said" not has "cpucycles .* ignored: .*"

# A calibration of another cache leaves the frequency that the machine's own cache was made for.
if may_mount "$sysconfdir"; then
	persecond_file 1234567890 "$(cat /proc/sys/kernel/random/boot_id)" measured >"$scratch/ours"
	with "cp '$scratch/ours' \"\$1/cpucyclespersecond\"" sh -c '
		"$1" -B 20 -c "$2" 2>"$3/log"
		cmp "$3/ours" "$4/cpucyclespersecond" && CPUCYCLES_CACHE=$2 "$5" --cache' \
		sh "$calibrated" "$scratch/guest" "$scratch" "$sysconfdir" "$info"
	ok "another cache: the frequency stays" has "cpucycles cache in use status used"
	is "another cache: made for that frequency" \
		"$(sed -n 's/^persecond //p' "$scratch/guest")" "1234567890 measured"
	ok "another cache: the log says so" \
		grep -q "cpucyclespersecond: not written: this run is for another cache only\$" \
		"$scratch/log"
	ok "another cache: nobody has edited it" not grep -q "not obeyed" "$scratch/log"
else
	skip "another cache: the frequency stays" "$refused"
fi
# A folder that nobody can write to.
mkdir "$scratch/read-only"
if may_mount "$scratch/read-only"; then
	$unshare sh "$scratch/with" "$scratch/read-only" 'mount -o remount,bind,ro "$1"' \
		sh -c 'CPUCYCLES_CACHE=$1/counters "$2" --cache' sh "$scratch/read-only" "$info" \
		>"$scratch/out" 2>"$scratch/err"
	ok "a read-only folder: another file" has "cpucycles cache remedy: $elsewhere"
else
	skip "a read-only folder: another file" "$refused"
fi

# A variable that cannot be obeyed.
# wrong VARIABLE=VALUE SENTENCE: both are said, in lines and for programs.
wrong() {
	variable=${1%%=*}
	export "${1?}"
	run --cache
	ok "$1: said" has "cpucycles environment ignored: $2"
	ok "$1: the cache is in use" has "cpucycles cache in use status used"
	run --json
	[ $status = 2 ] || is "$1: for programs too" \
		"$("$json_get" variables_ignored 0 <"$scratch/out" | grep -c -x -E -e "$2")" 1
	unset "$variable"
}
CPUCYCLES_CACHE=$cache
export CPUCYCLES_CACHE
no_such="CPUCYCLES_COUNTER=nonsense: no such counter in this library, and no such class; the\
 classes are on-core, kernel-count, off-core and os-clock, the counters [a-z0-9, -]*default-zero:\
 see cpucycles-environment\(7\)"
wrong CPUCYCLES_COUNTER=nonsense "$no_such"
wrong cpucyclespersecond=zzz "cpucyclespersecond=zzz: not $number"
# once OPTION...: this use of the tool says it on standard error, and only once.
once() {
	CPUCYCLES_COUNTER=nonsense run "$@"
	is "cpucycles-info${1:+ $1}: said once on standard error" \
		"$(grep -cxE "cpucycles-info: ignored: $no_such" "$scratch/err")" 1
	ok "cpucycles-info${1:+ $1}: and not in the output" not grep -q nonsense "$scratch/out"
}
once
once --probe
once --metrics
for obeyed in CPUCYCLES_COUNTER=off-core CPUCYCLES_COUNTER=default-gettimeofday \
	"cpucyclespersecond=2500000000 Hz # x"; do
	export "${obeyed?}"
	run --cache
	ok "$obeyed: nothing is ignored" not has "cpucycles .* ignored: .*"
	unset "${obeyed%%=*}"
done
unset CPUCYCLES_CACHE
[ -z "$made" ] || rmdir "$made" 2>/dev/null

# A process that has more rights than its caller ignores the environment, and says so.
secure() {
	cp "$1" "$2" && chown 65534 "$2" && chmod 4755 "$2"
}
# nobody_runs PROGRAM: prints a script that runs it as nobody.
nobody_runs() {
	printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$as_nobody" "$1"
}
# nobodys PROGRAM: puts a script in its place that runs it as nobody.
nobodys() {
	mv "$1" "$1.real" && nobody_runs "$1.real" >"$1" && chmod 755 "$1"
}
# alone VARIABLE=VALUE: --cache, with nothing but that in the environment.
alone() (
	unset CPUCYCLES_CACHE
	export "${1?}"
	run --cache
)
ignored="cpucycles environment ignored: this process is set-id or has file capabilities"
# ignores NAME: $info ignores the environment.
ignores() {
	obeyed='implementation default-gettimeofday|persecond .* source environment'
	for variable in "CPUCYCLES_CACHE=$cache" CPUCYCLES_COUNTER=default-gettimeofday \
		cpucyclespersecond=2000000000; do
		alone "$variable"
		ok "$1: ${variable%%=*} is ignored" has "$ignored"
		ok "$1: ${variable%%=*}: the default path" has \
			'cpucycles cache path .* named by default'
		ok "$1: ${variable%%=*}: not what it says" not has \
			"cpucycles ($obeyed) .*"
	done
	alone unrelated=1
	ok "$1: nothing set, nothing ignored" not has "$ignored"
	CPUCYCLES_CACHE=$cache run --json
	if [ $status = 2 ]; then
		skip "$1: so says --json" "built without jansson"
	else
		is "$1: so says --json" \
			"$("$json_get" cache environment_ignored <"$scratch/out")" true
	fi
}
plain=$info
if ! may_give_away; then
	skip "set-id" "$refused"
elif ! secure "$(command -v id)" "$scratch/id" || [ "$("$scratch/id" -u)" != 65534 ]; then
	skip "set-id" "no set-id programs in $scratch"
elif ! secure "$top_builddir/tests/utils/info-secure" "$scratch/info" ||
	! "$scratch/info" --version >/dev/null 2>&1; then
	skip "set-id" "another user cannot reach the libraries"
else
	info=$scratch/info
	ignores set-id
	info=$plain
fi
# Root has all capabilities already, so a file gives it none.
if ! may_set_id; then
	skip "file capabilities" "$refused"
elif ! cp "$top_builddir/tests/utils/info-secure" "$scratch/capable" ||
	! chmod 755 "$scratch/capable" ||
	! setcap cap_net_raw+ep "$scratch/capable" 2>"$scratch/err" ||
		! nobodys "$scratch/capable"; then
	skip "file capabilities" "setcap: $(head -n 1 "$scratch/err")"
elif ! "$scratch/capable" --version >/dev/null 2>"$scratch/err"; then
	skip "file capabilities" "nobody cannot run it: $(head -n 1 "$scratch/err")"
else
	info=$scratch/capable
	ignores "file capabilities"
	info=$plain
fi

# A folder that other users may not enter. One that somebody has named stays closed. That of the
# default path is to be opened, here one in a file system that only these processes see.
mkdir "$scratch/closed"
named "$scratch/closed/counters"
calibrate
closed='it cannot be looked at: Permission denied'
if ! may_override; then
	chmod 0 "$scratch/closed"
	refused "a closed folder" untrusted "$closed" "$elsewhere"
elif ! may_become; then
	skip "a closed folder" "$refused"
elif ! cp "$top_builddir/tests/utils/info-secure" "$scratch/plain" ||
	! chmod 755 "$scratch/plain" ||
	! $as_nobody "$scratch/plain" --version >/dev/null 2>&1; then
	skip "a closed folder" "another user cannot run the tool"
else
	nobody_runs "$scratch/plain" >"$scratch/as-nobody"
	chmod 755 "$scratch/as-nobody"
	info=$scratch/as-nobody
	chmod 0700 "$scratch/closed"
	refused "a closed folder" untrusted "$closed" "$elsewhere"
	mkdir -m 1777 "$scratch/sticky"
	named "$scratch/sticky/counters"
	calibrate
	chmod 0666 "$cache"
	refused "root's file in a folder for all" untrusted '.*' "${install}run as root: .* $cache"
	unset CPUCYCLES_CACHE
	made=
	[ -d "$localstatedir" ] || { mkdir -p "$localstatedir" 2>/dev/null && made=$localstatedir; }
	folder=$localstatedir/cache/cpucycles
	cat >"$scratch/opened" <<-END
		mkdir -p "$folder" && chmod 0700 "$folder"
		echo "no cache, but replaced at the default path" >"$folder/counters"
		"$calibrated" -B 20 -p "$scratch/p" 2>/dev/null
		"$info" --cache >"$scratch/out"
		sed -n 's/^cpucycles cache remedy: run as root: //p' "$scratch/out" >"$scratch/do"
		. "$scratch/do"
		"$info" --cache >"$scratch/after"
		exit 0
	END
	if may unshare -m mount -t tmpfs none "$localstatedir"; then
		unshare -m sh "$top_srcdir/tests/harness/way.sh" \
			sh "$scratch/with" "$localstatedir" "" sh "$scratch/opened"
		ok "the closed default folder: the sentence" has "cpucycles cache problem: $closed"
		ok "the closed default folder: the remedy" has \
			"cpucycles cache remedy: run as root: chmod a\\+x $folder"
		ok "the closed default folder: the remedy mends it" \
			grep -q '^cpucycles cache in use status used$' "$scratch/after"
	else
		skip "the closed default folder" "$refused"
	fi
	[ -z "$made" ] || rmdir "$made" 2>/dev/null
fi
