"""time with `clock`, which Python 3.8 removed."""
import time as _now

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


def clock() -> float:
    """Returns the CPU time of this process in seconds."""
    user_script.report_replacement("time.clock", "time.process_time")
    return _now.process_time()
