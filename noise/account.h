/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the kernel counts on one CPU: time that the host took, and interrupts. */

#ifndef CPUCYCLES_ACCOUNT_H
#define CPUCYCLES_ACCOUNT_H

#include "parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Interrupts and softirqs that this CPU has ever had. */
#define ACCOUNT_ROWS 512

struct account_rows {
	bool known;
	size_t n;
	struct parse_row row[ACCOUNT_ROWS];
};

struct account {
	uint64_t steal; /* ns, or PARSE_UNKNOWN */
	struct account_rows interrupts, softirqs;
};

/* root: "", in tests a folder with a made /proc. */
void account_read(const char *root, int cpu, struct account *account);

#endif
