#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The sources of systems that are not here: each file compiles against what the system's
# manual declares, and makes of given numbers what it should. None of them has run on its
# system.

. "$top_srcdir/tests/harness/tap.sh"
case $(uname -s) in Linux) ;; *) skip_all "this system's own headers would be in the way" ;; esac
tab=$(printf '\t')

mkdir -p "$scratch/include/sys"
cat >"$scratch/include/sys/sysctl.h" <<'END'
#include <stddef.h>
#define CTL_HW 6
#define HW_CPUSPEED 12
int sysctl(const int *, unsigned, void *, size_t *, const void *, size_t);
int sysctlbyname(const char *, void *, size_t *, const void *, size_t);
END
cat >"$scratch/include/kstat.h" <<'END'
#include <stdint.h>
#define KSTAT_STRLEN 31
#define KSTAT_DATA_CHAR 0
#define KSTAT_DATA_INT32 1
#define KSTAT_DATA_UINT32 2
#define KSTAT_DATA_INT64 3
#define KSTAT_DATA_UINT64 4
typedef struct kstat_named {
	char name[KSTAT_STRLEN];
	unsigned char data_type;
	union { int32_t i32; uint32_t ui32; int64_t i64; uint64_t ui64; } value;
} kstat_named_t;
typedef struct kstat kstat_t;
typedef struct kstat_ctl kstat_ctl_t;
typedef int kid_t;
kstat_ctl_t *kstat_open(void);
int kstat_close(kstat_ctl_t *);
kstat_t *kstat_lookup(kstat_ctl_t *, char *, int, char *);
kid_t kstat_read(kstat_ctl_t *, kstat_t *, void *);
void *kstat_data_lookup(kstat_t *, char *);
END
cat >"$scratch/include/libperfstat.h" <<'END'
typedef unsigned long long u_longlong_t;
typedef struct { char name[64]; } perfstat_id_t;
typedef struct { int ncpus; u_longlong_t processorHZ; } perfstat_cpu_total_t;
int perfstat_cpu_total(perfstat_id_t *, perfstat_cpu_total_t *, int, int);
END
cat >"$scratch/main.c" <<'END'
#include "config.h"
#include "frequency.h"
#include <stdio.h>

int main(void)
{
	struct persecond answer;

	if (frequency_os("", &answer))
		printf("%llu\t%s\n", (unsigned long long)answer.hz,
		       frequency_source_name(answer.source));
	else
		printf("-\tnobody\n");
	return 0;
}
END
# The system: NAME=VALUE:BYTES in the environment.
cat >"$scratch/system.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "config.h"
#include "frequency.h"
#include "rate.h"
#include <sys/sysctl.h>
#include <kstat.h>
#include <libperfstat.h>

bool rate_is_sane(uint64_t hz) { return hz >= RATE_SANE_MIN_HZ && hz <= RATE_SANE_MAX_HZ; }

static int number(const char *name, uint64_t *value)
{
	const char *text = getenv(name);
	unsigned bytes = 0;
	unsigned long long v = 0;

	if (!text || sscanf(text, "%llu:%u", &v, &bytes) < 1)
		return 0;
	*value = v;
	return bytes ? (int)bytes : 8;
}

int sysctlbyname(const char *name, void *old, size_t *length, const void *new, size_t n)
{
	uint64_t value;
	int bytes = number(name, &value);
	uint32_t narrow;

	if (!bytes || new || n)
		return -1;
	if ((size_t)bytes > *length)
		return -1;
	narrow = (uint32_t)value;
	memset(old, 0, *length);
	memcpy(old, bytes == 4 ? (void *)&narrow : (void *)&value, bytes == 4 ? 4 : 8);
	*length = (size_t)bytes;
	return 0;
}

int sysctl(const int *mib, unsigned count, void *old, size_t *length, const void *new, size_t n)
{
	if (count != 2 || mib[0] != CTL_HW || mib[1] != HW_CPUSPEED)
		return -1;
	return sysctlbyname("hw.cpuspeed", old, length, new, n);
}

