#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The example for Kubernetes: it is YAML, its mounts are read-only, and their paths are those of the
# library. Then the mounts that it names are really made, read-only, and the library uses the cache.

. "$top_srcdir/tests/harness/alone.sh"

example=$top_srcdir/doc/examples/containers/cpucycles.yml
python=
for candidate in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$candidate" -c 'import yaml' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip_all "no python3 with the module yaml"

cat >"$scratch/facts.py" <<'END2'
import sys
import yaml

with open(sys.argv[1], encoding="utf-8") as file:
    document = yaml.safe_load(file)
print("kind", document["apiVersion"], document["kind"])
template = document["spec"]["template"]
print("selected", document["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"])
pod = template["spec"]
print("hostUsers", pod["hostUsers"])
volumes = {volume["name"]: volume["hostPath"] for volume in pod["volumes"]}
for container in pod["containers"]:
    security = container["securityContext"]
    print("user", security["runAsNonRoot"], security["runAsUser"])
    print("privileges", security["allowPrivilegeEscalation"], security.get("privileged", False))
    for mount in container["volumeMounts"]:
        host = volumes.pop(mount["name"])
        print("mount", host["path"], host["type"], mount["mountPath"],
              "read-only" if mount.get("readOnly") is True else "writable")
print("unused", *volumes)
END2
# facts FILE: what the example says, one line for each fact.
facts() {
	"$python" "$scratch/facts.py" "$1" 2>&1
}
fact() {
	facts "$example" | grep "^$1 "
}
facts "$example" >"$scratch/said"
is "it is YAML with what a DaemonSet has" $? 0
is "it is a DaemonSet" "$(fact kind)" "kind apps/v1 DaemonSet"
is "it selects its own pods" "$(fact selected)" "selected True"
is "it has no user namespace, in which root's file is not trusted" "$(fact hostUsers)" \
	"hostUsers True"
is "it runs as an ordinary user" "$(fact user)" "user True 65532"
is "it has no privileges" "$(fact privileges)" "privileges False False"
is "each volume is mounted" "$(fact unused)" ""

# The paths that the library has when it is configured for a distribution.
# compiled MACRO: the path behind this macro.
compiled() {
	sed -n "s/.*-D$1='\"\\([^\"]*\\)\"'.*/\\1/p" "$top_srcdir/Makefile.am" |
		sed -e 's,\$(localstatedir),/var,' -e 's,\$(sysconfdir),/etc,'
}
folder=$(dirname "$(compiled CACHE_PATH)")
persecond=$(compiled PERSECOND_PATH)
mounts="mount $folder DirectoryOrCreate $folder read-only
mount $persecond File $persecond read-only"
is "its mounts are the library's paths, and read-only" "$(fact mount)" "$mounts"
sed 's/readOnly: true/readOnly: false/' "$example" >"$scratch/writable.yml"
is "mounts that are writable are found" "$(facts "$scratch/writable.yml" | grep -c writable)" 2
sed 's/^      volumes:/      volumes/' "$example" >"$scratch/broken.yml"
facts "$scratch/broken.yml" >"$scratch/said"
is "what is no YAML is found" $? 1

# The node's files are those of a calibrator that runs here. The mounts are the example's, with the
# folders of this build in the place of /var and /etc.
node=$scratch/node
mkdir -p "$node/var/cache/cpucycles" "$node/etc"
"$top_builddir/calibrated/cpucycles-calibrated" --cache "$node$folder/counters" \
	--persecond "$node$persecond" 2>"$scratch/log"
is "the node is calibrated" $? 0
[ -e "$node$persecond" ] ||
	{ skip "the mounts" "the calibrator did not find out a frequency"; exit 0; }
# place PATH: where this build has the path.
place() {
	echo "$1" | sed -e "s,^/var,$localstatedir," -e "s,^/etc,$sysconfdir,"
}
# cached: what the library says of the cache.
cached() {
	"$top_builddir/utils/cpucycles-info" --cache | head -n 1
}
is "without the mounts there is no cache" "$(cached)" "cpucycles cache not in use status missing"
fact mount >"$scratch/mounts"
while read -r _ from type to _; do
	to=$(place "$to")
	if [ "$type" = File ]; then
		touch "$to"
	else
		mkdir -p "$to"
	fi
	ok "$from is mounted" mount --bind "$node$from" "$to"
	ok "$from is read-only" mount -o remount,bind,ro "$to"
done <"$scratch/mounts"
is "with them it is used" "$(cached)" "cpucycles cache in use status used"
# writable PATH
writable() {
	(: >>"$1") 2>/dev/null && echo "$1 can be written"
}
is "nothing can be written" \
	"$(writable "$(place "$folder")/new"; writable "$(place "$persecond")")" ""

# The example's user, without any right.
NOBODY=65532
export NOBODY
if nobody_enters; then
	install -m 755 "$top_builddir/utils/cpucycles-info" "$scratch/info"
	is "the example's user uses it too" \
		"$($as_nobody setpriv --no-new-privs "$scratch/info" --cache | head -n 1)" \
		"cpucycles cache in use status used"
else
	skip "the example's user uses it too" \
		"that user may not enter the build folder, or this process cannot become that user"
fi

# The calibrator replaces the file in the folder, and the container sees the new one.
"$top_builddir/calibrated/cpucycles-calibrated" --force --cache "$node$folder/counters" \
	--persecond "$node$persecond" 2>"$scratch/log"
is "the node is calibrated again" $? 0
is "the container has the new file" "$(stat -c %i "$(place "$folder")/counters")" \
	"$(stat -c %i "$node$folder/counters")"

# A container that has the cache and another frequency.
umount "$(place "$persecond")"
echo 3.5e9 >"$(place "$persecond")"
is "with another frequency the cache is not used" "$(cached)" \
	"cpucycles cache not in use status stale-persecond"
