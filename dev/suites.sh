# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD
# shellcheck shell=sh disable=SC2034,SC2154 # variables come from and go to the sourcing script
# shellcheck disable=SC2086 # packages and prefixes of commands are lists of words

# The suites of tests: which packages each needs, how its tree is built, and what runs in it.
# Sourced by ./runtests, after dev/common.sh. doc/testing.md says what each suite is for.

# In the order in which they start: the longest first, so that no long suite runs alone at the end.
EVERY_SUITE="gcc cross packages reliability privileges sanitize thread build distcheck clang fleet
	boot musl vm plot fuzz"
CI_SUITES="gcc sanitize cross packages vm privileges build thread musl plot fuzz fleet boot"
PEOPLES_SUITES="gcc sanitize-library thread-library clang-library musl-library"

# Suites that look for races. A race that is lost once in a while is a fault, not bad luck.
RACE_SUITES="reliability thread thread-library"

# What make check needs, whatever the compiler.
CHECK_PACKAGES="libcmocka-dev acl catch2 clang-format codespell g++ git golang-go groff-base jq
	libbenchmark-dev libcap2-bin mandoc python3 python3-pytest-benchmark qemu-user strace
	systemd"
# The targets of the short tier, and the others.
CROSS_CI_PACKAGES="libcmocka-dev abigail-tools qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	gcc-powerpc-linux-gnu libc6-dev-powerpc-cross"
CROSS_PACKAGES="$CROSS_CI_PACKAGES clang-19 lld-19 gcc-12-multilib libc6-dev-x32
	gcc-arm-linux-gnueabi libc6-dev-armel-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
	gcc-i686-linux-gnu libc6-dev-i386-cross gcc-m68k-linux-gnu libc6-dev-m68k-cross
	gcc-mips64-linux-gnuabi64 libc6-dev-mips64-cross
	gcc-mips64el-linux-gnuabi64 libc6-dev-mips64el-cross
	gcc-powerpc64-linux-gnu libc6-dev-ppc64-cross
	gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross
	gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
	gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-sparc64-linux-gnu libc6-dev-sparc64-cross"
PACKAGING_PACKAGES="libcmocka-dev libpfm4-dev valgrind-if-available mandoc g++ debhelper dpkg-dev
	apt-utils debootstrap systemd-container"
VM_CI_PACKAGES="libcmocka-dev libelf1 gcc-12 cpio qemu-system-x86"

# packages_for SUITE: the packages that it needs in addition to $BUILD_PACKAGES. In the short tier
# a suite may need fewer.
packages_for() {
	case $tier:$1 in
	ci:cross) echo "$CROSS_CI_PACKAGES" ;;
	ci:packages) echo "$PACKAGING_PACKAGES" ;;
	ci:plot) echo "libcmocka-dev bsdutils gnuplot-nox fonts-dejavu-core python3" ;;
	ci:vm) echo "$VM_CI_PACKAGES" ;;
	ci:sanitize) echo "$CHECK_PACKAGES clang libclang-rt-14-dev" ;;
	ci:musl) echo "libcmocka-dev musl-tools" ;;
	ci:build) echo "libcmocka-dev abigail-tools clang cmake cmark-gfm g++ mandoc meson
		ninja-build" ;;
	*:gcc | *:near | *:privileges | *:distcheck | *:sanitize* | *:thread*)
		echo "$CHECK_PACKAGES" ;;
	*:clang*) echo "$CHECK_PACKAGES clang" ;;
	*:musl*) echo "$CHECK_PACKAGES musl-tools" ;;
	*:reliability) echo "$CHECK_PACKAGES gdb valgrind musl-tools gcc-i686-linux-gnu
		libc6-dev-i386-cross" ;;
	*:fuzz) echo "libcmocka-dev clang libclang-rt-14-dev" ;;
	*:cross) echo "$CROSS_PACKAGES" ;;
	# busybox-static is another package with that program, which apt would have to remove.
	*:build) echo "libcmocka-dev abigail-tools clang cmake cmark-gfm g++ gcc-12-multilib
		mandoc meson musl-tools
		ninja-build reuse shellcheck gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
		$(command -v busybox >/dev/null || echo busybox)" ;;
	*:packages) echo "$PACKAGING_PACKAGES $CHECK_PACKAGES lintian autopkgtest file rpm
		rpmlint" ;;
	*:boot) echo "$PACKAGING_PACKAGES" ;;
	*:fleet) echo "libcmocka-dev curl iproute2 jq prometheus prometheus-node-exporter
		python3 python3-yaml" ;;
	*:plot) echo "libcmocka-dev bsdutils chromium chromium-driver fonts-dejavu-core gnuplot-nox
		python3" ;;
	*:vm) echo "$VM_CI_PACKAGES qemu-system-arm qemu-system-misc opensbi
		gcc-i686-linux-gnu libc6-dev-i386-cross
		gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabi
		libc6-dev-armel-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross" ;;
	*) return 1 ;;
	esac
}

# The builds. The compiled-in paths lie in the folder of the build, because some tests write to
# them, and do so nowhere else.

# configure_suite FOLDER ARGUMENT...
configure_suite() {
	folder=$1
	shift
	configure_in "_build/$folder" --sysconfdir="$top/_build/$folder/build/etc" \
		--localstatedir="$top/_build/$folder/build/var" "$@"
}

# make_in FOLDER ARGUMENT...
make_in() {
	folder=$1
	shift
	limited $run_as make -C "_build/$folder/build" -j"$jobs" ${libtool:+"$libtool"} "$@"
}

