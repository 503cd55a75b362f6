#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Events of systems that are not here: each file compiles against declarations of that system,
# asks it for the right things in the right order, and makes of given answers what it should. None
# of them has run on its system.

. "$top_srcdir/tests/harness/tap.sh"
case $(uname -s) in Linux) ;; *) skip_all "this system's own headers would be in the way" ;; esac

# What is expected below has these words for errors. Another libc's words differ.
echo '#include <errno.h>
#include <stdio.h>
#include <string.h>
int main(void) { return puts(strerror(EOPNOTSUPP)) < 0; }' >"$scratch/words.c"
# shellcheck disable=SC2086 # CC and CFLAGS are words
$CC $CFLAGS -o "$scratch/words" "$scratch/words.c" 2>/dev/null &&
	[ "$("$scratch/words")" = "Operation not supported" ] ||
	skip_all "this libc has other words for errors"

events_run="pctr=made kperf=made"

mkdir -p "$scratch/include/sys" "$scratch/include/machine"

# Functions of libc that the made systems answer. A macro behind the declaration, because the name
# in the declaration may stand for another one in the library.
cat >"$scratch/include/fcntl.h" <<'END'
#ifndef MADE_FCNTL_H
#define MADE_FCNTL_H
#include_next <fcntl.h>
#undef open
#undef fcntl
#define open made_open
#define fcntl made_fcntl
int made_open(const char *, int, ...);
int made_fcntl(int, int, ...);
#endif
END
cat >"$scratch/include/unistd.h" <<'END'
#ifndef MADE_UNISTD_H
#define MADE_UNISTD_H
#include_next <unistd.h>
#define close made_close
#define getpid made_getpid
int made_close(int);
pid_t made_getpid(void);
#endif
END
cat >"$scratch/include/sys/ioctl.h" <<'END'
#ifndef MADE_IOCTL_H
#define MADE_IOCTL_H
int made_ioctl(int, unsigned long, ...);
#define ioctl made_ioctl
#endif
END
cat >"$scratch/include/sys/resource.h" <<'END'
#ifndef MADE_RESOURCE_H
#define MADE_RESOURCE_H
#define RUSAGE_THREAD 1
struct rusage { long ru_nvcsw, ru_nivcsw; };
int made_getrusage(int, struct rusage *);
#define getrusage made_getrusage
#endif
END
cat >"$scratch/include/dlfcn.h" <<'END'
#define RTLD_LAZY 1
#define RTLD_LOCAL 4
void *made_dlopen(const char *, int);
void *made_dlsym(void *, const char *);
#define dlopen made_dlopen
#define dlsym made_dlsym
END
# pctr(4), and the numbers of ioctl(2) on BSD
: >"$scratch/include/machine/cpu.h"
cat >"$scratch/include/machine/pctr.h" <<'END'
#include <stdint.h>
#undef _IOR
#undef _IOW
#define MADE_IOC(direction, group, number, type) \
	(unsigned long)((direction) | (sizeof(type) & 0x1fff) << 16 | (unsigned)(group) << 8 | \
			(number))
#define _IOR(group, number, type) MADE_IOC(0x40000000u, group, number, type)
#define _IOW(group, number, type) MADE_IOC(0x80000000u, group, number, type)
typedef uint64_t pctrval;
#define PCTR_NUM 4
struct pctrst {
	unsigned pctr_fn[PCTR_NUM];
	pctrval pctr_tsc;
	pctrval pctr_hwc[PCTR_NUM];
};
#define PCIOCRD _IOR('c', 1, struct pctrst)
#define PCIOCS0 _IOW('c', 8, unsigned)
#define PCIOCS1 _IOW('c', 9, unsigned)
#define PCIOCS2 _IOW('c', 10, unsigned)
#define PCIOCS3 _IOW('c', 11, unsigned)
/* It may fault, and cpucycles-events(7) says that it is not used. */
#pragma GCC poison rdpmc
END
cat >"$scratch/include/cpuid.h" <<'END'
int __get_cpuid(unsigned, unsigned *, unsigned *, unsigned *, unsigned *);
END

# What both drivers share: events of a list, results as lines.
cat >"$scratch/driver.h" <<'END'
#include "config.h"
#include "events/group.h"
#include "reason.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct event events[EVENTS_MAX + 1];
static const struct event *members[EVENTS_MAX + 1];
static struct cpucycles_reason reason;

static void print_result(const char *what, int error)
{
	if (error)
		printf("%s: %s: %s (%s)\n", what, strerror(-error), reason.what, reason.remedy);
	else
		printf("%s\n", what);
}

