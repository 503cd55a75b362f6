/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Who caused a signal, and how to send it on. What systems do differently about it. */

#ifndef CPUCYCLES_SIGNALS_H
#define CPUCYCLES_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Whether somebody sent the signal, by kill(2) for example. False: an instruction of this thread
 * caused it. */
bool signals_was_sent(const siginfo_t *info);

/* Send a signal that was sent to this thread or process once more, with what was known of its
 * sender where the system lets a program say it. */
void signals_send_again(int sig, siginfo_t *info);

/* After a jump out of a handler: arm the alternate stack again that the kernel disarmed for the
 * handler's time. Only the handler's return would have done it (sigaltstack(2), SS_AUTODISARM). */
void signals_rearm_stack(const stack_t *stack);

#endif
