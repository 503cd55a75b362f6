#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# tests/lib/rdpru.sh in a larger size: of what runs natively, ten times as much.

HOPS=100000 READS=1000000000
export HOPS READS
exec "${SHELL:-/bin/sh}" "$top_srcdir/tests/lib/rdpru.sh"
