#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The Debian packages in a running Debian: each step of installing, enabling, upgrading, removing
# and purging with apt, and the files that it leaves.

. "$top_srcdir/tests/boot/common.sh"
. "$top_srcdir/tests/packaging/common.sh"

newer=$scratch/newer
packages_built || exit 0
ok "newer ones" newer_packages "$newer" \
	"$(version_of "$packages" | awk -F- '{ print $1 "-" $2 + 1 }')"
user_program "$scratch/programs" || exit 1

# with_apt ROOT: let apt in ROOT take packages from /repository/old and /repository/new only.
with_apt() {
	mkdir -p "$1/repository/old" "$1/repository/new" &&
		rm -rf "$1/etc/apt/sources.list" "$1/etc/apt/sources.list.d"/* &&
		for one in old new; do
			echo "deb [trusted=yes] file:/repository/$one ./"
		done >"$1/etc/apt/sources.list"
}

# boot_with_apt: like boot, with more variables and functions for the script.
boot_with_apt() {
	{
		cat <<-'END'
			export DEBIAN_FRONTEND=noninteractive
			cache=/var/cache/cpucycles/counters
			persecond=/etc/cpucyclespersecond
			apt() { apt-get -q -y --no-install-recommends --allow-downgrades "$@"; }
			# at VERSION: install all of our packages in this version, except those for
			# development.
			at() {
				apt install "libcpucycles1=${1-}" "cpucycles=${1-}" \
					"cpucycles-calibrate=${1-}" \
					"libcpucycles-measure1=${1-}"
			}
			ours() {
				dpkg-query -W -f '${db:Status-Abbrev}${Package} ${Version}\n' \
					'*cpucycles*' | sed -n 's/^ii *//p'
			}
			measure_files() { find /usr/lib -name 'libcpucycles-measure*'; }
			left() {
				ls -d $cache $persecond 2>/dev/null
				systemctl is-enabled $unit
				systemctl is-active $unit
			}
			runs() {
				journalctl --sync
				journalctl -b -o cat -u $unit --no-pager | grep -c '^Finished'
			}
			apt update >/case/out/update 2>&1
		END
		echo "old=$(version_of "$packages") new=$(version_of "$newer")"
		cat
	} >"$scratch/script"
	boot "--bind-ro=$packages:/repository/old" "--bind-ro=$newer:/repository/new" \
		<"$scratch/script"
}

# noted NAME: all that the script noted, without the status.
noted() {
	[ -e "$out/$1" ] || echo "not noted: $1"
	sed '/^status /d' "$out/$1"
}

new_root life "$scratch/programs"
with_apt "$root"
ok "a Debian boots without our packages" boot_with_apt <<'END'
note install at $old
note installed left
note info cpucycles-info --cache
note measure-files measure_files
note measure-remove apt remove libcpucycles-measure1
note measure-left ours
note measure-gone measure_files
note measure-tool cpucycles-measure --version
note upgrade at $new
note measure-upgraded ours
note upgraded left
at $old >/dev/null 2>&1

note enable systemctl enable --now $unit
note enabled left
note first-enabled as_nobody first-call
runs >/case/out/runs-enabled
note upgrade-enabled at $new
note upgraded-enabled left
runs >/case/out/runs-upgraded
note journal journal
systemctl stop $unit
note upgrade-stopped at $old
note upgraded-stopped left
runs >/case/out/runs-stopped

cp $persecond /case/out/persecond
note remove apt remove cpucycles-calibrate
note removed sh -c "ls -d $cache $persecond; ls /var/cache/cpucycles"
note first-removed as_nobody first-call
note again apt install cpucycles-calibrate=$old
settled
note again-left left
touch /var/cache/cpucycles/.counters.new /var/cache/cpucycles/.counters.lock
touch /etc/.cpucyclespersecond.new /etc/.cpucyclespersecond.lock
cp /var/lib/dpkg/info/cpucycles-calibrate.postrm /case/out/postrm
note purge apt purge cpucycles-calibrate
note purged sh -c "ls -d /var/cache/cpucycles /etc/.cpucyclesp* $persecond"
note symlinks find /etc /run/systemd /var/lib/systemd -name '*cpucycles*'
note first-purged as_nobody first-call

echo 3.5e9 >$persecond
note sysadmin at $new
note sysadmin-enable systemctl enable --now $unit
note sysadmin-first as_nobody first-call
note sysadmin-upgrade at $old
note sysadmin-purge apt purge cpucycles-calibrate cpucycles libcpucycles1 libcpucycles-measure1
note sysadmin-left cat $persecond
note last sh -c 'dpkg -l | grep cpucycles; dpkg --audit'
note failed systemctl list-units --failed --plain --no-legend "cpucycles*"
END
[ -e "$out/last" ] || exit 0
for step in install measure-remove upgrade enable upgrade-enabled upgrade-stopped remove again \
	purge sysadmin sysadmin-enable sysadmin-upgrade sysadmin-purge; do
	ok "apt and systemctl succeed: $step" said "$step" '^status 0$'
done
is "installed: no cache, no frequency, not enabled, not started" "$(noted installed)" "disabled
inactive"
ok "installed: cpucycles-info says that the machine is not calibrated" said info \
	'not in use status missing'
ok "installed: the second library is there" said measure-files \
	'/libcpucycles-measure\.so\.1$'
old_version=$(version_of "$packages")
is "it can be removed alone" "$(noted measure-left)" "cpucycles $old_version
cpucycles-calibrate $old_version
libcpucycles1 $old_version"
is "removed: no file of it is left" "$(noted measure-gone)" ""
is "removed: the tool brings along what it needs" "$(noted measure-tool)" \
	"cpucycles-measure ${old_version%-*}"
