#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The #include lines obey the arrows of doc/architecture.md.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "every file includes only what the arrows of doc/architecture.md allow"

# A basic regular expression: an #include line up to the header's name.
include_line='^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*'

# includes FILE: the lines that include the project's headers, each as "FILE:LINE:#include ...".
includes() {
	grep -n "$include_line\"" "$1" /dev/null
}

# strangers FILE PATTERN: those whose header the pattern does not allow.
strangers() {
	includes "$1" | grep -vE "include[[:blank:]]*\"($2)\""
}

counter_headers='config\.h|counter\.h|fixup\.h|hot\.h|rate\.h|scale\.h|text\.h|(os|arch)/.*'
library_headers=$(for header in lib/*.h; do basename "$header"; done |
	sed 's/\./\\./' | tr '\n' '|' | sed 's/|$//')

for file in $(find lib/arch lib/os -name '*.[ch]' | sort); do
	case $file in
	lib/os/perfevent.c) allowed="$counter_headers|guard\.h|thread\.h" ;;
	lib/os/perfevent-setup.c) allowed="$counter_headers|file\.h" ;;
	lib/os/core-pmus.c | lib/os/linux-files.c | lib/os/timebase.c)
		allowed="$counter_headers|file\.h|decimal\.h"
		;;
	*/frequency*.[ch]) allowed="$counter_headers|frequency\.h|file\.h|decimal\.h" ;;
	lib/arch/*machine-*.c) allowed="$counter_headers|machine\.h" ;;
	lib/os/thread-*.c | lib/os/signals-linux.c) allowed="$counter_headers|thread\.h" ;;
	*) allowed=$counter_headers ;;
	esac
	is "$file knows what a counter may know" "$(strangers "$file" "$allowed")" ""
done

for file in lib/*.[ch]; do
	case $file in
	lib/entry.c) allowed="config\.h|$library_headers|os/clock\.h|cpucycles\.h" ;;
	lib/lock.c) allowed="config\.h|$library_headers|os/(clock|futex|tls)\.h" ;;
	lib/guard.c)
		allowed="config\.h|$library_headers|os/(cancellation|disposition|signals)\.h"
		;;
	lib/guard.h) allowed="$library_headers|arch/loads\.h" ;;
	lib/displace.[ch] | lib/ending.c) allowed="config\.h|$library_headers|os/disposition\.h" ;;
	lib/deliver.[ch]) allowed="config\.h|$library_headers|os/(disposition|signals)\.h" ;;
	lib/cache.c | lib/file.c | lib/persecond.c)
		allowed="config\.h|$library_headers|os/filesystem\.h"
		;;
	lib/counters.[ch]) allowed="config\.h|$library_headers|counters\.inc" ;;
	*) allowed="config\.h|$library_headers" ;;
	esac
	is "$file knows nothing above or below it" "$(strangers "$file" "$allowed")" ""
done

# The rule and the arithmetic are pure: no clock, no file, no guard.
is "the read of an event's page is pure" "$(includes lib/os/perfevent-page.h)" ""
is "selection is pure" "$(strangers lib/selection.c 'config\.h|selection\.h')" ""
is "selection.h is pure" "$(strangers lib/selection.h 'counter\.h|rate\.h')" ""
is "mounts is pure" "$(strangers lib/mounts.c 'config\.h|digits\.h|hot\.h|mounts\.h|text\.h')" ""
is "decimal is pure" "$(strangers lib/decimal.c 'config\.h|decimal\.h|digits\.h')" ""
is "the digits are pure" "$(includes lib/digits.h)" ""
is "text is pure" "$(strangers lib/text.c 'config\.h|text\.h')" ""
format_headers='config\.h|cache-format\.h|digits\.h|hash\.h|rate\.h|text\.h'
is "the cache's format is pure" "$(strangers lib/cache-format.c "$format_headers")" ""

is "include/cpucycles.h includes what has size_t" \
	"$(sed -n "s/$include_line//p" include/cpucycles.h)" "<stddef.h>"
is "include/cpucycles-measure.h includes what C itself has" \
	"$(sed -n "s/$include_line//p" include/cpucycles-measure.h)" "<stddef.h>
<stdint.h>
<stdio.h>"
is "include/cpucycles-measure.hpp includes that and what C++11 has" \
	"$(sed -n "s/$include_line//p" include/cpucycles-measure.hpp)" "<cpucycles-measure.h>
<cstddef>
<cstdio>
<memory>
<type_traits>"

# headers_of FOLDER: for the pattern of a folder's own headers, with those below it.
headers_of() {
	find "$1" -name '*.h' | sed -e 's,.*/,,' -e 's/\./\\./' | tr '\n' '|'
}
# headers_in FOLDER: the same without those below it.
headers_in() {
	for header in "$1"/*.h; do basename "$header"; done | sed 's/\./\\./' | tr '\n' '|'
}
# The second library knows the first by its public functions only, and one file calls these; and by
# headers that both compile. Each file knows its own header and the files below it. Those that are
# pure know each other only.
small='(checks|current-cpu|draw|events|fence|groups|letters|number|pair|reason|sized|source|state|'
small="${small}statistics|step|tsc|unrestored|verdict)\.h"
shared='(chain|cycles|kperf|raw-clock)\.h'
parsers='(field|name|word)\.h'
for file in measure/*.[ch] measure/events/*.[ch] sentences/reason.[ch]; do
	own="config\.h|$(basename "$file" | sed 's/\.[ch]$//')\.h"
	pure=yes
	case $file in
	*/draw.h | */fence.h | */sized.h | */number.h | */tsc.h) ;;
	*/statistics.[ch]) ;;
	*/table.[ch]) own="$own|(colours|printable)\.h" ;;
	*/cycles.[ch]) own="$own|(chain|statistics)\.h" ;;
	*/checks.[ch] | */step.[ch] | */verdict.[ch]) own="$own|statistics\.h" ;;
	*/groups.[ch]) own="$own|statistics\.h" ;;
	*/replicates.[ch]) own="$own|(statistics|verdict)\.h" ;;
	*/placement.[ch]) own="$own|draw\.h" ;;
	*/owner.[ch]) pure= ;;
	*/state.h) own="$own|fence\.h" ;;
	*/events/name.[ch]) own="$own|(digits|reason|word)\.h" ;;
	*/events/kernel-names.c) own="$own|name\.h" ;;
	*/events/word.[ch]) own="$own|name\.h" ;;
	*/events/field.[ch]) own="$own|(digits|name)\.h" ;;
	*/pmu-register.h) own="$own|arch/amd64/rdpmc\.h|arch/riscv/csr\.h" ;;
	*/events/expect.[ch]) own="$own|(chain|known|name)\.h" ;;
	*/reason.[ch]) own="$own|cpucycles-measure\.h|(letters|printable|sized)\.h" ;;
	*) pure= ;;
	esac
	case $file in
	*/source.c) own="$own|cpucycles\.h|$small" ;;
	*/source.h) own="$own|reason\.h" ;;
	*/pair.[ch]) own="$own|(current-cpu|fence|source|tsc)\.h" ;;
	*/unrestored.[ch]) own="$own|(letters|reason|state)\.h" ;;
	*/events/known.[ch]) own="$own|chain\.h" ;;
	*/events/sysfs*.[ch] | */events/pfm*.[ch])
		own="$own|$parsers|(digits|pfm|reason|sysfs|sysfs-files)\.h"
		;;
	*/events/resolve-*.c) own="$own|$parsers|(group|pfm|reason|refusal|sysfs)\.h" ;;
	*/events/group*.[ch])
		own="$own|$parsers|(group|kperf-counters|page|pmu-register|reason|refusal)\.h"
		;;
	*/events/page.h) own="$own|fence\.h|os/perfevent-page\.h" ;;
	*/events/refusal.[ch]) own="$own|(group|reason)\.h" ;;
	*/kperf*.[ch]) own="$own|(kperf|kperf-counters|reason)\.h" ;;
	*/events/check.[ch])
		own="$own|(chain|current-cpu|expect|group|known|number|reason|tsc)\.h"
		;;
	*/events.[ch]) own="$own|events/(check|group)\.h|(reason|tsc)\.h" ;;
	*/events/list.[ch]) own="$own|$parsers|(events|intel|pfm|reason|sysfs|tsc)\.h" ;;
	*/instrument.[ch]) own="$own|$small|$shared" ;;
	*/need.[ch]) own="$own|$small|$shared|instrument\.h" ;;
	*/samples.h) own="$own|$small|$shared|instrument\.h" ;;
	*/judge*.[ch]) own="$own|judge\.h|$small|$shared|(instrument|samples)\.h" ;;
	*/figures*.[ch])
		own="$own|$small|$shared|(cycles|figures|instrument|judge|measured|samples)\.h|(colours|table)\.h"
		;;
	*/measured.h) own="$own|judge\.h" ;;
	*/take.[ch]) own="$own|$small|$shared|(instrument|samples)\.h" ;;
	*/chain-look.[ch]) own="$own|$small|$shared|(instrument|samples|take)\.h" ;;
	*/pilot.[ch]) own="$own|$small|$shared|(instrument|samples|take)\.h" ;;
	*/run.[ch])
		own="$own|$small|$shared|(chain-look|instrument|judge|pilot|samples|take)\.h"
		;;
	*/print.c)
		own="$own|$small|(figures|instrument|judge|measured|meter|run)\.h|(samples|table)\.h"
		own="$own|cpucycles-measure\.h"
		;;
	*/meter.[ch] | */meter-open.c)
		own="$own|$small|$shared|(instrument|judge|leak|meter|need|run|samples)\.h"
		own="$own|(leak-judge|owner)\.h"
		own="$own|cpucycles-measure\.h"
		;;
	*/leak.[ch])
		own="$own|$small|$shared|(cpucycles-measure|chain-look|leak-inputs|leak-judge)\.h"
		own="$own|meter\.h"
		;;
	*/leak-judge.[ch]) own="$own|(cpucycles-measure|groups|statistics|verdict)\.h" ;;
	*/leak-inputs.[ch]) own="$own|(cpucycles-measure|draw)\.h" ;;
	esac
	is "$file knows what is below it" "$(strangers "$file" "$own")" ""
	[ -z "$pure" ] || is "$file is pure: no clock, no file, no thread" \
		"$(grep -nE '<(fcntl|pthread|sched|signal|sys/.*|time|unistd)\.h>' \
			"$file" /dev/null)" ""
