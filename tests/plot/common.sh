# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# For the scripts of this folder, which source it after tap.sh: the tool, made data, and checks.

plot=$top_builddir/plot/cpucycles-plot
CPUCYCLES_PLOT_PARTS=$top_srcdir/plot
CPUCYCLES_INFO=$scratch/info
# What a run leaves in the temporary folder, it should not.
TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
export CPUCYCLES_PLOT_PARTS CPUCYCLES_INFO TMPDIR
picture_check="python3 $top_srcdir/tests/plot/picture.py"

made() { sh "$top_srcdir/tests/plot/made-data.sh" "$@"; }

need_gnuplot() {
	command -v gnuplot >/dev/null || skip_all "gnuplot is not installed"
}
need_python() {
	command -v python3 >/dev/null || skip_all "python3 is not installed"
}

# input_of KIND: the option before the file that is drawn. cpucycles-measure's have none.
input_of() {
	case $1 in
	samples | sizes | layouts | leak) ;;
	*) echo -i ;;
	esac
}

run() { capture "$plot" "$@"; }

said() { cat "$scratch/err"; }
lines() { wc -l <"$1" | tr -d ' '; }
same() { cmp -s "$1" "$2"; }
not() { ! "$@"; }

# draws NAME ARGUMENT...: a test that the tool succeeds, says nothing, and writes what a parser of
# XML reads: a picture of SVG, or a page.
draws() {
	draws_name=$1
	shift
	run "$@"
	for draws_file; do
		case $draws_file in
		*.svg | *.html) draws_file=${draws_file#-o} draws_file=${draws_file#--output=}
			draws_parsed=$($picture_check parse "$draws_file" 2>&1)
			is "$draws_name" "$status$(said)$draws_parsed" 0
			return ;;
		esac
	done
	is "$draws_name" "$status$(said)" 0
}

# refuses NAME STATUS SENTENCE ARGUMENT...: a test that one line says so.
refuses() {
	refuses_name=$1 refuses_status=$2 refuses_sentence=$3
	shift 3
	run "$@"
	is "$refuses_name" "$status $(said)" "$refuses_status cpucycles-plot: $refuses_sentence"
}

# A folder with data of each kind, for a report: COUNTERS CPUS
made_folder() {
	mkdir -p "$1"
	made noise "$2" >"$1/noise.tsv"
	made drift "$2" >"$1/drift.tsv"
	made skew "$3" >"$1/skew.tsv"
	made frequency 2 >"$1/frequency.tsv"
	cp "$top_srcdir/tests/data/plot/info.txt" "$1/info.txt"
}

# In place of cpucycles-info: prints made data at once.
made_info() {
	cat >"$CPUCYCLES_INFO" <<END
#!/bin/sh
case \$1 in
--cache) cat '$top_srcdir/tests/data/plot/info.txt'; exit 1 ;;
--samples) echo "\$*" >>'$scratch/asked'
	exec sh '$top_srcdir/tests/plot/made-data.sh' "\$2" 2 ;;
esac
END
	chmod +x "$CPUCYCLES_INFO"
}
