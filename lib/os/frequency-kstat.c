/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What Solaris tells about the CPU's frequency: statistics of the module cpu_info, of which
 * current_clock_Hz is in Hz and clock_MHz in MHz. Source: kstat(3KSTAT). */

#include "config.h"

#include "frequency.h"
#include "rate.h"

#include <kstat.h>
#include <string.h>

static uint64_t number_of(kstat_t *statistics, const char *name)
{
	char key[KSTAT_STRLEN] = { 0 };
	kstat_named_t *named;

	strncpy(key, name, sizeof key - 1);
	named = kstat_data_lookup(statistics, key);
	if (!named)
		return 0;
	switch (named->data_type) {
	case KSTAT_DATA_INT32:
		return named->value.i32 > 0 ? (uint64_t)named->value.i32 : 0;
	case KSTAT_DATA_UINT32:
		return named->value.ui32;
	case KSTAT_DATA_INT64:
		return named->value.i64 > 0 ? (uint64_t)named->value.i64 : 0;
	case KSTAT_DATA_UINT64:
		return named->value.ui64;
	default:
		return 0;
	}
}

static uint64_t ask(kstat_ctl_t *control)
{
	char module[] = "cpu_info";
	kstat_t *statistics = kstat_lookup(control, module, -1, NULL);
	uint64_t hz, mhz;

	if (!statistics || kstat_read(control, statistics, NULL) == -1)
		return 0;
	hz = number_of(statistics, "current_clock_Hz");
	if (rate_is_sane(hz))
		return hz;
	mhz = number_of(statistics, "clock_MHz");
	return mhz <= RATE_SANE_MAX_HZ / 1000000 ? mhz * 1000000 : 0;
}

bool frequency_os(const char *root, struct persecond *answer)
{
	kstat_ctl_t *control = kstat_open();

	(void)root;
	if (!control)
		return false;
	*answer = (struct persecond){ ask(control), PERSECOND_KSTAT };
	kstat_close(control);
	return rate_is_sane(answer->hz);
}
