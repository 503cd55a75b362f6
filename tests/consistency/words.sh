#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The manual pages explain every word that the API, the cache and the programs use, and no other.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "the manual pages explain every word of the code, and no other"

# The words of the code, as tests/consistency/print-words.c has them.
page_variables=$(section doc/cpucycles-environment.7 DESCRIPTION |
	sed -n 's/^\.It Ev //p' | sort)
mkdir -p "$scratch/sys/devices/cpu"
echo 1 >"$scratch/sys/devices/cpu/rdpmc"
# shellcheck disable=SC2086 # a list of names
"$top_builddir/tests/consistency/print-words" "$scratch" $page_variables \
	>"$scratch/words" || exit 99
# words KIND: those of this kind, sorted.
words() {
	sed -n "s/^$1 //p" "$scratch/words" | sort -u
}

statuses=$(words status)
classes=$(words class)
reasons=$(words reason)
sources=$(words source)
is "doc/cpucycles.3 explains each cache status" "$(terms doc/cpucycles.3 'Cache status')" \
	"$statuses"
is "doc/cpucycles-frequency.7 explains each source of persecond" \
	"$(terms doc/cpucycles-frequency.7 'Sources of persecond')" "$sources"
is "doc/cpucycles-counters.7 explains each class" \
	"$(terms doc/cpucycles-counters.7 Classes)" "$classes"
is "doc/cpucycles-cache.5 explains each class" "$(terms doc/cpucycles-cache.5 Classes)" "$classes"
is "doc/cpucycles-cache.5 explains each reason" "$(terms doc/cpucycles-cache.5 Reasons)" "$reasons"
is "doc/cpucycles-cache.5 explains each fact" "$(terms doc/cpucycles-cache.5 Facts)" "$(words fact)"

is "doc/cpucycles-cache.5 has each kind of line" \
	"$(terms doc/cpucycles-cache.5 Format | sed 's/ .*//' | sort)" "$(words line)"

# The public header names each status, each source, each class, and each reason of a counter that
# was tried.
header=$(grep -o '"[a-z-]*"' include/cpucycles.h | tr -d '"' | sort -u)
reasons=$(echo "$reasons" | grep -vxE 'none|pruned')
for word in $statuses $sources $classes $reasons; do
	ok "include/cpucycles.h names $word" grep -q "\"$word\"" include/cpucycles.h
done
expected=$(printf '%s\n' "$statuses" "$sources" "$classes" "$reasons" C amd64-tsc cache probe)
is "cpucycles.h names no other word" \
	"$(echo "$header" | grep -vxF "$expected" | placed include/cpucycles.h)" ""

