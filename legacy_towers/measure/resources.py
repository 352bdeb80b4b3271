"""What a process uses: CPU time and memory, children included, since loaders may run in processes of their own."""
import os
import re
import sys
import time
from typing import Any, Optional

from legacy_towers.errors import EnvironmentProblem


def import_psutil() -> Any:
    """Returns psutil, or raises EnvironmentProblem, which says how to install it."""
    try:
        import psutil
    except ImportError as error:
        raise EnvironmentProblem(
            "the package psutil is missing, which reads CPU time and memory: python -m pip install psutil"
        ) from error
    return psutil


def cpu_seconds() -> float:
    """Returns the CPU time so far of this process, all its threads, its children and theirs, ended ones included."""
    psutil = import_psutil()
    ended = os.times()
    total = time.process_time() + ended.children_user + ended.children_system
    for child in psutil.Process().children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.Error:  # it has ended meanwhile
            continue
        total += times.user + times.system
    return float(total)


def peak_memory_bytes() -> Optional[int]:
    """Returns the most memory that this process has held in RAM since its start; None where the system can't tell."""
    if sys.platform.startswith("linux"):
        # Not getrusage: its maximum survives exec, so that a process would begin with the peak of who started it.
        with open("/proc/self/status") as status:
            found = re.search(r"^VmHWM:\s+(\d+) kB", status.read(), re.MULTILINE)
        return int(found.group(1)) * 1024 if found else None
    if sys.platform == "win32":
        return int(import_psutil().Process().memory_info().peak_wset)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024


def usable_cores() -> int:
    """Returns how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
