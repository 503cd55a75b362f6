/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "environment.h"
#include "faults.h"
#include "file.h"
#include "frequency.h"
#include "guard.h"
#include "os/filesystem.h"
#include "persecond.h"

#ifdef __linux__
#include <sys/resource.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include "arch/x86/frequency-x86.h"
#endif

#define CPU0 "root/sys/devices/system/cpu/cpu0/"
#define SETSPEED CPU0 "cpufreq/scaling_setspeed"
#define MAX CPU0 "cpufreq/scaling_max_freq"
#define TICK CPU0 "clock_tick"
#define KHZ CPU0 "tsc_freq_khz"
#define NODE CPU0 "of_node/clock-frequency"
#define CPUINFO "root/proc/cpuinfo"

TEST(names)
{
	enum persecond_source source = PERSECOND_SOURCES;

	for (unsigned i = 0; i < PERSECOND_SOURCES; i++) {
		assert_true(frequency_source_find(frequency_source_name((enum persecond_source)i),
						  &source));
		assert_int_equal(source, i);
	}
	assert_false(frequency_source_find("nobody", &source));
	/* The environment of a process outranks a measured frequency, which only replaces the blind
	 * default: see cache.c. */
	assert_true(PERSECOND_PERF_PAGE < PERSECOND_ENVIRONMENT);
	assert_true(PERSECOND_ENVIRONMENT < PERSECOND_MEASURED);
	assert_false(frequency_source_find("", &source));
}

/* The OS, by files below a root of the test's own */

static int clear_root(UNIT_UNUSED void **state)
{
	char command[128];

	unsetenv("cpucyclespersecond");
	snprintf(command, sizeof command, "rm -rf '%s/root'", unit_folder);
	return system(command);
}

static void expect_os(uint64_t hz, enum persecond_source source)
{
	struct persecond answer = { 0, PERSECOND_SOURCES };
	char root[PATH_MAX];
	bool any;

	strcpy(root, unit_path("root"));
	any = frequency_linux(root, "x86_64", &answer);
	if (any != (hz != 0) || (any && (answer.hz != hz || answer.source != source)))
		fail_msg("got %llu from %s, expected %llu from %s",
			 any ? (unsigned long long)answer.hz : 0,
			 any ? frequency_source_name(answer.source) : "nobody",
			 (unsigned long long)hz, hz ? frequency_source_name(source) : "nobody");
}

#ifdef __linux__
TEST_WITH(os_in_order, clear_root, NULL)
{
	expect_os(0, 0);
	unit_write(NODE, "\1\61\55\0", 4);
	expect_os(20000000, PERSECOND_DEVICE_TREE);
	unit_write_text(CPUINFO, "clock\t\t: 1000.000000MHz\n");
	expect_os(1000000000, PERSECOND_CPUINFO_CLOCK);
	unit_write_text(CPUINFO, "clock\t: 1000MHz\ncpu MHz\t\t: 2399.987\n");
	expect_os(2399987000, PERSECOND_CPUINFO_MHZ);
	unit_write_text(KHZ, "2000000\n");
	expect_os(2000000000, PERSECOND_TSC_FREQ_KHZ);
	unit_write_text(TICK, "1167000000\n");
	expect_os(1167000000, PERSECOND_CLOCK_TICK);
	unit_write_text(MAX, "3100000\n");
	expect_os(3100000000, PERSECOND_CPUFREQ_MAX);
	unit_write_text(SETSPEED, "1600000\n");
	expect_os(1600000000, PERSECOND_CPUFREQ_SETSPEED);
}

