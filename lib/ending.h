/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The guard blocks the signals by which people end a process. While it waits for somebody else's
 * file, which may be for ever, they have to reach it.
 */

#ifndef CPUCYCLES_ENDING_H
#define CPUCYCLES_ENDING_H

/*
 * Only while the guard is installed, and not nested: around steps that may wait for ever, such as
 * an open(2) of a file of somebody else's. Until ending_keep_out, the signals by which people end a
 * process reach the thread if they would do so: the program has no handler for them, and does not
 * ignore or block them. If another thread sets a handler meanwhile, it may run in this thread.
 */
void ending_let_in(void);
void ending_keep_out(void);

#endif
