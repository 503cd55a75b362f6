#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Options, errors of the command line, tools that are not there, and where the result goes.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/plot/common.sh"

run --version
is "--version" "$status $(cat "$scratch/out")" "0 cpucycles-plot $(sed -n \
	's/^AC_INIT(\[cpucycles\], \[\(.*\)\])$/\1/p' "$top_srcdir/configure.ac")"
run -h
is "-h succeeds" "$status" 0
for word in noise skew drift frequency gaps samples sizes layouts leak report --output --seconds \
	--input --version --help; do
	ok "-h names $word" grep -q -w -e "$word" "$scratch/out"
done

made noise 2 >"$scratch/noise.tsv"
in=$scratch/noise.tsv
out=$scratch/out.svg
kinds='noise skew drift frequency gaps samples sizes layouts leak report'
refuses "no kind" 2 "no kind: name one of $kinds"
refuses "another kind" 2 "heat: unknown kind, expected one of $kinds" heat -o "$out"
refuses "an unknown option" 2 "-x: unknown option" noise -x
refuses "an unknown long option" 2 "--size=3: unknown option" noise --size=3
refuses "two arguments" 2 "more: unexpected argument" noise more
refuses "no value" 2 "-o: a value must follow" noise -o
refuses "samples without a file" 2 "samples: name the file that is drawn" samples -o "$out"
refuses "sizes without a file" 2 "sizes: name the file that is drawn" sizes -o "$out"
refuses "sizes with -i" 2 "-i: sizes takes its file without -i" sizes a -i b -o "$out"
refuses "layouts without a file" 2 "layouts: name the file that is drawn" layouts -o "$out"
refuses "layouts with -i" 2 "-i: layouts takes its file without -i" layouts a -i b -o "$out"
refuses "leak without a file" 2 "leak: name the file that is drawn" leak -o "$out"
refuses "leak with -i" 2 "-i: leak takes its file without -i" leak a -i b -o "$out"
refuses "leak with -s" 2 "-s: the file has samples that were taken already" leak a -s 1 -o "$out"
refuses "samples with two files" 2 "b: unexpected argument" samples a b -o "$out"
refuses "samples with -i" 2 "-i: samples takes its file without -i" samples a -i b -o "$out"
refuses "samples with -s" 2 "-s: the file has samples that were taken already" \
	samples a -s 1 -o "$out"
refuses "-i with -s" 2 "-s: -i reads samples that were taken already" noise -i "$in" -s 1 -o "$out"
refuses "an empty -i" 2 "-i: the name is empty" noise -i '' -o "$out"
refuses "no terminal" 2 "standard output is no terminal: name the file with -o FILE" \
	noise -i "$in"
refuses "report without -o" 2 "report: name the file with -o FILE.html" report
refuses "a report as a picture" 2 "a.svg: the name of a report must end in .html" report -o a.svg
for name in a.pdf svg a.SVG a. ''; do
	refuses "-o '$name'" 2 "$name: the name must end in .svg, .png or .html" noise -o "$name"
done
for seconds in 0 -1 1.5 nan 1e3 '' 3601 '1 ' "1
2"; do
	run noise -s "$seconds" -o "$out"
	is "-s $(printf '%s' "$seconds" | tr '\n' '/') is refused" "$status" 2
done

CPUCYCLES_PLOT_PARTS=$scratch/none refuses "parts that are not there" 3 \
	"$scratch/none: the parts of cpucycles-plot are not there" noise -i "$in" -o "$out"

# Where the result goes is tried before samples are taken.
printf '#!/bin/sh\necho asked >"%s/asked"\n' "$scratch" >"$CPUCYCLES_INFO"
chmod +x "$CPUCYCLES_INFO"
run noise -o "$scratch/none/a.svg"
is "a folder that is not there" "$status $(said | sed 's/: [^:]*$//')" \
	"1 cpucycles-plot: $scratch/none/a.svg: cannot be written"
ok "a folder that is not there is seen first" test ! -e "$scratch/asked"
rm "$CPUCYCLES_INFO"

mkdir "$scratch/few"
for tool in sh awk sed cat rm mktemp mv mkdir tail grep; do
	ln -s "$(command -v $tool)" "$scratch/few/$tool"
done
PATH=$scratch/few refuses "without gnuplot" 3 \
	"gnuplot is not there: install gnuplot (Debian's package gnuplot-nox)" \
	noise -i "$in" -o "$out"

for tool in gnuplot python3; do
	command -v $tool >/dev/null || { skip "the rest" "$tool is not installed"; exit 0; }
done
refuses "without cpucycles-info" 3 \
	"$CPUCYCLES_INFO is not there: install cpucycles, or name data with -i" noise -o "$out"
refuses "-i of a file that is not there" 1 "$scratch/no.tsv: is no file" \
	noise -i "$scratch/no.tsv" -o "$out"
refuses "-i of a folder" 1 "$scratch: is no file" noise -i "$scratch" -o "$out"
refuses "a report of a file" 1 "$in: is no folder" report -i "$in" -o "$scratch/o.html"
mkdir "$scratch/empty"
refuses "a report of an empty folder" 1 "$scratch/empty/info.txt: cannot be read" \
	report -i "$scratch/empty" -o "$scratch/o.html"

TMPDIR=$scratch/none refuses "a temporary folder that is not there" 1 \
	"$scratch/none: no temporary folder could be made" noise -i "$in" -o "$out"

