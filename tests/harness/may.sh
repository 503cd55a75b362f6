# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What this process may do. Sourced by tap.sh. A test asks here before it judges what needs a
# privilege, because a refusal is no answer. The number of the user does not tell: root in a
# container may lack the privilege, and an ordinary user may have it in a namespace. If the answer
# is no, $refused is the reason, for skip.

# may COMMAND...: whether the command succeeds. It does nothing but use the privilege.
may() {
	if refused=$("$@" 2>&1 >/dev/null </dev/null); then
		refused=
		return
	fi
	refused=$(echo "${refused:-refused: $*}" | head -n 1)
	return 1
}

# may_mount [FOLDER]: mount over the folder, in a mount namespace. $unshare is then the command that
# makes one. An ordinary user gets one together with a user namespace.
may_mount() {
	for unshare in "unshare -m" "unshare -rm"; do
		# shellcheck disable=SC2086 # words
		! may $unshare mount -t tmpfs none "${1:-$scratch}" || return 0
	done
	return 1
}

# own_etc: the library obeys the system's file of the frequency, which may make any cache stale. If
# there is one, the script runs again, with a copy of the folder in which the file is missing.
own_etc() {
	[ -e "$sysconfdir/cpucyclespersecond" ] || return 0
	may_mount "$sysconfdir" ||
		skip_all "$sysconfdir/cpucyclespersecond is there, and stays: $refused"
	trap - EXIT
	rm -rf "$scratch"
	# shellcheck disable=SC2086 # words
	exec $unshare sh "$top_srcdir/tests/harness/own-etc.sh" sh "$0"
}

# may_become: run programs in $scratch as another user, by $as_nobody.
may_become() { may $as_nobody test -x "$scratch"; }

# may_set_id: have another user run a program in $scratch with its owner's rights. A mount may
# forbid that, and capabilities of files with it.
may_set_id() {
	may_become || return
	cp "$(command -v id)" "$scratch/set-id"
	chmod 4755 "$scratch/set-id"
	[ "$($as_nobody "$scratch/set-id" -u)" != "$(stat -c %u "$scratch")" ] || return 0
	refused="set-id programs do not work in $scratch"
	return 1
}

# may_give_away: make a file another user's.
may_give_away() {
	: >"$scratch/given"
	may chown 65534 "$scratch/given"
	set -- $?
	rm -f "$scratch/given"
	return "$1"
}

# may_override: read what is closed for everyone.
may_override() {
	: >"$scratch/overridden"
	chmod 0 "$scratch/overridden"
	may cat "$scratch/overridden"
	set -- $?
	rm -f "$scratch/overridden"
	return "$1"
}

# may_trace: trace a program by strace.
may_trace() { may strace -o /dev/null true; }

# may_see_itself: find its own processes in /proc, which may be the one of another namespace, where
# the numbers are those of other processes.
may_see_itself() {
	# shellcheck disable=SC2016 # the inner shell's variables
	may sh -c 'read -r pid _ </proc/self/stat && [ "$pid" = $$ ]' && return
	refused="/proc does not have the processes of this namespace"
	return 1
}