TEST_WITH(os_skips_no_answers, clear_root, NULL)
{
	static const char *const bad[] = {
		"<unsupported>\n",
		"",
		"\n",
		"0\n",
		"-1\n",
		"nan\n",
		"inf\n",
		"1e400\n",
		"999999999999\n",
		"0.9\n",
		"1600000 kHz\n",
		"99999999999999999999999999\n",
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		unit_write_text(SETSPEED, bad[i]);
		unit_write_text(MAX, "3100000\n");
		expect_os(3100000000, PERSECOND_CPUFREQ_MAX);
		unit_write_text(MAX, bad[i]);
		unit_write_text(TICK, "1167000000\n");
		expect_os(1167000000, PERSECOND_CLOCK_TICK);
		unit_write_text(TICK, bad[i]);
		unit_write_text(CPUINFO, "cpu MHz : 0.000\nclock : 500MHz\n");
		expect_os(500000000, PERSECOND_CPUINFO_CLOCK);
		unit_write_text(CPUINFO, bad[i]);
		expect_os(0, 0);
	}
}

TEST_WITH(os_special_files, clear_root, NULL)
{
	static const char *const paths[] = { SETSPEED, MAX, TICK, KHZ, CPUINFO, NODE };

	for (size_t i = 0; i < 6; i++) {
		unit_write_text(paths[i], "");
		unlink(unit_path(paths[i]));
		assert_int_equal(mkfifo(unit_path(paths[i]), 0644), 0);
	}
	expect_os(0, 0);
	for (size_t i = 0; i < 6; i++) {
		unlink(unit_path(paths[i]));
		assert_int_equal(mkdir(unit_path(paths[i]), 0755), 0);
	}
	expect_os(0, 0);
}

TEST_WITH(cpuinfo_forms, clear_root, NULL)
{
	unit_write_text(CPUINFO, "processor : 0\ncpu MHz : 2399.987\n\nprocessor : 1\n");
	expect_os(2399987000, PERSECOND_CPUINFO_MHZ);
	/* The second processor's line says nothing about the first one. */
	unit_write_text(CPUINFO, "processor : 0\n\nprocessor : 1\ncpu MHz : 2399.987\n");
	expect_os(0, 0);
	unit_write_text(CPUINFO, "clocksource : 500\ncpu MHz max : 600\nclock 700\n");
	expect_os(0, 0);
	unit_write_text(CPUINFO, "cpu MHz : many\ncpu MHz : 800\n");
	expect_os(800000000, PERSECOND_CPUINFO_MHZ);
	unit_write_text(CPUINFO, "cpu MHz:1234\n");
	expect_os(1234000000, PERSECOND_CPUINFO_MHZ);
	unit_write_text(CPUINFO, "clock\t\t: 4116.000000MHz\r\n");
	expect_os(4116000000, PERSECOND_CPUINFO_CLOCK);
	unit_write_text(CPUINFO, "clock : 700GHz\n");
	expect_os(0, 0);
}

TEST_WITH(cpuinfo_of_many, clear_root, NULL)
{
	static char text[1 << 20];
	size_t length = 0;

	for (int i = 0; i < 512; i++)
		length += (size_t)
			sprintf(text + length,
				"processor\t: %d\ncpu MHz\t\t: %d.000\nflags\t\t: %01500d\n\n", i,
				2000 + i, 0);
	unit_write_text(CPUINFO, text);
	expect_os(2000000000, PERSECOND_CPUINFO_MHZ);
}

/* Half a number is never an answer, wherever the read ends. */
TEST_WITH(cpuinfo_cut_off, clear_root, NULL)
{
	static char text[8192];
	static const char line[] = "cpu MHz : 2399.987\n";

	for (size_t before = 4096 - 2 * sizeof line; before < 4096 + sizeof line; before++) {
		struct persecond answer = { 0, 0 };
		char root[PATH_MAX];

		memset(text, 'x', before);
		text[before - 1] = '\n';
		strcpy(text + before, line);
		unit_write_text(CPUINFO, text);
		strcpy(root, unit_path("root"));
		if (frequency_linux(root, "x86_64", &answer))
			assert_int_equal(answer.hz, 2399987000);
		else
			assert_true(before + sizeof line > 4096);
	}
}
#endif

#ifdef __linux__
#define CPUS "root/sys/devices/system/cpu/"

