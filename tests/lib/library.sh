# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the scripts that drive the real library share. Sourced, after tap.sh.

. "$top_srcdir/tests/harness/lines.sh"

own_etc

programs=$top_builddir/tests/lib
cache=$scratch/counters

# Longer than any first call under any sanitizer; a hang gets status 124.
limit=300

# shown CONDITION...: runs show; $scratch/out (for show_field), $scratch/err, and $shown, its
# status.
shown() {
	timeout "$limit" "$programs/show" "$@" >"$scratch/out" 2>"$scratch/err"
	shown=$?
}

# twin NAME...: the name that counters have if chance decides which is first.
twin() {
	echo "$1" | twins
}

# as_expected NAME STATUS SOURCE: the last shown ended well, in silence, with these.
as_expected() {
	noise=$(sed 's/^/stderr: /' "$scratch/err")
	is "$1" "$shown $(show_field status) $(show_field source) $noise" "0 $2 $3 "
}

# Whether this build has a sanitizer in it, which some tests can't live with.
sanitized() {
	case " $CFLAGS $CC " in
	*-fsanitize=*) return 0 ;;
	esac
	return 1
}

# listed GROUP...: the system calls that cpucycles-sandbox(7) lists below SYSTEM CALLS, from the
# groups whose names begin with GROUP. An empty GROUP means every group.
listed() {
	for group; do
		awk -v group="$group" '
			/^\.Sh / { inside = $0 == ".Sh SYSTEM CALLS" }
			/^\.Ss Other names/ { inside = 0 }
			inside && /^\.It Em / { on = index($0, ".It Em " group) == 1; next }
			inside && /^\.El/ { on = 0 }
			inside && on && /^\.Li / {
				for (i = 2; i <= NF; i++)
					if ($i ~ /^[a-z0-9_]+$/)
						print $i
			}
		' "$top_srcdir/doc/cpucycles-sandbox.7"
	done | sort -u
}

# other_names: a line for each call that has more names than one: the manual's, then the others.
other_names() {
	awk '/^\.Ss / { inside = $0 == ".Ss Other names" }
		inside && /^\.It Li / { gsub(/,|\.It|Li|Ta/, ""); $1 = $1; print }
	' "$top_srcdir/doc/cpucycles-sandbox.7"
}

# all_names: of the system calls on standard input, under whatever name.
all_names() {
	other_names >"$scratch/other-names"
	awk 'FNR == NR { first = $1; $1 = ""; others[first] = $0; next }
		{ print; n = split(others[$1], names); for (i = 1; i <= n; i++) print names[i] }
	' "$scratch/other-names" - | sort -u
}