/* How many could be resolved. */
static inline size_t resolve(const char *list)
{
	size_t n = 0, length;
	const char *text;

	while ((text = event_next(&list, &length))) {
		struct event *event = &events[n];
		int error = event_parse(text, length, &event->ask, &reason);

		if (!error)
			error = event_resolve(event, &reason);
		if (error) {
			print_result("refused", error);
			continue;
		}
		printf("%s: %u %08llx%s%s%s\n", event->ask.text, (unsigned)event->codes[0].type,
		       (unsigned long long)event->codes[0].config[0], event->user ? " user" : "",
		       event->kernel ? " kernel" : "", event->by_default ? " by default" : "");
		members[n++] = event;
	}
	return n;
}

/* NUMBER of NAME=KEY:NUMBER in the environment. 0: there is none. */
static inline int number_for(const char *name, const char *key)
{
	const char *text = getenv(name);
	const size_t length = strlen(key);

	return text && !strncmp(text, key, length) && text[length] == ':' ?
		       atoi(text + length + 1) : 0;
}

static inline int fails(const char *key)
{
	errno = number_for("fail", key);
	return errno ? -1 : 0;
}
END

# pctr EVENTS LOOK...: each PCIOCRD takes the next look, TSC,COUNT0,COUNT1,COUNT2,COUNT3 in hex,
# behind which may stand SWITCHES and the function of counter 0.
cat >"$scratch/pctr.c" <<'END'
#include "driver.h"
#include <cpuid.h>
#include <machine/pctr.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <stdarg.h>

static unsigned functions[PCTR_NUM] = { 0x111, 0x222, 0x333, 0x444 };
static char **looks;
static unsigned long long switched;

int __get_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
	const char *cpu = getenv("cpu");
	const char *words = getenv("leaf10");
	const char *vendor = !cpu ? "GenuineIntel" : cpu;

	*a = *b = *c = *d = 0;
	if (leaf == 0) {
		memcpy(b, vendor, 4);
		memcpy(d, vendor + 4, 4);
		memcpy(c, vendor + 8, 4);
		return 1;
	}
	return leaf == 10 && sscanf(words ? words : "07000004:0", "%x:%x", a, b) == 2;
}
int made_open(const char *path, int flags, ...)
{
	printf("open %s%s%s\n", path, (flags & O_ACCMODE) == O_RDWR ? " rw" : "",
	       flags & O_CLOEXEC ? " cloexec" : "");
	return fails("open") ? -1 : 5;
}
int made_close(int fd)
{
	printf("close %d\n", fd);
	return 0;
}
int made_getrusage(int who, struct rusage *usage)
{
	if (who != RUSAGE_THREAD)
		return -1;
	*usage = (struct rusage){ (long)switched / 2, (long)(switched - switched / 2) };
	return 0;
}
static void take_look(struct pctrst *state)
{
	unsigned long long v[7] = { 0 };
	int got;

	memset(state, 0x55, sizeof *state);
	memcpy(state->pctr_fn, functions, sizeof functions);
	if (!*looks)
		return;
	got = sscanf(*looks++, "%llx,%llx,%llx,%llx,%llx,%llx,%llx", &v[0], &v[1], &v[2], &v[3],
		     &v[4], &v[5], &v[6]);
	state->pctr_tsc = v[0];
	for (int i = 0; i < PCTR_NUM; i++)
		state->pctr_hwc[i] = v[i + 1];
	if (got > 5)
		switched = v[5];
	if (got > 6)
		state->pctr_fn[0] = (unsigned)v[6];
}
int made_ioctl(int fd, unsigned long request, ...)
{
	char key[20];
	va_list list;
	void *data;

	va_start(list, request);
	data = va_arg(list, void *);
	va_end(list);
	snprintf(key, sizeof key, "%08lx", request);
	printf("ioctl %d %s", fd, key);
	if (request == PCIOCRD) {
		puts("");
		if (fails(key))
			return -1;
		take_look(data);
		return 0;
	}
	printf(" %08x\n", *(unsigned *)data);
	if (fails(key))
		return -1;
	functions[request - PCIOCS0] = *(unsigned *)data;
	return 0;
}
int main(int count, char **arguments)
{
	static union { char bytes[4096]; long long aligned; } memory;
	struct event_group *group = (struct event_group *)&memory;
	uint64_t counts[PCTR_NUM] = { 0 };
	size_t n, which = 99;
	int error;

	if (count < 2 || event_group_bytes(4) > sizeof memory)
		return 2;
	n = resolve(arguments[1]);
	looks = arguments + 2;
	if (!*looks)
		return 0;
	error = event_group_open(group, members, n, &which, &reason);
	if (error) {
		printf("event %zu: ", which);
		print_result("not open", error);
		return 0;
	}
	puts(event_group_way(group));
	while (*looks && (looks[1] || !getenv("lost"))) {
		char **const this_one = looks;

		error = event_group_read(group, counts);
		printf("read: %s", strerror(-error));
		for (size_t i = 0; !error && i < n; i++)
			printf(" %llu", (unsigned long long)counts[i]);
		puts("");
		looks = this_one + 1; /* a group that has lost its counts takes no more looks */
	}
	if (getenv("lost"))
		printf("lost: %s\n", strerror(-event_group_lost(group)));
	event_group_close(group);
	event_group_close(group);
	return 0;
}
END

