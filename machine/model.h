/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the kernel calls the processor of this machine. */

#ifndef CPUCYCLES_MODEL_H
#define CPUCYCLES_MODEL_H

#define MODEL_SIZE 128

/*
 * The model by the first block of /proc/cpuinfo, cut off where it does not fit; the architecture
 * where the kernel tells no model. Never empty. All characters are printable ASCII; in place of any
 * other stands a question mark. root: "", in tests a folder with files in its place.
 */
void model_read(const char *root, char model[MODEL_SIZE]);

#endif
