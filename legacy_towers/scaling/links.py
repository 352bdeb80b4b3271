"""A link that sends one message after the other, each when it is ready and the link is free."""
from typing import List, Sequence, Tuple


def finish_times(messages: Sequence[Tuple[float, float]]) -> List[float]:
    """Returns when each message has been sent, in the order given, which is that in which they get ready.

        ready  0   1   5          the link   |aaaa|bb|  |cc|
        takes  4   2   2          sent at         4  6     7

    Args:
      messages: (the second at which it is ready, the seconds that it occupies the link) of each.
    """
    free, sent = 0.0, []
    for ready, seconds in messages:
        free = max(free, ready) + seconds
        sent.append(free)
    return sent
