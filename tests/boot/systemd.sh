#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The packages in Debian with its real systemd: before the unit is enabled, the first and the second
# boot, restarts in a row, a boot as another machine, and boots with disks that refuse writes.

. "$top_srcdir/tests/boot/common.sh"
. "$top_srcdir/tests/harness/lines.sh"

ok "the packages are installed" install_ours
[ -e "$scratch/first-call" ] || exit 0
cache=/var/cache/cpucycles/counters
persecond=/etc/cpucyclespersecond
clocksource=/sys/devices/system/clocksource/clocksource0/current_clocksource

# ranking CACHE: its usable and unusable counters, without the values that differ from run to run.
ranking() {
	sed -n 's/^\(usable [^ ]* [^ ]*\) .*/\1/p; /^unusable /p' "$1" | sort
}

# Before the unit is enabled.

new_root life "$ours"
ok "life: it boots before the unit is enabled" boot <<'END'
note enabled systemctl is-enabled $unit
note info as_nobody cpucycles-info --cache
note first as_nobody first-call
note files ls /var/cache/cpucycles /etc/cpucyclespersecond
note enable systemctl enable $unit
END
ok "life: nothing is enabled by the installation" said enabled '^disabled$'
ok "life: cpucycles-info says that the cache is missing" said info 'status missing'
ok "life: and names the command" said info \
	'remedy: run as root: systemctl enable --now cpucycles-calibrate$'
ok "life: a first call probes" said first '^selection probe$'
ok "life: and counts" said first '^counts up$'
ok "life: there is no cache and no frequency" said_not files '^counters$\|^/etc'
ok "life: it can be enabled" said enable '^status 0$'

# The first boot of an enabled unit.

ok "life: it boots with the unit enabled" boot <<'END'
settled
note show systemctl show -p ActiveState -p SubState -p Result -p Before -p After $unit
note journal journal
note info as_nobody cpucycles-info --cache
note first as_nobody first-call
note verify systemd-analyze verify --man=no $unit cpucycles-calibrate-resume.service
note security systemd-analyze security --no-pager $unit
calm 0
note chain systemd-analyze critical-chain --no-pager

note wants systemctl list-dependencies --reverse --plain --no-pager $unit
note outside cpucycles-calibrated --force --dry-run
cp /var/cache/cpucycles/counters /case/out/cache
cp /etc/cpucyclespersecond /case/out/persecond
cp /proc/sys/kernel/random/boot_id /case/out/boot
END
ok "first boot: the unit succeeded" said show '^Result=success$'
ok "first boot: and stays active" said show '^SubState=exited$'
ok "first boot: the journal has the frequency's source" said journal \
	'^persecond [0-9]* Hz, source [a-z]'
ok "first boot: and why it probed" said journal "$cache: no cache to start from"
ok "first boot: and each rank" said journal '^rank 1: '
ok "first boot: and what was written" said journal "^$cache: written\$"
ok "first boot: the cache is of this boot" said cache "$(got boot)"
ok "first boot: a user's first call comes from the cache" said first '^selection cache$'
ok "first boot: the cache is used" said first '^status used$'
ok "first boot: cpucycles-info agrees" said info 'cache in use status used'
is "first boot: systemd-analyze verify is silent" "$(got verify)" "status 0"
exposure=$(sed -n 's/.*exposure level[^:]*: \([0-9.]*\) .*/\1/p' "$out/security")
ok "first boot: systemd-analyze security rates it 1.5 or better (got $exposure)" \
	awk -v e="$exposure" 'BEGIN { exit !(e != "" && e <= 1.5) }'
is "first boot: the sandbox ranks what is ranked outside" \
	"$(ranking "$out/cache")" "$(ranking "$out/outside")"
ok "first boot: the ranking was there to compare" grep -q '^usable ' "$out/outside"

# No other unit waits for the calibrator.
ok "first boot: the boot's critical chain is known" said chain 'target @'
ok "first boot: the calibrator is not on it" said_not chain cpucycles
is "first boot: it is before nothing but the end" \
	"$(sed -n 's/^Before=//p' "$out/show")" "shutdown.target"
is "first boot: no unit but the boot's target wants it" \
	"$(sed -n '/^ *cpucycles/d; /^status/d; s/^ *//p' "$out/wants" | tr '\n' ' ')" \
	"multi-user.target graphical.target "

# The second boot; and one with another clock source, which makes it another machine.

cp "$out/cache" "$scratch/first.cache"
cp "$out/boot" "$scratch/first.boot"
ok "life: it boots a second time" boot <<'END'
settled
note journal journal
note first as_nobody first-call
cp /var/cache/cpucycles/counters /case/out/cache
cp /proc/sys/kernel/random/boot_id /case/out/boot