# The environment variables: one page explains those that the code asks for, and no other page or
# document names a variable that is not among them. Others' variables: JOURNAL_STREAM is systemd's,
# METRICS is one of a unit, SUDO_UID and PKEXEC_UID say who became root, CC, CXX, HOME, LOGNAME,
# NO_COLOR, PATH, SHELL, TMPDIR, USER and XDG_RUNTIME_DIR are everybody's,
# CPUCYCLES_PLATFORM is a macro of m4/, and CPUCYCLES_MEASURE_1 a symbol version.
# CPUCYCLES_PLOT_PARTS and CPUCYCLES_INFO are for cpucycles-plot only. The second library's
# constants are no variables.
variables=$(words variable)
is "doc/cpucycles-environment.7 explains each variable" "$page_variables" "$variables"
constants=$(grep -o 'CPUCYCLES_[A-Z_]*' include/cpucycles-measure.h | sort -u)
is "no other variable is named" \
	"$( (sed -n 's/^\.\(It \)*Ev \([A-Za-z_]*\).*/\2/p' doc/cpucycles*.[1-9]
		grep -ohE '\<(CPUCYCLES_[A-Z]+|cpucyclespersecond=)' README.md NEWS doc/*.md |
			tr -d =) |
		sort -u |
		grep -vxF "$(printf '%s\n' "$variables" CC CXX HOME JOURNAL_STREAM LOGNAME \
			METRICS NO_COLOR PATH PKEXEC_UID SHELL SUDO_UID TMPDIR USER \
			XDG_RUNTIME_DIR \
			CPUCYCLES_PLATFORM CPUCYCLES_MEASURE CPUCYCLES_PLOT CPUCYCLES_PLOT_PARTS \
			CPUCYCLES_INFO
		echo "$constants" | grep -o '^CPUCYCLES_[A-Z]*' | sort -u)" |
		placed README.md NEWS doc/cpucycles*.[1-9] doc/*.md)" ""

# Options: those of --help are those of the page's list.
help_options() {
	"$1" --help 2>/dev/null | grep '^ *-' | sed 's/  *[^-, ].*//' |
		grep -o -- '--*[A-Za-z][A-Za-z-]*' | sort -u
}
page_options() {
	grep '^\.It Fl ' "$1" | sed -e 's/Fl Fl /--/g' -e 's/Fl \\*-/--/g' -e 's/Fl /-/g' |
		grep -o -- '--*[A-Za-z][A-Za-z-]*' | sort -u
}
for program in calibrated/cpucycles-calibrated:8 utils/cpucycles-info:1 utils/cpucycles-measure:1 \
	utils/cpucycles-open:8 plot/cpucycles-plot:1; do
	name=$(basename "${program%:*}")
	page=doc/$name.${program#*:}
	if [ ! -x "$top_builddir/${program%:*}" ]; then
		skip "options of $name" "it is not built"
		continue
	fi
	options=$(help_options "$top_builddir/${program%:*}")
	ok "$name --help prints options" has_lines "$options"
	is "$page has the options of --help" "$(page_options "$page")" "$options"
done

# The knobs, and the exit statuses of the tool that opens them.
is "doc/cpucycles-open.8 explains each knob" \
	"$(section doc/cpucycles-open.8 Knobs | sed -n 's/^\.It Pa //p' | sort)" \
	"$(words knob)"
is "doc/cpucycles-open.8 explains each exit status" \
	"$(section doc/cpucycles-open.8 'EXIT STATUS' | sed -n 's/^\.It //p')" \
	"$(sed -n 's/^\tOPENING_[A-Z_]* = \([0-9]*\).*/\1/p' utils/open/opening.h)"

# What cpucycles-measure exits with, and what it says about a function.
is "doc/cpucycles-measure.1 explains each exit status" \
	"$(section doc/cpucycles-measure.1 'EXIT STATUS' | sed -n 's/^\.It //p')" \
	"$(sed -n 's/^\tOUTCOME_[A-Z_]* = \([0-9]*\).*/\1/p' utils/measure/result/status.h)"
is "doc/cpucycles-measure.1 has each state of a function" \
	"$(section doc/cpucycles-measure.1 JSON | sed -n '/^is one of$/,/;$/p' |
		sed -n 's/^\.Dq \(.*[a-z]\)\( [,;]\)*$/\1/p' |
		grep -vx -e 'not measured' -e unchanged | sort)" "$(words state)"

# How long a second calibrator waits.
seconds=$(words wait)
# seconds_after PAGE TEXT: the number of seconds behind this text, which may be on several lines.
seconds_after() {
	tr '\n' ' ' <"$1" | sed -n "s/.*$2 \([0-9]*\) seconds.*/\1/p"
}
is "doc/cpucycles-open.8 has the wait for the lock" \
	"$(seconds_after doc/cpucycles-open.8 'Another one waits for it up to')" "$seconds"
is "doc/cpucycles-calibrated.8 has the wait for the lock" \
	"$(seconds_after doc/cpucycles-calibrated.8 'another run waits for it up to')" "$seconds"
longest='Wait at most this long, from 0 to \([0-9]*\) seconds'
is "doc/cpucycles-calibrated.8 has the numbers of --wait" \
	"$(sed -n "s/^$longest, .*; default \([0-9]*\)\.\$/\1 \2/p" doc/cpucycles-calibrated.8)" \
	"$(words longest) $seconds"
end_lint
