/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The look itself: what it leaves behind, whatever this machine is. And the settings of made
 * trees. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "machine.h"
#include "raw-clock.h"
#include "speed.h"

#include <string.h>

#define CPUS "sys/devices/system/cpu/"

static struct noise_speed speed;
static struct noise_settings settings;

/* A look of less than this leaves out some probes. */
#define SHORT_NS 30000000
#define WHOLE_NS 1000000000

static void look(uint64_t budget_ns, bool walks)
{
	size_t probes;

	if (raw_clock_is_forbidden())
		unit_skip("this process may not read the clock");
	affinity_save();
	affinity_pin_here();
	noise_speed_look(affinity_here(), budget_ns, &speed);
	affinity_restore();
	if (!speed.windows)
		unit_skip("the machine had no time for one window");
	assert_in_range(speed.windows, 1, SPEED_WINDOWS);
	assert_int_equal(speed.walked, walks && speed.settings.room >= 4 * SPEED_FAR_KIB);
	probes = speed.walked ? SPEED_PROBES : SPEED_NEAR;
	for (size_t i = 0; i < speed.windows; i++) {
		if (i > 0)
			assert_true(speed.at[i] > speed.at[i - 1]);
		assert_true(speed.at[i] < budget_ns);
		for (size_t probe = 0; probe < SPEED_PROBES; probe++)
			assert_true(probe < probes ? speed.ns_of[probe][i] > 0 :
						     speed.ns_of[probe][i] == 0);
	}
}

TEST(a_short_look)
{
	look(SHORT_NS, false);
	assert_int_equal(speed.sleeps, 0);
}

TEST(a_whole_look)
{
	look(WHOLE_NS, true);
	assert_true(speed.sleeps <= SPEED_SLEEPS);
	for (size_t i = 0; i < speed.sleeps; i++)
		assert_true(speed.spun[i] > 0 && speed.slept[i] > 0);
}

TEST(a_look_without_time)
{
	noise_speed_look(0, 0, &speed);
	assert_int_equal(speed.windows, 0);
	assert_int_equal(speed.sleeps, 0);
}

/* No file is asked: without /proc the CPU tells the same. */
TEST(a_guest_by_its_cpu)
{
	char signature[MACHINE_HYPERVISOR_SIZE];

	noise_speed_look(0, 0, &speed);
	assert_true(speed.settings.guest || !machine_hypervisor(signature));
}

TEST_WITH(settings_of_a_laptop, unit_folder_make, unit_folder_remove)
{
	unit_write_text(CPUS "cpu3/cpufreq/scaling_governor", "powersave\n");
	unit_write_text(CPUS "intel_pstate/no_turbo", "0\n");
	unit_write_text(CPUS "cpu3/cpuidle/state1/name", "C1E\n");
	unit_write_text(CPUS "cpu3/thermal_throttle/core_throttle_count", "41\n");
	unit_write_text(CPUS "cpu3/topology/thread_siblings_list", "3,7\n");
	settings_read(unit_folder, 3, &settings);
	assert_false(settings.guest);
	assert_string_equal(settings.governor, "powersave");
	assert_true(settings.boost);
	assert_true(settings.idle_states);
	assert_int_equal(settings.hot, 41);
	assert_string_equal(settings.siblings, "3,7");
	unit_write_text(CPUS "intel_pstate/no_turbo", "1\n");
	settings_read(unit_folder, 3, &settings);
	assert_false(settings.boost);
	unit_write_text(CPUS "cpufreq/boost", "1\n");
	settings_read(unit_folder, 3, &settings);
	assert_true(settings.boost);
}

TEST_WITH(the_least_room_counts, unit_folder_make, unit_folder_remove)
{
	settings_read(unit_folder, 0, &settings);
	assert_true(settings.room >= UINT64_MAX / 1024);
	unit_write_text("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:    800000 kB\n");
	unit_write_text("proc/self/cgroup", "4:memory:/b\n0::/a/b\n");
	unit_write_text("sys/fs/cgroup/a/memory.max", "max\n");
	settings_read(unit_folder, 0, &settings);
	assert_int_equal(settings.room, 800000);
	unit_write_text("sys/fs/cgroup/a/memory.max", "67108864\n");
	settings_read(unit_folder, 0, &settings);
	assert_int_equal(settings.room, 65536);
	unit_write_text("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "1048576\n");
	settings_read(unit_folder, 0, &settings);
	assert_int_equal(settings.room, 1024);
	/* The limit lies where it cannot be seen. */
	unit_write_text("proc/self/mountinfo",
			"35 31 0:32 /../.. /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	settings_read(unit_folder, 0, &settings);
	assert_int_equal(settings.room, 0);
}

TEST_WITH(settings_of_a_guest, unit_folder_make, unit_folder_remove)
{
	settings_read(unit_folder, 0, &settings);
	assert_false(settings.guest || settings.boost || settings.idle_states);
	assert_string_equal(settings.governor, "");
	unit_write_text("proc/device-tree/hypervisor/compatible", "linux,kvm");
	settings_read(unit_folder, 0, &settings);
	assert_true(settings.guest);
}

UNIT_MAIN("speed", NULL, NULL)
