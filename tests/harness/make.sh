# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Lists of the Makefile. Sourced, after tap.sh.

unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES TESTS

# words_of VARIABLE: the words of this variable of the Makefile.
words_of() {
	printf 'include Makefile\nprint:\n\t@echo words: $(%s)\n' "$1" |
		make -s -f - -C "$top_builddir" print | sed -n 's/^words: *//p'
}