# What a gnuplot without cairo would get: a stand-in says what it reads, and draws nothing.
mkdir "$scratch/plain"
cat >"$scratch/plain/gnuplot" <<'END'
#!/bin/sh
case $* in
*GPVAL_TERMINALS*) echo ' dumb png svg ' >&2 ;;
*) cat terminal.gp >"$TERMINAL_COPY" ;;
esac
END
chmod +x "$scratch/plain/gnuplot"
TERMINAL_COPY=$scratch/copy PATH=$scratch/plain:$PATH run noise -i "$in" -o "$scratch/out.png"
ok "a PNG without cairo has all colours" grep -q 'truecolor' "$scratch/copy"
ok "a PNG without cairo: gnuplot knows its options" sh -c "
	{ sed 's/^set output.*/set output \"out.png\"/' '$scratch/copy'; echo 'plot x'; } |
		(cd '$scratch' && gnuplot -d) && test -s '$scratch/out.png'"

made_info
draws "long options" noise --output "$out" --seconds 25
is "cpucycles-info is asked for the seconds" "$(cat "$scratch/asked")" \
	"--samples noise --seconds 25"
draws "= behind a long option" noise --output="$out" --input="$in"
draws "a value behind its letter" "-i$in" "-o$out" noise
draws "-- ends the options" -o "$out" -i "$in" -- noise
mkdir "$scratch/bin"
cp "$plot" "$CPUCYCLES_INFO" "$scratch/bin"
mv "$scratch/bin/info" "$scratch/bin/cpucycles-info"
for from in "$scratch/bin/" ./; do
	rm "$scratch/asked" "$out"
	status=0
	(unset CPUCYCLES_INFO; cd "$scratch/bin" && "${from}cpucycles-plot" noise -o "$out") ||
		status=$?
	is "${from#"$scratch/"}: cpucycles-info beside it is found without PATH" \
		"$status $(cat "$scratch/asked")" "0 --samples noise"
done
echo 'echo cpucycles-info: broken >&2; exit 7' >>"$CPUCYCLES_INFO"
sed -i '2,/^esac/d' "$CPUCYCLES_INFO"
run noise -o "$out"
is "cpucycles-info fails: its message and one line" "$status $(said)" \
	"1 cpucycles-info: broken
cpucycles-plot: $CPUCYCLES_INFO --samples noise: failed with status 7"

# Where the result goes
mkdir "$scratch/folder.svg"
refuses "-o of a folder" 1 "$scratch/folder.svg: is no regular file, and is not replaced" \
	noise -i "$in" -o "$scratch/folder.svg"
ln -s "$in" "$scratch/link.svg"
refuses "-o of a link" 1 "$scratch/link.svg: is no regular file, and is not replaced" \
	noise -i "$in" -o "$scratch/link.svg"
mkfifo "$scratch/pipe.svg"
refuses "-o of a pipe" 1 "$scratch/pipe.svg: is no regular file, and is not replaced" \
	noise -i "$in" -o "$scratch/pipe.svg"
run noise -i "$in" -o "$scratch/no/such.svg"
is "-o in no folder" "$status $(said | sed 's/written: [^:]*$/written: WHY/')" \
	"1 cpucycles-plot: $scratch/no/such.svg: cannot be written: WHY"
# In /tmp, a file of somebody else cannot be removed. exec keeps the process's number.
mkdir "$scratch/shared" "$scratch/rm"
cat >"$scratch/rm/rm" <<END
#!/bin/sh
case \$* in
*"\$STRANGE"*) exit 1 ;;
esac
exec $(command -v rm) "\$@"
END
chmod +x "$scratch/rm/rm"
cat >"$scratch/stranger" <<'END'
STRANGE=$1/.cpucycles-plot.$$
export STRANGE
mkfifo "$STRANGE"
# A reader and a writer: nothing has to wait.
exec 9<>"$STRANGE"
shift
exec "$@"
END
status=0
PATH=$scratch/rm:$PATH sh "$scratch/stranger" "$scratch/shared" \
	"$plot" noise -i "$in" -o "$scratch/shared/a.svg" 2>"$scratch/err" || status=$?
is "a stranger's pipe of the name .cpucycles-plot.PID: no error" "$status$(said)" 0
ok "the picture is a file, and nobody else has it" sh -c \
	"test ! -h '$scratch/shared/a.svg' && test -f '$scratch/shared/a.svg'"
ok "the stranger's pipe stays" sh -c "test -p '$scratch/shared/.cpucycles-plot.'[0-9]*"
rm "$scratch/shared"/.cpucycles-plot.[0-9]*
is "nothing else lies there" "$(ls -A "$scratch/shared")" a.svg
# While samples are taken, somebody makes a link to a folder.
mkdir "$scratch/theirs"
cat >"$CPUCYCLES_INFO" <<END
#!/bin/sh
ln -s '$scratch/theirs' '$scratch/shared/b.svg'
cat '$in'
END
refuses "-o that becomes a link" 1 \
	"$scratch/shared/b.svg: is no regular file, and is not replaced" \
	noise -o "$scratch/shared/b.svg"
is "nobody else has the picture" "$(ls -A "$scratch/theirs")" ""
for mask in 022 077 027; do
	rm -f "$out"
	(umask $mask; "$plot" noise -i "$in" -o "$out")
	is "umask $mask is obeyed" "$(stat -c %a "$out")" "$(printf %o $((0666 & ~0$mask)))"
done
echo old >"$out"
draws "an existing file" noise -i "$in" -o "$out"
ok "is replaced" grep -q '</svg>' "$out"
cd "$scratch" || exit 99
cp "$in" "./-a 'b\"=.tsv"
for name in "-x.svg" "a b.svg" "q'\"\`touch marker\`.svg" "k=v.svg" '$(touch marker).svg'; do
	draws "-o $name" noise "-i-a 'b\"=.tsv" -o "$name"
	ok "$name is there" test -s "./$name"
done
ok "no name was run as a command" test ! -e marker
ok "the temporary folder is empty" rmdir "$TMPDIR"
is "nothing lies beside the results" "$(find . -name '.cpucycles*')" ""
