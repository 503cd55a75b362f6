# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Test Anything Protocol for scripts. Sourced:  . "$top_srcdir/tests/harness/tap.sh"
# Ends the script with the plan. Each script works in a folder of its own, $scratch,
# which is removed at the end.

set -u
tap_count=0

scratch=$(mktemp -d "${TMPDIR:-/tmp}/cpucycles-test.XXXXXX") || exit 99
# setuid programs, an unprivileged user: others must be able to look in.
chmod 755 "$scratch"

tap_end() {
	status=$?
	rm -rf "$scratch"
	[ "$status" -eq 0 ] || { echo "Bail out! the script ended with status $status"; exit "$status"; }
	echo "1..$tap_count"
}
trap tap_end EXIT

# ok NAME COMMAND...: passes if the command succeeds.
ok() {
	tap_name=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@"; then
		echo "ok $tap_count - $tap_name"
	else
		tap_status=$?
		echo "not ok $tap_count - $tap_name"
		echo "# status $tap_status from: $*"
	fi
}

# is NAME GOT EXPECTED: passes if they are the same text.
is() {
	tap_count=$((tap_count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $tap_count - $1"
	else
		echo "not ok $tap_count - $1"
		printf '%s\n' "$2" | sed 's/^/# got:      /'
		printf '%s\n' "$3" | sed 's/^/# expected: /'
	fi
}

# skip NAME REASON: one test that can't run here.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: nothing of this script can run here.
skip_all() {
	trap - EXIT
	rm -rf "$scratch"
	echo "1..0 # SKIP $1"
	exit 0
}
