/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* On Linux, whether a file is local: by the type of its file system, and by openat2(2). */

#include "config.h"

#include "os/filesystem.h"

#include "hot.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef __linux__
#error "Linux only"
#endif

/*
 * f_type of the local file systems that have a device number with major 0 (the kernel's fs/super.c,
 * get_anon_bdev). Sources: linux/magic.h; for ZFS, UBIFS, aufs and WSL1, src/stat.c of coreutils.
 * A type that is missing here costs a probe. A type that is here by mistake may cost a hang.
 * Left out: FUSE with virtiofs, 9p, everything on a network; and eCryptfs, which is used for home
 * folders, and these may lie on NFS.
 */
static const uint32_t local[] = {
	0x01021994, /* tmpfs, also devtmpfs and the root of an initramfs */
	0x858458f6, /* ramfs, the same */
	0x794c7630, /* overlay: containers and live systems */
	0x61756673, /* aufs: the same, older ones */
	0x9123683e, /* btrfs */
	0x2fc12fc1, /* ZFS */
	0xca451a4e, /* bcachefs */
	0x24051905, /* UBIFS */
	0x53464846, /* the root of WSL1 */
};

/*
 * A file system on a disk or on flash has the major number of its device, and its type is not asked
 * for: this system call would be made at each first call, and ext4 and XFS add up a number for each
 * CPU to answer it. So FUSE on a block device (fuseblk) is read from, and so are cluster file
 * systems. Only root can mount these, and ext4 on a network's block device may hang as well.
 */
bool filesystem_is_local(int fd, const struct stat *status, dev_t known)
{
	struct statfs fs;

	if (major(status->st_dev) != 0 || (known != 0 && status->st_dev == known))
		return true;
	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < sizeof local / sizeof local[0]; i++)
		if ((uint32_t)fs.f_type == local[i])
			return true;
	return false;
}

#ifdef SYS_openat2
/* Linux 5.6; struct open_how and RESOLVE_NO_XDEV of linux/openat2.h, which older systems lack. */
struct how {
	uint64_t flags, mode, resolve;
};
#define NO_OTHER_MOUNT 0x01
#endif

COLD int filesystem_open_within(int folder, const char *path, int flags)
{
#ifdef SYS_openat2
	const struct how how = { .flags = (unsigned)flags, .resolve = NO_OTHER_MOUNT };
	const long fd = syscall(SYS_openat2, folder, path, &how, sizeof how);

	if (fd >= 0)
		return (int)fd;
	/* Filters that do not know the call mostly answer it with EPERM. Where no descriptor is
	 * left, open(2) without the folder still has that of the folder. */
	if (errno == EPERM || errno == EMFILE || errno == ENFILE)
		return -ENOSYS;
	return -errno;
#else
	(void)folder, (void)path, (void)flags;
	return -ENOSYS;
#endif
}