# in_a_row N COMMAND...: how often it fails.
in_a_row() {
	left=$1
	failed=0
	shift
	while [ "$left" -gt 0 ]; do
		"$@" || failed=$((failed + 1))
		left=$((left - 1))
	done
	echo "failed: $failed"
}
note restarts in_a_row 20 systemctl restart $unit
note restarted systemctl is-active $unit
note restarted-first as_nobody first-call
note reloads in_a_row 6 systemctl reload $unit
# systemd forgets the starts of a unit that has ended and that no other unit refers to.
note refers systemd-run -p After=cpucycles-calibrate-resume.service sleep infinity
note wakes in_a_row 6 systemctl start cpucycles-calibrate-resume.service
settled
echo 1999000000 >/etc/cpucyclespersecond
note edited systemctl restart $unit
note edited-first as_nobody first-call
rm /etc/cpucyclespersecond
note undone systemctl restart $unit
note failed systemctl list-units --failed --plain --no-legend 'cpucycles*'
END
ok "second boot: the cache is of this boot" said cache "$(got boot)"
ok "second boot: which is another one" test "$(got boot)" != "$(cat "$scratch/first.boot")"
# ranking FILE: what is not measured again.
ranking() { grep '^u*n*usable' "$1" | sed 's/ measured .*//'; }
# Words of a run that could not measure, or found another figure than the run before.
not_restamped="$unmeasured_words\|$changed_words"
if said journal "$not_restamped" >/dev/null; then
	why=$(grep -m 1 -e "$not_restamped" "$out/journal")
	skip "second boot: the machine is known again" "$why"
	skip "second boot: nothing is probed" "$why"
	skip "second boot: the ranking is as it was" "$why"
else
	ok "second boot: the machine is known again" said journal \
		'^same machine: [0-9]* ranked counters .* again, boot id restamped$'
	ok "second boot: nothing is probed" said_not journal probing
	is "second boot: the ranking is as it was" "$(ranking "$out/cache")" \
		"$(ranking "$scratch/first.cache")"
fi
ok "second boot: a user's first call comes from the cache" said first '^selection cache$'

# A sysadmin at work. Usually systemd refuses the sixth start within ten seconds.

ok "sysadmin: a unit that refers to the one that runs after sleep" said refers '^status 0$'
for what in restarts reloads wakes; do
	is "sysadmin: many $what in a row" "$(got $what)" "failed: 0
status 0"
done
is "sysadmin: restarted often: the unit is active" "$(got restarted)" "active
status 0"
ok "sysadmin: restarted often: the cache is used" said restarted-first '^selection cache$'
is "sysadmin: an edit, and one more restart" "$(got edited)" "status 0"
ok "sysadmin: the new number is obeyed" said edited-first \
	'^persecond 1999000000 source persecond-file$'
ok "sysadmin: and the cache is used" said edited-first '^status used$'
is "sysadmin: the edit undone, and one more restart" "$(got undone)" "status 0"
is "sysadmin: none of our units failed" "$(got failed)" "status 0"

echo other >"$scratch/clocksource"
ok "life: it boots on a machine that differs" boot "--bind-ro=$scratch/clocksource:$clocksource" \
	<<'END'
settled
note clocksource cat /sys/devices/system/clocksource/clocksource0/current_clocksource
note journal journal
note first as_nobody first-call
# mend NAME: no cache is left. The printed remedy is run, and the unit is enabled then.
mend() {
	rm /var/cache/cpucycles/counters
	remedy=$(as_nobody cpucycles-info --cache | sed -n 's/^cpucycles cache remedy: //p')
	note "$1" echo "$remedy"
	note "$1-run" sh -c "${remedy#run as root: }"
	note "$1-then" sh -c "cpucycles-info | tail -n 1; systemctl is-enabled $unit"
}
mend enabled
systemctl disable $unit
mend active
systemctl disable --now $unit
mend disabled
END
for before in "enabled systemctl restart cpucycles-calibrate" \
	"active systemctl enable cpucycles-calibrate && systemctl restart cpucycles-calibrate" \
	"disabled systemctl enable --now cpucycles-calibrate"; do
	ok "the remedy where the unit is ${before%% *}" said "${before%% *}" \
		"^run as root: ${before#* }\$"
	is "it mends, and lasts" "$(got "${before%% *}-then")" \
		"cpucycles cache in use status used
enabled
status 0"
done
ok "changed: the machine looks different" said clocksource '^other$'
ok "changed: the journal says so" said journal 'made before these changed: clocksource$'
ok "changed: it is probed again" said journal '^probing [0-9]* counters$'
ok "changed: a user's first call comes from the cache" said first '^selection cache$'

# An image of that machine, which contains its cache and frequency, boots as a third machine. There,
# programs look at the cache before the calibrator runs.

sed -i 's/^persecond [0-9]*/persecond 1234567890/; s/^\(machine [^-]*\)-.*/\1-1-1/' "$root$cache"
"$top_builddir/tests/harness/resum" "$root$cache"
sed -i '1s/.*/1234567890/; 3s/overrule [0-9]*/overrule 1234567890/' "$root$persecond"
cat >"$root/etc/systemd/system/early.service" <<'END'
[Unit]
DefaultDependencies=no
Before=cpucycles-calibrate.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'setpriv --reuid=65534 --regid=65534 --clear-groups \
	first-call >/case/out/early'
