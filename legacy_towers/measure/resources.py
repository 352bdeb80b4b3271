"""Measures the CPU time and memory of a process; CPU time includes child processes, in which loaders may run."""
import os
import platform
import re
import subprocess
import sys
import time
from typing import Any, Optional

from legacy_towers.errors import EnvironmentProblem


def import_psutil() -> Any:
    """Returns the module psutil.

    Raises:
      EnvironmentProblem: it is not installed; the message gives the command that installs it.
    """
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
    """Returns the peak resident memory of this process since its start; None where the system doesn't report it."""
    if sys.platform.startswith("linux"):
        # Not getrusage: its maximum survives exec, so that a process would start with its parent's peak.
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


def cpu_model() -> str:
    """Returns the name of the CPU's model, or of its architecture where the system doesn't report the model."""
    if sys.platform.startswith("linux"):
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as source:
            found = re.search(r"^model name\s*:\s*(\S.*)$", source.read(), re.MULTILINE)
        if found:
            return found.group(1).strip()
    if sys.platform == "darwin":
        asked = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            universal_newlines=True, check=False,
        )
        if asked.stdout.strip():
            return asked.stdout.strip()
    return platform.processor() or platform.machine() or "unknown"


def load_average() -> Optional[float]:
    """Returns how many processes ran or waited for a core in the last minute; None where it isn't known."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):  # Windows has none
        return None
