#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# --json prints what --cache and --probe tell, for programs.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/utils/common.sh"

run --json
if [ "$status" = 2 ]; then
	is "without jansson: one line" "$(said)" \
		"cpucycles-info: --json: built without jansson, which it needs"
	skip "--json" "built without jansson"
	exit 0
fi
need_cache
CPUCYCLES_CACHE=$cache
export CPUCYCLES_CACHE

get() { "$json_get" "$@" <"$scratch/out"; }
there() { get "$@" >"$scratch/got"; }
keys() { sed -n 's/^  "\([a-z_]*\)":.*/\1/p' "$scratch/out" | sort | tr '\n' ' '; }
n=$(echo "$compiled" | wc -l | tr -d ' ')

run --json
is "it succeeds" "$status" 0
ok "it is JSON" there
if command -v jq >/dev/null; then
	jq_reads() { jq -e . "$scratch/out" >"$scratch/got"; }
	ok "to jq as well" jq_reads
else
	skip "to jq as well" "jq is not installed"
fi
is "the keys" "$(keys)" \
	"$(printf '%s ' boot cache contradiction core_cycles disagreement implementation iqm \
		machine observed persecond persecond_file_ignored probe rate selection \
		variables_ignored version)"
is "no persecond file is ignored" "$(get persecond_file_ignored)" null
is "no variable is ignored" "$(get variables_ignored '#')" 0
is "version" "$(get version)" "$("$info" --version | sed 's/.* //')"
is "selection" "$(get selection)" cache
is "persecond" "$(get persecond hz) $(get persecond source)" "$(sed -n 's/^persecond //p' "$cache")"
info_field() { line_of "$scratch/text" "cpucycles $1"; }
"$info" --cache >"$scratch/text"
or_null() { sed 's/unknown/null/'; }
is "its error" "$(get persecond ppm)" "$(info_field persecond | sed 's/.* ppm //' | or_null)"
is "the rate" "$(get rate hz) source $(get rate source) ppm $(get rate ppm)" \
	"$(info_field hz | grep '^[0-9]' |
		sed 's/^0 source \(.*\) ppm 0$/null source \1 ppm null/')"
is "why there is none" "$(get rate why)" "$(info_field 'hz unknown:' | grep . || echo null)"
is "the contradiction" "$(get contradiction)" "$(info_field contradiction: | grep . || echo null)"
is "the disagreement" "$(get disagreement)" "$(info_field disagreement: | grep . || echo null)"
core_sentence=$(info_field 'core cycles:' | grep . || echo null)
is "core cycles that could be had" "$(get core_cycles message 2>/dev/null || get core_cycles)" \
	"$core_sentence"
is "boot" "$(get boot)" "$(cat /proc/sys/kernel/random/boot_id)"
is "the cache" "$(get cache status) $(get cache found) $(get cache used)" "used used true"
is "its path" "$(get cache path) $(get cache named_by)" "$cache environment"
is "nothing is wrong" \
	"$(get cache problem) $(get cache remedy) $(get cache line) $(get cache errno)" \
	"null null 0 0"
is "its file" "$(get cache file owner) $(get cache file mode)" "$(id -u) $((0644))"
is "its content" "$(for key in library boot machine fingerprint; do get cache content $key; done)" \
	"$(for key in library boot machine fingerprint; do sed -n "s/^$key //p" "$cache"; done)"
is "the core" "$(get cache content core hz) ppm $(get cache content core ppm)" \
	"$(sed -n 's/^core //p' "$cache" | sed 's/^0 ppm 0$/ ppm /')"
is "the facts" \
	"$(sed -n 's/^fact \([a-z]*\) .*/\1/p' "$cache" | while read -r fact; do
		echo "$fact $(get cache content facts "$fact")"
	done)" \
	"$(sed -n 's/^fact //p' "$cache" | or_null)"
# best KEY...: the value for these keys of the counter with the cache's first rank.
best() { get cache content counters 0 "$@"; }
is "a measured rate" "$(best measured hz) ppm $(best measured ppm)" \
	"$(sed -n 's/^usable .* measured //p' "$cache" | head -n 1 | sed 's/^0 ppm 0$/ ppm /')"
