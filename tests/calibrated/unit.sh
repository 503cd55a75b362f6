#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The systemd unit, judged by systemd's own tools.

. "$top_srcdir/tests/harness/tap.sh"

command -v systemd-analyze >/dev/null || skip_all "no systemd-analyze"
systemd-analyze --help | grep -q -e --offline || skip_all "systemd-analyze is too old for --offline"

# The unit as it is installed, with a program that exists.
unit=$scratch/cpucycles-calibrate.service
sed -e "s,@sbindir@/cpucycles-calibrated,$(command -v true)," \
	-e "s,@sysconfdir@,/etc,g; s,@localstatedir@,/var,g" \
	"$top_srcdir/calibrated/cpucycles-calibrate.service.in" >"$unit"

# systemd-analyze makes this folder where systemd has never run, as in a chroot for building.
if [ -d /run/systemd ] || [ -w /run ]; then
	is "systemd-analyze verify is silent" \
		"$(systemd-analyze verify --man=no "$unit" 2>&1)" ""
	exposure=$(systemd-analyze security --offline=yes --no-pager "$unit" |
		sed -n 's/.*exposure level[^:]*: \([0-9.]*\) .*/\1/p')
	ok "systemd-analyze security rates it 1.5 or better (got $exposure)" \
		awk -v e="$exposure" 'BEGIN { exit !(e != "" && e <= 1.5) }'
else
	skip "what systemd-analyze says" "systemd-analyze needs /run/systemd, which is not there"
fi

# The system calls that the unit's filter allows. Its lines apply in order. Each is a list of calls
# and of groups that systemd knows, with ~ in front if they are taken away.
systemd-analyze syscall-filter --no-pager >"$scratch/groups" 2>/dev/null
sed -n 's/^SystemCallFilter=//p' "$unit" >"$scratch/filter"
awk '
	function take(word, there,    i, n, members) {
		if (word !~ /^@/) {
			if (there) allowed[word]; else delete allowed[word]
			return
		}
		n = split(group[word], members, " ")
		for (i = 1; i <= n; i++)
			take(members[i], there)
	}
	FNR == NR && /^@/ { name = $1 }
	FNR == NR && /^[ \t]+[^# \t]/ { group[name] = group[name] " " $1 }
	FNR == NR { next }
	{
		there = !sub(/^~/, "")
		for (f = 1; f <= NF; f++)
			take($f, there)
	}
	END { for (word in allowed) print word }' "$scratch/groups" "$scratch/filter" |
	sort >"$scratch/allowed"
for call in perf_event_open sched_setaffinity flock renameat; do
	ok "$call stays allowed" grep -qx "$call" "$scratch/allowed"
done
for call in chown setuid; do
	ok "$call does not" sh -c "! grep -qx '$call' '$scratch/allowed'"
done