/* The first CPU that is online is asked in its place. */
TEST_WITH(first_cpu_offline, clear_root, NULL)
{
	unit_write_text(CPUS "online", "26-27,40\n");
	unit_write("root/proc/device-tree/cpus/cpu@0/clock-frequency", "\0\230\226\200", 4);
	expect_os(10000000, PERSECOND_DEVICE_TREE);
	unit_write("root/proc/device-tree/cpus/cpu@1a/clock-frequency", "\0\75\11\0", 4);
	expect_os(4000000, PERSECOND_DEVICE_TREE);
	unit_write(CPUS "cpu26/of_node/clock-frequency", "\0\0\0\0\36\204\200\0", 8);
	expect_os(512000000, PERSECOND_DEVICE_TREE);
	unit_write_text(CPUINFO, "clock : 2222MHz\n");
	expect_os(2222000000, PERSECOND_CPUINFO_CLOCK);
	unit_write_text(CPUS "cpu26/tsc_freq_khz", "2000000\n");
	expect_os(2000000000, PERSECOND_TSC_FREQ_KHZ);
	unit_write_text(CPUS "cpu26/clock_tick", "1167000000\n");
	expect_os(1167000000, PERSECOND_CLOCK_TICK);
	unit_write_text(CPUS "cpu26/cpufreq/scaling_max_freq", "2400000\n");
	expect_os(2400000000, PERSECOND_CPUFREQ_MAX);
	unit_write_text(CPUS "cpu26/cpufreq/scaling_setspeed", "1600000\n");
	expect_os(1600000000, PERSECOND_CPUFREQ_SETSPEED);
	for (size_t i = 0; i < 4; i++) {
		static const char *const nonsense[] = { "", "none\n", "-1\n",
							"99999999999999999999\n" };

		unit_write_text(CPUS "online", nonsense[i]);
		expect_os(2222000000, PERSECOND_CPUINFO_CLOCK);
	}
	unit_write_text(CPUS "online", "26-27,40\n");
	unit_write_text(CPUINFO, "processor : 26\nclock : 2222MHz\n");
	expect_os(1600000000, PERSECOND_CPUFREQ_SETSPEED);
	/* The file shows CPU 0, so no other one is looked for. */
	unit_write_text(CPUINFO, "processor : 0\nclock : 2222MHz\n\nprocessor : 26\n");
	expect_os(2222000000, PERSECOND_CPUINFO_CLOCK);
}

/* A program lends the text of this machine only. */
TEST_WITH(lent_cpuinfo, clear_root, NULL)
{
	static const char lent[] = "processor : 0\nclock : 3333MHz\n\nprocessor : 1\n";

	file_lend_cpuinfo(lent);
	assert_ptr_equal(file_lent_cpuinfo(""), lent);
	assert_null(file_lent_cpuinfo("/root"));
	unit_write_text(CPUINFO, "clock : 2222MHz\n");
	expect_os(2222000000, PERSECOND_CPUINFO_CLOCK);
	if (access("/sys/devices/system/cpu/cpu0/cpufreq", F_OK) == 0) {
		file_lend_cpuinfo(NULL);
		unit_skip("cpufreq answers first");
	}
	assert_int_equal(frequency_estimate(NULL, "", false).hz, 3333000000);
	file_lend_cpuinfo(NULL);
	assert_null(file_lent_cpuinfo(""));
}
#endif

#ifdef __linux__
/* The descriptor of the folder of /sys or /proc, which stays open in a file_guard_call */

#define IN_SYS "/sys/devices/system/cpu/possible"
#define BELOW_SYS (&IN_SYS[sizeof "/sys"])

static unsigned descriptors; /* that were open before */

static void call_look_twice(void *kept)
{
	char text[64];

	file_read("/proc/uptime", text, sizeof text);
	file_read(IN_SYS, text, sizeof text);
	*(unsigned *)kept = unit_open_descriptors() - descriptors;
	for (int fd = 0; fd < 1024; fd++)
		unit_expect(!unit_is_file(fd, "/sys") || fcntl(fd, F_GETFD) == FD_CLOEXEC,
			    "closed by exec");
}

