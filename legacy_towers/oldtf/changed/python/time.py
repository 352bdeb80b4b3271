"""time with `clock`, which Python 3.8 dropped."""
import time as _now

from legacy_towers.oldtf import current

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = [name for name in vars(_now) if not name.startswith("_")] + ["clock"]


def clock() -> float:
    """Returns the seconds of processor time of this process."""
    current.say_once("time.clock", "time.process_time")
    return _now.process_time()
