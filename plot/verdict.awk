# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Verdicts: the lines "# verdict" of cpucycles-measure --raw and --layouts. A kind that has them
# numbers its functions in index_of[name, size], where the size is empty if there is none. It sets
# sized if there are sizes, and names_of[].

# The words of a line "# verdict": word, percent, from, to, units, perhaps the size, and the name.
function add_verdict(text, line,   words, k, bytes, name, f) {
	split(text, words, " ")
	if (words[1] !~ /^(faster|slower|same|cannot-tell)$/)
		fail("expected faster, slower, same or cannot-tell as the verdict", line)
	for (k = 2; k <= 4; k++)
		if (words[k] != "unknown" && !is_number(words[k]))
			fail("expected numbers, or unknown, behind the word of the verdict", line)
	if (!is_count(words[5]) || (sized && !is_count(words[6])))
		fail("expected whole numbers before the function of the verdict", line)
	bytes = sized ? words[6] + 0 : ""
	name = text
	for (k = 0; k < 5 + sized; k++)
		sub(/^[^ ]* /, "", name)
	if (!((name, bytes) in index_of))
		fail("expected a verdict on a function of this file", line)
	f = index_of[name, bytes]
	if (f in verdict)
		fail("expected one verdict on each function", line)
	verdict[f] = words[1]
	sub(/-/, " ", verdict[f])
	estimate[f] = words[2]
	lowest[f] = words[3]
	highest[f] = words[4]
	counted[f] = words[5]
	judged[++comparisons] = f
}

function add_verdicts(   i) {
	for (i = 1; i <= times["verdict"]; i++)
		add_verdict(raw_told["verdict", i], line_of["verdict", i])
}

function verdict_of(f,   text) {
	if (estimate[f] == "unknown")
		return verdict[f]
	text = signed(estimate[f], 3) " %"
	if (lowest[f] != "unknown" && highest[f] != "unknown")
		text = text " (" signed(lowest[f], 3) " to " signed(highest[f], 3) " %)"
	return text ", " verdict[f]
}

# All of them in words. Empty: there are none.
function verdicts(first,   i, said) {
	for (i = 1; i <= comparisons; i++)
		said = said " " names_of[judged[i]] ": " verdict_of(judged[i]) ", in " \
			counted[judged[i]] " units" (i < comparisons ? ";" : ".")
	return comparisons ? "How many percent longer than " first ":" said : ""
}
