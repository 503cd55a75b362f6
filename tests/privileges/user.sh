#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The tests as an ordinary user, as most people build packages.

if [ -z "${opened-}" ] && unshare -m true 2>/dev/null; then
	opened=1 exec unshare -m sh "$top_srcdir/tests/harness/way.sh" sh "$0"
fi

. "$top_srcdir/tests/harness/tap.sh"

may_override || skip_all "make check runs as an ordinary user already"
may_become || skip_all "$refused"
USER_NUMBER=1501 # neither root nor nobody
user="setpriv --reuid=$USER_NUMBER --regid=$USER_NUMBER --clear-groups"
# shellcheck disable=SC2086 # words
may $user test -x "$top_srcdir" -a -x "$top_builddir" ||
	skip_all "another user may not enter the build folder"
. "$top_srcdir/tests/privileges/common.sh"
mkdir -p "$sysconfdir" "$localstatedir"
# shellcheck disable=SC2086
run_each $user
