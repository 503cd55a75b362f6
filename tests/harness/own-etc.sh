#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# own-etc.sh COMMAND...: run the command with a copy of $sysconfdir, in which the machine's file of
# the frequency is missing. Only for a mount namespace of its own.

copy=$(mktemp -d "${TMPDIR:-/tmp}/cpucycles-etc.XXXXXX") || exit 99
mount -t tmpfs -o mode=755 none "$copy" || exit 99
# What this process may not read, no test needs.
cp -a "${sysconfdir:?}/." "$copy" 2>/dev/null
rm -rf "$copy/cpucyclespersecond"
mount --bind "$copy" "$sysconfdir" && umount -l "$copy" && rmdir "$copy" || exit 99
exec "$@"
