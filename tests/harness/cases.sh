# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Some cases of a long script. tap.sh sources this file if $CASES has words. Of the script, the
# lines before its first case run, and the cases whose names contain one of the words, with those
# that they need. A case begins with one of these comments, and ends before the next one:
#     # Case NAME: what it tests.
#     # Case NAME, after NAME...: the same, of a case that needs earlier ones.
# A script without cases runs whole.

if grep -q '^# Case ' "$0"; then
	# What does not run is an empty line, so that the lines keep their numbers.
	cases_text=$(awk -v words="$CASES" '
		{ line[NR] = $0 }
		/^# Case / {
			name[NR] = $3
			sub(/[,:]$/, "", name[NR])
			names = names " " name[NR]
			if (sub(/^# Case [^:,]*, after /, "") && sub(/:.*/, ""))
				needs[NR] = $0
			for (i = split(words, word, " "); i > 0; i--)
				if (index(name[NR], word[i]))
					found = wanted[name[NR]] = 1
		}
		END {
			if (!found) {
				print "expected in CASES some of:" names >"/dev/stderr"
				exit 99
			}
			for (n = NR; n > 0; n--)
				if (n in name && name[n] in wanted)
					for (i = split(needs[n], need, ", "); i > 0; i--)
						wanted[need[i]] = 1
			runs = 1
			for (n = 1; n <= NR; n++) {
				if (n in name)
					runs = name[n] in wanted
				print runs ? line[n] : ""
			}
		}' "$0") || exit
	unset CASES
	exec sh -c "$cases_text" "$0" "$@"
fi
