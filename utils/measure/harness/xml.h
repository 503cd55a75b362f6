/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The elements of XML that a harness has written, one after the other. Pure. */

#ifndef CPUCYCLES_MEASURE_XML_H
#define CPUCYCLES_MEASURE_XML_H

#include <stdbool.h>
#include <stddef.h>

/* The next element after this place, where its name begins, or the slash of its end. NULL: there
 * is none. */
const char *xml_next(const char *at);

/* Whether an element with this name begins or ends here. */
bool xml_begins(const char *at, const char *name);
bool xml_ends(const char *at, const char *name);

/* An attribute of the element, without XML's way of writing characters. What has no room is left
 * out. False: there is none. */
bool xml_attribute(const char *at, const char *name, char *text, size_t room);

#endif
