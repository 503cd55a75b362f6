#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The Debian packages of an earlier commit are installed and calibrated, upgraded to the packages of
# these sources, and downgraded again: in a Debian that runs and in a chroot. The earlier commit had
# no library that measures.

. "$top_srcdir/tests/boot/common.sh"
. "$top_srcdir/tests/packaging/common.sh"

# The last commit with format 3 of the cache: the library of either side refuses the other's cache.
# Its calibrator wrote two lines into /etc/cpucyclespersecond.
earlier=9980649a78a734aa7820e760260727958627edb3
earlier_packages=$top_builddir/tests/packaging/debian-earlier
BUILD_SECONDS=1800
cache=/var/cache/cpucycles/counters

# user_program ROOT: the symbols that the program asks for have no versions, so it runs with either
# library.
user_program() {
	write_first_call &&
		quietly object gcc -Wall -Werror -fPIC -I"$top_srcdir/include" -c \
			-o "$scratch/first-call.o" "$scratch/first-call.c" &&
		nm -u "$scratch/first-call.o" |
		sed -n 's/.* \(cpucycles.*\)/void \1(void) {}/p' >"$scratch/stub.c" &&
		quietly stub gcc -shared -Wl,-soname,libcpucycles.so.1 \
			-o "$scratch/libcpucycles.so" "$scratch/stub.c" &&
		quietly first-call gcc -o "$scratch/first-call" "$scratch/first-call.o" \
			-L"$scratch" -lcpucycles &&
		mkdir -p "$1/usr/local/bin" && cp "$scratch/first-call" "$1/usr/local/bin/"
}

# in_git ARGUMENT...: git in the sources, even if they belong to another user.
in_git() {
	git -c safe.directory='*' -C "$top_srcdir" "$@"
}

# as_earlier: give the sources in this folder a version below that of any release.
as_earlier() {
	version=$(dpkg-parsechangelog -S Version) &&
		cat - debian/changelog >debian/changelog.new <<-END &&
			cpucycles ($version~earlier) unstable; urgency=medium

			  * An earlier commit.

			 -- The cpucycles developers <cpucycles@example.org>  $(date -R)

		END
		mv debian/changelog.new debian/changelog
}

# build_earlier: build that commit's packages, which are kept from run to run. Another test may be
# building them.
build_earlier() (
	mkdir -p "${earlier_packages%/*}" && exec 8>"$earlier_packages.lock" || return
	flock 8
	[ "$(cat "$earlier_packages/built" 2>/dev/null)" != "$earlier" ] || return 0
	rm -rf "$earlier_packages"
	mkdir -p "$earlier_packages/source" &&
		in_git archive "$earlier" | tar -C "$earlier_packages/source" -xf - &&
		(cd "$earlier_packages/source" && as_earlier &&
			LC_ALL=C DEB_BUILD_OPTIONS="nocheck noautodbgsym" \
				quietly earlier timeout "$BUILD_SECONDS" \
				dpkg-buildpackage -us -uc -b) &&
		rm -rf "$earlier_packages/source" && echo "$earlier" >"$earlier_packages/built"
)

command -v git >/dev/null || skip_all "git is not there"
[ -e "$top_srcdir/.git" ] || skip_all "no clone, so no earlier commit is here"
if ! in_git cat-file -e "$earlier^{commit}" 2>/dev/null &&
	[ "$(in_git rev-parse --is-shallow-repository)" = true ]; then
	skip_all "the clone is shallow, without the earlier commit"
fi
ok "the earlier commit's packages build" build_earlier
[ -e "$earlier_packages/built" ] || exit 0
packages_built || exit 0
new=$(version_of "$packages")
old=$(dpkg-deb -f "$earlier_packages"/cpucycles_*.deb Version)
ok "$old is the lower version, $new the higher" dpkg --compare-versions "$old" lt "$new"

# A process that is running while the packages are exchanged: it reads a line, and selects again.
cat >"$scratch/running.c" <<'END'
#include <cpucycles.h>
#include <stdio.h>

static void show(const char *when)
{
	long long before = cpucycles(), after = cpucycles();

	printf("%s: counts %s, status %s\n", when, after > before ? "up" : "not up",
	       cpucycles_cache_status());
	fflush(stdout);
}

int main(void)
{
	show("before");
	while (getchar() == '\n') {
		cpucycles_reselect();
		show("after");
	}
	return 0;
}
END
running_program() {
	quietly running gcc -Wall -Werror -I"$top_srcdir/include" \
		-o "$scratch/programs/usr/local/bin/running" "$scratch/running.c" \
		-L"$top_builddir/lib/.libs" -lcpucycles
}
user_program "$scratch/programs" || exit 1
ok "a program that goes on running" running_program

