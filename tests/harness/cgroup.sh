# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Control groups for containers. Sourced. systemd-nspawn with --keep-unit puts the container into
# the group "payload" below its own group. Two containers that were started from one group share it:
# the systemd of one removes the groups of units that the systemd of the other is about to use, and
# these units fail with status 219 (systemd.exec(5), EXIT_CGROUP).

# own_groups NAME: the folders of new groups of that name, below the groups of this process: one in
# the unified hierarchy, and one in systemd's own, which is there beside controllers of version 1.
# Sources: cgroups(7), proc(5), /proc/self/cgroup.
own_groups() {
	while read -r _ mounted type options _; do
		case $type:,$options, in
		cgroup2:*) hierarchy="0:" ;;
		cgroup:*,name=systemd,*) hierarchy="[0-9]*:name=systemd" ;;
		*) continue ;;
		esac
		echo "$mounted$(sed -n "s/^$hierarchy:\(.*[^/]\)*\/*$/\1/p" /proc/self/cgroup)/$1"
	done </proc/mounts
}

# in_own_group NAME COMMAND...: run the command in such groups. Without them, the command runs all
# the same: where the groups are not to be written to, systemd-nspawn says so itself.
in_own_group() {
	group=$1
	shift
	(
		for folder in $(own_groups "$group"); do
			mkdir -p "$folder" && sh -c "echo \$PPID >'$folder/cgroup.procs'"
		done 2>/dev/null
		exec "$@"
	)
	group_status=$?
	for folder in $(own_groups "$group"); do
		find "$folder" -depth -type d -exec rmdir {} +
	done 2>/dev/null
	return "$group_status"
}
