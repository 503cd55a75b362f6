#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The systemd units, judged by systemd's own tools.

. "$top_srcdir/tests/harness/tap.sh"

command -v systemd-analyze >/dev/null || skip_all "no systemd-analyze"
systemd-analyze --help | grep -q -e --offline || skip_all "systemd-analyze is too old for --offline"

# The units as they are installed, with a program that exists.
units='cpucycles-calibrate cpucycles-calibrate-resume cpucycles-metrics'
is "these are all units" "$(cd "$top_builddir/calibrated" && echo *.service)" \
	'cpucycles-calibrate-resume.service cpucycles-calibrate.service cpucycles-metrics.service'
for name in $units; do
	sed "s,^\(Exec[A-Za-z]*\)=[^ ]*/cpucycles-calibrated,\1=$(command -v true)," \
		"$top_builddir/calibrated/$name.service" >"$scratch/$name.service"
done
cp "$top_srcdir/calibrated/cpucycles-metrics.timer" "$scratch/"
unit=$scratch/cpucycles-calibrate.service

# systemd-analyze makes this folder where systemd has never run, as in a chroot for building. The
# units contain %b, the id of this boot.
if [ ! -r /proc/sys/kernel/random/boot_id ]; then
	skip "what systemd-analyze says" "/proc, which has the id of this boot, is not mounted"
elif [ -d /run/systemd ] || [ -w /run ]; then
	for name in $units; do
		is "systemd-analyze verify is silent on $name" \
			"$(systemd-analyze verify --man=no "$scratch/$name.service" 2>&1)" ""
		exposure=$(systemd-analyze security --offline=yes --no-pager \
			"$scratch/$name.service" |
			sed -n 's/.*exposure level[^:]*: \([0-9.]*\) .*/\1/p')
		ok "systemd-analyze security rates $name 1.5 or better (got $exposure)" \
			awk -v e="$exposure" 'BEGIN { exit !(e != "" && e <= 1.5) }'
	done
	is "systemd-analyze verify is silent on the timer" \
		"$(systemd-analyze verify --man=no "$scratch/cpucycles-metrics.timer" 2>&1)" ""
else
	skip "what systemd-analyze says" "systemd-analyze needs /run/systemd, which is not there"
fi

# Without a drop-in, the calibrator gets no argument for metrics.
is "metrics are off" "$(grep '^Environment=' "$unit")" "Environment=METRICS="

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