is "its counters" "$(get cache content counters '#')" "$n"
is "the best of them" "$(best name) $(best rank) $(best usable)" \
	"$(get implementation) 1 true"
# The width of each counter is the one in its source file.
widths() {
	i=0
	while [ $i -lt "$n" ]; do
		echo "$(get "$@" $i name) $(get "$@" $i width)"
		i=$((i + 1))
	done | sort
}
source_widths() {
	for name in $compiled; do
		echo "$name $(sed -n 's/^	\.width = \([0-9]*\),.*/\1/p' \
			$(find "$top_srcdir/lib" -name "$name.c"))"
	done | sort
}
# Those over perf events do.
alone() {
	i=0
	while [ $i -lt "$n" ]; do
		case $(get "$@" $i own_thread) in true) get "$@" $i name ;; esac
		i=$((i + 1))
	done | sort
}
perf_counters=$(for name in $compiled; do echo "$name"; done | grep perf | sort)
is "which count for one thread only" "$(alone cache content counters)" "$perf_counters"
is "the same in the probe" "$(alone probe)" "$perf_counters"
is "the width of each" "$(widths cache content counters)" "$(source_widths)"
is "in the probe too" "$(widths probe)" "$(widths cache content counters)"
is "the probe" "$(get probe '#')" "$n"
is "its last one is unusable" "$(get probe $((n - 1)) usable)" false
ok "and has a message" there probe $((n - 1)) message
ok "each says how it differs" there probe 0 differences '#'
is "63 differences" "$(get iqm differences '#')" 63
ok "and their mean" there iqm mean
is "eleven loops" \
	"$(i=0; while [ $i -lt 11 ]; do get observed $i loops; i=$((i + 1)); done | tr '\n' ' ')" \
	"1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 "
is "and no more" "$(get observed '#')" 11
ok "bounds in order" test "$(get observed 10 low)" -le "$(get observed 10 high)"

chmod 0666 "$cache"
run --json
is "no cache in use is no error" "$status" 0
is "untrusted, to the library and here" "$(get cache status) $(get cache found) $(get cache used)" \
	"untrusted untrusted false"
is "nothing is known of what it says" "$(get cache content)" null
is "its mode" "$(get cache file mode)" $((0666))
ok "a problem" there cache problem
is "nothing to compare with" "$(get probe 0 differences)" null
run --json --cache
is "--json --cache: status of --cache" "$status" 1
calibrate
sed -i.bak 's/^boot .*/boot nonsense/' "$cache"
run --json
is "malformed, in line" "$(get cache status) $(get cache line)" "malformed 3"
calibrate
sed -i.bak 's/^boot .*/boot 00000000-1111-2222-3333-444444444444/' "$cache" && "$resum" "$cache"
run --json
is "of another boot" "$(get cache status) $(get cache content boot)" \
	"stale-boot 00000000-1111-2222-3333-444444444444"
is "nothing in use disagrees with what another boot measured" "$(get disagreement)" null
calibrate
sed -i.bak -e 's/^core .*/core 0 ppm 0/' -e 's/measured .*/measured 0 ppm 0/' \
	-e 's/^fact smt .*/fact smt unknown/' "$cache" &&
	"$resum" "$cache"
run --json
unmeasured="$(get cache content core) $(best measured) $(get cache content facts smt)"
is "what nobody measured is null" \
	"$(get cache status) $unmeasured $(get disagreement)" "used null null null null"
calibrate
sed -i.bak 's/^core .*/core 2000000000 ppm 9/; s/^persecond .*/persecond 2000000000 measured/' \
	"$cache" &&
	"$resum" "$cache"
run --json
is "persecond that was measured has the core's error" \
	"$(get persecond hz) $(get persecond source) $(get persecond ppm)" \
	"2000000000 measured 9"
is "in the cache's content too" "$(get cache content persecond ppm)" 9
rm -rf "$cache"
run --json
is "no file" "$(get cache status) $(get cache file) $(get cache errno)" "missing null 2"
CPUCYCLES_CACHE=none run --json
is "none" "$(get cache status) $(get cache path)" "disabled null"
CPUCYCLES_CACHE=$(printf '/\377\001\033"') run --json
ok "a path of any bytes" there cache path