new_version=$(version_of "$newer")
is "upgraded: all packages are" "$(noted measure-upgraded)" "cpucycles $new_version
cpucycles-calibrate $new_version
libcpucycles-measure1 $new_version
libcpucycles1 $new_version"
is "upgraded before it is enabled: the same" "$(noted upgraded)" "disabled
inactive"
everything="/etc/cpucyclespersecond
/var/cache/cpucycles/counters
enabled
active"
is "enabled: calibrated" "$(noted enabled)" "$everything"
ok "enabled: a user's first call comes from the cache" said first-enabled '^selection cache$'
is "upgraded where it is enabled: it is still" "$(noted upgraded-enabled)" "$everything"
is "upgraded: it ran once for each" "$(got runs-enabled) $(got runs-upgraded)" "1 2"
is "upgraded while it was stopped: started, it is enabled" \
	"$(noted upgraded-stopped) $(got runs-stopped)" \
	"$everything 3"

is "removed: no cache is left, our frequency is" "$(noted removed | grep -v 'No such file')" \
	/etc/cpucyclespersecond
ok "removed: the library works" said first-removed '^counts up$'
ok "removed: it measures for itself" said first-removed '^status missing$'
is "installed once more: it was enabled, and is" "$(noted again-left)" "$everything"
ok "the file was ours" said persecond '^# written by cpucycles-calibrated'
is "purged: nothing of it is left" "$(noted purged | grep -v 'No such file')" ""
is "purged: nor of the unit" "$(noted symlinks)" ""
ok "purged: the library works" said first-purged '^counts up$'

ok "the sysadmin's frequency is obeyed" said sysadmin-first \
	'^persecond 3500000000 source persecond-file$'
is "it outlives upgrade and purge" "$(noted sysadmin-left)" 3.5e9
is "at last dpkg knows nothing of us, and is content" "$(noted last)" ""
is "none of our units failed" "$(noted failed)" ""

# Which files purging removes as ours, and which it leaves as the sysadmin's: the package's script.

mark="# written by cpucycles-calibrated, boot 4f6e3b1c-0d52-4a7e-9c38-2b1a7d9e6f05, source"
# after_purge CONTENT: what purging leaves of a persecond file with this content.
after_purge() {
	mkdir -p "$scratch/purge/etc"
	# shellcheck disable=SC2059 # an escape is a line's end
	printf "$1" >"$scratch/purge/etc/cpucyclespersecond"
	# Debhelper's part complains that this is not dpkg, and does nothing.
	DPKG_ROOT=$scratch/purge sh "$out/postrm" purge 2>/dev/null || echo "status $?"
	cat "$scratch/purge/etc/cpucyclespersecond" 2>/dev/null
	rm -rf "$scratch/purge"
}
hint="# To overrule 2000000000, write another number on the first line."
is "purge: ours goes" "$(after_purge "2000000000\n$mark cpuinfo-mhz\n$hint\n")" ""
is "purge: ours of an earlier version goes" "$(after_purge "2000000000\n$mark cpuinfo-mhz\n")" ""
number=0
for content in "3.5e9\n" "" "$mark cpuinfo-mhz\n" "1\n$mark cpuinfo-mhz\n# and mine\n" \
	"1\n$mark cpuinfo-mhz" "1\n$mark cpuinfo-mhz\nmine" "1\n$mark environment\n" \
	"1\n$mark default\n" "2500000000\n$mark cpuinfo-mhz\n$hint\n" \
	"1\n$mark persecond-file\n" "1\n$mark\n" "1\n#$mark cpuinfo-mhz\n" \
	"1\n\n$mark cpuinfo-mhz\n" \
	"1\n# written by cpucycles-calibrated, boot 1, source cpuinfo-mhz\n"; do
	number=$((number + 1))
	is "purge: the sysadmin's stays, number $number" "$(after_purge "$content")" \
		"$(printf "$content")"
done

elsewhere=$scratch/elsewhere
mkdir -p "$scratch/links/etc" "$scratch/links/var/cache" "$elsewhere"
printf "2000000000\n$mark cpuinfo-mhz\n" >"$elsewhere/persecond"
echo mine >"$elsewhere/counters"
ln -s "$elsewhere/persecond" "$scratch/links/etc/cpucyclespersecond"
ln -s "$elsewhere" "$scratch/links/var/cache/cpucycles"
ok "purge with symbolic links" env DPKG_ROOT="$scratch/links" sh "$out/postrm" purge
is "the links stay, and what is behind them" \
	"$(ls "$elsewhere"; ls -d "$scratch"/links/*/cpucycles* \
	"$scratch"/links/var/cache/cpucycles | wc -l)" \
	"counters
persecond
2"
mkdir -p "$scratch/full/etc/cpucyclespersecond" "$scratch/full/var/cache/cpucycles"
notes=./var/cache/cpucycles/notes
echo mine >"$scratch/full/$notes"
touch "$scratch/full/var/cache/cpucycles/counters"
ok "purge with other files in the way" env DPKG_ROOT="$scratch/full" sh "$out/postrm" purge
is "they stay" "$(cd "$scratch/full" && find . | sort | tr '\n' ' ')" \
	". ./etc ./etc/cpucyclespersecond ./var ./var/cache ./var/cache/cpucycles $notes "
ok "purge where nothing is, twice" sh \
	-c 'mkdir "$1"; DPKG_ROOT=$1 sh "$2" purge && DPKG_ROOT=$1 sh "$2" purge' \
	- "$scratch/nothing" "$out/postrm"
