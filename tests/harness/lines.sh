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
