/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* OpenBSD's header for pctr(4), with the numbers of ioctl(2) on BSD. */

#ifndef CPUCYCLES_ELSEWHERE_PCTR_H
#define CPUCYCLES_ELSEWHERE_PCTR_H

#include <stdint.h>

#undef _IOR
#undef _IOW
#define MADE_IOC(direction, group, number, type) \
	(unsigned long)((direction) | (sizeof(type) & 0x1fff) << 16 | (unsigned)(group) << 8 | \
			(number))
#define _IOR(group, number, type) MADE_IOC(0x40000000u, group, number, type)
#define _IOW(group, number, type) MADE_IOC(0x80000000u, group, number, type)

typedef uint64_t pctrval;
#define PCTR_NUM 4
struct pctrst {
	unsigned pctr_fn[PCTR_NUM];
	pctrval pctr_tsc;
	pctrval pctr_hwc[PCTR_NUM];
};
#define PCIOCRD _IOR('c', 1, struct pctrst)
#define PCIOCS0 _IOW('c', 8, unsigned)
#define PCIOCS1 _IOW('c', 9, unsigned)
#define PCIOCS2 _IOW('c', 10, unsigned)
#define PCIOCS3 _IOW('c', 11, unsigned)

/* It may fault, and cpucycles-events(7) says that it is not used. */
#pragma GCC poison rdpmc

#endif
