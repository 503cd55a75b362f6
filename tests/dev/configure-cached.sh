#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# dev/configure-cached.sh keeps the results of configure for each compiler and its flags. Here
# configure is a script that says whether it got results, and adds its own.
. "$top_srcdir/tests/harness/tap.sh"

mkdir -p "$scratch/source/lib" "$scratch/build"
cat >"$scratch/source/configure" <<'END'
#!/bin/sh
cache=${1#--cache-file=}
if [ -s "$cache" ]; then echo "kept"; else echo "new"; fi
grep -e ac_cv_env -e none "$cache" 2>/dev/null
cat >>"$cache" <<LINES
ac_cv_env_CFLAGS_value=-O1
am_cv_CC_dependencies_compiler_type=\${am_cv_CC_dependencies_compiler_type=none}
ac_cv_func_getauxval=\${ac_cv_func_getauxval=yes}
LINES
[ "$2" != --fail ]
END
chmod 755 "$scratch/source/configure"
touch -d '2 days ago' "$scratch/source/configure" 2>/dev/null ||
	touch -t 202601010000 "$scratch/source/configure"

# configured ARGUMENT...: what this configure says.
configured() (
	cd "$scratch/build" && sh "$top_srcdir/dev/configure-cached.sh" "$scratch/kept" \
		"$scratch/source/configure" "$@"
)
unset CC CFLAGS CPPFLAGS LDFLAGS PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR

is "the first time" "$(configured)" new
is "the second time, without lines on the environment and on what was disabled" "$(configured)" kept
is "the default compiler by its name" "$(configured CC=gcc)" kept
is "results that do not depend on an argument" \
	"$(configured --disable-shared --prefix=/usr CMOCKA_LIBS=-lcmocka AUTOMAKE=false)" kept
for flags in -O0 "-O2 -g" "-g3 -ggdb -Werror"; do
	is "results that do not depend on $flags" "$(configured CFLAGS="$flags")" kept
done
is "nor in the environment" "$(CFLAGS=-O3 configured)" kept
for argument in CC=clang --host=s390x-linux-gnu "CFLAGS=-O1 -fsanitize=address" CFLAGS=-m32 \
	LDFLAGS=-static CPPFLAGS=-I/nonexistent PKG_CONFIG_LIBDIR=/nonexistent; do
	is "$argument: other results" "$(configured "$argument")" new
	is "which are kept, too" "$(configured "$argument")" kept
done
is "flags in the environment: other results" "$(CFLAGS=-fsanitize=thread configured)" new
touch "$scratch/source/configure"
sleep 1
is "a newer configure" "$(configured)" new
configured --fail >/dev/null
is "the status of configure" $? 1
is "no copy is left in the build folder" "$(configured >/dev/null; ls "$scratch/build")" ""
is "it writes to no other folder" "$(ls "$scratch")" "build
kept
source"
rm -rf "$scratch/kept"
: >"$scratch/kept"
is "where nothing can be kept, configure works" "$(configured 2>&1 && echo well)" "new
well"
