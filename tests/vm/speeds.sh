# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Machines whose true speed is known, for the scripts that boot them. Sourced after common.sh.
# doc/evidence/known-speeds.md has what the tools said there: each script writes its rows, and
# `make known-speeds` writes the page from them.
#
# With -icount shift=N, QEMU's machine takes 2^N ns of its own time for each instruction. So its
# core executes (10^9 >> N) instructions in each of its seconds, on any host and under any load. The
# machine has one CPU, because two would take turns.

ns_per_s=1000000000
FULL_RUN_US=250000   # at most, from FULL_RUN_HZ on, for the shorter one of two runs
FULL_RUN_HZ=15000000
CHECK_CPU_US=10000   # at most, at 1 GHz
PROMISED_HZ=15000000 # from there on, the core is 2 percent off at most
full_run_hz=$FULL_RUN_HZ # the same, which a script may change
rows=$scratch/rows
: >"$rows"

# true_hz SHIFT: of a machine with this shift.
# icount SHIFT: QEMU's options for it.
true_hz() {
	echo $((ns_per_s >> $1))
}
icount() {
	echo "-icount shift=$1,sleep=off"
}

# of_core SECTION: the core's figure and its bound, in a cache. of_rate SECTION COUNTER: those of
# the counter's measured rate. of_persecond SECTION: persecond and its source.
of_core() {
	section_field "$1" core | sed 's/ ppm / /'
}
of_rate() {
	section_field "$1" "usable $2" | sed -n 's/.* measured \([0-9]*\) ppm \([0-9]*\).*/\1 \2/p'
}
of_persecond() {
	section_field "$1" persecond
}

# off_ppm HZ TRUTH: how far it is off, in millionths of the truth.
off_ppm() {
	echo $((($1 - $2) * 1000000 / $2))
}

# inside TRUTH HZ PPM: the truth is within the stated bound.
inside() {
	truth=$1
	is_number "$truth" || return
	[ "${2:-0}" -gt 0 ] && [ -n "${3:-}" ] &&
		set -- $(($2 - truth)) $(($2 * $3 / 1000000 + 1)) &&
		between "${1#-}" 0 "$2" && return
	echo "# expected $truth Hz to be within the bound"
	return 1
}

# near TRUTH HZ [PERCENT]: within so many percent, or 2.
near() {
	set -- "${1:-0}" "${2:-}" $((${1:-0} / 100 * ${3:-2}))
	between "$2" $(($1 - $3)) $(($1 + $3))
}

# row NAME FIGURE TRUTH SAID SOURCE PPM [MS [TOLD]]: a line of doc/evidence/known-speeds.md. PPM may
# be "-", for a figure without a bound. TOLD: a sentence of the tools says that the figure is wrong.
row() {
	row_off=- row_inside="no bound"
	if [ "${4:-0}" -gt 0 ]; then
		row_off=$(off_ppm "$4" "$3")
		if [ -n "${8:-}" ]; then
			row_inside="no, and the tools say so"
		elif [ "$6" != - ]; then
			inside "$3" "$4" "$6" >/dev/null && row_inside=yes || row_inside=no
		fi
	else
		row_inside="not told"
	fi
	echo "| $1 | $2 | $3 | ${4:--} | ${5:--} | ${6:--} | $row_off | $row_inside | ${7:--} |" |
		tee -a "$rows" | sed 's/^/# /'
}

# core_row NAME FIGURE TRUTH SECTION [MS]: the same for the core's figure in a cache.
core_row() {
	# shellcheck disable=SC2046 # a figure and its bound
	set -- "$1" "$2" "$3" "${5:--}" $(of_core "$4")
	row "$1" "$2" "$3" "${5:-0}" chain "${6:--}" "$4"
}

# core_holds SECTION TRUTH: the core's figure in this cache is right, and so are all rates.
core_holds() {
	# shellcheck disable=SC2046 # a figure and its bound
	set -- "$1" "$2" $(of_core "$1")
	ok "$machine, $1: $2 Hz are within ${4:-} ppm of ${3:-}" inside "$2" "${3:-0}" "${4:-}"
	[ "$2" -lt $PROMISED_HZ ] || ok "$machine, $1: and 2 percent off at most" near "$2" "${3:-}"
	is "$machine, $1: the rates of the clocks are within their bounds" "$(rates_off "$1")" ""
}

# ran_in_full SECTION: the calibrator succeeded, and took nothing from an earlier cache.
ran_in_full() {
	is "$machine, $1: the calibrator succeeds, after a full run" \
		"$(section_field "$1" exit) $(section "$1" | grep -c ': probing ')" "0 1"
}

# shorter_us SECTION...: the least time that one of these runs took.
shorter_us() {
	for run; do section_field "$run" wall-us; done | sort -n | head -n 1
}

# speed NAME SHIFT [PREFIX LABEL]: tests of init's speed_runs, and a row. The first run after a boot
# also brings in the pages of the program, which takes a machine of 15 MHz 17 ms. So two full runs
# are made, and the shorter one is the row's.
speed() {
	prefix=${3:-speed} truth=$(true_hz "$2")
	us=$(shorter_us "$prefix" "$prefix-more")
	ran_in_full "$prefix"
	core_holds "$prefix-cache" "$truth"
	[ "$truth" -lt "$full_run_hz" ] || ok "$machine, $prefix: it took 250 ms at most" \
		between "$us" 1 $FULL_RUN_US
	is "$machine, $prefix: the next run only checks, and succeeds" \
		"$(section_field "$prefix-again" exit) $(section "$prefix-again" |
			grep -c ': probing ')" "0 0"
	core_holds "$prefix-again-cache" "$truth"
	[ "$2" -gt 0 ] || ok "$machine, $prefix: in 10 ms of processor time at most" \
		between "$(section_field "$prefix-again" cpu-us)" 1 $CHECK_CPU_US
	core_row "$1" "core${4:-}" "$truth" "$prefix-cache" $((${us:-0} / 1000))
}

