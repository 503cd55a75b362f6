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

# with_cache FOLDER CACHE INPUT...: append a cache of the corpus to these inputs of trust, which end
# with the line for its owner and mode.
with_cache() {
	folder=$1
	cache=$top_srcdir/tests/fuzz/corpus/cache/$2
	shift 2
	for input; do
		chmod u+w "$folder/$input" # make distcheck has read-only sources
		cat "$cache" >>"$folder/$input"
	done
}

# made FOLDER NAME PROGRAM: make an input for trust from a cache of the corpus, changed by awk.
made() {
	{
		echo "%cache 0644 0 default"
		awk "$3"' { print }' "$top_srcdir/tests/fuzz/corpus/cache/x86_64-vm"
	} >"$1/$2"
}

# made_caches FOLDER: make inputs for trust: the longest cache that is read, one that is a byte
# longer, caches whose source of persecond cannot be asked again, and caches whose best counter is
# the last resort or one that this machine lacks.
made_caches() {
	facts='END { while (n++ < 1000) print "fact tsc" }'
	for size in 8192 8193; do # CACHE_SIZE_MAX, after a line of 22 bytes
		made "$1" facts "$facts"
		head -c $((22 + size)) "$1/facts" >"$1/long-$size"
	done
	rm "$1/facts"
	made "$1" file-gone '$1 == "persecond" { $3 = "persecond-file" }'
	made "$1" one-process '$1 == "persecond" { $3 = "environment" }'
	zero='$2 == "default-zero" { next }
		$1 == "counters" { $0 = $0 "\nusable default-zero last-resort " figures }'
	pmcff='$2 == "amd64-pmcff" { next }
		$1 == "counters" { $0 = $0 "\nusable amd64-pmcff on-core " figures }'
	figures='BEGIN { figures = "precision 1 hz 0 scaling 1/1 measured 0 ppm 0" }'
	no_other='$1 == "usable" { $0 = "unusable " $2 " still 0" }'
	made "$1" zero-first "$figures $zero"
	made "$1" only-zero "$figures $zero $no_other"
	made "$1" what-does-not-work "$figures $pmcff $no_other"
}

# seeds TARGET FOLDER: copy the corpus, and add inputs from this machine and recorded ones.
seeds() {
	mkdir -p "$2" && cp "$top_srcdir/tests/fuzz/corpus/$1"/* "$2" || exit 99
	case $1 in
	tree) recorded_machines "$2" ;;
	cache) [ ! -e "$scratch/own" ] || cp "$scratch/own" "$2/own" ;;
	trust)
		with_cache "$2" x86_64-vm default-place named other-value somebody writable
		with_cache "$2" x86_64-sandbox blind environment
		with_cache "$2" x86_64-hybrid measured overrule overruled
		with_cache "$2" x86_64-server nonsense sysadmin
		with_cache "$2" aarch64-board aarch64
		made_caches "$2"
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
