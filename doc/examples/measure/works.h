/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Two ways to add up the same 4096 numbers. Which one is faster? */

#ifdef __cplusplus
extern "C" {
#endif

/* One sum: each addition waits for the one before. */
void one_sum(void *unused);

/* Four sums, which do not wait for each other. */
void four_sums(void *unused);

#ifdef __cplusplus
}
#endif
