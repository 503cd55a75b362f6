# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

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