done
is "only measure/source.c of the second library knows the first" \
	"$(grep -n "$include_line.cpucycles\.h" measure/*.[ch] measure/events/*.[ch] |
		grep -v '^measure/source\.c:')" ""
ok "measure/source.c knows the first library" grep "$include_line.cpucycles\.h" measure/source.c

# What the programs share knows nothing of the library, so that a second library can use it too.
# What measures prints nothing either.
for file in base/*.[ch]; do
	case $file in
	*/affinity.[ch] | */chain.[ch] | */raw-clock.[ch] | */skew.[ch])
		own='affinity\.h|chain\.h|intel\.h|raw-clock\.h|skew\.h|'
		;;
	*)
		own='(command-line|json-text|letters|log|path|printable|progress-line|publish)\.h|'
		own="${own}(raw-clock|same-file|signals|spent|streams)\.h|"
		;;
	esac
	is "$file knows its own folder only" "$(strangers "$file" "${own}config\.h")" ""
done
# What takes the time of programs: readers, what is read, the rules, and one file that knows all.
for file in noise/*.[ch]; do
	own=$(basename "$file" | sed 's/\.[ch]$//')
	case $file in
	noise/files.c) own='(file|files)' ;;
	noise/parse.[ch]) own='(digits|parse|printable)' ;;
	noise/account.[ch] | noise/quota.[ch] | noise/smi.[ch]) own="(files|parse|$own)" ;;
	noise/own.[ch]) own='(own|parse)' ;;
	noise/programs.[ch]) own='(affinity|digits|files|parse|programs|raw-clock)' ;;
	noise/gaps.[ch]) own='(affinity|gaps|own|raw-clock)' ;;
	noise/seen.[ch]) own='(account|gaps|programs|quota|seen)' ;;
	noise/blame.[ch]) own='(blame|cause|letters|seen)' ;;
	noise/look.[ch]) own='(affinity|blame|cause|file|files|look|raw-clock|smi|speed)' ;;
	noise/settings.[ch]) own='(files|parse|quota|settings)' ;;
	noise/speed.[ch]) own='(cause|chain|guard|machine|raw-clock|settings|speed|values)' ;;
	noise/speed-blame.c) own='(speed|values)' ;;
	esac
	is "$file knows what is below it" "$(strangers "$file" "config\.h|$own\.h")" ""
done
for file in noise/parse.c noise/seen.c noise/blame.c noise/speed-blame.c noise/values.c; do
	is "$file is pure: no clock, no file, no thread" \
		"$(grep -nE '<(fcntl|pthread|sched|signal|sys/.*|time|unistd)\.h>' \
			"$file" /dev/null)" ""
done
for file in machine/*.[ch] sentences/*.[ch] calibrated/*.[ch] utils/info/*.[ch] \
	utils/open/*.[ch]; do
	# Headers of the same folder: but for the calibrator, those of the file itself and of files
	# below it.
	case $file in
	sentences/reason.[ch]) continue ;;
	sentences/explain*.[ch]) own='(complain|explain)\.h|' ;;
	machine/inspect.[ch]) own='(disagree|inspect|knobs|model|service)\.h|' ;;
	machine/obstacle.[ch]) own='(knobs|obstacle)\.h|' ;;
	machine/kinds.[ch]) own='(kinds|tree)\.h|' ;;
	machine/knobs.[ch]) own='(knobs|setting)\.h|' ;;
	machine/quiet.[ch]) own='(quiet|setting|tree)\.h|' ;;
	machine/metrics.[ch]) own='(disagree|inspect|knobs|metrics)\.h|' ;;
	machine/model.[ch]) own='(model|tree)\.h|' ;;
	calibrated/*) own="$(headers_of calibrated)(complain|disagree)\.h|" ;;
	utils/info/main.c) own='(complain|report)\.h|' ;;
	utils/info/samples.c) own='(report|samples-run)\.h|' ;;
	utils/info/samples-run.[ch]) own='samples-run\.h|' ;;
	utils/info/samples-figures.[ch]) own='samples-figures\.h|' ;;
	utils/info/samples-gaps.c) own='(gaps|own|samples-run)\.h|' ;;
	utils/info/samples-*) own='samples-(figures|run)\.h|' ;;
	utils/info/report-noise.c) own='(blame|look|report)\.h|' ;;
	utils/info/report*) own='(explain|observe|report)\.h|' ;;
	utils/info/summary.c) own='(explain|report)\.h|' ;;
	utils/open/command.[ch]) own='(asker|command)\.h|' ;;
	utils/open/main.c) own='(asker|command|gaps|opening)\.h|' ;;
	utils/open/opening.[ch]) own='(opened|opening|watcher)\.h|' ;;
	utils/open/recalibrate.c) own='opening\.h|' ;;
	*) own="$(basename "$file" | sed 's/\.[ch]$//')\.h|" ;;
	esac
	case $file in
	sentences/complain.c) below="$library_headers|counters\.inc" ;;
	machine/* | sentences/complain.h | sentences/disagree.[ch])
		below="cpucycles\.h|$library_headers"
		;;
	calibrated/facts.c)
		below="$(headers_of machine)cpucycles\.h|$library_headers|os/linux-files\.h"
		;;
	*) below="$(headers_of machine)cpucycles\.h|$library_headers" ;;
	esac
	allowed="$own$(headers_of base)config\.h|$below"
	is "$file uses lib, what programs share and what is below it" \
		"$(strangers "$file" "$allowed")" ""
done

# The rooms of the tool that measures: which other rooms each may know, and what of the library
# that measures. The tool knows the first library through the second one only. result/ has plain
# numbers: no meter, no sentence, no file.
for file in utils/measure/*.[ch] utils/measure/*/*.[ch]; do
	room=$(basename "$(dirname "$file")")
	case $room in
	files) rooms=none below= ;;
	harness) rooms=files below= ;;
	link) rooms=files below='|placement\.h' ;;
	result)
		rooms=files
		below='|(cycles|judge|leak-judge|measured|placement|replicates|statistics)\.h'
		;;
	run)
		rooms='files|link|result'
		below='|(draw|gaps|judge|leak-judge|meter|placement|state|table)\.h'
		;;
	report)
		rooms='files|result'
		below='|(colours|figures|leak|leak-judge|number|statistics|table|verdict)\.h'
		below="$below|events/(list|pfm)\.h"
		;;
	measure)
		rooms='files|harness|link|report|result|run'
		below='|(complain|events|leak|verdict)\.h'
		;;
	*) rooms=none below= ;;
	esac
	allowed="config\.h|$(headers_of base)$(headers_in "${file%/*}")"
	allowed="$allowed($rooms)/[a-z-]+\.h|reason\.h|cpucycles-measure\.h$below"
	is "$file knows its room and those below it" "$(strangers "$file" "$allowed")" ""
done
is "each file of utils/measure has a header of its own, but for the drivers of harnesses" \
	"$(find utils/measure -name '*.c' ! -name main.c ! -name linked.c |
		grep -v -E 'harness/(catch2|go|google-benchmark|pytest)\.c$' |
		while read -r file; do [ -e "${file%c}h" ] || echo "$file"; done)" ""
is "utils/measure/harness/ is pure" \
	"$(grep -nE '<(fcntl|signal|sys/.*|time|unistd)\.h>|"log\.h"' \
		utils/measure/harness/*.[ch])" ""
is "utils/measure/result/ prints nothing and asks no system" \
	"$(grep -nE '<(fcntl|signal|stdio|sys/.*|time|unistd)\.h>|"letters\.h"' \
		utils/measure/result/*.[ch])" ""

# The benchmarks know the library by its ABI, but for two that put something into it.
for file in bench/*.[ch]; do
	allowed="$(headers_of bench)config\.h"
	case $file in
	bench/many.c | bench/page.c)
		allowed="$allowed|cpucycles\.h|$library_headers|(os|arch)/.*|fence\.h"
		;;
	bench/pair.c) allowed="$allowed|(pair|source|statistics)\.h" ;;
	bench/known-cycles.c | bench/leaks-one.c | bench/verdicts-one.c)
		allowed="$allowed|cpucycles-measure\.h"
		;;
	esac
	is "$file knows its own folder" "$(strangers "$file" "$allowed")" ""
done

# not_first FILE: the line of its first #include, if that is not config.h.
not_first() {
	first=$(grep -n "$include_line" "$1" /dev/null | head -n 1)
	case $first in
	*'"config.h"'*) ;;
	*) echo "${first:-$1: no #include}" ;;
	esac
}

# What C writes before anything else may change what the system's headers say.
for file in $(find lib base sentences measure machine noise calibrated utils bench -name '*.c' |
	sort); do
	is "$file includes config.h first" "$(not_first "$file")" ""
done
end_lint
