/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "counter.h"
#include "hot.h"
#include "text.h"

HOT unsigned counter_selection;

static const char class_names[][16] = {
	[COUNTER_ON_CORE] = "on-core",           [COUNTER_OFF_CORE] = "off-core",
	[COUNTER_KERNEL_COUNT] = "kernel-count", [COUNTER_OS_CLOCK] = "os-clock",
	[COUNTER_LAST_RESORT] = "last-resort",
};

const char *counter_class_name(enum counter_class class)
{
	return class_names[class];
}

COLD bool counter_class_find(const char *name, enum counter_class *class)
{
	for (*class = COUNTER_ON_CORE; *class < COUNTER_LAST_RESORT; ++*class)
		if (text_is(class_names[*class], name))
			return true;
	return false;
}
