# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""interrupt.py HOW FILE COMMAND...: runs a command and ends it when FILE is there.

HOW is a signal's name, which only the command gets, or "terminal": Ctrl-C is typed in the
command's terminal. Prints the command's status, and whether the process whose number FILE has
still runs."""

import os
import pty
import signal
import sys
import time

LIMIT_S = 300  # only for what hangs


def wait_for(what):
    for _ in range(LIMIT_S * 20):
        if what():
            return
        time.sleep(0.05)
    sys.exit("waited too long")


def runs(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


how, path, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_DFL)
    os.execvp(command[0], command)
wait_for(lambda: os.path.exists(path) and open(path).read().endswith("\n"))
grandchild = int(open(path).read())
if how == "terminal":
    os.write(terminal, b"\x03")
else:
    os.kill(child, getattr(signal, "SIG" + how))
ended = []

def has_ended():
    process, status = os.waitpid(child, os.WNOHANG)
    if process:
        ended.append(status)
    return process


wait_for(has_ended)
status = os.waitstatus_to_exitcode(ended[0])
print(status, "runs" if runs(grandchild) else "ended")
