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

# compile PROGRAM FILE FLAG...: $elsewhere/PROGRAM.c with this file of measure/.
elsewhere=$top_srcdir/tests/measure/elsewhere
compile() {
	program=$1 file=$2
	shift 2
	# shellcheck disable=SC2086 # CC and CFLAGS are lists
	${CC:-cc} ${CFLAGS:-} -U_FORTIFY_SOURCE -std=gnu11 \
		-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror "$@" \
		-I"$elsewhere" -I"$top_builddir" -I"$top_srcdir/lib" -I"$top_srcdir/include" \
		-I"$top_srcdir/measure" -I"$top_srcdir/base" -I"$top_srcdir/sentences" \
		-include system.h -o "$scratch/$program" "$elsewhere/$program.c" \
		"$elsewhere/driver.c" "$top_srcdir/measure/$file" \
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
		grep -E '^(event|open$|read|lost)')" "$says_expected"
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

ok "group-macos.c and kperf-macos.c compile" compile kperf events/group-macos.c \
	"$top_srcdir/measure/events/kperf-macos.c" -D__APPLE__ -D__arm64__
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
open
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
open
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
open
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
open
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
open
read: $again
read: $again" kperf cycles 5,0 4,0 6,0
gives "the thread has its counts by the second call" "\
open
read: Success 1" kperf cycles - 5,0 6,0
gives "the thread never has its counts" "event 0: not open: Invalid argument: \
kperf: reading the thread's counters: Invalid argument ()" kperf cycles - - -
gives "a read that fails" "\
open
read: $again
read: $again" kperf cycles 1,0 - 2,0
for taken in unforced stopped threads; do
	gives "taken away: $taken" "\
open
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
open
thread_counting 3
cycles
6
read: Success 4
$restored" also=cycles kperf cycles 3,0 5,0 6,0 7,0
gives "two groups with codes" "\
open
event 0: not open: No space left on device: kperf: another meter of this process has the \
counters with codes (close the other meter first)
read: Success 1" also=group kperf r8d 0,0,0 0,0,1
says "a child of fork sets nothing" "\
cycles: 0 00000000 user kernel by default
$library
$none
open
read: Success 2" also=child kperf cycles 1,0 3,0
is "kperf_reset is in a comment only" \
	"$(grep kperf_reset "$top_srcdir/measure/events/kperf-macos.c" | grep -v '^ \* ')" ""

# Other systems

ok "group-none.c and kperf-none.c compile" compile none events/group-none.c \
	"$top_srcdir/measure/kperf-none.c"
no="Operation not supported: this system has no events that the library knows ()"
says "a system without events" "\
refused: $no
refused: $no
open: $no
kperf: $others: only macOS on Apple silicon has kperf ()
no way" none cycles,r8d 0
