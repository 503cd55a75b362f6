/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "seen.h"

#include <string.h>

/* How much a row has risen. A row that was not there counted nothing before. */
static uint64_t rise_of(const struct account_rows *before, const struct parse_row *row)
{
	for (size_t i = 0; i < before->n; i++)
		if (!strcmp(before->row[i].key, row->key))
			return row->count < before->row[i].count ?
				       0 :
				       row->count - before->row[i].count;
	return row->count;
}

static void add_name(struct seen *seen, const struct parse_row *row, uint64_t rise)
{
	size_t i = 0;

	while (i < seen->names && strcmp(seen->name[i].key, row->key) != 0)
		i++;
	if (rise == 0 || i == SEEN_NAMES)
		return;
	if (i == seen->names) {
		seen->name[i] = *row;
		seen->name[i].count = 0;
		seen->names++;
	}
	seen->name[i].count += rise;
}

/* The others, such as TIMER and RCU, come with each tick. */
static bool has_work(const char *softirq)
{
	return !strcmp(softirq, "NET_RX") || !strcmp(softirq, "NET_TX") ||
	       !strcmp(softirq, "BLOCK") || !strcmp(softirq, "TASKLET");
}

/* Once a part is unknown, so is the sum. */
static void add_known(uint64_t *sum, uint64_t part)
{
	*sum = *sum == PARSE_UNKNOWN || part == PARSE_UNKNOWN ? PARSE_UNKNOWN : *sum + part;
}

void seen_add_smi(struct seen *seen, uint64_t number)
{
	add_known(&seen->smi, number);
}

void seen_add(struct seen *seen, const struct account *before, const struct account *after)
{
	const struct account_rows *const rows = &after->interrupts, *const soft = &after->softirqs;

	add_known(&seen->steal, parse_rise(before->steal, after->steal));
	seen->counted &= before->interrupts.known && rows->known;
	for (size_t i = 0; i < rows->n; i++) {
		const uint64_t rise = rise_of(&before->interrupts, &rows->row[i]);

		seen->interrupts += rise;
		add_name(seen, &rows->row[i], rise);
	}
	for (size_t i = 0; i < soft->n; i++)
		if (has_work(soft->row[i].key))
			seen->softirqs += rise_of(&before->softirqs, &soft->row[i]);
}
