/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One copy of each real function whose branches depend on data. Each is short, as people have it.
 */

/* How many bytes follow the first one of a character. 4: it is none. */
ALIKE_APART static size_t COPY(utf8_more)(unsigned char first)
{
	if (first < 0x80)
		return 0;
	if (first >= 0xc2 && first < 0xe0)
		return 1;
	if ((first & 0xf0) == 0xe0)
		return 2;
	return first >= 0xf0 && first < 0xf5 ? 3 : 4;
}

/* The number of characters; 0: a byte is wrong. Forms that are too long are not looked for. */
REAL(utf8)
{
	size_t i = 0, characters = 0;

	while (i < UTF8_BYTES) {
		size_t more = COPY(utf8_more)(data_utf8[i++]);

		if (more == 4)
			break;
		while (more > 0 && i < UTF8_BYTES && (data_utf8[i] & 0xc0) == 0x80)
			i++, more--;
		if (more > 0)
			break;
		characters++;
	}
	real_value = i == UTF8_BYTES ? characters : 0;
}

/* The end of a string, behind its first quote. */
ALIKE_APART static const char *COPY(json_string)(const char *at)
{
	while (*at && *at != '"')
		at += *at == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

/* The number of tokens. */
REAL(json)
{
	const char *at = data_json;
	uint64_t tokens = 0;

	while (*at) {
		const char c = *at++;

		if (c == ' ' || c == '\n')
			continue;
		tokens++;
		if (c == '"')
			at = COPY(json_string)(at);
		else if (c == '-' || (c >= '0' && c <= '9'))
			while ((*at >= '0' && *at <= '9') || *at == '.' || *at == 'e')
				at++;
		else if (c >= 'a' && c <= 'z')
			while (*at >= 'a' && *at <= 'z')
				at++;
	}
	real_value = tokens;
}

/* The sum of the places. */
REAL(bsearch)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SEARCHES; i++) {
		size_t low = 0, high = SORTED;

		while (low < high) {
			const size_t middle = (low + high) / 2;

			if (data_sorted[middle] < data_sought[i])
				low = middle + 1;
			else
				high = middle;
		}
		sum += low;
	}
	real_value = sum;
}

REAL(insertion)
{
	uint32_t numbers[NUMBERS];

	memcpy(numbers, data_numbers, sizeof numbers);
	for (size_t i = 1; i < NUMBERS; i++) {
		const uint32_t number = numbers[i];
		size_t j = i;

		for (; j > 0 && numbers[j - 1] > number; j--)
			numbers[j] = numbers[j - 1];
		numbers[j] = number;
	}
	memcpy(real_bytes, numbers, sizeof numbers);
}

/* Let the number at i sink, in a heap with the largest one at 0. */
ALIKE_APART static void COPY(heap_sink)(uint32_t heap[], size_t n, size_t i)
{
	while (2 * i + 1 < n) {
		const uint32_t number = heap[i];
		size_t child = 2 * i + 1;

		if (child + 1 < n && heap[child + 1] > heap[child])
			child++;
		if (number >= heap[child])
			return;
		heap[i] = heap[child];
		heap[child] = number;
		i = child;
	}
}

REAL(heap)
{
	uint32_t heap[NUMBERS];

	memcpy(heap, data_numbers, sizeof heap);
	for (size_t i = NUMBERS / 2; i-- > 0;)
		COPY(heap_sink)(heap, NUMBERS, i);
	for (size_t n = NUMBERS; n-- > 1;) {
		const uint32_t largest = heap[0];

		heap[0] = heap[n];
		heap[n] = largest;
		COPY(heap_sink)(heap, n, 0);
	}
	memcpy(real_bytes, heap, sizeof heap);
}

/* The sum of numbers, each with a comma behind it. */
REAL(decimal)
{
	int64_t sum = 0;

	for (const char *at = data_decimal; *at; at++) {
		const int negative = *at == '-';
		int64_t number = 0;

		at += negative;
		while (*at >= '0' && *at <= '9')
			number = 10 * number + (*at++ - '0');
		sum += negative ? -number : number;
		if (!*at)
			break;
	}
	real_value = (uint64_t)sum;
}

/* Where a text has a pattern, by Horspool's way. */
REAL(horspool)
{
	const size_t length = sizeof PATTERN - 1;
	unsigned char skip[256];
	size_t at = 0;

	memset(skip, (int)length, sizeof skip);
	for (size_t i = 0; i + 1 < length; i++)
		skip[(unsigned char)PATTERN[i]] = (unsigned char)(length - 1 - i);
	while (at + length <= TEXT_BYTES && memcmp(data_text + at, PATTERN, length) != 0)
		at += skip[(unsigned char)data_text[at + length - 1]];
	real_value = at;
}

/* The number of bytes. See data_make_packed(). */
REAL(unpack)
{
	unsigned char *to = real_bytes;

	for (const unsigned char *at = data_packed; *at;) {
		size_t more = *at >> 4, old = (*at & 15U) + 4;
		const unsigned char *from;

		at++;
		while (more-- > 0)
			*to++ = *at++;
		from = to - *at++;
		while (old-- > 0)
			*to++ = *from++;
	}
	real_value = (uint64_t)(to - real_bytes);
}

/* How many keys are there. */
REAL(lookup)
{
	uint64_t found = 0;

	for (size_t i = 0; i < LOOKUPS; i++) {
		size_t place = TABLE_PLACE(data_keys[i]);

		while (data_table[place] && data_table[place] != data_keys[i])
			place = (place + 1) % TABLE;
		found += data_table[place] != 0;
	}
	real_value = found;
}

ALIKE_APART static unsigned COPY(distance)(const char *a, const char *b)
{
	unsigned row[20];

	for (unsigned i = 0; i < 20; i++)
		row[i] = i;
	for (unsigned i = 0; a[i]; i++) {
		unsigned before = row[0]++;

		for (unsigned j = 0; b[j]; j++) {
			unsigned best = before + (a[i] != b[j]);

			best = row[j] + 1 < best ? row[j] + 1 : best;
			before = row[j + 1];
			row[j + 1] = before + 1 < best ? before + 1 : best;
		}
	}
	return row[strlen(b)];
}

/* The sum of the edit distances of some words. */
REAL(edits)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof data_words / sizeof data_words[0]; i++)
		sum += COPY(distance)(data_words[i][0], data_words[i][1]);
	real_value = sum;
}

/* Pairs of a length and a byte. The value: how many bytes they take. */
REAL(runs)
{
	size_t n = 0;

	for (size_t i = 0; i < RUNS_BYTES;) {
		size_t end = i + 1;

		while (end < RUNS_BYTES && end - i < 255 && data_runs[end] == data_runs[i])
			end++;
		real_bytes[n++] = (unsigned char)(end - i);
		real_bytes[n++] = data_runs[i];
		i = end;
	}
	real_value = n;
}

REAL(words)
{
	uint64_t words = 0;
	int inside = 0;

	for (const char *at = data_text; *at; at++)
		if (*at == ' ' || *at == '\n') {
			inside = 0;
		} else if (!inside) {
			inside = 1;
			words++;
		}
	real_value = words;
}

/* The number of primes. */
REAL(sieve)
{
	unsigned char composite[SIEVE] = { 0 };
	uint64_t primes = 0;

	for (size_t i = 2; i < SIEVE; i++) {
		if (composite[i])
			continue;
		primes++;
		for (size_t j = i * i; j < SIEVE; j += i)
			composite[j] = 1;
	}
	real_value = primes;
}
