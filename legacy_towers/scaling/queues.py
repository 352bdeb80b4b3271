"""A closed network of queues: customers that go from one station to the next, and begin again."""
from typing import Sequence, Tuple


def throughput(customers: int, demands: Sequence[float], think_seconds: float) -> float:
    """Returns how many rounds per second all customers complete, by exact mean value analysis.

        queue  0   1   2 ... customers: the time at a station is its demand times (1 + those who are there before)

    M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain queuing networks", 1980, for one class.
    It is exact in the long run where customers share a station, as connections share a link, whatever the seconds of
    service (F. Baskett and others, "Open, closed, and mixed networks of queues with different classes of customers",
    1975), as long as something varies: customers that always take the same time, and begin together, stay together.

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


def throughput_bounds(customers: int, demands: Sequence[float], think_seconds: float) -> Tuple[float, float]:
    """Returns the least and the most rounds per second of `throughput`'s customers, by how their rounds overlap.

    The least where all of them are at the same station at the same time, the most where none waits for another one as
    long as the station with the largest demand has less to do than it can.

    Args:
      customers: at least 1.
      demands: as in `throughput`; at least one is above 0.
      think_seconds: as in `throughput`.
    """
    total = sum(demands)
    return customers / (think_seconds + customers * total), min(customers / (think_seconds + total), 1 / max(demands))
