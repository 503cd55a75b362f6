#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The systemd unit, judged by systemd's own tools.

. "$top_srcdir/tests/harness/tap.sh"

command -v systemd-analyze >/dev/null || skip_all "no systemd-analyze"
systemd-analyze --help | grep -q -e --offline || skip_all "systemd-analyze is too old for --offline"

# As installed, but for a program that is there.
unit=$scratch/cpucycles-calibrate.service
sed -e "s,@sbindir@/cpucycles-calibrated,$(command -v true)," \
	-e "s,@sysconfdir@,/etc,g; s,@localstatedir@,/var,g" \
	"$top_srcdir/calibrated/cpucycles-calibrate.service.in" >"$unit"

is "systemd-analyze verify is silent" "$(systemd-analyze verify --man=no "$unit" 2>&1)" ""
exposure=$(systemd-analyze security --offline=yes --no-pager "$unit" |
	sed -n 's/.*exposure level[^:]*: \([0-9.]*\) .*/\1/p')
ok "systemd-analyze security rates it 1.5 or better (got $exposure)" \
	awk -v e="$exposure" 'BEGIN { exit !(e != "" && e <= 1.5) }'
ok "perf_event_open stays allowed" grep -q '^SystemCallFilter=.*perf_event_open' "$unit"
ok "CPU affinity stays allowed" sh -c \
	"systemd-analyze syscall-filter --no-pager @system-service | grep -qE 'sched_setaffinity|@resources'"
