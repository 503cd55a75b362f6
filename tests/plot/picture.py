# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""picture.py WHAT FILE [ARGUMENT...]: says what an SVG of cpucycles-plot has.

parse       why a parser of XML refuses the SVG, or the page of HTML
texts       its texts, one a line, in the order of the file
title desc  its title, its description
count WORD  how many elements of that name have a fill (polygon), or just are there
ids         ids that are there twice, and references to ids that are not there
cells       the size of each map, and the colour of each corner and its middle cell: warm, cold,
            white, dark or grey
png         width, height and how many colours a PNG has
"""

import base64
import re
import struct
import sys
import xml.etree.ElementTree as tree
import zlib

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"


def chunks(data):
    at = 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        yield name, data[at + 8:at + 8 + length]
        at += length + 12


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def pixels(data):
    """Width, height, and rows of pixels as tuples, of a PNG with 8 bits."""
    header = dict(chunks(data))[b"IHDR"]
    width, height, depth, kind = struct.unpack(">IIBB", header[:10])
    size = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    assert depth == 8, depth
    raw = zlib.decompress(b"".join(part for name, part in chunks(data) if name == b"IDAT"))
    rows, before = [], bytes(width * size)
    for y in range(height):
        start = y * (width * size + 1)
        how, line = raw[start], bytearray(raw[start + 1:start + 1 + width * size])
        for x in range(len(line)):
            left = line[x - size] if x >= size else 0
            corner = before[x - size] if x >= size else 0
            line[x] = (line[x] + (0, left, before[x], (left + before[x]) // 2,
                                  paeth(left, before[x], corner))[how]) & 255
        rows.append([tuple(line[x:x + size]) for x in range(0, len(line), size)])
        before = line
    return width, height, rows


def colour(pixel):
    if len(pixel) == 4 and pixel[3] < 128:
        return "grey"
    red, green, blue = pixel[:3]
    if min(red, green, blue) > 225:
        return "white"
    if max(red, green, blue) < 110:
        return "dark"
    return "warm" if red > blue else "cold"


def cells(root):
    for image in root.iter(SVG + "image"):
        start, data = image.get(LINK).split(",", 1)
        assert start == "data:image/png;base64", start
        width, height, rows = pixels(base64.b64decode(data))
        # The top row of the image is the last CPU.
        corners = [rows[y][x] for y, x in ((0, 0), (0, -1), (-1, 0), (-1, -1),
                                           (height // 2, width // 2))]
        print(width, height, *map(colour, corners), flush=True)


def ids(root):
    seen = [e.get("id") for e in root.iter() if e.get("id")]
    for name in sorted(set(seen)):
        if seen.count(name) > 1:
            print("twice", name)
    for element in root.iter():
        link = element.get(LINK, "")
        if link.startswith("#") and link[1:] not in seen:
            print("missing", link)
        for name in element.get("aria-labelledby", "").split():
            if name not in seen:
                print("missing", name)


def parse(path):
    """In a page, only the line of its type and open elements of <meta> are no XML."""
    with open(path, encoding="ascii") as file:
        text = file.read()
    if path.endswith(".html"):
        text = re.sub("(<meta [^>]*)>", r"\1/>", text.replace("<!DOCTYPE html>", ""))
    try:
        tree.fromstring(text)
    except tree.ParseError as error:
        print(error)


def main(what, path, *arguments):
    if what == "parse":
        parse(path)
        return
    if what == "png":
        with open(path, "rb") as file:
            width, height, rows = pixels(file.read())
        print(width, height, len({pixel for row in rows for pixel in row}))
        return
    root = tree.parse(path).getroot()
    assert root.tag == SVG + "svg" and root.get("viewBox") and root.get("role") == "img"
    if what == "texts":
        for text in root.iter(SVG + "text"):
            print("".join(text.itertext()).strip())
    elif what in ("title", "desc"):
        print(root.find(SVG + what).text)
    elif what == "count":
        print(len([e for e in root.iter(SVG + arguments[0])]))
    elif what == "cells":
        cells(root)
    elif what == "ids":
        ids(root)


main(*sys.argv[1:])
