#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Events after which the calibrator runs again within a boot: processors that come and go, a copy of
# a virtual machine, and waking up. The kernel sends them to a real udev in a container. Its network
# namespace keeps them from the host. The machine does not sleep: the unit that would make it sleep
# is replaced.

. "$top_srcdir/tests/boot/common.sh"

cpu=/devices/system/cpu/cpu0
[ -e "/sys$cpu/uevent" ] || skip_all "/sys shows no processors"
ok "the packages are installed" install_ours
[ -e "$scratch/first-call" ] || exit 0
ok "the sender of events compiles" quietly uevent gcc -Wall -Wextra -Werror -static \
	-o "$ours/usr/local/bin/uevent" "$top_srcdir/tests/boot/uevent.c"

# boot_with_udev: udev needs a /sys that can be written to. The unit that triggers all events at
# boot is masked (hooks_root), because the kernel would send these events to the host's udev too.
boot_with_udev() {
	SYSTEMD_NSPAWN_API_VFS_WRITABLE=yes boot --private-network "$@"
}

# hooks_root NAME: make $root for a case with udev.
hooks_root() {
	new_root "$1" "$ours"
	ln -s /dev/null "$root/etc/systemd/system/systemd-udev-trigger.service"
	cat >"$root/etc/systemd/system/systemd-suspend.service" <<-'END'
		[Unit]
		DefaultDependencies=no
		[Service]
		Type=oneshot
		ExecStart=/bin/sh -c 'sleep 1; journalctl --sync; \
			journalctl -b -o cat -u cpucycles-calibrate | grep -c "^asked to probe" \
			>/case/out/asleep || true'
	END
}

# again: print how often the calibrator was asked to measure anew so far.
# event: send an event that must not start the calibrator, wait for what happens, and print again.
# more: send an event that starts it, wait until no further run follows, and print again.
# quiet: wait until the calibrator has ended, systemd has no job left, and no run has begun for two
# seconds. All waits are long, because the machine may be busy.
functions='
again() { journal | grep -c "^asked to probe"; }
send() {
	uevent "$@"
	udevadm settle
}
event() {
	send "$@"
	quiet
	again
}
quiet() {
	for i in $(seq 60); do
		settled
		calm 0
		now=$(again)
		sleep 2
		[ "$(again)" != "$now" ] || break
	done
}
until_more() {
	for i in $(seq 1200); do
		[ "$(again)" -le "$1" ] || break
		sleep 0.1
	done
	quiet
	again
}
more() {
	before=$(again)
	send "$@"
	until_more "$before"
}
cpu=/devices/system/cpu/cpu0'

hooks_root enabled
enable_ours
ok "enabled: it boots with udev" boot_with_udev <<END
$functions
note udev systemctl is-active systemd-udevd
settled
note before again
note online more online \$cpu SUBSYSTEM=cpu
note offline more offline \$cpu SUBSYSTEM=cpu
note other event online \$cpu SUBSYSTEM=memory
note add event add \$cpu SUBSYSTEM=cpu
note unchanged event change \$cpu SUBSYSTEM=cpu
note vmgenid more change \$cpu SUBSYSTEM=platform NEW_VMGENID=1
cp /var/cache/cpucycles/counters /case/out/cache
for i in \$(seq 100); do
	uevent online \$cpu SUBSYSTEM=cpu
done
note burst more online \$cpu SUBSYSTEM=cpu
note show systemctl show -p ActiveState -p Result -p SubState \$unit
note first as_nobody first-call
asleep=\$(again)
note wake systemctl start suspend.target
note awake until_more \$asleep
note journal journal
END
ok "enabled: udev runs" said udev '^active$'
is "enabled: a boot is one run" "$(head -n 1 "$out/before")" 0
is "a processor that comes: one more" "$(head -n 1 "$out/online")" 1
is "a processor that goes: one more" "$(head -n 1 "$out/offline")" 2
is "memory that comes: none" "$(head -n 1 "$out/other")" 2
is "the add events of a boot: none" "$(head -n 1 "$out/add")" 2
is "a change of a processor: none" "$(head -n 1 "$out/unchanged")" 2
is "another generation of the machine: one more" "$(head -n 1 "$out/vmgenid")" 3
burst=$(head -n 1 "$out/burst")
ok "101 processors at once: at least one more (got $((burst - 3)))" test "$burst" -ge 4
ok "101 processors at once: fewer than that" test "$burst" -lt 104
ok "101 processors at once: the unit is well" said show '^Result=success$'
ok "101 processors at once: and active" said show '^SubState=exited$'
ok "a user's first call comes from the cache" said first '^selection cache$'
ok "it is measured anew" said journal '^probing [0-9]* counters$'
ok "sleep: it comes to an end" said wake '^status 0$'
is "sleep: none while asleep" "$(cat "$out/asleep")" "$burst"
is "sleep: one more when awake" "$(head -n 1 "$out/awake")" "$((burst + 1))"

# An event during the run that the boot has started.
hooks_root early
enable_ours
mkdir -p "$root/etc/systemd/system/cpucycles-calibrate.service.d"
cat >"$root/etc/systemd/system/cpucycles-calibrate.service.d/slow.conf" <<'END'
[Service]
TimeoutStartSec=600
ExecStartPre=/bin/sh -c 'until [ -e /run/go-on ]; do sleep 0.1; done'
END
ok "early: it boots with udev" boot_with_udev <<END
$functions
note state state
send online \$cpu SUBSYSTEM=cpu
sleep 2
: >/run/go-on
settled
note show systemctl show -p Result -p SubState \$unit
note journal journal
note first as_nobody first-call
END
ok "early: the event comes during the first run" said state '^activating$'
ok "early: the unit is well" said show '^Result=success$'
ok "early: and active" said show '^SubState=exited$'
ok "early: a user's first call comes from the cache" said first '^selection cache$'

# Without an enabled unit, events start nothing.
hooks_root disabled
ok "disabled: it boots with udev" boot_with_udev <<END
$functions
note online event online \$cpu SUBSYSTEM=cpu
note vmgenid event change \$cpu SUBSYSTEM=platform NEW_VMGENID=1
note wake systemctl start suspend.target
quiet
note show systemctl show -p ActiveState \$unit cpucycles-calibrate-resume.service
note failed systemctl list-units --failed --no-legend 'cpucycles*'
note journal journal
note files ls /var/cache/cpucycles
END
ok "disabled: the unit is not started" said show '^ActiveState=inactive$'
ok "disabled: nor is the other one" said_not show '^ActiveState=[^i]'
is "disabled: none of our units failed" "$(got failed)" "status 0"
ok "disabled: the calibrator did not run" said_not journal persecond
ok "disabled: and wrote nothing" said_not files '^counters$'
