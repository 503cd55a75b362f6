/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "fixup.h"

/* A linker defines these two names for a section whose own name is a name of C. */
extern const int32_t __start_cpucycles_fixups[] __attribute__((visibility("hidden")));
extern const int32_t __stop_cpucycles_fixups[] __attribute__((visibility("hidden")));

/* An entry for no instruction: the section exists even if no counter has an entry in it. */
static const int32_t none __attribute__((section("cpucycles_fixups"), used)) = 0;

bool fixup_is_listed(uintptr_t address)
{
	const int32_t *const end = __stop_cpucycles_fixups;

	for (const int32_t *entry = __start_cpucycles_fixups; entry < end; entry++)
		if (entry != &none && (uintptr_t)entry + (uintptr_t)(intptr_t)*entry == address)
			return true;
	return false;
}
