"""What is done about a loss that is NaN or infinite: the names, which need no TensorFlow."""
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import quoted

ON_NAN = ("stop", "skip", "restore", "off")
# How many steps in a row are skipped, or how often a session restores, before it ends.
NAN_LIMIT = 10


def check_on_nan(on_nan: str, limit: int = NAN_LIMIT, option: str = "on_nan", limit_option: str = "nan_limit") -> None:
    """Raises ArgumentError unless the policy is one of `ON_NAN`, and the limit an integer of at least 1.

    Args:
      option, limit_option: how messages name them.
    """
    if on_nan not in ON_NAN:
        raise ArgumentError("{} is {!r}: allowed are {}".format(option, on_nan, quoted(ON_NAN)))
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise ArgumentError("{} is {!r}: it must be an integer of at least 1".format(limit_option, limit))
