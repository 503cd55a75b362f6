# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# For tests that mount: their lines run in a mount namespace of their own, so that no other process
# sees the mounts, and the mounts end with the lines. Sourced, after tap.sh.

# run_inside FIRST: run the lines of FIRST, and then those on standard input. Their output is
# $scratch/out. If the lines cannot mount something, they must not go on, because they would test
# other surroundings than they say:
#     needed COMMAND...
# ends the lines if the command fails. $refused is then what it said, and is empty otherwise. If
# there may be no mount namespace, none of the lines is run.
#     hang DESCRIPTOR PATH
# mounts FUSE that answers nothing over the file or folder, as a lxcfs that hangs does. It hangs
# while the descriptor is open, here or in a process that inherits it.
run_inside() {
	inside_status=9
	may unshare -m true || return 0
	{
		cat <<-'END'
			needed() {
				why=$("$@" 2>&1) && return
				echo "$why" | head -n 1
				exit 9
			}
			hang() {
				needed sh -c ': <>/dev/fuse'
				eval "exec $1<>/dev/fuse"
				[ -d "$2" ] && mode=40755 || mode=100444
				needed mount -i -t fuse \
					-o "fd=$1,rootmode=$mode,user_id=0,group_id=0" lxcfs "$2"
			}
		END
		printf '%s\n' "$1"
		cat
	} >"$scratch/script"
	inside_status=0
	timeout 600 unshare -m sh -u "$scratch/script" >"$scratch/out" 2>&1 ||
		inside_status=$?
	refused=
	[ "$inside_status" != 9 ] || refused=$(tail -n 1 "$scratch/out")
}

# shows NAME COMMAND...: like ok, but a skip if the lines could not mount what they needed.
shows() {
	if [ -n "$refused" ]; then
		skip "$1" "$refused"
	else
		ok "$@"
	fi
}
