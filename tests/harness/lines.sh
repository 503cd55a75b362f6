# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Readers of what the project's programs and files say, which is lines of a name and a value.
# Sourced, after tap.sh; functions only.

# line_of FILE NAME: the values of the lines of that name, in any such text. FILE may be -, standard
# input; NAME may be several words.
line_of() {
	sed -n "s/^$2 //p" "$1"
}

# cache_field NAME [FILE]: from a cache, $cache if none is named.
cache_field() {
	line_of "${2:-$cache}" "$1"
}

# show_field NAME: what tests/lib/show, or a program like it, said last (see library.sh).
show_field() {
	line_of "$scratch/out" "$1"
}
