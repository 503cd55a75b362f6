# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Readers of the library's sources. Sourced, in the top folder of the sources, by the tests of
# consistency and by doc/evidence/counters.sh; functions only.

# counter_files: the files of the counters, in list order.
counter_files() {
	sed -n 's,^[[:blank:]]*\(lib/[^ ]*\.c\).*,\1,p' lib/counters.am
}

# source_field FILE FIELD: what the file's struct counter has in this field.
source_field() {
	sed -n "/^const struct counter cpucycles_counter_/,/^};/{
		s/^[[:blank:]]*\.$2 = \([^,]*\),.*/\1/p
	}" "$1"
}

# class_word COUNTER_SOME_CLASS: the class's word in manuals and output, from the table of words.
class_word() {
	cat lib/*.c | tr ',' '\n' |
		sed -n "/ class_names\[\]\[16\] = {/,/}/s/.*\[$1\] = \"\(.*\)\"/\1/p"
}
