#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# made-data.sh KIND COUNT [SEED [busy]]: prints made data as cpucycles-info --samples does.
# COUNT is the number of counters (noise, drift), CPUs (skew, gaps), kinds of core (frequency) or
# functions (samples, sizes and layouts, in the formats of cpucycles-measure --raw, --csv and
# --layouts), or for leak how many ticks group 1 takes more. The same SEED gives the same data.
# With busy it is the data of a machine that disturbs: figures are unknown, counters are lost.

exec awk -v kind="$1" -v count="$2" -v seed="${3:-1}" -v busy="${4:+1}" '
# Numbers that are the same in every awk.
function random() {
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}
function bell(   i, sum) {
	for (i = 0; i < 6; i++)
		sum += random()
	return (sum - 3) / 0.7
}
function class(c) { return c > 3 ? "os-clock" : c > 1 ? "off-core" : "on-core" }
function pair(key, text) { printf "# %s\t%s\n", key, text }

function noise(   c, i, base, d, seen, k, precision) {
	print "counter\tclass\tprecision_cycles\tdifference_cycles\toccurrences"
	for (c = 1; c <= count; c++) {
		split("", seen)
		base = 20 + 7 * c * c
		for (i = 0; i < 1000; i++) {
			d = base + 2 * int(bell() * (1 + c / 2))
			if (random() < 0.01)
				d += int(random() * 300 * c)
			seen[d]++
		}
		precision = base + (c > 3 ? 100 : 0)
		for (k = 0; k < base + 4000; k++)
			if (k in seen)
				printf "made-counter%d\t%s\t%d\t%d\t%d\n", c, \
					class(c), precision, k, seen[k]
		if (busy && c == 1)
			pair("lost", "made-counter1")
	}
}
function side(cpu) { return int(cpu * 2 / count) }
function skew(   a, b) {
	pair("cpus", busy ? "unknown" : count)
	pair("skew_counter", busy ? "made-clock" : "made-counter1")
	print "cpu\tother_cpu\toffset_ns\tbound_ns\trounds"
	for (a = 0; a < count; a++)
		for (b = a + 1; b < count; b++)
			if (busy && b == 2)
				printf "%d\t%d\tunknown\tunknown\t%d\n", a, b, a
			else
				printf "%d\t%d\t%.1f\t%.1f\t%d\n", a, b, \
				side(b) * 30 - side(a) * 30 + bell() * 4, \
				40 + 60 * (side(b) != side(a)) + 10 * random(), 1000
}
function drift(   c, i, end, bound) {
	if (busy) {
		pair("own_rate", "made-counter1")
		pair("without_rate", "made-counter-of-core")
		pair("without_rate", "made-counter-of-kernel")
	}
	print "counter\tseconds\tresidual_ppm\tbound_ppm"
	for (c = 1; c <= count; c++) {
		end = bell() * 2 * c
		bound = 4 * c
		for (i = 1; i <= (busy && c == 1 ? 10 : 20); i++)
			printf "made-counter%d\t%.2f\t%.4f\t%s\n", c, i / 10, \
				end + bell() * 3 * c / i, busy || c == 3 ? "unknown" : bound
		if (busy && c == 1)
			pair("lost", "made-counter1")
	}
}
function frequency(   c, i) {
	pair("witness", busy ? "made-witness" : "none")
	pair("persecond_hz", 2100000000)
	pair("rate_hz", busy ? "unknown" : 2095999000)
	print "kind\tcpu\tseconds\tcore_hz\tcounter_hz"
	for (c = 1; c <= count; c++) {
		if (busy && c == 2) {
			pair("lost", "made-witness")
			pair("witness", "none")
		}
		if (busy && c == 3) {
			pair("not_measured", "capacity " 1024 / c)
			continue
		}
		for (i = 1; i <= 100; i++)
			printf "%s\t%s\t%.2f\t%.0f\t%s\n", count == 1 ? "any" : \
				"capacity " 1024 / c, busy && c == 1 ? "unknown" : c - 1, \
				i / 100, (1.8 + 1.4 / c - 0.4 / i) * 1e9 + bell() * 5e6, \
				i % 25 ? sprintf("%.0f", 2.096e9 + bell() * 3e4) : "unknown"
	}
}
# A tick each 4 ms, and a program each 20 ms.
function gaps(   c, i) {
	print "cpu\tseconds\tgap_ns"
	for (c = 0; c < count; c++) {
		for (i = 0; i < 100; i++)
			printf "%d\t%.6f\t%d\n", c, c + i * 0.004, \
				i % 5 ? 20000 + 1000 * bell() : 4000000
		if (busy && c == 1)
			pair("not_measured", "1")
		else
			pair("looked", c " 0.4")
	}
}
function made_function(c) {
	if (c == 1 || (c == count && c > 2))
		return "memcpy" (c > 1 ? " (2)" : "")
	return "libmade.so:copy" c
}
function late() { return random() < 0.01 ? 500 * random() : 0 }
function samples(   i, c) {
	print "process\tround\tfunction\tcycles_per_call"
	for (i = 0; i < 400; i++)
		for (c = 1; c <= count; c++)
			printf "0\t%d\t%s\t%.10g\n", i, made_function(c), \
				100 + 6 * c + bell() * 3 + late()
	for (c = 2; c <= count; c++)
		pair("verdict", "slower " 6 * c - 6 " " 6 * c - 7 " " 6 * c - 5 " 10 " \
			made_function(c))
}
function sizes(   size, c, y) {
	print "function,size,unit,mean,mean_low,mean_high,bytes,note"
	for (size = 16; size <= 65536; size *= 4)
		for (c = 1; c <= count; c++) {
			y = 100 + size * c / 4 + bell()
			printf "libmade.so:copy%d,%d,cycles,%.2f,%.2f,%.2f,%d,\n", c, size, y, \
				y * 0.9, y * 1.2, size
		}
}
# Ten whole units, and two processes of one more. At 32 the functions take 1.5 times as long.
function layouts(   p, c, place) {
	pair("cpucycles", "0.1.0")
	pair("samples", "layouts")
	pair("counter", "made-counter1")
	pair("unit_processes", 4)
	for (c = 2; c <= count; c++)
		pair("verdict", "slower " c " " c - 0.5 " " c + 0.5 " 10 " made_function(c))
	print "unit\tprocess\tfunction\tplace_bytes\tcycles_per_call\tlonger_percent"
	for (p = 0; p < 42; p++)
		for (c = 1; c <= count; c++) {
			place = (p + c) % 4 * 16
			printf "%d\t%d\t%s\t%d\t%.10g\t%s\n", p / 4, p, made_function(c), \
				64 * int(random() * 60) + place, \
				100 * (place == 32 ? 1.5 : 1) + bell() * 3, \
				(c > 1 ? sprintf("%.4f", c + bell()) : "")
		}
}
# The groups have 400 times each, of a counter with a step of 2.
function leak(   g, i) {
	print "# cpucycles-measure-leak 1"
	pair("function", (busy ? "./made/of/folders/with/long/names.so:" : "./made.so:") "check")
	pair("unit", "ticks")
	pair("step", 2)
	pair("verdict", busy ? "no verdict" : count ? "leaks" : "no difference above 2")
	for (i = 1; i <= 9; i++)
		pair("decile", 10 * i " " 90 + 2 * i " " (busy ? "0 unknown unknown" : \
			count " " count - 0.5 " " count + i / 10))
	pair("tail", busy ? "99 0 0 unknown unknown" : "99 0.01 0.002 -0.001 0.005")
	pair("times", "400 400")
	print "group\tticks"
	for (g = 0; g <= 1; g++)
		for (i = 0; i < 400; i++)
			printf "%d\t%d\n", g, 100 + 2 * int(bell() * 3) + g * count + late()
}

BEGIN {
	seed = seed * 7919 + 1
	if (kind !~ /^(samples|sizes|layouts|leak)$/) {
		pair("cpucycles", "0.1.0")
		pair("samples", kind)
		pair("date", "2026-11-25T03:00:00Z")
		pair("machine", "Made CPU (R) 7 @ 2.10GHz")
		pair("kernel", "6.1.0-made")
		pair("counter", "made-counter1")
		pair("seconds", "2")
	}
	if (kind == "noise") noise()
	if (kind == "skew") skew()
	if (kind == "drift") drift()
	if (kind == "frequency") frequency()
	if (kind == "gaps") gaps()
	if (kind == "samples") samples()
	if (kind == "sizes") sizes()
	if (kind == "layouts") layouts()
	if (kind == "leak") leak()
}'
