# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""Benchmarks of two checksums, with the checksums, of which one is faster than in old."""

import zlib

TEXT = bytes(1000)


def adler(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def crc(data):
    return zlib.crc32(data)


def test_adler(benchmark):
    benchmark(adler, TEXT)


def test_crc(benchmark):
    benchmark(crc, TEXT)
