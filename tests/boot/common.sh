# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the tests share that boot Debian in containers. Sourced. Debian is fetched once, into $base,
# which is not written to afterwards. Each case has a root of its own, as a layer over $base.

# A mount namespace of its own: no other process sees the test's mounts, and they end with it.
if [ -z "${boot_mounts-}" ] && unshare -m true 2>/dev/null; then
	exec env boot_mounts=own unshare -m sh "$0" "$@"
fi

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/cgroup.sh"
. "$top_srcdir/tests/harness/mirror.sh"
. "$top_srcdir/tests/harness/packages.sh"

BOOT_SECONDS=900 # a container that takes longer hangs, even on a busy host
FETCH_SECONDS=800

# alone COMMAND...: run a command that uses $fetched, which all tests share, one test at a time.
alone() {
	(
		flock 9
		"$@"
	) 9>"$fetched/lock"
}

# Everything is unmounted before $scratch is removed.
unmount_all() {
	boot_status=$?
	sed -n "s|^[^ ]* \($scratch/[^ ]*\) .*|\1|p" /proc/mounts | sort -r | xargs -r umount -l
	return "$boot_status"
}
trap 'unmount_all; tap_end' EXIT

[ -n "${boot_mounts-}" ] || may unshare -m true || skip_all "$refused"
may_give_away || skip_all "no root to start a container: $refused"
for tool in debootstrap flock systemd-nspawn timeout; do
	command -v "$tool" >/dev/null || skip_all "$tool is not there"
done

fetched=$top_builddir/tests/boot/fetched
base=$fetched/debian
mkdir -p "$fetched"

# quiet_chroot ROOT COMMAND...: run a command inside ROOT, and show its output only if it fails.
quiet_chroot() {
	quietly chroot timeout "$FETCH_SECONDS" env DEBIAN_FRONTEND=noninteractive chroot "$@"
}

