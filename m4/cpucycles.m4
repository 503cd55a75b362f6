# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# CPUCYCLES_COUNTERS(LIST)
# Compile every file of the list on its own. Those that compile become
# COUNTER_OBJECTS and lib/counters.inc, in list order; the others are left out.
AC_DEFUN([CPUCYCLES_COUNTERS], [
counters_in= counters_out= COUNTER_OBJECTS= counters_symbols=
for source in $($SED -n 's/^[[ 	]]*\(lib@<:@^ @:>@*\.c\).*/\1/p' "$srcdir/$1"); do
	name=$(basename "$source" .c)
	AC_MSG_CHECKING([whether $name compiles])
	$MKDIR_P conftest.dir && cp confdefs.h conftest.dir/config.h
	counter_try="$CC $BASE_CFLAGS $CFLAGS -Werror=implicit-function-declaration $CPPFLAGS -Iconftest.dir -I$srcdir/lib -c -o conftest.$OBJEXT $srcdir/$source"
	AS_IF([AC_TRY_EVAL([counter_try])],
		[AC_MSG_RESULT([yes])
		 counters_in="$counters_in $name"
		 COUNTER_OBJECTS="$COUNTER_OBJECTS ${source%.c}.lo"
		 counters_symbols="$counters_symbols $(echo "$name" | tr - _)"],
		[AC_MSG_RESULT([no])
		 counters_out="$counters_out $name"])
	rm -rf "conftest.$OBJEXT" conftest.dir
done
AS_CASE([" $counters_in "], [*-perfevent*|*-pmc*|*perf*],
	[COUNTER_OBJECTS="$COUNTER_OBJECTS lib/os/perfevent.lo"])
AC_SUBST([COUNTER_OBJECTS])
AC_CONFIG_COMMANDS([lib/counters.inc], [
	{
		echo "/* Made by configure from lib/counters.am. */"
		for symbol in $counters_symbols; do echo "COUNTER($symbol)"; done
	} >lib/counters.inc.new
	if cmp -s lib/counters.inc.new lib/counters.inc; then
		rm lib/counters.inc.new
	else
		mv lib/counters.inc.new lib/counters.inc
	fi],
	[counters_symbols="$counters_symbols"])
])

# CPUCYCLES_UNIT_DIR(WISH)
# The folder that pkg-config names for units; below the prefix if that is not /usr.
AC_DEFUN([CPUCYCLES_UNIT_DIR], [
PKG_CHECK_VAR([unit_dir], [systemd], [systemdsystemunitdir])
AS_IF([test -n "$unit_dir"], [
	AS_IF([test "$prefix" = /usr],
		[with_systemdsystemunitdir=$unit_dir],
		[with_systemdsystemunitdir='${prefix}/lib/systemd/system'])],
	[AS_IF([test "$1" = yes], [AC_MSG_ERROR([pkg-config knows no systemd])])
	 with_systemdsystemunitdir=no])
])

AC_DEFUN([CPUCYCLES_SUMMARY], [
eval "summary_sysconfdir=$sysconfdir" && eval "summary_sysconfdir=$summary_sysconfdir"
summary() { printf '  %-16s%s\n' "$[1]:" "$[2]"; }
echo
echo "$PACKAGE_NAME $PACKAGE_VERSION for $host"
summary "counters" "$(echo $counters_in)"
summary "left out" "$(echo $counters_out) (cannot be compiled here: see config.log)"
])