# build_strictly FOLDER TARGET...: make with warnings as errors, and with $more_flags. Programs that
# tests compile get the flags of configure alone.
more_flags=
build_strictly() {
	flags=$(sed -n 's/^CFLAGS = //p' "_build/$1/build/Makefile")
	make_in "$@" CFLAGS="$flags $more_flags -Werror"
}

# pkg-config would add the system's headers and libraries, which another libc cannot use.
no_pkg_config="PKG_CONFIG_LIBDIR=/nonexistent"
units=--with-systemdsystemunitdir
run_as=
libtool=

# folder_of SUITE: the folder of its tree below _build. Most suites work in gcc's, which is made
# once for all of them.
folder_of() {
	case $1 in
	sanitize* | thread* | clang* | musl*) echo "${1%-library}" ;;
	distcheck) echo distcheck ;;
	*) echo gcc ;;
	esac
}

# build_gcc: with all programs of the tests, except for the tests of a change, which need few. In
# the short tier, these programs are compiled in less time, except for the unit tests. Those get the
# options of distributions, which end a test that leaves a function in a way that C does not know.
hardening="-g0 -O2 -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
build_gcc() {
	suite=gcc
	configure_suite gcc CC=gcc $units="$top/_build/gcc/usr/units" && build_strictly gcc all ||
		return
	[ "$tier" != near ] || return 0
	if [ "$tier" = ci ]; then
		more_flags=$hardening
		build_strictly gcc check check_PROGRAMS="\$(unit_tests)" check_LTLIBRARIES= \
			TESTS= || return
		more_flags="-g0 -O1"
	fi
	build_strictly gcc check TESTS=
}

# configure_FOLDER: configure, and set what the tests of this tree need. With sanitizers, and in the
# short tier, these trees have no shared library and are built without libtool, because their tests
# look at neither.
configure_tree() {
	case $tier:$1 in
	ci:* | *:sanitize)
		set -- "$@" --disable-shared
		libtool="LIBTOOL=sh $top/dev/static-libtool.sh ar"
		;;
	esac
	configure_suite "$@" --disable-dependency-tracking
}
configure_clang() {
	configure_tree clang CC=clang $units="$top/_build/clang/usr/units"
}
# In the short tier, clang makes this tree, so that no other one is needed for clang's warnings.
# Compilers do not optimize what has sanitizers then: that takes as long as the rest of compiling,
# and with clang four times as long.
configure_sanitize() {
	ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
	export ASAN_OPTIONS UBSAN_OPTIONS
	sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
	compiler=gcc
	optimize=-O1
	if [ "$tier" = ci ]; then
		compiler=clang
		optimize=-O0
	fi
	configure_tree sanitize CC=$compiler $units=no \
		CFLAGS="-g1 $optimize $sanitizers -fno-omit-frame-pointer"
}
configure_thread() {
	TSAN_OPTIONS=halt_on_error=1
	export TSAN_OPTIONS
	# ThreadSanitizer cannot work with some of the addresses that ASLR chooses.
	! setarch -R true 2>/dev/null || run_as="setarch -R"
	optimize=-O1
	[ "$tier" != ci ] || optimize=-O0
	configure_tree thread CC=gcc $units=no CFLAGS="-g1 $optimize -fsanitize=thread"
}
configure_musl() {
	set -- CC=musl-gcc $units=no $no_pkg_config
	[ "$tier" != ci ] || set -- "$@" CFLAGS=-O1
	configure_tree musl "$@"
}

# The tests

# shorten: single tests are shorter in the short tier, too.
shorten() {
	TESTS_SHORT=yes FUZZ_SECONDS=1 CROSS_ALIKE=powerpc THOROUGH=no
	export TESTS_SHORT FUZZ_SECONDS CROSS_ALIKE THOROUGH
}

# run_suite_in_log SUITE: run it. The sums that it prints last are its result.
run_suite_in_log() {
	tree=$(folder_of "$1")
	case $tier:$1 in
	*:near) make_in gcc check-near ;;
	*:gcc) make_in gcc check && make_in gcc install installcheck ;;
	*:distcheck)
		configure_suite distcheck CC=gcc && make_in distcheck distcheck source_tests=
		;;
	*:*-library)
		configure_"$tree" && build_strictly "$tree" all && make_in "$tree" check-library
		;;
	ci:sanitize | ci:thread | ci:musl)
		set -- check check_PROGRAMS="\$(${1}_ci_programs)"
		# The tests of threads start no tool.
		[ "$tree" != thread ] || set -- "$@" bin_PROGRAMS= noinst_LIBRARIES= harness_DATA=
		configure_"$tree" && build_strictly "$tree" "$@" TESTS= &&
			make_in "$tree" "$@" TESTS="\$(${tree}_ci_tests)"
		;;
	*:clang | *:sanitize | *:thread | *:musl)
		configure_"$tree" && build_strictly "$tree" all &&
			build_strictly "$tree" check TESTS= && make_in "$tree" check source_tests=
		;;
	ci:*)
		make_in gcc "check-$1" \
			"$(echo "$1" | tr a-z A-Z)_TESTS=\$(${1}_ci_tests)"
		;;
	*) make_in gcc "check-$1" ;;
	esac
}

# run_alone SUITE TEST: run one test of it again.
run_alone() {
	tree=$(folder_of "$1")
	[ "$tree" = gcc ] || configure_"$tree"
	make_in "$tree" check check_PROGRAMS= check_LTLIBRARIES= TESTS="$2" \
		TEST_SUITE_LOG=tests/alone.log
}
