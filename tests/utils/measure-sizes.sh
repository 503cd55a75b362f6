#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure --sizes and --bytes, with functions that are made here.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"

measure=$top_builddir/utils/cpucycles-measure
[ -x "$measure" ] || skip_all "cpucycles-measure is not built"
made=$scratch/made.so
# shellcheck disable=SC2086 # options
$CC $CFLAGS -O1 -shared -fPIC -o "$made" "$top_srcdir/tests/utils/sized.c" \
	>"$scratch/compiler" 2>&1 ||
	skip_all "no shared objects here: $(head -n 1 "$scratch/compiler")"
ulimit -c 0
# The library's choice of a counter is not what is tested here.
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE

run() { capture "$measure" "$@"; }
said() { sed "s,$scratch/,,g" "$scratch/err"; }
out() { cat "$scratch/out"; }

# csv ARGUMENT...: the columns size, function and bytes of each row, with spaces between them.
csv() {
	run --csv "$@"
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ print $column["size"], $column["function"], $column["bytes"] }' "$scratch/out" |
		sed 's,[^ ]*:,,'
}

# refused SENTENCE ARGUMENT...: a usage error, in one line.
refused() {
	refused_sentence=$1
	shift
	run "$@"
	is "$(echo "$*" | sed "s,$scratch/,,g"): a usage error" "$status $(said)$(out)" \
		"2 cpucycles-measure: $refused_sentence"
}
how="expected sizes such as 16,1K,64K or 16..64K*4 or 16..64+16"
for sizes in "" x "16," 16..64 1..4*1; do
	refused "--sizes $sizes: $how" --sizes="$sizes" "$made:work"
done
refused "--sizes 1..101+1: expected 100 sizes at most" --sizes 1..101+1 "$made:work"
for bytes in "" x 0 -1 16x; do
	refused "--bytes $bytes: expected bytes from 1, such as 64 or 16K" --bytes="$bytes" \
		"$made:plain"
done
refused "--bytes: not together with --sizes, where a size is the bytes" \
	--bytes 16 --sizes 16 "$made:work"
refused "--check: not together with --bytes or --sizes" --check --sizes 16
refused "--check: not together with --bytes or --sizes" --check --bytes 16
run --sizes 99999999999999999999999999 "$made:work"
is "a size that is too large: a usage error" "$status $(said | sed 's/[0-9]* at most/N at most/')" \
	"2 cpucycles-measure: --sizes 99999999999999999999999999: expected sizes of N at most"

# In this order, and with the same argument for function and setup.
run -n 40 --sizes 64,1K,16..18+1 "$made:work"
is "each size is measured" "$status" 0
is "in the order of the list" "$(said | uniq | paste -s -d ' ' -)" \
	"size 64 size 1024 size 16 size 17 size 18"
run -n 40 --sizes 0 "$made:work"
is "a size of 0" "$status $(said | uniq)" "0 size 0"

# A row for each size and each function. Its bytes are the size.
is "rows" "$(csv -n 40 --sizes 16,32 "$made:work" "$made:linear")" "16 work 16
16 linear 16
32 work 32
32 linear 32"
# compared ARGUMENT...: how many sentences compare functions.
compared() {
	run -n 40 "$@" "$made:work" "$made:linear"
	echo "$status $(grep -c -E '(^|size [0-9]+: )linear .* work[ :]' "$scratch/out")"
}
is "several sizes are not compared" "$(compared --sizes 16,32)" "0 0"
is "one size is" "$(compared --sizes 16)" "0 1"
is "one size is not with --no-compare" "$(compared --sizes 16 --no-compare)" "0 0"
is "several sizes are with --compare" "$(compared --sizes 16,32 --compare)" "0 2"
is "several sizes are with --within" "$(compared --sizes 16,32 --within 1)" "0 2"

# A row for each size, and a column for each function.
run -n 40 --sizes 16,64,256 "$made:work" "$made:crash"
is "the table: its columns" "$(sed -n 5p "$scratch/out" | sed 's/^ *size  *work  *crash$/all/')" all
sign='(±|[+]-)' # as the locale has it
# On a busy machine, the cycles of a size may be unknown.
figure="(-|[0-9.]+( $sign +[0-9.]+)?)"
ok "the table: the unit stands before it" \
	grep -q -x -E 'In (core cycles per byte|ticks per byte|(ns|us|ms) per call):' "$scratch/out"
