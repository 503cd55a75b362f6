#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The commands of doc/installation.md under "From source" and for images work as written there. They
# run on this system, but every write goes to a layer over it that is dropped at the end.

. "$top_srcdir/tests/harness/build.sh"

[ "$(id -u)" -eq 0 ] || skip_all "only root mounts"
for tool in unshare flock pkg-config; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done
unshare --mount true 2>/dev/null || skip_all "no mounts of its own"
page=$top_srcdir/doc/installation.md

# commands HEADING: the first block of commands below this line of the page.
commands() {
	awk -v heading="$1" '
		$0 == heading { found = 1; next }
		found && /^    / { print substr($0, 5); block = 1; next }
		block && !/^    / { exit }' "$page"
}

# over_system: mount a layer over each folder that is written to.
over_system() {
	mkdir "$scratch/layers" && mount -t tmpfs none "$scratch/layers" || return
	for folder in usr etc var; do
		layer=$scratch/layers/$folder
		mkdir -p "$layer" "$layer.work"
		mount -t overlay -o "lowerdir=/$folder,upperdir=$layer,workdir=$layer.work" \
			overlay "/$folder" || return
	done
}

if [ "${1:-}" = inside ]; then
	scratch=$2
	trap - EXIT
	over_system || exit 77
	rm -rf /etc/cpucyclespersecond /var/cache
	cd "$scratch/$tarball" && . "$scratch/commands" >"$scratch/from-source.log" 2>&1 || exit 1
	cpucycles-info --cache | head -n 1
	cc -o "$scratch/status" "$scratch/status.c" -lcpucycles && "$scratch/status"
	ls -A /var/cache/cpucycles
	. "$scratch/sealing"
	ls -A /var/cache/cpucycles
	exit
fi

commands "## From source" >"$scratch/commands"
commands "Before an image is sealed:" >"$scratch/sealing"
is "the commands" "$(sed 's/ .*//' "$scratch/commands" | tr '\n' ' ')" \
	"./configure make make ldconfig cpucycles-calibrated "
is "configure needs no option" "$(head -n 1 "$scratch/commands")" ./configure
sed 's/$/ || return/; s/^make /make -j2 /' "$scratch/commands" >"$scratch/commands.new"
mv "$scratch/commands.new" "$scratch/commands"
cat >"$scratch/status.c" <<'END'
#include <cpucycles.h>
#include <stdio.h>

int main(void)
{
	return puts(cpucycles_cache_status()) < 0;
}
END
make_tarball || exit 1
tar -C "$scratch" -xf "$scratch/$tarball.tar.xz"
before=$(ls -ld /usr/include /usr/lib /etc /var/cache)
status=0
output=$(unshare --mount sh "$0" inside "$scratch" 2>"$scratch/errors") || status=$?
if [ "$status" -eq 77 ]; then
	skip "the commands work" "no overlay over this system: $(tail -n 1 "$scratch/errors")"
	exit 0
fi
is "the commands work" "$status $(sed 's/^/errors: /' "$scratch/errors")" "0 "
[ "$status" -eq 0 ] || tail -n 20 "$scratch/from-source.log" | sed 's/^/# /'
# Before an image is sealed, the last command says who wrote the file of the frequency.
is "the library uses the cache; before an image is sealed, the cache goes" \
	"$(echo "$output" | sed 's/^\(cpucycles persecond\) [0-9]* source \([a-z-]*\) .*/\1 \2/
		/ persecond-file$/!s/^\(cpucycles persecond\) .*/\1 of the calibrator/')" \
	"cpucycles cache in use status used
used
.counters.lock
counters
cpucycles persecond of the calibrator"
is "nothing was written outside" "$(ls -ld /usr/include /usr/lib /etc /var/cache)" "$before"
