# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Debian packages, fetched from the same place as the system's own. Sourced.

# own_source: the URI, the release and the component of the system's own packages.
own_source() {
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	find /etc/apt/sources.list /etc/apt/sources.list.d -name '*.list' -o -name '*.sources' \
		2>/dev/null |
		sort | xargs awk -v release="$release" '
		# A file has either one line for each source, or paragraphs of fields.
		$1 == "deb" {
			sub(/\[[^]]*\]/, "")
			uri = $2
			suites = $3 " "
			main = $4 == "main"
			try()
		}
		FNR == 1 || NF == 0 || $1 == "deb" { uri = suites = main = "" }
		$1 == "URIs:" { uri = $2 }
		$1 == "Suites:" { suites = $0 " " }
		$1 == "Components:" { main = $2 == "main" }
		{ try() }
		function try() {
			if (uri && main && index(" " suites, " " release " ")) {
				print uri, release, "main"
				exit
			}
		}'
}

# apt_folder FOLDER TYPE [SUITE [ARCHITECTURE]]: make a configuration of apt in FOLDER, which takes
# packages from the system's source. TYPE is deb or deb-src. Without SUITE and ARCHITECTURE, or with
# empty ones, those of the system are meant. The system's own configuration does not change.
apt_folder() {
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	from=$(own_source)
	[ -n "$from" ] || { echo "no source of packages is known"; return 1; }
	# shellcheck disable=SC2086 # URI, release, component
	set -- "$1" "$2" "${3:-}" "${4:-$(dpkg --print-architecture)}" $from
	options=arch=$4
	[ ! -e $keyring ] || options="$options signed-by=$keyring"
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial" || return
	: >"$1/status"
	echo "$2 [$options] $5 ${3:-$6} $7" >"$1/sources.list"
	cat >"$1/apt.conf" <<-END
		Dir::State::Lists "$1/lists";
		Dir::Cache "$1/cache";
		Dir::State::status "$1/status";
		Dir::Etc::SourceList "$1/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		APT::Architecture "$4";
		APT::Architectures { "$4"; };
		APT::Sandbox::User "root";
		Acquire::Retries "3";
	END
}

# apt_in FOLDER COMMAND...: run an apt command in FOLDER, with the configuration there.
apt_in() (
	cd "$1" || exit
	shift
	APT_CONFIG=$PWD/apt.conf timeout "$FETCH_SECONDS" "$@"
)

# apt_done FOLDER: remove apt's lists and caches; the fetched packages stay.
apt_done() {
	rm -rf "$1/lists" "$1/cache"
}
