"""The program that ends a host's servers when the host itself is gone, even by SIGKILL. Run by `reaper`.

It reads lines from its standard input, which is a pipe from the host: `+123` means that process group 123 is a
server's, `-123` that it is no more. When the pipe ends, the host has died: every group gets SIGTERM and, within two
seconds, SIGKILL; so does every process that carries the host's token in its environment (Linux), which finds servers
that moved to a session of their own. `python -I -S guardian.py TOKEN`; imports next to nothing, so it is small.
"""

import os
import signal
import sys
import time
from contextlib import suppress

PATIENCE = 1.0
"""Seconds between SIGTERM and SIGKILL."""

STEP = 0.05


def main() -> None:
    """Read until the host is gone, then end what it left behind."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    token = os.fsencode(sys.argv[1])
    groups: set[int] = set()
    while line := sys.stdin.buffer.readline():
        with suppress(ValueError):
            (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
    end(groups, token)


def end(groups: set[int], token: bytes) -> None:
    """End the groups, and whatever else carries the token: politely, then for good."""
    stray = carriers(token)
    for group in list(groups):
        if not tell(os.killpg, group, signal.SIGTERM):
            groups.discard(group)
    for process in stray:
        tell(os.kill, process, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while (groups or stray) and time.monotonic() < deadline:
        time.sleep(STEP)
        groups = {group for group in groups if tell(os.killpg, group, 0)}
        stray = [process for process in stray if tell(os.kill, process, 0)]
    for group in groups:
        tell(os.killpg, group, signal.SIGKILL)
    for process in carriers(token):
        tell(os.kill, process, signal.SIGKILL)


def tell(send: object, target: int, number: int) -> bool:
    """Send a signal; false if there is nobody any more."""
    try:
        send(target, number)  # type: ignore[operator]
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def carriers(token: bytes) -> list[int]:
    """Every process of ours, but this one, that has the token in its environment."""
    found: list[int] = []
    with suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208  (`pathlib` alone would double its size)
            if name.isdigit() and int(name) != os.getpid():
                with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:  # noqa: PTH123
                    if token in file.read():
                        found.append(int(name))
    return found


if __name__ == "__main__":
    main()
