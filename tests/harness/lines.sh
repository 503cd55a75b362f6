# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Readers of the project's output and files, whose lines are a name and a value. Sourced, after
# tap.sh; functions only.

# line_of FILE NAME: the values of all lines of that name. FILE may be -, standard input; NAME may
# be several words.
line_of() {
	sed -n "s/^$2 //p" "$1"
}

# cache_field NAME [FILE]: a value of the cache FILE, or of $cache if no file is given.
cache_field() {
	line_of "${2:-$cache}" "$1"
}

# show_field NAME: a value from the last output of tests/lib/show, or of a program like it (see
# tests/lib/library.sh).
show_field() {
	line_of "$scratch/out" "$1"
}

# unmeasured CACHE: what is not measured anew in each run of the calibrator.
# forget_core CACHE: as if the core had been unknown. A machine that others share changes its speed,
# and another speed of the core means a full run. $resum is the program of this name.
unmeasured() {
	sed '/^core /d; /^fact chain /d; /^checksum /d; s/ measured .*//' "$1"
}
forget_core() {
	sed -i.bak 's/^core .*/core 0 ppm 0/' "$1" && rm "$1.bak" && "$resum" "$1"
}

# persecond_file NUMBER BOOT SOURCE: the text that the calibrator writes for this number.
persecond_file() {
	echo "$1"
	echo "# written by cpucycles-calibrated, boot $2, source $3"
	echo "# To overrule $1, write another number on the first line."
}
