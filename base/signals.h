/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The signals that ask this program to end, and its children. They are one thing, because a program
 * that waits for a child has to hear a signal meanwhile, and has to end the child then.
 */

#ifndef CPUCYCLES_SIGNALS_H
#define CPUCYCLES_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Take over SIGINT, SIGTERM, SIGHUP, SIGQUIT and the like, and SIGCHLD. Later
 * calls do nothing. */
void signals_prepare(void);

/* Whether a signal has asked this program to end. */
bool signals_asked(void);

/* Whether it was another one than that of Ctrl-C, or a second one. Then there is nothing more to do
 * but to remove what is left, and signals_release(). */
bool signals_must_end(void);

/* Sleep until a signal comes, also that of a child's end, or for so long, which is less than a
 * second. Signals arrive here only. The same signal that comes twice at once, as timeout(1) sends
 * it, counts once. */
void signals_sleep(uint64_t ns);

/* The same, or until something can be read from this descriptor. Below 0: there is none. */
void signals_wait(uint64_t ns, int fd);

/* Give the signals back. True: Ctrl-C was pressed since signals_prepare(). If signals_must_end(),
 * the program ends here by that signal. */
bool signals_release(void);

/* fork(2). The child gets a process group of its own: Ctrl-C then reaches the parent alone, which
 * also ends all that the child has started. The child does not outlive its parent, on Linux. */
pid_t signals_fork(void);

/* In a child: nothing of it outlives its parent, on Linux. Elsewhere, the parent ends the child
 * unless it is killed itself. */
void signals_end_with(pid_t parent);

/* In a child that runs another program or other people's code: give it the signals as this program
 * found them. */
void signals_give_back(void);

/* Whether a child has ended. It stays a zombie, so that its number, which is that of its group,
 * stays its own. *code: of its end, or of the signal that has stopped it (waitid(2)); 0: none. */
bool signals_has_ended(pid_t child, int *code);

/* Wait for the end of a child, and get its status. group: end it, and all that it has started in
 * its group. 0 or a negative errno. */
int signals_reap(pid_t child, bool group, int *status);

/* Do work in a child that may take long. What the work finds out stands in memory that is shared,
 * or in a file. False: signals_must_end(), and the work was ended somewhere in the middle. */
bool signals_apart(void (*work)(void *), void *argument);

#endif
