# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""Benchmarks of two checksums, with the checksums."""

TEXT = bytes(1000)


def adler(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def crc(data):
    total = 0xFFFFFFFF
    for byte in data:
        total ^= byte
        for _ in range(8):
            total = total >> 1 ^ (0xEDB88320 if total & 1 else 0)
    return total ^ 0xFFFFFFFF


def test_adler(benchmark):
    benchmark(adler, TEXT)


def test_crc(benchmark):
    benchmark(crc, TEXT)
