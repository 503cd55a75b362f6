/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/filesystem.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#ifndef __linux__
#error "Linux only"
#endif

/* f_type of network file systems, from linux/magic.h, which not every libc brings. */
static const uint32_t remote[] = {
	0x6969,     /* NFS */
	0x517b,     /* SMB */
	0xff534d42, /* CIFS */
	0xfe534d42, /* SMB2 */
	0x73757245, /* Coda */
	0x5346414f, /* OpenAFS */
	0x6b414653, /* the kernel's own AFS */
	0x00c36400, /* Ceph */
};

bool filesystem_is_remote(int fd, const struct stat *status)
{
	struct statfs fs;

	/* A file system on a block device has its number. A network file system gets a number with
	 * major 0 (the kernel's fs/super.c, get_anon_bdev). */
	if (major(status->st_dev) != 0)
		return false;
	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++)
		if ((uint32_t)fs.f_type == remote[i])
			return true;
	return false;
}