struct kstat { int unused; };
struct kstat_ctl { int unused; };
static kstat_t statistics;
static kstat_ctl_t control;
static kstat_named_t named;

kstat_ctl_t *kstat_open(void) { return getenv("no_kstat") ? NULL : &control; }
int kstat_close(kstat_ctl_t *c) { return c == &control ? 0 : -1; }
kstat_t *kstat_lookup(kstat_ctl_t *c, char *module, int instance, char *name)
{
	return c && !strcmp(module, "cpu_info") && instance == -1 && !name ? &statistics : NULL;
}
kid_t kstat_read(kstat_ctl_t *c, kstat_t *s, void *data) { return c && s && !data ? 1 : -1; }
void *kstat_data_lookup(kstat_t *s, char *name)
{
	uint64_t value;
	int type = number(name, &value);

	if (!s || !type)
		return NULL;
	named.data_type = (unsigned char)type;
	named.value.ui64 = value;
	if (type <= KSTAT_DATA_UINT32)
		named.value.ui32 = (uint32_t)value;
	return &named;
}

int perfstat_cpu_total(perfstat_id_t *name, perfstat_cpu_total_t *total, int size, int wanted)
{
	uint64_t value;

	if (name || size != (int)sizeof *total || wanted != 1 || !number("processorHZ", &value))
		return -1;
	total->processorHZ = value;
	return 1;
}
END
printf 'const char *frequency_source_name(enum persecond_source source)\n{\n' >"$scratch/names.c"
sed -n 's/^\t\[\(PERSECOND_[A-Z_]*\)\] = { \("[a-z-]*"\), .*$/\tif (source == \1) return \2;/p' \
	"$top_srcdir/lib/frequency.c" >>"$scratch/names.c"
printf '\treturn "?";\n}\n' >>"$scratch/names.c"
cat "$scratch/names.c" >>"$scratch/system.c"

# compile PROGRAM FILE FLAG...
compile() {
	program=$1 file=$2
	shift 2
	# shellcheck disable=SC2086 # CC and CFLAGS are lists
	${CC:-cc} ${CFLAGS:-} \
		-std=gnu11 -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror "$@" \
		-I"$scratch/include" -I"$top_builddir" -I"$top_srcdir/lib" -o "$scratch/$program" \
		"$scratch/main.c" "$scratch/system.c" "$top_srcdir/lib/os/$file" 2>"$scratch/err" &&
		return
	sed 's/^/# /' "$scratch/err"
	return 1
}
# says NAME PROGRAM EXPECTED VARIABLE...
says() {
	says_name=$1 says_program=$2 says_expected=$3
	shift 3
	is "$says_name" "$(env "$@" "$scratch/$says_program" | tr "$tab" ' ')" "$says_expected"
}

ok "frequency-sysctl.c compiles" compile byname frequency-sysctl.c
says "nothing" byname "- nobody"
says "FreeBSD" byname "2400000000 sysctl-tsc" machdep.tsc_freq=2400000000 dev.cpu.0.freq=3000:4
says "FreeBSD on ARM" byname "1500000000 sysctl-cpu-freq" dev.cpu.0.freq=1500:4
says "DragonFly" byname "2600000000 sysctl-tsc" hw.tsc_frequency=2600000000
says "macOS on Intel" byname "2900000000 sysctl-cpufrequency" hw.cpufrequency=2900000000 \
	machdep.tsc.frequency=2903996007 hw.tbfrequency=1000000000
says "macOS on ARM" byname "24000000 sysctl-tbfrequency" hw.tbfrequency=24000000
says "zero, then another" byname "3000000000 sysctl-cpu-freq" machdep.tsc_freq=0 \
	dev.cpu.0.freq=3000:4
says "absurd, then another" byname "3000000000 sysctl-cpu-freq" \
	machdep.tsc_freq=18446744073709551615 \
	hw.cpuspeed=18446744073709551615 dev.cpu.0.freq=3000:4
