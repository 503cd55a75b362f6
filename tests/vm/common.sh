# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the tests in whole emulated machines share. Sourced, with $target (what to build
# for), $architecture (Debian's name of it) and $qemu (the command that makes the machine)
# and $console (its serial line). What is fetched lies in $fetched and is kept from run to run.

. "$top_srcdir/tests/harness/build.sh"
. "$top_srcdir/tests/harness/mirror.sh"

MACHINE_SECONDS=120 # a machine that takes longer hangs
FETCH_SECONDS=100

for tool in "$target-gcc" "${qemu%% *}" apt-get dpkg cpio gzip timeout; do
	command -v "$tool" >/dev/null || skip_all "$tool is not there"
done

fetched=$top_builddir/tests/vm/fetched

# Another architecture's packages without touching the system's configuration.
apt_configuration() {
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	options=arch=$architecture
	[ ! -e $keyring ] || options="$options signed-by=$keyring"
	source=$(own_source)
	[ -n "$source" ] || { echo "no source of packages is known"; return 1; }
	mkdir -p "$fetched/lists/partial" "$fetched/cache/archives/partial" || return
	: >"$fetched/status"
	echo "deb [$options] $source" >"$fetched/sources.list"
	cat >"$fetched/apt.conf" <<-END
		Dir::State::Lists "$fetched/lists";
		Dir::Cache "$fetched/cache";
		Dir::State::status "$fetched/status";
		Dir::Etc::SourceList "$fetched/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		APT::Architecture "$architecture";
		APT::Architectures { "$architecture"; };
		APT::Sandbox::User "root";
		Acquire::Retries "3";
	END
}

# foreign COMMAND...: an apt command with that configuration, in the folder.
foreign() {
	(cd "$fetched" && APT_CONFIG=$fetched/apt.conf timeout "$FETCH_SECONDS" "$@")
}

# fetch: a kernel and busybox, as $fetched/kernel and $fetched/busybox.
fetch() {
	[ ! -e "$fetched/kernel" ] || return 0
	rm -rf "$fetched"
	mkdir -p "$fetched" && apt_configuration && foreign apt-get -q update || return
	package=$(foreign apt-cache search --names-only "^linux-image-[0-9].*-cloud-$architecture-unsigned\$" |
		sed 's/ .*//' | sort -V | tail -n 1)
	[ -n "$package" ] || { echo "no kernel for clouds is known"; return 1; }
	foreign apt-get -q download "$package" busybox-static || return
	for package in "$fetched"/*.deb; do
		dpkg -x "$package" "$fetched/files" || return
	done
	mv "$fetched/files/bin/busybox" "$fetched/busybox" &&
		mv "$fetched"/files/boot/vmlinuz-* "$fetched/kernel" &&
		rm -rf "$fetched/files" "$fetched/lists" "$fetched/cache" "$fetched"/*.deb
}

# build_for_target: everything static: the calibrator, the tool and the programs that show what came of it.
# With the usual paths: it is not installed here.
build_for_target() {
	configure_in build --build="$host" --host="$target" --disable-shared --prefix=/usr \
		--sysconfdir=/etc --localstatedir=/var $no_pkg_config CFLAGS=-O2 &&
		make_in build LDFLAGS=-all-static lib/libcpucycles.la \
			calibrated/cpucycles-calibrated utils/cpucycles-info \
			tests/lib/show tests/lib/show-rate &&
		target_program "$top_srcdir/tests/vm/perthread.c"
}

# target_program FILE.c
target_program() {
	program=$(basename "$1" .c)
	quietly "$program" "$target-gcc" -O2 -Wall -Wextra -Werror -static -pthread \
		-I"$top_srcdir/include" -o "$scratch/build/$program" "$1" \
		"$scratch/build/lib/.libs/libcpucycles.a"
}

# make_initrd: what was built, and the script that runs it.
make_initrd() {
	files=$scratch/files
	for folder in bin dev etc proc sys tmp var/cache; do
		mkdir -p "$files/$folder"
	done
	for program in calibrated/cpucycles-calibrated utils/cpucycles-info tests/lib/show \
		tests/lib/show-rate perthread; do
		cp "$scratch/build/$program" "$files/bin" || return
	done
	cp "$fetched/busybox" "$files/bin" && cp "$top_srcdir/tests/vm/init" "$files" &&
		chmod 755 "$files/init" "$files/bin/busybox" &&
		(cd "$files" && find . | cpio -o -H newc --quiet | gzip -1) >"$scratch/initrd.gz"
}

# boot NAME OPTION...: until it is off; what it said in $output.
boot() {
	machine=$1
	output=$scratch/$1.out
	shift
	# shellcheck disable=SC2086 # a command and its options
	timeout "$MACHINE_SECONDS" $qemu -kernel "$fetched/kernel" -initrd "$scratch/initrd.gz" \
		-append "console=$console quiet loglevel=4 panic=-1" "$@" </dev/null 2>&1 | tr -d '\r' >"$output"
	grep -q '^@@ end$' "$output" && return
	echo "# its last words:"
	tail -n 20 "$output" | sed 's/^/# /'
	return 1
}

# section NAME: what its program printed. field NAME WORD: the value behind a word there.
section() {
	awk -v name="$1" '$1 == "@@" { inside = $2 == name; next } inside' "$output"
}
field() {
	section "$1" | sed -n "s/^$2 //p" | head -n 1
}

# between NUMBER LOW HIGH: whole numbers.
between() {
	case $1 in '' | *[!0-9]*) echo "# expected a number, got '$1'"; return 1 ;; esac
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ] && return
	echo "# expected $2 to $3, got $1"
	return 1
}
