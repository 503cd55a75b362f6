/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/perfevent-process.h"
#include "hot.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

/* PTHREAD_KEY_2NDLEVEL_SIZE of nptl/internaltypes.h. */
#define GLIBC_KEYS_IN_PLACE 32

HOT _Atomic(uint32_t) *perfevent_process_page;
static HOT _Atomic(uint32_t) numbers_given; /* in this process and those it descends from */
static HOT pthread_key_t key;
/* A flag in a whole word: on RISC-V, gcc exchanges a byte by a call of libatomic. */
static HOT atomic_int key_exists;
static HOT void (*ends)(void *); /* what perfevent_process_enter was given */

/* getauxval is in use already; sysconf would be one more page of libc to read in. */
size_t perfevent_process_page_size(void)
{
#ifdef HAVE_GETAUXVAL
	return (size_t)getauxval(AT_PAGESZ);
#else
	return (size_t)sysconf(_SC_PAGESIZE);
#endif
}

static void end_thread(void *argument)
{
	ends(argument);
}

static int make_key(void)
{
	int error;

	if (atomic_load(&key_exists))
		return 0;
	error = pthread_key_create(&key, end_thread);
	if (error)
		return -error;
#if defined(__GLIBC__)
	/* For keys beyond the first block, pthread_setspecific allocates memory. A signal handler,
	 * which may make a thread's first read, must not do that. */
	if (key >= GLIBC_KEYS_IN_PLACE) {
		pthread_key_delete(key);
		return -ENOBUFS;
	}
#endif
	atomic_store(&key_exists, 1);
	return 0;
}

#if defined(__GLIBC__)
/* When the library is loaded, because the program may have made all keys of the first block before
 * its first call. */
__attribute__((constructor)) static void make_key_early(void)
{
	make_key();
}

/* For a plug-in that contains the static library: each time it is loaded, it takes a key. */
__attribute__((destructor)) static void delete_key(void)
{
	if (atomic_exchange(&key_exists, 0))
		pthread_key_delete(key);
}
#endif

static uint32_t next_number(void)
{
	return atomic_fetch_add(&numbers_given, 1) + 1;
}

static int make_page(void)
{
	const size_t size = perfevent_process_page_size();
	void *page;

	if (perfevent_process_page)
		return 0;
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -errno;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		int error = -errno;

		munmap(page, size);
		return error;
	}
	perfevent_process_page = page;
	/* Written before it is read: a first access that reads would be one more page fault. */
	atomic_store(perfevent_process_page, next_number());
	return 0;
}

int perfevent_process_enter(void (*thread_ends)(void *), void *argument)
{
	int error = make_key();

	if (ends != thread_ends)
		ends = thread_ends;
	if (!error)
		error = make_page();
	return error ? error : -pthread_setspecific(key, argument);
}

uint32_t perfevent_process_number(void)
{
	uint32_t none = 0;

	/* Two threads of a child may both find 0: the first one's number stays. */
	if (atomic_load(perfevent_process_page) == 0)
		atomic_compare_exchange_strong(perfevent_process_page, &none, next_number());
	return atomic_load(perfevent_process_page);
}
