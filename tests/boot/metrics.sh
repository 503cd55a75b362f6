#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Metrics in Debian with its real systemd and its node exporter: off until somebody enables them,
# the drop-in, the timer, and what the exporter serves. The commands are those of doc/fleet.md.

. "$top_srcdir/tests/boot/common.sh"

fetch_exporter() { fetch_packages exporter prometheus-node-exporter curl; }
alone fetch_exporter >"$scratch/fetch.log" || {
	cat "$scratch/fetch.log"
	skip_all "the node exporter could not be fetched"
}
ok "the packages are installed" install_ours
[ -e "$scratch/first-call" ] || exit 0

new_root metrics "$ours:$fetched/exporter"
ok "it boots" boot <<'END'
folder=/var/lib/prometheus/node-exporter
served() {
	for i in $(seq 3000); do
		curl -s http://localhost:9100/metrics | grep '^cpucycles_\|^node_textfile' && return
		sleep 0.1
	done
	return 1
}
note off systemctl is-enabled cpucycles-metrics.timer
note before ls -A $folder
calm 0

systemctl enable --now cpucycles-calibrate.service
settled
note without ls -A $folder
cd /usr/share/doc/cpucycles-calibrate/examples/prometheus
mkdir -p /etc/systemd/system/cpucycles-calibrate.service.d
note install cp metrics.conf /etc/systemd/system/cpucycles-calibrate.service.d/
systemctl daemon-reload
systemctl restart cpucycles-calibrate.service
settled
note show systemctl show -p ActiveState -p Result $unit
note mode stat -c '%a %U' $folder/cpucycles.prom
note left ls -A $folder
cp $folder/cpucycles.prom /case/out/calibrated
note first as_nobody first-call
note journal journal
note served served

rm $folder/cpucycles.prom
note enable systemctl enable --now cpucycles-metrics.timer
note on systemctl is-enabled cpucycles-metrics.timer
note next systemctl show -p NextElapseUSecRealtime -p NextElapseUSecMonotonic \
	-p ActiveState cpucycles-metrics.timer
sum=$(cksum </var/cache/cpucycles/counters)
note start systemctl start cpucycles-metrics.service
cp $folder/cpucycles.prom /case/out/refreshed
note mode2 stat -c '%a %U' $folder/cpucycles.prom
note unchanged test "$sum" = "$(cksum </var/cache/cpucycles/counters)"
note served2 served
note verify systemd-analyze verify --man=no cpucycles-metrics.service cpucycles-metrics.timer

echo >>/var/cache/cpucycles/counters
systemctl start cpucycles-metrics.service
cp $folder/cpucycles.prom /case/out/damaged
rm -r $folder
note missing systemctl start cpucycles-metrics.service
note calibrates systemctl restart cpucycles-calibrate.service
note calibrated-anyway as_nobody first-call
END

ok "nothing is enabled by the installation" said off '^disabled$'
is "and nothing is written" "$(got before)" "status 0"
is "a calibration without the drop-in writes no metrics" "$(got without)" "status 0"
ok "the example is in the package" said install '^status 0$'
ok "with it, a calibration succeeds" said show '^Result=success$'
is "everybody can read the file, in spite of the unit's umask" "$(got mode)" "644 root
status 0"
is "nothing else is left there" "$(got left)" "cpucycles.prom
status 0"
ok "the metrics have the cache in use" said calibrated '^cpucycles_cache_in_use 1$'
ok "as programs do" said first '^status used$'
ok "the journal has the file" said journal '^/var/lib/.*/cpucycles.prom: written$'
ok "the node exporter serves the metrics" said served '^cpucycles_cache_in_use 1$'
ok "without an error" said served '^node_textfile_scrape_error 0$'
is "all of them" "$(sed -n 's/^\(cpucycles_[a-z_]*\).*/\1/p' "$out/served" | sort | uniq -c)" \
	"$(sed -n 's/^\(cpucycles_[a-z_]*\).*/\1/p' "$out/calibrated" | sort | uniq -c)"

ok "the timer can be enabled" said enable '^status 0$'
ok "it is enabled" said on '^enabled$'
ok "and waits for its time" said next '^ActiveState=active$'
ok "which is known" said next '^NextElapseUSecRealtime=[A-Z]'
ok "its unit writes the metrics" said start '^status 0$'
is "with the same mode" "$(got mode2)" "644 root
status 0"
ok "and leaves the cache as it is" said unchanged '^status 0$'
ok "its sandbox sees the cache in use" said refreshed '^cpucycles_cache_in_use 1$'
ok "the exporter serves them" said served2 '^cpucycles_cache_in_use 1$'
is "systemd-analyze verify is silent" "$(got verify)" "status 0"
ok "a damaged cache is told" said damaged '^cpucycles_cache_status_info{status="malformed"} 1$'
ok "without the folder, the unit fails" said missing '^status 1$'
ok "and the calibrator's does not" said calibrates '^status 0$'
ok "which has calibrated" said calibrated-anyway '^status used$'
