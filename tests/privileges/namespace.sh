#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The tests as root of a user namespace, who has no rights outside, as in a container without root.

. "$top_srcdir/tests/harness/tap.sh"

may unshare -rU true || skip_all "$refused"
. "$top_srcdir/tests/privileges/common.sh"
run_each unshare -rU