# upgrade_root NAME: a system with the packages of both versions in /repository.
upgrade_root() {
	new_root "$1" "$scratch/programs" &&
		mkdir -p "$root/repository/old" "$root/repository/new" &&
		mount --bind "$earlier_packages" "$root/repository/old" &&
		mount --bind "$packages" "$root/repository/new" &&
		rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"/*
}
functions='
	export DEBIAN_FRONTEND=noninteractive
	cache='$cache'
	persecond=/etc/cpucyclespersecond
	measure="libcpucycles-measure1 libcpucycles-measure-dev"
	# files VERSION: our packages of this version, old or new.
	files() {
		names="libcpucycles1 libcpucycles-dev cpucycles cpucycles-calibrate"
		[ $1 = old ] || names="$names $measure"
		for name in $names; do
			echo /repository/$1/${name}_*.deb
		done
	}
	# without_measure: in a downgrade, the packages that the earlier commit does not have go
	# first, because their library needs functions of the new one.
	without_measure() {
		[ $1 != old ] || dpkg --purge $measure
	}
	by_apt() {
		without_measure $1 &&
			apt-get -q -y --no-install-recommends --allow-downgrades install $(files $1)
	}
	format() { head -n 1 $cache; }
	# measures: the files of the library that measures, and whether its tool starts.
	measures() {
		find /usr -name "libcpucycles-measure*" ! -path "/usr/share/*" | sed "s,.*/,,"
		cpucycles-measure --version
	}
	looks() {
		note $1-versions dpkg-query -W -f "\${db:Status-Abbrev}\${Version}\n" \
			libcpucycles1 libcpucycles-dev cpucycles cpucycles-calibrate
		note $1-first as_nobody first-call
		note $1-format format
		cp $persecond /case/out/$1-persecond || true
		note $1-measure measures
	}'

upgrade_root life
ok "a Debian boots" boot <<END
$functions
unit_state() {
	systemctl is-enabled \$unit cpucycles-calibrate-resume.service
	systemctl is-active \$unit
}
runs() {
	journal | grep -c '^persecond [0-9]* Hz, source'
}
# step NAME COMMAND...: exchange the packages, and look.
step() {
	step=\$1
	shift
	note \$step-status "\$@"
	note \$step-unit unit_state
	note \$step-runs runs
	looks \$step
}
# by_dpkg VERSION NAME: with a look between the two halves, when the files are exchanged and the
# unit was not restarted.
by_dpkg() {
	without_measure \$1 && dpkg --unpack \$(files \$1) || return
	as_nobody first-call >/case/out/\$2-first
	as_nobody cpucycles-info --cache >/case/out/\$2-info
	dpkg --configure -a
}
step installed by_apt old
step disabled by_apt new
step disabled-back by_apt old

systemctl enable --now \$unit
looks enabled
mkfifo -m 666 /case/reselect
as_nobody running </case/reselect >/case/out/running &
exec 3>/case/reselect
for i in \$(seq 3000); do
	[ ! -s /case/out/running ] || break
	sleep 0.1
done
step upgraded by_dpkg new upgraded-half
echo >&3
step downgraded by_dpkg old downgraded-half
echo >&3
exec 3>&-
wait
step again by_apt new
systemctl stop \$unit
step stopped by_apt old

systemctl mask --now \$unit
step masked by_apt new
step masked-back by_apt old
systemctl unmask \$unit
systemctl restart \$unit

# The sysadmin writes another number into the calibrator's file, and leaves the lines behind it.
number=\$(head -n 1 \$persecond)
sed -i '1s/.*/1999000000/; 3,\$d' \$persecond
echo "# To overrule \$number, write another number on the first line." >>\$persecond
cp \$persecond /case/out/edited
systemctl restart \$unit
step sysadmin by_apt new
step sysadmin-back by_apt old
rm \$persecond
step last by_apt new
note failed systemctl list-units --failed --plain --no-legend "cpucycles*"
note audit dpkg --audit
note check apt-get -q check
note left sh -c 'ls -A /var/cache/cpucycles; ls -A /etc | grep cpucycles; true'
note half apt-get -q -s --allow-downgrades install \$(files old | grep libcpucycles1)
note purge apt-get -q -y purge cpucycles cpucycles-calibrate libcpucycles1 libcpucycles-dev \
	\$measure
note purged find /var/cache /etc /var/lib/systemd /usr/lib /usr/bin /usr/sbin -name '*cpucycles*'
END
[ -e "$out/purged" ] || exit 0