static void call_fault(void *kept)
{
	call_look_twice(kept);
	fault_segv(NULL);
}

/* As in a thread's fork, the child's copy of the call never ends. */
static void call_fork(void *kept)
{
	pid_t child;
	unsigned again;

	call_look_twice(kept);
	child = fork();
	if (child == 0) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		open("/", O_RDONLY);
		descriptors = unit_open_descriptors();
		file_guard_call(call_look_twice, &again);
		unit_expect(again == 1, "the child opens the folder");
		unit_expect(unit_is_file(3, "/"), "and leaves what is not its own");
		unit_expect(unit_open_descriptors() == descriptors, "and nothing is left");
		_exit(0);
	}
	unit_expect_child(child, "the child of a fork in the middle");
}

TEST_IN_CHILD(folder_stays_open)
{
	void (*const calls[])(void *) = { call_look_twice, call_fork, call_fault };
	const int sys = open("/sys", FILESYSTEM_FOLDER);
	struct guard guard;
	unsigned kept;
	int fd;

	fd = filesystem_open_within(sys, BELOW_SYS, O_RDONLY);
	if (fd < 0)
		unit_skip_child("no openat2(2) or no " IN_SYS);
	close(fd);
	close(sys);
	unit_expect(!fault_prepare(), "a page that faults");
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is free");
	guard_install(&guard, GUARD_ALL);
	descriptors = unit_open_descriptors();
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		kept = 9;
		file_guard_call(calls[i], &kept);
		unit_expect(kept == 1, "one folder stays open");
		unit_expect(unit_open_descriptors() == descriptors, "until the call ends");
	}
	call_look_twice(&kept);
	unit_expect(kept == 0, "outside of such a call, none does");
	guard_release(&guard);
}

/* With few descriptors left, the sources answer as always. */
TEST_IN_CHILD(few_descriptors)
{
	const struct persecond expected = frequency_estimate(NULL, "", false);
	struct rlimit limit;
	int last = -1;

	unit_expect(!getrlimit(RLIMIT_NOFILE, &limit), "a limit");
	limit.rlim_cur = 100;
	unit_expect(!setrlimit(RLIMIT_NOFILE, &limit), "another limit");
	for (int fd; (fd = dup(STDOUT_FILENO)) >= 0;)
		last = fd;
	for (int left = 1; left < 4; left++) {
		close(last--);
		unit_expect(frequency_estimate(NULL, "", false).source == expected.source,
			    "the same source");
	}
}

#endif

/* The order of them all */

TEST_WITH(estimate, clear_root, NULL)
{
	const struct persecond said = { 1111111, PERSECOND_FILE };
	struct persecond answer;
	char root[PATH_MAX];

	strcpy(root, unit_path("root"));
	setenv("cpucyclespersecond", "4444444", 1);
	environment_read();
	answer = frequency_estimate(NULL, root, false);
	assert_int_equal(answer.source, PERSECOND_DEFAULT);
	assert_int_equal(answer.hz, PERSECOND_BLIND);
	answer = frequency_estimate(NULL, root, true);
	assert_int_equal(answer.source, PERSECOND_ENVIRONMENT);
	assert_int_equal(answer.hz, 4444444);
	answer = frequency_estimate(&said, root, true);
	assert_int_equal(answer.source, PERSECOND_FILE);
	assert_int_equal(answer.hz, 1111111);
#ifdef __linux__
	unit_write_text(CPUINFO, "clock : 2222MHz\n"); /* every architecture asks for this line */
	answer = frequency_estimate(NULL, root, true);
	assert_int_equal(answer.source, PERSECOND_CPUINFO_CLOCK);
	assert_int_equal(answer.hz, 2222000000);
#endif
	answer = frequency_estimate(&said, root, true);
	assert_int_equal(answer.source, PERSECOND_FILE);
}

