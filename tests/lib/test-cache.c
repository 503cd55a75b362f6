/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cache.h"
#include "cache-text.h"
#include "environment.h"
#include "persecond.h"

#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#endif

#define ROUNDS 300

#define NOBODY 65534
#define STRANGER 54321

static const char *cache_path(void)
{
	static char path[PATH_MAX];

	strcpy(path, unit_path("counters"));
	return path;
}

static enum cache_status load(bool own)
{
	static char persecond[PATH_MAX];
	static struct cache cache;
	struct cache_context context = { .path = cache_path(), .own = own };
	struct cache_verdict verdict;
	struct cache_reader reader;

	strcpy(persecond, unit_path("cpucyclespersecond"));
	context.persecond_path = persecond;
	assert_int_equal(cache_open(&context, &cache, &reader),
			 cache_load(&context, &cache).status);
	verdict = cache_load(&context, &cache);
	if (verdict.status == CACHE_USED)
		assert_string_equal(cache.library, PACKAGE_VERSION);
	return verdict.status;
}

static void expect_status(enum cache_status expected)
{
	enum cache_status got;

	environment_read();
	got = load(true);
	if (got != expected)
		fail_msg("got %s, expected %s", cache_status_name(got),
			 cache_status_name(expected));
}

static int fresh_files(UNIT_UNUSED void **state)
{
	struct cache cache;
	char boot[MACHINE_BOOT_SIZE];

	unsetenv("cpucyclespersecond");
	if (machine_boot(boot))
		return 0;
	make_text(&cache);
	unit_write("counters", text, length);
	unlink(unit_path("cpucyclespersecond"));
	return 0;
}

TEST_WITH(valid_file, fresh_files, NULL)
{
	need_boot_id();
	expect_status(CACHE_USED);
	/* Without the caller's word for it only root's will do. */
	assert_int_equal(load(false), geteuid() == 0 ? CACHE_USED : CACHE_UNTRUSTED);
}

/* The same through a file: what is read there is what was written, and nothing of the one
 * before. */
TEST_WITH(random_files, fresh_files, NULL)
{
	static struct cache cache, back;
	struct cache_context context = { .path = cache_path(),
					 .own = true,
					 .persecond_path = "/nowhere" };

	need_boot_id();
	for (int i = 0; i < ROUNDS; i++) {
		random_cache(&cache);
		length = cache_format(&cache, text, sizeof text);
		unit_write("counters", text, length);
		assert_int_equal(cache_load(&context, &back).status, CACHE_USED);
		expect_same(&cache, &back);
	}
}

TEST_WITH(truncated_file, fresh_files, NULL)
{
	need_boot_id();
	for (size_t n = 0; n < length; n++) {
		unit_write("counters", text, n);
		expect_status(CACHE_MALFORMED);
	}
}

/* A sealed text that is wrong only behind what a first call reads, which only root can make: a
 * first call uses it, and the programs name the line. Behind it come the fingerprint, the core,
 * the facts and the checksum. */
TEST_WITH(wrong_in_a_later_line, fresh_files, NULL)
{
	static struct cache cache;
	struct cache_context context = { .path = cache_path(),
					 .own = true,
					 .persecond_path = "/nowhere" };
	struct cache_reader reader;
	struct candidate c;
	struct cache_verdict verdict;
	unsigned lines = 0;

	need_boot_id();
	edit(" errno 2\nfingerprint", " weather 2\nfingerprint");
	unit_write("counters", text, length);
	assert_int_equal(cache_open(&context, &cache, &reader), CACHE_USED);
	assert_int_equal(cache_parse_usable(&reader, &c), CACHE_LINE_USABLE);
	assert_ptr_equal(c.counter, counters_list[0]);
	verdict = cache_load(&context, &cache);
	assert_int_equal(verdict.status, CACHE_MALFORMED);
	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	assert_int_equal(verdict.line, lines - 3 - CACHE_FACTS);
}

