#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# ./quickstart in a copy of the sources: it succeeds, programs start from its calibration, and
# README.md shows every kind of line that it prints.

. "$top_srcdir/tests/harness/build.sh"

tree=$scratch/tree
ok "copy of the sources" copy_sources tree
missing=$(cd "$tree" && program=quickstart && . dev/common.sh && missing_packages $BUILD_PACKAGES)
if [ -n "$missing" ]; then
	skip "the rest" "packages are missing, which quickstart would install"
	exit 0
fi
CONFIGURE_KEPT=${CONFIGURE_KEPT:-$top_builddir/tests/kept}
export CONFIGURE_KEPT

# run: quickstart, by $run_as, with its output in $scratch/out.
run_as=
run() {
	$run_as "$tree/quickstart" >"$scratch/out" 2>&1 </dev/null && return
	sed 's/^/# /' "$scratch/out"
	return 1
}

# kinds FILE: the first words of its lines, which README.md shows.
kinds() {
	sed -n 's/^ *\(quickstart: [a-z ]*\|[A-Z][A-Za-z ]*\): .*/\1/p' "$1"
}

ok "quickstart" run
ok "the cache is in use" grep -q '^Cache: in use\. ' "$scratch/out"
ok "it names the counter" grep -q '^Counter: [a-z0-9-]*\. It counts ' "$scratch/out"
for kind in Counter Rate Frequency Cache "Better counters" Next; do
	is "a line on: $kind" "$(kinds "$scratch/out" | grep -cx "$kind")" 1
done
for log in configure install calibrate info open; do
	ok "it leaves _build/quickstart-$log.log" test -s "$tree/_build/quickstart-$log.log"
done
is "README shows every kind of line" \
	"$(kinds "$scratch/out" | while IFS= read -r kind; do
		sed -n 's/^    //p' "$top_srcdir/README.md" | grep -q "^$kind: " || echo "$kind"
	done)" ""
ok "it ends with a command that succeeds" \
	sh -c "cd '$tree' && $(sed -n '$s/^Next: //p' "$scratch/out") >'$scratch/next'"
ok "quickstart again" run
# At each installation libtool links a library again that needs another one of the project.
is "it builds nothing anew" "$(grep -v 'mode=relink' "$tree/_build/quickstart-install.log" |
	sed "s,$scratch,,g" | grep -c 'CC\|gcc')" 0

# A user's own cache is used where CPUCYCLES_CACHE names it; a line says so.
if may_become; then
	chown -R 65534:65534 "$tree"
	rm -rf "$tree/_build/quickstart/var"
	run_as=$as_nobody
	ok "quickstart as a user" run
	ok "the user's cache is in use" grep -q '^Cache: in use\. ' "$scratch/out"
	is "a line names it" "$(sed -n 's/^ *export //p' "$scratch/out")" \
		"CPUCYCLES_CACHE=$tree/_build/quickstart/var/cache/cpucycles/counters"
else
	skip "quickstart as a user" "this process cannot become another user"
fi
"$tree/quickstart" nonsense >"$scratch/out" 2>&1
is "an argument is a usage error" "$? $(cat "$scratch/out")" "2 usage: ./quickstart"
