#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The rpm packages in a running system: installed, enabled, upgraded, downgraded and erased, with
# the scriptlets and file triggers of Fedora and of openSUSE. The same with chroot, in a system that
# does not run. The system is Debian with Debian's rpm.

. "$top_srcdir/tests/boot/common.sh"
. "$top_srcdir/tests/packaging/rpm-common.sh"

ok "the packages build" build_rpms
[ -e "$rpms/contents" ] || exit 0
alone fetch_packages rpm rpm libjansson4 || skip_all "Debian's rpm could not be fetched"

# rpm_root NAME: a system with rpm, in which our packages were never installed.
rpm_root() {
	new_root "$1" "$fetched/rpm" && user_program "$root" && mkdir -p "$root/rpms" &&
		mount --bind "$rpms" "$root/rpms" &&
		echo /usr/lib64 >"$root/etc/ld.so.conf.d/lib64.conf"
}

# Debian's rpm has its database elsewhere, and warns that Debian's packages are better.
functions='
rpm() { command rpm --force-debian --dbpath /var/lib/rpm "$@"; }
units="$unit cpucycles-calibrate-resume.service"
cache=/var/cache/cpucycles/counters
persecond=/etc/cpucyclespersecond
files() { find /etc /usr /var/cache -name "*cpucycles*" | sort; }
'