TEST_WITH(environment, clear_root, NULL)
{
	static const char *const good[] = {
		"2.4e9",
		"2400000000 Hz",
		"2.4e9 # set by ops",
		"2400000000\n# written by",
	};
	static const char *const bad[] = {
		"",
		"0",
		"-1",
		"nan",
		"inf",
		"999",
		"100000000001",
		"2400000000x",
		"1e400",
		"2500 MHz",
		"3.5 GHz",
		"2500000000 2",
		"# 2500000000",
		"zzz",
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		setenv("cpucyclespersecond", bad[i], 1);
		environment_read();
		assert_int_equal(frequency_environment(), 0);
	}
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		setenv("cpucyclespersecond", good[i], 1);
		environment_read();
		assert_int_equal(frequency_environment(), 2400000000);
	}
	unsetenv("cpucyclespersecond");
	environment_read();
	assert_int_equal(frequency_environment(), 0);
}

/* ThreadSanitizer blocks every signal in a handler that does not return. */
#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
#define CAN_TRAP
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW_HALF 4
#else
#define LOW_HALF 0
#endif

/* If the system call is this one, the flags in its argument decide. */
#define TRAP_LOOK(name, argument) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
			 offsetof(struct seccomp_data, args[argument]) + LOW_HALF), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_NOCTTY, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* From now on file_open gets SIGSYS. It is known by its flags, because a sanitizer has to be able
 * to open its own files. */
static bool trap_looks(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		TRAP_LOOK(openat, 2),
#ifdef SYS_open
		TRAP_LOOK(open, 1),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof code / sizeof code[0], code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void call_read(void *file)
{
	persecond_read("/proc/self/status", NULL, file);
}

TEST_IN_CHILD(a_fault_is_no_answer)
{
	const struct persecond none = { PERSECOND_BLIND, PERSECOND_DEFAULT };
	struct persecond answer = none;
	struct persecond_file file;
	struct guard guard;

	setenv("cpucyclespersecond", "4444444", 1);
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "the guard is free");
	guard_install(&guard, GUARD_ALL);
	environment_read();
	if (!trap_looks())
		unit_skip_child("no seccomp filter here");
	file_guard_call(call_read, &file);
	unit_expect(file.exists && file.said.hz == 0 && !file.ours,
		    "a file that faults is there, silent");
	answer = frequency_estimate(NULL, "", true);
	guard_release(&guard);
	unit_expect(answer.source != PERSECOND_DEFAULT,
		    "those behind the one that faults are asked");
	unit_expect(answer.source > PERSECOND_DEVICE_TREE, "no file was read");
	if (answer.source == PERSECOND_ENVIRONMENT)
		unit_expect(answer.hz == 4444444, "the environment's value");
}

#endif

#if defined(__x86_64__) || defined(__i386__)
/* What CPUs answer, leaf by leaf. Beyond the highest leaf they answer with the last one, as Intel's
 * do. */

struct leaf {
	uint32_t leaf, registers[4];
};

static const struct leaf *made;
static size_t made_count;

static void made_cpuid(uint32_t leaf, uint32_t registers[4])
{
	const struct leaf *found = &made[made_count - 1];

	for (size_t i = 0; i < made_count; i++)
		if (made[i].leaf == leaf)
			found = &made[i];
	memcpy(registers, found->registers, sizeof found->registers);
}

static void expect_cpu(const struct leaf leaves[], size_t n, uint64_t tsc, uint64_t base,
		       uint64_t hypervisor)
{
	made = leaves;
	made_count = n;
	assert_int_equal(x86_tsc_hz(made_cpuid), tsc);
	assert_int_equal(x86_base_hz(made_cpuid), base);
	assert_int_equal(x86_hypervisor_hz(made_cpuid), hypervisor);
}
#define EXPECT_CPU(leaves, ...) expect_cpu(leaves, sizeof leaves / sizeof leaves[0], __VA_ARGS__)

#define HYPERVISOR UINT32_C(0x80000000)
#define VENDOR_INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define VENDOR_KVM 0x4b4d564b, 0x564b4d56, 0x4d
#define VENDOR_VMWARE 0x61774d56, 0x4d566572, 0x65726177
#define VENDOR_HYPERV 0x7263694d, 0x666f736f, 0x76482074