says "of 2 bytes" byname "- nobody" dev.cpu.0.freq=3000:2
ok "frequency-sysctl.c compiles for OpenBSD" compile bynumber frequency-sysctl.c -D__OpenBSD__
says "OpenBSD" bynumber "2394000000 sysctl-cpuspeed" hw.cpuspeed=2394:4
says "OpenBSD that does not know" bynumber "- nobody" hw.cpuspeed=0:4
ok "frequency-kstat.c compiles" compile kstat frequency-kstat.c
says "Solaris" kstat "2800000000 kstat" current_clock_Hz=2800000000:4 clock_MHz=2900:3
says "an older Solaris" kstat "2900000000 kstat" clock_MHz=2900:1
says "a negative number" kstat "- nobody" clock_MHz=4294967295:1
says "an absurd one" kstat "- nobody" clock_MHz=18446744073709551615:4
says "a text" kstat "- nobody" clock_MHz=5:9
says "no kstat" kstat "- nobody" no_kstat=1
ok "frequency-perfstat.c compiles" compile perfstat frequency-perfstat.c
says "AIX" perfstat "3550000000 perfstat" processorHZ=3550000000
says "AIX that does not know" perfstat "- nobody" processorHZ=0

# A counter of such a system: only compiled, as doc/evidence/counters.md says.
counters_out="default-mach"
# The time: TICKS:NUMER:DENOM in the environment.
mkdir "$scratch/include/mach"
cat >"$scratch/include/mach/mach_time.h" <<'END'
#include <stdint.h>
struct mach_timebase_info { uint32_t numer, denom; };
typedef struct mach_timebase_info *mach_timebase_info_t;
typedef struct mach_timebase_info mach_timebase_info_data_t;
int mach_timebase_info(mach_timebase_info_t);
uint64_t mach_absolute_time(void);
END
cat >"$scratch/mach.c" <<'END'
#include "config.h"
#include "counter.h"
#include <mach/mach_time.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct counter cpucycles_counter_default_mach;
static unsigned long long ticks;
static struct mach_timebase_info base;

int mach_timebase_info(mach_timebase_info_t info)
{
	*info = base;
	return getenv("no_mach") ? 5 : 0;
}
uint64_t mach_absolute_time(void) { return ticks; }

int main(void)
{
	const struct counter *c = &cpucycles_counter_default_mach;
	const struct counter_conditions conditions = { 3200000000, { 2133, 16 }, false };
	uint64_t hz = 0;

	if (sscanf(getenv("mach"), "%llu:%u:%u", &ticks, &base.numer, &base.denom) != 3)
		return 2;
	if (c->rate(&hz) || c->setup(&conditions))
		puts("no rate");
	else
		printf("%s %llu %lld\n", c->name, (unsigned long long)hz, c->read());
	return 0;
}
END
# shellcheck disable=SC2086 # CC and CFLAGS are lists
compile_mach() {
	${CC:-cc} ${CFLAGS:-} \
		-std=gnu11 -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror \
		-I"$scratch/include" -I"$top_builddir" -I"$top_srcdir/lib" -o "$scratch/mach" \
		"$scratch/mach.c" "$top_srcdir/lib/os/$counters_out.c" \
		"$top_srcdir/lib/os/ticks.c" "$top_srcdir/lib/rate.c" 2>"$scratch/err" && return
	sed 's/^/# /' "$scratch/err"
	return 1
}
ok "default-mach.c compiles" compile_mach
says "macOS on ARM: 24 MHz, scaled to cycles" mach "default-mach 24000000 2133" mach=16:125:3
says "macOS on Intel: nanoseconds" mach "default-mach 1000000000 133" mach=1:1:1
says "a count of 64 bits" mach "default-mach 24000000 $((2133 << 48))" mach=$((16 << 48)):125:3
says "a timebase of zero" mach "no rate" mach=16:0:3
says "no timebase" mach "no rate" mach=16:125:3 no_mach=1