TEST_WITH(stale, fresh_files, NULL)
{
	struct cache cache;

	need_boot_id();
	edit("machine ", "machine not-");
	unit_write("counters", text, length);
	expect_status(CACHE_STALE_MACHINE);
	make_text(&cache);
	strcpy(cache.boot, OTHER_BOOT);
	length = cache_format(&cache, text, sizeof text);
	unit_write("counters", text, length);
	expect_status(CACHE_STALE_BOOT);
}

static void persecond_text(uint64_t hz, const char *more)
{
	char content[256];

	snprintf(content, sizeof content, "%" PRIu64 "\n%s", hz, more);
	unit_write_text("cpucyclespersecond", content);
}

static void ours(uint64_t hz, enum persecond_source source, const char *boot)
{
	char content[256];
	const struct persecond persecond = { hz, source };

	assert_true(persecond_format(&persecond, boot, content, sizeof content));
	unit_write_text("cpucyclespersecond", content);
}

TEST_WITH(persecond_with_os, fresh_files, NULL)
{
	struct cache cache;

	need_boot_id();
	assert_int_equal(cache_parse(text, length, &cache), 0);
	persecond_text(cache.persecond.hz + 1, "");
	expect_status(CACHE_STALE_PERSECOND);
	/* Now it is the sysadmin's, who may say something else tomorrow. */
	persecond_text(cache.persecond.hz, "");
	expect_status(CACHE_STALE_PERSECOND);
	ours(cache.persecond.hz, cache.persecond.source, cache.boot);
	expect_status(CACHE_USED);
	ours(cache.persecond.hz + 1, cache.persecond.source, cache.boot);
	expect_status(CACHE_STALE_PERSECOND);
	ours(cache.persecond.hz + 1, cache.persecond.source, OTHER_BOOT);
	expect_status(CACHE_USED);
	unit_write_text("cpucyclespersecond", "no number\n");
	expect_status(CACHE_USED);
	setenv("cpucyclespersecond", "1234567", 1);
	expect_status(CACHE_USED);
}

static void write_with_source(struct cache *cache, enum persecond_source source)
{
	make_text(cache);
	cache->persecond.source = source;
	length = cache_format(cache, text, sizeof text);
	unit_write("counters", text, length);
}

TEST_WITH(persecond_with_sysadmin, fresh_files, NULL)
{
	struct cache cache;

	need_boot_id();
	write_with_source(&cache, PERSECOND_FILE);
	expect_status(CACHE_STALE_PERSECOND);
	persecond_text(cache.persecond.hz, "");
	expect_status(CACHE_USED);
	persecond_text(cache.persecond.hz, "# why\n");
	expect_status(CACHE_USED);
	persecond_text(cache.persecond.hz + 1, "");
	expect_status(CACHE_STALE_PERSECOND);
	ours(cache.persecond.hz, PERSECOND_CPUINFO_MHZ, cache.boot);
	expect_status(CACHE_STALE_PERSECOND);
}

TEST_WITH(persecond_with_nobody, fresh_files, NULL)
{
	struct cache cache;

	need_boot_id();
	write_with_source(&cache, PERSECOND_DEFAULT);
	expect_status(CACHE_USED);
	setenv("cpucyclespersecond", "1234567", 1);
	expect_status(CACHE_STALE_PERSECOND);
	unsetenv("cpucyclespersecond");
	/* What was measured stands in for the default, and comes behind the environment too. */
	write_with_source(&cache, PERSECOND_MEASURED);
	expect_status(CACHE_USED);
	setenv("cpucyclespersecond", "1234567", 1);
	expect_status(CACHE_STALE_PERSECOND);
	/* Our own file of this boot outranks the environment, and says the same. */
	ours(cache.persecond.hz, cache.persecond.source, cache.boot);
	expect_status(CACHE_USED);
	unlink(unit_path("cpucyclespersecond"));
	unsetenv("cpucyclespersecond");
	write_with_source(&cache, PERSECOND_ENVIRONMENT);
	expect_status(CACHE_STALE_PERSECOND);
}

