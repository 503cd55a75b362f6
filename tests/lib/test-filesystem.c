/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * First calls with files on file systems that are mounted for the test, in a mount namespace of its
 * own. The cache and the persecond file lie on a real FUSE file system that answers everything but
 * a read, and on overlay; test-cache has the list of types. Files of /proc and /sys are served by a
 * FUSE file system that answers nothing any more, as by a lxcfs that hangs.
 */

#include "config.h"

#include "cache-text.h"
#include "faults.h"
#include "file.h"
#include "os/linux-files.h"
#include "persecond.h"

static char cache_path[PATH_MAX], persecond_path[PATH_MAX];

/* The library itself, with these paths. */
#undef CACHE_PATH
#undef PERSECOND_PATH
#define CACHE_PATH cache_path
#define PERSECOND_PATH persecond_path
#include "entry.c"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/fuse.h>)
#define HAVE_MOUNTS
#endif
#endif

#ifdef HAVE_MOUNTS
#include <errno.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#define REQUEST_SIZE (1 << 17) /* not less than the kernel's FUSE_MIN_READ_BUFFER */
#define ROOT_NODE 1
#define FILE_NODE 2

/* The type of the library's list that the kernel has for overlay. */
#define OVERLAY 0x794c7630

/* What the program that serves the FUSE file system has seen. In memory that processes share. */
struct seen {
	atomic_bool started;
	atomic_bool silent;  /* from now on it takes no request */
	atomic_bool asked;   /* there is a request that it does not take or answer */
	atomic_bool handled; /* the program's handler has run, behind the selection */
};

static struct seen *seen;
static bool tells_type; /* whether the program answers statfs(2) */

/* Its own mount namespace, in which the folder "m" is ready to be mounted on. */
static void enter_namespace(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		unit_skip_child("no mounts here: %s", strerror(errno));
	mkdir(unit_path("m"), 0755);
}

static void reply(int fuse, const struct fuse_in_header *request, int error, const void *body,
		  size_t size)
{
	struct {
		struct fuse_out_header header;
		char body[128];
	} answer;

	answer.header.len = (uint32_t)(sizeof answer.header + size);
	answer.header.error = error;
	answer.header.unique = request->unique;
	if (size)
		memcpy(answer.body, body, size);
	if (write(fuse, &answer, answer.header.len) < 0 && errno == ENODEV)
		_exit(0);
}

static void reply_init(int fuse, const struct fuse_in_header *request, const void *body)
{
	const struct fuse_init_in *in = body;
	struct fuse_init_out out = { .major = FUSE_KERNEL_VERSION, .minor = in->minor };

	if (out.minor > FUSE_KERNEL_MINOR_VERSION)
		out.minor = FUSE_KERNEL_MINOR_VERSION;
	out.max_write = 4096;
	reply(fuse, request, 0, &out, sizeof out);
	atomic_store(&seen->started, true);
}

/* Root's file of the size of a cache, or the folder in which each name is that file. */
static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.mode = node == ROOT_NODE ? S_IFDIR | 0755 : S_IFREG | 0644,
		.nlink = 1,
		.size = node == ROOT_NODE ? 0 : 1000,
		.blksize = 4096,
	};
}

static void serve_one(int fuse, const struct fuse_in_header *request)
{
	const struct fuse_entry_out entry = { .nodeid = FILE_NODE,
					      .entry_valid = 60,
					      .attr_valid = 60,
					      .attr = attributes(FILE_NODE) };
	const struct fuse_attr_out attr = { .attr_valid = 60, .attr = attributes(request->nodeid) };
	const struct fuse_open_out open = { .fh = 1 };
	const struct fuse_statfs_out statfs = { .st = { .bsize = 4096, .namelen = 255 } };

	switch (request->opcode) {
	case FUSE_INIT:
		reply_init(fuse, request, request + 1);
		break;
	case FUSE_LOOKUP:
		reply(fuse, request, 0, &entry, sizeof entry);
		break;
	case FUSE_GETATTR:
		reply(fuse, request, 0, &attr, sizeof attr);
		break;
	case FUSE_OPEN:
		reply(fuse, request, 0, &open, sizeof open);
		break;
	case FUSE_READ:
		atomic_store(&seen->asked, true);
		break;
	case FUSE_STATFS:
		reply(fuse, request, tells_type ? 0 : -ENOSYS, &statfs,
		      tells_type ? sizeof statfs : 0);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		reply(fuse, request, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(fuse, request, -ENOSYS, NULL, 0);
	}
}

/* A program that hangs takes no request. Who waits for one that was taken cannot be killed even by
 * SIGKILL. */
static void wait_for_request(int fuse)
{
	poll(&(struct pollfd){ .fd = fuse, .events = POLLIN }, 1, -1);
	if (!atomic_load(&seen->silent))
		return;
	atomic_store(&seen->asked, true);
	for (;;)
		pause();
}

/* A kernel of another byte order, below an emulator, is not served. */
static _Noreturn void serve(int fuse)
{
	static _Alignas(uint64_t) char request[REQUEST_SIZE];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		const struct fuse_in_header *header = (const void *)request;
		ssize_t n;

		wait_for_request(fuse);
		n = read(fuse, request, sizeof request);
		if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT))
			continue;
		if (n < (ssize_t)sizeof *header || header->len != (uint32_t)n)
			_exit(0);
		serve_one(fuse, header);
	}
}

