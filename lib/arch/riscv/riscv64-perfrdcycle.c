/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles of this thread, read from the CSR that the user page of its perf event names: cycle,
 * or another one where the CPU can leave out the kernel (Sscofpmf). Sources: perf_event_open(2);
 * arch/riscv/csr.h; in the kernel, pmu_sbi_csr_index in drivers/perf/riscv_pmu_sbi.c and
 * "perf_user_access" in Documentation/admin-guide/sysctl/kernel.rst. */

#include "config.h"

#include "counter.h"
#include "arch/riscv/csr.h"
#include "os/perfevent.h"

#if !defined(__riscv) || __riscv_xlen != 64
#error "64-bit RISC-V only"
#endif

PERFEVENT_FUNCTIONS(0, csr_read)

const struct counter cpucycles_counter_riscv64_perfrdcycle = {
	.name = "riscv64-perfrdcycle",
	.class = COUNTER_ON_CORE,
	.width = 64,
	PERFEVENT_COUNTER,
	.signals = COUNTER_SIGNAL(SIGILL),
	.closing_signals = COUNTER_SIGNAL(CSR_CLOSED),
	.caveat = "cycles of the calling thread; "
		  "in user space only where the CPU can leave out the kernel",
};
