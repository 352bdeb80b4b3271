"""What happens if no step ends for a long time: the names, for the command line too."""
from legacy_towers.errors import ArgumentError

ON_STALL = ("wait", "abort")
STALL_SECONDS = 600.0


def check_stall(seconds: float, on_stall: str, names: str = "seconds, on_stall") -> None:
    """Raises ArgumentError unless `seconds` is above 0 and `on_stall` is "wait" or "abort".

    Args:
      names: how the caller calls the two, separated by a comma.
    """
    of_seconds, _, of_policy = names.partition(", ")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise ArgumentError("{} is {!r}: a time above 0 is needed".format(of_seconds, seconds))
    if on_stall not in ON_STALL:
        raise ArgumentError("{} is {!r}: allowed are 'wait' and 'abort'".format(of_policy, on_stall))
