# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""Two benchmarks for bench/harnesses."""

import pytest
from rounds import ROUNDS


def work(rounds):
    x = rounds
    for _ in range(rounds):
        x = (x * 25214903917 + 11) & 0xFFFFFFFFFFFF
    return x


@pytest.mark.parametrize("which", range(len(ROUNDS)))
def test_work(benchmark, which):
    benchmark(work, ROUNDS[which])
