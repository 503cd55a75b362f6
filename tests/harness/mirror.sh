# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Packages from where the system takes its own. Sourced.

# own_source: where the system takes its own packages: URI, release, component.
own_source() {
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	find /etc/apt/sources.list /etc/apt/sources.list.d -name '*.list' -o -name '*.sources' 2>/dev/null |
		sort | xargs awk -v release="$release" '
		# One line each, or paragraphs of fields.
		$1 == "deb" { sub(/\[[^]]*\]/, ""); uri = $2; suites = $3 " "; main = $4 == "main"; try() }
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

# apt_folder FOLDER TYPE [SUITE [ARCHITECTURE]]: where the system takes its packages, but this suite
# (nothing: the system's own) and architecture, and deb or deb-src. The system's configuration stays.
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

# apt_in FOLDER COMMAND...: an apt command with that configuration, in the folder.
apt_in() (
	cd "$1" || exit
	shift
	APT_CONFIG=$PWD/apt.conf timeout "$FETCH_SECONDS" "$@"
)

# apt_done FOLDER: what was fetched stays.
apt_done() {
	rm -rf "$1/lists" "$1/cache"
}
