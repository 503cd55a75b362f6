#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What a reader sees in a real browser: no overflow, no text over another, no weak contrast, no
# message on the console. With BROWSER_PICTURES=FOLDER the pictures of the pages are kept there.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/plot/common.sh"
need_gnuplot
need_python
for tool in chromium chromedriver; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done

pages=
for size in 1x2 10x16 3x512; do
	made_folder "$scratch/data" ${size%x*} ${size#*x}
	draws "a report of $size" report -i "$scratch/data" -o "$scratch/report-$size.html"
	pages="$pages $scratch/report-$size.html"
done
made skew 1 >"$scratch/data/one.tsv"
draws "one CPU" skew -i "$scratch/data/one.tsv" -o "$scratch/one-cpu.html"
made frequency 8 >"$scratch/data/frequency.tsv"
draws "many kinds" frequency -i "$scratch/data/frequency.tsv" -o "$scratch/kinds.html"
made samples 8 >"$scratch/data/samples.tsv"
draws "samples" samples "$scratch/data/samples.tsv" -o "$scratch/samples.html"
made sizes 14 >"$scratch/data/sizes.csv"
draws "sizes" sizes "$scratch/data/sizes.csv" -o "$scratch/sizes.html"
made layouts 5 >"$scratch/data/layouts.tsv"
draws "layouts" layouts "$scratch/data/layouts.tsv" -o "$scratch/layouts.html"
made leak 9 >"$scratch/data/leak.tsv"
draws "leak" leak "$scratch/data/leak.tsv" -o "$scratch/leak.html"
# A page that a check must refuse, or the checks see nothing.
sed -e 's/<body>/<body style="min-width: 1400px; color: #999; background: #fff">/' \
	-e 's/translate([0-9.]*,/translate(400,/' "$scratch/samples.html" >"$scratch/bad.html"

mkdir "$scratch/browser"
folder=${BROWSER_PICTURES:-$scratch/browser}
mkdir -p "$folder"
# shellcheck disable=SC2086 # the scratch folder has no spaces
python3 "$top_srcdir/tests/plot/browser.py" "$folder" $pages "$scratch/one-cpu.html" \
	"$scratch/kinds.html" "$scratch/samples.html" "$scratch/sizes.html" \
	"$scratch/layouts.html" "$scratch/leak.html" "$scratch/bad.html" \
	>"$scratch/said" 2>&1 ||
	sed 's/^/# /' "$scratch/said"
rm -rf "$folder/profile"
grep -v 'bad.html' "$scratch/said" >"$scratch/good"
while read -r line; do
	case $line in
	"ok - "*) ok "${line#ok - }" true ;;
	"not ok - "*) ok "${line#not ok - }" false ;;
	*) ;;
	esac
done <"$scratch/good"
sed '/- bad.html/,$d; /^#/!d' "$scratch/said"
is "45 pages were looked at" "$(grep -c 'ok - ' "$scratch/good")" 45
for what in 'wide, the window' 'contrast 2' 'overlap$' 'outside the picture'; do
	ok "a bad page is seen: $what" sh -c \
		"sed '1,/- bad.html/d' '$scratch/said' | grep -q '$what'"
done