# The life of the packages. $now and $next are the folders of two releases.
life='
runs() { journal | grep -c "^persecond [0-9]* Hz, source"; }
looks() {
	settled
	note $1-first as_nobody first-call
	note $1-enabled systemctl is-enabled $units
	note $1-active systemctl is-active $unit
	note $1-runs runs
	note $1-release rpm -q --qf "%{RELEASE}\n" cpucycles-calibrate
	note $1-left ls -d $cache $persecond
}
note others rpm -i /rpms/$others/*.rpm
files >/case/out/before

note install rpm -i /rpms/$now/*.rpm
note known systemctl show -p LoadState --value $units
looks installed
note idle-upgrade rpm -U /rpms/$next/*.rpm
looks idle-upgraded
note idle-downgrade rpm -U --oldpackage /rpms/$now/*.rpm
looks idle-downgraded

note enable systemctl enable --now $unit
looks enabled
note verify rpm -V cpucycles-calibrate
note upgrade rpm -U /rpms/$next/*.rpm
looks upgraded
note downgrade rpm -U --oldpackage /rpms/$now/*.rpm
looks downgraded
note reinstall rpm -U --replacepkgs /rpms/$now/*.rpm
looks reinstalled

systemctl stop $unit
note stopped-upgrade rpm -U /rpms/$next/*.rpm
looks stopped
touch /var/cache/cpucycles/.counters.new /etc/.cpucyclespersecond.new # as if it was killed
note erase rpm -e cpucycles-calibrate
looks erased
note gone find /etc /var/cache /var/lib/systemd /run/systemd -name "*cpucycles*"

echo 3000000000 >$persecond
note sysadmin-install rpm -i /rpms/$next/cpucycles-calibrate-*.rpm
note sysadmin-enable systemctl enable --now $unit
looks sysadmin
note sysadmin-downgrade rpm -U --oldpackage /rpms/$now/*.rpm
note sysadmin-erase rpm -e cpucycles-calibrate
note sysadmin-persecond cat $persecond
rm $persecond
note erase-rest sh -c "rpm --force-debian --dbpath /var/lib/rpm -e \
	\$(rpm --force-debian --dbpath /var/lib/rpm -qa | grep cpucycles)"
files >/case/out/after
note failed systemctl list-units --failed --no-legend "cpucycles*"'

# said_nothing NAME: the command succeeded, and printed at most what systemctl says of links.
said_nothing() {
	said "$1" '^status 0$' && ! grep -Ev '^status|^Removed ' "$out/$1" >/dev/null && return
	sed 's/^/# /' "$out/$1"
	return 1
}

# lives CASE: the tests that both distributions pass.
lives() {
	for step in others install idle-upgrade idle-downgrade upgrade downgrade reinstall \
		stopped-upgrade erase sysadmin-install sysadmin-downgrade sysadmin-erase \
		erase-rest; do
		ok "$1: rpm and its scriptlets succeed in silence: $step" said_nothing $step
	done
	is "$1: installed: systemd knows the units" "$(got known)" "loaded

loaded
status 0"
	for state in installed idle-upgraded idle-downgraded; do
		is "$1: $state: the units are disabled" "$(head -n 2 "$out/$state-enabled")" \
			"disabled
disabled"
		is "$1: $state: nothing ran" "$(head -n 1 "$out/$state-runs")" 0
		ok "$1: $state: the library works" said $state-first '^selection probe$'
	done
	is "$1: idle: it is the right release" \
		"$(head -qn 1 "$out"/installed-release "$out"/idle-*-release)" "1
1
1.1"
	runs=0
	for state in enabled upgraded downgraded reinstalled; do
		is "$1: $state: the units are enabled" "$(got $state-enabled)" "enabled
enabled
status 0"
		runs=$((runs + 1))
		is "$1: $state: the calibrator ran once more" \
			"$(head -n 1 "$out/$state-runs")" $runs
		is "$1: $state: and succeeded" "$(got $state-active)" "active
status 0"
		ok "$1: $state: a first call comes from the cache" said $state-first \
			'^selection cache$'
	done
	is "$1: enabled: rpm finds its files as they were" "$(got verify)" "status 0"
	is "$1: upgraded while it was stopped: it stays enabled" "$(got stopped-enabled)" "enabled
enabled
status 0"
	is "$1: but does not run" "$(head -qn 1 "$out/stopped-runs" "$out/stopped-active")" "$runs
inactive"
	is "$1: erased: the unit is stopped" "$(head -n 1 "$out/erased-active")" inactive
	ok "$1: erased: and unknown" said_not erased-enabled abled
	ok "$1: erased: the library works" said erased-first '^selection probe$'
	is "$1: erased: no file of the calibrator is left, and no link" "$(got gone)" "status 0"
	ok "$1: sysadmin: the frequency is obeyed" said sysadmin-first \
		'^persecond 3000000000 source persecond-file$'
	ok "$1: sysadmin: the calibrator has run" said sysadmin-first '^selection cache$'
	is "$1: sysadmin: erased: the file is untouched" "$(got sysadmin-persecond)" "3000000000
status 0"
	is "$1: all erased: nothing is left" "$(diff "$out/before" "$out/after")" ""
	is "$1: none of our units failed" "$(got failed)" "status 0"
}

# What happens while an image is made: systemd does not run, and /proc is not mounted.
offline_life='
note others rpm -i /rpms/$others/*.rpm
files >/case/out/before
note install rpm -i /rpms/$now/*.rpm
note installed systemctl is-enabled $units
note enable systemctl enable $unit
note upgrade rpm -U /rpms/$next/*.rpm
note downgrade rpm -U --oldpackage /rpms/$now/*.rpm
note downgraded systemctl is-enabled $units
note linker sh -c "ldconfig -p | grep cpucycles"
note erase rpm -e cpucycles-calibrate
note erase-rest sh -c "rpm --force-debian --dbpath /var/lib/rpm -e \
	\$(rpm --force-debian --dbpath /var/lib/rpm -qa | grep cpucycles)"
files >/case/out/after'

# offline: run the script on standard input in $root with chroot.
offline() {
	{ guest_functions; cat; } >"$root/case/script"
	quietly offline env -i PATH="$PATH" chroot "$root" sh -u /case/script
}

offline_lives() {
	for step in others install upgrade downgrade erase erase-rest; do
		ok "$1, not running: rpm and its scriptlets succeed in silence: $step" \
			said_nothing $step
	done
	is "$1, not running: installed: the units are disabled" "$(head -n 2 "$out/installed")" \
		"disabled
disabled"
	is "$1, not running: enabled, upgraded and downgraded: they are enabled" \
		"$(got downgraded)" "enabled
enabled
status 0"
	ok "$1, not running: the linker knows the library" said linker \
		'/usr/lib64/libcpucycles\.so'
	ok "$1, not running: and the one that measures" said linker \
		'/usr/lib64/libcpucycles-measure\.so'
	is "$1, not running: all erased: nothing is left" \
		"$(diff "$out/before" "$out/after")" ""
}

for distribution in Fedora openSUSE; do
	case $distribution in
	Fedora) folders='others=others now=first next=next' ;;
	*) folders='others=suse-others now=suse next=suse-next' ;;
	esac
	rpm_root $distribution
	ok "$distribution: it boots" boot <<END
$functions
$folders
$life
END
	[ ! -e "$out/failed" ] || lives $distribution
	rpm_root $distribution-offline
	ok "$distribution, not running: the script runs" offline <<END
$functions
$folders
$offline_life
END
	[ ! -e "$out/after" ] || offline_lives $distribution
done