# kperf EVENTS LOOK...: each kpc_get_thread_counters takes the next look, the counts with commas
# between them.
cat >"$scratch/kperf.c" <<'END'
#include "driver.h"
#include "kperf.h"
#include <dlfcn.h>
#include <stdarg.h>

static char **looks;
static int process = 100;
static unsigned counters = 10, counting = 4, thread_counting = 8;
static int forced;

int made_open(const char *path, int flags, ...)
{
	va_list list;
	unsigned mode;

	va_start(list, flags);
	mode = va_arg(list, unsigned);
	va_end(list);
	printf("open %s%s%s%s%s %o\n", path, (flags & O_ACCMODE) == O_RDWR ? " rw" : "",
	       flags & O_CREAT ? " create" : "", flags & O_CLOEXEC ? " cloexec" : "",
	       flags & O_NOFOLLOW ? " nofollow" : "", mode);
	return fails("open") ? -1 : 5;
}
int made_close(int fd)
{
	printf("close %d\n", fd);
	return 0;
}
pid_t made_getpid(void) { return process; }
int made_fcntl(int fd, int command, ...)
{
	const char *holder = getenv("holder");
	struct flock *lock;
	va_list list;

	va_start(list, command);
	lock = va_arg(list, struct flock *);
	va_end(list);
	if (lock->l_type != F_WRLCK || lock->l_whence != SEEK_SET || lock->l_start || lock->l_len)
		puts("another lock");
	if (command == F_SETLK) {
		printf("lock %d\n", fd);
		errno = EAGAIN;
		return holder || fails("lock") ? -1 : 0;
	}
	if (command != F_GETLK)
		return -1;
	lock->l_type = holder ? F_WRLCK : F_UNLCK;
	lock->l_pid = holder ? atoi(holder) : 0;
	return 0;
}

static int call(const char *name, unsigned value)
{
	printf("%s %u\n", name, value);
	return fails(name);
}
static int force_get(int *value)
{
	*value = forced;
	return fails("force_get");
}
static int force_set(int value)
{
	if (call("force", (unsigned)value))
		return -1;
	forced = value;
	return 0;
}
static uint32_t counter_count(uint32_t classes)
{
	return (classes & 1 ? 2 : 0) + (classes & 2 ? counters - 2 : 0);
}
static uint32_t config_count(uint32_t classes) { return classes & 2 ? counters - 2 : 0; }
static int get_config(uint32_t classes, void *config)
{
	for (uint64_t i = 0; i < config_count(classes); i++)
		((uint64_t *)config)[i] = i + 1;
	return fails("get_config");
}
static int set_config(uint32_t classes, void *config)
{
	printf("config %u", (unsigned)classes);
	for (uint32_t i = 0; i < config_count(classes); i++)
		printf(" %llx", ((unsigned long long *)config)[i]);
	puts("");
	return fails("config");
}
static uint32_t get_counting(void) { return counting; }
static int set_counting(uint32_t classes)
{
	counting = classes;
	return call("counting", classes);
}
static uint32_t get_thread_counting(void) { return thread_counting; }
static int set_thread_counting(uint32_t classes)
{
	thread_counting = classes;
	return call("thread_counting", classes);
}
static int get_thread_counters(uint32_t thread, uint32_t n, uint64_t *counts)
{
	char *text = *looks;

	if (thread != 0 || n != counters)
		puts("another thread or number of counters");
	if (!text)
		return 0;
	looks++;
	if (*text == '-') {
		errno = EINVAL;
		return -1;
	}
	for (uint32_t i = 0; i < n; i++) {
		counts[i] = text ? strtoull(text, &text, 10) : 0;
		text = text && *text == ',' ? text + 1 : NULL;
	}
	return 0;
}
static int reset(void) { puts("kperf_reset"); return 0; }

