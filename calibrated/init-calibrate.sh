# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

program=@sbindir@/cpucycles-calibrated

# calibrate OPTION...: run the calibrator. Its output goes to the system log, and to the console if
# it fails.
calibrate() {
	said=$(timeout @timeout@ "$program" "$@" 2>&1)
	status=$?
	[ "$status" -ne 124 ] || said="$said
$program: took longer than @timeout@ s"
	echo "$said" | logger -t cpucycles-calibrated 2>/dev/null
	[ "$status" -eq 0 ] || echo "$said" >&2
	return "$status"
}
