"""The throughput of a closed network of queues against a simulated one."""
import heapq

import numpy as np
import pytest

from legacy_towers.scaling.queues import throughput, throughput_bounds


def simulated_queues(customers, demands, think, rounds, seed=0):
    """Returns the rounds per second of customers whose times of service are drawn from exponential distributions."""
    random = np.random.RandomState(seed)
    free = [0.0] * len(demands)
    events = [(random.exponential(think), number, 0) for number in range(customers)]
    heapq.heapify(events)
    done = now = 0
    while done < rounds:
        now, customer, station = heapq.heappop(events)
        if station == len(demands):
            done += 1
            heapq.heappush(events, (now + random.exponential(think), customer, 0))
            continue
        # In the order of arrival: later ones have later events.
        free[station] = max(free[station], now) + random.exponential(demands[station])
        heapq.heappush(events, (free[station], customer, station + 1))
    return done / now


@pytest.mark.parametrize("customers, demands, think", [
    (1, [0.3, 0.2], 0.5), (4, [0.3, 0.3], 0.01), (8, [0.1, 0.3, 0.05], 2.0),
])
def test_throughput_is_that_of_simulated_queues(customers, demands, think):
    found = throughput(customers, demands, think)
    assert found == pytest.approx(simulated_queues(customers, demands, think, 20000), rel=0.03)
    least, most = throughput_bounds(customers, demands, think)
    assert least == pytest.approx(customers / (customers * sum(demands) + think))
    assert least - 1e-9 <= found <= most + 1e-9
    assert most == pytest.approx(min(customers / (sum(demands) + think), 1 / max(demands)))
