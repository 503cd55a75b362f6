#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# doc/pictures.md: its commands work, and its pictures are what they draw.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/plot/common.sh"
need_gnuplot
need_python
page=$top_srcdir/doc/pictures.md
pictures=$top_srcdir/doc/pictures
made_info

# The commands find these programs. Nothing is measured here: what cpucycles-measure has recorded
# is copied.
mkdir "$scratch/bin" "$scratch/work"
ln -s "$plot" "$scratch/bin/cpucycles-plot"
ln -s "$CPUCYCLES_INFO" "$scratch/bin/cpucycles-info"
cat >"$scratch/bin/cpucycles-measure" <<END
#!/bin/sh
case \$1 in
--raw=*) exec cp '$top_srcdir/tests/data/plot/samples.tsv' "\${1#--raw=}" ;;
--leak) exec cp '$top_srcdir/tests/data/plot/leak.tsv' "\${2#--raw=}" ;;
--layouts=*) exec cp '$top_srcdir/tests/data/plot/layouts.tsv' "\${1#--layouts=}" ;;
*) exec cat '$top_srcdir/tests/data/plot/sizes.csv' ;;
esac
END
chmod +x "$scratch/bin/cpucycles-measure"
PATH=$scratch/bin:$PATH
cd "$scratch/work" || exit 99

sed -n '/^```sh$/,/^```$/{/^```/d;p;}' "$page" |
	sed -e :join -e '/\\$/{N;s/\\\n//;t join' -e '}' >"$scratch/commands"
ok "the page has commands" test "$(lines "$scratch/commands")" -gt 10
while read -r command; do
	status=0
	sh -e -c "$command" >"$scratch/out" 2>&1 </dev/null || status=$?
	case $command in
	"cpucycles-info --cache"*) [ $status -ne 1 ] || status=0 ;;
	esac
	is "$command" "$status $(cat "$scratch/out")" "0 "
done <"$scratch/commands"
for file in noise.svg skew.svg drift.svg frequency.svg gaps.svg samples.svg sizes.svg \
	layouts.svg leak.svg report.html; do
	ok "$file is there" test -s $file
done

# Versions of gnuplot draw the same with other bytes.
for kind in noise skew drift frequency gaps samples sizes layouts leak; do
	ok "the page shows $kind" grep -q "](pictures/$kind.svg)" "$page"
	ok "its picture is small" test "$(wc -c <"$pictures/$kind.svg")" -lt 60000
	data=$top_srcdir/tests/data/plot/$kind.tsv
	[ -e "$data" ] || data=$top_srcdir/tests/data/plot/$kind.csv
	# shellcheck disable=SC2046 # an option or nothing
	run $kind $(input_of $kind) "$data" -o "$scratch/now.svg"
	case $kind in
	samples | sizes | layouts | leak) ;;
	*) ok "the command of $kind takes as long as the recording did" \
		grep -qx "cpucycles-info --samples $kind --seconds $(
			sed -n 's/^# seconds[^0-9]*//p' "$data") >$kind.tsv" "$page" ;;
	esac
	for what in title desc texts; do
		is "the $what of $kind is of today (make pictures)" \
			"$($picture_check $what "$pictures/$kind.svg")" \
			"$($picture_check $what "$scratch/now.svg")"
	done
done
is "no other picture is there" "$(ls "$pictures")" \
	"$(printf '%s.svg\n' drift frequency gaps layouts leak noise samples sizes skew)"