TEST_WITH(not_there, fresh_files, NULL)
{
	struct cache_context context = { .own = true, .persecond_path = "/nowhere" };
	static struct cache cache;
	char below[PATH_MAX];

	unlink(cache_path());
	expect_status(CACHE_MISSING);
	strcpy(below, unit_write_text("plain", ""));
	strcat(below, "/counters");
	context.path = below;
	assert_int_equal(cache_load(&context, &cache).status, CACHE_MISSING);
}

TEST_WITH(not_a_regular_file, fresh_files, NULL)
{
	need_boot_id();
	assert_int_equal(rename(cache_path(), unit_path("elsewhere")), 0);
	assert_int_equal(symlink("elsewhere", cache_path()), 0);
	expect_status(CACHE_UNTRUSTED);
	unlink(cache_path());
	assert_int_equal(symlink("nowhere", cache_path()), 0);
	expect_status(CACHE_UNTRUSTED);
	unlink(cache_path());
	assert_int_equal(mkfifo(cache_path(), 0644), 0);
	expect_status(CACHE_UNTRUSTED);
	unlink(cache_path());
	assert_int_equal(mkdir(cache_path(), 0755), 0);
	expect_status(CACHE_UNTRUSTED);
	assert_int_equal(rmdir(cache_path()), 0);
}

TEST_WITH(modes, fresh_files, NULL)
{
	need_boot_id();
	for (unsigned mode = 0400; mode < 01000; mode++) {
		assert_int_equal(chmod(cache_path(), mode & 07777), 0);
		if ((mode & 0400) == 0)
			continue;
		expect_status(mode & 022 ? CACHE_UNTRUSTED : CACHE_USED);
	}
}

/* The rule of cache(5), and who may open a file that is in none of his groups. */
static enum cache_status owned(uid_t owner, unsigned mode, uid_t caller, bool own)
{
	bool opens = caller == 0 || mode & (caller == owner ? 0400u : 0004u);

	if (!opens || mode & 022)
		return CACHE_UNTRUSTED;
	return owner == 0 || (own && owner == caller) ? CACHE_USED : CACHE_UNTRUSTED;
}

static void owned_by(uid_t owner, uid_t caller, bool own)
{
	for (unsigned mode = 0; mode < 010000; mode += mode < 0777 ? 1 : 01111) {
		enum cache_status got;

		assert_int_equal(chown(cache_path(), owner, STRANGER), 0);
		assert_int_equal(chmod(cache_path(), mode), 0);
		assert_int_equal(seteuid(caller), 0);
		got = load(own);
		assert_int_equal(seteuid(0), 0);
		if (got != owned(owner, mode, caller, own))
			fail_msg("owner %u, mode %04o, caller %u%s: got %s", owner, mode, caller,
				 own ? " who named it" : "", cache_status_name(got));
	}
}

TEST_WITH(owners, fresh_files, NULL)
{
	static const uid_t users[] = { 0, NOBODY, STRANGER };

	need_boot_id();
	if (!unit_may_give_away())
		unit_skip("this process may not give a file away");
	assert_int_equal(chown(cache_path(), NOBODY, NOBODY), 0);
	assert_int_equal(seteuid(NOBODY), 0);
	expect_status(CACHE_UNTRUSTED); /* the folder is root's and closed */
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(unit_folder, 0755), 0);
	for (size_t owner = 0; owner < 3; owner++)
		for (size_t caller = 0; caller < 2; caller++) {
			owned_by(users[owner], users[caller], true);
			owned_by(users[owner], users[caller], false);
		}
}

TEST_WITH(sizes, fresh_files, NULL)
{
	static char large[CACHE_SIZE_MAX + 1];

	need_boot_id();
	memset(large, ' ', sizeof large);
	memcpy(large, text, length);
	unit_write("counters", large, sizeof large);
	expect_status(CACHE_UNTRUSTED);
	unit_write("counters", large, sizeof large - 1);
	expect_status(CACHE_MALFORMED);
	assert_int_equal(truncate(cache_path(), (off_t)1 << 30), 0);
	expect_status(CACHE_UNTRUSTED);
}

