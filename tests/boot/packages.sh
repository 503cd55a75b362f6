#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The packages in a running Debian: installed, enabled, upgraded, removed and purged by apt, with
# and without a frequency that the sysadmin wrote.

. "$top_srcdir/tests/boot/common.sh"

for tool in dpkg-deb apt-ftparchive; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done

packages_built || exit 0
ok "and newer ones" newer_packages "$scratch/newer" "$(version_of "$packages")+later"

# debian_root NAME: a system in which our packages were never installed.
debian_root() {
	mkdir -p "$scratch/nothing"
	new_root "$1" "$scratch/nothing" && use_repository "$root" && mkdir "$root/newer" &&
		mount --bind "$scratch/newer" "$root/newer" && user_program "$root"
}

# The library is never removed: only the calibrator's package is.
functions='
export DEBIAN_FRONTEND=noninteractive
apt() { apt-get -q -y --no-install-recommends "$@"; }
runs() { journal | grep -c "^persecond [0-9]* Hz, source"; }
looks() {
	note $1-first as_nobody first-call
	note $1-persecond cat /etc/cpucyclespersecond
	note $1-cache ls -A /var/cache/cpucycles
	note $1-runs runs
}'
whole_life="$functions
note update apt update
note install apt install cpucycles cpucycles-calibrate libcpucycles1
note enabled systemctl is-enabled \$unit cpucycles-calibrate-resume.service
looks installed
note enable systemctl enable --now cpucycles-calibrate
settled
looks enabled
sed -i s,/repository,/newer, /etc/apt/sources.list.d/local.list
note update apt update
note upgrade apt upgrade
settled
looks upgraded
note still systemctl is-enabled \$unit cpucycles-calibrate-resume.service
note version dpkg-query -W -f '\${Version}\n' cpucycles-calibrate
note remove apt remove cpucycles-calibrate
looks removed
note purge apt purge cpucycles-calibrate
looks purged
note links find /etc/systemd /var/lib/systemd -name '*cpucycles*'
note failed systemctl list-units --failed --no-legend 'cpucycles*'"

# on_the_way CASE: tests that pass with and without the sysadmin's frequency.
on_the_way() {
	for step in update install enable upgrade remove purge; do
		ok "$1: apt or systemctl succeeds: $step" said $step '^status 0$'
	done
	is "$1: installing enables nothing" "$(got enabled)" "disabled
disabled
status 1"
	is "$1: and runs nothing" "$(head -n 1 "$out/installed-runs")" 0
	ok "$1: installed: a first call probes" said installed-first '^selection probe$'
	ok "$1: enabled: it comes from the cache" said enabled-first '^selection cache$'
	ok "$1: upgraded: to the newer version" said version 'later$'
	ok "$1: upgraded: still enabled" said_not still disabled
	ok "$1: upgraded: the calibrator has run again" \
		test "$(head -n 1 "$out/upgraded-runs")" -gt "$(head -n 1 "$out/enabled-runs")"
	ok "$1: upgraded: a first call comes from the cache" said upgraded-first '^selection cache$'
	for state in removed purged; do
		ok "$1: $state: a first call probes" said $state-first '^selection probe$'
		ok "$1: $state: and counts" said $state-first '^counts up$'
		ok "$1: $state: no cache is left" said_not $state-cache '^[^s].*counters'
	done
	is "$1: purged: systemd knows nothing of it" "$(got links)" "status 0"
	is "$1: none of our units failed" "$(got failed)" "status 0"
}

debian_root plain
ok "plain: it boots" boot <<END
$whole_life
END
on_the_way plain
ok "plain: enabled: the frequency's file is ours" said enabled-persecond \
	'^# written by cpucycles-calibrated'
ok "plain: purged: it is gone" said purged-persecond 'No such file'

debian_root sysadmin
echo 3000000000 >"$root/etc/cpucyclespersecond"
ok "sysadmin: it boots" boot <<END
$whole_life
END
on_the_way sysadmin
for state in installed enabled upgraded removed purged; do
	is "sysadmin: $state: the file is untouched" "$(got $state-persecond)" "3000000000
status 0"
	ok "sysadmin: $state: and obeyed" said $state-first \
		'^persecond 3000000000 source persecond-file$'
done

# And a boot, with everything installed.
debian_root rebooted
echo 3000000000 >"$root/etc/cpucyclespersecond"
ok "rebooted: it boots" boot <<END
$functions
note update apt update
note install apt install cpucycles-calibrate libcpucycles1
note enable systemctl enable --now cpucycles-calibrate
END
ok "rebooted: it boots a second time" boot <<END
$functions
settled
looks rebooted
note journal journal
END
ok "rebooted: the calibrator has run" said journal '^/var/cache/cpucycles/counters: written$'
ok "rebooted: and left the file alone" said journal \
	"^/etc/cpucyclespersecond: the sysadmin's: not written\$"
is "rebooted: the file is untouched" "$(got rebooted-persecond)" "3000000000
status 0"
ok "rebooted: and obeyed" said rebooted-first '^persecond 3000000000 source persecond-file$'
ok "rebooted: a first call comes from the cache" said rebooted-first '^selection cache$'
