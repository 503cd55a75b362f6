#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# --cache tells whether the cache is in use, and if not, why and what mends it.

. "$top_srcdir/tests/harness/tap.sh"
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
ranking="$ranking"' measured \([0-9]*\) ppm \([0-9]*\)$/\1 \2 \3 \4 \5 \6/p'
is "the ranking" "$(sed -n "$ranking" "$scratch/out")" \
	"$(sed -n 's/^usable //p' "$cache" | awk '{ print NR, $1, $2, $4, $6, $10, $12 }')"
is "the others" \
	"$(sed -n 's/^cpucycles cache unusable \([^ ]*\) reason \([^ ]*\): [^ ].*/\1 \2/p' \
		"$scratch/out")" \
	"$(sed -n 's/^unusable \([^ ]*\) \([^ ]*\) .*/\1 \2/p' "$cache")"
is "the core" "$(sed -n 's/^cpucycles cache core measured //p' "$scratch/out")" \
	"$(sed -n 's/^core //p' "$cache")"
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
off=$(sed -n 's/^usable \([^ ]*\) off-core .*/\1/p' "$cache" | head -n 1)
core='s/^core .*/core PERSECOND ppm 9/'
facts='s/^fact \([a-z]*\) .*/fact \1 unknown/; s/^fact hypervisor .*/fact hypervisor vax/'
if [ -n "$off" ]; then
	ranked "$off" "$core; $facts; s/measured .*/measured PERSECOND ppm 3/"
	ok "the rate in use was measured" has "cpucycles hz $persecond source measured ppm 3"
	ok "it agrees with the core" not has 'cpucycles disagreement.*'
	ranked "$off" "$core; $facts; s/measured .*/measured SLOWER ppm 3/"
	ok "it does not" has \
		'cpucycles disagreement: cycles of this counter are not core cycles: .*'
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

installed=$sbindir/cpucycles-calibrated
recalibrate="run: $installed --cache $cache"

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
mends() {
	remedy=$(sed -n 's/^cpucycles cache remedy: .*run\( as root\)\{0,1\}: //p' "$scratch/out")
	substitute='"$calibrated" --persecond "$scratch/p"'
	case $remedy in
	*"$installed"*) remedy="${remedy%%"$installed"*}$substitute${remedy#*"$installed"}" ;;
	esac
	eval "$remedy" >"$scratch/log" 2>&1 || sed 's/^/# /' "$scratch/log"
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
awk 'BEGIN { for (i = 0; i < 900; i++) print "0123456789" }' >"$cache"
refused "a large file" untrusted 'it is 9900 bytes long, more than the 8192 of a cache' \
	"$recalibrate"
calibrate
mv "$cache" "$cache.real" && ln -s "$cache.real" "$cache"
refused "a symbolic link" untrusted 'it is a symbolic link, not a regular file' \
	"run: rm $cache && ${recalibrate#run: }"
mends "a symbolic link"
rm -f "$cache" && mkdir "$cache"
refused "a folder" untrusted 'it is a folder, not a regular file' \
	"run: mv $cache $cache.old && ${recalibrate#run: }"
mends "a folder"
rm -f "$cache" && rmdir "$cache.old" && mkfifo "$cache"
refused "a FIFO" untrusted 'it is a FIFO, not a regular file' \
	"run: rm $cache && ${recalibrate#run: }"
mends "a FIFO"
rm -f "$cache"
refused "no file" missing 'there is no such file: this machine was not calibrated' "$recalibrate"
ok "no file: no age" not has 'cpucycles cache written .*'

if [ "$(id -u)" = 0 ]; then
	calibrate
	chown 12345 "$cache"
	refused "a stranger's file" untrusted \
		'it is owned by user 12345, not by root or the caller' "$recalibrate"
else
	skip "a stranger's file" "needs root"
	calibrate
	chmod 0000 "$cache"
	refused "a file that may not be read" untrusted 'it cannot be read: .*' "$recalibrate"
fi

