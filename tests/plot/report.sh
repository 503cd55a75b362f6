#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The report, and a page with one picture: complete, self-contained, and escaped.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/plot/common.sh"
need_gnuplot
need_python
page() { python3 "$top_srcdir/tests/plot/page.py" "$scratch/out.html" 2>&1; }
# has TEXT: the page has this, its lines joined.
has() { ok "has: $1" sh -c "tr '\n' ' ' <'$scratch/out.html' | grep -q -F -e \"\$1\"" sh "$1"; }

made_folder "$scratch/data" 10 16
draws "a report" report -i "$scratch/data" -o "$scratch/out.html"
is "a page that needs nothing else" "$(page)" "4 pictures 4 tables"
has '<h1>cpucycles on Made CPU (R) 7 @ 2.10GHz</h1>'
has 'Programs get <strong>amd64-tsc</strong>, which the library chose by trying all counters.'
has 'It has the best precision of the 2 counters that are usable: 121 cycles.'
has 'The calibration cache is not in use (stale-boot). It is from another boot. Run as root: syst'
has '<td>2.095999 GHz, by measured, error at most 12 ppm</td>'
has '<th scope="row">amd64-tsc</th><td>off-core</td><td class="number">121</td><td'
has '<strong>errno</strong>: the kernel refused it: run as root: cpucycles-open; it lasts until the'
has '<strong>errno</strong>: a call failed: No such file or directory</td>'
has '<strong>last-resort</strong>: it works, but counts nothing</td>'
has 'cpucycles-info --samples skew --seconds 2 &gt;data/skew.tsv'
has 'cpucycles-plot report -i data -o report.html'
has 'the calibration cache states, with the bound of its error as a band. A counter without a band'
has 'A thread that moves to another CPU may see a jump of that size.'
has '<th scope="row">cpucycles-plot</th><td>'
ok "the samples are of one machine" not grep -q 'different machines' "$scratch/out.html"

sed 's/6.1.0-made/6.2.0-made/' "$scratch/data/skew.tsv" >"$scratch/new"
mv "$scratch/new" "$scratch/data/skew.tsv"
sed -e 's/amd64-tsc /<b>"\&amp;/' -e "s/last-resort: it/a'b<script>x: <\/style>/" \
	-e 's/status stale-boot/status <i>/' "$scratch/data/info.txt" >"$scratch/new"
mv "$scratch/new" "$scratch/data/info.txt"
draws "a report of hostile data" report -i "$scratch/data" -o "$scratch/out.html"
is "its texts are no elements" "$(page)" "4 pictures 4 tables"
has 'The samples are from different machines or kernels.'
has '&lt;i&gt;'
has 'a&#39;b&lt;script&gt;x'

echo 'something else' >"$scratch/data/info.txt"
refuses "another info.txt" 1 "$scratch/data/info.txt: line 1: expected the output of \
cpucycles-info --cache --probe" report -i "$scratch/data" -o "$scratch/out.html"
rm "$scratch/data/info.txt"
refuses "no info.txt" 1 "$scratch/data/info.txt: cannot be read" \
	report -i "$scratch/data" -o "$scratch/out.html"
cp "$top_srcdir/tests/data/plot/info.txt" "$scratch/data"
rm "$scratch/data/drift.tsv"
refuses "no drift.tsv" 1 "$scratch/data/drift.tsv: is no file" \
	report -i "$scratch/data" -o "$scratch/out.html"
is "the old report stays" "$(page)" "4 pictures 4 tables"

made_info
draws "a report of this machine" report -s 3 -o "$scratch/out.html"
is "each kind was asked for once" "$(cat "$scratch/asked")" "--samples noise --seconds 3
--samples skew --seconds 3
--samples drift --seconds 3
--samples frequency --seconds 3"
is "a whole page" "$(page)" "4 pictures 4 tables"

made samples 3 >"$scratch/in.tsv"
draws "a page of samples" samples "$scratch/in.tsv" -o "$scratch/out.html"
is "one picture" "$(page)" "1 pictures 0 tables"
draws "a page of drift" drift -o "$scratch/out.html"
is "one picture, and the machine" "$(page)" "1 pictures 1 tables"

for kind in skew drift frequency; do
	made $kind 3 1 busy >"$scratch/in.tsv"
	draws "a page of $kind on a busy machine" $kind -i "$scratch/in.tsv" -o "$scratch/out.html"
	case $kind in
	skew) has 'they get made-counter1, but the one compared is made-clock' ;;
	drift) has 'that the library tells. No cache states a bound of the error, so there is no' ;;
	frequency) has 'run, beside the rate of the counter in use and the persecond' ;;
	esac
done
made drift 1 1 busy | sed '/^made/d' >"$scratch/in.tsv"
draws "a page of drift without rows" drift -i "$scratch/in.tsv" -o "$scratch/out.html"
has '<figcaption>Whether each counter keeps the rate'

# The other awks, for all kinds
rm -rf "$scratch/data"
made_folder "$scratch/data" 3 3
made samples 3 >"$scratch/in.tsv"
by_all() {
	draws "$1: a report" report -i "$scratch/data" -o "$2/report.html"
	draws "$1: samples" samples "$scratch/in.tsv" -o "$2/samples.html"
}
mkdir "$scratch/first" "$scratch/other"
by_all "this awk" "$scratch/first"
for awk in mawk gawk "gawk --posix" original-awk "busybox awk"; do
	command -v "${awk%% *}" >/dev/null || { skip "by $awk" "it is not installed"; continue; }
	$awk 'BEGIN { exit log(1) }' 2>/dev/null ||
		{ skip "by $awk" "it was built without logarithms"; continue; }
	mkdir "$scratch/by"
	printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >"$scratch/by/awk"
	chmod +x "$scratch/by/awk"
	PATH=$scratch/by:$PATH by_all "by $awk" "$scratch/other"
	for result in report.html samples.html; do
		ok "by $awk: the same $result" \
			same "$scratch/first/$result" "$scratch/other/$result"
	done
	rm -r "$scratch/by" "$scratch/other"
	mkdir "$scratch/other"
done

# Windows' ends of lines
for file in "$scratch/data"/*; do
	awk '{ printf "%s\r\n", $0 }' "$file" >"$scratch/new"
	mv "$scratch/new" "$file"
done
draws "a report of files with CRLF" report -i "$scratch/data" -o "$scratch/out.html"
ok "is the same" same "$scratch/first/report.html" "$scratch/out.html"
ok "no page breaks between a caption and its table or picture" sh -c "
	sed '/@media print/,/^}/!d' '$scratch/out.html' |
		grep -q 'figcaption, caption { break-after: avoid'"

# Real samples of this machine, where cpucycles-info takes them
info=$top_builddir/utils/cpucycles-info
if [ -x "$info" ] && "$info" --samples noise --seconds 1 >/dev/null 2>&1; then
	CPUCYCLES_INFO=$info draws "a report of real samples" report -s 1 -o "$scratch/out.html"
	is "real samples: a whole page" "$(page)" "4 pictures 4 tables"
else
	skip "a report of real samples" "this cpucycles-info takes no samples"
fi
ok "the temporary folder is empty" rmdir "$TMPDIR"
