"""Private attributes of what a MonitoredSession passes to its hooks."""
from typing import Any


def withdrawn_stop(run_context: Any) -> bool:
    """Returns whether a stop was requested in a tf.train.SessionRunContext, and withdraws the request."""
    if not run_context.stop_requested:
        return False
    # Private: a request can't be withdrawn otherwise. MonitoredSession reads it after all hooks. Tried on 1.15, 2.21.
    run_context._stop_requested = False
    return True
