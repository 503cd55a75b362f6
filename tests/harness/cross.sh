# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# A build for another machine. Sourced, with $target (what configure is to build for)
# and $run (what runs the target's programs here, or nothing).

. "$top_srcdir/tests/harness/build.sh"

command -v "$target-gcc" >/dev/null || skip_all "$target-gcc is not there"

target_links() {
	quietly link "$target-gcc" -static -I"$top_srcdir/include" -o "$scratch/$1" "$scratch/$1.c" \
		"$scratch/build/lib/.libs/libcpucycles.a"
}

# With --build and another host, configure can't run what it builds: a test that
# needs to would end it.
ok "configure for $target" configure_in build --build="$host" --host="$target" $no_pkg_config
ok "make, warnings are errors" make_in build CFLAGS="-O1 -Werror"
ok "shared library" has build lib/.libs/libcpucycles.so.1
is "no static constructor runs before main" \
	"$("$target-nm" "$scratch/build/lib/.libs/libcpucycles.a" 2>/dev/null | grep -c _GLOBAL__sub)" 0
for counter in $counters; do
	case " $(summary_of build counters) " in *" $counter "*) found=yes ;; *) found=no ;; esac
	is "$counter is compiled in" "$found" yes
done

write_user_program
ok "a static program links" target_links user
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
# shellcheck disable=SC2086 # run is a command or nothing
if target_links empty && $run "$scratch/empty" 2>/dev/null; then
	is "it runs" "$($run "$scratch/user" | sed 's/^[^ ]* [^ ]* //')" "1 1"
else
	skip "it runs" "this machine runs no program for $target"
fi