mends "no file"
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
refused "a path with blanks" missing '.*' "run: $sbindir/cpucycles-calibrated --cache '$cache'"
mends "a path with blanks"
named "$scratch/no/such/folder/counters"
refused "no folder" missing '.*' \
	"run: mkdir -p $scratch/no/such/folder && $sbindir/cpucycles-calibrated --cache $cache"
mends "no folder"

# Problems that only another file mends: the default one, or here the good one.
elsewhere='name another file in CPUCYCLES_CACHE, or run: unset CPUCYCLES_CACHE'
: >"$scratch/file"
named "$scratch/file/counters"
refused "a file for a folder" missing 'there is no such file: not all above it are folders' \
	"$elsewhere"
ln -s loop "$scratch/loop"
named "$scratch/loop/counters"
refused "a loop of links" untrusted 'it cannot be looked at: .*[Ss]ymbolic link.*' "$elsewhere"
named "$scratch/cache/"
refused "a path without a name" untrusted 'it is a folder, not a regular file' "$elsewhere"
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
CPUCYCLES_CACHE=none
refused "none" disabled 'the environment variable CPUCYCLES_CACHE says none' \
	'run: unset CPUCYCLES_CACHE'
unset CPUCYCLES_CACHE
if [ -e "$localstatedir/cache/cpucycles/counters" ]; then
	skip "the default cache" "this machine has one"
else
	refused "the default cache" missing '.*' \
		"run as root: (mkdir -p $localstatedir/cache/cpucycles && )?$installed"
	ok "its path" has \
		"cpucycles cache path $localstatedir/cache/cpucycles/counters named by default"
fi

# A process that has more rights than its caller ignores the environment, and says so.
secure() {
	cp "$1" "$2" && chown 65534 "$2" && chmod 4755 "$2"
}
# nobody_runs PROGRAM: prints a script that runs it as nobody.
nobody_runs() {
	printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups "%s" "$@"\n' "$1"
}
# as_nobody PROGRAM: puts a script in its place that runs it as nobody.
as_nobody() {
	mv "$1" "$1.real" && nobody_runs "$1.real" >"$1" && chmod 755 "$1"
}
# alone VARIABLE=VALUE: --cache, with nothing but that in the environment.
alone() (
	unset CPUCYCLES_CACHE
	export "$1"
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
if [ "$(id -u)" != 0 ]; then
	skip "set-id" "needs root"
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
if [ "$(id -u)" != 0 ]; then
	skip "file capabilities" "needs root"
elif ! cp "$top_builddir/tests/utils/info-secure" "$scratch/capable" ||
	! chmod 755 "$scratch/capable" ||
	! setcap cap_net_raw+ep "$scratch/capable" 2>"$scratch/err" ||
		! as_nobody "$scratch/capable"; then
	skip "file capabilities" "setcap: $(head -n 1 "$scratch/err")"
elif ! "$scratch/capable" --version >/dev/null 2>"$scratch/err"; then
	skip "file capabilities" "nobody cannot run it: $(head -n 1 "$scratch/err")"
else
	info=$scratch/capable
	ignores "file capabilities"
	info=$plain
fi

# A folder that other users may not enter.
mkdir "$scratch/closed"
named "$scratch/closed/counters"
calibrate
closed_by() {
	refused "a closed folder" untrusted 'it cannot be looked at: Permission denied' \
		"run$1: chmod a\\+rx $scratch/closed"
	mends "a closed folder"
}
if [ "$(id -u)" != 0 ]; then
	chmod 0 "$scratch/closed"
	closed_by ""
elif ! cp "$top_builddir/tests/utils/info-secure" "$scratch/plain" ||
	! chmod 755 "$scratch/plain" ||
	! setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/plain" --version \
		>/dev/null 2>&1; then
	skip "a closed folder" \
		"this process cannot become nobody, or nobody cannot reach the libraries"
else
	nobody_runs "$scratch/plain" >"$scratch/as-nobody"
	chmod 755 "$scratch/as-nobody"
	info=$scratch/as-nobody
	chmod 0700 "$scratch/closed"
	closed_by " as root"
fi