static void pause_briefly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* Mount it on "m". Returns its program, without which each call on it fails. */
static pid_t mount_fuse(void)
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];
	pid_t program;

	if (fuse < 0)
		unit_skip_child("/dev/fuse: %s", strerror(errno));
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (mount("test", unit_path("m"), "fuse", MS_NOSUID | MS_NODEV, options))
		unit_skip_child("FUSE cannot be mounted: %s", strerror(errno));
	seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unit_expect(seen != MAP_FAILED, "memory to share");
	program = fork();
	if (program == 0)
		serve(fuse);
	close(fuse);
	while (!atomic_load(&seen->started)) {
		if (waitpid(program, NULL, WNOHANG) == program)
			unit_skip_child("FUSE of another kind");
		pause_briefly();
	}
	return program;
}

static void set_paths(const char *cache, const char *persecond)
{
	unsetenv("CPUCYCLES_CACHE");
	unsetenv("CPUCYCLES_COUNTER");
	unsetenv("cpucyclespersecond");
	strcpy(cache_path, cache);
	strcpy(persecond_path, persecond);
}

static pid_t start_child(void (*run)(void))
{
	const pid_t child = fork();

	if (child == 0) {
		run();
		_exit(0);
	}
	return child;
}

/*
 * Run it in a child beside this program of a FUSE file system. It ends although the program never
 * answers some requests. If it does not end, the program has got one, so no limit of time is needed
 * here. The child then ends when the program does.
 */
static void expect_unasked(pid_t program, void (*run)(void))
{
	const pid_t child = start_child(run);
	pid_t ended = 0;
	int result = -1;

	while (ended == 0 && !atomic_load(&seen->asked)) {
		pause_briefly();
		ended = waitpid(child, &result, WNOHANG);
	}
	kill(program, SIGKILL);
	if (ended == 0)
		waitpid(child, &result, 0);
	unit_expect(!atomic_load(&seen->asked), "the program is asked nothing");
	unit_expect(result == 0, "what the child expects");
}

/* The same while "m" is on FUSE, of which everything but a read is answered. */
static void expect_unread(void (*run)(void))
{
	expect_unasked(mount_fuse(), run);
}

static void expect_probe(const char *status)
{
	unit_expect(cpucycles() != 0, "a count");
	unit_expect(!strcmp(cpucycles_selection_source(), "probe"), "a probe");
	unit_expect(!strcmp(cpucycles_cache_status(), status), status);
	unit_expect(strcmp(cpucycles_persecond_source(), "persecond-file") != 0,
		    "another source than the file");
}

static void expect_untrusted(void)
{
	expect_probe("untrusted");
}

static void expect_missing(void)
{
	expect_probe("missing");
}

static void expect_cpuinfo(void)
{
	expect_missing();
	unit_expect(!strncmp(cpucycles_persecond_source(), "cpuinfo", 7), "by /proc/cpuinfo");
	unit_expect(cpucycles_persecond() == 1234500000, "what the file says");
}

static void cache_on_fuse(void)
{
	enter_namespace();
	set_paths(unit_path("m/counters"), unit_path("none"));
	expect_unread(expect_untrusted);
}

static void cache_named_on_fuse(void)
{
	enter_namespace();
	set_paths(unit_path("none"), unit_path("none"));
	setenv("CPUCYCLES_CACHE", unit_path("m/counters"), 1);
	expect_unread(expect_untrusted);
}