void *made_dlopen(const char *path, int flags)
{
	printf("dlopen %s%s\n", path, flags == (RTLD_LAZY | RTLD_LOCAL) ? "" : " otherwise");
	return getenv("no_kperf") ? NULL : &counting;
}
void *made_dlsym(void *library, const char *name)
{
	static const struct { const char *name; void (*function)(void); } all[] = {
#define SYMBOL(name, function) { name, (void (*)(void))function }
		SYMBOL("kpc_force_all_ctrs_get", force_get),
		SYMBOL("kpc_force_all_ctrs_set", force_set),
		SYMBOL("kpc_get_counter_count", counter_count),
		SYMBOL("kpc_get_config_count", config_count),
		SYMBOL("kpc_get_config", get_config),
		SYMBOL("kpc_set_config", set_config),
		SYMBOL("kpc_get_counting", get_counting),
		SYMBOL("kpc_set_counting", set_counting),
		SYMBOL("kpc_get_thread_counting", get_thread_counting),
		SYMBOL("kpc_set_thread_counting", set_thread_counting),
		SYMBOL("kpc_get_thread_counters", get_thread_counters),
		SYMBOL("kperf_reset", reset),
	};
	const char *lacks = getenv("lacks");
	void *symbol = NULL;

	if (library != &counting || (lacks && !strcmp(lacks, name)))
		return NULL;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(all[i].name, name))
			memcpy(&symbol, &all[i].function, sizeof symbol);
	return symbol;
}

static union { char bytes[4096]; long long aligned; } memory[2];
static long long (*cycles)(void);

static int open_group(unsigned i, size_t n)
{
	size_t which = 99;
	const int error = event_group_open((struct event_group *)&memory[i], members, n, &which,
					   &reason);

	printf("event %zu: ", which);
	print_result(error ? "not open" : "open", error);
	return error;
}

static void read_group(size_t n)
{
	uint64_t counts[EVENTS_MAX + 1] = { 0 };
	const int error = event_group_read((struct event_group *)&memory[0], counts);

	printf("read: %s", strerror(-error));
	for (size_t i = 0; !error && i < n; i++)
		printf(" %llu", (unsigned long long)counts[i]);
	puts("");
}

static void open_cycles(void)
{
	print_result("cycles", kperf_cycles_ready(&cycles, &reason));
	if (cycles)
		printf("%lld\n", cycles());
}

/* What the variable `also` names, while the group is open. */
static void also(const char *what, size_t n)
{
	if (!strcmp(what, "cycles")) {
		open_cycles();
		kperf_cycles_close();
	} else if (!strcmp(what, "group")) {
		if (!open_group(1, n))
			event_group_close((struct event_group *)&memory[1]);
	} else if (!strcmp(what, "child")) {
		process = 200;
	} else if (!strcmp(what, "unforced")) {
		forced = 0;
	} else if (!strcmp(what, "stopped")) {
		counting = 1;
	} else if (!strcmp(what, "threads")) {
		thread_counting = 0;
	}
}

int main(int count, char **arguments)
{
	size_t n;

	if (count < 2 || event_group_bytes(EVENTS_MAX + 1) > sizeof memory[0])
		return 2;
	if (getenv("counters"))
		counters = (unsigned)atoi(getenv("counters"));
	forced = getenv("forced") != NULL;
	n = resolve(arguments[1]);
	looks = arguments + 2;
	if (!*looks)
		return 0;
	if (n == 0) {
		open_cycles();
		while (cycles && *looks)
			printf("%lld\n", cycles());
		kperf_cycles_close();
		kperf_cycles_close();
		return 0;
	}
	if (open_group(0, n))
		return 0;
	if (getenv("also"))
		also(getenv("also"), n);
	while (*looks && (looks[1] || !getenv("lost")))
		read_group(n);
	if (getenv("lost"))
		printf("lost: %s\n", strerror(-event_group_lost((struct event_group *)&memory[0])));
	event_group_close((struct event_group *)&memory[0]);
	event_group_close((struct event_group *)&memory[0]);
	return 0;
}
END

