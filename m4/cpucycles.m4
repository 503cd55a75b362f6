# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# CPUCYCLES_SYSTEM_FOLDERS
# Below /usr/local and /usr, Autoconf would take folders that systems do not have, such as
# /usr/local/var/cache. So sysconfdir, localstatedir and runstatedir become the folders of the
# system, except those that the user has named.
AC_DEFUN([CPUCYCLES_SYSTEM_FOLDERS], [
m4_divert_text([HELP_ENABLE], [
With the prefix /usr/local, which is the default, or /usr, three of the defaults
above are others: SYSCONFDIR is /etc, LOCALSTATEDIR is /var, RUNSTATEDIR is /run.])
system_folders=
AS_CASE([$prefix], [NONE|/usr|/usr/local], [
	CPUCYCLES_SYSTEM_FOLDER([sysconfdir], ['${prefix}/etc'], [/etc])
	CPUCYCLES_SYSTEM_FOLDER([localstatedir], ['${prefix}/var'], [/var])
	# Where the user has named another folder of state, that of run time lies in it.
	AS_IF([test "$localstatedir" = /var],
		[CPUCYCLES_SYSTEM_FOLDER([runstatedir], ['${localstatedir}/run'], [/run])])
])
])

# CPUCYCLES_SYSTEM_FOLDER(VARIABLE, DEFAULT, FOLDER)
AC_DEFUN([CPUCYCLES_SYSTEM_FOLDER],
	[AS_IF([test "$$1" = $2], [$1=$3 system_folders="$system_folders $1"])])

# CPUCYCLES_COMPILERS_HOST
# gcc -m32 on an x86-64 machine makes programs for i686. config.guess takes them for x32.
AC_DEFUN([CPUCYCLES_COMPILERS_HOST], [
AC_CHECK_HEADER([errno.h], [],
	[AC_MSG_ERROR(m4_normalize([$CC $CFLAGS $CPPFLAGS cannot include <errno.h>: see config.log.
		On Debian, the package gcc-multilib has the headers that gcc -m32 lacks.]))])
AS_CASE([$host_cpu], [x86_64|amd64],
	[AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#ifndef __i386__
#error "for x86-64"
#endif]])],
		[host_cpu=i686 host_os=${host_os%x32} host=i686-$host_vendor-$host_os])])
])

# CPUCYCLES_LIBRARY(VARIABLE, NAME, MODULE, HEADERS, STATEMENT)
# Whether to use the library NAME: $with_NAME is the user's wish before, and yes or no after this.
# pkg-config may find the library of the machine that builds, which a program for another machine
# cannot be linked with. So a program with HEADERS and STATEMENT is linked. If the library is not
# used, $NAME_missing says why.
AC_DEFUN([CPUCYCLES_LIBRARY], [
AS_IF([test "$with_$2" = no], [$2_missing=--without-$2], [
	PKG_CHECK_MODULES([$1], [$3], [
		saved_CFLAGS=$CFLAGS saved_LIBS=$LIBS
		CFLAGS="$CFLAGS $$1_CFLAGS" LIBS="$$1_LIBS $LIBS"
		AC_MSG_CHECKING([whether a program links with $2])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([$4], [$5])], [$2_found=yes],
			[$2_found=no $2_missing="$2 does not link: see config.log"])
		AC_MSG_RESULT([$$2_found])
		CFLAGS=$saved_CFLAGS LIBS=$saved_LIBS
		AS_IF([test "$$2_found" = no],
			[AC_MSG_WARN(m4_normalize([pkg-config finds $2, but not for $host:
				see PKG_CONFIG in doc/installation.md]))])
	], [$2_found=no $2_missing="$3 is not there"])
	AS_IF([test "$with_$2:$$2_found" = yes:no],
		[AC_MSG_ERROR([--with-$2: $$2_missing])])
	with_$2=$$2_found
])
AS_IF([test "$with_$2" = no], [$1_CFLAGS= $1_LIBS=])
])

# CPUCYCLES_LIBPFM
# Whether to use libpfm4, which has no file for pkg-config. $with_libpfm is the user's wish before,
# and yes or no after this.
AC_DEFUN([CPUCYCLES_LIBPFM], [
PFM_LIBS=
AS_IF([test "$with_libpfm" = no], [libpfm_missing=--without-libpfm], [
	saved_LIBS=$LIBS
	LIBS="-lpfm $LIBS"
	AC_MSG_CHECKING([whether a program links with libpfm4])
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <perfmon/pfmlib_perf_event.h>]],
			[[return pfm_initialize();]])], [libpfm_found=yes], [libpfm_found=no])
	AC_MSG_RESULT([$libpfm_found])
	LIBS=$saved_LIBS
	AS_IF([test "$libpfm_found" = no],
		[AC_MSG_ERROR([--with-libpfm: libpfm4 does not link: see config.log])])
	with_libpfm=yes PFM_LIBS=-lpfm
])
AC_SUBST([PFM_LIBS])
AS_IF([test "$with_libpfm" = yes],
	[EVENT_OBJECTS="$EVENT_OBJECTS measure/events/pfm.lo"],
	[EVENT_OBJECTS="$EVENT_OBJECTS measure/events/pfm-none.lo"])
])