#ifdef __linux__
/*
 * Types of file system. Few of them can be mounted for a test (see test-filesystem): most need a
 * server, or a part of the kernel that test machines do not have. So the linker puts a stand-in
 * between (--wrap) that names the type, on a real file and below the real rule. The C library calls
 * the function by one of the two names.
 */

static uint32_t made_type; /* 0: the type is the real one */
static unsigned types_asked;

int __wrap_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs64(int fd, struct statfs *fs);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	(void)fd;
	types_asked++;
	if (made_type == 0)
		return statfs(cache_path(), fs);
	memset(fs, 0, sizeof *fs);
	fs->f_type = (__typeof__(fs->f_type))made_type;
	return 0;
}

int __wrap_fstatfs64(int fd, struct statfs *fs)
{
	return __wrap_fstatfs(fd, fs);
}

static bool has_block_device(const char *path)
{
	struct stat status;

	return stat(path, &status) || major(status.st_dev) != 0;
}

static char folder_before[sizeof unit_folder]; /* empty: the tests' folder stayed */

/* What has no block device, as no network's file system has one: the tests' folder, or one in
 * memory. */
static int leave_block_device(void **state)
{
	folder_before[0] = 0;
	if (has_block_device(unit_folder)) {
		strcpy(folder_before, unit_folder);
		strcpy(unit_folder, "/dev/shm/cpucycles-unit.XXXXXX");
		if (!mkdtemp(unit_folder))
			strcpy(unit_folder, folder_before);
	}
	return fresh_files(state);
}

static int return_to_block_device(void **state)
{
	int error = 0;

	made_type = 0;
	if (folder_before[0] && strcmp(folder_before, unit_folder))
		error = unit_folder_remove(state);
	if (folder_before[0])
		strcpy(unit_folder, folder_before);
	return error;
}

static void expect_type(const char *name, uint32_t type, enum cache_status expected)
{
	enum cache_status got;

	made_type = type;
	types_asked = 0;
	got = load(true);
	if (got != expected || types_asked == 0)
		fail_msg("on %s: got %s, expected %s; the type was asked for %u times", name,
			 cache_status_name(got), cache_status_name(expected), types_asked);
}

TEST_WITH(file_system_types, leave_block_device, return_to_block_device)
{
	/* The names and numbers of the kernel's linux/magic.h and of src/stat.c of coreutils. Of
	 * the types on disks, those without a block device are 9p's: it tells the type that its
	 * server tells (the kernel's fs/9p/vfs_super.c). */
	static const struct {
		const char *name;
		uint32_t type;
		enum cache_status expected;
	} types[] = {
		{ "the real file system", 0, CACHE_USED },
		{ "btrfs", 0x9123683e, CACHE_USED },
		{ "ZFS", 0x2fc12fc1, CACHE_USED },
		{ "bcachefs", 0xca451a4e, CACHE_USED },
		{ "UBIFS", 0x24051905, CACHE_USED },
		{ "tmpfs", 0x01021994, CACHE_USED },
		{ "ramfs", 0x858458f6, CACHE_USED },
		{ "overlay", 0x794c7630, CACHE_USED },
		{ "aufs", 0x61756673, CACHE_USED },
		{ "WSL1", 0x53464846, CACHE_USED },
		{ "FUSE", 0x65735546, CACHE_UNTRUSTED },
		{ "9p", 0x01021997, CACHE_UNTRUSTED },
		{ "9p that tells ext4", 0xef53, CACHE_UNTRUSTED },
		{ "9p that tells XFS", 0x58465342, CACHE_UNTRUSTED },
		{ "9p that tells F2FS", 0xf2f52010, CACHE_UNTRUSTED },
		{ "NFS", 0x6969, CACHE_UNTRUSTED },
		{ "SMB", 0x517b, CACHE_UNTRUSTED },
		{ "CIFS", 0xff534d42, CACHE_UNTRUSTED },
		{ "SMB2", 0xfe534d42, CACHE_UNTRUSTED },
		{ "AFS of OpenAFS", 0x5346414f, CACHE_UNTRUSTED },
		{ "AFS of the kernel", 0x6b414653, CACHE_UNTRUSTED },
		{ "Coda", 0x73757245, CACHE_UNTRUSTED },
		{ "Ceph", 0x00c36400, CACHE_UNTRUSTED },
		{ "Lustre", 0x0bd00bd0, CACHE_UNTRUSTED },
		{ "GPFS", 0x47504653, CACHE_UNTRUSTED },
		{ "OrangeFS", 0x20030528, CACHE_UNTRUSTED },
		{ "VirtualBox's folders", 0x786f4256, CACHE_UNTRUSTED },
		{ "VMware's folders", 0xbacbacbc, CACHE_UNTRUSTED },
		{ "eCryptfs", 0xf15f, CACHE_UNTRUSTED },
		{ "proc", 0x9fa0, CACHE_UNTRUSTED },
		{ "a type of next year", 0x12345678, CACHE_UNTRUSTED },
	};

	need_boot_id();
	if (has_block_device(unit_folder))
		unit_skip("neither /tmp nor /dev/shm is without a block device");
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		expect_type(types[i].name, types[i].type, types[i].expected);
}

