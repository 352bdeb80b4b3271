"""time with `clock`, which Python 3.8 removed."""
import time as _now

from legacy_towers.compat.tf1 import user_script

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = [name for name in vars(_now) if not name.startswith("_")] + ["clock"]


def clock() -> float:
    """Returns the CPU time of this process in seconds."""
    user_script.report_replacement("time.clock", "time.process_time")
    return _now.process_time()
