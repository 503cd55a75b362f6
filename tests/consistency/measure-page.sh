#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure(3) explains every member of every structure of cpucycles-measure.h, every
# constant and every error, and its figures are those of the code. So are those of
# cpucycles-measure(7), which explains each need and each warning, and of cpucycles-leak(7).
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "cpucycles-measure(3), (7) and cpucycles-leak(7) explain what the code has"

header=include/cpucycles-measure.h
page=doc/cpucycles-measure.3
guide=doc/cpucycles-measure.7

# code FILE: without comments.
code() {
	sed -e 's,/\*.*\*/,,' -e '\,/\*,,\,\*/,{' -e '\,/\*,!d' -e 's,/\*.*,,' -e '}' "$1"
}

# members STRUCTURE: their names, in order.
members() {
	code $header | sed -n "/^struct $1 {/,/^};/p" |
		sed -e '1d; $d; /^[[:blank:]]*$/d' -e 's/(\*\([a-z_]*\)).*/ \1/' |
		tr ',' '\n' | sed -e 's/\[.*//' -e 's/;.*//' \
			-e 's/.*[ *[:blank:]]\([a-z_0-9]*\)$/\1/'
}

structures=$(code $header | sed -n 's/^struct \([a-z_]*\) {$/\1/p')
ok "the header has structures" has_lines "$structures"
for structure in $structures; do
	ok "$structure has members" has_lines "$(members "$structure")"
	is "$page explains the members of $structure, in order" \
		"$(section $page "struct $structure" | sed -n 's/^\.It Va //p')" \
		"$(members "$structure")"
done
is "$page explains no other structure" \
	"$(sed -n 's/^\.Ss struct //p' $page)" "$structures"

# The structures of the example in Python, as lines of a member and its type.
typed() {
	code $header | sed -n "/^struct $1 {/,/^};/p" | sed '1d; $d' | awk '{
		gsub(/const |;|\*|\[.*/, "")
		$1 = $1
		type = $1
		sub(/^[^ ]* /, "")
		n = split($0, names, /, */)
		for (i = 1; i <= n; i++)
			print names[i], type
	}'
}
typed_in_python() {
	sed -n "/^class $1(/,/^\$/p" doc/examples/measure/measure.py | tr -d '\n' |
		grep -o '("[a-z_0-9]*", ctypes.c_[a-z0-9]*' |
		sed 's/("\(.*\)", ctypes.c_\(.*\)/\1 \2/
			s/ \(size\|uint64\)$/ \1_t/; s/ uint$/ unsigned/; s/ char_p$/ char/'
}
for pair in Reason:reason Options:meter_options Info:counter_info Result:result Verdict:verdict; do
	is "doc/examples/measure/measure.py: ${pair%:*} is that of the header" \
		"$(typed_in_python "${pair%:*}")" "$(typed "cpucycles_${pair#*:}")"
done

# Constants: those of enums, and macros without an argument. cpucycles-abi(7) has the version's.
constants=$(code $header | grep -o '\<CPUCYCLES_[A-Z_]*' | sort -u |
	grep -vxE 'CPUCYCLES_(MEASURE_H|REASON|WORK|VERSION_M[A-Z]*)')
ok "the header has constants" has_lines "$constants"
is "$page explains each constant, once" "$(sed -n 's/^\.It Dv //p' $page | sort)" "$constants"

# Errors that the header or the code of the public functions names.
errors=$( (cd measure && cat ../$header meter*.c judge*.c leak.c need.c) |
	grep -o -- '-E[A-Z0-9]*' | tr -d - | sort -u)
is "$page explains each error" \
	"$(section $page ERRORS | sed -n 's/^\.It Bq Er //p' | sort)" "$errors"

# default NAME: the value of a macro of the meter, as a number.
default() {
	echo $(($(sed -n "s/^#define $1_DEFAULT[A-Z_]* //p" measure/meter*.c | tr -d u)))
}
# default_in STRUCTURE MEMBER: what the page says.
default_in() {
	section $page "struct $1" | sed -n "/^\.It Va $2\$/,/^\.It Va/p" |
		sed -n 's/^The default is \([0-9.]*[0-9]\).*/\1/p'
}
is "$page has the default of works_max" "$(default_in cpucycles_meter_options works_max)" \
	"$(default WORKS)"
is "$page has the default of samples_max" "$(default_in cpucycles_meter_options samples_max)" \
	"$(default SAMPLES)"
is "$page has the default of budget_ns" "$(default_in cpucycles_plan budget_ns)" "$(default BUDGET)"
is "$page has the default of seed" "$(default_in cpucycles_plan seed)" "$(default SEED)"
is "$page has the default of alpha" "$(default_in cpucycles_plan alpha)" \
	"$(sed -n 's/^#define VERDICT_ALPHA //p' measure/verdict.h)"

# The words of cpucycles-measure(7), as the constants end.
words() {
	echo "$constants" | sed -n "s/^CPUCYCLES_$1_//p" | tr A-Z_ a-z- | sort
}
is "$guide explains each need" "$(terms $guide Needs)" "$(words NEED)"
is "$guide explains each warning" "$(terms $guide Warnings)" "$(words WARNING)"

# figure FILE NAME: the value of a macro, without a fraction of 0.
figure() {
	sed -n "s/^#define $2 \([0-9.]*\).*/\1/p" "measure/$1" | sed 's/\.0$//'
}
# text: the page in one line, without macros.
text=$(sed '/^\.\\"/d' $guide | tr '\n' ' ')
# says WHAT FILE NAME PATTERN: the page has the figure where the pattern has N. The figures of parts
# of 1 are percent there.
says() {
	says_figure=$(figure "$2" "$3")
	case $says_figure in 0.*) says_figure=$(awk "BEGIN { print $says_figure * 100 }") ;; esac
	says_text=$(echo "$4" | sed "s/N/${says_figure:-N}/")
	ok "$guide has $1 ($3): $says_text" has_lines "$(echo "$text" | grep -F "$says_text")"
}
says "the fit of the resolution" step.h STEP_FIT_PERCENT "for which N of 100 differences"
says "the pairs of the overhead" instrument.h INSTRUMENT_PAIRS "mean of N pairs"
says "fine" need.h NEED_FINE_NS "with a resolution of N ns or less"
says "calls of the pilot" samples.h RUN_PILOT "about N calls"
says "steps of a single call" samples.h RUN_STEPS_SINGLE "From N steps per call on"
says "steps of a batch" samples.h RUN_STEPS_BATCH "K is N divided by the steps"
says "calls of a short batch" samples.h RUN_BATCH_SHORT "more than N, K is"
says "the longest loop" samples.h RUN_BATCH_PART "1 part in N of the budget"
says "too fast" samples.h RUN_STEPS_SINGLE "takes less than N steps, there is no result"
says "the loop" checks.h CHECKS_LOOPS "less than N times as long as an empty"
says "the rate" checks.h CHECKS_RATE "differs by more than N % from the one"
says "the resolution" checks.h CHECKS_STEPS "has fewer than N steps"
says "the halves" checks.h CHECKS_PART "by more than N % of their mean"
says "the tail" checks.h CHECKS_TAIL "is at least N times the"
says "the windows" checks.h CHECKS_WINDOWS "N windows of time"
says "the drift" checks.h CHECKS_DRIFT_PART "by more than N % of the whole median"
says "the frequency" checks.h CHECKS_FREQUENCY_PART "run differs by more than N %"
says "the block" verdict.h VERDICT_BLOCK "N rounds are a block"

