/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The cycle CSR, where the kernel opens it to everybody. Sources: arch/riscv/csr.h;
 * "perf_user_access" in the kernel's Documentation/admin-guide/sysctl/kernel.rst. */

#include "config.h"

#include "counter.h"
#include "arch/riscv/csr.h"
#include "os/core-register.h"

#if !defined(__riscv) || __riscv_xlen != 32
#error "32-bit RISC-V only"
#endif

static long long read_cycle(void)
{
	return core_register_count(csr_cycle, 64);
}

const struct counter cpucycles_counter_riscv32_rdcycle = {
	.name = "riscv32-rdcycle",
	.class = COUNTER_ON_CORE,
	.width = 64,
	.setup = core_register_setup,
	.read = read_cycle,
	.closing_signal = CSR_CLOSED,
	.closed = core_register_closed,
	.caveat = "cycles of the core, whichever thread runs on it, as long as somebody lets it count",
};
