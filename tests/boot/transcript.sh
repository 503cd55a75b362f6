#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The commands of doc/evidence/boot.md work, and their answers still say what the page says. With
# BOOT_TRANSCRIPT=FILE, a new page is written to that file, with the answers of this run.

. "$top_srcdir/tests/boot/common.sh"

page=$top_srcdir/doc/evidence/boot.md

packages_built || exit 0
mkdir "$scratch/nothing"
new_root transcript "$scratch/nothing" && use_repository "$root"

functions='
exec >/case/out/typed 2>&1
export DEBIAN_FRONTEND=noninteractive SYSTEMD_PAGER=
answer() { sed "s/^/    /; s/ *$//"; }
root() { echo "    # $1"; sh -c "$1" 2>&1 | answer; }
user() { echo "    \$ $1"; as_nobody sh -c "$1" 2>&1 | answer; }
apt-get -q update >/case/out/update 2>&1'

# The commands of the page, before the reboot and after it.
ok "it boots" boot <<END
$functions
root "apt-get -q -y install cpucycles cpucycles-calibrate"
user "cpucycles-info --cache"
root "systemctl enable --now cpucycles-calibrate"
root "journalctl -b -o cat -u cpucycles-calibrate"
root "cat /etc/cpucyclespersecond"
user "cpucycles-info --cache"
END
cp "$out/typed" "$scratch/first"
ok "it boots again" boot <<END
$functions
settled
root "journalctl -b -o cat -u cpucycles-calibrate"
root "systemctl show -p ActiveState -p SubState -p Result cpucycles-calibrate"
root "systemd-analyze verify --man=no cpucycles-calibrate.service"
root "systemd-analyze security cpucycles-calibrate | tail -n 1"
user "cpucycles-info | head -n 12"
user "cpucycles-info --cache | head -n 4"
END
cp "$out/typed" "$scratch/second"

contents() {
	cat <<-END
		<!-- SPDX-FileCopyrightText: The cpucycles developers -->
		<!-- SPDX-License-Identifier: 0BSD -->

		# From installation to the second boot

		What do you see when you install the packages on Debian, calibrate, and reboot?
		This page is a recording of $(date -u +%Y-%m-%d): Debian 12 with systemd, in a
		container on a virtual machine that has no perf event for cycles. Root's lines begin
		with \`#\`, a user's with \`\$\`. Record it again with
		\`make check-boot BOOT_TESTS=tests/boot/transcript.sh BOOT_TRANSCRIPT=FILE\`.

		## Installing and calibrating

		The packages calibrate nothing by themselves. Until root enables the unit, each
		program measures the counters at its first call:

	END
	cat "$scratch/first"
	cat <<-END

		## After a reboot

		The machine is the same, so its counters are checked and measured again, and the
		cache gets the id of the new boot:

	END
	cat "$scratch/second"
}
contents >"$scratch/page"

# typed FILE: the commands, without their answers. Two lines of the persecond file, which is among
# the answers, begin as root's commands do.
typed() {
	sed -n -e '/^    # written by/d' -e '/^    # To overrule/d' \
		-e 's/^    \([#$] .*\)/\1/p' "$1"
}
[ -z "${BOOT_TRANSCRIPT-}" ] || cp "$scratch/page" "$BOOT_TRANSCRIPT"
is "doc/evidence/boot.md has what was typed" "$(typed "$page")" "$(typed "$scratch/page")"
# If this machine, which others share, has another speed than before, or is too busy to measure one,
# the second boot makes a full run.
restamped='same machine: .* boot id restamped'
for full in ' Hz, in the cache' ': unknown: '; do
	! grep -q "$full" "$scratch/second" || restamped=$full
done
ok "it was answered: $restamped" grep -q -e "$restamped" "$scratch/second"
ok "doc/evidence/boot.md shows a restamp" grep -q 'same machine: .* boot id restamped' "$page"
for words in 'cpucycles cache not in use status missing' 'no cache to start from' \
	'cpucycles cache in use status used' \
	'Result=success' 'OK' 'cpucycles implementation .* selection cache'; do
	ok "it was answered: $words" grep -q -e "$words" "$scratch/page"
	ok "doc/evidence/boot.md says so: $words" grep -q -e "$words" "$page"
done
