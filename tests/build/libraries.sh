#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A cross build with the pkg-config of the machine that builds, which finds that machine's
# libraries. No program for the other machine can be linked with them, so they count as not there.

target=aarch64-linux-gnu
. "$top_srcdir/tests/harness/build.sh"

for tool in pkg-config "$target-gcc"; do
	command -v "$tool" >/dev/null || skip_all "$tool is not there"
done
pkg-config --exists jansson cmocka || skip_all "pkg-config finds no jansson and cmocka"

# cross FOLDER ARGUMENT...: configure for the target, with this pkg-config.
cross() {
	cross_folder=$1
	shift
	configure_in "$cross_folder" --build="$host" --host=$target PKG_CONFIG=pkg-config \
		--disable-shared "$@"
}

# refuses FOLDER REASON ARGUMENT...: configure ends with this error.
refuses() {
	refuses_folder=$1 reason=$2
	shift 2
	! cross "$refuses_folder" "$@" >/dev/null &&
		contains "$scratch/configure-$refuses_folder.log" "configure: error: $reason"
}

ok "configure for $target with this machine's pkg-config" cross build
is "summary: --json" "$(summary_of build 'info --json')" \
	"off (jansson does not link: see config.log)"
is "summary: unit tests" "$(summary_of build 'unit tests')" \
	"off (cmocka does not link: see config.log)"
for library in jansson cmocka; do
	ok "a warning names $library, and the page with the remedy" \
		contains "$scratch/configure-build.log" \
		"WARNING: pkg-config finds $library, but not for aarch64-unknown-linux-gnu: see \
PKG_CONFIG in doc/installation.md"
done
ok "the page has it" grep -q 'PKG_CONFIG=aarch64-linux-gnu-pkg-config' \
	"$top_srcdir/doc/installation.md"
ok "make" make_in build "$without_libtool"
if command -v qemu-aarch64 >/dev/null; then
	qemu-aarch64 -L "/usr/$target" "$scratch/build/utils/cpucycles-info" --json \
		>"$scratch/out" 2>&1
	is "cpucycles-info runs, and says that it has no --json" "$? $(cat "$scratch/out")" \
		"2 cpucycles-info: --json: built without jansson, which it needs"
	ok "it shows the counter" sh -c '"$@" | grep -q "^cpucycles implementation "' sh \
		qemu-aarch64 -L "/usr/$target" "$scratch/build/utils/cpucycles-info"
else
	skip "cpucycles-info runs" "qemu-aarch64 is not there"
fi

ok "--with-jansson asks for it" refuses with-jansson \
	"--with-jansson: jansson does not link: see config.log" --with-jansson
ok "--with-cmocka asks for it" refuses with-cmocka \
	"--with-cmocka: cmocka does not link: see config.log" --without-jansson --with-cmocka
