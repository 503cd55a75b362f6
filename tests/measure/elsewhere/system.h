/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The compiler includes this file before each file of a made system. It gives functions of the
 * system other names, by which the made system answers. The macros stand behind the declarations,
 * because the name in a declaration may itself be a macro of the system.
 */

#ifndef CPUCYCLES_ELSEWHERE_SYSTEM_H
#define CPUCYCLES_ELSEWHERE_SYSTEM_H

#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#undef fcntl
#undef open
#define close made_close
#define dlopen made_dlopen
#define dlsym made_dlsym
#define fcntl made_fcntl
#define getpid made_getpid
#define getrusage made_getrusage
#define ioctl made_ioctl
#define open made_open

int made_close(int fd);
void *made_dlopen(const char *path, int flags);
void *made_dlsym(void *library, const char *name);
int made_fcntl(int fd, int command, ...);
pid_t made_getpid(void);
int made_getrusage(int who, struct rusage *usage);
int made_ioctl(int fd, unsigned long request, ...);
int made_open(const char *path, int flags, ...);

/* As on macOS: Linux has 0 for it, which nobody can see in the flags. */
#undef RTLD_LOCAL
#define RTLD_LOCAL 4

#endif