# compile PROGRAM FILE FLAG...
compile() {
	program=$1 file=$2
	shift 2
	# shellcheck disable=SC2086 # CC and CFLAGS are lists
	${CC:-cc} ${CFLAGS:-} -U_FORTIFY_SOURCE -std=gnu11 \
		-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror "$@" \
		-I"$scratch/include" -I"$top_builddir" -I"$top_srcdir/lib" -I"$top_srcdir/include" \
		-I"$top_srcdir/measure" -I"$top_srcdir/base" -I"$top_srcdir/sentences" \
		-o "$scratch/$program" "$scratch/$program.c" "$top_srcdir/measure/$file" \
		"$top_srcdir/measure/events/kernel-names.c" \
		"$top_srcdir/measure/events/name.c" \
		"$top_srcdir/measure/events/word.c" "$top_srcdir/sentences/reason.c" -lpthread \
		2>"$scratch/err" && return
	sed 's/^/# /' "$scratch/err"
	return 1
}
# says NAME EXPECTED COMMAND...: the lines of the program. VARIABLE=VALUE may stand before it.
says() {
	says_name=$1 says_expected=$2
	shift 2
	is "$says_name" "$(PATH="$scratch:$PATH" env "$@" 2>&1)" "$says_expected"
}

# gives: the same, of results only.
gives() {
	says_name=$1 says_expected=$2
	shift 2
	is "$says_name" "$(PATH="$scratch:$PATH" env "$@" 2>&1 |
		grep -E '^(event|read|lost)')" "$says_expected"
}

# OpenBSD

ok "group-openbsd.c compiles" compile pctr events/group-openbsd.c -D__OpenBSD__
look=1000,0,0,0,0
way="system call; the CPU's counts, void once the thread is switched away"

says "function words of raw events and of words" "\
r00c0: 0 004100c0 user by default
r4f2e:k: 0 00424f2e kernel
r00c0:uk: 0 004300c0 user kernel
r00c5:u:um=0f:c=2:ei: 0 02c50fc5 user
0x4300c0: 0 004300c0 user kernel" pctr r00c0,r4f2e:k,r00c0:uk,r00c5:u:um=0f:c=2:ei,0x4300c0
says "generic events on Intel are the architectural ones" "\
cycles: 0 0041003c user by default
instructions:k: 0 004200c0 kernel
cache-references: 0 00414f2e user by default
cache-misses: 0 0041412e user by default
branches: 0 004100c4 user by default
branch-misses: 0 004100c5 user by default
ref-cycles: 0 0041013c user by default" \
	pctr cycles,instructions:k,cache-references,cache-misses,branches,branch-misses,ref-cycles
manual="(name the event by its code in the CPU's manual, as in r00c0:u)"
unknown="No such file or directory"
none="no code is known for it on this CPU"
says "other generic events" \
	"refused: $unknown: bus-cycles: $none $manual" pctr bus-cycles
says "an event that this Intel CPU does not have" "\
instructions: 0 004100c0 user by default
refused: $unknown: cache-misses: $none $manual" \
	leaf10=07000004:10 pctr instructions,cache-misses
says "an Intel CPU that tells of few events" \
	"refused: $unknown: branch-misses: $none $manual" leaf10=06000004:0 pctr branch-misses
says "an Intel CPU without architectural events" \
	"refused: $unknown: cycles: $none $manual" leaf10=07000000:0 pctr cycles
says "AMD has other codes" "\
cycles: 0 00410076 user by default
instructions:uk: 0 004300c0 user kernel
branches: 0 004100c2 user by default
branch-misses: 0 004100c3 user by default
refused: $unknown: cache-misses: $none $manual" \
	cpu=AuthenticAMD pctr cycles,instructions:uk,branches,branch-misses,cache-misses
says "other CPUs" "refused: $unknown: cycles: $none $manual" cpu=OtherCPUmade pctr cycles
says "a code that is too long" "refused: $unknown: r100c0: does not fit into a function word of \
pctr(4), which has 8 bits for the code and 8 for the unit mask $manual" pctr r100c0
others="Operation not supported"
only="OpenBSD counts events of the CPU only, by pctr(4)"
says "events that OpenBSD does not count" "\
refused: $others: page-faults: $only $manual
refused: $others: L1-dcache-loads: $only $manual
refused: $others: msr/tsc/: $only $manual
refused: $others: mem:0x1000:x: $only $manual
refused: $others: INST_RETIRED: $only $manual" \
	pctr page-faults,L1-dcache-loads,msr/tsc/,mem:0x1000:x,INST_RETIRED

