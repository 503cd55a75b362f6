#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The metrics of the code, of cpucycles-metrics(7) and of the examples for Prometheus are the same.
. "$top_srcdir/tests/harness/lint.sh"
. "$top_srcdir/tests/consistency/common.sh"
begin_lint "the metrics of the code, the manual and the examples for Prometheus are the same"

manual=doc/cpucycles-metrics.7

# coded: the names of all metrics that the code writes.
coded() {
	tr -d '\n' <machine/metrics.c |
		grep -oE '(gauge|metric|put_each_usable)\(t, (in, )?"[a-z_]*"' |
		sed 's/.*"\(.*\)"/cpucycles_\1/' | sort
}

# documented: those that have an item of their own in the manual.
documented() {
	sed -n 's/^\.It Li \(cpucycles_[a-z_]*\).*/\1/p' $manual | sort
}

coded >"$scratch/coded"
ok "there are metrics" has_lines "$(coded)"
is "$manual explains each metric of the code, and no other" "$(documented)" "$(coded)"
is "$manual names each metric's labels" \
	"$(sed -n 's/^\.It Li cpucycles_[a-z_]*{\(.*\)}$/\1/p' $manual |
		tr ',' '\n' | sort -u)" \
	"$(tr -d '\n' <machine/metrics.c | grep -oE '\{ "[a-z]*", ?[^ "]|\{ "class",' |
		sed 's/{ "\([a-z]*\).*/\1/' | sort -u)"

# What the examples ask for is what is written. A recorded rule has a colon in its name, and so has
# a group of rules.
for file in doc/examples/prometheus/*; do
	is "$(basename "$file") names metrics of the code only" \
		"$(grep -noE '[a-z_:]*cpucycles_[a-z_:]*' "$file" /dev/null |
			awk -F : 'NR == FNR { coded[$0]; next } NF == 3 && !($3 in coded)' \
				"$scratch/coded" -)" ""
done
end_lint
