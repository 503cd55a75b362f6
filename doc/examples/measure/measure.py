# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""Measure functions from Python, by ctypes.

measure.py LIBRARY FUNCTION [FUNCTION...]  measures functions of a shared object: void f(void *)
measure.py                                 measures two functions that are written in Python

A function of a shared object takes as long as in a program in C: Python starts the run, and no
Python code is executed while it lasts. A function that is written in Python takes as long as
Python needs to call and execute it, which is thousands of cycles.
"""

import ctypes
import sys

MEASURE = ctypes.CDLL("libcpucycles-measure.so.1")
WORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
UNITS = ("cycles", "ticks", "ns")
ROOM = 512  # no text of a reason is longer
VERDICTS = ("no verdict", "faster", "slower")


# The structures of cpucycles-measure.h, member by member.
class Reason(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("error", ctypes.c_int),
        ("what", ctypes.c_char_p),
        ("what_size", ctypes.c_size_t),
        ("remedy", ctypes.c_char_p),
        ("remedy_size", ctypes.c_size_t),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("need", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("works_max", ctypes.c_size_t),
        ("samples_max", ctypes.c_size_t),
        ("events", ctypes.c_char_p),
    ]


class Info(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("counter", ctypes.c_char_p),
        ("unit", ctypes.c_int),
        ("next_best", ctypes.c_int),
        ("resolution", ctypes.c_double),
        ("overhead", ctypes.c_double),
        ("overhead_iqr", ctypes.c_double),
        ("hz", ctypes.c_uint64),
        ("hz_ppm", ctypes.c_uint64),
        ("own_thread", ctypes.c_int),
    ]


class Work(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("call", WORK),
        ("context", ctypes.c_void_p),
        ("before", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    ]


class Result(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("min", ctypes.c_double),
        ("q1", ctypes.c_double),
        ("median", ctypes.c_double),
        ("q3", ctypes.c_double),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("iqm", ctypes.c_double),
        ("samples", ctypes.c_uint64),
        ("warnings", ctypes.c_uint64),
        ("iterations", ctypes.c_uint),
        ("cycles_from", ctypes.c_int),
        ("cycles", ctypes.c_double),
        ("cycles_low", ctypes.c_double),
        ("cycles_high", ctypes.c_double),
        ("units_per_cycle", ctypes.c_double),
        ("cycles_interrupted", ctypes.c_uint64),
        ("ns", ctypes.c_double),
        ("ns_low", ctypes.c_double),
        ("ns_high", ctypes.c_double),
    ]


class Verdict(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("verdict", ctypes.c_int),
        ("ratio", ctypes.c_double),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("floor", ctypes.c_double),
        ("samples_needed", ctypes.c_uint64),
    ]


def sized(structure, **members):
    """A structure that begins with its size; 0 in any other member means the default."""
    return structure(size=ctypes.sizeof(structure), **members)


def call(function, *arguments):
    """Call a function that returns 0, or a negative errno and a reason as its last argument."""
    what, remedy = (ctypes.create_string_buffer(ROOM) for _ in range(2))
    reason = sized(
        Reason,
        what=ctypes.addressof(what),
        what_size=ROOM,
        remedy=ctypes.addressof(remedy),
        remedy_size=ROOM,
    )
    if getattr(MEASURE, function)(*arguments, ctypes.byref(reason)) != 0:
        sys.exit(f"{what.value.decode()}; {remedy.value.decode()}")


def measure(functions):
    """Measure a dictionary of names and functions, and print what was found."""
    meter = ctypes.c_void_p()
    info = sized(Info)
    # This array keeps the functions alive: ctypes frees a callback that nobody refers to.
    works = (Work * len(functions))(
        *(sized(Work, name=name.encode(), call=function) for name, function in functions.items())
    )

    call("cpucycles_meter_open", ctypes.byref(meter),
         ctypes.byref(sized(Options, works_max=len(works))))
    call("cpucycles_meter_run", meter, works, ctypes.c_size_t(len(works)), None)
    MEASURE.cpucycles_meter_info(meter, ctypes.byref(info))
    for i, work in enumerate(works):
        result = sized(Result)
        MEASURE.cpucycles_meter_result(meter, ctypes.c_size_t(i), ctypes.byref(result))
        print(f"{work.name.decode()}: median {result.median:.1f} {UNITS[info.unit]}")
    for i, work in enumerate(works[1:], 1):
        verdict = sized(Verdict)
        MEASURE.cpucycles_meter_verdict(meter, ctypes.c_size_t(i), ctypes.byref(verdict))
        print(f"{work.name.decode()} relative to {works[0].name.decode()}: "
              f"{VERDICTS[verdict.verdict]}, it takes {verdict.ratio:.3f} times as long "
              f"({verdict.low:.3f} to {verdict.high:.3f})")
    MEASURE.cpucycles_meter_close(meter)


def main():
    if len(sys.argv) > 2:
        library = ctypes.CDLL(sys.argv[1])
        measure({name: WORK((name, library)) for name in sys.argv[2:]})
    else:
        numbers = list(range(1000))
        measure({
            "list": WORK(lambda context: sum([n * n for n in numbers])),
            "generator": WORK(lambda context: sum(n * n for n in numbers)),
        })


if __name__ == "__main__":
    main()