# Each branch of the fence has an entry.
is "$guide has each instruction of fence.h" \
	"$(for word in lfence cpuid isb c7,c5,4 isync 'bcr 15,0' sync 'dbar 0' 'ibar 0' \
		'fence iorw,iorw' 'membar #Sync'; do
		section $guide Fences | grep '^\.It No ' | grep -qF "$word" ||
			echo "$guide: no $word"
	done)" ""
is "$guide has as many as fence.h" "$(section $guide Fences | grep -c '^\.It ')" \
	"$(grep -c '__asm__ volatile' measure/fence.h)"

# The test for leaks
is "$page says how often a test for leaks calls a slow function" \
	"$(sed -n 's/.* is still called \([0-9]*\) times\.$/\1/p' $page)" \
	"$(($(figure leak.c PILOT_LEAST) + $(figure leak.c BLOCK_LEAST)))"
is "$page and $header say how much memory a test for leaks takes" \
	"$(grep -o 'at most [0-9]* times$' $page | tr -dc '0-9')" \
	"$(sed -n 's/.*memory while it runs: \([0-9]*\) times `bytes` at most.*/\1/p' $header)"
guide=doc/cpucycles-leak.7
text=$(sed '/^\.\\"/d' $guide | tr '\n' ' ')
says "the inputs that are made ahead" leak.c BLOCK_MOST "up to N of them ahead"
says "the smallest block" leak.c BLOCK_LEAST "of N to "
says "the largest block" leak.c BLOCK_MOST "to N calls each"
says "the blocks" leak.c BLOCKS_WANTED "there are N blocks or more"
says "the first look" groups.c LOOK_FIRST "a verdict at N blocks"
says "alpha" verdict.h VERDICT_ALPHA "N % by default"
says "the control's part" leak-judge.c CONTROL_PART "N % of alpha belong to the control"
says "the difference" leak-judge.c THRESHOLD_UNITS "The default is N units"
says "the calls for the cuts" leak-judge.h LEAK_JUDGE_EARLY "quantiles of the first N calls"
says "the cuts" groups.h GROUPS_QUANTILES "cuts: N quantiles"
says "the gaps" groups.h GROUPS_GAPS "widest gap in each of N equal parts"
says "the ends" groups.h GROUPS_ENDS_WITHIN "at each cut less than N % of them"
is "$guide explains each verdict" "$(terms $guide Verdicts | wc -l)" \
	"$(sed -n '/CPUCYCLES_LEAK_CANNOT_TELL,/,/}/p' $header | grep -c '^	CPUCYCLES')"
end_lint