TEST(cpuid_answers)
{
	/* Skylake does not tell its crystal of 24 MHz. */
	static const struct leaf skylake[] = {
		{ 0, { 0x16, VENDOR_INTEL } },
		{ 1, { 0x506e3, 0, 0x7ffafbbf, 0 } },
		{ 0x15, { 2, 284, 0, 0 } },
		{ 0x16, { 3400, 4000, 100, 0 } },
	};
	static const struct leaf ice_lake[] = {
		{ 0, { 0x1b, VENDOR_INTEL } },
		{ 1, { 0x706e5, 0, 0x7ffafbbf, 0 } },
		{ 0x15, { 2, 78, 38400000, 0 } },
		{ 0x16, { 1500, 3900, 100, 0 } },
		{ 0x1b, { 0 } },
	};
	static const struct leaf haswell[] = {
		{ 0, { 0xd, VENDOR_INTEL } },
		{ 1, { 0x306c3, 0, 0x7ffafbbf, 0 } },
		{ 0xd, { 7, 832, 832, 0 } },
	};
	/* The leaves are there, but empty. */
	static const struct leaf amd_vm[] = {
		{ 0, { 0x1c, 0x68747541, 0x444d4163, 0x69746e65 } },
		{ 1, { 0xa10f11, 0, 0xfffa3203, 0 } },
		{ 0x15, { 0 } },
		{ 0x16, { 0 } },
		{ 0x40000000, { 0x40000001, VENDOR_KVM } },
		{ 0x1c, { 0 } },
	};
	static const struct leaf vmware[] = {
		{ 0, { 0xd, VENDOR_INTEL } },
		{ 1, { 0x306e4, 0, HYPERVISOR, 0 } },
		{ 0x40000000, { 0x40000010, VENDOR_VMWARE } },
		{ 0x40000010, { 2600000, 66000, 0, 0 } },
		{ 0xd, { 7, 832, 832, 0 } },
	};
	static const struct leaf no_bit[] = {
		{ 0, { 0xd, VENDOR_INTEL } },
		{ 1, { 0x306e4, 0, 0, 0 } },
		{ 0x40000000, { 0x40000010, VENDOR_VMWARE } },
		{ 0x40000010, { 2600000, 66000, 0, 0 } },
		{ 0xd, { 7, 832, 832, 0 } },
	};
	static const struct leaf hyperv[] = {
		{ 0, { 0xd, VENDOR_INTEL } },
		{ 1, { 0x306e4, 0, HYPERVISOR, 0 } },
		{ 0x40000000, { 0x40000082, VENDOR_HYPERV } },
		{ 0x40000010, { 2600000, 66000, 0, 0 } },
		{ 0xd, { 7, 832, 832, 0 } },
	};
	static const struct leaf old_kvm[] = {
		{ 0, { 0xd, VENDOR_INTEL } },
		{ 1, { 0x306e4, 0, HYPERVISOR, 0 } },
		{ 0x40000000, { 0, VENDOR_KVM } },
		{ 0xd, { 7, 832, 832, 0 } },
	};
	static const struct leaf none[] = { { 0, { 0, 0, 0, 0 } } };

	EXPECT_CPU(skylake, 0, 3400000000, 0);
	EXPECT_CPU(ice_lake, 1497600000, 1500000000, 0);
	EXPECT_CPU(haswell, 0, 0, 0);
	EXPECT_CPU(amd_vm, 0, 0, 0);
	EXPECT_CPU(vmware, 0, 0, 2600000000);
	EXPECT_CPU(no_bit, 0, 0, 0);
	EXPECT_CPU(hyperv, 0, 0, 0);
	EXPECT_CPU(old_kvm, 0, 0, 0);
	EXPECT_CPU(none, 0, 0, 0);
}

