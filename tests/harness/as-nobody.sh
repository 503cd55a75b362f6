#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# as-nobody.sh COMMAND...: run the command as a user without rights, whose number is $NOBODY or
# 65534. Scripts call it as $as_nobody (tap.sh).
#
# That user may be unable to enter the folder of the sources or of the build, which may lie in
# root's home. So what the command runs has to be copied to $scratch. A command that names one of
# these folders is refused on every machine, or else the mistake would show in few places only.

for word; do
	case $word in
	*"${top_builddir:?}"* | *"${top_srcdir:?}"*)
		echo "as-nobody.sh: another user may be unable to reach $word" >&2
		exit 126
		;;
	esac
done
user=${NOBODY:-65534}
exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