# CPUCYCLES_COUNTERS(LIST)
# Compile every file of the list on its own. Those that compile become
# COUNTER_OBJECTS and lib/counters.inc, in list order; the others are left out.
AC_DEFUN([CPUCYCLES_COUNTERS], [
counters_in= counters_out= COUNTER_OBJECTS= counters_symbols=
for source in $($SED -n 's/^[[ 	]]*\(lib@<:@^ @:>@*\.c\).*/\1/p' "$srcdir/$1"); do
	name=$(basename "$source" .c)
	AC_MSG_CHECKING([whether $name compiles])
	$MKDIR_P conftest.dir && cp confdefs.h conftest.dir/config.h
	counter_try="$CC $BASE_CFLAGS $CFLAGS -Werror=implicit-function-declaration"
	counter_try="$counter_try $CPPFLAGS -Iconftest.dir -I$srcdir/lib"
	counter_try="$counter_try -c -o conftest.$OBJEXT $srcdir/$source"
	AS_IF([AC_TRY_EVAL([counter_try])],
		[AC_MSG_RESULT([yes])
		 counters_in="$counters_in $name"
		 COUNTER_OBJECTS="$COUNTER_OBJECTS ${source%.c}.lo"
		 counters_symbols="$counters_symbols $(echo "$name" | tr - _)"],
		[AC_MSG_RESULT([no])
		 counters_out="$counters_out $name"])
	rm -rf "conftest.$OBJEXT" conftest.dir
done
AS_CASE([" $counters_in "], [*" default-perfevent "*],
	[have_perfevent=yes
	 COUNTER_OBJECTS="$COUNTER_OBJECTS lib/os/perfevent.lo lib/os/perfevent-process.lo"
	 COUNTER_OBJECTS="$COUNTER_OBJECTS lib/os/perfevent-set.lo lib/os/perfevent-setup.lo"
	 COUNTER_OBJECTS="$COUNTER_OBJECTS lib/os/core-pmus.lo"],
	[have_perfevent=no])
AM_CONDITIONAL([HAVE_PERFEVENT], [test "$have_perfevent" = yes])
AC_SUBST([COUNTER_OBJECTS])
AC_SUBST([CONFIG_STATUS_DEPENDENCIES], ['$(top_srcdir)/$1'])
AC_CONFIG_COMMANDS([lib/counters.inc], [
	{
		echo "/* Made by configure from $1. */"
		for symbol in $counters_symbols; do echo "COUNTER($symbol)"; done
		# For counters_hash: another list of counters has another sum.
		sum=$(echo $counters_symbols | $CKSUM | $SED 's/ .*//')
		echo "#define COUNTERS_SUM UINT64_C($sum)"
	} >lib/counters.inc],
	[counters_symbols="$counters_symbols" SED="$SED" CKSUM="$CKSUM"])
])

# CPUCYCLES_PLATFORM(JOB, FILE..., [VARIABLE])
# Of the files that implement JOB for different platforms, add the first one that is for this
# compiler and these headers to VARIABLE, by default PLATFORM_OBJECTS. A file that is for others
# says so by an #error or by a header that only they have. So the preprocessor decides, and an error
# in the chosen file stops the build instead of choosing another file.
AC_DEFUN([CPUCYCLES_PLATFORM], [
AC_MSG_CHECKING([for the $1 of this platform])
platform_source=
for source in m4_normalize([$2]); do
	$MKDIR_P conftest.dir && cp confdefs.h conftest.dir/config.h
	platform_try="$CC $BASE_CFLAGS $CFLAGS $CPPFLAGS -Iconftest.dir -I$srcdir/lib"
	platform_try="$platform_try -I$srcdir/include -I$srcdir/measure -I$srcdir/sentences"
	platform_try="$platform_try -E -o conftest.i $srcdir/$source"
	AS_IF([AC_TRY_EVAL([platform_try])], [platform_source=$source])
	rm -rf conftest.i conftest.dir
	AS_IF([test -n "$platform_source"], [break])
done
AS_IF([test -z "$platform_source"],
	[AC_MSG_ERROR([none of m4_normalize([$2]) is for this compiler])])
platform_name=$(basename "$platform_source" .c)
AC_MSG_RESULT([$platform_name])
platform_names="$platform_names $platform_name"
m4_define([platform_variable], m4_default([$3], [PLATFORM_OBJECTS]))
platform_variable="$platform_variable ${platform_source%.c}.lo"
AC_SUBST(platform_variable)
])

