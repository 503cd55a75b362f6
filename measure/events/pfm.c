/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * libpfm4 takes the processor's model number for granted: on a virtual machine it may name a table
 * although no PMU is there. So a code from here says how the event would be counted, and only the
 * kernel says whether it can be.
 *
 * Source: libpfm(3), pfm_initialize(3), pfm_get_os_event_encoding(3), pfm_get_event_info(3).
 */

#include "config.h"

#include "pfm.h"
#include "reason.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

/* What one event of a list may say. What does not fit is cut off. */
#define NAME_SIZE 128
#define WHAT_SIZE 256

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;
static char tables[160]; /* what event_pfm_tables() says */

/* libpfm4 obeys environment variables, which the user of a set-id program sets, not its owner. */
static bool environment_is_hostile(void)
{
#if defined(HAVE_GETAUXVAL)
	return getauxval(AT_SECURE) != 0;
#elif defined(HAVE_ISSETUGID)
	return issetugid() != 0;
#else
	return getuid() != geteuid() || getgid() != getegid();
#endif
}

/* False: there is no table of this number for this machine. */
static bool table_at(int number, pfm_pmu_info_t *table)
{
	*table = (pfm_pmu_info_t){ .size = sizeof *table };
	return pfm_get_pmu_info((pfm_pmu_t)number, table) == PFM_SUCCESS && table->is_present;
}

static void name_tables(void)
{
	size_t length = 0;
	pfm_pmu_info_t table;

	for (int i = 0; i < PFM_PMU_MAX; i++) {
		const size_t room = sizeof tables - length;
		int added;

		if (!table_at(i, &table))
			continue;
		added = snprintf(tables + length, room, "%s %s",
				 length ? "," : "libpfm4:", table.name);
		if (added > 0 && (size_t)added < room)
			length += (size_t)added;
		/* Whole names only, so that a part is not taken for a name. */
		tables[length] = 0;
	}
	if (length == 0)
		snprintf(tables, sizeof tables, "libpfm4, which has no table for this machine");
}

static void initialize(void)
{
	const bool hostile = environment_is_hostile();
	const int error = hostile ? PFM_ERR_NOTSUPP : pfm_initialize();

	ready = error == PFM_SUCCESS;
	if (ready)
		name_tables();
	else if (hostile)
		snprintf(tables, sizeof tables, "libpfm4, which is not asked in a set-id program");
	else
		snprintf(tables, sizeof tables, "libpfm4, which has no table: %s",
			 pfm_strerror(error));
}

static bool is_ready(void)
{
	pthread_once(&once, initialize);
	return ready;
}

const char *event_pfm_tables(void)
{
	is_ready();
	return tables;
}

static void say_tables(const char *name, const char *what, struct reason_text *reason)
{
	reason_say(reason, ENOENT, "%s: %s", name, what);
	reason_remedy(reason, "names of these tables: cpucycles-measure -l WORD (%s)", tables);
}

static void say_why(const char *name, int error, struct reason_text *reason)
{
	switch (error) {
	case PFM_ERR_NOTFOUND:
		reason_say(reason, ENOENT, "%s: no such event of %s", name, tables);
		reason_remedy(reason, "see the names: cpucycles-measure -l");
		return;
	case PFM_ERR_UMASK:
		say_tables(name, "libpfm4 needs a unit mask after the name", reason);
		return;
	case PFM_ERR_ATTR:
		say_tables(name, "libpfm4 knows the event, but not what stands after it", reason);
		return;
	case PFM_ERR_NOTSUPP:
		reason_say(reason, ENOENT, "%s: libpfm4 finds no perf events here", name);
		reason_remedy(reason, "show this process /sys/bus/event_source/devices, which new "
				      "versions of libpfm4 need, or use a name of the kernel: "
				      "cpucycles-measure -l");
		return;
	default:
		reason_say(reason, ENOENT, "%s: libpfm4 says: %s", name, pfm_strerror(error));
		reason_remedy(reason, "see the names: cpucycles-measure -l");
		return;
	}
}

int event_pfm_code(const char *name, uint32_t *type, struct event_config *config,
		   struct reason_text *reason)
{
	struct perf_event_attr attr = { .size = sizeof attr };
	pfm_perf_encode_arg_t encoding = { .attr = &attr, .size = sizeof encoding };
	int error;

	if (!is_ready())
		return reason_say(reason, ENOENT, "%s: no such event of the kernel or of %s", name,
				  tables);
	error = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
	if (error != PFM_SUCCESS) {
		say_why(name, error, reason);
		return -ENOENT;
	}
	/* Only type and config are passed on, so what else the name says would be forgotten. */
	if (attr.exclude_user || attr.exclude_kernel) {
		reason_say(reason, ENOENT, "%s: libpfm4's u= and k= cannot be used here", name);
		reason_remedy(reason, "put the letters u and k at its end, as in NAME:u");
		return -ENOENT;
	}
	*type = attr.type;
	*config = (struct event_config){ .value = { attr.config, attr.config1, attr.config2 } };
	return 0;
}

struct list {
	event_pfm_each *each;
	void *context;
};

/* The event with each of its unit masks. *masks: how many there are. False: stop. */
static bool list_masks(const struct list *list, const pfm_pmu_info_t *table,
		       const pfm_event_info_t *event, unsigned *masks)
{
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t mask = { .size = sizeof mask };
		char name[NAME_SIZE], what[WHAT_SIZE];

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT, &mask) !=
			    PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		++*masks;
		snprintf(name, sizeof name, "%s:%s", event->name, mask.name);
		snprintf(what, sizeof what, "%s: %s", event->desc, mask.desc);
		if (!list->each(list->context, table->name, name, what))
			return false;
	}
	return true;
}

/* False: stop. */
static bool list_table(const struct list *list, const pfm_pmu_info_t *table)
{
	for (int i = table->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof event };
		unsigned masks = 0;

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
			continue;
		if (!list_masks(list, table, &event, &masks))
			return false;
		if (masks == 0 && !list->each(list->context, table->name, event.name, event.desc))
			return false;
	}
	return true;
}

void event_pfm_list(event_pfm_each *each, void *context)
{
	const struct list list = { each, context };
	pfm_pmu_info_t table;

	if (!is_ready())
		return;
	for (int i = 0; i < PFM_PMU_MAX; i++)
		if (table_at(i, &table) && !list_table(&list, &table))
			return;
}
