# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD
# shellcheck shell=sh disable=SC2034,SC2154 # variables come from and go to the sourcing script

# What ./quickstart and ./runtests share. Sourced from the project's folder, with
# $program set. Whatever is made lies below _build.

set -eu
LC_ALL=C DEBIAN_FRONTEND=noninteractive
export LC_ALL DEBIAN_FRONTEND
unset MAKEFLAGS MFLAGS DESTDIR CONFIG_SITE

top=$PWD
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

# A mirror or the package lock may be busy for a while.
APT_TRIES=4
APT_PAUSE=5 # seconds, times the try
APT_OPTIONS="-q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120"

BUILD_PACKAGES="gcc libc6-dev make autoconf automake libtool autoconf-archive pkg-config
	xz-utils libjansson-dev"

say() {
	echo "$program: $*"
}

die() {
	echo "$program: $*" >&2
	exit 1
}

# try LOG COMMAND...: the command with its output in _build/LOG.log.
try() {
	log=_build/$1.log
	shift
	mkdir -p _build
	("$@") >"$log" 2>&1 </dev/null
}

# show_tail: why the last try failed.
show_tail() {
	echo "--- end of $log"
	tail -n 30 "$log"
	echo "---"
}

# step WHAT LOG COMMAND...: say it, do it, stop if it fails.
step() {
	what=$1
	shift
	say "$what"
	try "$@" && return
	show_tail >&2
	die "failed: $what (see $log)"
}

# missing_packages PACKAGE...: those that are not installed. Where there is no dpkg, nobody can tell,
# and none is named.
missing_packages() {
	command -v dpkg-query >/dev/null || return 0
	for package; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
		[ "$status" = installed ] || echo "$package"
	done
}

# apt_install PACKAGE...: adds them. Where that would remove another package, none is added.
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

# need_packages PACKAGE...: install what is missing, without a network if nothing is.
need_packages() {
	if ! command -v dpkg-query >/dev/null; then
		say "this is not Debian: taking it that the packages' like is installed"
		return
	fi
	# shellcheck disable=SC2046 # one word per package
	set -- $(missing_packages "$@")
	[ $# -gt 0 ] || { say "packages: all there"; return 0; }
	[ "$(id -u)" -eq 0 ] || die "these packages are missing; install them as root: $*"
	step "packages: installing $*" packages apt_install "$@"
}

# want_packages PACKAGE...: install what is missing and can be had; the rest stays missing.
# shellcheck disable=SC2046,SC2086 # lists of words
want_packages() {
	set -- $(missing_packages "$@" | sort -u)
	[ $# -gt 0 ] && [ "$(id -u)" -eq 0 ] || return 0
	say "packages: installing $*"
	! try packages apt_install "$@" || return 0
	# A package that cannot be had does not keep the others away.
	for package; do
		try "packages-$package" apt-get $APT_OPTIONS install -y --no-install-recommends --no-remove \
			"$package" || show_tail
	done
}

# Make ./configure, unless it is newer than all that it is made from.
bootstrap() {
	[ ! -e config.status ] ||
		die "this folder is itself configured, so no other folder can be: run 'make distclean' first"
	if [ -e configure ] && [ -e Makefile.in ] &&
		[ -z "$(find bootstrap configure.ac m4/cpucycles.m4 Makefile.am \
			-newer configure)" ] && [ -z "$(find . -path ./_build -prune -o \
			\( -name Makefile.inc -o -name counters.am \) -newer Makefile.in -print)" ]; then
		say "bootstrap: configure is up to date"
		return
	fi
	step "bootstrap: generating configure" bootstrap ./bootstrap
}

# configure_in FOLDER ARGUMENT...: configure there, for an installation into the
# same folder, unless that is what was done last.
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
	chmod -R u+w "$dir/build" # make distcheck takes it away
	rm -rf "$dir/build" "$dir/arguments"
	mkdir -p "$dir/build"
	(cd "$dir/build" && sh "$top/dev/configure-cached.sh" "$top/_build/kept" "$top/configure" "$@") ||
		return
	echo "$*" >"$dir/arguments"
}
