"""A closed network of queues: customers that go from one station to the next, and begin again."""
from typing import Sequence


def throughput(customers: int, demands: Sequence[float], think_seconds: float) -> float:
    """Returns how many rounds per second all customers complete, by exact mean value analysis.

        queue  0   1   2 ... customers: the time at a station is its demand times (1 + those who are there before)

    M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain queuing networks", 1980, for one class.
    It is exact where the times of service vary as an exponential distribution, or customers share a station as
    connections share a link; where service takes always the same time, the truth is somewhat higher, at most the
    bound min(customers / all demands, 1 / the largest demand).

    Args:
      customers: at least 1.
      demands: seconds of service that a round needs of each station.
      think_seconds: of a round, without waiting for anybody.
    """
    waiting = [0.0] * len(demands)
    rate = 0.0
    for number in range(1, customers + 1):
        times = [demand * (1 + before) for demand, before in zip(demands, waiting)]
        rate = number / (think_seconds + sum(times))
        waiting = [rate * each for each in times]
    return rate
