# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the scripts that drive the real library share. Sourced, after tap.sh.

programs=$top_builddir/tests/lib
cache=$scratch/counters

# Longer than any first call under any sanitizer; a hang gets status 124.
limit=60

# shown CONDITION...: runs show; $scratch/out, $scratch/err, and $shown, its status.
shown() {
	timeout "$limit" "$programs/show" "$@" >"$scratch/out" 2>"$scratch/err"
	shown=$?
}

# field NAME: what show said.
field() {
	sed -n "s/^$1 //p" "$scratch/out"
}

# TSC twins read the same register, and an emulator has no vDSO, so that both clocks make the
# same system call: which of them is first by a cycle is chance.
twin() {
	echo "$1" | sed -e 's/-tscasm$/-tsc/' ${emulator:+-e 's/default-syscall$/default-monotonic/'}
}

# as_expected NAME STATUS SOURCE: the last shown ended well, in silence, with these.
as_expected() {
	is "$1" "$shown $(field status) $(field source) $(sed 's/^/stderr: /' "$scratch/err")" "0 $2 $3 "
}

# Whether this build has a sanitizer in it, which some tests can't live with.
sanitized() {
	case " $CFLAGS $CC " in
	*-fsanitize=*) return 0 ;;
	esac
	return 1
}