# The functions before are put back.
opened="open /dev/pctr rw cloexec
ioctl 5 40386301"
put_back="ioctl 5 80046308 00000111
ioctl 5 80046309 00000222
ioctl 5 8004630a 00000333
ioctl 5 8004630b 00000444
close 5"
says "the calls, in their order, with the numbers of OpenBSD" "\
r00c0:u: 0 004100c0 user
r00c5:k: 0 004200c5 kernel
r003c: 0 0041003c user by default
r00c4: 0 004100c4 user by default
$opened
ioctl 5 80046308 004100c0
ioctl 5 80046309 004200c5
ioctl 5 8004630a 0041003c
ioctl 5 8004630b 004100c4
ioctl 5 40386301
$way
ioctl 5 40386301
read: Success 16 32 48 64
ioctl 5 40386301
read: Success 17 33 49 65
ioctl 5 40386301
lost: Success
$put_back" lost=1 pctr r00c0:u,r00c5:k,r003c,r00c4 $look 1000,5,5,5,5 1100,15,25,35,45 \
	1200,16,26,36,46 1300,16,26,36,46
says "one event leaves the other counters alone" "\
r00c0: 0 004100c0 user by default
$opened
ioctl 5 80046308 004100c0
ioctl 5 40386301
$way
ioctl 5 40386301
read: Success 0
ioctl 5 80046308 00000111
close 5" pctr r00c0 $look $look $look

again="Resource temporarily unavailable"
gives "counts begin again from 0 after 40 bits" "\
read: Success 32
read: Success 549755813904
read: Success 1099511627800" pctr r00c0 $look 1000,fffffffff0,0,0,0 1100,10,0,0,0 \
	1000000100,8000000000,0,0,0 2000000000,8,0,0,0
gives "bits above the 40th do not count" "read: Success 1" \
	pctr r00c0 $look 1000,ff0000000005,0,0,0 1100,ee0000000006,0,0,0
gives "a counter that is set back" "\
read: Success 1
read: $again
read: $again
lost: $again" lost=1 \
	pctr r00c0 $look 1000,100,0,0,0 1100,101,0,0,0 1200,90,0,0,0 1300,200,0,0,0 1400,201,0,0,0
gives "the second of two is set back" "read: $again" \
	pctr r00c0,r00c5 $look 1000,100,100,0,0 1100,101,99,0,0
gives "the time-stamp counter goes back" "read: $again" pctr r00c0 $look 1000,0,0,0,0 fff,0,0,0,0
gives "so long between two looks that 40 bits do not suffice" "\
read: Success 1
read: $again" pctr r00c0 $look 1000,0,0,0,0 1000000fff,1,0,0,0 2000001fff,2,0,0,0
gives "the thread is switched away" "\
read: Success 1
read: $again
lost: $again" lost=1 pctr r00c0 $look,7 1000,0,0,0,0,7 1100,1,0,0,0,7 1200,2,0,0,0,8 1300,3,0,0,0,8
gives "somebody sets the counter" "read: $again" \
	pctr r00c0 $look 1000,0,0,0,0,0,4100c0 1100,1,0,0,0,0,4100c5

fewer="(ask for fewer events, or for some of them in another run)"
gives "five events" "event 5: not open: No space left on device: \
5 events with the cycles, but this CPU has 4 counters $fewer" \
	pctr r00c0,r00c1,r00c2,r00c3,cycles $look
says "three events on a CPU with two counters" "\
r00c0: 0 004100c0 user by default
r00c1: 0 004100c1 user by default
r00c2: 0 004100c2 user by default
$opened
ioctl 5 80046308 004100c0
ioctl 5 80046309 004100c1
ioctl 5 8004630a 004100c2
ioctl 5 80046308 00000111
ioctl 5 80046309 00000222
close 5
event 3: not open: No space left on device: \
3 events with the cycles, but this CPU has 2 counters $fewer" \
	fail=8004630a:22 pctr r00c0,r00c1,r00c2 $look
says "the second look fails" "\
r00c0: 0 004100c0 user by default
open /dev/pctr rw cloexec
ioctl 5 40386301
close 5
event 0: not open: Input/output error: /dev/pctr: Input/output error ()" \
	fail=40386301:5 pctr r00c0 $look
for number in 13 1; do
	text=$([ $number = 1 ] && echo "Operation not permitted" || echo "Permission denied")
	gives "not permitted: $text" "event 0: not open: $text: \
/dev/pctr: setting the counters is not permitted: $text (run as root; see pctr(4))" \
		fail=open:$number pctr r00c0 $look
done
gives "not permitted by the second of two calls" "event 1: not open: Operation not permitted: \
/dev/pctr: setting the counters is not permitted: Operation not permitted \
(run as root; see pctr(4))" fail=80046309:1 pctr r00c0,r00c1 $look
for number in 2 6; do
	text=$([ $number = 2 ] && echo "$unknown" || echo "No such device or address")
	gives "no such CPU: $text" "event 0: not open: $text: /dev/pctr: \
this CPU or kernel has no such counters: $text (pctr(4) says which processors have them)" \
		fail=open:$number pctr r00c0 $look
