#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# One version, of three numbers, in configure.ac; whatever else says one says the same.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "whatever says a version says that of configure.ac"

version=$(sed -n 's/^AC_INIT(\[cpucycles\], \[\(.*\)\])$/\1/p' configure.ac)
ok "configure.ac has one, of three numbers" sh -c 'echo "$1" | grep -Eqx "[0-9]+\.[0-9]+\.[0-9]+"' \
	sh "$version"
is "NEWS begins with it" "$(sed -n '1s/^cpucycles \([^ ]*\).*/\1/p' NEWS)" "$version"
for file in lib/cpucycles.pc measure/cpucycles-measure.pc; do
	is "the pkg-config file $file" \
		"$(sed -n 's/^Version: //p' "$top_builddir/$file")" "$version"
done
for file in lib/cpucycles measure/cpucycles-measure; do
	is "the CMake package $file" "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' \
		"$top_builddir/$file-config-version.cmake")" "$version"
done
for header in include/cpucycles.h include/cpucycles-measure.h; do
	is "$header" "$(sed -n 's/^#define CPUCYCLES_VERSION_[A-Z]* //p' $header |
		paste -s -d . -)" "${version%.*}"
done
is "packaging/rpm/cpucycles.spec.in takes it from configure" \
	"$(sed -n 's/^Version: *//p' packaging/rpm/cpucycles.spec.in)" "@PACKAGE_VERSION@"
if [ -f debian/changelog ]; then
	is "debian/changelog has it, without a revision" \
		"$(sed -n '1s/^cpucycles (\([0-9]*:\)*\(.*\)-[^-]*).*/\2/p' debian/changelog)" \
		"$version"
else
	skip "the Debian package's" "there is no debian/changelog"
fi

programs=$(sed -n 's/^s*bin_PROGRAMS += //p' */Makefile.inc | tr ' ' '\n')
ok "there are programs" has_lines "$programs"
for program in $programs; do
	if [ -x "$top_builddir/$program" ]; then
		is "$program --version" "$("$top_builddir/$program" --version 2>&1)" \
			"$(basename "$program") $version"
	else
		skip "$program --version" "it is not built"
	fi
done
is "the library" "$("$top_builddir/utils/cpucycles-info" 2>/dev/null |
	sed -n 's/^cpucycles version //p')" "$version"
end_lint
