# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the scripts of this folder share. Sourced, after tap.sh.

# pmus is built where there are perf events.
targets="cache persecond tree trust"
[ ! -e "$top_builddir/tests/fuzz/pmus" ] || targets="$targets pmus"

# recorded_machines FOLDER: those of tests/data/frequency, as inputs of tree.
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

# seeds TARGET FOLDER: the corpus, and what this machine and recorded ones add to it.
seeds() {
	mkdir -p "$2" && cp "$top_srcdir/tests/fuzz/corpus/$1"/* "$2" || exit 99
	case $1 in
	tree) recorded_machines "$2" ;;
	cache) [ ! -e "$scratch/own" ] || cp "$scratch/own" "$2/own" ;;
	trust)
		# In the default place, only root's is taken.
		[ "$(id -u)" = 0 ] && place=default || place=named
		[ ! -e "$scratch/own" ] ||
			{ echo "%cache 0644 0 $place"; cat "$scratch/own"; } >"$2/own" ;;
	esac
}

# figure FILE NAME: what the target's main or libFuzzer said at the end.
figure() {
	sed -n "s/^$2: *//p" "$1" | tail -n 1
}
