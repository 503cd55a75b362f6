/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* OpenBSD's header of this name. pctr.h needs it on OpenBSD, and the pctr.h of this folder nothing
 * of it. */