/* The sources in their order, of which the first that answers counts. */
static void expect_first(enum persecond_source source, uint64_t hz)
{
	int first = PERSECOND_CPU_FIRST;

	while (first < PERSECOND_CPU_LAST &&
	       !x86_cpuid_hz(made_cpuid, (enum persecond_source)first))
		first++;
	assert_string_equal(frequency_source_name((enum persecond_source)first),
			    frequency_source_name(source));
	assert_int_equal(x86_cpuid_hz(made_cpuid, source), hz);
}

/* A virtual machine shows its host's leaves 0x15 and 0x16, but the hypervisor knows better. */
TEST(hypervisor_comes_first)
{
	struct leaf leaves[] = {
		{ 0, { 0x16, VENDOR_INTEL } },
		{ 1, { 0x606a6, 0, HYPERVISOR, 0 } },
		{ 0x15, { 2, 224, 25000000, 0 } },
		{ 0x16, { 2900, 3500, 100, 0 } },
		{ 0x40000000, { 0x40000010, VENDOR_KVM } },
		{ 0x40000010, { 1000000, 66000, 0, 0 } },
	};

	made = leaves;
	made_count = 6;
	expect_first(PERSECOND_HYPERVISOR_TSC, 1000000000);
	leaves[4].registers[0] = 0x40000001;
	expect_first(PERSECOND_CPUID_TSC, 2800000000);
	leaves[4].registers[0] = 0x40000010;
	leaves[1].registers[2] = 0; /* not a virtual machine */
	expect_first(PERSECOND_CPUID_TSC, 2800000000);
	leaves[2].registers[2] = 0;
	expect_first(PERSECOND_CPUID_BASE, 2900000000);
}

/* Whatever bits a hypervisor makes up, nothing is divided by zero and nothing overflows. */
TEST(cpuid_of_random_bits)
{
	unit_seed();
	for (int i = 0; i < 100000; i++) {
		struct leaf leaves[6] = {
			{ .leaf = 0 },    { .leaf = 1 },          { .leaf = 0x15 },
			{ .leaf = 0x16 }, { .leaf = 0x40000000 }, { .leaf = 0x40000010 },
		};

		for (size_t j = 0; j < 6; j++)
			for (size_t k = 0; k < 4; k++)
				leaves[j].registers[k] = (uint32_t)unit_random_bits(32);
		made = leaves;
		made_count = 6;
		if (x86_tsc_hz(made_cpuid))
			assert_int_equal(x86_tsc_hz(made_cpuid), (uint64_t)leaves[2].registers[1] *
									 leaves[2].registers[2] /
									 leaves[2].registers[0]);
		assert_true(x86_base_hz(made_cpuid) <= UINT64_C(65535000000));
		assert_true(x86_hypervisor_hz(made_cpuid) <= UINT64_C(4294967295000));
	}
}

/* From the kernel's multiplier follows the rate from which the kernel has computed it. */
TEST(perf_page_multipliers)
{
	assert_int_equal(x86_multiplier_hz(0, 31), 0);
	assert_int_equal(x86_multiplier_hz(1, 35), 0);
	assert_int_equal(x86_multiplier_hz(1, UINT_MAX), 0);
	assert_int_equal(x86_multiplier_hz(1, 0), 1000000000);
	assert_int_equal(x86_multiplier_hz(UINT32_C(1) << 31, 31), 1000000000);
	for (uint64_t hz = 100000000; hz < 6000000000; hz += 99999989) {
		unsigned shift = 31;
		uint64_t multiplier = (UINT64_C(1000000000) << shift) / hz, back;

		while (multiplier > UINT32_MAX)
			multiplier = (UINT64_C(1000000000) << --shift) / hz;
		back = x86_multiplier_hz((uint32_t)multiplier, shift);
		if (back < hz || back - hz > hz / 100000000 + 1)
			fail_msg("got %llu, expected %llu", (unsigned long long)back,
				 (unsigned long long)hz);
	}
}
#endif

UNIT_MAIN("frequency", unit_folder_make, unit_folder_remove)
