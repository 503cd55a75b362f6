# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The Test Anything Protocol (TAP) for scripts. Sourced:  . "$top_srcdir/tests/harness/tap.sh"
# The script works in a temporary folder of its own, $scratch. When it exits, the plan is printed
# and the folder is removed.

set -u
# CASES='WORD...' runs some cases of a script only: see cases.sh.
[ -z "${CASES-}" ] || . "$top_srcdir/tests/harness/cases.sh"
tap_count=0

scratch=$(mktemp -d "${TMPDIR:-/tmp}/cpucycles-test.XXXXXX") || exit 99
# Tests of set-id programs and of unprivileged users need to read the folder as another user,
# whatever the tester's umask is.
umask 022
chmod 755 "$scratch"

tap_end() {
	status=$?
	rm -rf "$scratch"
	[ "$status" -eq 0 ] ||
		{ echo "Bail out! the script ended with status $status"; exit "$status"; }
	echo "1..$tap_count"
}
trap tap_end EXIT
# dash does not run the trap of EXIT if a signal ends it.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

. "$top_srcdir/tests/harness/may.sh"

# ok NAME COMMAND...: a test that passes if the command succeeds.
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

# is NAME GOT EXPECTED: a test that passes if both are the same text.
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

# capture COMMAND...: its output in $scratch/out and $scratch/err, its exit status in $status.
capture() {
	status=0
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
}

# soon COMMAND...: wait until the command succeeds. The limit is only for what hangs.
SOON_TURNS=3000 # of a tenth of a second at least
soon() {
	for _ in $(seq $SOON_TURNS); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "# waited in vain: $*"
	return 1
}

# $as_nobody COMMAND...: run the command as a user without rights. A program of the build must be
# copied to $scratch before, by install -m 755.
as_nobody="sh $top_srcdir/tests/harness/as-nobody.sh"
# nobody_enters: whether that user may enter the folders of the compiled-in paths. Tests that write
# to these paths have them in the build folder.
nobody_enters() {
	# shellcheck disable=SC2016 # the inner shell's variables
	$as_nobody sh -c 'cd "$sysconfdir" && cd "$localstatedir"' 2>/dev/null
}

# skip NAME REASON: a test that cannot run here.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: end the script, because none of its tests can run here.
skip_all() {
	trap - EXIT
	rm -rf "$scratch"
	echo "1..0 # SKIP $1"
	exit 0
}
