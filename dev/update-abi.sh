#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# update-abi.sh HOST...: build the libraries for these hosts, such as arm-linux-gnueabihf, and store
# descriptions of their ABI for tests/harness/abi.sh. HOST-gcc is the compiler.

set -eu
top_srcdir=$(cd "$(dirname "$0")/.." && pwd)
. "$top_srcdir/tests/harness/abi.sh"

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for host; do
	rm -rf "${build:?}/$host"
	mkdir "$build/$host"
	cd "$build/$host"
	"$top_srcdir/configure" --host="$host" --disable-static CFLAGS='-O1 -g' \
		PKG_CONFIG_LIBDIR=/nonexistent >/dev/null
	make -s lib/libcpucycles.la measure/libcpucycles-measure.la
	for library in lib/.libs/libcpucycles.so.? measure/.libs/libcpucycles-measure.so.?; do
		stored=$(stored_abi "$library")
		sh "$top_srcdir/dev/describe-abi.sh" "$top_srcdir/include" "$library" >abi
		mv abi "$stored"
		echo "$host: $stored"
	done
done
