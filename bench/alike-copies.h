/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The four copies of the functions in ALIKE_COPY, a header. The name of each one ends with the
 * number of its copy. Is included once for each such header, so it has no guard. */

#define COPY(name) name##_0
#include ALIKE_COPY
#undef COPY
#define COPY(name) name##_1
#include ALIKE_COPY
#undef COPY
#define COPY(name) name##_2
#include ALIKE_COPY
#undef COPY
#define COPY(name) name##_3
#include ALIKE_COPY
#undef COPY
#undef ALIKE_COPY