# at STEP VERSION: the packages are of this version, and nobody complains.
at() {
	ok "$1: it succeeds" said "$1-status" '^status 0$'
	is "$1: the versions" "$(got "$1-versions")" "ii $2
ii $2
ii $2
ii $2
status 0"
	if [ "$2" = "$new" ]; then
		is "$1: the library that measures is there, and its tool runs" \
			"$(got "$1-measure" | sort)" "cpucycles-measure ${new%-*}
libcpucycles-measure.a
libcpucycles-measure.so
libcpucycles-measure.so.1
libcpucycles-measure.so.1.0.0
status 0"
	else
		ok "$1: nothing measures" said "$1-measure" '^status 127$'
		ok "$1: no file of that library is left" said_not "$1-measure" libcpucycles
	fi
}
runs() {
	head -n 1 "$out/$1-runs"
}
# calibrated STEP VERSION BEFORE: the unit ran once more than at the step BEFORE.
calibrated() {
	at "$1" "$2"
	is "$1: the unit is enabled and active" "$(got "$1-unit")" "enabled
enabled
active
status 0"
	[ $# -lt 3 ] ||
		is "$1: the calibrator ran once" "$(runs "$1")" "$(($(runs "$3") + 1))"
	ok "$1: a first call comes from the cache" said "$1-first" '^status used$'
	if [ "$2" = "$new" ]; then
		is "$1: the cache is of the new format" "$(got "$1-format")" "$new_format"
	else
		is "$1: the cache is of the old format" "$(got "$1-format")" "$old_format"
	fi
}
# our_frequency STEP: the file is the calibrator's in the eyes of the library there.
our_frequency() {
	ok "$1: the frequency's file is the calibrator's" said "$1-persecond" \
		'^# written by cpucycles-calibrated'
	ok "$1: the library does not take it for the sysadmin's" said_not "$1-first" \
		'source persecond-file$'
}

at installed "$old"
for step in disabled disabled-back; do
	case $step in *-back) at $step "$old" ;; *) at $step "$new" ;; esac
	is "$step: the unit stays disabled" "$(got $step-unit)" "disabled
disabled
inactive
status 3"
	is "$step: the calibrator did not run" "$(runs $step)" 0
	ok "$step: a first call probes" said $step-first '^status missing$'
done

old_format=$(got enabled-format)
new_format=$(got upgraded-format)
ok "the formats differ" test "$old_format" != "$new_format"
calibrated upgraded "$new"
calibrated downgraded "$old" upgraded
calibrated again "$new" downgraded
calibrated stopped "$old" again
for step in upgraded downgraded again stopped; do
	our_frequency $step
done
for half in upgraded downgraded; do
	ok "$half by half: the other version's cache is refused" said $half-half-first \
		'^status malformed$'
	ok "$half by half: a first call probes and counts" said $half-half-first '^counts up$'
	ok "$half by half: cpucycles-info names the line with the format" said $half-half-info \
		"^cpucycles cache problem: $cache:1: not as cpucycles-cache(5) describes it"
done
is "a program that ran all the time selects again with the old library" "$(got running)" \
	"before: counts up, status used
after: counts up, status malformed
after: counts up, status used"
is "the downgraded calibrator wrote as many lines as before" \
	"$(grep -c . "$out/downgraded-persecond")" "$(grep -c . "$out/enabled-persecond")"

for step in masked masked-back; do
	case $step in *-back) at $step "$old" ;; *) at $step "$new" ;; esac
	ok "$step: the unit stays masked" said $step-unit '^masked$'
	ok "$step: and inactive" said $step-unit '^inactive$'
	is "$step: the calibrator did not run" "$(runs $step)" "$(runs stopped)"
	ok "$step: a first call counts" said $step-first '^counts up$'
done

calibrated sysadmin "$new"
calibrated sysadmin-back "$old" sysadmin
for step in sysadmin sysadmin-back; do
	is "$step: the sysadmin's file stays" "$(got $step-persecond)" "$(got edited)"
	ok "$step: and is obeyed" said $step-first '^persecond 1999000000 source persecond-file$'
done
calibrated last "$new" sysadmin-back
is "none of our units failed" "$(got failed)" "status 0"
is "dpkg is content" "$(got audit)" "status 0"
ok "apt is content" said check '^status 0$'
is "nothing is left but what is in use" "$(got left)" ".counters.lock
counters
cpucyclespersecond
status 0"
ok "half a downgrade: apt does not leave the calibrator" said half '^Remv cpucycles-calibrate '
is "purged: nothing is left" "$(got purged)" "status 0"

# A chroot, where no systemd runs.
upgrade_root chroot
mount -t proc proc "$root/proc"
# in_chroot: run the script on standard input there.
in_chroot() {
	{ guest_functions; echo "$functions"; cat; } >"$root/case/script"
	quiet_chroot "$root" sh -u /case/script
}
ok "chroot: the packages are exchanged" in_chroot <<'END'
note old-status by_apt old
systemctl enable $unit
cpucycles-calibrated
looks old
note new-status by_apt new
looks new
note enabled systemctl is-enabled $unit
cpucycles-calibrated
looks calibrated
note back-status by_apt old
looks back
note enabled-back systemctl is-enabled $unit
END
at old "$old"
at new "$new"
at back "$old"
ok "chroot: the earlier cache is used" said old-first '^status used$'
ok "chroot: upgraded: it is refused" said new-first '^status malformed$'
ok "chroot: calibrated by hand" said calibrated-first '^status used$'
ok "chroot: downgraded: that cache is refused" said back-first '^status malformed$'
ok "chroot: no number is obeyed for ever" said_not back-first 'source persecond-file$'
for name in enabled enabled-back; do
	is "chroot: the unit stays $name" "$(got $name)" "enabled
status 0"
done
