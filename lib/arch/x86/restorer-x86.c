/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The code that a handler returns to. x86-64 requires it (the kernel's arch/x86/kernel/signal_64.c,
 * x64_setup_rt_frame). On i386 the kernel has it in the vDSO, which may be switched off. Where the
 * vDSO is there, glibc tells a program SA_RESTORER in sa_flags but no restorer. A program that puts
 * such a disposition back would have NULL for a restorer, so there the kernel's code is used.
 */

#include "config.h"

#include "arch/sigaction.h"

#include <stdbool.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

#if !defined(__x86_64__) && !defined(__i386__)
#error "x86 only"
#endif

/* From asm/signal.h, which cannot be included together with libc's signal.h. */
#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000
#endif

/* rt_sigreturn(2) with its number, in the very bytes by which unwinders know the frame of a signal
 * (x86_64_fallback_frame_state() in gcc's libgcc). They look for unwind tables one byte before the
 * return address. The NOP is there so that they find none. */
#if defined(__i386__)
#define RT_SIGRETURN "movl $173, %eax\n\tint $0x80"
#elif defined(__ILP32__)
#define RT_SIGRETURN "movq $0x40000201, %rax\n\tsyscall"
#else
#define RT_SIGRETURN "movq $15, %rax\n\tsyscall"
#endif

void restorer_return(void) __asm__("cpucycles_i_restorer_return")
	__attribute__((visibility("hidden")));

__asm__(".pushsection .text\n\t"
	".p2align 4\n\t"
	"nop\n\t"
	".globl cpucycles_i_restorer_return\n\t"
	".hidden cpucycles_i_restorer_return\n\t"
	".type cpucycles_i_restorer_return, @function\n"
	"cpucycles_i_restorer_return:\n\t" RT_SIGRETURN "\n\t"
	".size cpucycles_i_restorer_return, . - cpucycles_i_restorer_return\n\t"
	".popsection");

static bool kernel_has_restorer(void)
{
#if defined(__i386__) && defined(HAVE_GETAUXVAL)
	return getauxval(AT_SYSINFO_EHDR) != 0;
#else
	return false;
#endif
}

void sigaction_add_restorer(struct kernel_sigaction *action)
{
	if (kernel_has_restorer())
		return;
	action->flags |= SA_RESTORER;
	action->restorer = restorer_return;
}