/* How often the type is asked for while the cache is opened once and the persecond file is read. */
static unsigned types_asked_by_open(void)
{
	const struct cache_context context = { .path = cache_path(),
					       .own = true,
					       .persecond_path =
						       unit_write_text("persecond", "1e9\n") };
	struct cache_reader reader;
	struct cache cache;

	types_asked = 0;
	assert_int_equal(cache_open(&context, &cache, &reader), CACHE_STALE_PERSECOND);
	return types_asked;
}

/* Two files on one file system: its type is asked for once. */
TEST_WITH(asked_once, leave_block_device, return_to_block_device)
{
	need_boot_id();
	if (has_block_device(unit_folder))
		unit_skip("neither /tmp nor /dev/shm is without a block device");
	assert_int_equal(types_asked_by_open(), 1);
}

/* The type need not be asked for. */
TEST_WITH(on_a_block_device, fresh_files, NULL)
{
	need_boot_id();
	if (!has_block_device(unit_folder))
		unit_skip("/tmp is on no block device");
	types_asked = 0;
	expect_status(CACHE_USED);
	assert_int_equal(types_asked, 0);
	assert_int_equal(types_asked_by_open(), 0);
}

/* The persecond file on a file system that is not read from has no answer, and is there. */
TEST_WITH(persecond_elsewhere, leave_block_device, return_to_block_device)
{
	struct persecond_file file;

	if (has_block_device(unit_folder))
		unit_skip("neither /tmp nor /dev/shm is without a block device");
	made_type = 0x65735546;
	persecond_read(unit_write_text("persecond", "1e9\n"), NULL, &file);
	assert_true(file.exists && file.flaw == FLAW_ELSEWHERE && !file.ours);
	assert_int_equal(file.said.hz, 0);
	made_type = 0;
	persecond_read(unit_path("persecond"), NULL, &file);
	assert_true(file.exists && !file.flaw);
	assert_int_equal(file.said.hz, 1000000000);
}
#endif

TEST(names)
{
	static const char *const words[CACHE_STATUSES] = {
		"used",      "missing",   "stale-boot", "stale-machine", "stale-persecond",
		"untrusted", "malformed", "no-counter", "disabled",
	};

	for (unsigned i = 0; i < CACHE_STATUSES; i++)
		assert_string_equal(cache_status_name((enum cache_status)i), words[i]);
}

UNIT_MAIN_SEEDED("cache", unit_folder_make, unit_folder_remove)