done
gives "no such CPU, by ioctl" "event 0: not open: No such device: /dev/pctr: \
this CPU or kernel has no such counters: No such device \
(pctr(4) says which processors have them)" fail=80046308:19 pctr r00c0 $look

# macOS

ok "group-macos.c compiles" compile kperf events/group-macos.c -D__APPLE__ -D__arm64__
code="(name the event by its code in the CPU's manual, as in r8d)"
says "events" "\
cycles: 0 00000000 user kernel by default
instructions: 0 00000001 user kernel by default
instructions:uk: 0 00000001 user kernel
r8d: 1 0002008d user by default
r8d:k: 1 0004008d kernel
r1d4:uk: 1 000601d4 user kernel
refused: $others: instructions:u: its counter counts user mode and the kernel together \
(leave out the letter)
refused: $others: branches: of the kernel's generic events, kperf has cycles and instructions \
only $code
refused: $others: page-faults: kperf counts cycles, instructions and codes only $code
refused: $others: 0x4300c0: kperf counts cycles, instructions and codes only $code
refused: $others: r8d:c=2: this CPU has neither unit masks nor other parts of an event \
(ask for the code alone, as in r8d)
refused: $others: r8d:um=0f: this CPU has neither unit masks nor other parts of an event \
(ask for the code alone, as in r8d)
refused: $others: r0: a code of this CPU is from 1 to ffff (look the code up in the CPU's manual)
refused: $others: r10000: a code of this CPU is from 1 to ffff \
(look the code up in the CPU's manual)" \
	kperf cycles,instructions,instructions:uk,r8d,r8d:k,r1d4:uk,instructions:u,branches,\
page-faults,0x4300c0,r8d:c=2,r8d:um=0f,r0,r10000

library="dlopen /System/Library/PrivateFrameworks/kperf.framework/kperf
open /var/run/cpucycles-kperf.lock rw create cloexec nofollow 600
lock 5
force 1"
none="config 2 0 0 0 0 0 0 0 0
counting 3
thread_counting 3"
restored="thread_counting 8
counting 4
config 2 1 2 3 4 5 6 7 8
force 0
close 5"
says "cycles and instructions: the calls, in their order" "\
instructions: 0 00000001 user kernel by default
cycles: 0 00000000 user kernel by default
$library
$none
event 0: open
read: Success 11 100
lost: Success
$restored" lost=1 kperf instructions,cycles 1000,10,0,0,0,0,0,0,0,0 1100,21,0,0,0,0,0,0,0,0 \
	1100,21,0,0,0,0,0,0,0,0
says "a code has all counters, and its count is the largest" "\
r8d: 1 0002008d user by default
cycles: 0 00000000 user kernel by default
$library
$none
config 2 2008d 2008d 2008d 2008d 2008d 2008d 2008d 2008d
counting 3
thread_counting 3
event 0: open
read: Success 7 1
config 2 0 0 0 0 0 0 0 0
$restored" kperf r8d,cycles 1,2,3,3,3,3,3,3,3,3 2,2,3,3,3,9,9,10,3,3
says "two codes share the counters" "\
r8d: 1 0002008d user by default
instructions: 0 00000001 user kernel by default
r8c:k: 1 0004008c kernel
$library
$none
config 2 4008c 2008d 4008c 2008d 4008c 2008d 2008d 4008c
counting 3
thread_counting 3
event 2: open
read: Success 5 3 4
config 2 0 0 0 0 0 0 0 0
$restored" kperf r8d,instructions,r8c:k 0,0,0,0,0,0,0,0,0,0 9,3,1,0,4,0,2,5,0,0
says "six counters with codes" "\
r8d: 1 0002008d user by default
$library
config 2 0 0 0 0 0 0
counting 3
thread_counting 3
config 2 2008d 2008d 2008d 2008d 2008d 2008d
counting 3
thread_counting 3
event 0: open
read: Success 6
config 2 0 0 0 0 0 0
thread_counting 8
counting 4
config 2 1 2 3 4 5 6
force 0
close 5" counters=8 kperf r8d 0,0,0,0,0,0,0,0 0,0,1,2,3,4,5,6
gives "more codes than counters" "event 6: not open: No space left on device: \
kperf: 7 codes, but the CPU has 6 counters for them $fewer" \
	counters=8 kperf r81,r82,r83,r84,r85,r86,r87 0
gives "an unknown number of counters" "event 0: not open: $others: \
kperf: 6 counters with 4 configurations, which the library does not know ()" \
	counters=6 kperf cycles 0

gives "a count that goes back" "\
event 0: open
read: $again
read: $again" kperf cycles 5,0 4,0 6,0
gives "the thread has its counts by the second call" "\
event 0: open
read: Success 1" kperf cycles - 5,0 6,0
gives "the thread never has its counts" "event 0: not open: Invalid argument: \
kperf: reading the thread's counters: Invalid argument ()" kperf cycles - - -
gives "a read that fails" "\
event 0: open
read: $again
read: $again" kperf cycles 1,0 - 2,0
for taken in unforced stopped threads; do
	gives "taken away: $taken" "\
event 0: open
read: Success 1
lost: $again" also=$taken lost=1 kperf cycles 1,0 2,0 3,0
done

says "another process counts" "\
cycles: 0 00000000 user kernel by default
dlopen /System/Library/PrivateFrameworks/kperf.framework/kperf
open /var/run/cpucycles-kperf.lock rw create cloexec nofollow 600
lock 5
close 5
event 0: not open: Device or resource busy: kperf: process 4711 counts already \
(/var/run/cpucycles-kperf.lock) (wait until it ends: one process at a time can count)" \
	holder=4711 kperf cycles 0
root="(run as root, and end other programs that use the counters, such as Instruments)"
says "not root" "\
cycles: 0 00000000 user kernel by default
dlopen /System/Library/PrivateFrameworks/kperf.framework/kperf
open /var/run/cpucycles-kperf.lock rw create cloexec nofollow 600
event 0: not open: Permission denied: kperf: /var/run/cpucycles-kperf.lock: Permission denied \
$root" fail=open:13 kperf cycles 0
says "another program has the counters" "\
cycles: 0 00000000 user kernel by default
$library
close 5
event 0: not open: Permission denied: kperf: taking the counters: Permission denied $root" \
	fail=force:13 kperf cycles 0
says "a configuration is refused" "\
cycles: 0 00000000 user kernel by default
$library
config 2 0 0 0 0 0 0 0 0
$restored
event 0: not open: Operation not permitted: kperf: setting the configuration: \
Operation not permitted $root" fail=config:1 kperf cycles 0
gives "no framework" "event 0: not open: $others: this macOS has no framework kperf ()" \
	no_kperf=1 kperf cycles 0
gives "a framework without a function" "event 0: not open: $others: \
kperf of this macOS has no function kpc_get_counting ()" lacks=kpc_get_counting kperf cycles 0

says "cycles of a meter" "\
$library
$none
cycles
1000
1001
-1
$restored" kperf "" 999,0 1000,0 1001,0 -
says "cycles of a meter beside a group: set once, put back once" "\
cycles: 0 00000000 user kernel by default
$library
$none
event 0: open
thread_counting 3
cycles
6
read: Success 4
$restored" also=cycles kperf cycles 3,0 5,0 6,0 7,0
gives "two groups with codes" "\
event 0: open
event 0: not open: No space left on device: kperf: another meter of this process has the \
counters with codes (close the other meter first)
read: Success 1" also=group kperf r8d 0,0,0 0,0,1
says "a child of fork sets nothing" "\
cycles: 0 00000000 user kernel by default
$library
$none
event 0: open
read: Success 2" also=child kperf cycles 1,0 3,0
is "kperf_reset is in a comment only" \
	"$(grep kperf_reset "$top_srcdir/measure/events/group-macos.c" | grep -v '^ \* ')" ""

# Other systems

cat >"$scratch/none.c" <<'END'
#include "driver.h"
#include "kperf.h"

int main(void)
{
	long long (*read)(void);
	static uint64_t memory[4];
	struct event_group *group = (struct event_group *)(void *)memory;
	size_t which = 99;

	if (event_group_bytes(4) > sizeof memory)
		return 2;
	resolve("cycles,r8d");
	print_result("cycles", event_resolve_cycles(&events[0], true, true, &reason));
	print_result("open", event_group_open(group, members, 0, &which, &reason));
	print_result("kperf", kperf_cycles_ready(&read, &reason));
	if (read || event_group_lost(group) != -EAGAIN ||
	    event_group_read(group, memory) != -EAGAIN)
		puts("not refused");
	puts(event_group_way(group));
	event_group_close(group);
	kperf_cycles_close();
	return 0;
}
END
ok "group-none.c and kperf-none.c compile" compile none events/group-none.c \
	"$top_srcdir/measure/kperf-none.c"
no="Operation not supported: this system has no events that the library knows ()"
says "a system without events" "\
refused: $no
refused: $no
cycles: $no
open: $no
kperf: $others: only macOS on Apple silicon has kperf ()
no way" none
