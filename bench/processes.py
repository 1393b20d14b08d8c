"""What the benchmark reads of processes from /proc: families and memory."""

from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes that a process has started, directly."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in path.read_text().split()]
        except OSError:
            continue
    return found


def family(pid: int) -> list[int]:
    """A process and all that it has started, directly or not."""
    return [pid, *(member for child in children(pid) for member in family(child))]


def command_line(pid: int) -> str:
    """How a process was started, empty if it has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def resident_kib(pid: int) -> int:
    """Resident memory of one process in KiB, 0 if it has gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)


def host_kib(pid: int, server_mark: str) -> int:
    """Resident memory of a host and its helpers: its family without the MCP servers that it runs."""
    return sum(resident_kib(member) for member in family(pid) if server_mark not in command_line(member))
