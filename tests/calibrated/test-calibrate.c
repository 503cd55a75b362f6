/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A whole run of the calibrator in this process, where a test can make a step fault. */

#include "config.h"

#include "unit.h"
#include "calibrate.h"
#include "faults.h"
#include "log.h"
#include "machine.h"

#define ANY_BOOT "01234567-89ab-cdef-0123-456789abcdef"

static unsigned faults;
long __real_cpucycles_i_file_fill(int fd, char *buffer, size_t size);
long __wrap_cpucycles_i_file_fill(int fd, char *buffer, size_t size);

/* The linker puts it in the place of file_fill: to read the cache faults. */
long __wrap_cpucycles_i_file_fill(int fd, char *buffer, size_t size)
{
	if (unit_is_file(fd, unit_path("counters"))) {
		faults++;
		fault_segv(NULL);
	}
	return __real_cpucycles_i_file_fill(fd, buffer, size);
}

/* The old cache faults when it is read. The run goes on without it and publishes a new one. */
TEST_WITH(fault_in_the_old_cache, unit_folder_make, unit_folder_remove)
{
	char *const cache = strdup(unit_write_text("counters", "cpucycles-cache 4\n"));
	char *const persecond = strdup(unit_path("persecond"));
	const struct calibrate_options options = {
		.cache_path = cache,
		.persecond_path = persecond,
		.boot = ANY_BOOT,
		.budget_ms = CALIBRATE_BUDGET_MIN_MS,
	};
	unsigned open;
	struct stat status;

#ifdef LINK_TIME_OPTIMIZATION
	unit_skip("--wrap cannot replace what link-time optimization has inlined");
#endif
	open = unit_open_descriptors();
	assert_int_equal(calibrate(&options), CALIBRATE_OK);
	assert_int_equal(faults, 1);
	assert_int_equal(unit_open_descriptors(), open);
	assert_int_equal(stat(cache, &status), 0);
	assert_true(status.st_size > 100);
	free(cache);
	free(persecond);
}

int main(void)
{
	log_set_name("test-calibrate");
	if (fault_prepare())
		return 1;
	return unit_run("calibrate", NULL, NULL);
}