for size in 16 64 256; do
	ok "the table: the row of $size" \
		grep -q -x -E " *$size +$figure +$figure" "$scratch/out"
done
ok "the table: a line on what failed" \
	grep -q -E '^note: crash \(size 64\): it (crashed|ended the process)' "$scratch/out"
run -n 40 --markdown --sizes 16,64 "$made:work" "$made:linear"
is "the table in Markdown: its columns" "$(grep -A 1 '^| size' "$scratch/out")" \
	"| size | work | linear |
|---:|---:|---:|"
is "the table in Markdown: its rows" "$(grep -c -x -E '[|] (16|64) [|] .+ [|] .+ [|]' \
	"$scratch/out")" 2
run -n 40 --sizes 0,64 "$made:work"
ok "with a size of 0, nothing is per byte" grep -q -E '^In .* per call:$' "$scratch/out"

is "a row of size 0 has no bytes, whatever the library states" \
	"$(csv -n 40 --sizes 0,16 "$made:stated")" "0 stated 
16 stated 16"

# Bytes without sizes.
is "no bytes are known" "$(csv -n 40 "$made:bare")" " bare "
is "the library states them" "$(csv -n 40 "$made:plain")" " plain 4096"
is "those of --bytes come first" "$(csv -n 40 --bytes 1K "$made:plain" "$made:bare")" \
	" plain 1024
 bare 1024"
is "a constant of any kind is a number" "$(csv -n 40 "$made:wild" | sed 's/[0-9][0-9.e+]*/N/')" \
	" wild N"
is "it does no harm" "$status" 0

# counts: of each row, the size and whether it has a count of page faults.
counts() {
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ print $column["size"], $column["page-faults"] == "" ? "void" : "count" }' \
		"$scratch/out" | paste -s -d ' ' -
}
run --csv -n 40 --sizes 16,64 -e page-faults "$made:work"
if [ "$status" = 0 ]; then
	is "each size has its counts" "$(counts)" "16 count 64 count"
	run --csv -n 40 -e page-faults --sizes 64,16 "$made:closes"
	is "void events of the first size" "$status $(counts)" "10 64 void 16 count"
	run -n 40 -e page-faults --sizes 16,64 "$made:closes"
	is "void events of another size: it says so" \
		"$status $(grep -c 'not counted: page-faults: .* closed' "$scratch/out")" "10 1"
else
	skip "void events of one size" "page faults are not counted here"
fi

# What fails with one size is measured with the next.
run -n 40 --sizes 16,64,256 "$made:crash"
is "a crash: the status and the size" "$status $(said | sed 's/\(with size [0-9]*\).*/\1/')" \
	"6 cpucycles-measure: made.so:crash: it crashed while it ran, with size 64"
is "a crash: the other sizes have figures" \
	"$(csv -n 40 --sizes 16,64,256 "$made:crash")" "16 crash 16
64 crash 64
256 crash 256"
run -n 40 --sizes 64,16 "$made:crash_in_setup"
is "a crash in its setup" "$status $(said | sed 's/\(with size [0-9]*\).*/\1/')" \
	"6 cpucycles-measure: made.so:crash_in_setup: it crashed in its _setup, with size 64"
run -n 40 --timeout 0.5 -t 0.1 --sizes 64,16 "$made:hang"
is "a time-out" "$status $(said | sed 's/\(with size [0-9]*\).*/\1/')" \
	"7 cpucycles-measure: made.so:hang: it passed --timeout while it ran, with size 64"
run -n 40 --sizes 16,64 "$made:crash" "$made:hang" --timeout 0.5 -t 0.1
is "two failures: the smaller status" "$status" 6
run -n 40 --sizes 16,64 "$made:none"
is "what is not there is said once" "$status $(said | wc -l | tr -d ' ')" "4 1"
ok "and with the type that it should have" grep -q 'void none(size_t)$' "$scratch/err"

# Ctrl-C prints the sizes that there are.
if sh -c 'kill -INT $$' 2>/dev/null; then
	skip "Ctrl-C" "SIGINT is ignored here"
else
	run -n 40 --sizes 16,64,256 "$made:interrupt"
	is "Ctrl-C" "$status $(said)" "130 "
	is "Ctrl-C: what there was is printed" "$(csv -n 40 --sizes 16,64,256 "$made:interrupt" |
		sed 1q)" "16 interrupt 16"
fi
