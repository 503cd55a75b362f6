# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# What the tests of the rpm packages share. Sourced, after build.sh or tests/boot/common.sh.

LC_ALL=C
export LC_ALL

for tool in rpmbuild rpm flock file bash unshare; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done
[ "$(id -u)" -eq 0 ] || skip_all "only root installs packages into another root"
[ -e /etc/debian_version ] || skip_all "the macros are for Debian's rpm"

here=$top_srcdir/tests/packaging
name=$tarball
version=${name#cpucycles-}
cpu=$(uname -m)

# The packages, which are kept from run to run: in "first", in "next" as a higher release, and in
# "suse" and "suse-next" the same for openSUSE. "others" and "suse-others" have what stands in for
# the packages of the distribution, and "existing" for Fedora's libcpucycles.
rpms=$top_builddir/tests/packaging/rpm
topdir=$rpms/build
built=$topdir/BUILDROOT/$name-1.$cpu

# build FOLDER ARGUMENT...: run rpmbuild with the macros that Debian's rpm lacks. The packages go to
# FOLDER.
build() {
	to=$rpms/$1
	shift
	rpmbuild --nodeps --noclean --load="$here/rpm-macros" --define "_topdir $topdir" \
		--define "_sourcedir $topdir" --define "_rpmdir $to" \
		--define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' "$@"
}

# spec_of_built: the spec, but with the files that the first build installed, instead of another
# build. (rpm does not install what rpmbuild --short-circuit makes, unless it ignores all
# dependencies.)
spec_of_built() {
	awk -v built="$built" '
		/^%(prep|build|install|check)$/ { print; skip = 1 }
		/^%prep$/ { print "%setup -q -T -D" }
		/^%install$/ {
			print "mkdir -p %{buildroot} && cp -a " built "/* %{buildroot}"
			print "cd %{buildroot} && rm -r .%{_defaultdocdir} .%{_defaultlicensedir}"
		}
		/^%(if|pre |post|package|files)/ { skip = 0 }
		!skip' "$topdir/BUILD/$name/packaging/rpm/cpucycles.spec"
}

# build_again FOLDER ARGUMENT...: make other packages of the same files.
build_again() {
	folder=$1
	shift
	spec_of_built >"$topdir/again.spec" &&
		build "$folder" -bb --buildroot "$topdir/BUILDROOT/again" "$@" "$topdir/again.spec"
}

# build_others FOLDER ARGUMENT...: build what stands in for the packages that ours need.
build_others() {
	folder=$1
	shift
	libraries='(lib(c|m|jansson|dw|pfm)|ld-linux[a-z0-9_-]*)\.so.*'
	needed=$(rpm -qp --requires "$rpms/first"/*.rpm "$rpms/suse"/*.rpm | sort -u |
		grep -Ex "/[a-z/-]*|coreutils|gnuplot|grep|libpfm-.*|systemd|rtld.*|$libraries" |
		tr '\n' ' ')
	build "$folder" -bb --define "needed $needed" \
		--define "helper $here/systemd-update-helper" "$@" "$here/rpm-stand-ins"
}

build_all() {
	suse='suse_version 1600'
	rm -rf "$rpms"
	mkdir -p "$topdir" && cp "$scratch/$name.tar.xz" "$topdir/" &&
		build first -ta "$topdir/$name.tar.xz" && build_again next --define 'dist .1' &&
		build_again suse --define "$suse" &&
		build_again suse-next --define "$suse" --define 'dist .1' &&
		build_others others && build_others suse-others --define "$suse" &&
		build existing -bb "$here/rpm-existing"
}

# contents: the checksum of all that the packages are made of. The tarball of the same sources has
# the same bytes.
contents() {
	cat "$scratch/$name.tar.xz" "$here/rpm-macros" "$here/rpm-common.sh" \
		"$here/rpm-stand-ins" "$here/rpm-existing" "$here/systemd-update-helper" | sha256sum
}

# build_rpms: build them, unless they were built of the same contents. One test at a time does so.
build_rpms() (
	make_tarball && exec 8>"$rpms.lock" && flock 8 || exit
	[ "$(cat "$rpms/contents" 2>/dev/null)" != "$(contents)" ] || exit 0
	quietly rpmbuild build_all && cp "$scratch/rpmbuild.log" "$rpms/log" &&
		contents >"$rpms/contents"
)
