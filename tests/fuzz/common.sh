# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Functions that the scripts of this folder share. Sourced, after tap.sh.

# pmus is built only for systems with perf events.
targets="cache persecond tree trust"
[ ! -e "$top_builddir/tests/fuzz/pmus" ] || targets="$targets pmus"
# events is built with the second library.
[ ! -e "$top_builddir/tests/fuzz/events" ] || targets="$targets events"

# recorded_machines FOLDER: make inputs for tree from the machines of tests/data/frequency.
recorded_machines() {
	data=$top_srcdir/tests/data/frequency
	tab=$(printf '\t')
	grep -v '^#' "$data/machines.tsv" | while IFS=$tab read -r machine architecture rest; do
		cpuinfo=$data/$machine/proc/cpuinfo
		[ -e "$cpuinfo" ] || continue
		printf '%%architecture %s\n%%cpuinfo\n' "$architecture" |
			cat - "$cpuinfo" >"$1/recorded-$machine"
	done
}

# long_caches FOLDER: make inputs for trust: a cache of as many bytes as a cache may have,
# CACHE_SIZE_MAX, and one of a byte more. The first line, of 22 bytes, is not of the cache.
long_caches() {
	cache=$top_srcdir/tests/fuzz/corpus/trust/writable
	for size in 8192 8193; do
		{ sed '1s/.*/%cache 0644 0 default/' "$cache"; yes 'fact tsc' | head -n 1000; } |
			head -c $((22 + size)) >"$1/long-$size"
	done
}

# seeds TARGET FOLDER: copy the corpus, and add inputs from this machine and recorded ones.
seeds() {
	mkdir -p "$2" && cp "$top_srcdir/tests/fuzz/corpus/$1"/* "$2" || exit 99
	case $1 in
	tree) recorded_machines "$2" ;;
	cache) [ ! -e "$scratch/own" ] || cp "$scratch/own" "$2/own" ;;
	trust)
		long_caches "$2"
		# In the default place, the library uses only root's cache.
		[ "$(id -u)" = 0 ] && place=default || place=named
		[ ! -e "$scratch/own" ] ||
			{ echo "%cache 0644 0 $place"; cat "$scratch/own"; } >"$2/own" ;;
	esac
}

# figure FILE NAME: a number that the target's main or libFuzzer printed at the end.
figure() {
	sed -n "s/^$2: *//p" "$1" | tail -n 1
}
