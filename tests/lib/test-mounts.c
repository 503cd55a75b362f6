/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which mount a path leads to, from texts as the kernel writes them. test-filesystem has real
 * mounts. */

#include "config.h"

#include "mounts.h"
#include "unit.h"

/* A container of LXC. Optional words stand before the dash, and a type has words behind it. */
static const char container[] =
	"100 99 8:1 / / rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw\n"
	"101 100 0:50 / /proc rw,nosuid - proc proc rw\n"
	"102 100 0:51 / /sys ro shared:5 - sysfs sysfs rw\n"
	"103 101 0:52 /proc/cpuinfo /proc/cpuinfo rw,nosuid - fuse.lxcfs lxcfs rw,user_id=0\n"
	"104 102 0:52 /sys/devices/system/cpu /sys/devices/system/cpu rw - fuse.lxcfs lxcfs rw\n"
	"105 102 0:53 / /sys/fs/fuse/connections rw - fusectl fusectl rw\n"
	"106 100 0:54 / /srv/a\\040b rw - fuse fuse rw\n";

static bool is_fuse(const char *text, const char *path)
{
	struct mounts m;
	const size_t length = strlen(text);

	mounts_begin(&m, path);
	for (size_t at = 0, n; at < length; at += n) {
		n = 1 + (size_t)(unit_random_bits(6) % 40);
		n = n < length - at ? n : length - at;
		mounts_add(&m, text + at, n);
	}
	return mounts_is_fuse(&m);
}

static bool any_fuse(const char *text)
{
	struct mounts m;

	mounts_begin(&m, "/proc/cpuinfo");
	mounts_add(&m, text, strlen(text));
	return m.any_fuse;
}

TEST(in_a_container)
{
	assert_true(any_fuse(container));
	assert_true(is_fuse(container, "/proc/cpuinfo"));
	assert_true(is_fuse(container, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq"));
	assert_true(is_fuse(container, "/sys/devices/system/cpu"));
	assert_false(is_fuse(container, "/proc/cpuinfos"));
	assert_false(is_fuse(container, "/proc/meminfo"));
	assert_false(is_fuse(container, "/sys/devices/system/clocksource"));
	assert_false(is_fuse(container, "/sys/fs/fuse/connections/1"));
	assert_true(is_fuse(container, "/srv/a\\040b/file"));
}

/* A newer mount hides the older ones at its place, and all that lie below it. */
TEST(hidden)
{
	char text[2048];

	snprintf(text, sizeof text, "%s%s", container,
		 "107 103 8:1 /made /proc/cpuinfo rw - ext4 /dev/sda1 rw\n");
	assert_false(is_fuse(text, "/proc/cpuinfo"));
	assert_true(is_fuse(text, "/sys/devices/system/cpu/online"));
	snprintf(text, sizeof text, "%s%s", container, "108 101 0:60 / /proc rw - proc proc rw\n");
	assert_false(is_fuse(text, "/proc/cpuinfo"));
	snprintf(text, sizeof text, "%s%s", container,
		 "108 101 0:60 / /proc rw - proc proc rw\n"
		 "109 108 0:61 / /proc/cpuinfo rw - fuse sysbox rw\n");
	assert_true(is_fuse(text, "/proc/cpuinfo"));
}

/* A system that has moved /proc from its initramfs lists it before the root. */
TEST(in_any_order)
{
	static const char moved[] = "22 29 0:20 / /proc rw - proc proc rw\n"
				    "30 22 0:21 / /proc/cpuinfo rw - fuse made rw\n"
				    "29 1 8:1 / / rw - ext4 /dev/sda1 rw\n";

	assert_true(is_fuse(moved, "/proc/cpuinfo"));
	assert_false(is_fuse(moved, "/proc/stat"));
}

/* The root of rootless Podman, on which the kernel's own /proc lies. */
TEST(root_on_fuse)
{
	static const char podman[] = "50 49 0:40 / / rw - fuse.fuse-overlayfs fuse-overlayfs rw\n"
				     "51 50 0:41 / /proc rw - proc proc rw\n";

	assert_false(any_fuse(podman));
	assert_false(is_fuse(podman, "/proc/cpuinfo"));
	assert_true(is_fuse(podman, "/etc/cpucyclespersecond"));
}

/* Nobody tells: no file, a text that ends anywhere, mounts without end. */
TEST(unknown)
{
	static char text[200 * 64];
	size_t length = 0;

	assert_false(is_fuse("", "/proc/cpuinfo"));
	for (size_t n = 0; n < sizeof container; n++) {
		snprintf(text, n + 1, "%s", container);
		is_fuse(text, "/proc/cpuinfo");
	}
	for (unsigned i = 0; i < 200; i++)
		length += (size_t)snprintf(text + length, sizeof text - length,
					   "%u %u 0:1 / / rw - fuse made rw\n", i + 1, i);
	assert_true(is_fuse(text, "/proc/cpuinfo"));
	/* Each lies on the other. */
	assert_true(is_fuse("1 2 0:1 / / rw - fuse a rw\n2 1 0:1 / / rw - fuse b rw\n"
			    "3 9 0:1 / /proc rw - fuse c rw\n",
			    "/proc/cpuinfo"));
}

UNIT_MAIN_SEEDED("mounts", NULL, NULL)
