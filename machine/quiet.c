/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "quiet.h"
#include "tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CPUFREQ "/sys/devices/system/cpu/cpufreq/"
#define IRQ "/proc/irq/"
#define HEXADECIMAL "0123456789abcdef"

struct kind {
	const char *path;
	const char *wanted; /* NULL: the mask that is found, without the quiet CPU */
	const char *also;   /* another value that is quiet; NULL: none */
	const char *gain, *risk;
};

/* Somebody who chose the governor userspace chose a frequency with it, which would be lost. Source:
 * kernel, admin-guide/pm/cpufreq.rst. */
static const struct kind governor = {
	.path = CPUFREQ "*/scaling_governor",
	.wanted = "performance",
	.also = "userspace",
	.gain = "the frequency does not follow the load, so that a program is not slow until the"
		" governor has noticed it",
	.risk = "the CPUs take more power also when they have little to do",
};

#define BOOST_GAIN "the frequency does not depend on how many CPUs are busy and how warm they are"
#define BOOST_RISK "programs that boost makes faster are slower"

/* With a file in each policy, the one for all is not touched: its value would change theirs. */
static const struct kind policy_boost = {
	.path = CPUFREQ "*/boost",
	.wanted = "0",
	.gain = BOOST_GAIN,
	.risk = BOOST_RISK,
};
static const struct kind boost = {
	.path = CPUFREQ "boost",
	.wanted = "0",
	.gain = BOOST_GAIN,
	.risk = BOOST_RISK,
};

/* Source: kernel, admin-guide/pm/intel_pstate.rst. */
static const struct kind no_turbo = {
	.path = "/sys/devices/system/cpu/intel_pstate/no_turbo",
	.wanted = "1",
	.gain = BOOST_GAIN,
	.risk = BOOST_RISK,
};

/* Source: kernel, admin-guide/sysctl/kernel.rst. */
static const struct kind numa = {
	.path = "/proc/sys/kernel/numa_balancing",
	.wanted = "0",
	.gain = "the kernel does not unmap a program's pages to see which node uses them",
	.risk = "memory stays on the node where it is, also if programs on another one use it",
};

/* Source: kernel, core-api/irq/irq-affinity.rst. */
static const struct kind interrupt = {
	.path = IRQ "*/smp_affinity",
	.gain = "the device does not interrupt what runs on the quiet CPU",
	.risk = "the other CPUs have more interrupts to handle",
};

static const struct kind *const kinds[] = { &governor, &policy_boost, &boost,
					    &no_turbo, &numa,         &interrupt };

#define KINDS (sizeof kinds / sizeof kinds[0])

static bool is_mask(const char *text)
{
	return !text[strspn(text, HEXADECIMAL ",")];
}

static bool is_empty(const char *mask)
{
	return !mask[strspn(mask, "0,")];
}

bool quiet_take_out(char *mask, int cpu)
{
	char *at = mask + strlen(mask);
	int digits = cpu / 4 + 1;
	unsigned digit, bit = 1u << cpu % 4;

	if (!is_mask(mask))
		return false;
	while (at > mask && digits > 0)
		digits -= *--at != ',';
	if (digits > 0)
		return false;
	digit = (unsigned)(strchr(HEXADECIMAL, *at) - HEXADECIMAL);
	*at = HEXADECIMAL[digit & ~bit];
	return digit & bit;
}

enum setting_state quiet_move(const char *mask, const char *usual, int cpu,
			      char wanted[SETTING_VALUE_SIZE])
{
	strcpy(wanted, mask);
	if (!quiet_take_out(wanted, cpu))
		return SETTING_AS_WANTED;
	if (!is_empty(wanted))
		return SETTING_OTHER;
	strcpy(wanted, usual);
	quiet_take_out(wanted, cpu);
	return is_empty(wanted) || strlen(wanted) != strlen(mask) ? SETTING_LEFT : SETTING_OTHER;
}

static bool is_quiet(const struct kind *kind, const char *value)
{
	return !strcmp(value, kind->wanted) || (kind->also && !strcmp(value, kind->also));
}

bool quiet_would_write(const char *path, const char *found, const char *wrote)
{
	size_t i = 0;

	while (i < KINDS && !setting_matches(path, kinds[i]->path))
		i++;
	if (i == KINDS)
		return false;
	if (kinds[i]->wanted)
		return !is_quiet(kinds[i], found) && !strcmp(wrote, kinds[i]->wanted);
	return is_mask(found) && is_mask(wrote) && strlen(found) == strlen(wrote) &&
	       !is_empty(wrote);
}

const char *quiet_interrupt(const char *path)
{
	return setting_matches(path, interrupt.path) ? path + strlen(IRQ) : NULL;
}

/* Source: kernel, kernel/irq/proc.c: EPERM, or EIO in older kernels. The others are those of the
 * interrupt's controller, and of an interrupt that has gone. */
bool quiet_refuses(const char *path, int error)
{
	return quiet_interrupt(path) && (error == -EPERM || error == -EIO || error == -EINVAL ||
					 error == -ENOSPC || error == -EBUSY || error == -ENOENT);
}

/* What is read, and where it goes. */
struct reading {
	const char *root;
	int cpu;
	const struct kind *kind;
	char usual[SETTING_VALUE_SIZE];
	struct settings *settings;
};

/* NULL: there is no more room. What does not fit is not changed. */
static struct setting *add(const struct reading *reading, const char *path)
{
	struct setting *setting = settings_add(reading->settings, path);

