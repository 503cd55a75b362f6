#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The scripts for OpenRC and for System V's init, from the package's examples, in a Debian that
# boots with this init.

. "$top_srcdir/tests/boot/common.sh"

ok "the packages are installed" install_ours
[ -e "$scratch/first-call" ] || exit 0
examples=usr/share/doc/cpucycles-calibrate/examples
script=etc/init.d/cpucycles-calibrate

# init_root NAME PACKAGE...: make $root, with the init of these packages instead of systemd. The
# case's script runs at the end of runlevel 2.
init_root() {
	init=$1
	shift
	fetch_packages "$init" "$@" && new_root "$init" "$ours:$fetched/$init" &&
		cp "$root/$examples/$init/cpucycles-calibrate" "$root/$script" &&
		sed -i '/respawn/d' "$root/etc/inittab" &&
		echo 'case:2:once:/bin/sh -u /case/script >/case/out/script 2>&1' \
			>>"$root/etc/inittab"
}

# boot_init: like boot, for an init that is not systemd.
boot_init() {
	power_off='poweroff -f'
	run_container /sbin/init
}

functions='
note_script() { name=$1; shift; note "$name" /etc/init.d/cpucycles-calibrate "$@"; }
cache=/var/cache/cpucycles/counters
written() { stat -c %y-%i $cache; }'

if init_root lsb sysvinit-core >"$scratch/log"; then
	quietly enable chroot "$root" update-rc.d cpucycles-calibrate defaults
	ok "lsb: it boots with System V's init" boot_init <<END
$functions
note pid1 readlink -f /proc/1/exe
note first as_nobody first-call
note_script status status
written >/case/out/boot
note_script again start
written >/case/out/again-written
note_script reload reload
written >/case/out/reloaded
note_script try try-restart
note_script stop stop
note_script stopped status
note_script stopped-reload reload
note_script stopped-try try-restart
note_script stopped-still status
note_script restart restart
note_script restarted status
note_script force force-reload
note_script wrong nonsense
note_script none
note kept as_nobody first-call
note_script stop stop
sed 's/timeout [0-9]*/timeout 1/; s,^program=.*,program=/usr/local/bin/hang,' \\
	/etc/init.d/cpucycles-calibrate >/tmp/hung
printf '#!/bin/sh\nexec sleep infinity\n' >/usr/local/bin/hang
chmod 755 /usr/local/bin/hang
note hung sh /tmp/hung start
note_script hung-status status
rm -r /var/cache
note_script failed start
note_script failed-status status
mv /usr/sbin/cpucycles-calibrated /tmp
note_script removed start
END
	ok "lsb: it is init" said pid1 '/init$'
	ok "lsb: a user's first call comes from the cache" said first '^selection cache$'
	ok "lsb: status: it has run" said status '^status 0$'
	ok "lsb: started again, it succeeds" said again '^status 0$'
	is "lsb: and does nothing" "$(got again-written)" "$(got boot)"
	ok "lsb: reload succeeds" said reload '^status 0$'
	ok "lsb: and measures anew" test "$(got reloaded)" != "$(got boot)"
	ok "lsb: try-restart succeeds" said try '^status 0$'
	ok "lsb: stop succeeds" said stop '^status 0$'
	ok "lsb: status: stopped is 3" said stopped '^status 3$'
	ok "lsb: reload where it has not run is 7" said stopped-reload '^status 7$'
	ok "lsb: try-restart does nothing then" said stopped-try '^status 0$'
	ok "lsb: nothing indeed" said stopped-still '^status 3$'
	ok "lsb: restart succeeds" said restart '^status 0$'
	ok "lsb: status: it has run then" said restarted '^status 0$'
	ok "lsb: force-reload succeeds" said force '^status 0$'
	ok "lsb: another action is 2" said wrong '^status 2$'
	ok "lsb: none is 2" said none '^status 2$'
	ok "lsb: the cache is used still" said kept '^selection cache$'
	ok "lsb: one that hangs is killed" said hung '^status 124$'
	ok "lsb: and it says so" said hung 'took longer than'
	ok "lsb: and has not run" said hung-status '^status 3$'
	ok "lsb: one that fails says why" said failed 'counters: No such file or directory'
	ok "lsb: and fails" said failed '^status 1$'
	ok "lsb: and has not run then" said failed-status '^status 3$'
	ok "lsb: start of a removed program is no failure" said removed '^status 0$'
else
	cat "$scratch/log"
	skip "System V's init" "its packages could not be fetched"
fi

if init_root openrc openrc sysvinit-core >"$scratch/log"; then
	quietly enable chroot "$root" rc-update add cpucycles-calibrate default
	ok "openrc: it boots with OpenRC" boot_init <<END
$functions
note level rc-status --runlevel
note first as_nobody first-call
note status rc-service cpucycles-calibrate status
written >/case/out/boot
note describe rc-service cpucycles-calibrate describe
note again rc-service cpucycles-calibrate start
written >/case/out/again-written
note reload rc-service cpucycles-calibrate reload
written >/case/out/reloaded
note restart rc-service cpucycles-calibrate restart
note stop rc-service cpucycles-calibrate stop
note stopped rc-service cpucycles-calibrate status
note stopped-reload rc-service cpucycles-calibrate reload
note kept as_nobody first-call
rm -r /var/cache
note failed rc-service cpucycles-calibrate start
note failed-status rc-service cpucycles-calibrate status
END
	ok "openrc: OpenRC has brought it up" said level '^default$'
	ok "openrc: a user's first call comes from the cache" said first '^selection cache$'
	ok "openrc: status: started" said status 'started'
	ok "openrc: it describes reload" said describe 'reload: Measure everything anew'
	is "openrc: started again, it does nothing" "$(got again-written)" "$(got boot)"
	ok "openrc: reload succeeds" said reload '^status 0$'
	ok "openrc: and measures anew" test "$(got reloaded)" != "$(got boot)"
	ok "openrc: restart succeeds" said restart '^status 0$'
	ok "openrc: stop succeeds" said stop '^status 0$'
	ok "openrc: status: stopped is 3" said stopped '^status 3$'
	ok "openrc: reload where it has not run fails" said stopped-reload '^status 1$'
	ok "openrc: the cache is used still" said kept '^selection cache$'
	ok "openrc: one that fails says why" said failed 'counters: No such file or directory'
	ok "openrc: and fails" said failed '^status 1$'
	ok "openrc: and is not started" said failed-status '^status [^0]'
else
	cat "$scratch/log"
	skip "OpenRC" "its packages could not be fetched"
fi
