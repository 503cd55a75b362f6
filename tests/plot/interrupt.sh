#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Ctrl-C, signals, SIGKILL and a full disk: the old file or a whole new one, and nothing beside it.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/plot/common.sh"
need_gnuplot
need_python

# Samples that take longer than anybody waits.
cat >"$CPUCYCLES_INFO" <<END
#!/bin/sh
echo \$\$ >'$scratch/started'
exec sleep 600
END
chmod +x "$CPUCYCLES_INFO"
mkdir "$scratch/to"
out=$scratch/to/out.svg
echo old >"$out"
for case in terminal=130 INT=130 TERM=143 HUP=129; do
	how=${case%=*}
	rm -f "$scratch/started"
	is "$how ends it, and cpucycles-info" \
		"$(python3 "$top_srcdir/tests/plot/interrupt.py" "$how" "$scratch/started" \
		"$plot" noise -o "$out" 2>&1)" "${case#*=} ended"
	is "$how: the old file stays alone" "$(cd "$scratch/to" && ls -A && cat out.svg)" "out.svg
old"
	is "$how: the temporary folder is empty" "$(ls -A "$TMPDIR")" ""
done

made noise 3 >"$scratch/noise.tsv"

# Ctrl-C, or a signal, while the temporary folder is removed at the end
mkdir "$scratch/slow"
cat >"$scratch/slow/rm" <<END
#!/bin/sh
case \$1 in
-rf) echo \$\$ >'$scratch/started'; sleep 1 ;;
esac
exec $(command -v rm) "\$@"
END
chmod +x "$scratch/slow/rm"
for how in terminal INT TERM HUP; do
	rm -f "$scratch/started"
	is "$how at the end changes nothing" "$(PATH=$scratch/slow:$PATH \
		python3 "$top_srcdir/tests/plot/interrupt.py" $how "$scratch/started" \
		"$plot" noise -i "$scratch/noise.tsv" -o "$scratch/to/late.svg" 2>&1)" "0 ended"
	is "$how at the end: the temporary folder is empty" "$(ls -A "$TMPDIR")" ""
	rm -rf "${TMPDIR:?}"/*
done
rm "$scratch/to/late.svg"

# Killed at many moments
"$plot" noise -i "$scratch/noise.tsv" -o "$scratch/whole.svg"
half=0 old=0 new=0
for moment in 0.02 0.05 0.08 0.10 0.12 0.14 0.16 0.18 0.20 0.22 0.25 0.30 0.35 0.40 0.60; do
	echo old >"$out"
	timeout -s KILL $moment "$plot" noise -i "$scratch/noise.tsv" -o "$out" >/dev/null 2>&1
	if same "$out" "$scratch/whole.svg"; then
		new=$((new + 1))
	elif [ "$(cat "$out")" = old ]; then
		old=$((old + 1))
	else
		half=$((half + 1))
	fi
done 2>/dev/null
echo "# killed 15 times: $old old and $new new files"
is "no half file after SIGKILL" "$half" 0
ok "some of them were killed in time" test "$old" -gt 0

# A full disk
mkdir "$scratch/full"
if ! may_mount "$scratch/full"; then
	skip "a full disk" "$refused"
	exit 0
fi
cat >"$scratch/fill" <<'END'
mount -t tmpfs -o size=16k none "$1/full" && echo old >"$1/full/out.svg" || exit 99
status=0
"$2" noise -i "$1/noise.tsv" -o "$1/full/out.svg" 2>"$1/err" || status=$?
echo "$status $(cat "$1/full/out.svg") $(ls -A "$1/full")"
END
is "a full disk: the old file stays alone" "$($unshare sh "$scratch/fill" "$scratch" "$plot")" \
	"1 old out.svg"
is "a full disk: one line says so" "$(cat "$scratch/err")" \
	"cpucycles-plot: $scratch/full/out.svg: cannot be written: No space left on device"
cat >"$scratch/fill" <<'END'
mount -t tmpfs -o size=16k none "$1/full" || exit 99
status=0
TMPDIR=$1/full "$2" noise -i "$1/noise.tsv" -o "$1/to/out.svg" 2>"$1/err" || status=$?
echo "$status $(cat "$1/to/out.svg")"
END
echo old >"$out"
is "a full temporary folder: the old file stays" \
	"$($unshare sh "$scratch/fill" "$scratch" "$plot")" "1 old"
ok "a full temporary folder: one line says so" test "$(lines "$scratch/err")" = 1
