# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD
# shellcheck shell=sh disable=SC2034,SC2154 # variables come from and go to the sourcing script

# Functions that ./quickstart and ./runtests share. Sourced in the project's folder, with $program
# set to the script's name. All files that are made lie below _build. Only the results of configure
# lie elsewhere if CONFIGURE_KEPT names a folder for them.

set -eu
LC_ALL=C DEBIAN_FRONTEND=noninteractive
export LC_ALL DEBIAN_FRONTEND
unset MAKEFLAGS MFLAGS DESTDIR CONFIG_SITE

top=$PWD
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

# dash runs configure and libtool in less time than bash, which configure would choose.
if [ -z "${CONFIG_SHELL-}" ]; then
	if CONFIG_SHELL=$(command -v dash); then export CONFIG_SHELL; else unset CONFIG_SHELL; fi
fi

# The results of configure. The scripts that this one starts share them.
CONFIGURE_KEPT=${CONFIGURE_KEPT:-$top/_build/kept}
export CONFIGURE_KEPT

# A mirror of packages, or the lock of the list of packages, may be busy for a while.
APT_TRIES=4
APT_PAUSE=5 # seconds, multiplied by the number of the try
APT_OPTIONS="-q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120"

BUILD_PACKAGES="gcc libc6-dev make autoconf automake libtool autoconf-archive pkg-config
	xz-utils libjansson-dev libdw-dev"

say() {
	echo "$program: $*"
}

die() {
	echo "$program: $*" >&2
	exit 1
}

# try LOG COMMAND...: run the command, with its output in _build/LOG.log.
try() {
	log=_build/$1.log
	shift
	mkdir -p _build
	("$@") >"$log" 2>&1 </dev/null
}

# show_tail: the end of the log of the last try, to show why it failed.
show_tail() {
	echo "--- end of $log"
	tail -n 30 "$log"
	echo "---"
}

# step WHAT LOG COMMAND...: say WHAT, run the command, end the script if it fails.
step() {
	what=$1
	shift
	say "$what"
	try "$@" && return
	show_tail >&2
	die "failed: $what (see $log)"
}

# missing_packages PACKAGE...: those that are not installed. None on a system without dpkg, where
# nobody can tell.
missing_packages() {
	command -v dpkg-query >/dev/null || return 0
	for package; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
		[ "$status" = installed ] || echo "$package"
	done
}

# apt_install PACKAGE...: install them, or none if that would remove another package.
# shellcheck disable=SC2086 # options are a list of words
apt_install() {
	apt_try=1
	until apt-get $APT_OPTIONS update &&
		apt-get $APT_OPTIONS install -y --no-install-recommends --no-remove "$@"; do
		[ "$apt_try" -lt "$APT_TRIES" ] || return 1
		sleep "$((apt_try * APT_PAUSE))"
		apt_try=$((apt_try + 1))
	done
}

# need_packages PACKAGE...: install the missing ones, or end the script. Needs no network if none is
# missing.
need_packages() {
	if ! command -v dpkg-query >/dev/null; then
		say "packages: not looked for, because this is not Debian"
		return
	fi
	# shellcheck disable=SC2046 # one word per package
	set -- $(missing_packages "$@")
	[ $# -gt 0 ] || { say "packages: all there"; return 0; }
	[ "$(id -u)" -eq 0 ] || die "these packages are missing; install them as root: $*"
	step "packages: installing $*" packages apt_install "$@"
}

# want_packages PACKAGE...: install those of the missing ones that can be installed.
# shellcheck disable=SC2046,SC2086 # lists of words
want_packages() {
	set -- $(missing_packages "$@" | sort -u)
	[ $# -gt 0 ] && [ "$(id -u)" -eq 0 ] || return 0
	say "packages: installing $*"
	! try packages apt_install "$@" || return 0
	# One at a time, so that a package that cannot be installed does not keep the others away.
	for package; do
		try "packages-$package" apt-get $APT_OPTIONS install -y --no-install-recommends \
			--no-remove "$package" || show_tail
	done
}

# bootstrap: make ./configure, unless it is newer than all files that it is made from.
bootstrap() {
	[ ! -e config.status ] ||
		die "the project's folder is configured itself; run 'make distclean' there first"
	if [ -e configure ] && [ -e Makefile.in ] &&
		[ -z "$(find bootstrap configure.ac m4/cpucycles.m4 Makefile.am \
			-newer configure)" ] &&
		[ -z "$(find . -path ./_build -prune -o \( -name Makefile.inc -o \
			-name counters.am \) -newer Makefile.in -print)" ]; then
		say "bootstrap: configure is up to date"
		return
	fi
	step "bootstrap: generating configure" bootstrap ./bootstrap
}

# configure_in FOLDER ARGUMENT...: configure in FOLDER/build for an installation into FOLDER, unless
# it is configured with these arguments already.
configure_in() {
	dir=$top/$1
	shift
	set -- --prefix="$dir/usr" --sysconfdir="$dir/etc" --localstatedir="$dir/var" "$@"
	mkdir -p "$dir/build"
	if [ -n "$(find "$dir/build/config.status" -newer configure 2>/dev/null)" ] &&
		[ "$(cat "$dir/arguments" 2>/dev/null)" = "$*" ]; then
		echo "configured as before: $*"
		return
	fi
	chmod -R u+w "$dir/build" # make distcheck leaves folders that nobody may write
	rm -rf "$dir/build" "$dir/arguments"
	mkdir -p "$dir/build"
	(
		cd "$dir/build" &&
			sh "$top/dev/configure-cached.sh" "$CONFIGURE_KEPT" "$top/configure" "$@"
	) || return
	echo "$*" >"$dir/arguments"
}
