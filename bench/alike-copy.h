/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One copy of each function. alike-copies.h includes this file once for each copy, with another
 * COPY(): so the compiler makes the same code of all copies. */

/* Straight code: a chain of multiplications, in which nothing is to be predicted. */
ALIKE_FUNCTION(chain)
{
	static unsigned long kept = 3;
	DEPENDENT unsigned long value = kept;

	DEPENDENT_HIDE(value);
	DEPENDENT_400
	kept = value;
}

/* Memory: from one element of a list to the next. Each copy has a list of its own. */
ALIKE_ALIGNED static struct alike_element COPY(list)[WALK_ELEMENTS];

ALIKE_FUNCTION(walk)
{
	const struct alike_element *element = COPY(list);

	do {
		element = element->next;
		ALIKE_KEEP(element);
	} while (element != COPY(list));
}

/* A loop with loads from a table: the CRC of some text. */
ALIKE_FUNCTION(crc)
{
	static unsigned long kept;
	unsigned long value = kept ^ 0xffffffff;

	for (size_t i = 0; i < CRC_BYTES; i++)
		value = alike_table[(value ^ alike_text[i]) & 0xff] ^ value >> 8;
	kept = value;
}

/* Branches that cannot be predicted: some searches for numbers that nobody knows before. */
ALIKE_FUNCTION(search)
{
	static unsigned long state = 1;
	unsigned long found = 0;

	for (int i = 0; i < SEARCHES; i++) {
		size_t low = 0, high = SEARCH_NUMBERS;
		unsigned long sought;

		state = (state * 1103515245 + 12345) & 0x7fffffff;
		sought = state >> 8;
		while (low < high) {
			const size_t middle = (low + high) / 2;

			if (alike_numbers[middle] < sought)
				low = middle + 1;
			else
				high = middle;
		}
		found += low;
	}
	ALIKE_KEEP(found);
}