# carry NAME PREFIX: the next machines start with the cache and the persecond file that this machine
# printed, in the sections with this prefix.
carry() {
	carried_from=$1
	carried=$scratch/carried
	mkdir -p "$carried/var/cache/cpucycles" "$carried/etc"
	section "$2-cache" | sed '/^exit /d' >"$carried/var/cache/cpucycles/counters"
	section "$2-file" | sed '/^exit /d' >"$carried/etc/cpucyclespersecond"
	(cd "$carried" && find . | cpio -o -H newc -R +0:+0 --quiet | gzip -1) \
		>"$scratch/carried.gz"
	cat "$scratch/initrd.gz" "$scratch/carried.gz" >"$scratch/initrd-carried.gz"
	initrd=$scratch/initrd-carried.gz
}

# carried_over NAME SHIFT: tests of init's case_carried, on a machine of another speed than that of
# the cache.
carried_over() {
	ok "$machine, carried: the cache of $carried_from is read" sh -c \
		"! grep -qe 'no cache to start from' -e 'not as cpucycles-cache' '$output'"
	ran_in_full carried
	core_holds carried-cache "$(true_hz "$2")"
	is "$machine, carried: the library takes this boot's figure" \
		"$(section_values carried-show status persecond)" \
		"used $(section_field carried-cache core | sed 's/ .*//')"
	core_row "$1" "core, with the cache of $carried_from" "$(true_hz "$2")" carried-cache
}

# speed_machines SHIFT... -- OPTION...: boot a machine of each speed, with these options of QEMU.
# Each but the first has the cache of the machine before.
speed_machines() {
	shifts=
	while [ "$1" != -- ]; do
		shifts="$shifts $1"
		shift
	done
	shift
	speed_cases=speed
	for speed_shift in $shifts; do
		speed_name=$architecture-shift-$speed_shift
		# shellcheck disable=SC2046 # options
		ok "$speed_name: it runs to its end" boot "$speed_name" $speed_cases "$@" -smp 1 \
			$(icount "$speed_shift")
		[ $speed_cases = speed ] || carried_over "$speed_name" "$speed_shift"
		speed "$speed_name" "$speed_shift"
		carry "$speed_name" speed
		speed_cases=carried,speed
	done
	initrd=
}

# witness COUNTER [PERCENT]: tests of init's case_witness. The counter counts the cycles of this
# thread's core. persecond is what the counter in use counts in a second, within so many percent or
# 2.
witness() {
	witness_hz=$(section_field witness-cache persecond | sed 's/ .*//')
	witness_rate=$(section_field witness-count rate)
	chain=$(section_field witness-cache 'fact chain')
	is "$machine, witness: the cache names it" \
		"$(section_field witness-cache 'fact witness')" "$1"
	is "$machine, witness: the best is in use" "$(section_field witness-count counter)" \
		"$(section_field witness-cache usable | sed 's/ .*//')"
	ok "$machine, witness: persecond is what that counts" \
		near "$witness_hz" "$witness_rate" "${2:-2}"
	is "$machine, witness: the library says the same" \
		"$(section_values witness-show status persecond)" "used $witness_hz"
	ok "$machine, witness: the chain has a figure" between "$chain" 1000000 100000000000
}

# witness_row NAME: a row for persecond.
witness_row() {
	row "$1" "persecond, with a PMU" "${witness_rate:-1}" "${witness_hz:-0}" \
		"$(section_field witness-count counter)" \
		"$(section_field witness-cache core | sed 's/.* ppm //')"
}

# contradicted: the chain has another figure than the witness, and the tools say so.
contradicted() {
	# shellcheck disable=SC2046 # a figure and its bound
	set -- $(of_core witness-cache)
	is "$machine, witness: the chain contradicts it" \
		"$(section_field witness-cache 'fact check')" contradicts
	for figure in chain counted; do
		ok "$machine, witness: that of the $figure is within the bound, or there is none" \
			reaches "${1:-0}" "${2:-0}" \
			"$(section_field witness-cache "fact $figure")"
	done
	ok "$machine, witness: cpucycles-info says so" test -n \
		"$(section_field witness-info 'cpucycles contradiction:')"
}
reaches() {
	[ "$2" = 1000000 ] || inside "$3" "$1" "$2"
}

# agreed: the chain has the same figure.
agreed() {
	is "$machine, witness: the chain agrees" \
		"$(section_field witness-cache 'fact check')" agrees
	is "$machine, witness: nothing is said about a contradiction" \
		"$(section_field witness-info 'cpucycles contradiction:')" ""
}

# speeds_written NAME: the rows are those of the machines that the script claims; they are for
# doc/evidence/known-speeds.md.
speeds_written() {
	is "the machines of known speed" \
		"$(sed 's/^| \([^ ]*\) .*/\1/' "$rows" | uniq | paste -s -d ' ' -)" \
		"$(printf %s "$speeds_run" | tr -s '\n\t' ' ')"
	mkdir -p "$top_builddir/tests/vm/speeds"
	cp "$rows" "$top_builddir/tests/vm/speeds/$1.rows"
}