# CPUCYCLES_UNIT_DIR(WISH)
# The folder that pkg-config names for units; below the prefix if that is not /usr. Many machines
# have systemd without the package that tells pkg-config of it. There, systemd's program is looked
# for, unless it would be that of the machine that builds for another one.
AC_DEFUN([CPUCYCLES_UNIT_DIR], [
PKG_CHECK_VAR([unit_dir], [systemd], [systemdsystemunitdir])
AS_IF([test -z "$unit_dir" && test "$cross_compiling" = no],
	[for systemd_program in /usr/lib/systemd/systemd /lib/systemd/systemd; do
		AS_IF([test -x "$systemd_program"], [unit_dir=${systemd_program%/*}/system])
	done])
AS_IF([test -n "$unit_dir"], [
	AS_IF([test "$prefix" = /usr],
		[with_systemdsystemunitdir=$unit_dir],
		[with_systemdsystemunitdir='${prefix}/lib/systemd/system'])],
	[AS_IF([test "$1" = yes], [AC_MSG_ERROR([there is no systemd])])
	 with_systemdsystemunitdir=no])
])

# CPUCYCLES_RULES_DIR(WISH)
# The same for udev's rules. Where pkg-config knows no udev, they lie beside the units.
AC_DEFUN([CPUCYCLES_RULES_DIR], [
PKG_CHECK_VAR([udev_dir], [udev], [udevdir])
AS_CASE([$with_systemdsystemunitdir],
	[*/systemd/system],
	[with_udevrulesdir=${with_systemdsystemunitdir%/systemd/system}/udev/rules.d],
	[with_udevrulesdir=no])
AS_IF([test -n "$udev_dir"], [
	AS_IF([test "$prefix" = /usr],
		[with_udevrulesdir=$udev_dir/rules.d],
		[with_udevrulesdir='${prefix}/lib/udev/rules.d'])])
AS_IF([test "$1$with_udevrulesdir" = yesno], [AC_MSG_ERROR([pkg-config knows no udev])])
])

# CPUCYCLES_EXPAND(VARIABLE, VALUE)
# The value without references to prefix and the like, which nest.
AC_DEFUN([CPUCYCLES_EXPAND], [
$1=$2
while true; do
	AS_CASE([$$1], [*'$'*], [eval "$1=\"$$1\""], [break])
done
])

# CPUCYCLES_SUMMARY
# What was found and chosen. The last words of configure.
AC_DEFUN([CPUCYCLES_SUMMARY], [
CPUCYCLES_EXPAND([summary_prefix], [$prefix])
CPUCYCLES_EXPAND([summary_folders], ["$sysconfdir $localstatedir $runstatedir"])
AS_IF([test -n "$system_folders"],
	[summary_folders="$summary_folders (chosen by the prefix:$system_folders)"])
CPUCYCLES_EXPAND([summary_cache], [$localstatedir/cache/cpucycles/counters])
CPUCYCLES_EXPAND([summary_persecond], [$sysconfdir/cpucyclespersecond])
CPUCYCLES_EXPAND([summary_record], [$runstatedir/cpucycles/opened])
CPUCYCLES_EXPAND([summary_units], [$with_systemdsystemunitdir])
AS_IF([test "$summary_units" = no], [summary_units="no (not installed)"])
CPUCYCLES_EXPAND([summary_rules], [$with_udevrulesdir])
AS_IF([test "$summary_rules" = no], [summary_rules="no (not installed)"])
AS_IF([test -n "$counters_out"],
	[summary_out="$(echo $counters_out) (do not compile here: see config.log)"],
	[summary_out=none])
summary() { printf '  %-17s%s\n' "$[1]:" "$[2]"; }
on_off() { AS_IF([test "$[1]" = yes], [echo on], [echo "off${2:+ ($[2])}"]); }
echo
echo "$PACKAGE_NAME $PACKAGE_VERSION for $host"
summary "counters" "$(echo $counters_in)"
summary "left out" "$summary_out"
summary "platform" "$(echo $platform_names)"
summary "prefix" "$summary_prefix"
summary "folders" "$summary_folders"
summary "cache" "$summary_cache"
summary "persecond file" "$summary_persecond"
summary "open's record" "$summary_record"
summary "systemd units" "$summary_units"
summary "udev rules" "$summary_rules"
summary "init script" "$with_init_script"
summary "shared library" "$(on_off $enable_shared)"
summary "static library" "$(on_off $enable_static)"
summary "symbol map" "$(on_off $have_symbol_map)"
summary "measure" "$(on_off $with_measure --without-measure)"
summary "libpfm4's names" "$(on_off $with_libpfm "$libpfm_missing")"
summary "parameters" "$(on_off $with_libdw "$libdw_missing")"
summary "info --json" "$(on_off $with_jansson "$jansson_missing")"
summary "unit tests" "$(on_off $with_cmocka "$cmocka_missing")"
summary "man page check" "$(on_off "${MANDOC:+yes}" 'needs mandoc')"
])
