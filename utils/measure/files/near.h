/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Ways in code of amd64 that need no relocation, because both ends are in one section: calls, jumps
 * and addresses, which say how far they go. Nothing is disassembled: what may be such a way counts
 * as one. Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, 2.1.5
 * "Addressing-Mode Encoding of ModR/M and SIB Bytes" and appendix A "Opcode Map". Pure.
 */

#ifndef CPUCYCLES_MEASURE_NEAR_H
#define CPUCYCLES_MEASURE_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a way may stand in the bytes at this place. *length: of its number, 1 or 4. *to: where it
 * leads, in bytes from the first one. */
bool near_way(const unsigned char *bytes, size_t size, size_t at, size_t *length, int64_t *to);

/* Whether the number there is a distance for sure: another number, which a mask or a comparison
 * has, is not mistaken for one. Short ones never are. */
bool near_is_sure(const unsigned char *bytes, size_t at);

/* How many bytes follow a distance in its instruction: those of a number, if the two bytes before
 * the distance are an opcode that has one, and ModRM. */
unsigned near_rest(const unsigned char before[2]);

/* Whether the code ends with an instruction that does not go on to the next one: a return, a jump,
 * a trap, or a call of what does not return. */
bool near_ends(const unsigned char *bytes, size_t size);

#endif