	if (!setting)
		return NULL;
	setting->gain = reading->kind->gain;
	setting->risk = reading->kind->risk;
	return setting;
}

static bool has_governor(const char *root, const char *path, const char *name)
{
	char list[SETTING_VALUE_SIZE], other[SETTING_PATH_SIZE + sizeof "available_governors"];

	snprintf(other, sizeof other, "%.*s/scaling_available_governors",
		 (int)(strrchr(path, '/') - path), path);
	return tree_read(root, other, list, sizeof list) > 0 && strstr(list, name);
}

static void judge(const struct reading *reading, struct setting *setting)
{
	const struct kind *kind = reading->kind;

	strcpy(setting->wanted, kind->wanted);
	if (is_quiet(kind, setting->found))
		return;
	setting->state = SETTING_OTHER;
	if (kind != &governor || has_governor(reading->root, setting->path, kind->wanted))
		return;
	setting->state = SETTING_LEFT;
	setting->left = "this policy does not know the governor performance";
}

static void add_setting(const char *path, void *argument)
{
	const struct reading *reading = argument;
	struct setting *setting = add(reading, path);

	if (!setting)
		return;
	setting->error = setting_get(reading->root, path, setting->found);
	/* The files of a policy stay when its last CPU goes offline, and are busy then. */
	if (setting->error == -ENOENT || setting->error == -EBUSY)
		setting->state = SETTING_ABSENT;
	else if (setting->error)
		setting->state = SETTING_UNREADABLE;
	else
		judge(reading, setting);
}

/* The kernel gives the file of an interrupt that cannot move no right to write, not even root's. */
static bool can_move(const char *root, const char *path)
{
	char whole[2 * SETTING_PATH_SIZE + SETTING_VALUE_SIZE];
	struct stat status;

	snprintf(whole, sizeof whole, "%s%s", root, path);
	return !stat(whole, &status) && status.st_mode & S_IWUSR;
}

/* An interrupt whose mask cannot be read is none that this program moves. */
static void add_interrupt(const char *path, void *argument)
{
	const struct reading *reading = argument;
	char found[SETTING_VALUE_SIZE], wanted[SETTING_VALUE_SIZE];
	enum setting_state state;
	struct setting *setting;

	if (setting_get(reading->root, path, found))
		return;
	state = quiet_move(found, reading->usual, reading->cpu, wanted);
	if (state == SETTING_AS_WANTED)
		return;
	setting = add(reading, path);
	if (!setting)
		return;
	setting->state = state;
	strcpy(setting->found, found);
	strcpy(setting->wanted, wanted);
	setting->left = "no other CPU may take it";
	if (can_move(reading->root, path))
		return;
	setting->state = SETTING_LEFT;
	setting->left = "the kernel does not let it move";
}

/* What a line says of a program that moves interrupts itself. Empty: none runs. */
static char mover[64];

/* Only root's programs can move interrupts. Every user can give a program their names, also by a
 * link to one that is setuid, which has the real user in the first place. */
static bool is_roots(const char *root, const char *comm)
{
	char text[1024], path[SETTING_PATH_SIZE];

	snprintf(path, sizeof path, "%.*sstatus", (int)(strlen(comm) - strlen("comm")), comm);
	return tree_read(root, path, text, sizeof text) > 0 && strstr(text, "\nUid:\t0\t0\t");
}

static void see_process(const char *path, void *argument)
{
	const struct reading *reading = argument;
	const char *number = path + strlen("/proc/");
	char name[SETTING_VALUE_SIZE];

	if (!setting_get(reading->root, path, name) &&
	    (!strcmp(name, "irqbalance") || !strcmp(name, "tuned")) &&
	    is_roots(reading->root, path))
		snprintf(mover, sizeof mover, "%.10s runs (process %.*s) and moves them itself",
			 name, (int)strcspn(number, "/"), number);
}

/* How many settings there are of this kind. */
static size_t read_kind(struct reading *reading, const struct kind *kind,
			void (*add_one)(const char *path, void *argument))
{
	const size_t before = reading->settings->count;

	reading->kind = kind;
	setting_each(reading->root, kind->path, add_one, reading);
	return reading->settings->count - before;
}

/* Say something of all settings of the kind. */
static void add_all(struct reading *reading, const struct kind *kind, enum setting_state state,
		    const char *left)
{
	struct setting *setting;

	reading->kind = kind;
	setting = add(reading, kind->path);
	if (!setting)
		return;
	setting->state = state;
	setting->left = left;
}

/* A program that moves interrupts itself would move them back, or find its own work undone. */
static void read_interrupts(struct reading *reading)
{
	mover[0] = 0;
	setting_each(reading->root, "/proc/*/comm", see_process, reading);
	if (*mover) {
		add_all(reading, &interrupt, SETTING_LEFT, mover);
		return;
	}
	if (setting_get(reading->root, IRQ "default_smp_affinity", reading->usual))
		reading->usual[0] = 0;
	read_kind(reading, &interrupt, add_interrupt);
}

void quiet_read(const char *root, int cpu, struct settings *settings)
{
	struct reading reading = { .root = root, .cpu = cpu, .settings = settings };

	settings->count = settings->missed = 0;
	if (!read_kind(&reading, &governor, add_setting))
		add_all(&reading, &governor, SETTING_ABSENT, NULL);
	if (!read_kind(&reading, &policy_boost, add_setting))
		read_kind(&reading, &boost, add_setting);
	read_kind(&reading, &no_turbo, add_setting);
	read_kind(&reading, &numa, add_setting);
	read_interrupts(&reading);
}