ExecStart=/bin/sh -c 'setpriv --reuid=65534 --regid=65534 --clear-groups \
	cpucycles-info --cache >/case/out/info || true'
[Install]
WantedBy=cpucycles-calibrate.service
END
mkdir -p "$root/etc/systemd/system/cpucycles-calibrate.service.wants"
ln -s ../early.service "$root/etc/systemd/system/cpucycles-calibrate.service.wants/early.service"
ok "life: an image of it boots" boot <<'END'
settled
note journal journal
note first as_nobody first-call
cp /etc/cpucyclespersecond /case/out/persecond
cp /proc/sys/kernel/random/boot_id /case/out/boot
END
ok "image: before, the baked-in cache is not used" said early '^selection probe$'
ok "image: nor the baked-in frequency" said_not early 1234567890
ok "image: and both are named" said info 'not in use'
ok "image: the calibrator knows that it is another machine" \
	said journal 'made before these changed: '
ok "image: it probes" said journal '^probing [0-9]* counters$'
ok "image: after, a user's first call comes from the cache" said first '^selection cache$'
ok "image: with a frequency of this machine" said_not first 1234567890
ok "image: the frequency's file is replaced" said_not persecond 1234567890
ok "image: it is of this boot" said persecond "$(got boot)"

# Disks.

enabled_root() {
	new_root "$1" "$ours"
	enable_ours
}

# after_boot CASE: tests that pass with any such disk.
after_boot() {
	ok "$1: multi-user.target is reached" said target '^active$'
	ok "$1: a user's first call counts" said first '^counts up$'
}
report='settled
note target systemctl is-active multi-user.target
note show systemctl show -p Result $unit
note journal journal
note first as_nobody first-call
note files ls -A /var/cache/cpucycles /etc'

enabled_root full
mkdir -p "$root/etc/systemd/system/cpucycles-calibrate.service.d"
cat >"$root/etc/systemd/system/cpucycles-calibrate.service.d/full.conf" <<'END'
[Service]
ExecStartPre=/bin/sh -c 'cat /dev/zero >/var/cache/filler || true'
END
ok "full disk: it boots" boot --tmpfs=/var/cache:size=64k,mode=755 <<END
$report
END
after_boot "full disk"
ok "full disk: the unit failed" said show '^Result=exit-code$'
ok "full disk: the journal says why" said journal "^$cache: not written: No space left on device\$"
ok "full disk: the library goes without" said first '^selection probe$'
ok "full disk: nothing half is left" said_not files '\.new$'

enabled_root ro
ok "read-only /etc: it boots" boot "--bind-ro=$root/etc:/etc" <<END
$report
END
after_boot "read-only /etc"
ok "read-only /etc: the unit succeeded" said show '^Result=success$'
ok "read-only /etc: the journal has a warning" said journal \
	"^$persecond: not written: Read-only file system\$"
ok "read-only /etc: the cache is used" said first '^selection cache$'

enabled_root nocache
rm -rf "$root/var/cache"
# The unit that would make the folder again.
ln -s /dev/null "$root/etc/systemd/system/systemd-tmpfiles-setup.service"
ok "no /var/cache: it boots" boot <<END
$report
END
after_boot "no /var/cache"
ok "no /var/cache: the unit failed" said show '^Result=exit-code$'
ok "no /var/cache: the journal says why" said journal "^$cache: No such file or directory\$"
ok "no /var/cache: the library goes without" said first '^selection probe$'

# A calibrator that hangs.

enabled_root hung
mkdir -p "$root/etc/systemd/system/cpucycles-calibrate.service.d"
cat >"$root/etc/systemd/system/cpucycles-calibrate.service.d/hung.conf" <<'END'
[Service]
ExecStart=
ExecStart=/bin/sleep infinity
TimeoutStartSec=infinity
END
ok "hung: it boots" boot <<'END'
calm 1
note state state
note target systemctl is-active multi-user.target graphical.target
note jobs systemctl list-jobs --no-pager
note first as_nobody first-call
END
after_boot hung
ok "hung: while the calibrator is still at it" said state '^activating$'
is "hung: nothing else waits" "$(grep -c 'running\|waiting' "$out/jobs")" 1

# A container whose filter of system calls refuses perf events. The setting of the kernel, which
# root could open, is open first and closed then.

enabled_root filter
ok "filter: it boots" boot --system-call-filter=~perf_event_open <<'END'
settled
for value in 2 3; do
	echo $value >/case/paranoid
	mount --bind /case/paranoid /proc/sys/kernel/perf_event_paranoid
	note info-$value cpucycles-info --probe
done
END
refusal='unusable default-perfevent reason errno: .*'
ok "filter, open setting: the filter is named" said info-2 \
	"$refusal; perf_event_paranoid is open, so a filter .* cpucycles-sandbox(7); "
ok "filter, closed setting: the setting is named" said info-3 \
	"$refusal; root may open it to users: see cpucycles-open --dry-run; "
