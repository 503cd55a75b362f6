#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Tests become another user by $as_nobody, which runs nothing of the sources or the build: another
# user may be unable to enter these folders.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/consistency/common.sh"

# refused COMMAND...: it is not run, and a line names what another user may be unable to reach.
refused() {
	refused_status=0
	$as_nobody "$@" >"$scratch/out" 2>&1 || refused_status=$?
	[ "$refused_status $(cat "$scratch/out")" = \
		"126 as-nobody.sh: another user may be unable to reach $refused_word" ] && return
	echo "# status $refused_status"
	sed 's/^/# /' "$scratch/out"
	return 1
}
for folder in "$top_srcdir" "$top_builddir"; do
	refused_word=$folder/program
	ok "a program in $folder is refused" refused "$refused_word"
	ok "and as an argument" refused env "$refused_word"
	refused_word="$folder/program --version"
	ok "and in a shell's line" refused sh -c "$refused_word"
done
if may_become; then
	is "other programs run, as another user" "$($as_nobody id -u)" 65534
	is "or as the given one" "$(NOBODY=65532 $as_nobody id -u)" 65532
else
	skip "other programs run, as another user" "$refused"
fi

# Besides the harness, these do so in a root folder or a machine of its own.
is "no other script becomes another user" \
	"$(grep -lrE '\<(reuid|ruid|userspec|runuser|su|sudo|setuidgid|chpst)\>' tests \
		--include='*.sh' | sort)" "tests/boot/common.sh
tests/boot/systemd.sh
tests/consistency/nobody.sh
tests/harness/as-nobody.sh
tests/packaging/debian-surroundings.sh
tests/privileges/user.sh
tests/utils/open-quiet.sh
tests/utils/open.sh"

# The user's number says nothing about privileges: see tests/harness/may.sh. These scripts compare
# it with a number that a program prints, test a rule of the product about that number, or start
# what checks its rights itself.
is "no other script takes the user's number for a privilege" \
	"$(grep -lrE '\<id -u\>|EUID' tests --include='*.sh' | sort)" "tests/consistency/nobody.sh
tests/fuzz/common.sh
tests/packaging/container.sh
tests/packaging/debian-build.sh
tests/packaging/from-source.sh
tests/packaging/rpm-common.sh
tests/reliability/staleness.sh
tests/utils/json.sh
tests/utils/open-quiet.sh
tests/utils/open.sh"
is "nor does a program" \
	"$(grep -nE '\<gete?uid\(\) *(==|!=|\))' /dev/null $(find tests -name '*.[ch]') |
		sed 's/:.*//' | sort -u)" "tests/fuzz/trust.c
tests/lib/test-cache.c
tests/measure/test-events.c
tests/utils/test-opening.c"