# fetch_base: fetch Debian into $base, with all that our packages depend on. So these packages are
# the only ones that a case installs, and they need no other repository.
fetch_base() {
	[ ! -d "$base" ] || return 0
	source=$(own_source)
	[ -n "$source" ] || { echo "# no source of packages is known"; return 1; }
	rm -rf "$base.new"
	# shellcheck disable=SC2086 # URI, release, component
	set -- $source
	quietly debootstrap timeout "$FETCH_SECONDS" debootstrap --variant=minbase \
		--include=systemd,udev,libjansson4,libdw1,libpfm4-dev "$2" "$base.new" "$1" &&
		rm -rf "$base.new/var/cache/apt/archives"/*.deb && mv "$base.new" "$base"
}

# fetch_packages LAYER PACKAGE...: install packages and what they depend on in a layer over $base,
# which later runs use without a network.
fetch_packages() {
	layer=$fetched/$1
	[ ! -d "$layer" ] || return 0
	shift
	rm -rf "$layer.new"
	mkdir "$layer.new" && on_layers "$scratch/fetch" "$layer.new" "$base" &&
		quiet_chroot "$scratch/fetch" apt-get -q update &&
		quiet_chroot "$scratch/fetch" apt-get -q -y --no-install-recommends install "$@" &&
		umount "$scratch/fetch" && mv "$layer.new" "$layer"
}

# on_layers FOLDER UPPER LOWER[:LOWER...]: mount these layers; writes to FOLDER go to UPPER.
on_layers() {
	mkdir -p "$1" "$2" "$2.work" &&
		mount -t overlay overlay -o "lowerdir=$3,upperdir=$2,workdir=$2.work" "$1"
}

alone fetch_base >"$scratch/fetch.log" || {
	cat "$scratch/fetch.log"
	skip_all "Debian could not be fetched"
}
on_layers "$scratch/try" "$scratch/try.upper" "$base" 2>/dev/null ||
	skip_all "no overlay file system here"
umount "$scratch/try"
try_container() {
	in_own_group "cpucycles-$$" timeout 240 systemd-nspawn -q -D "$base" --volatile=overlay \
		--register=no --keep-unit true </dev/null >"$scratch/log" 2>&1
}
alone try_container || skip_all "no containers here: $(tail -n 1 "$scratch/log")"

# new_root NAME LAYER: make $root, a system of LAYER over $base. The case's script writes to $out.
new_root() {
	root=$scratch/$1
	out=$root/case/out
	on_layers "$root" "$scratch/$1.upper" "$2:$base" && mkdir -p "$out" && write_case_unit
}

# boot OPTION...: boot the container, and return when it is off. Once multi-user.target is reached,
# the container runs the script on standard input, which may call guest_functions.
boot() {
	power_off='note last-journal journal; systemctl poweroff --force'
	run_container -b "$@"
}

# run_container ARGUMENT...: the same, with these arguments of systemd-nspawn.
run_container() {
	rm -rf "$out"
	mkdir -p "$out"
	{ guest_functions; cat; echo "$power_off"; } >"$root/case/script"
	in_own_group "cpucycles-$$" timeout "$BOOT_SECONDS" systemd-nspawn -q -D "$root" \
		--register=no --keep-unit --system-call-filter=perf_event_open "$@" \
		</dev/null >"$scratch/console" 2>&1 &&
		[ -e "$out/reached" ] && return
	echo "# the container's last words:"
	tail -n 20 "$scratch/console" | sed 's/^/# /'
	return 1
}

write_case_unit() {
	units=$root/etc/systemd/system
	mkdir -p "$units/multi-user.target.wants" &&
		ln -sf ../case.service "$units/multi-user.target.wants/case.service" &&
		cat >"$units/case.service" <<-END
			[Unit]
			After=multi-user.target
			[Service]
			Type=exec
			ExecStart=/bin/sh -u /case/script
			StandardOutput=file:/case/out/script
			StandardError=inherit
		END
}

guest_functions() {
	cat <<-'END'
		: >/case/out/reached
		export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		unit=cpucycles-calibrate.service

		# note NAME COMMAND...: write its output and then its status to /case/out/NAME.
		note() {
			name=$1
			shift
			"$@" >"/case/out/$name" 2>&1
			echo "status $?" >>"/case/out/$name"
		}
		as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
		state() { systemctl show -p ActiveState --value "$unit"; }

		# settled: wait until the calibrator has ended.
		settled() {
			for i in $(seq 2400); do
				case $(state)$(systemctl show -p Job --value "$unit") in
				activating* | reloading* | *[1-9]*) sleep 0.1 ;;
				*) return ;;
				esac
			done
		}
		# calm JOBS: wait until the boot has at most so many jobs left.
		calm() {
			for i in $(seq 1200); do
				jobs=$(systemctl list-jobs --no-legend --no-pager | grep -c .)
				[ "$jobs" -gt "$1" ] || return
				sleep 0.1
			done
		}
		journal() { journalctl --sync; journalctl -b -o cat -u "$unit" --no-pager "$@"; }
	END
}

# said NAME PATTERN: a line that the container's script noted as NAME matches. If none does, the
# journal says why systemd could not start the calibrator, or what it ended with.
said() {
	grep -q -e "$2" "$out/$1" 2>/dev/null && return
	echo "# expected in $1: $2"
	[ ! -e "$out/$1" ] || sed 's/^/# /' "$out/$1"
	[ ! -e "$out/last-journal" ] ||
		grep -e 'status=' -e '[Ff]ailed' "$out/last-journal" | sed 's/^/# journal: /'
	return 1
}
# said_not NAME PATTERN: it noted NAME, of which no line matches.
said_not() {
	[ -e "$out/$1" ] || { echo "# not noted: $1"; return 1; }
	! grep -q -e "$2" "$out/$1" && return
	echo "# not expected in $1: $2"
	sed 's/^/# /' "$out/$1"
	return 1
}
# got NAME: all that it noted.
got() {
	cat "$out/$1"
}

# write_first_call: a user's program that prints the result of its first call.
write_first_call() {
	cat >"$scratch/first-call.c" <<-'END'
		#include <cpucycles.h>
		#include <stdio.h>

		int main(void)
		{
			long long before = cpucycles(), after = cpucycles();

			printf("counts %s\n", after > before ? "up" : "not up");
			printf("selection %s\n", cpucycles_selection_source());
			printf("status %s\n", cpucycles_cache_status());
			printf("persecond %lld source %s\n", cpucycles_persecond(),
			       cpucycles_persecond_source());
			return 0;
		}
	END
}

# user_program ROOT: install that program in ROOT.
user_program() {
	write_first_call &&
		quietly first-call gcc -Wall -Werror -I"$top_srcdir/include" \
			-o "$scratch/first-call" "$scratch/first-call.c" \
			-L"$top_builddir/lib/.libs" -lcpucycles &&
		mkdir -p "$1/usr/local/bin" && cp "$scratch/first-call" "$1/usr/local/bin/"
}

# version_of FOLDER: the version of the packages there.
version_of() {
	sed -n 's/^Version: //p' "$1/Packages" | sort -u
}

# newer_packages FOLDER VERSION: the packages of $packages with a higher version, as an upgrade.
newer_packages() {
	old_version=$(version_of "$packages")
	mkdir -p "$1" || return
	for package in "$packages"/*.deb; do
		case $package in *-dbgsym_*) continue ;; esac
		dpkg-deb -R "$package" "$scratch/package" &&
			sed -i "s/^Version: .*/Version: $2/; s/(= $old_version)/(= $2)/" \
				"$scratch/package/DEBIAN/control" &&
			quietly newer dpkg-deb --root-owner-group -Zgzip -b "$scratch/package" \
				"$1" || return
		rm -rf "$scratch/package"
	done
	(cd "$1" && apt-ftparchive packages . >Packages &&
		apt-ftparchive release . >"$scratch/Release" &&
		mv "$scratch/Release" Release) 2>"$scratch/newer.log"
}

# use_repository ROOT: let apt in ROOT take packages from /repository only, which is $packages.
use_repository() {
	mkdir -p "$1/repository" && mount --bind "$packages" "$1/repository" &&
		rm -rf "$1"/etc/apt/sources.list* && mkdir "$1/etc/apt/sources.list.d" &&
		echo 'Dpkg::Use-Pty "0";' \
			>"$1/etc/apt/apt.conf.d/local" && # no progress in what is noted
		echo "deb [trusted=yes] file:/repository ./" >"$1/etc/apt/sources.list.d/local.list"
}

# install_ours: install our packages and the user's program in a layer of their own, $ours.
install_ours() {
	ours=$scratch/ours
	build_packages && on_layers "$scratch/install" "$ours" "$base" &&
		use_repository "$scratch/install" &&
		quiet_chroot "$scratch/install" apt-get -q update &&
		quiet_chroot "$scratch/install" apt-get -q -y --no-install-recommends install \
			cpucycles cpucycles-calibrate libcpucycles1 &&
		user_program "$scratch/install" &&
		umount "$scratch/install/repository" && umount "$scratch/install"
}

# enable_ours: enable the calibrator's unit in $root, before it boots.
enable_ours() {
	quietly enable systemctl --root="$root" enable cpucycles-calibrate.service
}
