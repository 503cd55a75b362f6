# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""Two benchmarks for bench/harnesses."""

import hashlib

import pytest
from rounds import ROUNDS

DATA = memoryview(bytes(64 * max(ROUNDS)))


def work(rounds):
    """Each round of MD5 waits for the one before, as the multiplications of the other harnesses do.

    A neighbour on the same core makes a loop of Python up to 1.8 times as slow, and this by 4 %.
    """
    hashlib.md5(DATA[: 64 * rounds], usedforsecurity=False)


@pytest.mark.parametrize("which", range(len(ROUNDS)))
def test_work(benchmark, which):
    benchmark(work, ROUNDS[which])
