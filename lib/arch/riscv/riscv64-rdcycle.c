/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles, read from the CSR cycle where the kernel opens it to every program. Sources:
 * arch/riscv/csr.h; in the kernel, "perf_user_access" in
 * Documentation/admin-guide/sysctl/kernel.rst. */

#include "config.h"

#include "counter.h"
#include "arch/riscv/csr.h"
#include "os/core-register.h"

#if !defined(__riscv) || __riscv_xlen != 64
#error "64-bit RISC-V only"
#endif

CORE_REGISTER_FUNCTION(csr_cycle, 64)

const struct counter cpucycles_counter_riscv64_rdcycle = {
	.name = "riscv64-rdcycle",
	.class = COUNTER_ON_CORE,
	.width = 64,
	.setup = core_register_setup,
	.signals = COUNTER_SIGNAL(SIGILL),
	.closing_signals = COUNTER_SIGNAL(CSR_CLOSED),
	CORE_REGISTER_COUNTER,
};