static void persecond_on_fuse(void)
{
	enter_namespace();
	set_paths(unit_path("none"), unit_path("m/cpucyclespersecond"));
	expect_unread(expect_missing);
}

/* The cache is used: its frequency does not come from the file. */
static void load_beside_fuse(void)
{
	const struct cache_context context = { .path = cache_path,
					       .own = true,
					       .persecond_path = persecond_path };
	static struct cache cache;

	unit_expect(cache_load(&context, &cache).status == CACHE_USED, "the cache is valid");
}

static void cache_beside_fuse(void)
{
	static struct cache cache;

	enter_namespace();
	make_text(&cache);
	unit_write("counters", text, length);
	set_paths(unit_path("counters"), unit_path("m/cpucyclespersecond"));
	expect_unread(load_beside_fuse);
}

#define FUSE_TEST(name) \
	TEST_WITH(test_##name, unit_folder_make, unit_folder_remove) \
	{ \
		need_boot_id(); \
		tells_type = true; \
		unit_child_passes(name); \
		tells_type = false; \
		unit_child_passes(name); \
	}
FUSE_TEST(cache_on_fuse)
FUSE_TEST(cache_named_on_fuse)
FUSE_TEST(persecond_on_fuse)
FUSE_TEST(cache_beside_fuse)

static void bind(const char *from, const char *to)
{
	if (mount(unit_path(from), to, NULL, MS_BIND, NULL))
		unit_skip_child("nothing can be mounted on %s: %s", to, strerror(errno));
}

/* The mounts of lxcfs, whose program hangs from now on. */
static pid_t mount_lxcfs(void)
{
	pid_t program;

	enter_namespace();
	set_paths(unit_path("none"), unit_path("none"));
	program = mount_fuse();
	bind("m/cpuinfo", LINUX_CPUINFO);
	bind("m", LINUX_CPUS);
	atomic_store(&seen->silent, true);
	return program;
}

static void expect_next_source(void)
{
	const char *source;

	expect_missing();
	source = cpucycles_persecond_source();
	unit_expect(strncmp(source, "cpu", 3) || !strncmp(source, "cpuid", 5),
		    "neither cpufreq nor cpuinfo");
}

TEST_IN_CHILD_WITH(test_proc_on_fuse, unit_folder_make, unit_folder_remove)
{
	expect_unasked(mount_lxcfs(), expect_next_source);
}

static void expect_next_source_after_a_look(void)
{
	file_look_at_mounts();
	expect_next_source();
}

TEST_IN_CHILD_WITH(test_looked_at_fuse, unit_folder_make, unit_folder_remove)
{
	expect_unasked(mount_lxcfs(), expect_next_source_after_a_look);
}

/* A list of mounts that cannot be opened does not say that FUSE has no mount. */
static void expect_next_source_after_a_blind_look(void)
{
	struct rlimit descriptors, none;

	unit_expect(!getrlimit(RLIMIT_NOFILE, &descriptors), "a limit of descriptors");
	none = descriptors;
	none.rlim_cur = 0;
	unit_expect(!setrlimit(RLIMIT_NOFILE, &none), "no descriptor is left");
	file_look_at_mounts();
	unit_expect(!setrlimit(RLIMIT_NOFILE, &descriptors), "descriptors again");
	expect_next_source();
}

TEST_IN_CHILD_WITH(test_looked_blindly, unit_folder_make, unit_folder_remove)
{
	expect_unasked(mount_lxcfs(), expect_next_source_after_a_blind_look);
}

/* As in a container within the container: the mounts of FUSE are there, and others hide them. */
TEST_IN_CHILD_WITH(test_fuse_is_hidden, unit_folder_make, unit_folder_remove)
{
	const pid_t program = mount_lxcfs();

	unit_write_text("cpuinfo", "processor : 0\ncpu MHz : 1234.5\nclock : 1234.5MHz\n");
	if (mount("none", LINUX_CPUS, "tmpfs", 0, NULL))
		unit_skip_child("no tmpfs: %s", strerror(errno));
	bind("cpuinfo", LINUX_CPUINFO);
	expect_unasked(program, expect_cpuinfo);
}

/* Nobody can tell that FUSE serves /proc/cpuinfo: here /proc has nothing else. */
static pid_t mount_untold(void)
{
	pid_t program;

	enter_namespace();
	set_paths(unit_path("none"), unit_path("none"));
	program = mount_fuse();
	if (mount("none", "/proc", "tmpfs", 0, NULL) || creat(LINUX_CPUINFO, 0644) < 0)
		unit_skip_child("no /proc of its own: %s", strerror(errno));
	bind("m/cpuinfo", LINUX_CPUINFO);
	if (mount("none", LINUX_CPUS, "tmpfs", 0, NULL))
		unit_skip_child("no tmpfs: %s", strerror(errno));
	atomic_store(&seen->silent, true);
	return program;
}

static void expect_count(void)
{
	unit_expect(cpucycles() != 0, "a count");
}

/* Send the signal to a child that runs this and waits for the program. */
static pid_t start_waiting(void (*run)(void), int sig)
{
	const pid_t child = start_child(run);

	while (!atomic_load(&seen->asked)) {
		pause_briefly();
		unit_expect(waitpid(child, NULL, WNOHANG) == 0, "the child waits");
	}
	kill(child, sig);
	return child;
}

TEST_IN_CHILD_WITH(test_end_waiting, unit_folder_make, unit_folder_remove)
{
	pid_t program, child;
	int result = -1;

	if (unit_is_emulated())
		unit_skip_child("qemu-user handles SIGTERM itself, so a request of FUSE goes on");
	program = mount_untold();
	child = start_waiting(expect_count, SIGTERM);
	for (int i = 0; i < 20000 && waitpid(child, &result, WNOHANG) == 0; i++)
		pause_briefly();
	kill(program, SIGKILL);
	unit_expect(WIFSIGNALED(result) && WTERMSIG(result) == SIGTERM, "SIGTERM ends it");
}

static void on_term(int sig)
{
	sigset_t blocked;

	/* A selection blocks this signal, too. ThreadSanitizer blocks all signals around a handler
	 * that it calls later, so there the mask says nothing. */
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	atomic_store(&seen->handled,
		     sig == SIGTERM && (SANITIZED || !sigismember(&blocked, SIGWINCH)));
}

static void count_with_handler(void)
{
	signal(SIGTERM, on_term);
	expect_count();
	/* A sanitizer may hand a signal on later, in a call of libc. */
	for (int i = 0; i < 20000 && !atomic_load(&seen->handled); i++)
		pause_briefly();
	unit_expect(atomic_load(&seen->handled), "the handler has run, behind the selection");
}

TEST_IN_CHILD_WITH(test_handle_later, unit_folder_make, unit_folder_remove)
{
	const pid_t program = mount_untold();
	const pid_t child = start_waiting(count_with_handler, SIGTERM);
	int result = -1;

	kill(program, SIGKILL);
	waitpid(child, &result, 0);
	unit_expect(result == 0, "what the child expects");
}

/* As in a container: the cache and the persecond file are read. */
static void on_overlay(void)
{
	const char *const folders[] = { "m/lower", "m/upper", "m/work", "m/all" };
	struct cache_context context = { .own = true };
	static struct cache cache;
	char options[4 * PATH_MAX];
	struct persecond_file file;
	struct statfs fs;

	enter_namespace();
	if (mount("none", unit_path("m"), "tmpfs", 0, NULL))
		unit_skip_child("no tmpfs: %s", strerror(errno));
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		unit_expect(!mkdir(unit_path(folders[i]), 0755), folders[i]);
	unit_write_text("m/lower/cpucyclespersecond", "1234567890\n");
	snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s",
		 unit_path("m/lower"), unit_path("m/upper"), unit_path("m/work"));
	if (mount("none", unit_path("m/all"), "overlay", 0, options))
		unit_skip_child("no overlay: %s", strerror(errno));
	unit_expect(!statfs(unit_path("m/all"), &fs) && (uint32_t)fs.f_type == OVERLAY, "overlay");
	persecond_read(unit_path("m/all/cpucyclespersecond"), NULL, &file);
	unit_expect(file.said.hz == 1234567890 && !file.flaw, "the persecond file is read");
	make_text(&cache);
	context.path = unit_write("m/all/counters", text, length);
	context.persecond_path = unit_path("none");
	unit_expect(cache_load(&context, &cache).status == CACHE_USED, "the cache is read");
}

TEST_WITH(test_on_overlay, unit_folder_make, unit_folder_remove)
{
	need_boot_id();
	unit_child_passes(on_overlay);
}
#else
TEST_NOT_HERE(test_mounts, "no header of Linux for FUSE")
#endif

UNIT_MAIN_SEEDED("filesystem", NULL, NULL)
