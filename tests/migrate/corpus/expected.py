"""How a table states what is expected of the queues of a script."""
from typing import NamedTuple

from legacy_towers.migrate.conversion.plans import REFUSED, SAME_SEQUENCE, SAME_SET

__all__ = ["SAME_SEQUENCE", "SAME_SET", "Expected", "refused"]


class Expected(NamedTuple):
    """A queue that stays, since tf.data can't give the same.

    Attributes:
      promise: REFUSED.
      reason: a part of the reason that the plan must give.
    """

    promise: str
    reason: str


def refused(reason):
    return Expected(REFUSED, reason)
